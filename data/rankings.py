"""Rankings, the replays that made some of them, and their outcomes."""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Row, Select, func, insert, select

from data.catalogue import issue_id, report_id
from data.history import current_words
from data.records import Positions, Ranking, Replay, ScoredRanking, StoredRanking
from data.store import Store
from data.tables import (
    IssueRow,
    ListingRow,
    OutcomeRow,
    RankingRow,
    ReplayRow,
    ReportIssueRow,
    ReportRow,
)

POSITION = np.dtype("<i4")
SCORE = np.dtype("<f8")
SCORED_AT_ONCE = 100


class Done(NamedTuple):
    """What makes a ranking the same again: made anew it would come out alike."""

    report: str
    issue: date
    trained_before: date
    decisions_up_to: int
    n_papers: int
    hints_up_to: int


def whole_order(positions: Positions, n_papers: int) -> Positions:
    """Put papers that joined the issue after it was ranked at the end, in list order: nothing is ever left out.

    Examples
    --------
    >>> whole_order(np.array([2, 1, 3], dtype=np.int32), 5).tolist()
    [2, 1, 3, 4, 5]
    """
    late = np.setdiff1d(np.arange(1, n_papers + 1, dtype=np.int32), positions)
    return np.concatenate([positions, late])


def add_rankings(store: Store, new: Iterable[Ranking]) -> None:
    """Keep rankings, all or none."""
    with store.writing() as connection:
        for ranking in new:
            values = {
                "report_id": report_id(connection, ranking.report),
                "issue_id": issue_id(connection, ranking.issue),
                "replay_id": ranking.replay,
                "ranker": ranking.ranker,
                "trained_before": ranking.trained_before,
                "decisions_up_to": ranking.decisions_up_to,
                "n_relevant": ranking.n_relevant,
                "made_at": datetime.now(UTC),
                "positions": ranking.positions.astype(POSITION).tobytes(),
                "scores": ranking.scores.astype(SCORE).tobytes(),
                "hints_up_to": ranking.hints_up_to,
                "words": ranking.words,
            }
            connection.execute(insert(RankingRow).values(**values))


def ranking(store: Store, number: int) -> StoredRanking:
    """Give the ranking of that number."""
    with store.reading() as connection:
        return _stored(connection.execute(_all_rankings().where(RankingRow.id == number)).one())


def newest_rankings(store: Store, report: str, issue: date) -> dict[str, StoredRanking]:
    """Give, by ranker, the newest ranking made for the editor of a report; replays don't count."""
    with store.reading() as connection:
        rows = connection.execute(
            _all_rankings()
            .where(
                RankingRow.report_id == report_id(connection, report),
                RankingRow.issue_id == issue_id(connection, issue),
                RankingRow.replay_id.is_(None),
            )
            .order_by(RankingRow.id)
        )
        return {row.ranker: _stored(row) for row in rows}  # a later row replaces an earlier one


def ranked(store: Store, ranker: str, replay: int | None) -> set[Done]:
    """Tell what a ranker has ranked already, for editors or in a replay."""
    with store.reading() as connection:
        rows = connection.execute(
            select(
                ReportRow.code,
                IssueRow.date,
                RankingRow.trained_before,
                RankingRow.decisions_up_to,
                func.length(RankingRow.positions),
                RankingRow.hints_up_to,
            )
            .join(ReportRow, ReportRow.id == RankingRow.report_id)
            .join(IssueRow, IssueRow.id == RankingRow.issue_id)
            .where(RankingRow.ranker == ranker, RankingRow.replay_id.is_not_distinct_from(replay))
        )
        return {
            Done(report, issue, before, up_to, n_bytes // POSITION.itemsize, hints)
            for report, issue, before, up_to, n_bytes, hints in rows
        }


def find_replay(store: Store, first_issue: date, last_issue: date, retrain_every: int) -> int:
    """Give the number of the replay over these issues; the same call finds the same replay again."""
    values = {"first_issue": first_issue, "last_issue": last_issue, "retrain_every": retrain_every}
    with store.writing() as connection:
        found = connection.execute(select(ReplayRow.id).filter_by(**values)).scalar()
        if found is None:
            new = insert(ReplayRow).values(**values, made_at=datetime.now(UTC)).returning(ReplayRow.id)
            found = connection.execute(new).scalar_one()
        return found


def replays(store: Store) -> list[Replay]:
    """Give all replays, newest first."""
    with store.reading() as connection:
        rows = connection.execute(
            select(ReplayRow.id, ReplayRow.first_issue, ReplayRow.last_issue, ReplayRow.retrain_every).order_by(
                ReplayRow.id.desc()
            )
        )
        return [Replay(*row) for row in rows]


def score_issued(store: Store, places: Callable[[Positions, Positions], Positions]) -> int:
    """Make the outcome of every ranking of a report issue that has gone out and has none yet; give their number.

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
    n_listed = select(func.count()).where(ListingRow.issue_id == RankingRow.issue_id).scalar_subquery()
    unscored = (
        select(RankingRow.id, RankingRow.report_id, RankingRow.issue_id, RankingRow.positions, n_listed)
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
            order = whole_order(np.frombuffer(positions, POSITION), n_papers)
            found = places(order, relevant).astype(POSITION)
            values = {"ranking_id": number, "n_papers": len(order), "places": found.tobytes(), "scored_at": now}
            connection.execute(insert(OutcomeRow).values(**values))
    return len(rows)


def outcomes_state(store: Store) -> tuple[int, str]:
    """Give what changes whenever an outcome is added or taken away: how many there are, and when the last was made."""
    with store.reading() as connection:
        n, newest = connection.execute(select(func.count(OutcomeRow.ranking_id), func.max(OutcomeRow.scored_at))).one()
    return n, str(newest)


def scored_rankings(store: Store, report: str | None = None) -> list[ScoredRanking]:
    """Give every ranking that has an outcome, by report, issue and age; of one report or of all."""
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
        return [ScoredRanking(**{**row, "places": np.frombuffer(row["places"], POSITION)}) for row in rows]


def _all_rankings() -> Select[*tuple[Any, ...]]:
    return (
        select(
            RankingRow.id,
            RankingRow.made_at,
            ReportRow.code.label("report"),
            IssueRow.date.label("issue"),
            RankingRow.ranker,
            RankingRow.trained_before,
            RankingRow.decisions_up_to,
            RankingRow.n_relevant,
            RankingRow.positions,
            RankingRow.scores,
            RankingRow.hints_up_to,
            RankingRow.words,
            RankingRow.replay_id,
        )
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
    )


def _stored(row: Row[*tuple[Any, ...]]) -> StoredRanking:
    stored = Ranking(
        report=row.report,
        issue=row.issue,
        ranker=row.ranker,
        trained_before=row.trained_before,
        decisions_up_to=row.decisions_up_to,
        n_relevant=row.n_relevant,
        positions=np.frombuffer(row.positions, POSITION),
        scores=np.frombuffer(row.scores, SCORE),
        hints_up_to=row.hints_up_to,
        words=row.words,
        replay=row.replay_id,
    )
    return StoredRanking(row.id, row.made_at, stored)
