"""Read published ranked lists: the scores of the papers, and which papers were read or are relevant.

Relevance forecasts are trained on these lists.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import ColumnElement, Row, Select, exists, func, or_, select
from sqlalchemy.orm import aliased

from presort.data.errors import DamagedCellError
from presort.data.learning.official import CONDITION, official_rows
from presort.data.learning.outcomes import IS_SORTED, select_outcomes
from presort.data.learning.rankings import ORDER_READ
from presort.data.records import Positions, SortedList
from presort.data.store import Store
from presort.data.tables import (
    DecisionRow,
    DrawRow,
    FirstPublicationRow,
    IssueRow,
    ListingRow,
    OutcomeRow,
    RankingRow,
    ReportIssueRow,
    ReportRow,
)
from presort.data.tables.positions import SCORE, fault_of_scores, numbers, unpack

READ_AT_ONCE = 500  # lists per query


class ListReference(NamedTuple):
    """Reference to a published list that has not been read from the database yet."""

    ranking_id: int
    report: str
    issue: date


def sorted_lists(
    store: Store,
    ranker: str,
    before: date = date.max,
    *,
    replay: int | None = None,
    newest: int | None = None,
    since: date | None = None,
    shown_id: int | None = None,
) -> dict[str, list[SortedList]]:
    """Return the published lists that a ranker ranked, grouped by report, oldest first.

    Only the official ranking of each report issue is used, see `official_rows`. Unranked lists are omitted.

    Papers below the first unread paper that were found individually, for example by a search, are treated as unread,
    because it is unknown whether the papers around them are relevant. Papers in a spot check are a random sample and
    are treated as read. If some papers in a spot check were not read, all of its papers are treated as unread, because
    the editor may have chosen which papers to decide on.

    A re-ranked list is returned in the order in which it was read, but its scores are those of the original ranking,
    from best to worst. The forecasts need the score at each place in the list, not the score of each paper.

    Parameters
    ----------
    ranker : str
        Recipe name.
    before : date
        Use only issues before this date.
    replay : int, optional
        Use only rankings from this replay.
    newest : int, optional
        Maximum number of lists to read per report. Defaults to all lists. With `since`, the limit applies only to
        issues before that date.
    since : date, optional
        Read all lists of issues on or after this date, regardless of `newest`.
    shown_id : int, optional
        Number of a ranking. Lists that were first published after this ranking was created are ignored, except for
        imported selections.
    """
    wanted = []
    for of_report in official_lists(store, ranker, before, replay, shown_id):
        n_before = len(of_report) if since is None else bisect_left(of_report, since, key=attrgetter("issue"))
        wanted += of_report[0 if newest is None else max(n_before - newest, 0) :]
    found: dict[str, list[SortedList]] = {}
    for one in _read_lists(store, wanted):
        found.setdefault(one.report, []).append(one)
    return found


def lists_state(store: Store, ranker: str, before: date, shown_id: int) -> tuple[int, ...]:
    """Return a tuple of numbers that changes whenever the result of `sorted_lists` changes.

    It doesn't depend on the clock.
    """
    query = (
        select_outcomes(func.count(), func.max(OutcomeRow.revision))
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .where(RankingRow.ranker == ranker, IS_SORTED, IssueRow.date < before, _was_published_before(shown_id))
    )
    with store.reading() as connection:
        return tuple(int(value or 0) for value in connection.execute(query).one())


def _was_published_before(shown_id: int) -> ColumnElement[bool]:
    # A report issue without a `FirstPublicationRow` was published by an old version, before this ranking existed.
    first = FirstPublicationRow
    return or_(first.report_id.is_(None), first.source == "file", first.rankings_up_to < shown_id)


def official_lists(
    store: Store,
    ranker: str,
    before: date = date.max,
    replay: int | None = None,
    shown_id: int | None = None,
) -> list[list[ListReference]]:
    """Return references to the lists that `sorted_lists` reads, as one list per report, oldest first."""
    query = (
        select_outcomes(RankingRow.id, ReportRow.code, IssueRow.date, IS_SORTED.label("is_sorted"), CONDITION)
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .where(RankingRow.ranker == ranker, IssueRow.date < before)
        .order_by(RankingRow.id)
    )
    if replay is not None:
        query = query.where(RankingRow.replay_id == replay)
    if shown_id is not None:
        query = query.where(_was_published_before(shown_id))
    with store.reading() as connection:
        rows = connection.execute(query).all()
    number, code, day, _, condition = zip(*rows, strict=True) if rows else [()] * 5
    official = official_rows([np.array(code), np.array(day, "datetime64[D]")], np.array(condition), np.array(number))
    named = [ListReference(*rows[place][:3]) for place in official.tolist() if rows[place].is_sorted]
    return [list(of_report) for _, of_report in groupby(named, key=attrgetter("report"))]


def _read_lists(store: Store, wanted: Sequence[ListReference]) -> Iterator[SortedList]:
    """Read lists in the given order."""
    query = select_outcomes(RankingRow.id, RankingRow.positions, RankingRow.scores, ORDER_READ.label("order_read"))
    query = query.add_columns(OutcomeRow.n_papers, OutcomeRow.places, ReportIssueRow.unread)
    for start in range(0, len(wanted), READ_AT_ONCE):
        some = wanted[start : start + READ_AT_ONCE]
        is_asked = RankingRow.id.in_([one.ranking_id for one in some])
        with store.reading() as connection:
            # A ranking is missing from the result if its report issue was reopened in the meantime.
            row_of = {row.id: row for row in connection.execute(query.where(is_asked))}
            alone: dict[int, list[int]] = {}
            for number, position in connection.execute(_INDIVIDUAL_FINDS.where(is_asked)):
                alone.setdefault(number, []).append(position)
            draws: dict[int, list[Positions]] = {}
            for number, positions in connection.execute(_DRAWS.where(is_asked)):
                draws.setdefault(number, []).append(unpack(positions))
            lists = [
                _make_sorted_list(
                    one, row_of[one.ranking_id], alone.get(one.ranking_id, []), draws.get(one.ranking_id, [])
                )
                for one in some
                if one.ranking_id in row_of
            ]
        yield from lists


def _individual_finds_query() -> Select[int, int]:
    """Return a query for the ids of rankings and the list positions of papers whose decisions all have `is_alone`."""
    other = aliased(DecisionRow)
    same = other.report_id == DecisionRow.report_id, other.issue_id == DecisionRow.issue_id
    is_passed = exists().where(*same, other.paper_id == DecisionRow.paper_id, *_is_decision(other), ~other.is_alone)
    listed = (ListingRow.issue_id == DecisionRow.issue_id) & (ListingRow.paper_id == DecisionRow.paper_id)
    of_ranking = (DecisionRow.report_id == RankingRow.report_id) & (DecisionRow.issue_id == RankingRow.issue_id)
    found = select(RankingRow.id, ListingRow.position).join(DecisionRow, of_ranking).join(ListingRow, listed)
    return found.where(*_is_decision(DecisionRow), DecisionRow.is_alone, ~is_passed).distinct()


def _draws_query() -> Select[int, bytes]:
    """Return a query for the ids of rankings and the packed list positions of each draw from the same report issue."""
    of_ranking = (DrawRow.report_id == RankingRow.report_id) & (DrawRow.issue_id == RankingRow.issue_id)
    return select(RankingRow.id, DrawRow.positions).join(DrawRow, of_ranking).order_by(DrawRow.id)


def _is_decision(log: type[DecisionRow]) -> tuple[ColumnElement[bool], ...]:
    return log.about == "relevant", log.label != "undecided", log.source == "desk"


_INDIVIDUAL_FINDS = _individual_finds_query()
_DRAWS = _draws_query()


def _make_sorted_list(
    one: ListReference, row: Row[*tuple[Any, ...]], alone: Sequence[int], draws: Sequence[Positions]
) -> SortedList:
    positions, all_scores = unpack(row.positions), numbers(row.scores, SCORE)
    if fault := fault_of_scores(all_scores, len(positions)):
        raise DamagedCellError(f"row {row.id} of ranking: {fault}")
    was_there = positions <= row.n_papers
    scores = all_scores[was_there]
    is_unread = np.zeros(row.n_papers + 1, dtype=bool)
    is_unread[unpack(row.unread)] = True
    ranked, places = positions[was_there], unpack(row.places)
    order = unpack(row.order_read)
    order = order[np.isin(order, ranked)]
    is_relevant = np.isin(order, ranked[places[places <= len(scores)] - 1])
    is_read = ~is_unread[order]
    is_below = is_unread[order].cumsum() > 0  # below the first unread paper
    is_checked = np.zeros(len(order), dtype=bool)
    left_out = np.isin(order, alone) & is_below
    for drawn in draws:
        is_drawn = np.isin(order, drawn) & is_below
        if is_unread[drawn[drawn <= row.n_papers]].any():
            left_out |= is_drawn
        else:
            is_checked |= is_drawn
    left_out &= ~is_checked
    return SortedList(*one, scores, is_read & ~left_out, is_relevant & ~left_out, is_checked if draws else None)
