"""Store and read the stop audits of rankings, and read the completed spot checks of published lists."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from sqlalchemy import Row, func, insert, select

from presort.data.catalogue import next_revision
from presort.data.learning.official import CONDITION, with_first_publication
from presort.data.learning.outcomes import select_outcomes
from presort.data.learning.rankings import ORDER_READ
from presort.data.records import AuditedRanking, Condition, SpotCheckedList, StopAudit
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import DrawRow, IssueRow, OutcomeRow, RankingRow, ReportIssueRow, ReportRow, StopAuditRow
from presort.data.tables.positions import unpack

COLUMNS = (
    StopAuditRow.ranking_id,
    StopAuditRow.n_read_below,
    StopAuditRow.expected_below,
    StopAuditRow.found_below,
    StopAuditRow.found,
)


def add_stop_audits(store: Store, new: Iterable[StopAudit], *, as_of: int | None = None) -> None:
    """Store stop audits in one transaction. Skip rankings that already have a stop audit or no longer have an outcome.

    Parameters
    ----------
    as_of : int, optional
        Revision of the workspace before the audited lists were read. Report issues that were reopened and published
        again since then are skipped, because their audits are outdated.
    """
    unaudited = (
        select(OutcomeRow.ranking_id)
        .outerjoin(StopAuditRow, StopAuditRow.ranking_id == OutcomeRow.ranking_id)
        .where(StopAuditRow.ranking_id.is_(None))
    )
    if as_of is not None:
        unaudited = unaudited.where(OutcomeRow.revision <= as_of)
    with store.writing() as connection:
        left = set(connection.execute(unaudited).scalars())
        made = {"revision": next_revision(connection)}
        rows = [asdict(one) | made for one in new if one.ranking_id in left]
        if rows:
            connection.execute(insert(StopAuditRow), rows)


def stop_audits_state(store: Store) -> tuple[int, int]:
    """Return the number of stop audits and their newest revision. The pair changes if any stop audit changes."""
    query = select(func.count(StopAuditRow.ranking_id), func.max(StopAuditRow.revision))
    with store.reading(Right.SEE) as connection:
        n, newest = connection.execute(query).one()
    return n, newest or 0


def rankings_without_audit(store: Store) -> dict[tuple[str, int | None], set[int]]:
    """Return the numbers (ids) of scored rankings without a stop audit, by ranker and replay."""
    query = (
        select(RankingRow.ranker, RankingRow.replay_id, RankingRow.id)
        .join(OutcomeRow, OutcomeRow.ranking_id == RankingRow.id)
        .outerjoin(StopAuditRow, StopAuditRow.ranking_id == RankingRow.id)
        .where(StopAuditRow.ranking_id.is_(None), func.length(RankingRow.scores) > 0)
        .order_by(RankingRow.id)
    )
    found: dict[tuple[str, int | None], set[int]] = {}
    with store.reading() as connection:
        for ranker, replay, number in connection.execute(query):
            found.setdefault((ranker, replay), set()).add(number)
    return found


def read_stop_audits(store: Store) -> list[AuditedRanking]:
    """Read all stop audits, sorted by report, issue and age of the ranking."""
    query = (
        select(ReportRow.code, IssueRow.date, RankingRow.ranker, RankingRow.replay_id, CONDITION, *COLUMNS)
        .select_from(StopAuditRow)
        .join(RankingRow, RankingRow.id == StopAuditRow.ranking_id)
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .order_by(ReportRow.code, IssueRow.date, RankingRow.id)
    )
    with store.reading() as connection:
        rows: Sequence[Any] = connection.execute(with_first_publication(query)).all()
    return [
        AuditedRanking(report, issue, ranker, replay, StopAudit(*audit), Condition(condition))
        for report, issue, ranker, replay, condition, *audit in rows
    ]


def spot_checked_lists(store: Store) -> list[SpotCheckedList]:
    """Return the published lists whose spot check is complete, sorted by report and issue.

    Only the first spot check of a list is used. A second spot check depends on the result of the first one, so both
    together are not a random sample.
    """
    first = select(func.min(DrawRow.id)).group_by(DrawRow.report_id, DrawRow.issue_id)
    query = (
        select_outcomes(ReportRow.code, IssueRow.date, RankingRow.ranker, DrawRow.n_read, DrawRow.n_rest)
        .add_columns(DrawRow.positions.label("drawn"), RankingRow.positions, ORDER_READ.label("order_read"))
        .add_columns(OutcomeRow.places, ReportIssueRow.unread)
        .join(DrawRow, DrawRow.ranking_id == RankingRow.id)
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .where(DrawRow.id.in_(first), DrawRow.n_rest > 0)
        .order_by(ReportRow.code, IssueRow.date)
    )
    with store.reading() as connection:
        return [one for row in connection.execute(query) for one in _spot_check_result(row)]


def _spot_check_result(row: Row[*tuple[Any, ...]]) -> Iterator[SpotCheckedList]:
    """Yield the result of a spot check, or nothing if it is incomplete."""
    drawn, order, places = unpack(row.drawn), unpack(row.positions), unpack(row.places)
    if np.isin(drawn, unpack(row.unread)).any():
        return
    # A place below the ranked papers belongs to a paper that joined the issue later, and equals its list position.
    relevant = [int(order[place - 1]) if place <= len(order) else int(place) for place in places]
    read_first = unpack(row.order_read)[: row.n_read]
    yield SpotCheckedList(
        row.code,
        row.date,
        row.ranker,
        n_eligible=row.n_rest,
        n_checked=len(drawn),
        n_found=int(np.isin(drawn, relevant).sum()),
        n_found_above=int(np.isin(read_first, relevant).sum()),
    )
