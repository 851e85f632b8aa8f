"""Two-fold cross-fitting: the margins of a past paper come from SVMs that were not trained on it."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from presort.data.records import Rows
from presort.ranker.parallel import run_in_processes
from presort.ranker.recipe import Labels, Table
from presort.ranker.stacked.svms import margins

Train = Callable[[Any, Labels], Table]


@dataclass(frozen=True, eq=False)
class CrossFitResult:
    """Result of cross-fitting: SVMs for each of two folds, and each paper's margins from the other fold's SVMs.

    Attributes
    ----------
    weights : array of shape (n_terms + 1, n_reports)
        Mean of the weights of both folds' SVMs.
    mean, spread : arrays of shape (n_reports,)
        Mean and standard deviation of the margins.
    margins : array of shape (n_papers, n_reports)
        Standardised margins.
    folds : array of shape (n_papers,)
        Fold of each paper, 0 or 1.
    weights_of_folds : array of shape (2, n_terms + 1, n_reports)
        Weights of each fold's SVMs.
    """

    weights: NDArray[np.float32]
    mean: Table
    spread: Table
    margins: Table
    folds: NDArray[np.int8]
    weights_of_folds: NDArray[np.float32]


def folds(y: Labels, papers: Rows) -> NDArray[np.int8]:
    """Assign each row to fold 0 or 1, so that each report's relevant papers are split evenly.

    Reports with the fewest relevant papers are assigned first. All rows of a paper are in the same fold, because an SVM
    that was trained on one of these rows has seen the paper.

    Parameters
    ----------
    y : array of shape (n_rows, n_reports)
        Labels: 1 for relevant, 0 for not relevant, -1 for no decision.
    papers : array of shape (n_rows,)
        0-based number of the paper in each row, in order of first appearance.

    Examples
    --------
    >>> found = folds(np.array([[1], [1], [1], [1]], dtype=np.int8), np.array([0, 1, 1, 0]))
    >>> bool(found[0] == found[3] != found[1] == found[2])
    True
    """
    is_relevant = rows_by_paper(papers).T @ (y == 1).astype(np.int32) > 0
    found = np.random.default_rng(0).integers(0, 2, len(is_relevant)).astype(np.int8)
    is_placed = np.zeros(len(is_relevant), dtype=bool)
    for report in np.argsort(is_relevant.sum(axis=0), kind="stable"):
        relevant = is_relevant[:, report]
        surplus = int((1 - 2 * found[relevant & is_placed].astype(int)).sum())  # relevant papers in fold 0 minus fold 1
        left = np.flatnonzero(relevant & ~is_placed)
        place = (np.arange(len(left)) - abs(surplus)) % 2
        place[: abs(surplus)] = surplus > 0
        found[left] = place
        is_placed[left] = True
    return found[papers]


def split_folds(of_rows: NDArray[np.int8], y: Labels, papers: Rows) -> NDArray[np.int8]:
    """Split each of two folds into two, in the same way as `folds`. The result contains the folds 0 to 3.

    Parameters
    ----------
    of_rows : array of shape (n_rows,)
        Fold of each row, 0 or 1, as returned by `folds`.
    y, papers
        As in `folds`.
    """
    found = 2 * of_rows
    for fold in (0, 1):
        is_in = of_rows == fold
        found[is_in] += folds(y[is_in], np.unique(papers[is_in], return_inverse=True)[1])
    return found


def rows_by_paper(papers: Rows) -> csr_array:
    """Return an indicator matrix, shape (n_rows, n_papers), which is 1 if the row belongs to the paper."""
    n_papers = int(papers.max(initial=-1)) + 1
    ones = np.ones(len(papers), dtype=np.int32)
    return csr_array((ones, papers, np.arange(len(papers) + 1)), shape=(len(papers), n_papers))


def cross_fit(train: Train, X: Any, y: Labels, papers: Rows, n_jobs: int = 1) -> CrossFitResult:
    """Train SVMs on each fold of the papers, and compute each paper's margins with the other fold's SVMs.

    Parameters
    ----------
    train : callable
        Training function: `Svms.train` or `Svms.train_each`.
    X : CSR array of shape (n_rows, n_terms)
        Terms of the paper in each row.
    y : array of shape (n_rows, n_reports)
        Labels: 1 for relevant, 0 for not relevant, -1 for no decision.
    papers : array of shape (n_rows,)
        Number of the paper in each row, as in `folds`.
    n_jobs : int
        Number of processes.
    """
    of_rows = folds(y, papers)
    of_past = np.zeros(y.shape)
    weights = np.zeros((2, X.shape[1] + 1, y.shape[1]), dtype=np.float32)
    calls = ((fold,) for fold in (0, 1))
    with closing(run_in_processes(_train_fold, (train, X, y, of_rows), calls, n_jobs)) as ready:
        for fold, of_fold, of_others in ready:
            weights[fold] = of_fold
            of_past[of_rows != fold] = of_others
    mean, spread = (of_past.mean(axis=0), of_past.std(axis=0)) if len(y) else np.zeros((2, y.shape[1]))
    spread[spread == 0] = 1.0  # all margins are 0, for example because all of a report's decisions were withdrawn
    return CrossFitResult(weights[0] / 2 + weights[1] / 2, mean, spread, (of_past - mean) / spread, of_rows, weights)


def _train_fold(train: Train, X: Any, y: Labels, of_rows: Labels, fold: int) -> tuple[int, Table, Table]:
    """Train SVMs on one fold. Return the fold, the SVMs' weights, and the other fold's margins."""
    rows = np.flatnonzero(of_rows == fold)
    weights = train(X[rows], y[rows])
    return fold, weights.astype(np.float32), margins(X[np.flatnonzero(of_rows != fold)], weights)
