"""Tables of editors' work: decisions, notes, hints, drafts and published report issues."""

import datetime

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, false, text
from sqlalchemy.orm import Mapped, mapped_column

from presort.data.tables.base import Base, NoBytes


def _listed() -> ForeignKeyConstraint:
    """Return the rule that a paper is in the issue that a row names."""
    return ForeignKeyConstraint(["issue_id", "paper_id"], ["listing.issue_id", "listing.paper_id"])


def _ranked() -> ForeignKeyConstraint:
    """Return the rule that the ranking of a row, if any, is of its report and issue."""
    return ForeignKeyConstraint(
        ["ranking_id", "report_id", "issue_id"], ["ranking.id", "ranking.report_id", "ranking.issue_id"]
    )


def _reranked() -> ForeignKeyConstraint:
    """Return the rule that a re-ranked order, if a row names one, is of its report and issue."""
    return ForeignKeyConstraint(
        ["reranking_id", "report_id", "issue_id"], ["reranking.id", "reranking.report_id", "reranking.issue_id"]
    )


def _known_once() -> Index:
    """Return the rule that a message counts once; imports have none."""
    has_one = text("client_id IS NOT NULL")
    return Index(None, "client_id", unique=True, sqlite_where=has_one, postgresql_where=has_one)


def _sourced() -> CheckConstraint:
    """Return the rule on the column `source`: the values of `presort.data.records.Source`."""
    return CheckConstraint("source IN ('desk', 'file', 'rule')", name="source")


class DecisionRow(Base):
    """The log of decisions: rows are only ever added, the newest of a paper counts."""

    __tablename__ = "decision"
    __table_args__ = (
        CheckConstraint(
            "(about = 'relevant' AND label IN ('yes', 'no', 'maybe', 'undecided')) "
            "OR (about = 'publish' AND label IN ('yes', 'no'))",
            name="label",
        ),
        _sourced(),
        _listed(),
        _ranked(),
        _reranked(),
        Index(None, "report_id", "issue_id", "paper_id", "about", "id"),
        _known_once(),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    client_id: Mapped[str | None]  # made by the sender: a repeated message counts once
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int]
    paper_id: Mapped[int]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    about: Mapped[str]
    label: Mapped[str]
    ranking_id: Mapped[int | None]  # what the editor was looking at
    source: Mapped[str]
    is_alone: Mapped[bool] = mapped_column(server_default=false())  # not read down to: found by a search, say
    reranking_id: Mapped[int | None]  # order of that ranking's list when the decision was made; None is the first one


class CurrentDecisionsRow(Base):
    """Current decisions of a report issue, derived from the log by `data.tables.current_decisions`."""

    __tablename__ = "current_decisions"
    __table_args__ = (Index(None, "newest"),)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"), primary_key=True)
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"), primary_key=True)
    relevant: Mapped[bytes]  # little-endian int32, list positions from 1, ascending
    maybe: Mapped[bytes]
    irrelevant: Mapped[bytes]
    newest: Mapped[int]  # number of the newest decision, whatever it is about


