"""Network inputs other than margins: a paper's topics, and its authors' record (past papers' topics and decisions)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd

from presort.data.records import Rows, TokenLists
from presort.ranker.recipe import NO_WORD, Labels, Table, label_counts
from presort.ranker.stacked.cross_fit import rows_by_paper

ALL = slice(None)


def authorship_matrix(lists: TokenLists, authors: NDArray[np.int32]) -> csr_array:
    """Return the authorship matrix, shape (n_papers, n_authors), which is 1 if the author wrote the paper.

    Parameters
    ----------
    lists : TokenLists
        Author numbers of each paper.
    authors : array of shape (n_authors,)
        Numbers of the authors to include, in ascending order.
    """
    rows = np.repeat(np.arange(len(lists)), np.diff(lists.starts))
    is_wanted = np.isin(lists.values, authors)
    columns = np.searchsorted(authors, lists.values[is_wanted])
    written = csr_array((np.ones(len(columns)), (rows[is_wanted], columns)), shape=(len(lists), len(authors)))
    written.data[:] = 1  # an author may be listed twice on a paper
    return written


def sum_over_papers_of_authors(written_new: Any, written: Any, values: Any) -> Table:
    """For each new paper, sum values over its authors' past papers.

    Parameters
    ----------
    written_new, written : sparse arrays of shape (n_new, n_authors) and (n_past, n_authors)
        Authorship matrices: 1 if the author wrote the paper.
    values : array or sparse array of shape (n_past, n_values)
        Values of each past paper.

    Returns
    -------
    array of shape (n_new, n_values)
        Sums. A past paper is included once for each author that it shares with the new paper.

    Examples
    --------
    >>> written = csr_array([[1, 0], [1, 1], [0, 1]])
    >>> sum_over_papers_of_authors(csr_array([[1, 1]]), written, np.array([[1.0], [10.0], [100.0]])).tolist()
    [[121.0]]
    """
    sums: Table = _dense(written_new @ (written.T @ values))
    return sums


def sum_over_other_papers_of_authors(written: Any, values: Any, papers: Rows, rows: Rows | slice = ALL) -> Table:
    """For each past paper, sum values over its authors' other papers. All rows of the paper itself are excluded.

    Parameters
    ----------
    written : sparse array of shape (n_past, n_authors)
        Authorship matrix: 1 if the author wrote the paper. All rows that belong to the same paper are equal.
    values : array or sparse array of shape (n_past, n_values)
        Values of each past paper.
    papers : array of shape (n_past,)
        Number of the paper in each row, from 0. A paper that was listed in two issues has two rows.
    rows : array of shape (n_rows,), optional
        Rows to compute. Defaults to all.

    Examples
    --------
    >>> written = csr_array([[1, 0], [1, 1], [0, 1], [1, 0]])
    >>> values = np.array([[1.0], [10.0], [100.0], [1000.0]])
    >>> sum_over_other_papers_of_authors(written, values, np.array([0, 1, 2, 0])).tolist()
    [[10.0], [1101.0], [10.0], [10.0]]
    """
    of_rows = written[rows]
    n_authors = np.asarray(of_rows.sum(axis=1)).reshape(-1, 1)
    in_rows = rows_by_paper(papers)
    own = _dense((in_rows[rows] @ in_rows.T) @ values)
    sums: Table = sum_over_papers_of_authors(of_rows, written, values) - own * n_authors
    return sums


def _dense(values: Any) -> Table:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)


N_TOPICS = 64
N_PAPERS = 25_000  # number of newest papers from which topics are learned
N_TERMS = 20_000  # number of most frequent terms from which topics are computed


@dataclass(frozen=True, eq=False)
class Topics:
    """Topics of papers: the leading singular vectors of the past papers' term matrix.

    Attributes
    ----------
    terms : array of shape (n_terms,)
        Columns of the terms from which topics are computed, in ascending order.
    directions : array of shape (n_terms, n_topics)
        Singular vectors.
    """

    terms: NDArray[np.intp]
    directions: NDArray[np.float32]

    def of(self, X: Any) -> Table:
        """Return the papers' topics, shape (n_papers, n_topics). Each row is normalised to length 1."""
        return normalise_rows(X[:, self.terms].astype(np.float64) @ self.directions.astype(np.float64))


def learn_topics(X: Any) -> Topics:
    """Learn topics from the past papers' term matrix, a CSR array of shape (n_papers, n_terms)."""
    X = X[-N_PAPERS:]
    terms = widespread_terms(X, N_TERMS)
    X = X[:, terms].astype(np.float64)
    n_topics = min(N_TOPICS, *X.shape)
    *_, directions = randomized_svd(X, n_topics, n_iter=2, power_iteration_normalizer="QR", random_state=0)
    return Topics(terms, directions.T.astype(np.float32))


