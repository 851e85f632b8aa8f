"""A list's review context, its report's relevance model, and the reading progress.

`presort.data.editing.read_papers` determines which papers were read. If the editor stops where advised, unread papers
are treated as not relevant in training. However, the ranking can't be evaluated, because any relevant papers that were
missed are among those that it ranked lowest. If the editor stops earlier, the unread papers have no label.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256

import numpy as np

from presort.data import catalogue
from presort.data.catalogue import issue_id, report_id
from presort.data.editing import decisions
from presort.data.editing.publications import earlier_publication, n_published_papers
from presort.data.editing.read_papers import query_read_positions
from presort.data.editing.rerankings import newest_reranking, query_newest_reranking
from presort.data.learning import rankings
from presort.data.learning.sorted_lists import sorted_lists
from presort.data.records import (
    Ended,
    Label,
    Order,
    Paper,
    Positions,
    Reranking,
    ReviewProgress,
    StoredRanking,
)
from presort.data.rights import Right
from presort.data.store import Connection, Store
from presort.desk.session import stop_advice
from presort.desk.session.stop_advice import target_recall_now
from presort.ranker.stopping.curves import Flags
from presort.ranker.stopping.finished_list import FinishedList
from presort.ranker.stopping.relevance_model import NEEDED, RelevanceModel, fit_relevance_models

Places = Sequence[int]  # 1-based positions in the shown order
FURTHEST: tuple[Ended, ...] = ("early", "advised", "all")  # sorted by increasing reading progress


@dataclass(frozen=True, eq=False)
class ReviewContext:
    """Report issue under review, with its ranking and relevance model.

    Attributes
    ----------
    report : str
        Code of the report.
    issue : date
        Date of the issue.
    papers : list of Paper
        Papers in list order.
    shown : StoredRanking or None
        Ranking of the list. None if the list is shown in list order, that is, unranked.
    order : array of shape (n_papers,)
        List positions in the order that the editor sees: the order of `reranking` if the list was re-ranked, and
        otherwise the order of `shown`.
    relevance_model : RelevanceModel or None
        The report's relevance model. None if the list is not ranked or the report issue is published.
    is_published : bool
        True if the report issue is published.
    reranking : Reranking or None
        Re-ranked order. None if the list was not re-ranked.
    """

    report: str
    issue: date
    papers: list[Paper]
    shown: StoredRanking | None
    order: Positions
    relevance_model: RelevanceModel | None
    is_published: bool = False
    reranking: Reranking | None = None

    def with_reranking(self, reranking: Reranking | None) -> "ReviewContext":
        """Return a copy of the context in a re-ranked order. None restores the ranking's own order."""
        order = shown_order(self.shown, len(self.papers), reranking)
        return replace(self, order=order, reranking=reranking)

    @property
    def order_name(self) -> Order:
        """Name of the shown order."""
        return "list" if self.shown is None else "presort"

    def score_of(self) -> dict[int, float]:
        """Return the papers' scores by list position. Papers without a score are left out."""
        if self.shown is None:
            return {}
        ranking = self.shown.ranking
        return dict(zip(ranking.positions.tolist(), ranking.scores.tolist(), strict=False))

    def labels_in_order(self, labels: Mapping[str, Label]) -> list[Label | None]:
        """Return each paper's label, in the shown order. The label is None if there is no decision."""
        return [labels.get(self.papers[position - 1].paper_id) for position in self.order.tolist()]

    def is_read(self, positions: Positions) -> Flags:
        """Return a flag for each paper in the shown order: True if its list position is in `positions`."""
        return np.isin(self.order, positions)


def shown_order(shown: StoredRanking | None, n_papers: int, reranking: Reranking | None = None) -> Positions:
    """Return the list positions in the order shown to the editor: re-ranked, ranked, or list order."""
    if reranking is not None:
        return rankings.whole_order(reranking.positions, n_papers)
    ranked = np.empty(0, dtype=np.int32) if shown is None else shown.ranking.positions
    return rankings.whole_order(ranked, n_papers)


def current_order(store: Store, shown: StoredRanking | None, n_papers: int) -> Positions:
    """Return the list positions in the list's current order, taking its newest re-ranking into account."""
    reranking = None
    if shown is not None:
        reranking = newest_reranking(store, shown.ranking.report, shown.ranking.issue, shown.id)
    return shown_order(shown, n_papers, reranking)


