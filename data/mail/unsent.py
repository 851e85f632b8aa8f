"""Published report issues that still have to be mailed, and the state of the public pages."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import Connection, func, select

from presort.data.mail.readers import is_reading, newest_subscriptions
from presort.data.store import Store
from presort.data.tables import (
    IssueRow,
    MailingRow,
    ReaderRow,
    ReadershipRow,
    ReopenedIssueRow,
    ReportIssueRow,
    ReportRow,
)

Key = tuple[int, int]  # report id and issue id


@dataclass(frozen=True, slots=True)
class UnsentMail:
    """Published report issue, and the number of readers to whom its mail is pending."""

    report: str
    issue: date
    published_at: datetime
    n_readers: int


def unsent_mail(store: Store, since: datetime) -> list[UnsentMail]:
    """Return the report issues that were published at the desk after `since` and have pending mail.

    They are sorted by publication time.
    """
    row = ReportIssueRow
    query = (
        select(row.report_id, row.issue_id, ReportRow.code, IssueRow.date, row.published_at)
        .join(ReportRow, ReportRow.id == row.report_id)
        .join(IssueRow, IssueRow.id == row.issue_id)
        .where(row.source == "desk", row.published_at > since, ReportRow.retired_at.is_(None))
        .order_by(row.published_at, ReportRow.code, IssueRow.date)
    )
    with store.reading() as connection:
        found = connection.execute(query).all()
        if not found:
            return []
        readers, prepared, pending = _n_readers(connection), _queued_report_issues(connection), _n_pending(connection)
    ones = []
    for report, issue, code, day, published_at in found:
        n_readers = pending[report, issue] if (report, issue) in prepared else readers[report]
        if n_readers:
            ones.append(UnsentMail(code, day, published_at, n_readers))
    return ones


def publication_times(store: Store, until: datetime | None = None) -> Mapping[tuple[str, date], datetime]:
    """Return the publication times of all report issues, including imported report issues, by report and issue.

    With `until`, report issues published at the desk after that time are left out.
    """
    row = ReportIssueRow
    query = (
        select(ReportRow.code, IssueRow.date, row.published_at)
        .join(ReportRow, ReportRow.id == row.report_id)
        .join(IssueRow, IssueRow.id == row.issue_id)
    )
    if until is not None:
        query = query.where((row.source != "desk") | (row.published_at <= until))
    with store.reading() as connection:
        return {(code, day): published_at for code, day, published_at in connection.execute(query)}


def publication_state(store: Store, until: datetime) -> str:
    """Return a string that changes when a report issue is published or reopened. The pages must then be updated.

    Report issues published at the desk after `until` are ignored.
    """
    row = ReportIssueRow
    shown = select(func.count(), func.max(row.published_at)).where((row.source != "desk") | (row.published_at <= until))
    with store.reading() as connection:
        n_shown, last = connection.execute(shown).one()
        reopened = connection.execute(select(func.max(ReopenedIssueRow.id))).scalar()
    return f"{n_shown} {last} {reopened}"


def _n_readers(connection: Connection) -> Counter[int]:
    """Return the number of current readers by report id."""
    log = ReadershipRow
    query = (
        select(log.report_id, func.count().label("n"))
        .join(ReaderRow, ReaderRow.id == log.reader_id)
        .where(log.id.in_(newest_subscriptions()), log.is_reading, ReaderRow.address.is_not(None))
        .group_by(log.report_id)
    )
    return Counter({row.report_id: row.n for row in connection.execute(query)})


def _queued_report_issues(connection: Connection) -> set[Key]:
    """Return the report issues that have been queued. Their recipients are fixed."""
    rows = connection.execute(select(MailingRow.report_id, MailingRow.issue_id).distinct())
    return {(report, issue) for report, issue in rows}


def _n_pending(connection: Connection) -> Counter[Key]:
    """Return the number of pending mailings to current readers by report issue."""
    row = MailingRow
    query = (
        select(row.report_id, row.issue_id, func.count())
        .where(row.state == "pending", is_reading(row.report_id, row.reader_id))
        .group_by(row.report_id, row.issue_id)
    )
    return Counter({(report, issue): n for report, issue, n in connection.execute(query)})
