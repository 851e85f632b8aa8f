"""Whether an issue was read far enough to judge its order by what was found; what was not read tells nothing else.

An editor who stops before the light says so may have missed relevant papers further down. Of such a report issue the
papers not read are kept: they are no word, neither yes nor no, wherever something is learned or measured.
"""

from datetime import date

import numpy as np

from data import catalogue
from data.editing import decisions
from data.editing.read_papers import read_positions
from data.learning import rankings
from data.records import Positions, StoredRanking
from data.store import Store
from desk.sheet import progress
from desk.sheet.levels import level
from desk.sheet.progress import Sheet, shown_order
from ranker.light import Light, fit_lights

ENOUGH = 0.5  # of a sorted list, while no light can tell: on the arXiv, all relevant papers then are read in 97 of 100
NOTHING: Positions = np.empty(0, dtype=np.int32)


def light_before(store: Store, report: str, ranker: str, issue: date) -> Light:
    """Return the light of a report for lists that a ranker sorts, as the issues before one tell."""
    finished = progress.finished_issues(rankings.scored_rankings(store), ranker, issue)
    return fit_lights({report: [], **finished})[report]


def unread(store: Store, report: str, issue: date, shown: StoredRanking | None) -> Positions:
    """Return the papers that were not read, where reading has not come far enough.

    It has where everything was read; in a sorted list, also where the light says that reading may end, or where at
    least half of the list was read while no light can tell.

    Parameters
    ----------
    shown : StoredRanking or None
        What the issue is sorted by; None in list order.

    Returns
    -------
    array of shape (n_unread,)
        List positions, from 1, ascending; empty where reading has come far enough.
    """
    papers, words = catalogue.papers(store, issue), decisions.words(store, report, issue)
    order = shown_order(shown, len(papers))
    sheet = Sheet(report, issue, papers, shown, order, light=None)
    is_read = sheet.is_read(read_positions(store, report, issue))
    left = np.sort(order[~is_read])
    if shown is None or not shown.ranking.is_sorted or not len(left):
        return left
    light = light_before(store, report, shown.ranking.ranker, issue)
    if not light.is_ready:
        return NOTHING if is_read.mean() >= ENOUGH else left
    so_far = progress.judge(light, sheet.in_order(words), is_read, level(store, report))
    return NOTHING if so_far.is_red else left
