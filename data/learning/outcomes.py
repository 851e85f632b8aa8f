"""Outcomes: where the relevant papers of a report issue that went out stood in its rankings."""

from collections.abc import Callable
from datetime import UTC, date, datetime

import numpy as np
from sqlalchemy import func, insert, select

from data.catalogue import report_id
from data.learning.history import current_words
from data.learning.rankings import whole_order
from data.records import Positions, ScoredRanking
from data.rights import Right
from data.store import Store
from data.tables import IssueRow, OutcomeRow, RankingRow, ReopenedIssueRow, ReportIssueRow, ReportRow
from data.tables.positions import packed, unpacked

SCORED_AT_ONCE = 100
State = tuple[int, str, int]  # how many outcomes there are, when the last was made, and how often they were taken away


def score_issued(store: Store, places: Callable[[Positions, Positions], Positions]) -> int:
    """Make the outcome of every ranking of a report issue that has gone out and has none yet; give their number.

    An outcome is of the papers that the issue had when it went out, whenever the ranking was made: outcomes of one
    report issue have the same n.

    Parameters
    ----------
    places : callable
        From the list positions of a ranking, best first, and those of the relevant papers to the places, from 1 and
        ascending, at which the relevant ones stood.
    """
    n_scored = 0
    while n_new := _score_some(store, places):
        n_scored += n_new
    return n_scored


def _score_some(store: Store, places: Callable[[Positions, Positions], Positions]) -> int:
    """Score at most `SCORED_AT_ONCE`, so that the lock is soon given back."""
    unscored = (
        select(RankingRow.id, RankingRow.report_id, RankingRow.issue_id, RankingRow.positions, ReportIssueRow.n_papers)
        .join(
            ReportIssueRow,
            (ReportIssueRow.report_id == RankingRow.report_id) & (ReportIssueRow.issue_id == RankingRow.issue_id),
        )
        .outerjoin(OutcomeRow, OutcomeRow.ranking_id == RankingRow.id)
        .where(OutcomeRow.ranking_id.is_(None))
        .order_by(RankingRow.id)
        .limit(SCORED_AT_ONCE)
    )
    with store.reading() as connection:  # the usual case, nothing to do, takes no lock
        if connection.execute(unscored).first() is None:
            return 0
    with store.writing() as connection:
        rows = connection.execute(unscored).all()
        now = datetime.now(UTC)
        for number, report, issue, positions, n_papers in rows:
            words = connection.execute(current_words(report, issue))
            relevant = np.array([position for position, _, word in words if word == "yes"], dtype=np.int32)
            order = whole_order(unpacked(positions), n_papers)
            found = packed(places(order, relevant))
            values = {"ranking_id": number, "n_papers": len(order), "places": found, "scored_at": now}
            connection.execute(insert(OutcomeRow).values(**values))
    return len(rows)


def outcomes_state(store: Store) -> State:
    """Return what changes whenever an outcome is added or taken away, and is never again what it was."""
    n_reopened = select(func.count(ReopenedIssueRow.id)).scalar_subquery()
    query = select(func.count(OutcomeRow.ranking_id), func.max(OutcomeRow.scored_at), n_reopened)
    with store.reading(Right.SEE) as connection:
        n, newest, reopened = connection.execute(query).one()
    return n, str(newest), reopened


def outcomes_states(store: Store, before: date, report: str | None = None) -> dict[str, State]:
    """Return, by report, the state of its outcomes of issues before a date, as `outcomes_state` has it."""
    n_reopened = select(func.count(ReopenedIssueRow.id)).where(ReopenedIssueRow.report_id == ReportRow.id)
    query = (
        select(
            ReportRow.code,
            func.count(OutcomeRow.ranking_id),
            func.max(OutcomeRow.scored_at),
            n_reopened.correlate(ReportRow).scalar_subquery(),
        )
        .join(RankingRow, RankingRow.id == OutcomeRow.ranking_id)
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .where(IssueRow.date < before)
        .group_by(ReportRow.id, ReportRow.code)
    )
    with store.reading(Right.SEE) as connection:
        rows = connection.execute(query if report is None else query.where(ReportRow.code == report))
        return {code: (n, str(newest), reopened) for code, n, newest, reopened in rows}


def scored_rankings(store: Store, report: str | None = None) -> list[ScoredRanking]:
    """Return every ranking that has an outcome, by report, issue and age; of one report or of all."""
    query = (
        select(
            RankingRow.id.label("ranking_id"),
            ReportRow.code.label("report"),
            IssueRow.date.label("issue"),
            RankingRow.ranker,
            RankingRow.replay_id.label("replay"),
            func.coalesce(ReportIssueRow.ranking_id == RankingRow.id, False).label("was_shown"),
            (RankingRow.made_at <= ReportIssueRow.issued_at).label("was_in_time"),
            (func.length(RankingRow.scores) > 0).label("is_trained"),
            OutcomeRow.n_papers,
            OutcomeRow.places,
            ReportIssueRow.ended,
        )
        .join(OutcomeRow, OutcomeRow.ranking_id == RankingRow.id)
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .join(
            ReportIssueRow,
            (ReportIssueRow.report_id == RankingRow.report_id) & (ReportIssueRow.issue_id == RankingRow.issue_id),
        )
        .order_by(ReportRow.code, IssueRow.date, RankingRow.id)
    )
    with store.reading() as connection:
        if report is not None:
            query = query.where(RankingRow.report_id == report_id(connection, report))
        rows = connection.execute(query).mappings()
        return [ScoredRanking(**{**row, "places": unpacked(row["places"])}) for row in rows]
