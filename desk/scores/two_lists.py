"""Two rankers' rankings of the same issue, for a side-by-side view."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from presort.data import catalogue
from presort.data.learning import outcomes, rankings
from presort.data.records import ScoredRanking
from presort.data.store import Store
from presort.desk.scores.natural_order import deciding_places


@dataclass(frozen=True, eq=False)
class TwoLists:
    """Two rankers' rankings of one issue for a report.

    Attributes
    ----------
    better, worse : DataFrame, shape (n_papers, 4)
        The ranking that is better in natural order, and the other one, with the best-ranked paper first: ``place`` and
        list ``position`` (both 1-based), ``is_relevant`` and ``title``.
    relevant : DataFrame
        One row per relevant paper, sorted by ``worse_place``: ``position``, ``title``, ``better_place`` and
        ``worse_place`` in the two lists, and ``is_deciding``, True for the paper that decides which list is worse.
    """

    better: pd.DataFrame
    worse: pd.DataFrame
    relevant: pd.DataFrame


def two_lists(store: Store, better: "pd.Series[Any]", worse: "pd.Series[Any]") -> TwoLists:
    """Read two rankers' rankings of one issue for a report.

    Parameters
    ----------
    better, worse : Series
        Rows of `table.scores` for the same report issue, with different outcomes. The first is better in natural order.
    """
    scored = outcomes.scored_rankings(store, better["report"])
    titles = [paper.title for paper in catalogue.papers(store, better["issue"].date())]
    left, right = (_list(store, scored, titles, row) for row in (better, worse))
    ours, theirs = (one[one["is_relevant"]].drop(columns="is_relevant") for one in (left, right))
    relevant = ours.merge(theirs.drop(columns="title"), on="position", suffixes=("_better", "_worse"))
    relevant = relevant.rename(columns={"place_better": "better_place", "place_worse": "worse_place"})
    deciding = deciding_places(better["outcome"], worse["outcome"])[1]
    relevant["is_deciding"] = relevant["worse_place"] == deciding
    return TwoLists(left, right, relevant.sort_values("worse_place", ignore_index=True))


def _list(store: Store, scored: list[ScoredRanking], titles: list[str], row: "pd.Series[Any]") -> pd.DataFrame:
    (found,) = (x for x in scored if x.ranking_id == row["ranking_id"])
    positions = rankings.ranking(store, found.ranking_id).ranking.positions
    order = rankings.whole_order(positions, found.n_papers)
    is_relevant = np.zeros(len(order), dtype=bool)
    is_relevant[found.places - 1] = True
    return pd.DataFrame(
        {
            "place": np.arange(1, len(order) + 1),
            "position": order,
            "is_relevant": is_relevant,
            "title": [titles[position - 1] for position in order.tolist()],
        }
    )
