"""Hints of editors to the ranker: muted and boosted terms, and example texts."""

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

MAX_TERM = 100  # characters
MAX_TEXT = 20_000


def add_hint(store: Store, report: str, kind: HintKind, text: str, *, person: str) -> None:
    """Add a hint to the log. Of several on the same text the newest counts.

    Parameters
    ----------
    report : str
        Code of the report.
    kind : HintKind
        "mute" or "boost" a term, give a "seed" (an example: a title, and from the second line on an abstract), or
        "none": remove the hint with this text.
    text : str
        A term is kept in lower case, on one line: however it is written, it is the same.
    person : str
        Author of the hint.

    Raises
    ------
    RefusedError
        If the report is not there, or the text is empty or too long.
    """
    with store.writing(Right.EDIT, report) as connection:
        _add(connection, report, kind, text, person)


def add_report_with_examples(store: Store, report: Report, examples: Sequence[str], *, person: str) -> None:
    """Add a report that begins with examples, all or nothing.

    Raises
    ------
    RefusedError
        If there is or was a report of that code, which has a past of its own, or an example is empty or too long.
    """
    with store.writing() as connection:
        if connection.execute(select(ReportRow.id).where(ReportRow.code == report.code)).first():
            raise RefusedError(f"There is or was a report {report.code!r} already; choose another code.")
        add_report_row(connection, report)
        for text in examples:
            _add(connection, report.code, "seed", text, person)


def hints(store: Store, *, up_to: int | None = None) -> dict[str, Hints]:
    """Return the hints that count, by code of the report; one that was never given any is missing.

    With `up_to`, return the hints that counted after the log entry of that number.
    """
    with store.reading() as connection:
        return read_hints(connection, up_to)


def newest_example(store: Store, *, up_to: int | None = None) -> int:
    """Return the log number of the newest example given or removed by any report. 0 if there is none.

    With `up_to`, of those up to a number in the log.
    """
    with store.reading(Right.SEE) as connection:
        return read_newest_example(connection, up_to)


def _add(connection: Connection, report: str, kind: HintKind, text: str, person: str) -> None:
    of_report = report_id(connection, report)
    kept = _kept(connection, of_report, kind, text)
    _refuse_length(kind, kept)
    who = person_id(connection, person)
    values = {"report_id": of_report, "person_id": who, "made_at": datetime.now(UTC), "kind": kind, "text": kept}
    connection.execute(insert(HintRow).values(**values))


def _kept(connection: Connection, report: int, kind: HintKind, text: str) -> str:
    example = "\n".join(clean(line) for line in text.splitlines()).strip("\n")
    if kind == "seed" or (kind == "none" and _was_given(connection, report, example)):
        return example
    return clean(text.lower())


def _was_given(connection: Connection, report: int, text: str) -> bool:
    given = select(exists().where(HintRow.report_id == report, HintRow.text == text))
    return bool(connection.execute(given).scalar())


def _refuse_length(kind: HintKind, text: str) -> None:
    if not text:
        raise RefusedError("A hint needs a text: write a word or two, or paste a title and an abstract.")
    if kind in ("mute", "boost") and len(text) > MAX_TERM:
        raise RefusedError(f"A term can have {MAX_TERM} characters, this one has {len(text):,}; write a shorter one.")
    if len(text) > MAX_TEXT:
        raise RefusedError(f"An example can have {MAX_TEXT:,} characters, this one has {len(text):,}; shorten it.")
