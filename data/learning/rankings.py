"""Store and read rankings and replays."""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Row, Select, func, insert, select

from presort.data.catalogue import issue_id, report_id
from presort.data.errors import RefusedError
from presort.data.learning.official import CONDITION, LIVE, official_rows, with_first_publication
from presort.data.records import Positions, Ranking, Replay, StoredRanking
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import (
    IssueRow,
    RankingRow,
    ReplayRow,
    ReportRow,
    RerankingRow,
)
from presort.data.tables.positions import SCORE, count_positions, numbers, pack, unpack

_RERANKED = (
    select(RerankingRow.positions)
    .where(RerankingRow.ranking_id == RankingRow.id)
    .order_by(RerankingRow.id.desc())
    .limit(1)
    .correlate(RankingRow)
    .scalar_subquery()
)
# Packed list positions in the order in which the editor read the list. This is the newest re-ranked order, or the
# ranking's order if the list was never re-ranked. It may contain papers that joined the issue after it was ranked.
ORDER_READ = func.coalesce(_RERANKED, RankingRow.positions)


class LastRankedIssue(NamedTuple):
    """Most recently ranked issue: its date, the number of ranked reports, the rankers, and the time of the ranking."""

    issue: date
    n_reports: int
    rankers: tuple[str, ...]
    made_at: datetime


class TrainingWatermark(NamedTuple):
    """Extent of a ranking's training data: the newest log entries used, and the number of papers in earlier issues.

    If the ranker learns from all reports together, other reports' decisions and examples are included.
    """

    decisions_up_to: int
    hints_up_to: int
    n_past: int | None  # None for rankings by old versions, which didn't record the number

    def with_others(self, decisions_up_to: int, examples_up_to: int) -> "TrainingWatermark":
        """Return the watermark for a ranker that also learns from other reports' decisions and examples."""
        return TrainingWatermark(
            max(self.decisions_up_to, decisions_up_to), max(self.hints_up_to, examples_up_to), self.n_past
        )


class RankingKey(NamedTuple):
    """Key of a finished ranking. It contains all data that determines how a ranker orders the papers."""

    report: str
    issue: date
    trained_before: date
    n_papers: int
    watermark: TrainingWatermark


def whole_order(positions: Positions, n_papers: int) -> Positions:
    """Return the list positions of all papers: first the ranked papers, then papers that joined the issue later.

    The ranked papers are in the order of the ranking, and the later papers in list order.

    Parameters
    ----------
    positions : array of shape (n_ranked,)
        1-based list positions, best first. Positions above `n_papers` are removed.
    n_papers : int
        Number of papers in the issue now, or when it was published.

    Examples
    --------
    >>> whole_order(np.array([2, 1, 3], dtype=np.int32), 5).tolist()
    [2, 1, 3, 4, 5]
    >>> whole_order(np.array([2, 5, 1], dtype=np.int32), 4).tolist()
    [2, 1, 3, 4]
    """
    late = np.setdiff1d(np.arange(1, n_papers + 1, dtype=np.int32), positions)
    return np.concatenate([positions[positions <= n_papers], late])


def add_rankings(store: Store, new: Iterable[Ranking]) -> None:
    """Store rankings in one transaction."""
    new = list(new)
    with store.writing() as connection:
        reports = {code: report_id(connection, code) for code in dict.fromkeys(one.report for one in new)}
        issues = {day: issue_id(connection, day) for day in dict.fromkeys(one.issue for one in new)}
        now = datetime.now(UTC)
        rows = [
            {
                "report_id": reports[ranking.report],
                "issue_id": issues[ranking.issue],
                "replay_id": ranking.replay,
                "ranker": ranking.ranker,
                "trained_before": ranking.trained_before,
                "decisions_up_to": ranking.decisions_up_to,
                "n_relevant": ranking.n_relevant,
                "made_at": now,
                "positions": pack(ranking.positions),
                "scores": ranking.scores.astype(SCORE).tobytes(),
                "hints_up_to": ranking.hints_up_to,
                "n_past": ranking.n_past,
                "words": ranking.words,
            }
            for ranking in new
        ]
        if rows:
            connection.execute(insert(RankingRow), rows)


