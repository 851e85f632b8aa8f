"""The tables of a workspace, typed. Only the modules of `data` see them.

Every change here is a new migration in `data/migrations/versions`.
"""

import datetime

from sqlalchemy import CheckConstraint, Date, Dialect, ForeignKey, Index, MetaData, String, UniqueConstraint, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

from data.records import Paper


class Lines(TypeDecorator[tuple[str, ...]]):
    """Several short texts in one column, a line each; cleaned texts hold no line break."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Dialect) -> str:
        """Join the texts."""
        return self.joined(value or ())

    @staticmethod
    def joined(texts: tuple[str, ...]) -> str:
        """Give what stands in the database for `texts`."""
        return "\n".join(texts)

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[str, ...]:
        """Split them again; nothing is no text."""
        return tuple(value.split("\n")) if value else ()


class Moment(TypeDecorator[datetime.datetime]):
    """A time with its zone, kept as ISO text in UTC so that every database orders it alike."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: datetime.datetime | None, dialect: Dialect) -> str | None:
        """Write the time in UTC."""
        return None if value is None else self.written(value)

    @staticmethod
    def written(time: datetime.datetime) -> str:
        """Give what stands in the database for `time`."""
        return time.astimezone(datetime.UTC).isoformat(timespec="milliseconds")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime.datetime | None:
        """Read it back with its zone."""
        return None if value is None else datetime.datetime.fromisoformat(value)


class Base(DeclarativeBase):
    """All tables; names of constraints are fixed so that migrations can change them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012  (SQLAlchemy reads it as a class attribute)
        datetime.datetime: Moment,
        datetime.date: Date,
        tuple[str, ...]: Lines,
    }


class SettingRow(Base):
    """A named value of the workspace, such as ``demo``."""

    __tablename__ = "setting"
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class RevisionRow(Base):
    """One row: a number that grows with every change, so that a cache knows when it is old."""

    __tablename__ = "revision"
    id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int]


class PaperRow(Base):
    """A paper, once, however many issues list it."""

    __tablename__ = "paper"
    id: Mapped[int] = mapped_column(primary_key=True)
    paper_id: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    abstract: Mapped[str]
    authors: Mapped[tuple[str, ...]]
    codes: Mapped[tuple[str, ...]]
    series: Mapped[str]
    date: Mapped[str]


# In the order of `data.records.Paper`.
PAPER_COLUMNS = (
    PaperRow.paper_id,
    PaperRow.title,
    PaperRow.abstract,
    PaperRow.authors,
    PaperRow.codes,
    PaperRow.series,
    PaperRow.date,
)


def paper_values(paper: Paper) -> dict[str, str]:
    """Give what stands in the database for a paper, by column."""
    return {
        "paper_id": paper.paper_id,
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": Lines.joined(paper.authors),
        "codes": Lines.joined(paper.codes),
        "series": paper.series,
        "date": paper.date,
    }


class TokenRow(Base):
    """A token of any paper; numbers go from 0 without a gap, and none is ever removed."""

    __tablename__ = "token"
    id: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str] = mapped_column(unique=True)


class PaperTokensRow(Base):
    """The tokens of a paper's fields, as little-endian int32 token numbers in the order they stand there."""

    __tablename__ = "paper_tokens"
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"), primary_key=True)
    title: Mapped[bytes]
    abstract: Mapped[bytes]
    authors: Mapped[bytes]
    codes: Mapped[bytes]


class IssueRow(Base):
    """One dated list of papers."""

    __tablename__ = "issue"
    id: Mapped[int] = mapped_column(primary_key=True)
    date: Mapped[datetime.date] = mapped_column(unique=True)


class ListingRow(Base):
    """A paper's place in an issue, from 1, oldest order kept; a position never changes."""

    __tablename__ = "listing"
    __table_args__ = (UniqueConstraint("issue_id", "paper_id"), {"sqlite_with_rowid": False})
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"))


class ReportRow(Base):
    """A subject report."""

    __tablename__ = "report"
    id: Mapped[int] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    retired_at: Mapped[datetime.datetime | None]
    colour: Mapped[str] = mapped_column(server_default=text("''"))  # on charts, as #0072b2; empty where none was chosen


class PersonRow(Base):
    """A name, apart from the log, so that a person can be erased and the log stay."""

    __tablename__ = "person"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    affiliation: Mapped[str] = mapped_column(server_default=text("''"))


