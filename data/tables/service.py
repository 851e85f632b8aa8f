"""Tables for reports, people, editorships, ranker choices, alerts, holidays and imported files."""

import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from presort.data.tables.base import Base


class ReportRow(Base):
    """Report on a subject."""

    __tablename__ = "report"
    id: Mapped[int] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    retired_at: Mapped[datetime.datetime | None]
    colour: Mapped[str] = mapped_column(server_default=text("''"))  # colour in charts, such as #0072b2; may be empty
    # Newest issue when the report was added or restored. Only later issues can be late.
    late_after: Mapped[datetime.date | None]
    first_issue: Mapped[datetime.date | None]  # first pending issue; if NULL, derived from the report's history


class PersonRow(Base):
    """Person, stored separately from the logs so that personal data can be erased."""

    __tablename__ = "person"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    affiliation: Mapped[str] = mapped_column(server_default=text("''"))
    address: Mapped[str] = mapped_column(server_default=text("''"))  # email address; empty if unknown


class RankerChoiceRow(Base):
    """Log of choices of the active and shadow rankers. Rows are never changed or deleted."""

    __tablename__ = "ranker_choice"
    __table_args__ = ({"sqlite_autoincrement": True},)
    id: Mapped[int] = mapped_column(primary_key=True)
    active: Mapped[str]
    shadows: Mapped[tuple[str, ...]]
    # Newest ranked issue when the choice was made. The choice applies to later issues.
    after: Mapped[datetime.date | None]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]


class EditorshipRow(Base):
    """Log of reports' editors and substitutes. Rows are never changed or deleted.

    The newest row for a report, editor, replaced editor and first day is current.
    """

    __tablename__ = "editorship"
    __table_args__ = (Index(None, "report_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    editor_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    away_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))  # editor whom a substitute replaces
    first: Mapped[datetime.date]
    last: Mapped[datetime.date | None]
    is_taken_back: Mapped[bool]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]


class AlertRow(Base):
    """Log of alerts, with first occurrences, acknowledgements and notes. Rows are never changed or deleted.

    The newest row for a report, kind and first issue is current.
    """

    __tablename__ = "alert"
    __table_args__ = (
        CheckConstraint("kind IN ('declined', 'stops early', 'missed', 'silent')", name="kind"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    kind: Mapped[str]
    since: Mapped[datetime.date]  # first issue that raised the alert
    up_to: Mapped[datetime.date]  # last issue that raised the alert
    figure: Mapped[str]  # figure that was shown, stored because later issues change it
    is_acknowledged: Mapped[bool]
    note: Mapped[str]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]


class HolidayRow(Base):
    """Log of holidays. Rows are never changed or deleted. The newest row for a first day is current."""

    __tablename__ = "holiday"
    __table_args__ = ({"sqlite_autoincrement": True},)
    id: Mapped[int] = mapped_column(primary_key=True)
    first: Mapped[datetime.date]
    last: Mapped[datetime.date]
    name: Mapped[str]
    is_taken_back: Mapped[bool]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]


class ImportedFileRow(Base):
    """Log of imported files. Rows are never changed or deleted.

    The numbers are those of `presort.data.records.ImportSummary`.
    """

    __tablename__ = "imported_file"
    __table_args__ = ({"sqlite_autoincrement": True},)
    id: Mapped[int] = mapped_column(primary_key=True)
    file: Mapped[str]  # file name without the folder, which may reveal a person's identity
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    listings: Mapped[int]
    new_issues: Mapped[int]
    new_papers: Mapped[int]
    updated_papers: Mapped[int]
    new_listings: Mapped[int]
    new_reports: Mapped[int]
    new_selections: Mapped[int]
    selections_left: Mapped[int]
    matched: Mapped[int] = mapped_column(server_default=text("0"))
