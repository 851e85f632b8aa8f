"""What the other papers of a paper's authors tell."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from presort.data.records import Rows, TokenLists
from presort.ranker.presort_1.halves import rows_by_paper
from presort.ranker.recipe import Table

ALL = slice(None)


def written_by(lists: TokenLists, authors: NDArray[np.int32]) -> csr_array:
    """Return who wrote what: 1 where an author wrote a paper, shape (n_papers, n_authors).

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


def of_their_other_papers(written: Any, values: Any, papers: Rows, rows: Rows | slice = ALL) -> Table:
    """Sum values over the past papers of each past paper's authors, the paper itself left out wherever it is listed.

    Parameters
    ----------
    written : sparse array of shape (n_past, n_authors)
        1 where the author wrote the paper; the same in all rows of a paper.
    values : array or sparse array of shape (n_past, n_values)
    papers : array of shape (n_past,)
        Number of the paper that stands in each row, from 0; one that was listed twice has two rows.
    rows : array of shape (n_rows,), optional
        The past papers that are asked about; all unless told.

    Examples
    --------
    >>> written = csr_array([[1, 0], [1, 1], [0, 1], [1, 0]])
    >>> values = np.array([[1.0], [10.0], [100.0], [1000.0]])
    >>> of_their_other_papers(written, values, np.array([0, 1, 2, 0])).tolist()
    [[10.0], [1101.0], [10.0], [10.0]]
    """
    of_rows = written[rows]
    n_authors = np.asarray(of_rows.sum(axis=1)).reshape(-1, 1)
    in_rows = rows_by_paper(papers)
    own = _dense((in_rows[rows] @ in_rows.T) @ values)
    sums: Table = of_their_papers(of_rows, written, values) - own * n_authors
    return sums


def _dense(values: Any) -> Table:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)
