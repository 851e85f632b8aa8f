"""Re-rank the unread papers of an open list, using the decisions made in this list, or undo a re-ranking.

Forecasts refer to positions in the list, so stop advice also applies to the new order. It assumes that the paper at
position 40 of the new order is as likely to be relevant as the paper at position 40 of the original ranking. Because
the new order is better on average (`benchmarks/rerank.py`), fewer relevant papers are missed below the stop point than
forecast.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from presort.data.editing import decisions, rerankings
from presort.data.editing.decisions import LogCursor
from presort.data.editing.read_papers import read_positions
from presort.data.errors import RefusedError
from presort.data.learning.rankings import scores_of_others
from presort.data.records import Label, Positions, Reranking, StoredRanking
from presort.data.rights import Right
from presort.data.store import Store
from presort.desk.components.response import RerankingView
from presort.desk.session.progress import ReviewContext, shown_order
from presort.ranker.rerank import FEWEST_KNOWN, ListFeatures, list_features, rerank

TRIES = 3  # number of attempts, because decisions made during the computation invalidate its result
BUSY = "Another editor is making decisions in this list, so it was not re-ranked. Try again."
NOTHING_LEARNED = "Mark a paper as relevant first. Unread papers are re-ranked by similarity to relevant papers."


@dataclass(frozen=True, eq=False)
class _RerankInputs:
    """Inputs to a re-ranking, all read in the same snapshot."""

    cursor: LogCursor
    labels: Mapping[str, Label]
    read: Positions
    newest: Reranking | None


@dataclass(eq=False)
class ListOrder:
    """Order of one list, with operations to re-rank it and to undo a re-ranking.

    Attributes
    ----------
    store : Store
        Workspace.
    context : ReviewContext
        The list's review context.
    shown : StoredRanking
        The list's original ranking.
    """

    store: Store
    context: ReviewContext
    shown: StoredRanking

    def rerank(self, *, person: str, entry_id: str) -> None:
        """Re-rank the unread papers and store the new order.

        The order is computed before the write transaction, because it takes 0.2 s or more and would block other
        writers. If a decision was saved in the meantime, the order is computed again.

        Raises
        ------
        RefusedError
            If no paper is marked relevant, if other editors keep making decisions, or if the report issue is published.
        """
        report, issue = self.context.report, self.context.issue
        for _ in range(TRIES):
            with self.store.snapshot() as reading:
                known = self._read_inputs(reading)
            order = self._compute_order(known)
            n_decisions = sum(label in ("yes", "no") for label in known.labels.values())
            with self.store.transaction(Right.EDIT, report) as writing:
                if self._cursor(writing) == known.cursor:
                    rerankings.add_reranking(
                        *(writing, report, issue, self.shown.id, order),
                        n_decisions=n_decisions,
                        person=person,
                        client_id=entry_id,
                    )
                    return
        raise RefusedError(BUSY)

    def undo(self, undone: Reranking, *, person: str, entry_id: str) -> None:
        """Undo a re-ranking by restoring the previous order.

        Raises
        ------
        RefusedError
            If there is a newer re-ranking, or if the report issue is published.
        """
        report, issue = self.context.report, self.context.issue
        first = shown_order(self.shown, len(self.context.papers))
        rerankings.undo_reranking(self.store, report, issue, undone, first, person=person, client_id=entry_id)

    def _read_inputs(self, store: Store) -> _RerankInputs:
        of_issue = (self.context.report, self.context.issue)
        labels = decisions.labels(store, *of_issue)
        newest = rerankings.newest_reranking(store, *of_issue, self.shown.id)
        return _RerankInputs(self._cursor(store), labels, read_positions(store, *of_issue), newest)

    def _cursor(self, store: Store) -> LogCursor:
        """Return the current position in the logs that affect the order: all logs except that of notes and tags."""
        return decisions.log_cursor(store, self.context.report, self.context.issue)._replace(note=0)

    def _compute_order(self, known: _RerankInputs) -> Positions:
        """Compute the re-ranked order from all editors' decisions.

        Papers that were added to the issue after the list was opened are left out. They are placed at the end of the
        list.
        """
        labels = [known.labels.get(paper.paper_id) for paper in self.context.papers]
        is_relevant = np.array([label == "yes" for label in labels], dtype=bool)
        if not is_relevant.any():
            raise RefusedError(NOTHING_LEARNED)
        is_fixed = np.array([label is not None for label in labels], dtype=bool)
        is_fixed[known.read[known.read <= len(labels)] - 1] = True
        score_of = self.context.score_of()
        lowest = min(score_of.values())  # for papers that were added to the issue later and have no score
        scores = np.array([score_of.get(place, lowest) for place in range(1, len(labels) + 1)])
        order = self.context.with_reranking(known.newest).order
        n_known = self.shown.ranking.n_relevant
        return rerank(self._features, order, scores, is_relevant, is_fixed, n_known=n_known)

    @cached_property
    def _features(self) -> ListFeatures:
        """The papers' features. They are cached, because computing them takes up most of the time of a re-ranking."""
        context = self.context
        # No right to view other reports is needed, because their scores are used but never shown.
        store = self.store.without_guard(Right.EDIT, context.report)
        of_list = (context.report, context.issue, self.shown.ranking.ranker, len(context.papers))
        return list_features(context.papers, scores_of_others(store, *of_list, fewest=FEWEST_KNOWN))


def reranking_for_browser(store: Store, context: ReviewContext, known: int | None = None) -> RerankingView | None:
    """Return a list's re-ranked order for the browser. None if the list was not re-ranked.

    `known` is the number of the order that the browser shows. If it is still current, positions and labels are left
    out.
    """
    reranking = context.reranking
    if reranking is None:
        return None
    if reranking.number == known:
        return RerankingView(reranking.number, [], {}, reranking.person)
    return RerankingView(reranking.number, context.order.tolist(), used_labels(store, context), reranking.person)


def used_labels(store: Store, context: ReviewContext) -> dict[str, Label]:
    """Return the labels on which a list's order was trained, by paper id. Empty if the list was not re-ranked.

    Labels "maybe" are left out, because re-ranking doesn't use them.
    """
    if context.reranking is None or not context.reranking.decisions_up_to:
        return {}
    labels = decisions.labels_up_to(store, context.report, context.issue, context.reranking.decisions_up_to)
    return _without_maybe(labels)


def n_new_decisions(used: Mapping[str, Label], labels: Mapping[str, Label]) -> int:
    """Count the papers whose decisions differ from those on which an order was trained.

    Examples
    --------
    >>> n_new_decisions({"p1": "yes", "p2": "no"}, {"p1": "no", "p2": "no", "p3": "yes", "p4": "maybe"})
    2
    """
    now = _without_maybe(labels)
    return sum(now.get(paper) != used.get(paper) for paper in now.keys() | used.keys())


def _without_maybe(labels: Mapping[str, Label]) -> dict[str, Label]:
    return {paper: label for paper, label in labels.items() if label != "maybe"}
