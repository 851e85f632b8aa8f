"""Context of a review: the list shown, the relevance model of its report, and how far the list was read.

`presort.data.editing.read_papers` determines which papers were read. An editor who stops where advised has done what
the report asks for, and its ranker learns from that. But the order of such a list can't be evaluated, because the
papers that were missed are where it is worst. An editor who stops earlier makes no decision on the unread papers.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256

import numpy as np

from presort.data import catalogue
from presort.data.catalogue import issue_id, report_id
from presort.data.editing import decisions
from presort.data.editing.publications import earlier_publication, n_published_papers
from presort.data.editing.read_papers import read_now
from presort.data.editing.rerankings import newest_now, newest_reranking
from presort.data.learning import rankings
from presort.data.learning.official import official_rankings
from presort.data.learning.sorted_lists import sorted_lists
from presort.data.records import (
    Ended,
    Label,
    Order,
    Paper,
    Positions,
    Reranking,
    ReviewProgress,
    ScoredRanking,
    StoredRanking,
)
from presort.data.rights import Right
from presort.data.store import Connection, Store
from presort.desk.session import stop_advice
from presort.desk.session.stop_advice import target_recall_now
from presort.ranker.stopping.curves import Flags
from presort.ranker.stopping.finished_list import FinishedList
from presort.ranker.stopping.relevance_model import NEEDED, RelevanceModel, fit_relevance_models

Places = Sequence[int]  # in the order shown, from 1
FURTHEST: tuple[Ended, ...] = ("early", "advised", "all")  # from the shortest reading to the longest


@dataclass(frozen=True, eq=False)
class ReviewContext:
    """Issue under review for a report, the ranking it is sorted by, and the state of the report.

    `shown` is None in list order. `relevance_model` is None in list order, and once the report issue is published.
    `order` is that of `reranking`, or of `shown` if the list was not re-ranked.
    """

    report: str
    issue: date
    papers: list[Paper]
    shown: StoredRanking | None
    order: Positions
    relevance_model: RelevanceModel | None
    is_published: bool = False
    reranking: Reranking | None = None

    def reranked(self, reranking: Reranking | None) -> "ReviewContext":
        """Return the same context in another order: a re-ranked one, or that of the ranking."""
        order = shown_order(self.shown, len(self.papers), reranking)
        return replace(self, order=order, reranking=reranking)

    @property
    def order_name(self) -> Order:
        """Name of the order that is shown."""
        return "received" if self.shown is None else "presort"

    def score_of(self) -> dict[int, float]:
        """Return the score of each scored list position."""
        if self.shown is None:
            return {}
        ranking = self.shown.ranking
        return dict(zip(ranking.positions.tolist(), ranking.scores.tolist(), strict=False))

    def in_order(self, labels: Mapping[str, Label]) -> list[Label | None]:
        """Return the label on each paper, or None, in the order shown."""
        return [labels.get(self.papers[position - 1].paper_id) for position in self.order.tolist()]

    def is_read(self, positions: Positions) -> Flags:
        """Return which papers are among those at some list positions, in the order shown."""
        return np.isin(self.order, positions)


def earlier_lists(scored: Iterable[ScoredRanking], ranker: str, before: date) -> list[ScoredRanking]:
    """Return the evaluable lists of one report that a ranker sorted in earlier issues, oldest first.

    The official ranking of each issue counts. List order is no ranking and is left out, and so is a list that was not
    read far enough to be evaluable.

    Parameters
    ----------
    scored : iterable of ScoredRanking
        Of one report, by issue and age, as `presort.data.learning.outcomes.scored_rankings` gives them.
    ranker : str
        Name of the recipe.
    before : date
        Only issues before it count.
    """
    official = official_rankings(x for x in scored if x.ranker == ranker and x.issue < before)
    return [x for x in official if x.is_trained and x.is_evaluable]


def shown_order(shown: StoredRanking | None, n_papers: int, reranking: Reranking | None = None) -> Positions:
    """Return the list positions in the order an editor sees them: as re-ranked, as ranked, or as received."""
    if reranking is not None:
        return rankings.whole_order(reranking.positions, n_papers)
    ranked = np.empty(0, dtype=np.int32) if shown is None else shown.ranking.positions
    return rankings.whole_order(ranked, n_papers)


def order_now(store: Store, shown: StoredRanking | None, n_papers: int) -> Positions:
    """Return the list positions in the order in which the list of a ranking is read now."""
    reranking = None
    if shown is not None:
        reranking = newest_reranking(store, shown.ranking.report, shown.ranking.issue, shown.id)
    return shown_order(shown, n_papers, reranking)


def review_progress(
    store: Store, report: str, issue: date, shown: StoredRanking | None, relevance_model: RelevanceModel | None = None
) -> ReviewProgress:
    """Return the reading progress of an issue for a report.

    All relevant papers count as known if everything was read. In a ranked list they also do if the probability that
    none is left is at least 95 %.

    If the issue was published before and nothing more was read since, the progress at that publication is returned.

    Parameters
    ----------
    shown : StoredRanking or None
        Ranking of the list that was read. None in list order.
    relevance_model : RelevanceModel, optional
        Model of the report before the issue, for lists of the same ranker. Defaults to fitting it again.
    """
    if relevance_model is None and shown is not None and shown.ranking.is_sorted:
        relevance_model = relevance_model_of(store, shown)
    with store.reading(Right.SEE, report) as connection:
        return review_progress_now(connection, report, issue, shown, relevance_model)


def review_progress_now(
    connection: Connection,
    report: str,
    issue: date,
    shown: StoredRanking | None,
    relevance_model: RelevanceModel | None,
) -> ReviewProgress:
    """Return the same as `review_progress`, on an open connection, to store it in the same transaction.

    Parameters
    ----------
    relevance_model : RelevanceModel or None
        Forecast model of the report before the issue; None if the list is not sorted. It is passed because the editor
        was advised by it, and because fitting it takes seconds.
    """
    ids = report_id(connection, report), issue_id(connection, issue)
    read = read_now(connection, *ids)
    n_papers = n_published_papers(connection, *ids, read)
    order = shown_order(shown, n_papers, None if shown is None else newest_now(connection, report, issue, shown.id))
    is_read = np.isin(order, read)
    left = tuple(np.sort(order[~is_read]).tolist())
    earlier = earlier_publication(connection, *ids)
    if earlier is not None and left == earlier.review_progress.unread:
        return earlier.review_progress
    labels = decisions.labels_at(connection, *ids)
    judged = _judged(connection, report, shown, relevance_model, order, labels, is_read)
    if earlier is not None and FURTHEST.index(earlier.review_progress.ended) >= FURTHEST.index(judged.ended):
        return ReviewProgress(left, earlier.review_progress.ended, earlier.review_progress.stop_at)
    return judged


def _judged(
    connection: Connection,
    report: str,
    shown: StoredRanking | None,
    relevance_model: RelevanceModel | None,
    order: Positions,
    labels: Mapping[int, Label],
    is_read: Flags,
) -> ReviewProgress:
    """Judge how far a list was read, from its labels and the papers read in it."""
    left = tuple(np.sort(order[~is_read]).tolist())
    if shown is None or relevance_model is None:
        return ReviewProgress(left, "early" if left else "all")
    # Of a ranking with papers that joined after the first publication, their scores are left out as they are.
    scores = shown.ranking.scores[shown.ranking.positions <= len(order)]
    in_order = [labels.get(position) for position in order.tolist()]
    so_far = stop_advice.advise(relevance_model, scores, in_order, is_read, target_recall_now(connection, report))
    if so_far.read_up_to >= so_far.stops["none"].place:
        return ReviewProgress(left, "all", so_far.stop_at)
    return ReviewProgress(left, "advised" if so_far.may_stop else "early", so_far.stop_at)


def relevance_models_before(
    store: Store, ranker: str, issue: date, shown_id: int | None = None
) -> dict[str, RelevanceModel]:
    """Return the forecast model of every report before an issue, for lists ranked by a ranker.

    Parameters
    ----------
    shown_id : int, optional
        Id of a ranking: leave out lists that were first published after it was made. Defaults to all lists.
    """
    lists = sorted_lists(store, ranker, issue, newest=NEEDED, shown_id=shown_id)
    known = {code: [FinishedList.of(one) for one in of_report] for code, of_report in lists.items()}
    reports = [report.code for report in catalogue.reports(store, retired=True)]
    return fit_relevance_models({code: known.get(code, []) for code in reports}, before=issue)


def relevance_model_of(store: Store, shown: StoredRanking) -> RelevanceModel:
    """Return the forecast model of a report for the list that a ranking shows.

    Only lists that were published when the ranking was made count. So its stop advice comes from the same model from
    the first look to its publication, whatever others publish meanwhile and whichever process computes it. Imported
    selections count too: an import is a decision about the past, and a new user's history often comes in last.
    """
    ranking = shown.ranking
    return relevance_models_before(store, ranking.ranker, ranking.issue, shown.id)[ranking.report]


def list_key(store: Store, report: str, issue: date, person: str) -> str:
    """Return a list's name, unique to workspace, report, issue and person, for unsaved entries in the browser.

    Neither another workspace put in the place of this one nor a copy of it elsewhere gets what was decided here.
    """
    owner = [catalogue.workspace_id(store), str(store.name), report, str(issue), person]
    return sha256(json.dumps(owner).encode()).hexdigest()[:32]