def review_progress(
    store: Store, report: str, issue: date, shown: StoredRanking | None, relevance_model: RelevanceModel | None = None
) -> ReviewProgress:
    """Return the reading progress in a report's list for an issue.

    All relevant papers are assumed to be found if every paper was read. In a ranked list, they are also assumed to be
    found if the probability that no unread paper is relevant is at least 95 %.

    If the report issue was published before and nothing has been read since, the progress at that publication is
    returned.

    Parameters
    ----------
    store : Store
        Workspace.
    report : str
        Code of the report.
    issue : date
        Date of the issue.
    shown : StoredRanking or None
        Ranking of the list. None if the list is shown in list order, that is, unranked.
    relevance_model : RelevanceModel, optional
        Relevance model fitted to the report's earlier lists by the same ranker. By default, a new model is fitted.
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
    """Return `review_progress` on an open connection, so that it can be stored in the same transaction.

    Parameters
    ----------
    connection : Connection
        Open transaction.
    report, issue, shown
        See `review_progress`.
    relevance_model : RelevanceModel or None
        Relevance model of the report before the issue. None if the list is not ranked. The caller passes it in, because
        the editor's stop advice came from this model and fitting a new one takes seconds.
    """
    ids = report_id(connection, report), issue_id(connection, issue)
    read = query_read_positions(connection, *ids)
    n_papers = n_published_papers(connection, *ids, read)
    order = shown_order(
        shown, n_papers, None if shown is None else query_newest_reranking(connection, report, issue, shown.id)
    )
    is_read = np.isin(order, read)
    left = tuple(np.sort(order[~is_read]).tolist())
    earlier = earlier_publication(connection, *ids)
    if earlier is not None and left == earlier.review_progress.unread:
        return earlier.review_progress
    labels = decisions.labels_at(connection, *ids)
    judged = _compute_progress(connection, report, shown, relevance_model, order, labels, is_read)
    if earlier is not None and FURTHEST.index(earlier.review_progress.ended) >= FURTHEST.index(judged.ended):
        return ReviewProgress(left, earlier.review_progress.ended, earlier.review_progress.stop_at)
    return judged


def _compute_progress(
    connection: Connection,
    report: str,
    shown: StoredRanking | None,
    relevance_model: RelevanceModel | None,
    order: Positions,
    labels: Mapping[int, Label],
    is_read: Flags,
) -> ReviewProgress:
    """Compute a list's reading progress from its labels and the papers that were read."""
    left = tuple(np.sort(order[~is_read]).tolist())
    if shown is None or relevance_model is None:
        return ReviewProgress(left, "early" if left else "all")
    # Papers added after the first publication don't belong to this list, so their scores are left out.
    scores = shown.ranking.scores[shown.ranking.positions <= len(order)]
    in_order = [labels.get(position) for position in order.tolist()]
    model = stop_advice.list_model(relevance_model, scores, len(order))
    so_far = stop_advice.advise(model, in_order, is_read, target_recall_now(connection, report))
    if so_far.read_up_to >= so_far.stops["none"].place:
        return ReviewProgress(left, "all", so_far.stop_at)
    return ReviewProgress(left, "advised" if so_far.may_stop else "early", so_far.stop_at)


def relevance_models_before(
    store: Store, ranker: str, issue: date, shown_id: int | None = None
) -> dict[str, RelevanceModel]:
    """Fit every report's relevance model to its lists of earlier issues by one ranker.

    Parameters
    ----------
    store : Store
        Workspace.
    ranker : str
        Name of the ranker.
    issue : date
        Issue to be reviewed. Only lists of earlier issues are used.
    shown_id : int, optional
        Id of a ranking. Lists that were first published after this ranking was computed are left out. By default, no
        list is left out.
    """
    lists = sorted_lists(store, ranker, issue, newest=NEEDED, shown_id=shown_id)
    known = {code: [FinishedList.of(one) for one in of_report] for code, of_report in lists.items()}
    reports = [report.code for report in catalogue.reports(store, retired=True)]
    return fit_relevance_models({code: known.get(code, []) for code in reports}, before=issue)


def relevance_model_of(store: Store, shown: StoredRanking) -> RelevanceModel:
    """Return the report's relevance model for a ranked list.

    Only lists published before the ranking was computed are used. A list's stop advice therefore always comes from the
    same model, regardless of later publications and of the process that computes it. Imported selections are always
    used, because new users often import their history last.
    """
    ranking = shown.ranking
    return relevance_models_before(store, ranking.ranker, ranking.issue, shown.id)[ranking.report]


def list_key(store: Store, report: str, issue: date, person: str) -> str:
    """Return the key under which the browser stores a list's unsaved entries.

    The key is unique to the workspace, report, issue and user. A workspace that replaces this one, or a copy of this
    workspace in another folder, has different keys, so that the entries can't be saved in the wrong workspace.
    """
    owner = [catalogue.workspace_id(store), str(store.name), report, str(issue), person]
    return sha256(json.dumps(owner).encode()).hexdigest()[:32]