def ranking(store: Store, number: int) -> StoredRanking:
    """Return the ranking with this number, which must exist."""
    with store.reading(Right.SEE) as connection:
        found = _stored_ranking(connection.execute(_ranking_query().where(RankingRow.id == number)).one())
        store.demand(connection, Right.SEE, found.ranking.report)
        return found


def ranking_of(store: Store, report: str, issue: date, number: int) -> StoredRanking:
    """Return the ranking with this number, after checking that it belongs to the report issue.

    Raises
    ------
    RefusedError
        If the report issue has no such ranking.
    """
    asked = (RankingRow.id == number, ReportRow.code == report, IssueRow.date == issue)
    with store.reading(Right.SEE, report) as connection:
        row = connection.execute(_ranking_query().where(*asked)).one_or_none()
    if row is None:
        raise RefusedError(f"Report {report!r} has no ranking {number} for the issue of {issue}.")
    return _stored_ranking(row)


def newest_rankings(store: Store, report: str, issue: date) -> dict[str, StoredRanking]:
    """Return each ranker's official ranking of a report issue, ignoring replays.

    Before the first publication, the official ranking is the newest ranking. Afterwards, it is the ranking shown at the
    first publication, or the newest ranking created before it. See `official_rows` for the exact order of preference.
    """
    with store.reading(Right.SEE, report) as connection:
        query = _ranking_query().where(
            RankingRow.report_id == report_id(connection, report),
            RankingRow.issue_id == issue_id(connection, issue),
            RankingRow.replay_id.is_(None),
        )
        query = query.add_columns(CONDITION.label("condition")).order_by(RankingRow.id)
        rows = connection.execute(with_first_publication(query)).all()
        number, ranker, condition = ([getattr(row, name) for row in rows] for name in ("id", "ranker", "condition"))
        official = official_rows([np.array(ranker, dtype=object)], np.array(condition, int), np.array(number, int))
        found = {rows[place].ranker: _stored_ranking(rows[place]) for place in official.tolist()}
    # Sort the rankers by their first ranking of the report issue.
    return {name: found[name] for name in dict.fromkeys(ranker) if name in found}


def scores_of_others(
    store: Store, report: str, issue: date, ranker: str, n_papers: int, *, fewest: int = 0
) -> list[NDArray[np.float64]]:
    """Return the scores of an issue's papers in each other report's newest ranking by a ranker.

    The rankings were trained without decisions on this issue or later issues. Rankings trained on fewer than `fewest`
    relevant papers are omitted.

    Returns
    -------
    list of array of shape (n_papers,)
        Scores in list order, one array per report, sorted by report code. Papers that joined the issue after it was
        ranked have the lowest score.
    """
    query = (
        select(func.max(RankingRow.id))
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .where(IssueRow.date == issue, RankingRow.ranker == ranker, RankingRow.replay_id.is_(None))
        .where(ReportRow.code != report, func.length(RankingRow.scores) > 0)
        .where(RankingRow.n_relevant >= fewest)
        .group_by(RankingRow.report_id)
    )
    found = []
    with store.reading() as connection:
        named = select(RankingRow.positions, RankingRow.scores).join(ReportRow, ReportRow.id == RankingRow.report_id)
        for positions, scores in connection.execute(named.where(RankingRow.id.in_(query)).order_by(ReportRow.code)):
            of_papers = numbers(scores, SCORE)
            in_list_order = np.full(n_papers, of_papers[-1])
            places = unpack(positions)
            was_there = places <= n_papers
            in_list_order[places[was_there] - 1] = of_papers[was_there]
            found.append(in_list_order)
    return found


