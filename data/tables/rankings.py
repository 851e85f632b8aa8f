"""Tables for rankings, replays, outcomes and stop audits."""

import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from presort.data.tables.base import Base

OF_REPLAY = text("replay_id IS NOT NULL")


class ReplayRow(Base):
    """Replay of past issues. Rankings created by the replay refer to its row."""

    __tablename__ = "replay"
    __table_args__ = (UniqueConstraint("first_issue", "last_issue", "retrain_every"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    first_issue: Mapped[datetime.date]
    last_issue: Mapped[datetime.date]
    retrain_every: Mapped[int]
    made_at: Mapped[datetime.datetime]


class RankingRow(Base):
    """Ranking of an issue for a report by a ranker. Rows are never changed. A newer ranking adds a row."""

    __tablename__ = "ranking"
    __table_args__ = (
        Index(None, "report_id", "issue_id", "ranker", "id"),
        # This is a partial index, because most rankings don't belong to a replay.
        Index(None, "replay_id", sqlite_where=OF_REPLAY, postgresql_where=OF_REPLAY),
        Index(None, "id", "report_id", "issue_id", unique=True),  # target of foreign keys on these three columns
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    replay_id: Mapped[int | None] = mapped_column(ForeignKey("replay.id"))
    ranker: Mapped[str]
    trained_before: Mapped[datetime.date]  # trained only on decisions on issues before this date
    decisions_up_to: Mapped[int]  # log number of the newest training decision; 0 if there was none
    n_relevant: Mapped[int]
    made_at: Mapped[datetime.datetime]
    positions: Mapped[bytes]  # 1-based list positions, best first, as little-endian int32
    scores: Mapped[bytes]  # little-endian float64 in the same order; empty if the papers are in list order
    # Log number of the newest hint used in training; 0 if there was none.
    hints_up_to: Mapped[int] = mapped_column(server_default=text("0"))
    # Words that are the strongest evidence for relevance, best first.
    words: Mapped[tuple[str, ...]] = mapped_column(server_default=text("''"))
    # Number of papers in earlier issues when the ranking was created; NULL for old rankings.
    n_past: Mapped[int | None]


class OutcomeRow(Base):
    """Outcome of a ranking: the places of the relevant papers. All outcome measures are computed from these places."""

    __tablename__ = "outcome"
    __table_args__ = (Index(None, "revision"),)  # indexed because every page checks for new outcomes
    ranking_id: Mapped[int] = mapped_column(ForeignKey("ranking.id"), primary_key=True)
    n_papers: Mapped[int]
    places: Mapped[bytes]  # 1-based places in the ranking in ascending order, as little-endian int32
    scored_at: Mapped[datetime.datetime]
    revision: Mapped[int] = mapped_column(server_default=text("0"))  # number in `RevisionRow` when the row was added


class StopAuditRow(Base):
    """Relevant papers expected and found below the stop point of a ranking."""

    __tablename__ = "stop_audit"
    __table_args__ = (Index(None, "revision"),)
    ranking_id: Mapped[int] = mapped_column(ForeignKey("outcome.ranking_id", ondelete="CASCADE"), primary_key=True)
    n_read_below: Mapped[int]  # number of papers read below the stop point
    expected_below: Mapped[float]  # number of relevant papers expected among the papers read below the stop point
    found_below: Mapped[int]  # number of relevant papers found among the papers read below the stop point
    found: Mapped[int]  # number of relevant papers found in the whole list
    revision: Mapped[int] = mapped_column(server_default=text("0"))  # number in `RevisionRow` when the row was added
