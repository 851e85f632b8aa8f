"""Choice of the official ranking of a report issue, used by every page, table, forecast and export.

Of one report issue there may be many rankings: those made before it was first published, for its editor and by shadows;
those of replays; and some made afterwards. Figures are about one of them, the *official* ranking.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Select, and_, case, or_

from presort.data.records import Condition, Rows, ScoredRanking
from presort.data.tables import FirstPublicationRow, RankingRow

LIVE = (Condition.LATE, Condition.LIVE, Condition.SHOWN)  # made for the editor, and not from hindsight
_FIRST = FirstPublicationRow
_KNEW_NO_MORE = and_(
    RankingRow.hints_up_to <= _FIRST.hints_up_to,
    # Decisions of imports have late numbers: a file of last week's selections may come before one of earlier weeks.
    or_(_FIRST.source == "file", RankingRow.decisions_up_to <= _FIRST.decisions_up_to),
)
CONDITION: ColumnElement[int] = case(
    (RankingRow.replay_id.is_not(None), int(Condition.REPLAY)),
    (_FIRST.ranking_id == RankingRow.id, int(Condition.SHOWN)),
    (or_(_FIRST.report_id.is_(None), RankingRow.id <= _FIRST.rankings_up_to), int(Condition.LIVE)),
    (_KNEW_NO_MORE, int(Condition.LATE)),
    else_=int(Condition.HINDSIGHT),
)  # of a row of `ranking`, in a query that `with_first_publication` has joined


def with_first_publication(query: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    """Join the first publication, if there was one, to a query of rankings."""
    same = and_(_FIRST.report_id == RankingRow.report_id, _FIRST.issue_id == RankingRow.issue_id)
    return query.outerjoin(_FIRST, same)


def official_rows(keys: Sequence[NDArray[Any]], condition: NDArray[Any], ranking_id: NDArray[np.int64]) -> Rows:
    """Return the row of the official ranking of each group.

    The ranking that was shown when the report issue was first published comes first, then the newest one made before
    that, then the newest one of a replay, then the oldest one made afterwards. So nothing that is made later takes the
    place of a ranking that was shown, or of a replay. A ranking that knew what came afterwards never counts.

    Parameters
    ----------
    keys : sequence of array of shape (n_rankings,)
        What makes a group: report and issue, for the ranking by which its editor read it; and ranker, for the ranking
        by each ranker.
    condition : array of int, shape (n_rankings,)
        Under which `Condition` each ranking was made.
    ranking_id : array of int, shape (n_rankings,)

    Returns
    -------
    array of int, shape (n_groups,)
        Ordered by the keys. A group in which no ranking counts has no row.

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


def official_rankings(scored: Iterable[ScoredRanking]) -> list[ScoredRanking]:
    """Choose the official ranking of each report, issue and ranker, in that order, as `official_rows` does."""
    some = list(scored)
    keys = [np.array([getattr(one, name) for one in some], dtype=object) for name in ("report", "issue", "ranker")]
    condition, number = ([getattr(one, name) for one in some] for name in ("condition", "ranking_id"))
    return [some[row] for row in official_rows(keys, np.array(condition, int), np.array(number, int)).tolist()]
