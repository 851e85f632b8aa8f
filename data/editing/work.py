"""What reading took: where the relevant papers stood as received, how far editors decided, and in how many minutes."""

from dataclasses import dataclass
from datetime import date

import pandas as pd
from sqlalchemy import String, func, select, type_coerce, union

from data.editing.log import LONGEST_PAUSE
from data.records import Positions
from data.store import Store
from data.tables import (
    DecisionRow,
    IssueRow,
    JudgedIssueRow,
    RankingRow,
    ReportIssueRow,
    ReportRow,
    SkippedIssueRow,
)
from data.tables.positions import unpacked

ReportIssueKey = tuple[str, date]


@dataclass(frozen=True, eq=False, slots=True)
class DeskWork:
    """The sorted list of a report issue that went out at the desk.

    Attributes
    ----------
    report, issue, ranker
        What was read, and what sorted it.
    n_papers : int
        In the issue when it went out.
    order : array of shape (n_ranked,)
        List positions, from 1, as the editor saw them.
    stop_at : int or None
        Place down to which the editor was told to read; None where nothing told it.
    """

    report: str
    issue: date
    ranker: str
    n_papers: int
    order: Positions
    stop_at: int | None


def last_in_list(store: Store) -> dict[ReportIssueKey, int]:
    """Return, by report and issue that has gone out, the place of the last relevant paper in the order received."""
    query = (
        select(ReportRow.code, IssueRow.date, JudgedIssueRow.relevant)
        .join(JudgedIssueRow, JudgedIssueRow.report_id == ReportRow.id)
        .join(IssueRow, IssueRow.id == JudgedIssueRow.issue_id)
        .join(
            ReportIssueRow,
            (ReportIssueRow.report_id == JudgedIssueRow.report_id)
            & (ReportIssueRow.issue_id == JudgedIssueRow.issue_id),
        )
        .where(func.length(JudgedIssueRow.relevant) > 0)
        .order_by(ReportRow.code, IssueRow.date)
    )
    with store.reading() as connection:
        return {(report, issue): int(unpacked(found)[-1]) for report, issue, found in connection.execute(query)}


def decided_issues(store: Store) -> dict[str, list[date]]:
    """Return, by report, the issues that it decided on, skipped or issued, be it with nothing in it; oldest first."""
    logs = (JudgedIssueRow, ReportIssueRow, SkippedIssueRow)
    logged = [select(log.report_id, log.issue_id).distinct() for log in logs]
    both = union(*logged).subquery()
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


def desk_work(store: Store, since: date) -> list[DeskWork]:
    """Return the sorted lists of report issues that went out at the desk, of issues from a date on, by report."""
    query = (
        select(ReportRow.code, IssueRow.date, RankingRow.ranker, ReportIssueRow.n_papers)
        .add_columns(RankingRow.positions, ReportIssueRow.stop_at)
        .join(ReportIssueRow, ReportIssueRow.ranking_id == RankingRow.id)
        .join(ReportRow, ReportRow.id == ReportIssueRow.report_id)
        .join(IssueRow, IssueRow.id == ReportIssueRow.issue_id)
        .where(IssueRow.date >= since, func.length(RankingRow.scores) > 0)
        .order_by(ReportRow.code, IssueRow.date)
    )
    with store.reading() as connection:
        return [
            DeskWork(report, issue, ranker, n_papers, unpacked(order), stop_at)
            for report, issue, ranker, n_papers, order, stop_at in connection.execute(query)
        ]


def minutes_at_desk(store: Store, since: date) -> dict[ReportIssueKey, float]:
    """Return `data.editing.log.minutes_spent` of every issue from a date on that was read in a sorted list."""
    at_desk = (
        select(ReportIssueRow.report_id, ReportIssueRow.issue_id)
        .join(IssueRow, IssueRow.id == ReportIssueRow.issue_id)
        .where(ReportIssueRow.ranking_id.is_not(None), IssueRow.date >= since)
        .subquery()
    )
    query = (
        select(
            ReportRow.code.label("report"),
            IssueRow.date.label("issue"),
            DecisionRow.person_id.label("person"),
            type_coerce(DecisionRow.made_at, String).label("made_at"),
        )
        .join(at_desk, (at_desk.c.report_id == DecisionRow.report_id) & (at_desk.c.issue_id == DecisionRow.issue_id))
        .join(ReportRow, ReportRow.id == DecisionRow.report_id)
        .join(IssueRow, IssueRow.id == DecisionRow.issue_id)
        .where(DecisionRow.source != "file")
    )
    with store.reading() as connection:
        rows = connection.execute(query)
        times = pd.DataFrame(list(rows), columns=list(rows.keys()))
    times["made_at"] = pd.to_datetime(times["made_at"], format="ISO8601", utc=True)
    times = times.sort_values("made_at", kind="stable")
    pauses = times.groupby(["report", "issue", "person"])["made_at"].diff().dt.total_seconds()
    counted = pauses.clip(upper=LONGEST_PAUSE.total_seconds()).fillna(0)
    spent = counted.groupby([times["report"], times["issue"]]).sum() / 60
    return {(report, issue): minutes for (report, issue), minutes in spent.items()}
