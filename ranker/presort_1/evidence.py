"""What the network sees of a paper beside the margins: its topics, and the record of its authors."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from presort.data.records import Rows
from presort.ranker.presort_1.authors import of_their_other_papers, of_their_papers
from presort.ranker.presort_1.laid_out import LaidOut
from presort.ranker.presort_1.topics import of_length_1
from presort.ranker.recipe import NO_WORD, Labels, Table, n_said

LENGTH = np.sqrt(20.0)  # of a paper's topic vector: inputs of the network then are of about one size
ALL = slice(None)
EXPECTED_PAPERS = 2.0  # with which an author's record starts, at the report's mean


def evidence_of_past(topics: Table, written: Any, y: Labels, papers: Rows, rows: Rows | slice = ALL) -> Table:
    """Return what past papers show, each seen as if it were new, shape (n_rows, n_inputs), in single precision.

    Parameters
    ----------
    topics : array of shape (n_past, n_topics)
    written : sparse array of shape (n_past, n_authors)
        1 where the author wrote the paper.
    y : array of shape (n_past, n_reports)
        1 for relevant, 0 for not, -1 where the report says nothing.
    papers : array of shape (n_past,)
        Number of the paper that stands in each row, from 0; one that was listed twice tells nothing of itself either.
    rows : array of shape (n_rows,), optional
        The past papers that are asked about; all unless told.
    """
    sums = [of_their_other_papers(written, values, papers, rows) for values in _values(topics, y)]
    return _columns(topics[rows], sums, written[rows], y)


def evidence_of_new(
    new_topics: Table, written_new: Any, past_topics: Table | LaidOut, written: Any, y: Labels
) -> Table:
    """Return what new papers show, shape (n_new, n_inputs).

    The other arguments are those of `evidence_of_past`; `written` is a CSR array. Few rows of the topics are read.
    """
    rows = np.flatnonzero(np.diff(written.indptr))  # the papers of these authors, a few of all
    sums = [of_their_papers(written_new, written[rows], values) for values in _values(past_topics[rows], y[rows])]
    return _columns(new_topics, sums, written_new, y)


def _values(topics: Table, y: Labels) -> list[Any]:
    is_relevant = csr_array(y == 1, dtype=np.float64)
    is_decided = (y != NO_WORD).astype(np.float64)  # mostly 1: not sparse
    return [topics, is_relevant, is_decided, np.ones((len(y), 1))]


def _columns(topics: Table, sums: list[Table], written: Any, y: Labels) -> Table:
    profiles, n_relevant, n_decided, n_papers = sums
    n_said_no, n_said_yes = n_said(y)
    usual = (n_said_yes + 1e-6) / (n_said_no + n_said_yes + 1e-6)
    record = np.log((n_relevant + EXPECTED_PAPERS * usual) / (n_decided + EXPECTED_PAPERS) / usual)
    n_authors = np.asarray(written.sum(axis=1)).ravel()
    columns = [LENGTH * topics, LENGTH * of_length_1(profiles), record, np.log1p(n_papers), np.log1p(n_authors)]
    return np.column_stack([column.astype(np.float32) for column in columns])
