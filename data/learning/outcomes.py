"""Outcomes of rankings: where the relevant papers of published report issues are ranked."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, Select, func, insert, select

from presort.data.catalogue import next_revision, report_id
from presort.data.errors import DamagedCellError
from presort.data.learning.issue_lists import plain_parts
from presort.data.learning.official import CONDITION, with_first_publication
from presort.data.learning.rankings import whole_order
from presort.data.records import Condition, OutcomeColumns, Positions, ScoredRanking
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import (
    CurrentDecisionsRow,
    IssueRow,
    OutcomeRow,
    RankingRow,
    ReopenedIssueRow,
    ReportIssueRow,
    ReportRow,
)
from presort.data.tables.positions import POSITION, numbers, pack, unpack

IS_SORTED = func.length(RankingRow.scores) > 0  # a ranking without scores has the papers in list order
# Columns and dtypes of `OutcomeColumns`. Reports and issues are read as ids and converted later, which is faster.
COLUMNS: Mapping[str, tuple[Any, type]] = {
    "ranking_id": (RankingRow.id, np.int64),
    "report": (RankingRow.report_id, np.int64),
    "issue": (RankingRow.issue_id, np.int64),
    "ranker": (RankingRow.ranker, np.object_),
    "replay": (func.coalesce(RankingRow.replay_id, 0), np.int64),
    "condition": (CONDITION, np.int64),
    "is_trained": (IS_SORTED, np.bool_),
    "is_evaluable": (ReportIssueRow.ended == "all", np.bool_),
    "was_read_whole": (func.length(ReportIssueRow.unread) == 0, np.bool_),
    "n_papers": (OutcomeRow.n_papers, np.int64),
}
SCORED_AT_ONCE = 500  # number of rankings per transaction, limited so that the write lock is held only briefly
State = tuple[int, int, int]  # number of outcomes, their newest revision, number of reopenings


def score_published_issues(store: Store, places: Callable[[Positions, Positions], Positions]) -> int:
    """Compute and store the missing outcomes of rankings of published report issues. Return the number of outcomes.

    All outcomes of a report issue have the same `n_papers`, because they refer to the papers that were in the issue at
    its publication.

    Parameters
    ----------
    places : callable
        Function that takes a ranking's list positions, best first, and the list positions of the relevant papers. It
        returns the 1-based places of the relevant papers in the ranking, in ascending order.
    """
    with store.reading() as connection:  # check without the write lock, because usually no outcome is missing
        found = connection.execute(_unscored_query(RankingRow.report_id, RankingRow.issue_id, RankingRow.id)).all()
    left = [row.id for row in sorted(found)]  # sorted by report and issue
    parts = (left[start : start + SCORED_AT_ONCE] for start in range(0, len(left), SCORED_AT_ONCE))
    return sum(_score_some(store, places, numbers) for numbers in parts)


def _unscored_query(*columns: Any) -> Select[*tuple[Any, ...]]:
    return (
        select(*columns)
        .join(
            ReportIssueRow,
            (ReportIssueRow.report_id == RankingRow.report_id) & (ReportIssueRow.issue_id == RankingRow.issue_id),
        )
        .outerjoin(OutcomeRow, OutcomeRow.ranking_id == RankingRow.id)
        .where(OutcomeRow.ranking_id.is_(None))
    )


def _score_some(store: Store, places: Callable[[Positions, Positions], Positions], numbers: Sequence[int]) -> int:
    """Score the rankings that no other process has scored in the meantime. Return their number."""
    columns = (RankingRow.id, RankingRow.report_id, RankingRow.issue_id, RankingRow.positions, ReportIssueRow.n_papers)
    with store.writing() as connection:
        rows = connection.execute(
            _unscored_query(*columns).where(RankingRow.id.in_(numbers)).order_by(RankingRow.id)
        ).all()
        relevant = _read_relevant(connection, {(row.report_id, row.issue_id) for row in rows})
        made = {"scored_at": datetime.now(UTC), "revision": next_revision(connection)}
        new = []
        for number, report, issue, positions, n_papers in rows:
            order = whole_order(unpack(positions), n_papers)
            found = pack(places(order, relevant[report, issue]))
            new.append({"ranking_id": number, "n_papers": len(order), "places": found, **made})
        if new:
            connection.execute(insert(OutcomeRow), new)
    return len(new)


def _read_relevant(
    connection: Connection, asked: Collection[tuple[int, int]]
) -> defaultdict[tuple[int, int], Positions]:
    """Read the list positions of the relevant papers, by report and issue."""
    found: defaultdict[tuple[int, int], Positions] = defaultdict(lambda: unpack(b""))
    current = CurrentDecisionsRow
    for report, pairs in groupby(sorted(asked), key=itemgetter(0)):
        of_report = select(current.issue_id, current.relevant).where(
            current.report_id == report, current.issue_id.in_([issue for _, issue in pairs])
        )
        for issue, relevant in connection.execute(of_report):
            found[report, issue] = unpack(relevant)
    return found


def outcomes_state(store: Store) -> State:
    """Return a tuple of numbers that changes whenever the outcomes change. It doesn't depend on the clock."""
    n_outcomes = select(func.count()).select_from(OutcomeRow)  # separate subqueries, so that each uses an index
    newest_outcome, n_reopened = select(func.max(OutcomeRow.revision)), select(func.count(ReopenedIssueRow.id))
    query = select(*(one.scalar_subquery() for one in (n_outcomes, newest_outcome, n_reopened)))
    with store.reading(Right.SEE) as connection:
        n, newest, reopened = connection.execute(query).one()
    return n, newest or 0, reopened


