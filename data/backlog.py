"""Which issues the reports have yet to finish."""

from collections.abc import Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import Connection, exists, func, select, true
from sqlalchemy.orm import aliased

from data.catalogue import report_id
from data.records import Pending
from data.store import Store
from data.tables import DecisionRow, IssueRow, ListingRow, ReopenedIssueRow, ReportIssueRow, ReportRow


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
    by_report = groupby(unissued, key=lambda one: one.report)
    due = [one for report, group in by_report for one in _due(list(group), newest_issued[report])]
    return [
        Pending(one.report, one.issue, one.n_papers, one.n_decided, one.is_started, (today - one.issue).days)
        for one in sorted(due, key=lambda one: (one.issue, one.report))
    ]


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
