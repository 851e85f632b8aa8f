"""Reports, people, and how the service is run."""

import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from presort.data.tables.base import Base


class ReportRow(Base):
    """A subject report."""

    __tablename__ = "report"
    id: Mapped[int] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    retired_at: Mapped[datetime.datetime | None]
    colour: Mapped[str] = mapped_column(server_default=text("''"))  # on charts, as #0072b2; empty where none was chosen
    late_after: Mapped[datetime.date | None]  # newest issue when it began or came back: only later ones can be late
    first_issue: Mapped[datetime.date | None]  # pending from this day on; None: derived from what it has done


class PersonRow(Base):
    """A name, apart from the log, so that a person can be erased and the log stay."""

    __tablename__ = "person"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    affiliation: Mapped[str] = mapped_column(server_default=text("''"))
    address: Mapped[str] = mapped_column(server_default=text("''"))  # of mail; empty where none is known


class RankerChoiceRow(Base):
    """The log of the active ranker and its shadows: rows are only ever added."""

    __tablename__ = "ranker_choice"
    __table_args__ = ({"sqlite_autoincrement": True},)
    id: Mapped[int] = mapped_column(primary_key=True)
    active: Mapped[str]
    shadows: Mapped[tuple[str, ...]]
    after: Mapped[datetime.date | None]  # it holds for the issues after this one, the newest sorted then
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]


class EditorshipRow(Base):
    """The log of who edits which report: rows are only ever added.

    The newest of a report, an editor, who is away and a first day counts.
    """

    __tablename__ = "editorship"
    __table_args__ = (Index(None, "report_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    editor_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    away_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))  # the editor whom a substitute replaces
    first: Mapped[datetime.date]
    last: Mapped[datetime.date | None]
    is_taken_back: Mapped[bool]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]


class AlertRow(Base):
    """Log of alerts: when each was first seen, acknowledgements and notes of directors. Rows are only ever added.

    The newest of a report, a kind and a first issue counts.
    """

    __tablename__ = "alert"
    __table_args__ = (
        CheckConstraint("kind IN ('declined', 'stops early', 'missed', 'silent')", name="kind"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    kind: Mapped[str]
    since: Mapped[datetime.date]  # first and last issue of those that raised it
    up_to: Mapped[datetime.date]
    figure: Mapped[str]  # as shown then: later issues change it
    is_acknowledged: Mapped[bool]
    note: Mapped[str]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]


class HolidayRow(Base):
    """The log of days without an issue: rows are only ever added, the newest of a first day counts."""

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
    """The log of imports: rows are only ever added. The numbers are those of `presort.data.records.ImportSummary`."""

    __tablename__ = "imported_file"
    __table_args__ = ({"sqlite_autoincrement": True},)
    id: Mapped[int] = mapped_column(primary_key=True)
    file: Mapped[str]  # its name alone: a folder may say whose it is
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
