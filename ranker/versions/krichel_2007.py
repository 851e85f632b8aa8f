"""Ranker from Krichel's 2007 evaluation at NEP.

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
from presort.ranker.text import join_fields


def make_features() -> Pipeline:
    """Return a transformer to term frequencies of all fields, normalised to length 1 and without idf weights."""
    return make_pipeline(TermCounts(join_fields, word=r"\S+"), TfidfTransformer(use_idf=False))


def make_classifier() -> LinearSVC:
    """Return a linear support vector machine with hinge loss."""
    return LinearSVC(loss="hinge", C=1.0, max_iter=10_000, random_state=0)


RECIPE = Recipe(
    name="krichel-2007",
    description="Word frequencies of all fields with a linear support vector machine, as used at NEP in 2007.",
    method=SeparateReports(make_features, make_classifier),
)
