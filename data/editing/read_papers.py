"""Determine which papers in an issue a report's editors have read at the desk.

All pages use the same rule: an editor who decides on a paper, or marks the list as read up to it, has read the list
down to that paper. Later re-ranking, reloading or publishing doesn't change which papers were read. Undone decisions
are ignored. A decision doesn't imply that the papers above it were read if the paper was drawn at random, was found by
a search or a filter, or is below papers that were never in view.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    bindparam,
    cast,
    exists,
    func,
    insert,
    null,
    or_,
    select,
    union_all,
)
from sqlalchemy.orm import aliased

from presort.data.catalogue import issue_id, list_conditions, list_ids, person_id, report_id
from presort.data.editing.decisions import refuse_published
from presort.data.records import Draw, Positions
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import (
    DecisionRow,
    DrawRow,
    IssueRow,
    ListingRow,
    RankingRow,
    ReadMarkRow,
    ReopenedIssueRow,
    ReportRow,
    RerankingRow,
)
from presort.data.tables.positions import pack, unpack

NOTHING: Positions = np.empty(0, dtype=np.int32)

ReportIssueKey = tuple[str, date]
Log = type[DecisionRow] | type[ReadMarkRow] | type[DrawRow] | type[ReopenedIssueRow]
Wanted = Callable[[Log], Sequence[ColumnElement[bool]]]  # returns SQL conditions that select rows of a log

# (report id, issue id) -> arrays of list positions, in which a position may occur more than once
_Parts = dict[tuple[int, int], list[Positions]]


class _List(NamedTuple):
    """Review list, identified by the database ids of its report and issue, its ranking, and its re-ranked order."""

    report: int
    issue: int
    ranking: int | None
    reranking: int | None


def read_positions(store: Store, report: str, issue: date) -> Positions:
    """Return the positions of the papers in an issue that a report's editors have read.

    Returns
    -------
    array of shape (n_read,)
        1-based list positions in ascending order. Empty if no paper was read at the desk and no publication was
        reopened.

    Raises
    ------
    RefusedError
        If the report or the issue does not exist.
    """
    with store.reading(Right.SEE, report) as connection:
        return query_read_positions(connection, **list_ids(connection, report, issue))


def all_read_positions(
    store: Store, reports: Collection[str], since: date = date.min, *, at_desk: bool = False
) -> dict[ReportIssueKey, Positions]:
    """Return the `read_positions` of each report issue since a date. Omits report issues in which no paper was read.

    If `at_desk` is True, returns only the papers that were read at the desk according to the logs. This excludes papers
    in reopened imports, because editors spent no time reading them at the desk.
    """
    with store.reading(Right.SEE, *reports) as connection:
        codes = dict(connection.execute(select(ReportRow.id, ReportRow.code).where(ReportRow.code.in_(reports))).all())
        asked = {"since": since, "reports": list(codes)}
        found = (_parts_at_desk if at_desk else _parts)(connection, _SINCE, asked)
        days = dict(connection.execute(select(IssueRow.id, IssueRow.date)).all())
    return {(codes[report], days[issue]): _merge_parts(found[report, issue]) for report, issue in sorted(found)}


def query_read_positions(connection: Connection, report: int, issue: int) -> Positions:
    """Return the result of `read_positions`, using an open connection and the database ids of the report and issue."""
    found = _parts(connection, _OF_ONE, {"report": report, "issue": issue})
    return _merge_parts(found[report, issue]) if found else NOTHING


def _merge_parts(parts: Sequence[Positions]) -> Positions:
    return _sort_distinct(np.concatenate(parts))


def _parts(connection: Connection, logs: "_Logs", asked: Mapping[str, object]) -> _Parts:
    """Load the positions of papers that were read at the desk or are treated as read in a reopened publication."""
    parts = _parts_at_desk(connection, logs, asked)
    published = connection.execute(logs.published, asked).all()
    undone = _group_undone(connection.execute(logs.undone, asked)) if published else {}
    for report, issue, source, n_papers, unread, up_to in published:
        key = report, issue
        # A paper whose decision was undone after reopening is no longer treated as read, except in an import, where all
        # papers are treated as read.
        since = [at for at, newest in undone.get(key, ()) if newest > up_to and source != "file"]
        not_read = np.concatenate([unpack(unread), np.array(since, dtype=np.int32)])
        parts.setdefault(key, []).append(np.setdiff1d(np.arange(1, n_papers + 1, dtype=np.int32), not_read))
    return parts


def _group_undone(rows: Iterable[Any]) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Group undone decisions by report issue, as pairs of list position and log number of the newest undo."""
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for report, issue, position, newest in rows:
        found.setdefault((report, issue), []).append((position, newest))
    return found


