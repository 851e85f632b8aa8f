"""Publish and reopen report issues, and read the publication log."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, delete, func, insert, literal, select
from sqlalchemy.orm import aliased

from presort.data.catalogue import issue_id, person_id, report_id
from presort.data.editing.decisions import refuse_published
from presort.data.editing.drafts import newest_draft, query_papers_to_publish
from presort.data.editing.notes import clean_lines
from presort.data.editing.read_papers import query_read_positions
from presort.data.editing.skipping import undo_skip_of_reopened
from presort.data.errors import OutdatedError, RefusedError
from presort.data.learning.first_publications import add_first_publications
from presort.data.learning.history import current_labels, n_listed
from presort.data.records import (
    ALL_READ,
    ApprovedDraft,
    Positions,
    Publication,
    Reopening,
    ReportIssue,
    ReviewProgress,
)
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import (
    DecisionRow,
    IssueRow,
    MailingRow,
    Moment,
    OutcomeRow,
    PersonRow,
    RankingRow,
    ReopenedIssueRow,
    ReportIssueRow,
)
from presort.data.tables.current_decisions import update_current_decisions
from presort.data.tables.positions import pack, unpack

PUBLISHED_COLUMNS = (
    ReportIssueRow.published,
    ReportIssueRow.ranking_id,
    ReportIssueRow.note,
    ReportIssueRow.source,
    ReportIssueRow.n_papers,
    ReportIssueRow.unread,
    ReportIssueRow.ended,
    ReportIssueRow.stop_at,
)
MAX_REASON = 1_000  # maximum number of characters
UNDONE = "Undone before it was sent."  # reason logged for an undone publication
PUBLISHED = (
    *("report_id", "issue_id", "ranking_id", "person_id", "published_at", "published", "note", "source"),
    *("n_papers", "unread", "ended", "stop_at"),
)
ReadProgress = Callable[[Connection], ReviewProgress]  # called in the transaction that stores the progress


class EarlierPublication(NamedTuple):
    """Issue size and reading progress of a report issue's most recently reopened publication."""

    n_papers: int
    review_progress: ReviewProgress


def earlier_publication(connection: Connection, report: int, issue: int) -> EarlierPublication | None:
    """Read the issue size and reading progress of a report issue's most recently reopened publication.

    Parameters
    ----------
    report, issue : int
        Database ids.

    Returns
    -------
    EarlierPublication or None
        None if the report issue was never reopened.
    """
    log = ReopenedIssueRow
    row = connection.execute(
        select(log.n_papers, log.unread, log.ended, log.stop_at)
        .where(log.report_id == report, log.issue_id == issue)
        .order_by(log.id.desc())
        .limit(1)
    ).first()
    if row is None:
        return None
    return EarlierPublication(row.n_papers, ReviewProgress(tuple(unpack(row.unread).tolist()), row.ended, row.stop_at))


def n_published_papers(connection: Connection, report: int, issue: int, read: Positions) -> int:
    """Count the papers that a report issue would cover if it were published now.

    The first publication covers all papers in the issue. A later publication also covers papers that were added since
    the previous publication, but only down to the last read paper, because nobody has seen the papers below it.

    Parameters
    ----------
    read : array of shape (n_read,)
        List positions of the read papers, from `read_papers.query_read_positions`.
    """
    earlier = earlier_publication(connection, report, issue)
    if earlier is None:
        return connection.execute(n_listed(issue)).scalar_one()
    return max(earlier.n_papers, int(read.max(initial=0)))


def reopen(store: Store, report: str, issue: date, reason: str, *, person: str) -> None:
    """Reopen a published report issue so that its decisions can be changed and it can be published again.

    The log retains the publication with its reading progress, so papers read before it still count as read. The
    rankings of the issue are retained, but their outcomes are deleted and recomputed after the next publication.

    Raises
    ------
    RefusedError
        If the reason is empty or too long, or the report issue is not published.
    """
    why = clean_lines(reason, "A reason", MAX_REASON)
    if not why:
        raise RefusedError(f"Enter a reason for reopening {report} {issue}. It is recorded in the log.")
    with store.writing(Right.EDIT, report) as connection:
        _reopen(connection, report, issue, why, person)


