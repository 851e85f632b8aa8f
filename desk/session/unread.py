"""Whether an issue was read far enough to judge its order by what was found; what was not read tells nothing else.

An editor who stops where one paper in twenty may be missed has done what the report asks for, and its ranker learns
from that. But how good the order was can't be told, as what is missed stands where it is worst. Who stops even earlier
says nothing of the papers not read, neither yes nor no.
"""

from collections.abc import Mapping
from datetime import date

import numpy as np

from presort.data.catalogue import issue_id, report_id
from presort.data.editing import decisions
from presort.data.editing.publications import earlier_publication, n_published_papers
from presort.data.editing.read_papers import read_now
from presort.data.records import Ended, Extent, Positions, StoredRanking, Word
from presort.data.rights import Right
from presort.data.store import Connection, Store
from presort.desk.session import progress
from presort.desk.session.progress import shown_order
from presort.desk.session.relevance_models import relevance_model_of
from presort.desk.session.target_recall import target_recall_now
from presort.ranker.stopping.curves import Flags
from presort.ranker.stopping.relevance_model import RelevanceModel

FURTHEST: tuple[Ended, ...] = ("early", "told", "all")  # from the shortest reading to the longest


def extent(
    store: Store, report: str, issue: date, shown: StoredRanking | None, relevance_model: RelevanceModel | None = None
) -> Extent:
    """Return how far an issue was read for a report.

    All is known where everything was read; in a sorted list, also where nothing relevant is left 19 times of 20.

    If it was published before and nothing more was read since, this is what it was then.

    Parameters
    ----------
    shown : StoredRanking or None
        What the issue is sorted by; None in list order.
    relevance_model : RelevanceModel, optional
        What is known of the report before the issue, for lists sorted so; learned again unless given.
    """
    if relevance_model is None and shown is not None and shown.ranking.is_sorted:
        relevance_model = relevance_model_of(store, shown)
    with store.reading(Right.SEE, report) as connection:
        return extent_now(connection, report, issue, shown, relevance_model)


def extent_now(
    connection: Connection,
    report: str,
    issue: date,
    shown: StoredRanking | None,
    relevance_model: RelevanceModel | None,
) -> Extent:
    """Return the same as `extent`, on an open connection, to store it in the same transaction.

    Parameters
    ----------
    relevance_model : RelevanceModel or None
        Forecast model of the report before the issue; None if the list is not sorted. It is passed because the editor
        was advised by it, and because fitting it takes seconds.
    """
    ids = report_id(connection, report), issue_id(connection, issue)
    read = read_now(connection, *ids)
    n_papers = n_published_papers(connection, *ids, read)
    order = shown_order(shown, n_papers)
    is_read = np.isin(order, read)
    left = tuple(np.sort(order[~is_read]).tolist())
    earlier = earlier_publication(connection, *ids)
    if earlier is not None and left == earlier.extent.unread:
        return earlier.extent
    words = decisions.words_at(connection, *ids)
    judged = _judged(connection, report, shown, relevance_model, order, words, is_read)
    if earlier is not None and FURTHEST.index(earlier.extent.ended) >= FURTHEST.index(judged.ended):
        return Extent(left, earlier.extent.ended, earlier.extent.stop_at)
    return judged


def _judged(
    connection: Connection,
    report: str,
    shown: StoredRanking | None,
    relevance_model: RelevanceModel | None,
    order: Positions,
    words: Mapping[int, Word],
    is_read: Flags,
) -> Extent:
    """Judge how far a list was read, from its words and the papers read in it."""
    left = tuple(np.sort(order[~is_read]).tolist())
    if shown is None or relevance_model is None:
        return Extent(left, "early" if left else "all")
    # Of a ranking with papers that joined after the first publication, their scores are left out as they are.
    scores = shown.ranking.scores[shown.ranking.positions <= len(order)]
    in_order = [words.get(position) for position in order.tolist()]
    so_far = progress.advise(relevance_model, scores, in_order, is_read, target_recall_now(connection, report))
    if so_far.read_to >= so_far.stops["none"].place:
        return Extent(left, "all", so_far.stop_at)
    return Extent(left, "told" if so_far.may_stop else "early", so_far.stop_at)