def _parts_at_desk(connection: Connection, logs: "_Logs", asked: Mapping[str, object]) -> _Parts:
    """Load the positions of the papers that editors have read at the desk."""
    decided, passed = _group_decided(connection.execute(logs.decided, asked).all())
    drawn = _group_draws(connection.execute(logs.drawn, asked))
    marked = connection.execute(logs.marked, asked)
    marks = {_List(*row[:-1]): row.place for row in marked}
    lists = {*decided, *marks}
    orders = {tuple(row[:2]): unpack(row.positions) for row in connection.execute(logs.orders, asked)}
    parts: _Parts = {}
    for one in lists:
        order = NOTHING if one.ranking is None else orders[one.ranking, one.reranking]
        telling = passed.get(one, NOTHING)
        if one[:2] in drawn:
            telling = np.setdiff1d(telling, drawn[one[:2]])
        read_up_to = max(marks.get(one, 0), _deepest_place(order, telling))
        parts.setdefault(one[:2], []).extend([_positions_down_to(order, read_up_to), decided.get(one, NOTHING)])
    return parts


def _sort_distinct(positions: Positions) -> Positions:
    """Sort the positions and remove repeated ones. This is three times as fast as `np.unique` for typical lists."""
    is_there = np.zeros(positions.max(initial=0) + 1, dtype=bool)
    is_there[positions] = True
    return np.flatnonzero(is_there).astype(np.int32)


def _deepest_place(order: Positions, positions: Positions) -> int:
    """Return the 1-based place of the last of these papers in an order, or 0 if there are no papers.

    The place of a paper that was added to the issue after ranking is its list position.
    """
    places = np.arange(max(len(order), positions.max(initial=0)) + 1)
    places[order] = np.arange(1, len(order) + 1)
    return int(places[positions].max(initial=0))


def _positions_down_to(order: Positions, place: int) -> Positions:
    return np.concatenate([order[:place], np.arange(len(order) + 1, place + 1, dtype=np.int32)])


def _group_decided(rows: Iterable[Any]) -> tuple[Mapping[_List, Positions], Mapping[_List, Positions]]:
    """Return two mappings from each list to the list positions of papers decided in it.

    The first mapping contains all decided papers. The second contains only those decided while the editor was reading
    down the list. A decision on one of these papers implies that the papers above it were read.
    """
    decided: dict[_List, list[int]] = {}
    passed: dict[_List, list[int]] = {}
    for *names, position, is_alone in rows:
        one = _List(*names)
        decided.setdefault(one, []).append(position)
        if not is_alone:
            passed.setdefault(one, []).append(position)
    return _arrays(decided), _arrays(passed)


def _arrays(found: Mapping[_List, list[int]]) -> Mapping[_List, Positions]:
    return {one: np.array(positions, dtype=np.int32) for one, positions in found.items()}


def _group_draws(rows: Iterable[Any]) -> Mapping[tuple[int, int], Positions]:
    found: dict[tuple[int, int], bytes] = {}
    for report, issue, positions in rows:
        found[report, issue] = found.get((report, issue), b"") + positions
    return {key: unpack(positions) for key, positions in found.items()}


class _Logs(NamedTuple):
    """Queries that read the logs. They run for every message from a page, so they are built only once to save time."""

    decided: Select[int, int, int | None, int | None, int, bool]
    drawn: Select[int, int, bytes]
    marked: Select[int, int, int | None, int | None, int]
    orders: CompoundSelect[int, int | None, bytes]
    published: Select[int, int, str, int, bytes, int]
    undone: Select[int, int, int, int]

    @classmethod
    def of(cls, wanted: Wanted) -> "_Logs":
        """Build the queries, restricting each log to the rows that meet the conditions from `wanted`."""
        return cls(
            _select_decided(wanted),
            _select_drawn(wanted),
            _select_marked(wanted),
            _select_orders(wanted),
            _select_published(wanted),
            _select_undone(wanted),
        )


def _select_decided(wanted: Wanted) -> Select[int, int, int | None, int | None, int, bool]:
    """Select the papers decided in each list, with `is_alone`. Excludes undone decisions."""
    later = aliased(DecisionRow)
    is_taken_back = exists().where(
        later.report_id == DecisionRow.report_id,
        later.issue_id == DecisionRow.issue_id,
        later.paper_id == DecisionRow.paper_id,
        later.about == "relevant",
        later.label == "undecided",
        later.id > DecisionRow.id,
    )
    listed = (ListingRow.issue_id == DecisionRow.issue_id) & (ListingRow.paper_id == DecisionRow.paper_id)
    return (
        select(DecisionRow.report_id, DecisionRow.issue_id, DecisionRow.ranking_id, DecisionRow.reranking_id)
        .add_columns(ListingRow.position, DecisionRow.is_alone)
        .join(ListingRow, listed)
        .where(
            *wanted(DecisionRow),
            DecisionRow.about == "relevant",
            DecisionRow.label != "undecided",
            DecisionRow.source == "desk",
            ~is_taken_back,
        )
        .distinct()
    )


def _select_drawn(wanted: Wanted) -> Select[int, int, bytes]:
    return select(DrawRow.report_id, DrawRow.issue_id, DrawRow.positions).where(*wanted(DrawRow))


