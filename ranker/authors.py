"""What the other papers of a paper's authors tell."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]


def of_their_other_papers(written: Any, written_new: Any, values: Any) -> tuple[Table, Table]:
    """Sum values over the past papers of each paper's authors, the paper itself left out.

    Parameters
    ----------
    written, written_new : sparse arrays of shape (n_past, n_authors) and (n_new, n_authors)
        1 where the author wrote the paper.
    values : array or sparse array of shape (n_past, n_values)
        Of each past paper.

    Returns
    -------
    arrays of shape (n_past, n_values) and (n_new, n_values)
        A past paper that two authors wrote together counts twice for the papers of both.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> written = csr_array([[1, 0], [1, 1], [0, 1]])
    >>> past, new = of_their_other_papers(written, csr_array([[1, 1]]), np.array([[1.0], [10.0], [100.0]]))
    >>> past.ravel().tolist(), new.ravel().tolist()
    ([10.0, 101.0, 10.0], [121.0])
    """
    totals = written.T @ values
    n_authors = np.asarray(written.sum(axis=1)).reshape(-1, 1)
    past = _dense(written @ totals) - _dense(values) * n_authors
    return past, _dense(written_new @ totals)


def _dense(values: Any) -> Table:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)
