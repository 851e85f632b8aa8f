"""Audit log: all changes with author, time and origin, combined from all logs.

This module only reads. Each kind of change has its own log table. `ChangeRow` holds all other changes.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from heapq import merge
from itertools import accumulate, islice
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    String,
    case,
    cast,
    func,
    literal,
    null,
    select,
    type_coerce,
)
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
LONGEST_VALUE = 80  # longer texts are truncated to this number of characters


def _no_value(_row: Any) -> Any:
    return literal("")


@dataclass(frozen=True)
class _Log:
    """Mapping of a log table to the audit log: its columns with the author, the time and the change.

    Attributes
    ----------
    row : Any
        Mapped class of the table, or an alias.
    action : column
        Description of the change.
    who, made_at : str
        Names of the columns with the author and the time.
    paper, about : column or None
        Id of the changed paper or person.
    subject : column or None
        Changed object if it is neither a paper nor a person, such as a term or a file.
    value : callable
        Function from the mapped class, or an alias, to the column with the new value.
    same : sequence of str or None
        Names of the columns that identify the changed object. The old value is that of the previous entry with the
        same identity. None if there is no old value.
    before : column or None
        Column with the old value, if the log stores it.
    place : column or None
        Column with the origin of the change, if the log stores it.
    wanted : condition or None
        Condition for the rows that are changes. Defaults to all rows.
    """

    row: Any
    action: Any
    who: str = "person_id"
    made_at: str = "made_at"
    paper: Any = None
    about: Any = None
    subject: Any = None
    value: Callable[[Any], Any] = _no_value
    same: Sequence[str] | None = None
    before: Any = None
    place: Any = None
    wanted: ColumnElement[bool] | None = None

    @property
    def is_by_number(self) -> bool:
        """True if row ids follow the order of changes, because rows are only added."""
        return hasattr(self.row, "id") and self.made_at != "undone_at"

    def old_value(self) -> Any:
        """Return the value before the change: as stored, or from the previous entry on the same object."""
        if self.before is not None:
            return self.before
        if self.same is None:
            return literal("")
        other = aliased(self.row)
        is_same = [getattr(other, name).is_not_distinct_from(getattr(self.row, name)) for name in self.same]
        previous = select(self.value(other)).where(*is_same, other.id < self.row.id).order_by(other.id.desc()).limit(1)
        return func.coalesce(previous.correlate(self.row).scalar_subquery(), "")


def _or_back(does: str, is_back: Any, back: str) -> ColumnElement[str]:
    action: ColumnElement[str] = case((is_back, back), else_=does)
    return action


def _joined(*parts: Any) -> ColumnElement[str]:
    first, *rest = (literal(part) if isinstance(part, str) else part for part in parts)
    text: ColumnElement[str] = first
    for part in rest:
        text = text + part
    return text


def _start(text: Any) -> Any:
    return func.substr(text, 1, LONGEST_VALUE)


def _unless_back(row: Any, value: Any) -> ColumnElement[str]:
    """Return a value, or an empty string for an entry that undoes an earlier one."""
    return case((row.is_taken_back, ""), else_=value)


def _days(row: Any) -> Any:
    first, last = cast(row.first, String), cast(row.last, String)
    return case((row.last.is_(None), _joined("from ", first)), else_=_joined(first, " to ", last))


def _rankers(row: Any) -> Any:
    shadows = type_coerce(row.shadows, String)
    return _joined(
        row.active, case((shadows == "", ""), else_=_joined("; shadows: ", func.replace(shadows, "\n", ", ")))
    )


LOGS: Mapping[str, _Log] = {
    "decision": _Log(
        DecisionRow,
        case((DecisionRow.about == "relevant", "Relevant"), else_="Publish"),
        paper=DecisionRow.paper_id,
        place=DecisionRow.source,
        value=lambda row: row.label,
        same=["report_id", "issue_id", "paper_id", "about"],
    ),
    "note": _Log(PaperNoteRow, PaperNoteRow.kind, paper=PaperNoteRow.paper_id),
    "hint": _Log(
        HintRow,
        literal("Hint"),
        subject=_start(HintRow.text),
        value=lambda row: row.kind,
        same=["report_id", "text"],
    ),
    "criteria": _Log(CriteriaRow, literal("Criteria"), value=lambda row: _start(row.text), same=["report_id"]),
    "draft": _Log(DraftRow, literal("Draft saved")),
    "published": _Log(ReportIssueRow, literal("Published"), made_at="published_at", place=ReportIssueRow.source),
    "reopened": _Log(
        ReopenedIssueRow,
        literal("Reopened"),
        who="reopened_by",
        made_at="reopened_at",
        value=lambda row: row.reason,
    ),
    "skipped": _Log(SkippedIssueRow, _or_back("Skipped", SkippedIssueRow.is_taken_back, "Skip undone")),
    "ranker": _Log(RankerChoiceRow, literal("Rankers"), value=_rankers, same=[]),
    "editor": _Log(
        EditorshipRow,
        case((EditorshipRow.away_id.is_(None), "Editor"), else_="Substitute"),
        about=EditorshipRow.editor_id,
        value=lambda row: _unless_back(row, _days(row)),
        same=["report_id", "editor_id", "away_id", "first"],
    ),
    "role": _Log(
        RoleRow,
        literal("Role"),
        about=RoleRow.member_id,
        value=lambda row: _unless_back(row, row.role),
        same=["member_id", "role", "report_id"],
    ),
    "reader": _Log(ReadershipRow, case((ReadershipRow.is_reading, "Reader joined"), else_="Reader left")),
    "holiday": _Log(
        HolidayRow,
        literal("Holiday"),
        subject=HolidayRow.name,
        value=lambda row: _unless_back(row, _days(row)),
        same=["first"],
    ),
    "alert": _Log(
        AlertRow,
        case((AlertRow.is_acknowledged, "Alert acknowledged"), (AlertRow.note == "", "Alert"), else_="Note on alert"),
        subject=AlertRow.kind,
    ),
    "import": _Log(ImportedFileRow, literal("Imported"), subject=ImportedFileRow.file),
    "copy": _Log(
        PaperDuplicateRow,
        literal("Listed: not a duplicate"),
        who="undone_by",
        made_at="undone_at",
        paper=PaperDuplicateRow.paper_id,
        wanted=PaperDuplicateRow.undone_at.is_not(None),
    ),
    "duplicate": _Log(
        PossibleDuplicateRow,
        _or_back("Both papers kept", PossibleDuplicateRow.is_duplicate, "Merged as a duplicate"),
        who="decided_by",
        made_at="decided_at",
        paper=PossibleDuplicateRow.paper_id,
        wanted=PossibleDuplicateRow.is_duplicate.is_not(None),
    ),
    "other": _Log(
        ChangeRow, ChangeRow.description, about=ChangeRow.about_id, before=ChangeRow.before, value=lambda row: row.after
    ),
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
    """Return the newest changes, newest first, filtered by the optional parameters.

    Parameters
    ----------
    limit : int
        Maximum number of changes.
    kinds : sequence of str
        Keys of `LOGS`. Defaults to all logs.
    person : str
        Name of the author.
    report : str
        Code of the report.
    since : date
        First day, in UTC.
    words : str
        Text to search in the action, the new value, the subject and the title of the paper, ignoring case. Also finds
        changes of the report with this code.

    Raises
    ------
    RefusedError
        If the report does not exist.
    """
    with store.reading() as connection:
        wanted = _Wanted.of(connection, person, report, since, words)
        logs = [
            _newest_first(kind, connection.execute(wanted.query(LOGS[kind], limit)).all()) for kind in kinds or LOGS
        ]
    return [entry for _, entry in islice(merge(*logs, key=lambda one: one[0], reverse=True), limit)]


def _newest_first(kind: str, rows: Iterable[Row[*tuple[Any, ...]]]) -> list[tuple[datetime, AuditEntry]]:
    """Return the entries of a log, newest first, each with a time to sort by.

    This is the minimum of its own time and the times of later entries in the same log. So each log keeps its order even
    if the clock was wrong, and an entry dated a year ahead does not stay on top for a year.
    """
    entries = [_entry(kind, row) for row in rows]
    return list(zip(accumulate((one.made_at for one in entries), min), entries, strict=True))


def people_in_log(store: Store) -> list[str]:
    """Return the names of all people, sorted by name."""
    with store.reading() as connection:
        return list(connection.execute(select(PersonRow.name).order_by(PersonRow.name)).scalars())


@dataclass(frozen=True)
class _Wanted:
    """Filter for the entries of each log. `person` and `report` are ids, or None for all."""

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
            log.action.label("action"),
            log.old_value().label("before"),
            log.value(row).label("after"),
            (null() if log.subject is None else log.subject).label("subject"),
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
            title = [] if log.paper is None else [" ", PaperRow.title]
            subject = [] if log.subject is None else [" ", log.subject]
            text = _joined(log.action, *subject, " ", log.value(row), *title)
            pattern = _in_any_case(self.words)
            is_report = ReportRow.code.regexp_match(f"^{pattern}$") if has_report else literal(value=False)
            conditions.append(text.regexp_match(pattern) | is_report)
        order = [row.id.desc()] if log.is_by_number else [made_at.desc()]
        return query.where(*conditions).order_by(*order).limit(limit)


def _in_any_case(words: str) -> str:
    r"""Return a regular expression that matches a text regardless of case.

    Needed because the databases ignore case only for ASCII letters.

    Examples
    --------
    >>> _in_any_case("É. 5%")
    '[éÉ]\\.\\ 5%'
    """
    forms = ((one, one.lower() + one.upper()) for one in words)
    return "".join(f"[{both}]" if one.isalpha() and len(both) == 2 else re.escape(one) for one, both in forms)


def _entry(kind: str, row: Row[*tuple[Any, ...]]) -> AuditEntry:
    place = row.place or PLACES.get(row.person, "desk")
    subject = row.about or row.subject or row.title or ""
    return AuditEntry(
        row.made_at, row.person, place, kind, row.action, row.report or "", row.issue, subject, row.before, row.after
    )
