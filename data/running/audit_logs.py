"""Mapping from each log table to entries of the audit log."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, String, case, cast, func, literal, select, type_coerce
from sqlalchemy.orm import aliased

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
    PaperDuplicateRow,
    PaperNoteRow,
    PossibleDuplicateRow,
    RankerChoiceRow,
    ReadershipRow,
    ReopenedIssueRow,
    ReportIssueRow,
    RoleRow,
    SkippedIssueRow,
)

LONGEST_VALUE = 80  # values are truncated to this number of characters


def _no_value(_row: Any) -> Any:
    return literal("")


@dataclass(frozen=True)
class Log:
    """Mapping from a log table to audit log entries. It names the columns for the author, the time and the change.

    Attributes
    ----------
    row : Any
        Mapped class of the table, or an alias.
    action : column
        Description of the change.
    who, made_at : str
        Names of the columns for the author and the time.
    paper, about : column or None
        Id of the changed paper or person.
    subject : column or None
        Column for the changed object if it is neither a paper nor a person, such as a term or a file.
    value : callable
        Function that takes the mapped class or an alias and returns the column for the new value.
    same : sequence of str or None
        Names of the columns that identify the changed object. The old value is taken from the previous entry about the
        same object. None if changes have no old value, or if the log stores it.
    before : column or None
        Column for the old value, if the log stores it.
    place : column or None
        Column for the origin of the change, if the log stores it.
    wanted : condition or None
        Condition that selects the rows to show as changes. Defaults to all rows.
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
        """True if the row ids are in the order of the changes. This is the case if rows are added but never updated."""
        return hasattr(self.row, "id") and self.made_at != "undone_at"

    def old_value(self) -> Any:
        """Return a column for the value before the change, either stored or taken from the previous entry."""
        if self.before is not None:
            return self.before
        if self.same is None:
            return literal("")
        other = aliased(self.row)
        is_same = [getattr(other, name).is_not_distinct_from(getattr(self.row, name)) for name in self.same]
        previous = select(self.value(other)).where(*is_same, other.id < self.row.id).order_by(other.id.desc()).limit(1)
        return func.coalesce(previous.correlate(self.row).scalar_subquery(), "")


def _action_or_undo(does: str, is_back: Any, back: str) -> ColumnElement[str]:
    action: ColumnElement[str] = case((is_back, back), else_=does)
    return action


def concatenate(*parts: Any) -> ColumnElement[str]:
    """Return an SQL expression that concatenates strings and columns."""
    first, *rest = (literal(part) if isinstance(part, str) else part for part in parts)
    text: ColumnElement[str] = first
    for part in rest:
        text = text + part
    return text


def _shorten(text: Any) -> Any:
    return func.substr(text, 1, LONGEST_VALUE)


def _value_unless_undone(row: Any, value: Any) -> ColumnElement[str]:
    """Return an SQL expression for a value. If the entry undoes an earlier entry, the result is an empty string."""
    return case((row.is_taken_back, ""), else_=value)


def _format_days(row: Any) -> Any:
    first, last = cast(row.first, String), cast(row.last, String)
    return case((row.last.is_(None), concatenate("from ", first)), else_=concatenate(first, " to ", last))


def _format_rankers(row: Any) -> Any:
    shadows = type_coerce(row.shadows, String)
    return concatenate(
        row.active, case((shadows == "", ""), else_=concatenate("; shadows: ", func.replace(shadows, "\n", ", ")))
    )


LOGS: Mapping[str, Log] = {
    "decision": Log(
        DecisionRow,
        case((DecisionRow.about == "relevant", "Relevant"), else_="Publish"),
        paper=DecisionRow.paper_id,
        place=DecisionRow.source,
        value=lambda row: row.label,
        same=["report_id", "issue_id", "paper_id", "about"],
    ),
    "note": Log(PaperNoteRow, PaperNoteRow.kind, paper=PaperNoteRow.paper_id),
    "hint": Log(
        HintRow,
        literal("Hint"),
        subject=_shorten(HintRow.text),
        value=lambda row: row.kind,
        same=["report_id", "text"],
    ),
    "criteria": Log(CriteriaRow, literal("Criteria"), value=lambda row: _shorten(row.text), same=["report_id"]),
    "draft": Log(DraftRow, literal("Draft saved")),
    "published": Log(ReportIssueRow, literal("Published"), made_at="published_at", place=ReportIssueRow.source),
    "reopened": Log(
        ReopenedIssueRow,
        literal("Reopened"),
        who="reopened_by",
        made_at="reopened_at",
        value=lambda row: row.reason,
    ),
    "skipped": Log(SkippedIssueRow, _action_or_undo("Skipped", SkippedIssueRow.is_taken_back, "Skip undone")),
    "ranker": Log(RankerChoiceRow, literal("Rankers"), value=_format_rankers, same=[]),
    "editor": Log(
        EditorshipRow,
        case((EditorshipRow.away_id.is_(None), "Editor"), else_="Substitute"),
        about=EditorshipRow.editor_id,
        value=lambda row: _value_unless_undone(row, _format_days(row)),
        same=["report_id", "editor_id", "away_id", "first"],
    ),
    "role": Log(
        RoleRow,
        literal("Role"),
        about=RoleRow.member_id,
        value=lambda row: _value_unless_undone(row, row.role),
        same=["member_id", "role", "report_id"],
    ),
    "reader": Log(ReadershipRow, case((ReadershipRow.is_reading, "Reader joined"), else_="Reader left")),
    "holiday": Log(
        HolidayRow,
        literal("Holiday"),
        subject=HolidayRow.name,
        value=lambda row: _value_unless_undone(row, _format_days(row)),
        same=["first"],
    ),
    "alert": Log(
        AlertRow,
        case((AlertRow.is_acknowledged, "Alert acknowledged"), (AlertRow.note == "", "Alert"), else_="Note on alert"),
        subject=AlertRow.kind,
    ),
    "import": Log(ImportedFileRow, literal("Imported"), subject=ImportedFileRow.file),
    "copy": Log(
        PaperDuplicateRow,
        literal("Listed: not a duplicate"),
        who="undone_by",
        made_at="undone_at",
        paper=PaperDuplicateRow.paper_id,
        wanted=PaperDuplicateRow.undone_at.is_not(None),
    ),
    "duplicate": Log(
        PossibleDuplicateRow,
        _action_or_undo("Both papers kept", PossibleDuplicateRow.is_duplicate, "Merged as a duplicate"),
        who="decided_by",
        made_at="decided_at",
        paper=PossibleDuplicateRow.paper_id,
        wanted=PossibleDuplicateRow.is_duplicate.is_not(None),
    ),
    "other": Log(
        ChangeRow, ChangeRow.description, about=ChangeRow.about_id, before=ChangeRow.before, value=lambda row: row.after
    ),
}
