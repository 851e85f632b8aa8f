"""Record and read the state of the logs at the first publication of each report issue.

Rankings created later may use only log entries from before the first publication. Otherwise, comparing them with the
published list would be unfair.
"""

import sys
from collections.abc import Iterable
from datetime import date
from typing import cast

from sqlalchemy import ColumnElement, Connection, exists, func, insert, or_, select

from presort.data.records import Cutoff, FirstPublication, Source
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import (
    DecisionRow,
    FirstPublicationRow,
    HintRow,
    IssueRow,
    RankingRow,
    ReportIssueRow,
    ReportRow,
)

FROM_REPORT_ISSUE = ("report_id", "issue_id", "ranking_id", "source", "n_papers", "unread", "ended")


def add_first_publications(connection: Connection) -> None:
    """Record the current state of the logs for each newly published report issue.

    This must be called in the transaction that publishes the report issue, after its decisions have been added to the
    log.
    """
    out, first = ReportIssueRow, FirstPublicationRow
    newest = [select(func.coalesce(func.max(log.id), 0)) for log in (DecisionRow, HintRow, RankingRow)]
    is_first = ~exists().where(first.report_id == out.report_id, first.issue_id == out.issue_id)
    published = select(*(getattr(out, name) for name in FROM_REPORT_ISSUE), *(one.scalar_subquery() for one in newest))
    columns = (*FROM_REPORT_ISSUE, "decisions_up_to", "hints_up_to", "rankings_up_to")
    connection.execute(insert(first).from_select(columns, published.where(is_first)))


def first_publication(store: Store, report: str, issue: date) -> FirstPublication | None:
    """Return a report issue's first publication, even if it was reopened. Returns None if it was never published."""
    first = FirstPublicationRow
    query = (
        select(first.source, first.ranking_id, first.rankings_up_to)
        .join(ReportRow, ReportRow.id == first.report_id)
        .join(IssueRow, IssueRow.id == first.issue_id)
        .where(ReportRow.code == report, IssueRow.date == issue)
    )
    with store.reading(Right.SEE, report) as connection:
        row = connection.execute(query).first()
    return None if row is None else FirstPublication(cast("Source", row.source), *row[1:])


def cutoffs(store: Store, issue: date) -> dict[str, Cutoff]:
    """Return the cutoff for each report that published an issue.

    New rankings of the issue ignore log entries after the cutoff.

    Reports get the same cutoff if no usable entry was logged between their publications, so that the issue can be
    ranked for them together.
    """
    first, log = FirstPublicationRow, DecisionRow
    with store.reading() as connection:
        rows = connection.execute(
            select(ReportRow.code, first.source, first.decisions_up_to, first.hints_up_to)
            .join(ReportRow, ReportRow.id == first.report_id)
            .join(IssueRow, IssueRow.id == first.issue_id)
            .where(IssueRow.date == issue)
        ).all()
        of_earlier = (
            select(log.id, log.source)
            .join(IssueRow, IssueRow.id == log.issue_id)
            .where(IssueRow.date < issue, log.id > min((row.decisions_up_to for row in rows), default=sys.maxsize))
            .order_by(log.id)
        )
        decided = connection.execute(of_earlier).all()
        hinted = connection.execute(select(HintRow.id).order_by(HintRow.id)).scalars().all()
    found = {}
    for code, source, decisions, hints in rows:
        counts_imports = source == "file"
        later = (number for number, how in decided if not (counts_imports and how == "file"))
        up_to = _last_before_next(later, decisions)
        found[code] = Cutoff(up_to, _last_before_next(hinted, hints), counts_imports or up_to == sys.maxsize)
    return found


def cutoff_condition(log: type[DecisionRow] | type[FirstPublicationRow], cutoff: Cutoff) -> ColumnElement[bool]:
    """Return an SQL condition that selects the decisions or first publications up to a cutoff."""
    number = log.decisions_up_to if issubclass(log, FirstPublicationRow) else log.id
    is_early: ColumnElement[bool] = number <= cutoff.decisions_up_to
    return or_(is_early, log.source == "file") if cutoff.counts_imports else is_early


def _last_before_next(numbers: Iterable[int], known: int) -> int:
    """Return the first of `numbers` above `known`, minus 1. Returns `sys.maxsize` if no number is above `known`."""
    return next((number - 1 for number in numbers if number > known), sys.maxsize)