def undo(store: Store, report: str, issue: date, *, person: str) -> None:
    """Undo a publication before its mailing begins. Works like `reopen`, except that no reason is needed.

    Raises
    ------
    RefusedError
        If the report issue is not published, or its mailing has begun since it was published.
    """
    with store.writing(Right.EDIT, report) as connection:
        mailing = MailingRow
        begun = (
            select(mailing.id)
            .join(ReportIssueRow, ReportIssueRow.report_id == mailing.report_id)
            .where(ReportIssueRow.issue_id == mailing.issue_id, ReportIssueRow.published_at <= mailing.changed_at)
            .where(mailing.report_id == report_id(connection, report), mailing.state != "pending")
            .where(mailing.issue_id == issue_id(connection, issue))
            .limit(1)
        )
        if connection.execute(begun).first() is not None:
            raise RefusedError(
                f"The mailing of {report} {issue} has already begun, so publishing can't be undone. "
                "Reopen the report issue instead."
            )
        _reopen(connection, report, issue, UNDONE, person)


def _reopen(connection: Connection, report: str, issue: date, why: str, person: str) -> None:
    ids = {"report_id": report_id(connection, report), "issue_id": issue_id(connection, issue)}
    new = (literal(person_id(connection, person)), literal(datetime.now(UTC), Moment()), literal(why))
    newest = select(func.coalesce(func.max(DecisionRow.id), 0)).scalar_subquery()
    published_issue = select(*(getattr(ReportIssueRow, name) for name in PUBLISHED), *new, newest).filter_by(**ids)
    columns = (*PUBLISHED, "reopened_by", "reopened_at", "reason", "decisions_up_to")
    if not connection.execute(insert(ReopenedIssueRow).from_select(columns, published_issue)).rowcount:
        raise RefusedError(f"{report} {issue} is not published, so it can't be reopened.")
    connection.execute(delete(ReportIssueRow).filter_by(**ids))
    undo_skip_of_reopened(connection, **ids, person=person)
    of_issue = select(RankingRow.id).filter_by(**ids)
    connection.execute(delete(OutcomeRow).where(OutcomeRow.ranking_id.in_(of_issue)))


def publication_log(store: Store, report: str, issue: date) -> list[Publication]:
    """Return all publications of a report issue, oldest first. The last publication is current unless it was reopened.

    Reopened publications don't include the issue size or reading progress.
    """
    issuer, reopener = aliased(PersonRow), aliased(PersonRow)
    past, current = ReopenedIssueRow, ReportIssueRow
    with store.reading(Right.SEE, report) as connection:
        of_report, of_issue = report_id(connection, report), issue_id(connection, issue)
        reopened = connection.execute(
            select(past.published, issuer.name, past.ranking_id, past.note, past.published_at, past.source)
            .add_columns(reopener.name.label("reopener"), past.reopened_at, past.reason)
            .join(issuer, issuer.id == past.person_id)
            .join(reopener, reopener.id == past.reopened_by)
            .where(past.report_id == of_report, past.issue_id == of_issue)
            .order_by(past.id)
        )
        found = [
            Publication(
                _report_issue(report, issue, row),
                row.published_at,
                Reopening(row.reopener, row.reopened_at, row.reason),
            )
            for row in reopened
        ]
        last = connection.execute(
            select(current.published_at, *PUBLISHED_COLUMNS, issuer.name)
            .join(issuer, issuer.id == current.person_id)
            .where(current.report_id == of_report, current.issue_id == of_issue)
        )
        return found + [Publication(report_issue(report, issue, row), row.published_at) for row in last]


def _report_issue(report: str, issue: date, row: Row[*tuple[Any, ...]]) -> ReportIssue:
    published = tuple(unpack(row.published).tolist())
    return ReportIssue(report, issue, published, row.name, row.ranking_id, row.note, row.source)


