"""Whether an issue was read far enough to judge its order by what was found; what was not read tells nothing else.

An editor who stops where one paper in twenty may be missed has done what the report asks for, and its ranker learns
from that. But how good the order was can't be told, as what is missed stands where it is worst. Who stops even earlier
says nothing of the papers not read, neither yes nor no.
"""

from datetime import date

import numpy as np

from data import catalogue
from data.editing import decisions
from data.editing.read_papers import read_positions
from data.records import Extent, StoredRanking
from data.store import Store
from desk.sheet import progress
from desk.sheet.may_miss import may_miss
from desk.sheet.progress import Sheet, shown_order
from desk.sheet.recalls import recalls_before
from ranker.recall import Recall

ENOUGH = (
    0.5  # of a sorted list, while nothing can be told: on the arXiv, all that is relevant is read then in 97 of 100
)


def extent(store: Store, report: str, issue: date, shown: StoredRanking | None, recall: Recall | None = None) -> Extent:
    """Return how far an issue was read for a report.

    All is known where everything was read; in a sorted list, also where nothing relevant is left 19 times of 20, or
    where at least half of it was read while too little is known to tell that.

    Parameters
    ----------
    shown : StoredRanking or None
        What the issue is sorted by; None in list order.
    recall : Recall, optional
        What is known of the report before the issue, for lists sorted so; learned anew unless given.
    """
    papers = catalogue.papers(store, issue)
    order = shown_order(shown, len(papers))
    sheet = Sheet(report, issue, papers, shown, order, recall=None)
    is_read = sheet.is_read(read_positions(store, report, issue))
    left = tuple(np.sort(order[~is_read]).tolist())
    if shown is None or not shown.ranking.is_sorted:
        return Extent(left, "early" if left else "all")
    recall = recall or recalls_before(store, shown.ranking.ranker, issue)[report]
    words = sheet.in_order(decisions.words(store, report, issue))
    so_far = progress.judge(recall, shown.ranking.scores, words, is_read, may_miss(store, report))
    if not so_far.is_known:
        return Extent(left, "early" if is_read.mean() < ENOUGH else "all")
    if so_far.read_to >= so_far.stops["none"].place:
        return Extent(left, "all", so_far.stop_at)
    return Extent(left, "told" if so_far.may_stop else "early", so_far.stop_at)