def finished_rankings(store: Store, ranker: str, replay: int | None) -> set[RankingKey]:
    """Return the keys of a ranker's finished rankings from a replay. If `replay` is None, return those for editors."""
    with store.reading() as connection:
        rows = connection.execute(
            select(
                ReportRow.code,
                IssueRow.date,
                RankingRow.trained_before,
                count_positions(RankingRow.positions),
                RankingRow.decisions_up_to,
                RankingRow.hints_up_to,
                RankingRow.n_past,
            )
            .join(ReportRow, ReportRow.id == RankingRow.report_id)
            .join(IssueRow, IssueRow.id == RankingRow.issue_id)
            .where(RankingRow.ranker == ranker, RankingRow.replay_id.is_not_distinct_from(replay))
        )
        return {
            RankingKey(report, issue, before, n_papers, TrainingWatermark(decisions, hints, n_past))
            for report, issue, before, n_papers, decisions, hints, n_past in rows
        }


def ranked_reports(store: Store, ranker: str, issue: date) -> set[str]:
    """Return the codes of reports that have a ranking of an issue by a ranker.

    Rankings from replays and rankings with hindsight don't count.
    """
    query = (
        select(ReportRow.code)
        .select_from(RankingRow)
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .where(IssueRow.date == issue, RankingRow.ranker == ranker, CONDITION.in_(LIVE))
    )
    with store.reading() as connection:
        return set(connection.execute(with_first_publication(query)).scalars())


def find_replay(store: Store, first_issue: date, last_issue: date, retrain_every: int) -> int:
    """Return the number of the replay with these settings. Add the replay if it doesn't exist yet."""
    values = {"first_issue": first_issue, "last_issue": last_issue, "retrain_every": retrain_every}
    with store.writing() as connection:
        found = connection.execute(select(ReplayRow.id).filter_by(**values)).scalar()
        if found is None:
            new = insert(ReplayRow).values(**values, made_at=datetime.now(UTC)).returning(ReplayRow.id)
            found = connection.execute(new).scalar_one()
        return found


def replays(store: Store) -> list[Replay]:
    """Return all replays, newest first."""
    with store.reading(Right.SEE) as connection:
        rows = connection.execute(
            select(ReplayRow.id, ReplayRow.first_issue, ReplayRow.last_issue, ReplayRow.retrain_every).order_by(
                ReplayRow.id.desc()
            )
        )
        return [Replay(*row) for row in rows]


def last_ranked_issue(store: Store) -> LastRankedIssue | None:
    """Return the most recently ranked issue, or None if no issue has been ranked for editors yet."""
    for_editors = RankingRow.replay_id.is_(None)
    with store.reading() as connection:
        newest = connection.execute(
            select(RankingRow.issue_id, IssueRow.date, RankingRow.made_at)
            .join(IssueRow, IssueRow.id == RankingRow.issue_id)
            .where(for_editors)
            .order_by(RankingRow.id.desc())
            .limit(1)
        ).first()
        if newest is None:
            return None
        number, issue, made_at = newest
        of_issue = connection.execute(
            select(RankingRow.ranker, RankingRow.report_id)
            .where(for_editors, RankingRow.issue_id == number)
            .where(RankingRow.report_id.in_(select(ReportRow.id)))  # always true, but enables the use of an index
            .distinct()
            .order_by(RankingRow.ranker)
        ).all()
    n_reports = len({report for _, report in of_issue})
    return LastRankedIssue(issue, n_reports, tuple(dict.fromkeys(ranker for ranker, _ in of_issue)), made_at)


def _ranking_query() -> Select[*tuple[Any, ...]]:
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
            RankingRow.n_past,
            RankingRow.words,
            RankingRow.replay_id,
        )
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
    )


def _stored_ranking(row: Row[*tuple[Any, ...]]) -> StoredRanking:
    stored = Ranking(
        report=row.report,
        issue=row.issue,
        ranker=row.ranker,
        trained_before=row.trained_before,
        decisions_up_to=row.decisions_up_to,
        n_relevant=row.n_relevant,
        positions=unpack(row.positions),
        scores=numbers(row.scores, SCORE),
        hints_up_to=row.hints_up_to,
        n_past=row.n_past,
        words=row.words,
        replay=row.replay_id,
    )
    return StoredRanking(row.id, row.made_at, stored)