class PaperNoteRow(Base):
    """The log of tags and notes: rows are only ever added; the newest of a tag, and the newest note, count."""

    __tablename__ = "paper_note"
    __table_args__ = (
        CheckConstraint("kind IN ('tag', 'untag', 'note')", name="kind"),
        _listed(),
        Index(None, "report_id", "issue_id", "paper_id", "id"),
        _known_once(),
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
    """The log of a report's criteria: rows are only ever added, the newest counts."""

    __tablename__ = "criteria"
    __table_args__ = (Index(None, "report_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    text: Mapped[str]


class PreferenceRow(Base):
    """Preference of a person at the desk: JSON text under a name."""

    __tablename__ = "preference"
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class HintRow(Base):
    """The log of hints: rows are only ever added, the newest of a text counts."""

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
    """Published report issue: the published papers of an issue in the editor's order."""

    __tablename__ = "report_issue"
    __table_args__ = (_sourced(), _ranked(), CheckConstraint("ended IN ('all', 'advised', 'early')", name="ended"))
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"), primary_key=True)
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"), primary_key=True)
    ranking_id: Mapped[int | None]  # what the editor was shown
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    published_at: Mapped[datetime.datetime]
    published: Mapped[bytes]  # little-endian int32, list positions from 1, in the editor's order
    note: Mapped[str] = mapped_column(server_default=text("''"))  # to the readers
    source: Mapped[str]
    n_papers: Mapped[int] = mapped_column(server_default=text("0"))  # in the issue when it was published
    # Little-endian int32, list positions from 1, of the unread papers at that time; empty if all count as read.
    unread: Mapped[bytes] = mapped_column(server_default=NoBytes())
    ended: Mapped[str] = mapped_column(server_default=text("'all'"))
    stop_at: Mapped[int | None]  # stop point of the stop advice; null if there was no advice


class FirstPublicationRow(Base):
    """First publication of a report issue: the ranking shown, and the ends of the logs.

    There is one row a report issue: reopening it and publishing it again changes nothing here. Its figures are those of
    the ranking shown then, and rankings made later may use nothing that the logs did not hold yet. Logs are compared by
    their numbers, because a clock can be set back.
    """

    __tablename__ = "first_publication"
    __table_args__ = (_sourced(), _ranked(), CheckConstraint("ended IN ('all', 'advised', 'early')", name="ended"))
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"), primary_key=True)
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"), primary_key=True)
    ranking_id: Mapped[int | None]  # what the editor was shown; none in list order, and of imported selections
    source: Mapped[str]  # of an import, the numbers below are those at the import
    decisions_up_to: Mapped[int]  # the newest decision in the log then, of all reports; 0 if there was none
    hints_up_to: Mapped[int]  # the newest hint in the log then, of all reports
    rankings_up_to: Mapped[int]  # the newest ranking there was, of all reports
    n_papers: Mapped[int]  # in the issue then
    unread: Mapped[bytes] = mapped_column(server_default=NoBytes())  # as in `report_issue`, but as it was then
    ended: Mapped[str] = mapped_column(server_default=text("'all'"))


class ReopenedIssueRow(Base):
    """The log of report issues that were taken back to review: what had gone out, and why it was reopened."""

    __tablename__ = "reopened_issue"
    __table_args__ = (
        _sourced(),
        _ranked(),
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
    source: Mapped[str]  # of the publication
    # As in `report_issue`: what counted as read then still counts when it is published again.
    n_papers: Mapped[int]
    unread: Mapped[bytes]
    ended: Mapped[str]
    stop_at: Mapped[int | None]
    decisions_up_to: Mapped[int]  # newest decision in the log when reopened


class DraftRow(Base):
    """The log of drafts of report issues: rows are only ever added, the newest counts."""

    __tablename__ = "draft"
    __table_args__ = (Index(None, "report_id", "issue_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    positions: Mapped[bytes]  # little-endian int32, list positions from 1, in the order to publish
    note: Mapped[str]
    private_note: Mapped[str]


class SkippedIssueRow(Base):
    """The log of issues that a report passes over: rows are only ever added, the newest of a report issue counts.

    It counts no more once somebody decides in the issue. Reopening adds a row that takes it back.
    """

    __tablename__ = "skipped_issue"
    __table_args__ = (Index(None, "report_id", "issue_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    decisions_up_to: Mapped[int]  # the newest in their log then, 0 where there was none
    is_taken_back: Mapped[bool]


class ReadMarkRow(Base):
    """The log of read marks: rows are only ever added, the newest of a person and a list counts."""

    __tablename__ = "read_mark"
    __table_args__ = (
        CheckConstraint("place > 0", name="place"),
        _ranked(),
        _reranked(),
        Index(None, "report_id", "issue_id", "id"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    ranking_id: Mapped[int | None]  # the list; None in the order received
    place: Mapped[int]  # in that list, from 1
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    reranking_id: Mapped[int | None]  # as in `decision`


class RerankingRow(Base):
    """The log of orders that editors gave the unread papers of a list: rows are only ever added.

    The newest row of a ranking is the order in which its list is read. The ranking itself stays as it was, and so do
    its scores: it is evaluated in the order that was shown first.
    """

    __tablename__ = "reranking"
    __table_args__ = (
        _ranked(),
        ForeignKeyConstraint(["before_id"], ["reranking.id"]),
        Index(None, "report_id", "issue_id", "id"),
        Index(None, "ranking_id"),
        Index(None, "id", "report_id", "issue_id", unique=True),  # what points to an order names all three
        _known_once(),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    client_id: Mapped[str | None]
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    ranking_id: Mapped[int]
    before_id: Mapped[int | None]  # the order that undoing this one restores; None is that of the ranking
    positions: Mapped[bytes]  # little-endian int32, list positions from 1, as the whole list is read from now on
    n_decisions: Mapped[int]  # decisions on papers of this issue that it was learned from; 0 if the first order is back
    decisions_up_to: Mapped[int]  # the newest of them in the log
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]


class DrawRow(Base):
    """The log of papers drawn at random from those not read: rows are only ever added."""

    __tablename__ = "draw"
    __table_args__ = (_ranked(), Index(None, "report_id", "issue_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    ranking_id: Mapped[int]  # what was shown
    n_read: Mapped[int]  # papers read then, without those ever drawn
    n_rest: Mapped[int]  # papers it was drawn from
    positions: Mapped[bytes]  # little-endian int32, list positions from 1, in the order of the ranking
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
