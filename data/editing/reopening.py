"""Take report issues back to review, and the log of all that went out."""

from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import Row, delete, func, insert, literal, select
from sqlalchemy.orm import aliased

from presort.data.catalogue import issue_id, person_id, report_id
from presort.data.editing.decisions import STANDING, report_issue
from presort.data.editing.messages import kept_text
from presort.data.editing.skipping import take_up_again
from presort.data.errors import RefusedError
from presort.data.records import Issuing, Reopening, ReportIssue
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import DecisionRow, Moment, OutcomeRow, PersonRow, RankingRow, ReopenedIssueRow, ReportIssueRow
from presort.data.tables.positions import unpacked

MAX_REASON = 1_000  # characters
GONE_OUT = (
    *("report_id", "issue_id", "ranking_id", "person_id", "issued_at", "published", "note", "source"),
    *("n_papers", "unread", "ended", "stop_at"),
)


def reopen(store: Store, report: str, issue: date, reason: str, *, person: str) -> None:
    """Take a report issue back to review: it can be decided on and issued again.

    The log keeps what had gone out and how far it was read: what was read then still counts when it is published again.
    Outcomes of the issue's rankings go, they are made again when it is issued again; rankings stay.

    Raises
    ------
    RefusedError
        If no reason is given or a long one, or the report issue has not gone out.
    """
    why = kept_text(reason, "A reason", MAX_REASON)
    if not why:
        raise RefusedError(f"Say why {report} {issue} is to be reopened; the log keeps the reason.")
    with store.writing(Right.EDIT, report) as connection:
        ids = {"report_id": report_id(connection, report), "issue_id": issue_id(connection, issue)}
        new = (literal(person_id(connection, person)), literal(datetime.now(UTC), Moment()), literal(why))
        newest = select(func.coalesce(func.max(DecisionRow.id), 0)).scalar_subquery()
        gone_out = select(*(getattr(ReportIssueRow, name) for name in GONE_OUT), *new, newest).filter_by(**ids)
        columns = (*GONE_OUT, "reopened_by", "reopened_at", "reason", "decisions_up_to")
        if not connection.execute(insert(ReopenedIssueRow).from_select(columns, gone_out)).rowcount:
            raise RefusedError(f"{report} {issue} has not gone out; there is nothing to reopen.")
        connection.execute(delete(ReportIssueRow).filter_by(**ids))
        take_up_again(connection, **ids, person=person)
        of_issue = select(RankingRow.id).filter_by(**ids)
        connection.execute(delete(OutcomeRow).where(OutcomeRow.ranking_id.in_(of_issue)))


def issuings(store: Store, report: str, issue: date) -> list[Issuing]:
    """Return every time a report issue went out, oldest first; the last one stands unless it was reopened."""
    issuer, reopener = aliased(PersonRow), aliased(PersonRow)
    past, standing = ReopenedIssueRow, ReportIssueRow
    with store.reading(Right.SEE, report) as connection:
        of_report, of_issue = report_id(connection, report), issue_id(connection, issue)
        reopened = connection.execute(
            select(past.published, issuer.name, past.ranking_id, past.note, past.issued_at, past.source)
            .add_columns(reopener.name.label("reopener"), past.reopened_at, past.reason)
            .join(issuer, issuer.id == past.person_id)
            .join(reopener, reopener.id == past.reopened_by)
            .where(past.report_id == of_report, past.issue_id == of_issue)
            .order_by(past.id)
        )
        found = [
            Issuing(
                _report_issue(report, issue, row), row.issued_at, Reopening(row.reopener, row.reopened_at, row.reason)
            )
            for row in reopened
        ]
        last = connection.execute(
            select(standing.issued_at, *STANDING, issuer.name)
            .join(issuer, issuer.id == standing.person_id)
            .where(standing.report_id == of_report, standing.issue_id == of_issue)
        )
        return found + [Issuing(report_issue(report, issue, row), row.issued_at) for row in last]


def _report_issue(report: str, issue: date, row: Row[*tuple[Any, ...]]) -> ReportIssue:
    published = tuple(unpacked(row.published).tolist())
    return ReportIssue(report, issue, published, row.name, row.ranking_id, row.note, row.source)
