"""What the other papers of a paper's authors tell."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from data.records import TokenLists
from ranker.recipe import Table


def written_by(lists: TokenLists, authors: NDArray[np.int32]) -> csr_array:
    """Say who wrote what: 1 where an author wrote a paper, shape (n_papers, n_authors).

    Parameters
    ----------
    lists : TokenLists
        Authors of each paper by number.
    authors : array of shape (n_authors,)
        Numbers of those to look at, ascending; others are left out.
    """
    rows = np.repeat(np.arange(len(lists)), np.diff(lists.starts))
    is_wanted = np.isin(lists.values, authors)
    columns = np.searchsorted(authors, lists.values[is_wanted])
    written = csr_array((np.ones(len(columns)), (rows[is_wanted], columns)), shape=(len(lists), len(authors)))
    written.data[:] = 1  # whoever stands twice on one paper wrote it once
    return written


def of_their_papers(written_new: Any, written: Any, values: Any) -> Table:
    """Sum values over the past papers of each new paper's authors.

    Parameters
    ----------
    written_new, written : sparse arrays of shape (n_new, n_authors) and (n_past, n_authors)
        1 where the author wrote the paper.
    values : array or sparse array of shape (n_past, n_values)
        Of each past paper.

    Returns
    -------
    array of shape (n_new, n_values)
        A past paper that two authors wrote together counts twice for the papers of both.

    Examples
    --------
    >>> written = csr_array([[1, 0], [1, 1], [0, 1]])
    >>> of_their_papers(csr_array([[1, 1]]), written, np.array([[1.0], [10.0], [100.0]])).tolist()
    [[121.0]]
    """
    sums: Table = _dense(written_new @ (written.T @ values))
    return sums


def of_their_other_papers(written: Any, values: Any) -> Table:
    """Sum values over the past papers of each past paper's authors, the paper itself left out.

    Examples
    --------
    >>> written = csr_array([[1, 0], [1, 1], [0, 1]])
    >>> of_their_other_papers(written, np.array([[1.0], [10.0], [100.0]])).tolist()
    [[10.0], [101.0], [10.0]]
    """
    n_authors = np.asarray(written.sum(axis=1)).reshape(-1, 1)
    sums: Table = of_their_papers(written, written, values) - _dense(values) * n_authors
    return sums


def _dense(values: Any) -> Table:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)
