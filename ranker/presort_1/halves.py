"""Papers in two halves, so that a past paper can be judged by a machine that never saw it."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from presort.data.records import Rows
from presort.ranker.recipe import Labels


def halves(y: Labels, papers: Rows) -> NDArray[np.int8]:
    """Return the half, 0 or 1, of each row, with half of the relevant papers of each report in either.

    The rarest report is placed first. All rows of a paper that was listed more than once are in one half: a machine
    that saw one of them knows the paper.

    Parameters
    ----------
    y : array of shape (n_rows, n_reports)
        1 for relevant, 0 for not, -1 where the report says nothing.
    papers : array of shape (n_rows,)
        Number of the paper that stands in each row, from 0 and by first appearance.

    Examples
    --------
    >>> found = halves(np.array([[1], [1], [1], [1]], dtype=np.int8), np.array([0, 1, 1, 0]))
    >>> bool(found[0] == found[3] != found[1] == found[2])
    True
    """
    is_relevant = rows_by_paper(papers).T @ (y == 1).astype(np.int32) > 0
    found = np.random.default_rng(0).integers(0, 2, len(is_relevant)).astype(np.int8)
    is_placed = np.zeros(len(is_relevant), dtype=bool)
    for report in np.argsort(is_relevant.sum(axis=0), kind="stable"):
        relevant = is_relevant[:, report]
        surplus = int((1 - 2 * found[relevant & is_placed].astype(int)).sum())  # of half 0
        left = np.flatnonzero(relevant & ~is_placed)
        place = (np.arange(len(left)) - abs(surplus)) % 2
        place[: abs(surplus)] = surplus > 0
        found[left] = place
        is_placed[left] = True
    return found[papers]


def rows_by_paper(papers: Rows) -> csr_array:
    """Return which paper stands in which row: 1 where it does, shape (n_rows, n_papers)."""
    n_papers = int(papers.max(initial=-1)) + 1
    ones = np.ones(len(papers), dtype=np.int32)
    return csr_array((ones, papers, np.arange(len(papers) + 1)), shape=(len(papers), n_papers))
