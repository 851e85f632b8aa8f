"""Publication events: report issues that were published or reopened at the desk, derived from the logs."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from sqlalchemy import select

from presort.data.store import Store
from presort.data.tables import IssueRow, ReopenedIssueRow, ReportIssueRow, ReportRow

EventType = Literal["report_issue.published", "report_issue.reopened"]


@dataclass(frozen=True, slots=True)
class PublicationEvent:
    """Publication or reopening of a report issue, with the time."""

    type: EventType
    report: str
    issue: date
    at: datetime


def publication_events(store: Store, since: datetime) -> list[PublicationEvent]:
    """Return the events after `since`, oldest first. Importing past selections creates no events."""
    current, past = ReportIssueRow, ReopenedIssueRow
    times: tuple[tuple[EventType, Any, Any], ...] = (
        ("report_issue.published", current, current.published_at),
        ("report_issue.published", past, past.published_at),
        ("report_issue.reopened", past, past.reopened_at),
    )
    found: list[PublicationEvent] = []
    with store.reading() as connection:
        for type_, row, at in times:
            rows = connection.execute(
                select(ReportRow.code, IssueRow.date, at)
                .select_from(row)
                .join(ReportRow, ReportRow.id == row.report_id)
                .join(IssueRow, IssueRow.id == row.issue_id)
                .where(row.source == "desk", at > since)
            )
            found += [PublicationEvent(type_, *one) for one in rows]
    return sorted(found, key=lambda one: (one.at, one.report, one.issue, one.type))
