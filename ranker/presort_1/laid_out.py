"""Rows that are kept and rows that came since, in the order of all papers: none is copied until it is read."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Rows

Numbers = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class LaidOut:
    """Rows out of two tables, shape (n_rows, n_columns).

    Attributes
    ----------
    kept, more : arrays of shape (n_kept, n_columns) and (n_more, n_columns)
    places : array of shape (n_rows,)
        Where each row stands, in `kept` and on in `more`.
    """

    kept: Numbers
    more: Numbers
    places: Rows

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, rows: Rows) -> Numbers:
        places = self.places[rows]
        is_kept = places < len(self.kept)
        found = np.empty((len(places), self.kept.shape[1]), dtype=np.float32)
        found[is_kept], found[~is_kept] = self.kept[places[is_kept]], self.more[places[~is_kept] - len(self.kept)]
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Numbers:
        return self[np.arange(len(self))]


def laid_out(kept: Numbers, rows: Rows, more: Numbers, others: Rows) -> LaidOut:
    """Lay out what is kept and more of it by the rows in which they stand: these are all rows, each once.

    Examples
    --------
    >>> table = laid_out(np.ones((2, 1)), np.array([0, 2]), np.zeros((1, 1)), np.array([1]))
    >>> table[np.array([2, 1, 1])].tolist(), np.asarray(table).tolist()
    ([[1.0], [0.0], [0.0]], [[1.0], [0.0], [1.0]])
    """
    places = np.empty(len(rows) + len(others), dtype=np.intp)
    places[rows], places[others] = np.arange(len(rows)), len(rows) + np.arange(len(others))
    return LaidOut(kept, more, places)