def outcomes_states(store: Store, before: date, report: str | None = None) -> dict[str, State]:
    """Return the `outcomes_state` of one report, or by default of each report, for outcomes of issues before a date."""
    n_reopened = select(func.count(ReopenedIssueRow.id)).where(ReopenedIssueRow.report_id == ReportRow.id)
    query = (
        select(
            ReportRow.code,
            func.count(OutcomeRow.ranking_id),
            func.max(OutcomeRow.revision),
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
        return {code: (n, newest, reopened) for code, n, newest, reopened in rows}


def select_outcomes(*columns: Any) -> Select[*tuple[Any, ...]]:
    """Build a query for rankings that have an outcome, joined with the outcome and the published report issue.

    The selected columns may include `CONDITION`.
    """
    with_published = (
        select(*columns)
        .select_from(RankingRow)
        .join(OutcomeRow, OutcomeRow.ranking_id == RankingRow.id)
        .join(
            ReportIssueRow,
            (ReportIssueRow.report_id == RankingRow.report_id) & (ReportIssueRow.issue_id == RankingRow.issue_id),
        )
    )
    return with_first_publication(with_published)


def scored_rankings(store: Store, report: str | None = None) -> list[ScoredRanking]:
    """Return the outcomes of one report or, by default, of all reports, sorted by report, issue and ranking id."""
    query = (
        select_outcomes(RankingRow.id, ReportRow.code, IssueRow.date, RankingRow.ranker, RankingRow.replay_id)
        .add_columns(CONDITION, IS_SORTED, OutcomeRow.n_papers, OutcomeRow.places, ReportIssueRow.ended)
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .order_by(ReportRow.code, IssueRow.date, RankingRow.id)
    )
    with store.reading() as connection:
        if report is not None:
            query = query.where(RankingRow.report_id == report_id(connection, report))
        rows = connection.execute(query)
        found = (
            (*names, Condition(condition), is_sorted, n_papers, unpack(places), ended)
            for *names, condition, is_sorted, n_papers, places, ended in rows
        )
        return [ScoredRanking(*one) for one in found]


def outcome_columns(store: Store, report: str | None = None) -> OutcomeColumns:
    """Read outcomes into columns. The rows are in arbitrary order, because sorting takes time.

    Parameters
    ----------
    report : str, optional
        Code of a report. Defaults to all reports.

    Raises
    ------
    WorkspaceError
        If an outcome is damaged.
    """
    with store.reading() as connection:
        codes = connection.execute(select(ReportRow.id, ReportRow.code)).all()
        days = connection.execute(select(IssueRow.id, IssueRow.date)).all()
        query = select_outcomes(*(column for column, _ in COLUMNS.values()), OutcomeRow.places)
        if report is not None:
            query = query.where(RankingRow.report_id == report_id(connection, report))
        parts = [_to_arrays(rows) for rows in plain_parts(connection, query)] or [_to_arrays([])]
        *columns, places, n_relevant = map(np.concatenate, zip(*parts, strict=True))
        found = dict(zip(COLUMNS, columns, strict=True))
        found["report"] = _look_up(codes, found["report"], "O")
        found["issue"] = _look_up(days, found["issue"], "datetime64[D]")
        _check_places(found["ranking_id"], places, n_relevant, found["n_papers"])
        return OutcomeColumns(**found, n_relevant=n_relevant, places=places)


def _to_arrays(rows: Sequence[tuple[Any, ...]]) -> list[NDArray[Any]]:
    """Convert rows to the `COLUMNS`, the concatenated places of all rows, and the number of places in each row."""
    *columns, places = zip(*rows, strict=True) if rows else [()] * (len(COLUMNS) + 1)
    kinds = (kind for _, kind in COLUMNS.values())
    plain: list[NDArray[Any]] = [np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)]
    return [*plain, *_concatenate(places)]


def _look_up(pairs: Sequence[Row[int, Any]], ids: NDArray[np.int64], kind: str) -> NDArray[Any]:
    """Replace ids with their values. Because ids are small numbers, the lookup table is an array indexed by id."""
    values = np.empty(max((one for one, _ in pairs), default=0) + 1, dtype=kind)
    for one, value in pairs:
        values[one] = value
    return values[ids]


def _concatenate(cells: Sequence[bytes]) -> tuple[Positions, NDArray[np.int64]]:
    """Return the concatenated places from all cells, and the number of places in each cell."""
    n_places, rests = np.divmod(np.array([len(cell) for cell in cells], dtype=np.int64), POSITION.itemsize)
    if rests.any():
        raise DamagedCellError(f"the size of a list of places is not a multiple of {POSITION.itemsize} bytes")
    return numbers(b"".join(cells), POSITION), n_places


def _check_places(
    ids: NDArray[np.int64], places: Positions, n_relevant: NDArray[np.int64], n_papers: NDArray[np.int64]
) -> None:
    """Raise DamagedCellError if the places of an outcome are not ascending numbers from 1 to `n_papers`."""
    ends = np.cumsum(n_relevant)
    is_some = n_relevant > 0
    before = np.zeros_like(places)
    before[1:] = places[:-1]
    before[(ends - n_relevant)[is_some]] = 0
    wrong = np.flatnonzero(is_some)[places[ends[is_some] - 1] > n_papers[is_some]]
    if not len(wrong):
        wrong = np.searchsorted(ends, np.flatnonzero(places <= before), side="right")
    if len(wrong):
        raise DamagedCellError(
            f"the positions of the relevant papers in ranking {ids[wrong[0]]} are out of order or out of range"
        )