def widespread_terms(X: Any, n_terms: int) -> NDArray[np.intp]:
    """Return the columns of the `n_terms` terms with the highest document frequency, in ascending order.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> widespread_terms(csr_array([[1, 0, 1], [0, 0, 1], [1, 1, 0]]), 2).tolist()
    [0, 2]
    """
    spread = np.bincount(X.indices, minlength=X.shape[1])
    return np.sort(np.argsort(-spread, kind="stable")[:n_terms])


def normalise_rows(rows: Table) -> Table:
    """Normalise rows to length 1. Rows near 0 stay near 0."""
    scaled: Table = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-6)
    return scaled


Numbers = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class JoinedRows:
    """Interleaved rows of two tables, shape (n_rows, n_columns), without copies of the tables.

    Attributes
    ----------
    kept, more : arrays of shape (n_kept, n_columns) and (n_more, n_columns)
        The two tables.
    places : array of shape (n_rows,)
        Index of each row in the concatenation of `kept` and `more`.
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


def join_rows(kept: Numbers, rows: Rows, more: Numbers, others: Rows) -> JoinedRows:
    """Interleave two tables without copying them.

    The rows of `kept` get the row numbers `rows` in the result, and the rows of `more` get the row numbers `others`.
    Every row number must occur exactly once.

    Examples
    --------
    >>> table = join_rows(np.ones((2, 1)), np.array([0, 2]), np.zeros((1, 1)), np.array([1]))
    >>> table[np.array([2, 1, 1])].tolist(), np.asarray(table).tolist()
    ([[1.0], [0.0], [0.0]], [[1.0], [0.0], [1.0]])
    """
    places = np.empty(len(rows) + len(others), dtype=np.intp)
    places[rows], places[others] = np.arange(len(rows)), len(rows) + np.arange(len(others))
    return JoinedRows(kept, more, places)


LENGTH = np.sqrt(20.0)  # length of a paper's topic vector, so that all network inputs have a similar scale
ALL = slice(None)
# Number of pseudo-papers that are added to each author's record to smooth it. Their share of relevant papers is that of
# the whole report.
EXPECTED_PAPERS = 2.0


def past_features(topics: Table, written: Any, y: Labels, papers: Rows, rows: Rows | slice = ALL) -> Table:
    """Return the features of past papers, shape (n_rows, n_inputs), in single precision.

    The decisions on a paper are excluded from its features, as if the paper were new.

    Parameters
    ----------
    topics : array of shape (n_past, n_topics)
        Topics of the past papers.
    written : sparse array of shape (n_past, n_authors)
        Authorship matrix: 1 if the author wrote the paper.
    y : array of shape (n_past, n_reports)
        Labels: 1 for relevant, 0 for not relevant, -1 for no decision.
    papers : array of shape (n_past,)
        Number of the paper in each row, from 0. A paper that was listed in two issues has two rows.
    rows : array of shape (n_rows,), optional
        Rows to compute. Defaults to all.
    """
    sums = [sum_over_other_papers_of_authors(written, values, papers, rows) for values in _values(topics, y)]
    return _columns(topics[rows], sums, written[rows], y)


def new_features(
    new_topics: Table, written_new: Any, past_topics: Table | JoinedRows, written: Any, y: Labels
) -> Table:
    """Return the features of new papers, shape (n_new, n_inputs).

    Parameters
    ----------
    new_topics : array of shape (n_new, n_topics)
        Topics of the new papers.
    written_new : sparse array of shape (n_new, n_authors)
        Authorship matrix of the new papers.
    past_topics : array of shape (n_past, n_topics), or JoinedRows
        Topics of the past papers.
    written : CSR array of shape (n_past, n_authors)
        Authorship matrix of the past papers.
    y : array of shape (n_past, n_reports)
        Labels of the past papers, as in `past_features`.
    """
    rows = np.flatnonzero(np.diff(written.indptr))  # use only papers by these authors, which are few
    sums = [
        sum_over_papers_of_authors(written_new, written[rows], values) for values in _values(past_topics[rows], y[rows])
    ]
    return _columns(new_topics, sums, written_new, y)


def _values(topics: Table, y: Labels) -> list[Any]:
    is_relevant = csr_array(y == 1, dtype=np.float64)
    is_decided = (y != NO_WORD).astype(np.float64)  # dense, because most values are 1
    return [topics, is_relevant, is_decided, np.ones((len(y), 1))]


def _columns(topics: Table, sums: list[Table], written: Any, y: Labels) -> Table:
    profiles, n_relevant, n_decided, n_papers = sums
    n_label_irrelevant, n_label_relevant = label_counts(y)
    usual = (n_label_relevant + 1e-6) / (n_label_irrelevant + n_label_relevant + 1e-6)
    record = np.log((n_relevant + EXPECTED_PAPERS * usual) / (n_decided + EXPECTED_PAPERS) / usual)
    n_authors = np.asarray(written.sum(axis=1)).ravel()
    columns = [LENGTH * topics, LENGTH * normalise_rows(profiles), record, np.log1p(n_papers), np.log1p(n_authors)]
    return np.column_stack([column.astype(np.float32) for column in columns])
