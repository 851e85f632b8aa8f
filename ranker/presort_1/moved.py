"""Weights of machines that learned on: the few that moved stand beside those that are kept, of which none is copied."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Rows
from presort.ranker.presort_1.machines import Machines
from presort.ranker.recipe import Labels, Table


@dataclass(frozen=True, eq=False)
class Moved:
    """Weights of all terms, shape (n_terms + 1, n_reports), in double precision where they are read.

    Attributes
    ----------
    kept : array of shape (n_terms + 1, n_reports)
    rows : array of shape (n_moved,)
        Those that moved, ascending.
    weights : array of shape (n_moved, n_reports)
        What they are now.
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


def learned_on(machines: Machines, X: Any, y: Labels, weights: NDArray[np.float32], costs: Table) -> Moved:
    """Learn from papers on top of weights, as `Machines.trained` does: the weights of other terms stay.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> X, y = csr_array([[0, 1.0, 0], [0, 0, 2.0]]), np.array([[1], [0]], dtype=np.int8)
    >>> kept, costs = np.array([[7], [1], [0], [0]], dtype=np.float32), np.ones((2, 1))
    >>> now = learned_on(Machines(), X, y, kept, costs)
    >>> now.rows.tolist(), bool((np.asarray(now) == Machines().trained(X, y, kept, costs)).all())
    ([1, 2, 3], True)
    """
    terms = np.unique(X.indices)
    rows = np.append(terms, len(weights) - 1)  # the constant's is the last
    return Moved(weights, rows, machines.trained(X[:, terms], y, weights[rows], costs))


def margins_by(X: Any, weights: NDArray[np.float32] | Moved) -> Table:
    """Return what `machines.margins` does, of few papers of all: only the weights of their terms are read."""
    terms = np.unique(X.indices)
    constant = len(weights.kept if isinstance(weights, Moved) else weights) - 1
    of_papers: Table = X[:, terms] @ weights[terms] + weights[np.array([constant])]
    return of_papers
