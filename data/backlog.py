"""Which issues the reports have yet to finish, and whether these are sorted by all that is known."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection, exists, func, select, true
from sqlalchemy.orm import aliased

from data.catalogue import report_id
from data.history import read_hints
from data.holidays import days_open, holidays
from data.records import Pending
from data.store import Store
from data.tables import DecisionRow, IssueRow, ListingRow, RankingRow, ReopenedIssueRow, ReportIssueRow, ReportRow

POSITION = np.dtype("<i4")


class Unissued(NamedTuple):
    """A report and an issue of which nothing has gone out, or what had gone out was reopened."""

    report: str
    issue: date
    n_papers: int
    n_decided: int
    was_reopened: bool

    @property
    def is_started(self) -> bool:
        """Whether somebody has work in it."""
        return self.n_decided > 0 or self.was_reopened


def pending(store: Store, reports: Sequence[str], *, today: date) -> list[Pending]:
    """Give the issues that reports have yet to finish, oldest first.

    These are the issues after the newest one that the report has issued, and older ones that were started. A report
    that has issued nothing yet begins with the first one it started, or else with the newest: nobody who begins is
    asked to work off the past.

    Parameters
    ----------
    reports : sequence of str
        Codes of reports.
    today : date
        The day to which the age of an issue is counted.

    Raises
    ------
    RefusedError
        If one of the reports is not there.
    """
    with store.reading() as connection:
        newest_issued = _newest_issued(connection)
        for code in reports:
            if code not in newest_issued:
                report_id(connection, code)  # refuses it
        unissued = _unissued(connection, reports)
    off = holidays(store)
    by_report = groupby(unissued, key=lambda one: one.report)
    due = [one for report, group in by_report for one in _due(list(group), newest_issued[report])]
    found = []
    for one in sorted(due, key=lambda one: (one.issue, one.report)):
        old = (today - one.issue).days
        days_off = old - days_open(off, one.issue, today) if old > 0 else 0
        found.append(Pending(one.report, one.issue, one.n_papers, one.n_decided, one.is_started, old, days_off))
    return found


def rankers_of(store: Store, issues: Iterable[Pending]) -> dict[tuple[str, date], dict[str, bool]]:
    """Give, by report and issue, the rankers that sorted it for its editor, and whether by all that is known now.

    Not so is what was sorted before a decision on an earlier issue, before a hint, or before a paper joined the issue.
    A report issue that no ranker sorted has an empty entry.
    """
    n_papers = {(one.report, one.issue): one.n_papers for one in issues}
    found: dict[tuple[str, date], dict[str, bool]] = {key: {} for key in n_papers}
    with store.reading() as connection:
        newest = [ranking for ranking in _newest_rankings(connection, n_papers) if ranking[:2] in n_papers]
        decided = _decided_since(connection, min((ranking.decisions_up_to for ranking in newest), default=0))
        told = {report: hints.up_to for report, hints in read_hints(connection).items()}
    for report, issue, ranker, decisions_up_to, hints_up_to, n_ranked in newest:
        last_decision = max((number for day, number in decided.get(report, ()) if day < issue), default=0)
        found[report, issue][ranker] = (
            last_decision <= decisions_up_to
            and hints_up_to == told.get(report, 0)
            and n_ranked == n_papers[report, issue]
        )
    return found


def _due(unissued: Sequence[Unissued], newest_issued: date | None) -> Sequence[Unissued]:
    """Leave out what a report has passed over; `unissued` are all it has not issued, oldest first."""
    if newest_issued is not None:
        return [one for one in unissued if one.issue > newest_issued or one.is_started]
    first = next((number for number, one in enumerate(unissued) if one.is_started), len(unissued) - 1)
    return unissued[first:]


def _newest_issued(connection: Connection) -> dict[str, date | None]:
    """Read the newest issue that each report has issued, None of one that has issued nothing."""
    rows = connection.execute(
        select(ReportRow.code, func.max(IssueRow.date))
        .outerjoin(ReportIssueRow, ReportIssueRow.report_id == ReportRow.id)
        .outerjoin(IssueRow, IssueRow.id == ReportIssueRow.issue_id)
        .group_by(ReportRow.code)
    )
    return dict(rows.all())


def _unissued(connection: Connection, reports: Sequence[str]) -> list[Unissued]:
    """Read what has not gone out, by report and oldest first."""
    sizes = select(ListingRow.issue_id, func.count().label("n")).group_by(ListingRow.issue_id).subquery()
    later = aliased(DecisionRow)
    is_superseded = exists().where(
        later.report_id == DecisionRow.report_id,
        later.issue_id == DecisionRow.issue_id,
        later.paper_id == DecisionRow.paper_id,
        later.about == DecisionRow.about,
        later.id > DecisionRow.id,
    )
    n_decided = select(func.count(DecisionRow.id)).where(
        DecisionRow.report_id == ReportRow.id,
        DecisionRow.issue_id == IssueRow.id,
        DecisionRow.about == "relevant",
        DecisionRow.word != "undecided",
        ~is_superseded,
    )
    was_reopened, is_issued = (
        exists().where(log.report_id == ReportRow.id, log.issue_id == IssueRow.id)
        for log in (ReopenedIssueRow, ReportIssueRow)
    )
    rows = connection.execute(
        select(ReportRow.code, IssueRow.date, sizes.c.n, n_decided.scalar_subquery(), was_reopened)
        .select_from(ReportRow)
        .join(IssueRow, true())
        .join(sizes, sizes.c.issue_id == IssueRow.id)
        .where(ReportRow.code.in_(reports), ~is_issued)
        .order_by(ReportRow.code, IssueRow.date)
    )
    return [Unissued(*row) for row in rows]


class _Newest(NamedTuple):
    """The newest ranking of an issue by a ranker for the editor of a report."""

    report: str
    issue: date
    ranker: str
    decisions_up_to: int
    hints_up_to: int
    n_papers: int


def _newest_rankings(connection: Connection, issues: Mapping[tuple[str, date], object]) -> list[_Newest]:
    """Read those of the reports and of the issues, also where a report and an issue do not go together."""
    reports, days = ({key[part] for key in issues} for part in (0, 1))
    newest = (
        select(func.max(RankingRow.id))
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .where(RankingRow.replay_id.is_(None), ReportRow.code.in_(reports), IssueRow.date.in_(days))
        .group_by(RankingRow.report_id, RankingRow.issue_id, RankingRow.ranker)
    )
    rows = connection.execute(
        select(
            ReportRow.code,
            IssueRow.date,
            RankingRow.ranker,
            RankingRow.decisions_up_to,
            RankingRow.hints_up_to,
            func.length(RankingRow.positions) // POSITION.itemsize,
        )
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .where(RankingRow.id.in_(newest))
        .order_by(RankingRow.id)
    )
    return [_Newest(*row) for row in rows]


def _decided_since(connection: Connection, number: int) -> dict[str, list[tuple[date, int]]]:
    """Read, by report, the issues decided on after the decision of that number in the log, and the newest of each."""
    newest = (  # by numbers of rows: so the index is read through, in a tenth of the time
        select(DecisionRow.report_id, DecisionRow.issue_id, func.max(DecisionRow.id).label("newest"))
        .where(DecisionRow.id > number)
        .group_by(DecisionRow.report_id, DecisionRow.issue_id)
        .subquery()
    )
    rows = connection.execute(
        select(ReportRow.code, IssueRow.date, newest.c.newest)
        .join(newest, newest.c.report_id == ReportRow.id)
        .join(IssueRow, IssueRow.id == newest.c.issue_id)
        .order_by(ReportRow.code, IssueRow.date)
    )
    return {report: [(day, last) for _, day, last in group] for report, group in groupby(rows, key=lambda row: row[0])}
