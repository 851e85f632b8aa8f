"""Editors' tags and notes on the papers in an issue."""

from collections.abc import Iterable
from datetime import UTC, date, datetime

from sqlalchemy import Connection, func, insert, select

from presort.data.catalogue import issue_id, report_id
from presort.data.editing.decisions import not_in_log, rows_of
from presort.data.errors import RefusedError
from presort.data.records import (
    Note,
    NoteKind,
    PaperNotes,
)
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import (
    IssueRow,
    PaperNoteRow,
    PaperRow,
)
from presort.data.text.cleaning import clean

MAX_TAG = 100  # maximum number of characters
MAX_NOTE = 10_000  # maximum number of characters


def add_notes(store: Store, notes: Iterable[Note]) -> int:
    """Log tags and notes, and return how many were new. If any of them is refused, none of them are logged.

    Tags and notes can also be added to published report issues. Entries whose `client_id` is already in the log are
    skipped, so clients can safely resend a message.

    Raises
    ------
    RefusedError
        If the report, the issue or the paper does not exist, a tag is empty, or a tag or a note is too long.
    """
    notes = list(notes)
    with store.writing(Right.EDIT, *{note.report for note in notes}) as connection:
        return _log_notes(connection, notes)


def paper_notes(store: Store, report: str, issue: date) -> dict[str, PaperNotes]:
    """Return the tags and notes of an issue's papers, by paper id. Papers that have neither are omitted."""
    with store.reading(Right.SEE, report) as connection:
        return _read_notes(connection, report, issue)


def tags_of(store: Store, report: str, *, besides: date | None = None) -> list[str]:
    """Return the tags used in a report, most frequent first. Tags in the issue dated `besides` are not counted."""
    newest = (
        select(func.max(PaperNoteRow.id))
        .where(PaperNoteRow.kind.in_(["tag", "untag"]))
        .group_by(PaperNoteRow.issue_id, PaperNoteRow.paper_id, PaperNoteRow.text)
    )
    if besides is not None:
        newest = newest.join(IssueRow, IssueRow.id == PaperNoteRow.issue_id).where(IssueRow.date != besides)
    with store.reading(Right.SEE, report) as connection:
        rows = connection.execute(
            select(PaperNoteRow.text)
            .where(
                PaperNoteRow.kind == "tag",
                PaperNoteRow.id.in_(newest.where(PaperNoteRow.report_id == report_id(connection, report))),
            )
            .group_by(PaperNoteRow.text)
            .order_by(func.count().desc(), PaperNoteRow.text)
        )
        return list(rows.scalars())


def _log_notes(connection: Connection, notes: Iterable[Note]) -> int:
    new = not_in_log(connection, PaperNoteRow.client_id, notes)
    now = datetime.now(UTC)
    if new:
        rows = [
            row
            | {
                "client_id": note.client_id,
                "made_at": now,
                "kind": note.kind,
                "text": _clean_text(note.kind, note.text),
            }
            for row, note in zip(rows_of(connection, new), new, strict=True)
        ]
        connection.execute(insert(PaperNoteRow), rows)
    return len(new)


def _read_notes(connection: Connection, report: str, issue: date) -> dict[str, PaperNotes]:
    rows = connection.execute(
        select(PaperRow.paper_id, PaperNoteRow.kind, PaperNoteRow.text)
        .join(PaperRow, PaperRow.id == PaperNoteRow.paper_id)
        .where(
            PaperNoteRow.report_id == report_id(connection, report),
            PaperNoteRow.issue_id == issue_id(connection, issue),
        )
        .order_by(PaperNoteRow.id)
    )
    found: dict[str, PaperNotes] = {}
    for paper, kind, text in rows:
        notes = found.get(paper, PaperNotes())
        if kind == "note":
            found[paper] = PaperNotes(notes.tags, text)
        elif kind == "untag":
            found[paper] = PaperNotes(tuple(tag for tag in notes.tags if tag != text), notes.note)
        elif text not in notes.tags:
            found[paper] = PaperNotes((*notes.tags, text), notes.note)
    return {paper: notes for paper, notes in found.items() if notes != PaperNotes()}


def _clean_text(kind: NoteKind, text: str) -> str:
    if kind == "note":
        return clean_lines(text, "A note", MAX_NOTE)
    tag = clean(text)
    if not tag:
        raise RefusedError("The tag is empty. Enter a word or two.")
    if len(tag) > MAX_TAG:
        raise RefusedError(f"The tag has {len(tag):,} characters; the limit is {MAX_TAG}. Use a shorter tag.")
    return tag


def clean_lines(text: str, what: str, longest: int) -> str:
    r"""Clean each line of a text, and check the length of the result.

    Raises RefusedError if the result has more than `longest` characters. The error message calls the text `what`.

    Examples
    --------
    >>> clean_lines(" Wages,\tjobs \r\n\n and pay\n", "A note", 100)
    'Wages, jobs\n\nand pay'
    """
    kept = "\n".join(clean(line) for line in text.splitlines()).strip("\n")
    if len(kept) > longest:
        raise RefusedError(f"{what} can have at most {longest:,} characters. This text has {len(kept):,}. Shorten it.")
    return kept
