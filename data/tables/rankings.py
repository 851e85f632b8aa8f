"""Rankings, the replays that they belong to, and what came of them."""

import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from presort.data.tables.base import Base

OF_REPLAY = text("replay_id IS NOT NULL")


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
    __table_args__ = (
        Index(None, "report_id", "issue_id", "ranker", "id"),
        Index(None, "replay_id", sqlite_where=OF_REPLAY, postgresql_where=OF_REPLAY),  # not of those for editors: most
        Index(None, "id", "report_id", "issue_id", unique=True),  # what points to a ranking names all three
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    replay_id: Mapped[int | None] = mapped_column(ForeignKey("replay.id"))
    ranker: Mapped[str]
    trained_before: Mapped[datetime.date]  # decisions on issues before this one were seen, no others
    decisions_up_to: Mapped[int]  # the newest decision that was learned from, 0 where there was none
    n_relevant: Mapped[int]
    made_at: Mapped[datetime.datetime]
    positions: Mapped[bytes]  # little-endian int32, list positions from 1, best first
    scores: Mapped[bytes]  # little-endian float64 in the same order; empty where list order was kept
    hints_up_to: Mapped[int] = mapped_column(server_default=text("0"))  # the newest hint trained on, 0 if none
    words: Mapped[tuple[str, ...]] = mapped_column(server_default=text("''"))  # that spoke most, best first
    n_past: Mapped[int | None]  # papers of the issues before, as they were known; older rankings did not note it


class OutcomeRow(Base):
    """Outcome of a ranking: the places of the relevant papers. The outcome measures need nothing else."""

    __tablename__ = "outcome"
    __table_args__ = (Index(None, "revision"),)  # every page asks whether any came
    ranking_id: Mapped[int] = mapped_column(ForeignKey("ranking.id"), primary_key=True)
    n_papers: Mapped[int]
    places: Mapped[bytes]  # little-endian int32, places in the ranking from 1, ascending
    scored_at: Mapped[datetime.datetime]
    revision: Mapped[int] = mapped_column(server_default=text("0"))  # number of the change that made it: `RevisionRow`


class StopAuditRow(Base):
    """Relevant papers expected and found below the stop point of a ranking."""

    __tablename__ = "stop_audit"
    __table_args__ = (Index(None, "revision"),)
    ranking_id: Mapped[int] = mapped_column(ForeignKey("outcome.ranking_id", ondelete="CASCADE"), primary_key=True)
    n_read_below: Mapped[int]  # papers below the stop point that were read
    expected_below: Mapped[float]  # relevant papers among these
    found_below: Mapped[int]
    found: Mapped[int]  # in the whole list
    revision: Mapped[int] = mapped_column(server_default=text("0"))  # number of the change that made it: `RevisionRow`
