"""Tables for editors' work: decisions, notes, hints, drafts and published report issues."""

import datetime

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, false, text
from sqlalchemy.orm import Mapped, mapped_column

from presort.data.tables.base import Base, NoBytes


def _listing_key() -> ForeignKeyConstraint:
    """Return a foreign key that requires a row's paper to be listed in its issue."""
    return ForeignKeyConstraint(["issue_id", "paper_id"], ["listing.issue_id", "listing.paper_id"])


def _ranking_key() -> ForeignKeyConstraint:
    """Return a foreign key that requires a row's ranking, if any, to belong to its report and issue."""
    return ForeignKeyConstraint(
        ["ranking_id", "report_id", "issue_id"], ["ranking.id", "ranking.report_id", "ranking.issue_id"]
    )


def _reranking_key() -> ForeignKeyConstraint:
    """Return a foreign key that requires a row's re-ranked order, if any, to belong to its report and issue."""
    return ForeignKeyConstraint(
        ["reranking_id", "report_id", "issue_id"], ["reranking.id", "reranking.report_id", "reranking.issue_id"]
    )


def _client_id_index() -> Index:
    """Return a unique index on `client_id`, which prevents storing a message twice. Imported rows have no id."""
    has_one = text("client_id IS NOT NULL")
    return Index(None, "client_id", unique=True, sqlite_where=has_one, postgresql_where=has_one)


def _source_check() -> CheckConstraint:
    """Return a check constraint that requires the column `source` to contain a `presort.data.records.Source`."""
    return CheckConstraint("source IN ('desk', 'file', 'rule')", name="source")


class DecisionRow(Base):
    """Log of decisions. Rows are never changed or deleted. The newest row for a paper and question is current."""

    __tablename__ = "decision"
    __table_args__ = (
        CheckConstraint(
            "(about = 'relevant' AND label IN ('yes', 'no', 'maybe', 'undecided')) "
            "OR (about = 'publish' AND label IN ('yes', 'no'))",
            name="label",
        ),
        _source_check(),
        _listing_key(),
        _ranking_key(),
        _reranking_key(),
        Index(None, "report_id", "issue_id", "paper_id", "about", "id"),
        _client_id_index(),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    client_id: Mapped[str | None]  # created by the browser, so that a resent message is stored only once
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int]
    paper_id: Mapped[int]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    about: Mapped[str]
    label: Mapped[str]
    ranking_id: Mapped[int | None]  # ranking of the editor's list; NULL if it was shown in list order
    source: Mapped[str]
    # True if the paper was found individually, for example by a search, so that papers above it may be unread.
    is_alone: Mapped[bool] = mapped_column(server_default=false())
    reranking_id: Mapped[int | None]  # re-ranked order of the editor's list; NULL if the list was not re-ranked


class CurrentDecisionsRow(Base):
    """Current decisions on a report issue, derived from the decision log by `data.tables.current_decisions`."""

    __tablename__ = "current_decisions"
    __table_args__ = (Index(None, "newest"),)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"), primary_key=True)
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"), primary_key=True)
    relevant: Mapped[bytes]  # 1-based list positions in ascending order, as little-endian int32
    maybe: Mapped[bytes]
    irrelevant: Mapped[bytes]
    newest: Mapped[int]  # log number of the newest decision, whether on relevance or on publishing


class PaperNoteRow(Base):
    """Log of tags and notes on papers. Rows are never changed or deleted.

    For each paper, the newest row for each tag and the newest note are current.
    """

    __tablename__ = "paper_note"
    __table_args__ = (
        CheckConstraint("kind IN ('tag', 'untag', 'note')", name="kind"),
        _listing_key(),
        Index(None, "report_id", "issue_id", "paper_id", "id"),
        _client_id_index(),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    client_id: Mapped[str | None]
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int]
    paper_id: Mapped[int]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    kind: Mapped[str]
    text: Mapped[str]


