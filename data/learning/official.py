"""Choose the official ranking of a report issue, which all pages, tables, forecasts and exports use.

A report issue may have many rankings. Some were created before its first publication, for its editor or by shadow
rankers. Other rankings were created later, or belong to replays. All figures refer to the same ranking, the *official*
ranking, so that they agree.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Select, and_, case, or_

from presort.data.records import Condition, Rows
from presort.data.tables import FirstPublicationRow, RankingRow

LIVE = (Condition.LATE, Condition.LIVE, Condition.SHOWN)  # conditions of rankings for editors without hindsight
_FIRST = FirstPublicationRow
_HAS_NO_HINDSIGHT = and_(
    RankingRow.hints_up_to <= _FIRST.hints_up_to,
    # Log numbers of imported decisions are not chronological: last week's file may be imported before older files.
    or_(_FIRST.source == "file", RankingRow.decisions_up_to <= _FIRST.decisions_up_to),
)
# `Condition` of a `RankingRow`, for use in queries to which `with_first_publication` was applied.
CONDITION: ColumnElement[int] = case(
    (RankingRow.replay_id.is_not(None), int(Condition.REPLAY)),
    (_FIRST.ranking_id == RankingRow.id, int(Condition.SHOWN)),
    (or_(_FIRST.report_id.is_(None), RankingRow.id <= _FIRST.rankings_up_to), int(Condition.LIVE)),
    (_HAS_NO_HINDSIGHT, int(Condition.LATE)),
    else_=int(Condition.HINDSIGHT),
)


def with_first_publication(query: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    """Outer-join each ranking in a query with the first publication of its report issue."""
    same = and_(_FIRST.report_id == RankingRow.report_id, _FIRST.issue_id == RankingRow.issue_id)
    return query.outerjoin(_FIRST, same)


def official_rows(keys: Sequence[NDArray[Any]], condition: NDArray[Any], ranking_id: NDArray[np.int64]) -> Rows:
    """Return the row of the official ranking in each group of rankings.

    The official ranking is the first of these that exists:

    1. the ranking shown at the first publication
    2. the newest ranking created before the first publication
    3. the newest ranking from a replay
    4. the oldest ranking created after the first publication

    A ranking created later therefore never replaces a ranking that was shown or that comes from a replay. Rankings with
    hindsight are never official.

    Parameters
    ----------
    keys : sequence of array of shape (n_rankings,)
        Columns to group by. Group by report and issue to get the ranking of the editor's list. Add the ranker to get
        one ranking for each ranker.
    condition : array of int, shape (n_rankings,)
        `Condition` of each ranking.
    ranking_id : array of int, shape (n_rankings,)

    Returns
    -------
    array of int, shape (n_groups,)
        Row of each group's official ranking, sorted by the keys. Groups without an official ranking are omitted.

    Examples
    --------
    >>> issue, number = np.array([1, 1, 1, 2, 2]), np.array([5, 6, 9, 7, 8])
    >>> condition = [Condition.LIVE, Condition.SHOWN, Condition.LATE, Condition.REPLAY, Condition.HINDSIGHT]
    >>> number[official_rows([issue], np.array(condition), number)].tolist()
    [6, 7]
    """
    codes = [pd.factorize(key, sort=True)[0] for key in keys]
    preferred = np.where(condition == Condition.LATE, -ranking_id, ranking_id)
    order = np.lexsort((preferred, condition, *reversed(codes)))
    order = order[condition[order] > Condition.HINDSIGHT]
    is_last = np.zeros(len(order), dtype=bool)
    is_last[-1:] = True
    for code in codes:
        is_last[:-1] |= code[order[1:]] != code[order[:-1]]
    return order[is_last]
