"""Skip issues for reports. Each skip, and each undo of a skip, is logged."""

from datetime import UTC, date, datetime

from sqlalchemy import ColumnElement, Connection, exists, func, insert, select
from sqlalchemy.orm import aliased

from presort.data.catalogue import issue_id, person_id, report_id
from presort.data.editing.decisions import refuse_published
from presort.data.records import Skipping
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import CurrentDecisionsRow, DecisionRow, IssueRow, PersonRow, ReportRow, SkippedIssueRow


def skip(store: Store, report: str, issue: date, *, person: str) -> None:
    """Log that a report skips an issue. The skip lasts until it is undone or a decision is made in the issue.

    Raises
    ------
    RefusedError
        If the report or the issue does not exist, or the report issue is published.
    """
    _log(store, report, issue, person, is_taken_back=False)


def undo_skip(store: Store, report: str, issue: date, *, person: str) -> None:
    """Log that a report no longer skips an issue. Does nothing if the issue is not skipped.

    Raises
    ------
    RefusedError
        If the report or the issue does not exist, or the report issue is published.
    """
    _log(store, report, issue, person, is_taken_back=True)


def skippings(store: Store, report: str, issue: date) -> list[Skipping]:
    """Return the log entries for all skips of a report issue and their undos, oldest first."""
    with store.reading(Right.SEE, report) as connection:
        rows = connection.execute(
            select(PersonRow.name, SkippedIssueRow.made_at, SkippedIssueRow.is_taken_back)
            .join(PersonRow, PersonRow.id == SkippedIssueRow.person_id)
            .where(
                SkippedIssueRow.report_id == report_id(connection, report),
                SkippedIssueRow.issue_id == issue_id(connection, issue),
            )
            .order_by(SkippedIssueRow.id)
        )
        return [Skipping(*row) for row in rows]


def is_skipped() -> ColumnElement[bool]:
    """Return an SQL condition that is true if the report skips the issue.

    The query must select from `ReportRow` and `IssueRow`.
    """
    row, later = SkippedIssueRow, aliased(SkippedIssueRow)
    of_this = (row.report_id == ReportRow.id, row.issue_id == IssueRow.id)
    is_newest = ~exists().where(later.report_id == row.report_id, later.issue_id == row.issue_id, later.id > row.id)
    was_decided = exists().where(
        CurrentDecisionsRow.report_id == row.report_id,
        CurrentDecisionsRow.issue_id == row.issue_id,
        CurrentDecisionsRow.newest > row.decisions_up_to,
    )
    return exists().where(*of_this, is_newest, ~row.is_taken_back, ~was_decided)


def _log(store: Store, report: str, issue: date, person: str, *, is_taken_back: bool) -> None:
    with store.writing(Right.EDIT, report) as connection:
        refuse_published(connection, report, issue)
        ids = {"report_id": report_id(connection, report), "issue_id": issue_id(connection, issue)}
        if _holds(connection, **ids) == is_taken_back:
            _add(connection, **ids, person=person, is_taken_back=is_taken_back)


def undo_skip_of_reopened(connection: Connection, report_id: int, issue_id: int, *, person: str) -> None:
    """Log that a reopened report issue is no longer skipped. Does nothing if it wasn't skipped.

    Without this log entry, a skip made before publication would take effect again after reopening. Comparing the times
    of the skip and the publication instead would be unreliable, because the system clock may be set back.
    """
    if _holds(connection, report_id, issue_id):
        _add(connection, report_id, issue_id, person=person, is_taken_back=True)


def _add(connection: Connection, report_id: int, issue_id: int, *, person: str, is_taken_back: bool) -> None:
    values = {
        "report_id": report_id,
        "issue_id": issue_id,
        "person_id": person_id(connection, person),
        "made_at": datetime.now(UTC),
        "decisions_up_to": connection.execute(select(func.max(DecisionRow.id))).scalar() or 0,
        "is_taken_back": is_taken_back,
    }
    connection.execute(insert(SkippedIssueRow).values(values))


def _holds(connection: Connection, report_id: int, issue_id: int) -> bool:
    of_this = select(is_skipped()).select_from(ReportRow).join(IssueRow, IssueRow.id == issue_id)
    return bool(connection.execute(of_this.where(ReportRow.id == report_id)).scalar_one())