def publish_report_issue(
    store: Store,
    report: str,
    issue: date,
    order: Sequence[int],
    *,
    ranking_id: int | None,
    person: str,
    review_progress: ReviewProgress | ReadProgress = ALL_READ,
    approved: ApprovedDraft | None = None,
) -> tuple[int, ...]:
    """Publish a report issue, and return the list positions of the published papers in publication order.

    Publishes the relevant papers that aren't excluded from publication, in the draft's order and with the draft's note
    to readers. Logs for each relevant paper whether it was published.

    Parameters
    ----------
    order : sequence of int
        List positions in the order of the editor's list. Used for papers that are not in the draft's order.
    ranking_id : int or None
        Number of the ranking that the editor's list shows. None if it shows list order.
    review_progress : ReviewProgress or callable
        Reading progress in the issue. Decided papers count as read. A callable receives the connection of the write
        transaction, so no other window or import can change the list before the progress is stored.
    approved : ApprovedDraft, optional
        Draft that the editor saw. If it is omitted, changes to the draft are not detected.

    Raises
    ------
    RefusedError
        If the report issue is already published and was not reopened.
    OutdatedError
        If the draft has changed since the editor saw it.
    """
    with store.writing(Right.EDIT, report) as connection:
        of_report, of_issue = report_id(connection, report), issue_id(connection, issue)
        refuse_published(connection, report, issue)
        published = query_papers_to_publish(connection, of_report, of_issue, order)
        labels = connection.execute(current_labels(of_report, of_issue)).all()
        note = newest_draft(connection, of_report, of_issue).note
        maybe = frozenset(position for position, _, label in labels if label == "maybe")
        if approved not in (None, ApprovedDraft(published, maybe, note)):
            raise OutdatedError(f"{report} {issue} was changed in another window. Check it again before publishing.")
        decided = {position for position, _, label in labels if label != "undecided"}
        shown = {"report_id": of_report, "issue_id": of_issue, "ranking_id": ranking_id}
        now = {"person_id": person_id(connection, person), "published_at": datetime.now(UTC)}
        sent = {"published": pack(published), "note": note, "source": "desk"}
        read = _progress_columns(connection, of_report, of_issue, review_progress, decided)
        connection.execute(insert(ReportIssueRow).values(**shown, **now, **sent, **read))
        _log_publish_decisions(connection, shown | {"person_id": now["person_id"]}, labels, published)
        add_first_publications(connection)
    return published


def _progress_columns(
    connection: Connection,
    report: int,
    issue: int,
    review_progress: ReviewProgress | ReadProgress,
    decided: Collection[int],
) -> dict[str, Any]:
    """Return the values of the columns that store an issue's reading progress."""
    n_papers = n_published_papers(connection, report, issue, query_read_positions(connection, report, issue))
    found = review_progress if isinstance(review_progress, ReviewProgress) else review_progress(connection)
    unread = sorted(position for position in set(found.unread).difference(decided) if position <= n_papers)
    return {"n_papers": n_papers, "unread": pack(unread), "ended": found.ended, "stop_at": found.stop_at}


def _log_publish_decisions(
    connection: Connection, values: dict[str, Any], labels: Iterable[tuple[int, int, str]], published: Collection[int]
) -> None:
    """Log for each relevant paper whether it was published."""
    log = {**values, "made_at": datetime.now(UTC), "about": "publish", "source": "rule"}
    decisions = [
        {**log, "paper_id": paper, "label": "yes" if position in published else "no"}
        for position, paper, label in labels
        if label == "yes"
    ]
    if decisions:
        connection.execute(insert(DecisionRow), decisions)
        update_current_decisions(connection)


def published(store: Store, report: str) -> dict[date, ReportIssue]:
    """Return a report's published issues, by issue date."""
    with store.reading(Right.SEE, report) as connection:
        rows = connection.execute(
            select(IssueRow.date, PersonRow.name, *PUBLISHED_COLUMNS)
            .join(IssueRow, IssueRow.id == ReportIssueRow.issue_id)
            .join(PersonRow, PersonRow.id == ReportIssueRow.person_id)
            .where(ReportIssueRow.report_id == report_id(connection, report))
            .order_by(IssueRow.date)
        )
        return {row.date: report_issue(report, row.date, row) for row in rows}


def report_issue(report: str, issue: date, row: Row[*tuple[Any, ...]]) -> ReportIssue:
    """Create a `ReportIssue` from a row with `PUBLISHED_COLUMNS` and the name of the user who published it."""
    published, unread = (tuple(unpack(cell).tolist()) for cell in (row.published, row.unread))
    review_progress = ReviewProgress(unread, row.ended, row.stop_at)
    return ReportIssue(
        report, issue, published, row.name, row.ranking_id, row.note, row.source, row.n_papers, review_progress
    )
