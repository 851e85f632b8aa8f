"""Linear support vector machines (SVMs), trained for all reports at once by dual coordinate descent.

Each paper updates the SVMs of all reports in one vectorised step, so its terms are read only once. Training a hundred
SVMs therefore takes about as long as training two of them separately.

References
----------
Hsieh, Chang, Lin, Keerthi, Sundararajan: A dual coordinate descent method for large-scale linear SVM. ICML 2008,
algorithm 1, for the squared hinge loss. liblinear uses the same algorithm for one SVM at a time.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

from presort.data.records import Rows
from presort.ranker.recipe import NO_WORD, Labels, Table, label_counts

TOLERANCE = 0.01  # tolerance at which liblinear stops, after about ten passes


@dataclass(frozen=True)
class Svms:
    """Settings for the SVMs. Trained weights are returned as arrays.

    An SVM minimises half the squared norm of its weights plus the papers' squared hinge losses, each multiplied by the
    paper's cost. A report's relevant and irrelevant papers have the same total cost, and the mean cost of a paper is
    `cost`.

    Attributes
    ----------
    cost : float
        Mean cost of a paper (C).
    n_passes : int
        Number of passes over the papers. More passes don't improve the rankings.
    """

    cost: float = 0.02
    n_passes: int = 2

    def train(self, X: Any, y: Labels, weights: Table | None = None, costs: Table | None = None) -> Table:
        """Train SVMs on papers, optionally starting from existing weights.

        Parameters
        ----------
        X : CSR array of shape (n_papers, n_terms)
            Terms of the papers.
        y : array of shape (n_papers, n_reports)
            Labels: 1 for relevant, 0 for not relevant, -1 for no decision.
        weights : array of shape (n_terms + 1, n_reports), optional
            Initial weights, with the intercept in the last row. Defaults to zeros.
        costs : array of shape (2, n_reports), optional
            Each report's cost of an irrelevant paper and of a relevant paper. Defaults to `balanced_costs(y)`.

        Returns
        -------
        array of shape (n_terms + 1, n_reports)
            Trained weights, with the intercept in the last row.
        """
        weights = np.zeros((X.shape[1] + 1, y.shape[1])) if weights is None else weights.astype(np.float64)
        easings = 1 / (2 * (self.balanced_costs(y) if costs is None else costs))
        easings = np.where(y == 1, easings[1], easings[0])
        signs, is_labelled = np.where(y == 1, 1.0, -1.0), y != NO_WORD
        papers = _papers(X)
        squares = [values @ values + 1 for _, values in papers]
        longest = max((len(terms) for terms, _ in papers), default=0)
        gathered, moves = np.empty((2, longest, y.shape[1]))  # buffers, allocated once for the longest paper
        constant, duals = weights[-1], np.zeros(y.shape)
        rng = np.random.default_rng(0)
        for _ in range(self.n_passes):
            for paper in rng.permutation(len(y)).tolist():
                terms, values = papers[paper]
                sign, dual, easing = signs[paper], duals[paper], easings[paper]
                # "clip" avoids a copy. It changes no index, because no term is out of range.
                of_terms = np.take(weights, terms, axis=0, out=gathered[: len(terms)], mode="clip")
                slope = sign * (values @ of_terms + constant) - 1 + dual * easing
                step = np.maximum(dual - slope / (squares[paper] + easing), 0) - dual
                step *= is_labelled[paper]
                dual += step
                step *= sign
                constant += step
                of_terms += np.multiply(values[:, None], step, out=moves[: len(terms)])
                weights[terms] = of_terms
        return weights

    def train_each(self, X: Any, y: Labels) -> Table:
        """Train each SVM separately with liblinear, until it converges.

        For a few reports, this is ten times faster than `train`; for many reports, it is slower.
        """
        costs = self.balanced_costs(y)
        weights = np.empty((X.shape[1] + 1, y.shape[1]))
        for column in range(y.shape[1]):
            rows = np.flatnonzero(y[:, column] != NO_WORD)
            words = y[rows, column]
            if words.all() or not words.any():  # liblinear requires both classes
                weights[:, [column]] = self.train(X[rows], words[:, None])
            else:
                svm = LinearSVC(
                    dual=True, tol=TOLERANCE, random_state=0, class_weight=dict(enumerate(costs[:, column]))
                )
                svm.fit(X[rows], words)
                weights[:-1, column], weights[-1, column] = svm.coef_[0], svm.intercept_[0]
        return weights

    def balanced_costs(self, y: Labels) -> Table:
        """Return each report's cost of an irrelevant paper and of a relevant paper, shape (2, n_reports)."""
        numbers = label_counts(y)
        costs: Table = self.cost * np.maximum(numbers.sum(axis=0), 1) / (2 * np.maximum(numbers, 1))
        return costs


def margins(X: Any, weights: Table) -> Table:
    """Return the papers' margins, shape (n_papers, n_reports)."""
    of_papers: Table = X @ weights[:-1] + weights[-1]
    return of_papers


def _papers(X: Any) -> list[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Return the columns and values of each paper's terms."""
    terms, values = X.indices.astype(np.intp), X.data.astype(np.float64)
    return [(terms[start:end], values[start:end]) for start, end in pairwise(X.indptr.tolist())]


@dataclass(frozen=True, eq=False)
class WeightDelta:
    """Array of weights, shape (n_terms + 1, n_reports), stored as the original weights and the changed rows.

    Indexing returns values in double precision.

    Attributes
    ----------
    kept : array of shape (n_terms + 1, n_reports)
        Original weights.
    rows : array of shape (n_moved,)
        Indexes of the changed rows, in ascending order.
    weights : array of shape (n_moved, n_reports)
        Current weights of the changed rows.
    """

    kept: NDArray[np.float32]
    rows: Rows
    weights: Table

    def __getitem__(self, rows: Rows) -> Table:
        found = self.kept[rows].astype(np.float64)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        has_moved = self.rows[places] == rows
        found[has_moved] = self.weights[places[has_moved]]
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Table:
        whole = self.kept.astype(np.float64)
        whole[self.rows] = self.weights
        return whole


def update_weights(svms: Svms, X: Any, y: Labels, weights: NDArray[np.float32], costs: Table) -> WeightDelta:
    """Continue training with more papers, like `Svms.train`. Only the weights of these papers' terms change.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> X, y = csr_array([[0, 1.0, 0], [0, 0, 2.0]]), np.array([[1], [0]], dtype=np.int8)
    >>> kept, costs = np.array([[7], [1], [0], [0]], dtype=np.float32), np.ones((2, 1))
    >>> now = update_weights(Svms(), X, y, kept, costs)
    >>> now.rows.tolist(), bool((np.asarray(now) == Svms().train(X, y, kept, costs)).all())
    ([1, 2, 3], True)
    """
    terms = np.unique(X.indices)
    rows = np.append(terms, len(weights) - 1)  # the last row is the intercept
    return WeightDelta(weights, rows, svms.train(X[:, terms], y, weights[rows], costs))


def margins_by(X: Any, weights: NDArray[np.float32] | WeightDelta) -> Table:
    """Return the margins of a few papers. Unlike `margins`, only the weights of the papers' terms are read."""
    terms = np.unique(X.indices)
    constant = len(weights.kept if isinstance(weights, WeightDelta) else weights) - 1
    of_papers: Table = X[:, terms] @ weights[terms] + weights[np.array([constant])]
    return of_papers