class CriteriaRow(Base):
    """Log of reports' inclusion criteria. Rows are never changed or deleted. The newest row for a report is current."""

    __tablename__ = "criteria"
    __table_args__ = (Index(None, "report_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    text: Mapped[str]


class PreferenceRow(Base):
    """Preference of a user, stored as a name and a JSON value."""

    __tablename__ = "preference"
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class HintRow(Base):
    """Log of hints. Rows are never changed or deleted. The newest row for a report and text is current."""

    __tablename__ = "hint"
    __table_args__ = (
        CheckConstraint("kind IN ('mute', 'boost', 'seed', 'none')", name="kind"),
        Index(None, "report_id"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    kind: Mapped[str]
    text: Mapped[str]


class ReportIssueRow(Base):
    """Published report issue, with the papers in the editor's order. Reopening the report issue deletes the row."""

    __tablename__ = "report_issue"
    __table_args__ = (
        _source_check(),
        _ranking_key(),
        CheckConstraint("ended IN ('all', 'advised', 'early')", name="ended"),
    )
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"), primary_key=True)
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"), primary_key=True)
    ranking_id: Mapped[int | None]  # ranking of the editor's list; NULL if it was shown in list order
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    published_at: Mapped[datetime.datetime]
    published: Mapped[bytes]  # 1-based list positions in the editor's order, as little-endian int32
    note: Mapped[str] = mapped_column(server_default=text("''"))  # note to the readers
    source: Mapped[str]
    n_papers: Mapped[int] = mapped_column(server_default=text("0"))  # size of the issue when it was published
    # 1-based list positions of the papers unread at publication, as little-endian int32. Empty if all papers are
    # regarded as read.
    unread: Mapped[bytes] = mapped_column(server_default=NoBytes())
    ended: Mapped[str] = mapped_column(server_default=text("'all'"))
    stop_at: Mapped[int | None]  # stop point of the stop advice; NULL if there was no advice


class FirstPublicationRow(Base):
    """First publication of a report issue, with the ranking that was shown and the newest log entries at that time.

    Each report issue has one row. Reopening the report issue and publishing it again doesn't change the row. The score
    of the report issue is the score of the ranking that was shown at its first publication. Rankings created later may
    use only log entries up to the numbers in this row. Log numbers are compared instead of times, because the clock can
    be set back.
    """

    __tablename__ = "first_publication"
    __table_args__ = (
        _source_check(),
        _ranking_key(),
        CheckConstraint("ended IN ('all', 'advised', 'early')", name="ended"),
    )
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"), primary_key=True)
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"), primary_key=True)
    # Ranking that was shown; NULL if the papers were shown in list order, and for imported selections.
    ranking_id: Mapped[int | None]
    source: Mapped[str]  # if it is "file", the numbers below were read at the time of the import
    decisions_up_to: Mapped[int]  # log number of the newest decision for any report; 0 if there was none
    hints_up_to: Mapped[int]  # log number of the newest hint for any report; 0 if there was none
    rankings_up_to: Mapped[int]  # number of the newest ranking for any report; 0 if there was none
    n_papers: Mapped[int]  # size of the issue at the first publication
    unread: Mapped[bytes] = mapped_column(server_default=NoBytes())  # as in `report_issue`, at the first publication
    ended: Mapped[str] = mapped_column(server_default=text("'all'"))


class ReopenedIssueRow(Base):
    """Log of reopened report issues, with the former publication and the reason for reopening."""

    __tablename__ = "reopened_issue"
    __table_args__ = (
        _source_check(),
        _ranking_key(),
        Index(None, "report_id", "issue_id", "id"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    ranking_id: Mapped[int | None]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    published_at: Mapped[datetime.datetime]
    published: Mapped[bytes]
    note: Mapped[str]
    reopened_by: Mapped[int] = mapped_column(ForeignKey("person.id"))
    reopened_at: Mapped[datetime.datetime]
    reason: Mapped[str]
    source: Mapped[str]  # source of the publication
    # As in `report_issue`. These four columns are stored so that papers that were regarded as read are still regarded
    # as read when the issue is published again.
    n_papers: Mapped[int]
    unread: Mapped[bytes]
    ended: Mapped[str]
    stop_at: Mapped[int | None]
    decisions_up_to: Mapped[int]  # log number of the newest decision when the report issue was reopened


class DraftRow(Base):
    """Log of draft report issues. Rows are never changed or deleted. The newest row for a report issue is current."""

    __tablename__ = "draft"
    __table_args__ = (Index(None, "report_id", "issue_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    positions: Mapped[bytes]  # 1-based list positions in the order of publication, as little-endian int32
    note: Mapped[str]
    private_note: Mapped[str]


class SkippedIssueRow(Base):
    """Log of skipped report issues. Rows are never changed or deleted. The newest row for a report issue is current.

    A later decision on the issue ends the skip. Reopening the issue adds a row that undoes the skip.
    """

    __tablename__ = "skipped_issue"
    __table_args__ = (Index(None, "report_id", "issue_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    decisions_up_to: Mapped[int]  # log number of the newest decision when the row was added; 0 if there was none
    is_taken_back: Mapped[bool]  # True if the row undoes the skip


class ReadMarkRow(Base):
    """Log of read marks. Rows are never changed or deleted. The newest row for a person and list is current."""

    __tablename__ = "read_mark"
    __table_args__ = (
        CheckConstraint("place > 0", name="place"),
        _ranking_key(),
        _reranking_key(),
        Index(None, "report_id", "issue_id", "id"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    ranking_id: Mapped[int | None]  # ranking of the list; NULL if it is shown in list order
    place: Mapped[int]  # 1-based place in the list
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    reranking_id: Mapped[int | None]  # as in `decision`


class RerankingRow(Base):
    """Log of re-ranked orders. Rows are never changed or deleted.

    The newest row for a ranking contains the current order of its list. The ranking and its scores don't change, and
    the ranking is evaluated in its original order.
    """

    __tablename__ = "reranking"
    __table_args__ = (
        _ranking_key(),
        ForeignKeyConstraint(["before_id"], ["reranking.id"]),
        Index(None, "report_id", "issue_id", "id"),
        Index(None, "ranking_id"),
        Index(None, "id", "report_id", "issue_id", unique=True),  # target of foreign keys on these three columns
        _client_id_index(),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    client_id: Mapped[str | None]
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    ranking_id: Mapped[int]
    before_id: Mapped[int | None]  # order that undo restores; NULL if undo restores the order of the ranking
    positions: Mapped[bytes]  # 1-based list positions in the new order of the whole list, as little-endian int32
    # Number of decisions on the issue used for re-ranking; 0 if the row restores the ranking's order.
    n_decisions: Mapped[int]
    decisions_up_to: Mapped[int]  # log number of the newest decision used for re-ranking; 0 as above
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]


class DrawRow(Base):
    """Log of random draws of unread papers. Rows are never changed or deleted."""

    __tablename__ = "draw"
    __table_args__ = (_ranking_key(), Index(None, "report_id", "issue_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    ranking_id: Mapped[int]  # ranking of the editor's list
    n_read: Mapped[int]  # number of papers read before the draw, excluding papers from earlier draws
    n_rest: Mapped[int]  # number of papers that could be drawn
    positions: Mapped[bytes]  # 1-based list positions in the order of the ranking, as little-endian int32
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
