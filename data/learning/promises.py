"""What was told of where to stop in rankings, kept beside their outcomes."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import func, insert, select

from presort.data.catalogue import next_revision
from presort.data.learning.official import CONDITION, with_first_publication
from presort.data.records import Condition, KeptPromise, Promise
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import IssueRow, OutcomeRow, PromiseRow, RankingRow, ReportRow

COLUMNS = (
    PromiseRow.ranking_id,
    PromiseRow.n_read_below,
    PromiseRow.told_below,
    PromiseRow.found_below,
    PromiseRow.found,
)


def add_promises(store: Store, new: Iterable[Promise], *, as_of: int | None = None) -> None:
    """Store promises, all or none. Skips rankings that have a promise by now, or no outcome any more.

    Parameters
    ----------
    as_of : int, optional
        Revision of the workspace before the lists were read from which the promises were made. If a report issue was
        reopened and published again since, its promise is about a list that is no more: it is left to the next call.
    """
    unpromised = (
        select(OutcomeRow.ranking_id)
        .outerjoin(PromiseRow, PromiseRow.ranking_id == OutcomeRow.ranking_id)
        .where(PromiseRow.ranking_id.is_(None))
    )
    if as_of is not None:
        unpromised = unpromised.where(OutcomeRow.revision <= as_of)
    with store.writing() as connection:
        left = set(connection.execute(unpromised).scalars())
        made = {"revision": next_revision(connection)}
        rows = [asdict(one) | made for one in new if one.ranking_id in left]
        if rows:
            connection.execute(insert(PromiseRow), rows)


def promises_state(store: Store) -> tuple[int, int]:
    """Return the state of all promises, which differs after every change of them: their number and newest revision."""
    query = select(func.count(PromiseRow.ranking_id), func.max(PromiseRow.revision))
    with store.reading(Right.SEE) as connection:
        n, newest = connection.execute(query).one()
    return n, newest or 0


def missing(store: Store) -> dict[tuple[str, int | None], set[int]]:
    """Return, by ranker and replay, the numbers of the rankings that went out and have no promise yet."""
    query = (
        select(RankingRow.ranker, RankingRow.replay_id, RankingRow.id)
        .join(OutcomeRow, OutcomeRow.ranking_id == RankingRow.id)
        .outerjoin(PromiseRow, PromiseRow.ranking_id == RankingRow.id)
        .where(PromiseRow.ranking_id.is_(None), func.length(RankingRow.scores) > 0)
        .order_by(RankingRow.id)
    )
    found: dict[tuple[str, int | None], set[int]] = {}
    with store.reading() as connection:
        for ranker, replay, number in connection.execute(query):
            found.setdefault((ranker, replay), set()).add(number)
    return found


def kept_promises(store: Store) -> list[KeptPromise]:
    """Return all promises, by report, issue and age of the ranking."""
    query = (
        select(ReportRow.code, IssueRow.date, RankingRow.ranker, RankingRow.replay_id, CONDITION, *COLUMNS)
        .select_from(PromiseRow)
        .join(RankingRow, RankingRow.id == PromiseRow.ranking_id)
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .order_by(ReportRow.code, IssueRow.date, RankingRow.id)
    )
    with store.reading() as connection:
        rows: Sequence[Any] = connection.execute(with_first_publication(query)).all()
    return [
        KeptPromise(report, issue, ranker, replay, Promise(*promise), Condition(condition))
        for report, issue, ranker, replay, condition, *promise in rows
    ]
