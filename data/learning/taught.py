"""What the words that editors said teach: by report, which papers are relevant, and which tell nothing."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, case, select

from data.learning.listed import Listed
from data.learning.plain_rows import plain_columns, plain_rows
from data.records import Positions, Rows
from data.tables import DecisionRow, ReportIssueRow, ReportRow
from data.tables.positions import unpacked

TAKEN_BACK, YES, MAYBE, NO = range(4)
NUMBERS = {"yes": YES, "maybe": MAYBE, "no": NO}


class _GoneOut(NamedTuple):
    """Report issues, by report and issue: a column each.

    Attributes
    ----------
    pairs : array of shape (n_pairs,)
        Report and issue as one number, ascending.
    is_finished : array of shape (n_pairs,)
        Whether it went out.
    n_papers : array of shape (n_pairs,)
        The papers in the issue then.
    is_early : array of shape (n_pairs,)
        Whether reading stopped early; only then those that were not read tell nothing.
    """

    pairs: NDArray[np.int64]
    is_finished: NDArray[np.bool_]
    n_papers: NDArray[np.int64]
    is_early: NDArray[np.bool_]

    def of(self, pairs: NDArray[np.int64]) -> "_GoneOut":
        """Return what is known of some; the first of all is before any."""
        at = np.searchsorted(self.pairs, pairs, side="right") - 1
        is_finished = self.pairs[at] == pairs
        return _GoneOut(pairs, is_finished, self.n_papers[at], self.is_early[at] & is_finished)


class _Decided(NamedTuple):
    """The newest word of each report on each paper of an issue, by report and row: a column each."""

    reports: NDArray[np.int64]
    rows: Rows
    words: NDArray[np.int64]


def read_taught(connection: Connection, listed: Listed) -> tuple[dict[str, Rows], dict[str, Rows]]:
    """Read what every report that decided on a paper found relevant, and what teaches it nothing.

    Returns
    -------
    relevant, maybe : dict from code to array of rows
        As `History` has them.
    """
    decided = _decided(connection, listed)
    issue_of = np.searchsorted(listed.starts, decided.rows, side="right") - 1
    pairs, firsts, pair_of = np.unique(
        decided.reports * max(len(listed.issues), 1) + issue_of, return_index=True, return_inverse=True
    )
    gone_out = _gone_out(connection, listed).of(pairs)
    silent = _silent(decided, gone_out, np.append(firsts, len(decided.rows)), pair_of, listed, _unread(connection))
    is_unsure = (decided.words == MAYBE) & gone_out.is_finished[pair_of]
    codes = dict(connection.execute(select(ReportRow.id, ReportRow.code)).all())
    relevant, maybe = {}, {}
    for report in sorted(np.unique(decided.reports).tolist(), key=lambda report: codes[report]):
        of_report = slice(*np.searchsorted(decided.reports, [report, report + 1]))
        rows = decided.rows[of_report]
        relevant[codes[report]] = rows[decided.words[of_report] == YES].astype(np.intp)
        teach_nothing = np.concatenate([rows[is_unsure[of_report]], *silent[report]])
        maybe[codes[report]] = np.sort(teach_nothing).astype(np.intp)
    return relevant, maybe


def _silent(
    decided: _Decided,
    gone_out: _GoneOut,
    bounds: NDArray[np.intp],
    pair_of: NDArray[np.intp],
    listed: Listed,
    unread: Mapping[tuple[int, int], Positions],
) -> defaultdict[int, list[Rows]]:
    """Return, by report, the rows on which nothing stands that teaches; of most report issues there are none."""
    n = max(len(listed.issues), 1)
    has_yes = np.bincount(pair_of, decided.words == YES, len(gone_out.pairs)) > 0
    has_more = gone_out.n_papers < np.diff(listed.starts)[gone_out.pairs % n]
    found: defaultdict[int, list[Rows]] = defaultdict(list)
    for number in np.flatnonzero(np.where(gone_out.is_finished, gone_out.is_early | has_more, has_yes)).tolist():
        report, issue = divmod(int(gone_out.pairs[number]), n)
        of_pair = slice(bounds[number], bounds[number + 1])
        rows, words = decided.rows[of_pair], decided.words[of_pair]
        start, end = listed.starts[issue : issue + 2]
        if not gone_out.is_finished[number]:
            found[report].append(np.setdiff1d(np.arange(start, end), rows[(words == YES) | (words == NO)]))
            continue
        nothing = [np.arange(start + gone_out.n_papers[number], end)]  # what came into the issue later
        if gone_out.is_early[number]:
            nothing.append(start - 1 + unread[report, int(listed.issues[issue])])
        found[report].append(np.setdiff1d(np.concatenate(nothing), rows[words != TAKEN_BACK]))
    return found


def _decided(connection: Connection, listed: Listed) -> _Decided:
    word = case(NUMBERS, value=DecisionRow.word, else_=TAKEN_BACK)
    reports, issues, papers, words = plain_columns(
        connection,
        select(DecisionRow.report_id, DecisionRow.issue_id, DecisionRow.paper_id, word)
        .where(DecisionRow.about == "relevant")
        .order_by(DecisionRow.id.desc()),  # the newest on a paper comes first, and stands
    )
    keys, wanted = (one << 32 | other for one, other in ((listed.issue_of, listed.papers), (issues, papers)))
    order = np.argsort(keys)
    at = np.searchsorted(keys, wanted, sorter=order)
    is_listed = at < len(keys)
    is_listed[is_listed] = keys[order[at[is_listed]]] == wanted[is_listed]  # others are of later issues
    rows = order[at[is_listed]]
    reports, words = reports[is_listed], words[is_listed]
    _, newest = np.unique(reports * max(len(keys), 1) + rows, return_index=True)
    return _Decided(reports[newest], rows[newest], words[newest])


def _gone_out(connection: Connection, listed: Listed) -> _GoneOut:
    """Read what went out of the issues."""
    out = ReportIssueRow
    is_early = case((out.ended == "early", 1), else_=0)
    query = select(out.report_id, out.issue_id, out.n_papers, is_early).order_by(out.report_id, out.issue_id)
    reports, issues, n_papers, early = plain_columns(connection, query)
    order = np.argsort(listed.issues)
    place = np.searchsorted(listed.issues, issues, sorter=order)
    is_listed = np.isin(issues, listed.issues)
    pairs = reports[is_listed] * max(len(order), 1) + order[place[is_listed]]
    by_pair = np.argsort(pairs)
    columns = (column[is_listed][by_pair] for column in (n_papers, early == 1))
    before_any = (np.insert(column, 0, 0) for column in columns)
    return _GoneOut(np.insert(pairs[by_pair], 0, -1), np.ones(len(pairs) + 1, dtype=bool), *before_any)


def _unread(connection: Connection) -> dict[tuple[int, int], Positions]:
    """Read, by report and issue, the list positions of what was not read where reading stopped early."""
    out = ReportIssueRow
    query = select(out.report_id, out.issue_id, out.unread).where(out.ended == "early")
    rows = plain_rows(connection, query.order_by(out.report_id, out.issue_id))
    return {(report, issue): unpacked(cell) for report, issue, cell in rows}
