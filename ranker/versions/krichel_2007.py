"""The ranker that Krichel measured at NEP in 2007.

References
----------
Krichel, IP&M 2007.
"""

from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from presort.ranker.published.counts import TermCounts
from presort.ranker.published.separate import SeparateReports
from presort.ranker.recipe import Recipe
from presort.ranker.text import all_fields


def make_features() -> Pipeline:
    """Make term frequencies of all fields, scaled to unit length, without document frequencies."""
    return make_pipeline(TermCounts(all_fields, word=r"\S+"), TfidfTransformer(use_idf=False))


def make_classifier() -> LinearSVC:
    """Make a linear support vector machine with hinge loss."""
    return LinearSVC(loss="hinge", C=1.0, max_iter=10_000, random_state=0)


RECIPE = Recipe(
    name="krichel-2007",
    description="Plain word frequencies of all fields and a linear support vector machine, as NEP used in 2007.",
    method=SeparateReports(make_features, make_classifier),
)
