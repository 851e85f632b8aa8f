"""Rankers, which rank an issue for a report based on earlier decisions by the report's editor.

To write a custom ranker, use `recipe_of` to build a `Recipe` from a scikit-learn estimator. `rank_papers` uses a recipe
to rank the papers of a table.
"""

from presort.data.records import Paper
from presort.ranker.custom import rank_papers, recipe_of
from presort.ranker.recipe import Recipe

__all__ = ["Paper", "Recipe", "rank_papers", "recipe_of"]
