"""Read and save drafts of report issues, and determine which papers to publish and in which order."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from presort.data.catalogue import issue_id, person_id, report_id
from presort.data.editing.decisions import refuse_published
from presort.data.editing.notes import clean_lines
from presort.data.errors import RefusedError
from presort.data.learning.history import current_labels, n_listed
from presort.data.records import Draft
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import DraftRow
from presort.data.tables.positions import pack, unpack

MAX_NOTE = 5_000  # maximum number of characters


class DraftContent(NamedTuple):
    """Content of a draft."""

    order: tuple[int, ...] = ()
    note: str = ""
    private_note: str = ""


def draft(store: Store, report: str, issue: date) -> Draft:
    """Return the newest draft of a report issue, or an empty draft if the report issue has none."""
    with store.reading(Right.SEE, report) as connection:
        newest = newest_draft(connection, report_id(connection, report), issue_id(connection, issue))
    return Draft(report, issue, *newest)


class DraftChange(NamedTuple):
    """Change to part of a draft. `change` is called with the stored draft, which is read under the write lock."""

    report: str
    issue: date
    change: Callable[[Draft], Draft]


def save_draft(store: Store, draft: Draft | DraftChange, *, person: str) -> None:
    """Log a new draft of a report issue, replacing the current one. Does nothing if the draft is unchanged.

    Parameters
    ----------
    draft : Draft or DraftChange
        New draft, or a change to part of the stored draft. A change leaves the other parts as they are, because another
        window may have updated them in the meantime.

    Raises
    ------
    RefusedError
        If the report or the issue does not exist, the order has an invalid or repeated position, a note is too long, or
        the report issue is published.
    """
    report, issue = draft.report, draft.issue
    with store.writing(Right.EDIT, report) as connection:
        of_report, of_issue = report_id(connection, report), issue_id(connection, issue)
        refuse_published(connection, report, issue)
        newest = newest_draft(connection, of_report, of_issue)
        new = draft if isinstance(draft, Draft) else draft.change(Draft(report, issue, *newest))
        _refuse_order(connection, new, of_issue)
        drafted = DraftContent(
            new.order,
            clean_lines(new.note, "A note to the readers", MAX_NOTE),
            clean_lines(new.private_note, "A private note", MAX_NOTE),
        )
        if drafted != newest:
            values = {
                "report_id": of_report,
                "issue_id": of_issue,
                "person_id": person_id(connection, person),
                "made_at": datetime.now(UTC),
                "positions": pack(drafted.order),
                "note": drafted.note,
                "private_note": drafted.private_note,
            }
            connection.execute(insert(DraftRow).values(**values))


def to_publish(store: Store, report: str, issue: date, order: Sequence[int]) -> tuple[int, ...]:
    """Return the list positions of the papers to publish, in publication order.

    Parameters
    ----------
    order : sequence of int
        List positions in the order of the editor's list. Used for papers that are not in the draft's order.
    """
    with store.reading(Right.SEE, report) as connection:
        return query_papers_to_publish(connection, report_id(connection, report), issue_id(connection, issue), order)


def query_papers_to_publish(connection: Connection, report: int, issue: int, order: Sequence[int]) -> tuple[int, ...]:
    """Return the list positions of the papers to publish: all relevant papers that aren't excluded from publication.

    Papers in the draft's order come first, followed by the remaining papers in `order`. Papers in neither order come
    last, because they have just been added to the issue.
    """
    relevant = {position for position, _, label in connection.execute(current_labels(report, issue)) if label == "yes"}
    publish = connection.execute(current_labels(report, issue, "publish"))
    chosen = relevant - {position for position, _, label in publish if label == "no"}
    drafted = newest_draft(connection, report, issue).order
    return tuple(position for position in dict.fromkeys([*drafted, *order, *sorted(chosen)]) if position in chosen)


def newest_draft(connection: Connection, report: int, issue: int) -> DraftContent:
    """Read the current draft of a report issue."""
    found = connection.execute(
        select(DraftRow.positions, DraftRow.note, DraftRow.private_note)
        .where(DraftRow.report_id == report, DraftRow.issue_id == issue)
        .order_by(DraftRow.id.desc())
        .limit(1)
    ).first()
    if found is None:
        return DraftContent()
    return DraftContent(tuple(unpack(found.positions).tolist()), found.note, found.private_note)


def _refuse_order(connection: Connection, draft: Draft, issue: int) -> None:
    n_papers = connection.execute(n_listed(issue)).scalar_one()
    for position in draft.order:
        if not 1 <= position <= n_papers:
            raise RefusedError(f"The issue of {draft.issue} has {n_papers} papers, so position {position} is invalid.")
    if len(set(draft.order)) < len(draft.order):
        raise RefusedError("The order contains a paper twice. List each paper once.")
