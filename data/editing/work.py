"""Read data on reading effort: published lists, the last relevant paper in list order, and working time."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import ColumnElement, String, func, select, true, type_coerce, union

from presort.data.editing.decisions import minutes_between
from presort.data.learning.rankings import ORDER_READ
from presort.data.records import Positions
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import (
    CurrentDecisionsRow,
    DecisionRow,
    FirstPublicationRow,
    IssueRow,
    RankingRow,
    ReportIssueRow,
    ReportRow,
    SkippedIssueRow,
)
from presort.data.tables.positions import unpack

ReportIssueKey = tuple[str, date]


@dataclass(frozen=True, eq=False, slots=True)
class DeskWork:
    """Ranked list for a report issue that was published at the desk.

    Attributes
    ----------
    report, issue, ranker
        Report code, issue date, and name of the ranker that produced the list.
    n_papers : int
        Number of papers in the issue when it was published.
    order : array of shape (n_ranked,)
        1-based list positions in the order of the editor's list.
    stop_at : int or None
        Stop point that the stop advice gave, as a position in `order`. None if there was no stop advice.
    relevant : array of shape (n_relevant,)
        1-based list positions of the relevant papers, in ascending order.
    """

    report: str
    issue: date
    ranker: str
    n_papers: int
    order: Positions
    stop_at: int | None
    relevant: Positions


def last_in_list(store: Store, since: date) -> dict[ReportIssueKey, int]:
    """Return the list position of the last relevant paper in each report issue since a date.

    Only published report issues that have relevant papers are included.
    """
    query = (
        select(ReportRow.code, IssueRow.date, CurrentDecisionsRow.relevant)
        .join(CurrentDecisionsRow, CurrentDecisionsRow.report_id == ReportRow.id)
        .join(IssueRow, IssueRow.id == CurrentDecisionsRow.issue_id)
        .join(
            ReportIssueRow,
            (ReportIssueRow.report_id == CurrentDecisionsRow.report_id)
            & (ReportIssueRow.issue_id == CurrentDecisionsRow.issue_id),
        )
        .where(*_conditions(CurrentDecisionsRow, since), func.length(CurrentDecisionsRow.relevant) > 0)
        .order_by(ReportRow.code, IssueRow.date)
    )
    with store.reading() as connection:
        return {(report, issue): int(unpack(found)[-1]) for report, issue, found in connection.execute(query)}


def decided_issues(store: Store) -> dict[str, list[date]]:
    """Return each report's issues that have decisions or were skipped or published, oldest first."""
    skip = SkippedIssueRow
    newest = select(func.max(skip.id)).group_by(skip.report_id, skip.issue_id)
    skipped = select(skip.report_id, skip.issue_id).where(skip.id.in_(newest), ~skip.is_taken_back)
    logged = [select(log.report_id, log.issue_id).distinct() for log in (CurrentDecisionsRow, ReportIssueRow)]
    both = union(*logged, skipped).subquery()
    query = (
        select(ReportRow.code, IssueRow.date)
        .join(both, both.c.report_id == ReportRow.id)
        .join(IssueRow, IssueRow.id == both.c.issue_id)
        .order_by(ReportRow.code, IssueRow.date)
    )
    found: dict[str, list[date]] = {}
    with store.reading() as connection:
        for report, issue in connection.execute(query):
            found.setdefault(report, []).append(issue)
    return found


def desk_work(store: Store, since: date, reports: Sequence[str] = ()) -> list[DeskWork]:
    """Return the ranked lists of report issues published at the desk, for issues since a date, sorted by report.

    Each list has the order that the editor saw at the first publication. `reports` defaults to all reports.
    """
    first, current = FirstPublicationRow, CurrentDecisionsRow
    of_both = (ReportIssueRow.report_id == first.report_id) & (ReportIssueRow.issue_id == first.issue_id)
    query = (
        select(ReportRow.code, IssueRow.date, RankingRow.ranker, ReportIssueRow.n_papers)
        .add_columns(ORDER_READ, ReportIssueRow.stop_at, current.relevant)
        .join(first, first.ranking_id == RankingRow.id)
        .join(ReportIssueRow, of_both)
        .outerjoin(current, (current.report_id == first.report_id) & (current.issue_id == first.issue_id))
        .join(ReportRow, ReportRow.id == ReportIssueRow.report_id)
        .join(IssueRow, IssueRow.id == ReportIssueRow.issue_id)
        .where(*_conditions(ReportIssueRow, since, reports), func.length(RankingRow.scores) > 0)
        .order_by(ReportRow.code, IssueRow.date)
    )
    with store.reading(*_right(reports)) as connection:
        return [
            DeskWork(report, issue, ranker, n_papers, unpack(order), stop_at, unpack(relevant or b""))
            for report, issue, ranker, n_papers, order, stop_at, relevant in connection.execute(query)
        ]


def minutes_at_desk(store: Store, since: date, reports: Sequence[str] = ()) -> dict[ReportIssueKey, float]:
    """Return the minutes spent on each published report issue with a ranking, for issues since a date.

    `reports` defaults to all reports. See `data.editing.decisions.minutes_spent` for how the time is estimated.
    """
    first, out = FirstPublicationRow, ReportIssueRow
    query = (
        select(ReportRow.code, IssueRow.date, DecisionRow.person_id, type_coerce(DecisionRow.made_at, String))
        .join(out, (out.report_id == DecisionRow.report_id) & (out.issue_id == DecisionRow.issue_id))
        .join(first, (first.report_id == out.report_id) & (first.issue_id == out.issue_id))
        .join(ReportRow, ReportRow.id == DecisionRow.report_id)
        .join(IssueRow, IssueRow.id == DecisionRow.issue_id)
        .where(*_conditions(DecisionRow, since, reports), DecisionRow.source != "file", first.ranking_id.is_not(None))
    )
    times: defaultdict[tuple[str, date, int], list[datetime]] = defaultdict(list)
    with store.reading(*_right(reports)) as connection:
        for report, issue, person, made_at in connection.execute(query):
            times[report, issue, person].append(datetime.fromisoformat(made_at))
    spent: defaultdict[ReportIssueKey, float] = defaultdict(float)
    for (report, issue, _), of_person in times.items():
        spent[report, issue] += minutes_between(of_person)
    return dict(spent)


def _right(reports: Sequence[str]) -> tuple[Right, *tuple[str, ...]]:
    """Return the access right needed to read these reports' figures. An empty sequence means all reports."""
    return (Right.SEE, *reports) if reports else (Right.MANAGE,)


def _conditions(
    log: type[DecisionRow | CurrentDecisionsRow | ReportIssueRow], since: date, reports: Sequence[str] = ()
) -> Sequence[ColumnElement[bool]]:
    """Return SQL conditions that select the issues since a date and, if `reports` isn't empty, only those reports.

    The conditions use subqueries so that the database can use an index.
    """
    of_reports = select(ReportRow.id).where(ReportRow.code.in_(reports) if reports else true())
    return log.report_id.in_(of_reports), log.issue_id.in_(select(IssueRow.id).where(IssueRow.date >= since))
