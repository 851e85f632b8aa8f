"""ELAS u4, the default model of ASReview 2."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from presort.ranker.published.counts import TermCounts
from presort.ranker.published.separate import SeparateReports
from presort.ranker.recipe import Labels, Recipe
from presort.ranker.terms import Limits
from presort.ranker.text import title_abstract

LIMITS = Limits(pairs=True, max_df=0.95)
RATIO = 9.8  # total weight of the relevant papers, relative to the total weight of all other papers


def balanced_weights(y: Labels) -> NDArray[np.float64]:
    """Return the weight of each paper: 1 if relevant, else n1 / (9.8 n0), rescaled to a mean of 1.

    Examples
    --------
    >>> balanced_weights(np.array([1, 0], dtype=np.int8)).round(3).tolist()
    [1.815, 0.185]
    """
    n_relevant = np.count_nonzero(y)
    n_other = len(y) - n_relevant
    weights = np.where(y, 1.0, n_relevant / (RATIO * n_other) if n_other else 0.0)
    return np.asarray(weights * (len(y) / weights.sum()))


class BalancedSVC(LinearSVC):
    """Linear support vector machine that weights papers by `balanced_weights`."""

    def fit(self, X: Any, y: Labels) -> Self:
        """Fit to the rows of `X` and their labels, 0 or 1."""
        super().fit(X, y, sample_weight=balanced_weights(y))
        return self


def make_features() -> Pipeline:
    """Return a transformer to sublinear tf-idf of all words and word pairs except the most common ones."""
    return make_pipeline(TermCounts(title_abstract, limits=LIMITS), TfidfTransformer(sublinear_tf=True))


def make_classifier() -> BalancedSVC:
    """Return a linear support vector machine with squared hinge loss."""
    return BalancedSVC(loss="squared_hinge", C=0.11, max_iter=10_000, random_state=0)


RECIPE = Recipe(
    name="asreview-u4",
    description="Tf-idf of all words and word pairs with a weighted support vector machine, as in ASReview 2.",
    method=SeparateReports(make_features, make_classifier),
)
