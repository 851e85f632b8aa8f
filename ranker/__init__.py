"""Rankers: sort an issue for a report, learning from its editor's earlier selections.

For rankers of one's own: `recipe_of` makes a `Recipe` of an estimator of scikit-learn, `rank_papers` sorts papers of a
table by it.
"""

from presort.data.records import Paper
from presort.ranker.custom import rank_papers, recipe_of
from presort.ranker.recipe import Recipe

__all__ = ["Paper", "Recipe", "rank_papers", "recipe_of"]