def _select_marked(wanted: Wanted) -> Select[int, int, int | None, int | None, int]:
    """Select the read mark that is furthest down in each list. Only each person's newest mark is considered."""
    mark = ReadMarkRow
    list_conditions = (mark.report_id, mark.issue_id, mark.ranking_id, mark.reranking_id)
    newest = select(func.max(mark.id)).where(*wanted(mark)).group_by(*list_conditions, mark.person_id)
    deepest = func.max(mark.place).label("place")
    return select(*list_conditions, deepest).where(mark.id.in_(newest)).group_by(*list_conditions)


def _select_orders(wanted: Wanted) -> CompoundSelect[int, int | None, bytes]:
    """Select the rankings and re-ranked orders that decisions and read marks refer to."""
    logs = (DecisionRow, ReadMarkRow)
    ranked = or_(*(RankingRow.id.in_(select(log.ranking_id).where(*wanted(log))) for log in logs))
    reranked = or_(*(RerankingRow.id.in_(select(log.reranking_id).where(*wanted(log))) for log in logs))
    return union_all(
        select(RankingRow.id, cast(null(), RerankingRow.id.type), RankingRow.positions).where(ranked),
        select(RerankingRow.ranking_id, RerankingRow.id, RerankingRow.positions).where(reranked),
    )


def _select_published(wanted: Wanted) -> Select[int, int, str, int, bytes, int]:
    """Select the reading progress of each publication that was reopened, oldest first."""
    log = ReopenedIssueRow
    columns = (log.report_id, log.issue_id, log.source, log.n_papers, log.unread, log.decisions_up_to)
    return select(*columns).where(*wanted(log)).order_by(log.id)


def _select_undone(wanted: Wanted) -> Select[int, int, int, int]:
    """Select each paper that ever had a decision undone, with the log number of the newest undo."""
    log = DecisionRow
    listed = (ListingRow.issue_id == log.issue_id) & (ListingRow.paper_id == log.paper_id)
    return (
        select(log.report_id, log.issue_id, ListingRow.position, func.max(log.id))
        .join(ListingRow, listed)
        .where(*wanted(log), log.about == "relevant", log.label == "undecided")
        .group_by(log.report_id, log.issue_id, ListingRow.position)
    )


_OF_ONE = _Logs.of(list_conditions)
_SINCE = _Logs.of(
    lambda log: [
        log.issue_id.in_(select(IssueRow.id).where(IssueRow.date >= bindparam("since", type_=IssueRow.date.type))),
        log.report_id.in_(bindparam("reports", expanding=True)),
    ]
)


_DRAWS = (
    select(DrawRow.ranking_id, DrawRow.n_read, DrawRow.n_rest, DrawRow.positions)
    .where(*list_conditions(DrawRow))
    .order_by(DrawRow.id)
)


def draws(store: Store, report: str, issue: date) -> list[Draw]:
    """Return a report's random draws from an issue, oldest first."""
    with store.reading(Right.SEE, report) as connection:
        return _query_draws(connection, **list_ids(connection, report, issue))


def mark_read(
    store: Store,
    report: str,
    issue: date,
    ranking: int | None,
    place: int,
    *,
    person: str,
    reranking: int | None = None,
) -> None:
    """Log how far down a list a person has read. This replaces the person's earlier mark in the list.

    Parameters
    ----------
    ranking : int or None
        Number of the ranking that the list shows. None if it shows list order.
    place : int
        1-based place of the last read paper in the list.
    reranking : int, optional
        Number of the re-ranked order that the list shows. None if the list is in the order of the ranking.

    Raises
    ------
    RefusedError
        If the report or the issue does not exist, or the report issue is published.
    """
    with store.writing(Right.EDIT, report) as connection:
        values = _log_columns(connection, report, issue, person) | {
            "ranking_id": ranking,
            "place": place,
            "reranking_id": reranking,
        }
        connection.execute(insert(ReadMarkRow).values(values))


def add_draw(store: Store, report: str, issue: date, draw: Draw, *, person: str) -> None:
    """Log a random draw of unread papers.

    Callers must determine which papers are unread in the same `Store.transaction`.

    Raises
    ------
    RefusedError
        If the report or the issue does not exist, or the report issue is published.
    """
    with store.writing(Right.EDIT, report) as connection:
        drawn = {"ranking_id": draw.ranking, "n_read": draw.n_read, "n_rest": draw.n_rest}
        values = _log_columns(connection, report, issue, person) | drawn | {"positions": pack(draw.positions)}
        connection.execute(insert(DrawRow).values(values))


def _log_columns(connection: Connection, report: str, issue: date, person: str) -> dict[str, Any]:
    refuse_published(connection, report, issue)
    return {
        "report_id": report_id(connection, report),
        "issue_id": issue_id(connection, issue),
        "person_id": person_id(connection, person),
        "made_at": datetime.now(UTC),
    }


def _query_draws(connection: Connection, report: int, issue: int) -> list[Draw]:
    rows = connection.execute(_DRAWS, {"report": report, "issue": issue})
    return [
        Draw(ranking, n_read, n_rest, tuple(unpack(positions).tolist())) for ranking, n_read, n_rest, positions in rows
    ]
