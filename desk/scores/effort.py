"""How far editors read at the desk, against where the light turned red, and in how many minutes."""

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
import pandas as pd

from data.editing.read_papers import NOTHING, all_read_positions
from data.editing.work import DeskWork, desk_work, minutes_at_desk
from data.learning import rankings
from data.records import Positions, ScoredRanking
from data.store import Store
from desk.sheet.levels import all_levels
from desk.sheet.progress import LEVEL, Reading, finished_issues, judge
from ranker.light import FinishedIssue, Light, fit_lights

COLUMNS = ["report", "issue", "ranker", "n_papers", "n_read", "read_to", "red_at", "way_to_red", "minutes"]

STUDY_MINUTES = 14.5  # that an editor spends on an issue: in a study of 38,000 report issues of NEP
FEWEST_TIMED = 3  # issues of a report, to know its pace by


def work_done(store: Store, since: date) -> pd.DataFrame:
    """Return how far editors read the sorted lists of the report issues that have gone out.

    Parameters
    ----------
    since : date
        Only issues from then on. Those of which nothing was decided at the desk are left out.

    Returns
    -------
    DataFrame
        By report and issue: ``ranker``; ``n_papers``; ``n_read`` and ``read_to``, as those of `Reading`;
        ``red_at``, where the light then turned red; ``way_to_red``, the part of the way there that was read, 0 to 1,
        both NaN while the light knew too little; ``minutes`` that deciding took.
    """
    works, minutes = desk_work(store, since), minutes_at_desk(store, since)
    lights, levels, read = _lights(store, works), all_levels(store), all_read_positions(store, since)
    rows = []
    for work in works:
        key = work.report, work.issue
        light = lights[work.ranker, work.issue][work.report]
        so_far = _judged(work, light, read.get(key, NOTHING), levels.get(work.report, LEVEL))
        red_at = so_far.red_at if light.is_ready else np.nan
        way = min(so_far.read_to / red_at, 1.0) if light.is_ready else np.nan
        sizes = (work.ranker, work.n_papers, so_far.n_read, so_far.read_to, red_at, way)
        rows.append((work.report, pd.Timestamp(work.issue), *sizes, minutes.get(key, 0.0)))
    return pd.DataFrame(rows, columns=COLUMNS)


def _lights(store: Store, works: Sequence[DeskWork]) -> dict[tuple[str, date], Mapping[str, Light]]:
    """Return the lights of all reports by ranker and issue, as of before that issue."""
    needed = sorted({(work.ranker, work.issue) for work in works})
    scored: list[ScoredRanking] = rankings.scored_rankings(store) if needed else []
    without: dict[str, list[FinishedIssue]] = {work.report: [] for work in works}
    return {(ranker, issue): fit_lights(without | finished_issues(scored, ranker, issue)) for ranker, issue in needed}


def _judged(work: DeskWork, light: Light, read: Positions, level: int) -> Reading:
    order = rankings.whole_order(work.order, work.n_papers)
    words = [work.said.get(position) for position in order.tolist()]
    return judge(light, words, np.isin(order, read), level)


def pace(work: pd.DataFrame) -> "pd.Series[float]":
    """Return the minutes a paper that reports took to read, by report, of those with enough issues.

    Parameters
    ----------
    work : DataFrame
        As `desk.scores.effort.work_done` gives it.
    """
    timed = work[(work["minutes"] > 0) & (work["n_read"] > 0)].groupby("report")
    sums = timed[["minutes", "n_read"]].sum()[timed.size() >= FEWEST_TIMED]
    return (sums["minutes"] / sums["n_read"]).astype(float)


def effort(
    table: pd.DataFrame, in_list: Mapping[tuple[str, date], int], minutes_a_paper: "pd.Series[float]"
) -> pd.DataFrame:
    """Return what a ranking saved its editor against the order received: the papers above the last relevant one.

    Parameters
    ----------
    table : DataFrame
        As `of_ranker` gives it.
    in_list : mapping from (report, issue) to int
        Place of the last relevant paper in the order received, as `data.editing.work.last_in_list` gives it.
    minutes_a_paper : Series
        As `pace` gives it. A report that is not there is taken to need `STUDY_MINUTES` for all papers of an issue.

    Returns
    -------
    DataFrame
        A row a report issue with a relevant paper: ``report``, ``issue``, ``received`` and ``ranked``, the places of
        the last relevant paper; ``papers`` and ``minutes``, what was saved, below 0 where the ranking stood behind;
        ``is_timed``, whether the pace is the report's own.
    """
    some = table[table["n_relevant"] > 0]
    keys = zip(some["report"], some["issue"].dt.date, strict=True)
    received = pd.Series([in_list.get(key, np.nan) for key in keys], index=some.index, dtype=float)
    papers = received - some["last_relevant_position"]
    own = some["report"].map(minutes_a_paper).astype(float)
    return pd.DataFrame(
        {
            "report": some["report"],
            "issue": some["issue"],
            "received": received,
            "ranked": some["last_relevant_position"],
            "papers": papers,
            "minutes": papers * own.fillna(STUDY_MINUTES / some["n_papers"]),
            "is_timed": own.notna(),
        }
    ).dropna(subset="papers")
