"""What the words that editors said teach: by report, which papers are relevant, and which tell nothing."""

import datetime
from collections import defaultdict
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Select, case, select

from data.learning.plain_rows import plain_rows
from data.records import Positions, Rows
from data.tables import DecisionRow, IssueRow, ListingRow, ReportIssueRow, ReportRow
from data.tables.positions import unpacked

TAKEN_BACK, YES, MAYBE, NO = range(4)
NUMBERS = {"yes": YES, "maybe": MAYBE, "no": NO}


class _Finished(NamedTuple):
    """A report issue that went out: the papers in the issue then, and the packed list positions of those unread.

    They tell nothing only where reading stopped early.
    """

    n_papers: int
    unread: bytes
    ended: str

    def unseen(self, n_papers: int) -> Positions:
        """Return the list positions, from 1, of papers that teach nothing, or that came later; `n_papers` are now."""
        later = np.arange(self.n_papers + 1, n_papers + 1, dtype=np.int32)
        return np.concatenate([unpacked(self.unread), later]) if self.ended == "early" else later


class _Decided(NamedTuple):
    """The newest word of each report on each paper of an issue, by report and row: a column each."""

    reports: NDArray[np.int64]
    rows: Rows
    words: NDArray[np.int64]


def read_taught(
    connection: Connection, through: datetime.date, issues: list[int], starts: Rows
) -> tuple[dict[str, Rows], dict[str, Rows]]:
    """Read what every report that decided on a paper found relevant, and what teaches it nothing.

    Parameters
    ----------
    through : date
        Of the last issue.
    issues : list of int, length n_issues
        Their numbers, oldest first.
    starts : array of shape (n_issues + 1,)
        Rows of their first papers.

    Returns
    -------
    relevant, maybe : dict from code to array of rows
        As `History` has them.
    """
    decided = _decided(connection, through)
    n = max(len(issues), 1)
    pairs, firsts, pair_of = np.unique(
        decided.reports * n + np.searchsorted(starts, decided.rows, side="right") - 1,
        return_index=True,
        return_inverse=True,
    )
    finished = _finished(connection)
    is_finished = np.zeros(len(pairs), dtype=bool)
    silent: defaultdict[int, list[Rows]] = defaultdict(list)  # by report, rows on which it said nothing
    bounds = pairwise([*firsts.tolist(), len(decided.rows)])
    for number, (pair, (first, end)) in enumerate(zip(pairs.tolist(), bounds, strict=True)):
        report, issue = divmod(pair, n)
        gone_out = finished.get((report, issues[issue]))
        is_finished[number] = gone_out is not None
        listed = range(int(starts[issue]), int(starts[issue + 1]))
        silent[report] += _silent(gone_out, listed, decided.rows[first:end], decided.words[first:end])
    is_unsure = (decided.words == MAYBE) & is_finished[pair_of]
    codes = dict(connection.execute(select(ReportRow.id, ReportRow.code)).all())
    relevant, maybe = {}, {}
    for report in sorted(silent, key=lambda report: codes[report]):
        of_report = slice(*np.searchsorted(decided.reports, [report, report + 1]))
        rows = decided.rows[of_report]
        relevant[codes[report]] = rows[decided.words[of_report] == YES].astype(np.intp)
        teach_nothing = np.concatenate([rows[is_unsure[of_report]], *silent[report]])
        maybe[codes[report]] = np.sort(teach_nothing).astype(np.intp)
    return relevant, maybe


def _silent(gone_out: _Finished | None, listed: range, rows: Rows, words: NDArray[np.int64]) -> list[Rows]:
    """Return the rows of a report issue on which nothing stands that teaches, if there are any."""
    if gone_out is None:
        if not (words == YES).any():
            return []
        return [np.setdiff1d(np.arange(listed.start, listed.stop), rows[(words == YES) | (words == NO)])]
    if gone_out.ended != "early" and gone_out.n_papers >= len(listed):
        return []  # of most
    return [np.setdiff1d(listed.start - 1 + gone_out.unseen(len(listed)), rows[words != TAKEN_BACK])]


def _decided(connection: Connection, through: datetime.date) -> _Decided:
    listed = _columns(
        connection,
        select(ListingRow.issue_id, ListingRow.paper_id)
        .join(IssueRow, IssueRow.id == ListingRow.issue_id)
        .where(IssueRow.date <= through)
        .order_by(IssueRow.date, ListingRow.position),
    )
    word = case(NUMBERS, value=DecisionRow.word, else_=TAKEN_BACK)
    reports, issues, papers, words = _columns(
        connection,
        select(DecisionRow.report_id, DecisionRow.issue_id, DecisionRow.paper_id, word)
        .where(DecisionRow.about == "relevant")
        .order_by(DecisionRow.id.desc()),  # the newest on a paper comes first, and stands
    )
    keys, wanted = (one << 32 | other for one, other in (listed, (issues, papers)))
    order = np.argsort(keys)
    at = np.searchsorted(keys, wanted, sorter=order)
    is_listed = at < len(keys)
    is_listed[is_listed] = keys[order[at[is_listed]]] == wanted[is_listed]  # others are of later issues
    rows = order[at[is_listed]]
    reports, words = reports[is_listed], words[is_listed]
    _, newest = np.unique(reports * max(len(keys), 1) + rows, return_index=True)
    return _Decided(reports[newest], rows[newest], words[newest])


def _columns(connection: Connection, query: Select[*tuple[int, ...]]) -> NDArray[np.int64]:
    """Read whole numbers, an array a column."""
    n_columns = len(query.selected_columns)
    numbers = np.fromiter(chain.from_iterable(plain_rows(connection, query)), np.int64)
    return np.ascontiguousarray(numbers.reshape(-1, n_columns).T)


def _finished(connection: Connection) -> dict[tuple[int, int], _Finished]:
    """Read, by report and issue, what went out."""
    gone_out = ReportIssueRow
    rows = plain_rows(
        connection,
        select(gone_out.report_id, gone_out.issue_id, gone_out.n_papers, gone_out.unread, gone_out.ended),
    )
    return {(report, issue): _Finished(n, unread, ended) for report, issue, n, unread, ended in rows}