class DecisionRow(Base):
    """The log of decisions: rows are only ever added, the newest of a paper counts."""

    __tablename__ = "decision"
    __table_args__ = (
        CheckConstraint(
            "(about = 'relevant' AND word IN ('yes', 'no', 'maybe', 'undecided')) "
            "OR (about = 'publish' AND word IN ('yes', 'no'))",
            name="word",
        ),
        Index(None, "report_id", "issue_id", "paper_id", "about", "id"),
        Index(None, "client_id", unique=True, sqlite_where=text("client_id IS NOT NULL")),  # imports have none
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    client_id: Mapped[str | None]  # made by the sender: a repeated message counts once
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    about: Mapped[str]
    word: Mapped[str]
    ranking_id: Mapped[int | None] = mapped_column(ForeignKey("ranking.id"))  # what the editor was looking at


class PaperNoteRow(Base):
    """The log of tags and notes: rows are only ever added; the newest of a tag, and the newest note, count."""

    __tablename__ = "paper_note"
    __table_args__ = (
        CheckConstraint("kind IN ('tag', 'untag', 'note')", name="kind"),
        Index(None, "report_id", "issue_id", "paper_id", "id"),
        Index(None, "client_id", unique=True, sqlite_where=text("client_id IS NOT NULL")),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    client_id: Mapped[str | None]
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    kind: Mapped[str]
    text: Mapped[str]


class CriteriaRow(Base):
    """The log of a report's criteria: rows are only ever added, the newest counts."""

    __tablename__ = "criteria"
    __table_args__ = (Index(None, "report_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    text: Mapped[str]


class PreferenceRow(Base):
    """How a person likes the desk: JSON text under a name."""

    __tablename__ = "preference"
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class HintRow(Base):
    """The log of hints: rows are only ever added, the newest of a text counts."""

    __tablename__ = "hint"
    __table_args__ = (
        CheckConstraint("kind IN ('mute', 'boost', 'seed', 'none')", name="kind"),
        Index(None, "report_id", "text", "id"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    kind: Mapped[str]
    text: Mapped[str]


class ReplayRow(Base):
    """A walk over past issues; its rankings point to it."""

    __tablename__ = "replay"
    __table_args__ = (UniqueConstraint("first_issue", "last_issue", "retrain_every"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    first_issue: Mapped[datetime.date]
    last_issue: Mapped[datetime.date]
    retrain_every: Mapped[int]
    made_at: Mapped[datetime.datetime]


class RankingRow(Base):
    """One report x issue x ranker; never changed, a new one is made instead."""

    __tablename__ = "ranking"
    __table_args__ = (Index(None, "report_id", "issue_id", "ranker", "id"), Index(None, "replay_id"))
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    replay_id: Mapped[int | None] = mapped_column(ForeignKey("replay.id"))
    ranker: Mapped[str]
    trained_before: Mapped[datetime.date]  # decisions on issues before this one were seen, no others
    decisions_up_to: Mapped[int]  # the newest decision among those, 0 where there was none
    n_relevant: Mapped[int]
    made_at: Mapped[datetime.datetime]
    positions: Mapped[bytes]  # little-endian int32, list positions from 1, best first
    scores: Mapped[bytes]  # little-endian float64 in the same order; empty where list order was kept
    hints_up_to: Mapped[int] = mapped_column(server_default=text("0"))  # the newest hint heeded, 0 where none was
    words: Mapped[tuple[str, ...]] = mapped_column(server_default=text("''"))  # that spoke most, best first


class OutcomeRow(Base):
    """Where the relevant papers stood in a ranking: all that the outcome measures need."""

    __tablename__ = "outcome"
    ranking_id: Mapped[int] = mapped_column(ForeignKey("ranking.id"), primary_key=True)
    n_papers: Mapped[int]
    places: Mapped[bytes]  # little-endian int32, places in the ranking from 1, ascending
    scored_at: Mapped[datetime.datetime]


class ReportIssueRow(Base):
    """What went out: the published papers of an issue in the editor's order."""

    __tablename__ = "report_issue"
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"), primary_key=True)
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"), primary_key=True)
    ranking_id: Mapped[int | None] = mapped_column(ForeignKey("ranking.id"))  # what the editor was shown
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    issued_at: Mapped[datetime.datetime]
    published: Mapped[bytes]  # little-endian int32, list positions from 1, in the editor's order
    note: Mapped[str] = mapped_column(server_default=text("''"))  # to the readers


class ReopenedIssueRow(Base):
    """The log of report issues that were taken back to review: what had gone out, and why it was reopened."""

    __tablename__ = "reopened_issue"
    __table_args__ = (Index(None, "report_id", "issue_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    ranking_id: Mapped[int | None] = mapped_column(ForeignKey("ranking.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    issued_at: Mapped[datetime.datetime]
    published: Mapped[bytes]
    note: Mapped[str]
    reopened_by: Mapped[int] = mapped_column(ForeignKey("person.id"))
    reopened_at: Mapped[datetime.datetime]
    reason: Mapped[str]


class DraftRow(Base):
    """The log of drafts of report issues: rows are only ever added, the newest counts."""

    __tablename__ = "draft"
    __table_args__ = (Index(None, "report_id", "issue_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    positions: Mapped[bytes]  # little-endian int32, list positions from 1, as the papers are to stand
    note: Mapped[str]
    private_note: Mapped[str]


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
    away_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))  # whom a substitute stands in for
    first: Mapped[datetime.date]
    last: Mapped[datetime.date | None]
    is_taken_back: Mapped[bool]
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
    """The log of imports: rows are only ever added. The numbers are those of `data.records.ImportSummary`."""

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
