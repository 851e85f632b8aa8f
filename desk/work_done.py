"""How far editors read at the desk, against where the light turned red, and in how many minutes."""

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
import pandas as pd

from data import rankings
from data.desk_work import DeskWork, desk_work, list_positions, minutes_at_desk
from data.records import ScoredRanking
from data.store import Store
from desk import kept
from desk.reading import LEVEL, Reading, drawn_positions, finished_issues, judge
from ranker.light import FinishedIssue, Light, fit_lights

COLUMNS = ["report", "issue", "ranker", "n_papers", "read_to", "red_at", "way_to_red", "minutes"]


def work_done(store: Store, since: date) -> pd.DataFrame:
    """Tell how far editors read the sorted lists of the report issues that have gone out.

    Parameters
    ----------
    since : date
        Only issues from then on. Those of which nothing was decided at the desk are left out.

    Returns
    -------
    DataFrame
        By report and issue: ``ranker``; ``n_papers``; ``read_to``, as `desk.reading.Reading` has it; ``red_at``, where
        the light then turned red; ``way_to_red``, the part of the way there that was read, 0 to 1, both NaN while the
        light knew too little; ``minutes`` that deciding took.
    """
    works, minutes = desk_work(store, since), minutes_at_desk(store, since)
    lights, draws, levels = _lights(store, works), kept.all_draws(store), kept.all_levels(store)
    pointed = _pointed(store, works)
    rows = []
    for work in works:
        key = work.report, work.issue
        light = lights[work.ranker, work.issue][work.report]
        drawn = drawn_positions(draws.get(key, []))
        so_far = _judged(work, light, drawn, levels.get(work.report, LEVEL), pointed.get(key, 0))
        red_at = so_far.red_at if light.is_ready else np.nan
        way = min(so_far.read_to / red_at, 1.0) if light.is_ready else np.nan
        sizes = (work.ranker, work.n_papers, so_far.read_to, red_at, way)
        rows.append((work.report, pd.Timestamp(work.issue), *sizes, minutes.get(key, 0.0)))
    return pd.DataFrame(rows, columns=COLUMNS)


def _lights(store: Store, works: Sequence[DeskWork]) -> dict[tuple[str, date], Mapping[str, Light]]:
    """Give the lights of all reports by ranker and issue, as of before that issue."""
    needed = sorted({(work.ranker, work.issue) for work in works})
    scored: list[ScoredRanking] = rankings.scored_rankings(store) if needed else []
    without: dict[str, list[FinishedIssue]] = {work.report: [] for work in works}
    return {(ranker, issue): fit_lights(without | finished_issues(scored, ranker, issue)) for ranker, issue in needed}


def _pointed(store: Store, works: Sequence[DeskWork]) -> dict[tuple[str, date], int]:
    """Give the list positions of the papers to which somebody said to have read, in the rankings shown."""
    kept_papers = kept.all_read_to(store)
    told = {
        (work.report, work.issue): paper
        for work in works
        if (paper := kept_papers.get((work.report, work.issue), {}).get(str(work.ranking_id)))
    }
    positions = list_positions(store, told.values())
    return {key: positions.get((key[1], paper), 0) for key, paper in told.items()}


def _judged(work: DeskWork, light: Light, drawn: Sequence[int], level: int, pointed: int) -> Reading:
    order = rankings.whole_order(work.order, work.n_papers).tolist()
    place_of = {position: place for place, position in enumerate(order, start=1)}
    words = [work.said.get(position) for position in order]
    return judge(light, words, [place_of[position] for position in drawn], level, pointed=place_of.get(pointed, 0))
