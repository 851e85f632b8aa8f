"""The audit log: every change, by whom, when and from where, read from all logs at once.

Nothing is written here: each change is in the log of its own kind, and what has none is in that of `ChangeRow`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from heapq import merge
from itertools import accumulate, islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, case, func, literal, null, select
from sqlalchemy.orm import aliased

from presort.data.catalogue import report_id
from presort.data.records import AuditEntry, Place
from presort.data.store import Store
from presort.data.tables import (
    AlertRow,
    ChangeRow,
    CriteriaRow,
    DecisionRow,
    DraftRow,
    EditorshipRow,
    HintRow,
    HolidayRow,
    ImportedFileRow,
    IssueRow,
    PaperDuplicateRow,
    PaperNoteRow,
    PaperRow,
    PersonRow,
    PossibleDuplicateRow,
    RankerChoiceRow,
    ReadershipRow,
    ReopenedIssueRow,
    ReportIssueRow,
    ReportRow,
    RoleRow,
    SkippedIssueRow,
)

PLACES: Mapping[str, Place] = {
    "import": "file",
    "harvest": "command",
    "manage": "command",
    "hints": "command",
    "demo": "rule",
    "presort": "rule",
}


@dataclass(frozen=True)
class _Log:
    """A log as the audit reads it: which column says who, when and what, and the paper where it is about one.

    Attributes
    ----------
    row : Any
        The class of its table, or an alias.
    description : column
        What was changed.
    who, made_at : str
        Names of the columns.
    paper, about : column or None
        Number of the paper, or of the person, that it is about.
    place : column or None
        From where, where the log says so itself.
    wanted : condition or None
        Which rows of the table are changes, if not all.
    """

    row: Any
    description: Any
    who: str = "person_id"
    made_at: str = "made_at"
    paper: Any = None
    about: Any = None
    place: Any = None
    wanted: ColumnElement[bool] | None = None

    @property
    def is_by_number(self) -> bool:
        """Whether rows are numbered in the order of their changes: they are only ever added, and name who and when."""
        return hasattr(self.row, "id") and self.made_at != "undone_at"


def _or_back(does: str, is_back: Any, back: str) -> ColumnElement[str]:
    description: ColumnElement[str] = case((is_back, back), else_=does)
    return description


def _joined(*parts: Any) -> ColumnElement[str]:
    first, *rest = (literal(part) if isinstance(part, str) else part for part in parts)
    description: ColumnElement[str] = first
    for part in rest:
        description = description + part
    return description


LOGS: Mapping[str, _Log] = {
    "decision": _Log(
        DecisionRow,
        _joined(DecisionRow.about, ": ", DecisionRow.label),
        paper=DecisionRow.paper_id,
        place=DecisionRow.source,
    ),
    "note": _Log(PaperNoteRow, PaperNoteRow.kind, paper=PaperNoteRow.paper_id),
    "hint": _Log(HintRow, _joined(HintRow.kind, ": ", func.substr(HintRow.text, 1, 80))),
    "criteria": _Log(CriteriaRow, literal("criteria changed")),
    "draft": _Log(DraftRow, literal("draft saved")),
    "published": _Log(ReportIssueRow, literal("published"), made_at="published_at", place=ReportIssueRow.source),
    "reopened": _Log(
        ReopenedIssueRow,
        _joined("reopened: ", ReopenedIssueRow.reason),
        who="reopened_by",
        made_at="reopened_at",
    ),
    "skipped": _Log(SkippedIssueRow, _or_back("skipped", SkippedIssueRow.is_taken_back, "taken up again")),
    "ranker": _Log(RankerChoiceRow, _joined("sorts: ", RankerChoiceRow.active)),
    "editor": _Log(
        EditorshipRow,
        _or_back("edits or stands in", EditorshipRow.is_taken_back, "edits no more, as a mistake"),
        about=EditorshipRow.editor_id,
    ),
    "role": _Log(
        RoleRow, _joined(RoleRow.role, _or_back("", RoleRow.is_taken_back, " no more")), about=RoleRow.member_id
    ),
    "reader": _Log(ReadershipRow, case((ReadershipRow.is_reading, "a reader joined"), else_="a reader left")),
    "holiday": _Log(HolidayRow, _or_back("holiday", HolidayRow.is_taken_back, "no holiday")),
    "alert": _Log(
        AlertRow, _joined("alert, ", AlertRow.kind, _or_back(": note", AlertRow.is_acknowledged, ": acknowledged"))
    ),
    "import": _Log(ImportedFileRow, _joined("imported ", ImportedFileRow.file)),
    "copy": _Log(
        PaperDuplicateRow,
        literal("listed after all, as no copy"),
        who="undone_by",
        made_at="undone_at",
        paper=PaperDuplicateRow.paper_id,
        wanted=PaperDuplicateRow.undone_at.is_not(None),
    ),
    "duplicate": _Log(
        PossibleDuplicateRow,
        _or_back("both papers kept", PossibleDuplicateRow.is_duplicate, "merged as a duplicate"),
        who="decided_by",
        made_at="decided_at",
        paper=PossibleDuplicateRow.paper_id,
        wanted=PossibleDuplicateRow.is_duplicate.is_not(None),
    ),
    "other": _Log(ChangeRow, ChangeRow.description, about=ChangeRow.about_id),
}


def audit(
    store: Store,
    limit: int,
    *,
    kinds: Sequence[str] = (),
    person: str = "",
    report: str = "",
    since: date = date.min,
    words: str = "",
) -> list[AuditEntry]:
    """Return the newest changes, newest first.

    Parameters
    ----------
    limit : int
        How many at most.
    kinds : sequence of str
        Names of `LOGS`; of all where there is none.
    person, report : str
        Only those of a person, by name, or of a report, by code; of all where empty.
    since : date
        Only those from the beginning of this day on, in UTC.
    words : str
        Only those that have it in what was changed, or in the title of the paper, or of the report that has it as its
        code; case does not matter.

    Raises
    ------
    RefusedError
        If there is no such report.
    """
    with store.reading() as connection:
        wanted = _Wanted.of(connection, person, report, since, words)
        logs = [
            _newest_first(kind, connection.execute(wanted.query(LOGS[kind], limit)).all()) for kind in kinds or LOGS
        ]
    return [entry for _, entry in islice(merge(*logs, key=lambda one: one[0], reverse=True), limit)]


def _newest_first(kind: str, rows: Iterable[Row[*tuple[Any, ...]]]) -> list[tuple[datetime, AuditEntry]]:
    """Return entries of a log, newest first, each with the latest time at which it can have been made.

    That is its own time, or that of a later entry if a clock was ahead in between: entries of one log keep the order of
    their numbers, and those of a clock a year ahead don't stay above all others for a year.
    """
    entries = [_entry(kind, row) for row in rows]
    return list(zip(accumulate((one.made_at for one in entries), min), entries, strict=True))


def people_in_log(store: Store) -> list[str]:
    """Return the names of all who changed anything, or could, by name."""
    with store.reading() as connection:
        return list(connection.execute(select(PersonRow.name).order_by(PersonRow.name)).scalars())


@dataclass(frozen=True)
class _Wanted:
    """What is looked for in each log; a person or report of None is all."""

    person: int | None
    report: int | None
    since: datetime
    words: str

    @classmethod
    def of(cls, connection: Connection, person: str, report: str, since: date, words: str) -> "_Wanted":
        known = connection.execute(select(PersonRow.id).where(PersonRow.name == person)).scalar()
        who = (known or -1) if person else None
        day = datetime.combine(since, time(), UTC)
        return cls(who, report_id(connection, report) if report else None, day, words.strip())

    def query(self, log: _Log, limit: int) -> Select[*tuple[Any, ...]]:
        """Select the newest entries of a log."""
        row, who, about = log.row, aliased(PersonRow), aliased(PersonRow)
        made_at = getattr(row, log.made_at)
        has_report, has_issue = hasattr(row, "report_id"), hasattr(row, "issue_id")
        query = select(
            made_at.label("made_at"),
            who.name.label("person"),
            (null() if log.place is None else log.place).label("place"),
            (ReportRow.code if has_report else null()).label("report"),
            (IssueRow.date if has_issue else null()).label("issue"),
            log.description.label("description"),
            (null() if log.paper is None else PaperRow.title).label("title"),
            (null() if log.about is None else about.name).label("about"),
        ).join(who, who.id == getattr(row, log.who))
        if has_report:
            query = query.outerjoin(ReportRow, ReportRow.id == row.report_id)
        if has_issue:
            query = query.outerjoin(IssueRow, IssueRow.id == row.issue_id)
        if log.paper is not None:
            query = query.outerjoin(PaperRow, PaperRow.id == log.paper)
        if log.about is not None:
            query = query.outerjoin(about, about.id == log.about)
        conditions = [made_at >= self.since]
        if log.wanted is not None:
            conditions.append(log.wanted)
        if self.person is not None:
            conditions.append(getattr(row, log.who) == self.person)
        if self.report is not None:
            conditions.append(row.report_id == self.report if has_report else literal(value=False))
        if self.words:
            text = log.description if log.paper is None else log.description + " " + PaperRow.title
            pattern = _in_any_case(self.words)
            is_report = ReportRow.code.regexp_match(f"^{pattern}$") if has_report else literal(value=False)
            conditions.append(text.regexp_match(pattern) | is_report)
        order = [row.id.desc()] if log.is_by_number else [made_at.desc()]
        return query.where(*conditions).order_by(*order).limit(limit)


def _in_any_case(words: str) -> str:
    r"""Return a regular expression for words; of capitals beyond ASCII neither database knows by itself.

    Examples
    --------
    >>> _in_any_case("É. 5%")
    '[éÉ]\\.\\ 5%'
    """
    forms = ((one, one.lower() + one.upper()) for one in words)
    return "".join(f"[{both}]" if one.isalpha() and len(both) == 2 else re.escape(one) for one, both in forms)


def _entry(kind: str, row: Row[*tuple[Any, ...]]) -> AuditEntry:
    place = row.place or PLACES.get(row.person, "desk")
    what = row.description if row.about is None else f"{row.description}: {row.about}"
    return AuditEntry(row.made_at, row.person, place, kind, what, row.report or "", row.issue, row.title or "")
