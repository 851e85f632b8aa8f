"""Editors' hints to the ranker: muted and boosted terms, and example texts."""

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import Connection, exists, insert, select

from presort.data.catalogue import add_report_row, person_id, report_id
from presort.data.errors import RefusedError
from presort.data.learning.history import read_hints, read_newest_example
from presort.data.records import HintKind, Hints, Report
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import HintRow, ReportRow
from presort.data.text.cleaning import clean

MAX_TERM = 100  # maximum number of characters
MAX_TEXT = 20_000  # maximum number of characters


def add_hint(store: Store, report: str, kind: HintKind, text: str, *, person: str) -> None:
    """Log a hint. It replaces any earlier hint with the same text.

    Parameters
    ----------
    report : str
        Code of the report.
    kind : HintKind
        "mute" or "boost" for a term, "seed" for an example text, "none" to remove the hint with this text.
    text : str
        Term or example. An example's title is on the first line, and its abstract is on the lines below. Terms are
        stored in lower case on one line, so that terms that differ only in case or line breaks match.
    person : str
        Author of the hint.

    Raises
    ------
    RefusedError
        If the report does not exist, or the text is empty or too long.
    """
    with store.writing(Right.EDIT, report) as connection:
        _log_hint(connection, report, kind, text, person)


def add_report_with_examples(store: Store, report: Report, examples: Sequence[str], *, person: str) -> None:
    """Add a report with example texts in one transaction.

    Raises
    ------
    RefusedError
        If the code belongs to a current or retired report, or an example is empty or too long.
    """
    with store.writing() as connection:
        if connection.execute(select(ReportRow.id).where(ReportRow.code == report.code)).first():
            raise RefusedError(f"Report code {report.code!r} is already taken. Choose another code.")
        add_report_row(connection, report)
        for text in examples:
            _log_hint(connection, report.code, "seed", text, person)


def hints(store: Store, *, up_to: int | None = None) -> dict[str, Hints]:
    """Return each report's current hints, by report code. Reports that never had hints are omitted.

    If `up_to` is given, return the hints as they were after the log entry with this number.
    """
    with store.reading() as connection:
        return read_hints(connection, up_to)


def newest_example(store: Store, *, up_to: int | None = None) -> int:
    """Return the log number of the newest change to any report's examples, or 0 if no example was ever added.

    If `up_to` is given, log entries with higher numbers are ignored.
    """
    with store.reading(Right.SEE) as connection:
        return read_newest_example(connection, up_to)


def _log_hint(connection: Connection, report: str, kind: HintKind, text: str, person: str) -> None:
    of_report = report_id(connection, report)
    kept = _normalise_text(connection, of_report, kind, text)
    _refuse_length(kind, kept)
    who = person_id(connection, person)
    values = {"report_id": of_report, "person_id": who, "made_at": datetime.now(UTC), "kind": kind, "text": kept}
    connection.execute(insert(HintRow).values(**values))


def _normalise_text(connection: Connection, report: int, kind: HintKind, text: str) -> str:
    example = "\n".join(clean(line) for line in text.splitlines()).strip("\n")
    if kind == "seed" or (kind == "none" and _is_in_log(connection, report, example)):
        return example
    return clean(text.lower())


def _is_in_log(connection: Connection, report: int, text: str) -> bool:
    given = select(exists().where(HintRow.report_id == report, HintRow.text == text))
    return bool(connection.execute(given).scalar())


def _refuse_length(kind: HintKind, text: str) -> None:
    if not text:
        raise RefusedError("The hint is empty. Enter a term, or paste a title and an abstract.")
    if kind in ("mute", "boost") and len(text) > MAX_TERM:
        raise RefusedError(f"The term has {len(text):,} characters; the limit is {MAX_TERM}. Use a shorter term.")
    if len(text) > MAX_TEXT:
        raise RefusedError(f"The example has {len(text):,} characters; the limit is {MAX_TEXT:,}. Shorten it.")
