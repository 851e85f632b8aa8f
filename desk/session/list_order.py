"""Order of an open list: rank its unread papers again with the decisions made in it, and undo that.

A forecast is about places of the list, so stop advice goes on with the new order: a paper at place 40 is taken for as
likely relevant as the ranking's own paper at place 40 was. The new order is better on average (`benchmarks/rerank.py`),
so less is missed below the stop point than is forecast.
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
from presort.desk.components.response import RerankingShown
from presort.desk.session.progress import ReviewContext, shown_order
from presort.ranker.rerank import FEWEST_KNOWN, ListFeatures, list_features, rerank

TRIES = 3  # of a re-ranking that others overtake because they decide meanwhile
BUSY = "Others are deciding in this list. Nothing was re-ranked; try again."
NOTHING_LEARNED = "Mark a relevant paper first: the rest is re-ranked by likeness to relevant papers."


@dataclass(frozen=True, eq=False)
class _Known:
    """Inputs of a re-ranking, read in one snapshot."""

    cursor: LogCursor
    labels: Mapping[str, Label]
    read: Positions
    newest: Reranking | None


@dataclass(eq=False)
class ListOrder:
    """Changes the order of the list of a ranking.

    Attributes
    ----------
    store : Store
    context : ReviewContext
    shown : StoredRanking
        The ranking of the context.
    """

    store: Store
    context: ReviewContext
    shown: StoredRanking

    def rerank(self, *, person: str, entry_id: str) -> None:
        """Rank the unread papers again, and store the order.

        It is computed outside the transaction that stores it: it takes 0.2 s or more, in which nobody else could
        write. If somebody decided meanwhile, it is computed again.

        Raises
        ------
        RefusedError
            If no paper is relevant so far, others decide all the time, or the report issue is published.
        """
        report, issue = self.context.report, self.context.issue
        for _ in range(TRIES):
            with self.store.snapshot() as reading:
                known = self._known(reading)
            order = self._reranked(known)
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
        """Go back to the order before one.

        Raises
        ------
        RefusedError
            If there is a newer one by now, or the report issue is published.
        """
        report, issue = self.context.report, self.context.issue
        first = shown_order(self.shown, len(self.context.papers))
        rerankings.undo_reranking(self.store, report, issue, undone, first, person=person, client_id=entry_id)

    def _known(self, store: Store) -> _Known:
        of_issue = (self.context.report, self.context.issue)
        labels = decisions.labels(store, *of_issue)
        newest = rerankings.newest_reranking(store, *of_issue, self.shown.id)
        return _Known(self._cursor(store), labels, read_positions(store, *of_issue), newest)

    def _cursor(self, store: Store) -> LogCursor:
        """Return how far the logs go that the order depends on: all but notes and tags."""
        return decisions.log_cursor(store, self.context.report, self.context.issue)._replace(note=0)

    def _reranked(self, known: _Known) -> Positions:
        """Return the re-ranked order. Decisions of all editors of the list count."""
        labels = [known.labels.get(paper.paper_id) for paper in self.context.papers]
        is_relevant = np.array([label == "yes" for label in labels], dtype=bool)
        if not is_relevant.any():
            raise RefusedError(NOTHING_LEARNED)
        is_fixed = np.array([label is not None for label in labels], dtype=bool)
        is_fixed[known.read - 1] = True
        score_of = self.context.score_of()
        lowest = min(score_of.values())  # of a paper that joined the issue later
        scores = np.array([score_of.get(place, lowest) for place in range(1, len(labels) + 1)])
        order = self.context.reranked(known.newest).order
        n_known = self.shown.ranking.n_relevant
        return rerank(self._features, order, scores, is_relevant, is_fixed, n_known=n_known)

    @cached_property
    def _features(self) -> ListFeatures:
        """Features of the papers. Computing them takes most of the time of a re-ranking."""
        context = self.context
        store = self.store.cleared(Right.EDIT, context.report)  # nobody sees the scores of other reports
        of_list = (context.report, context.issue, self.shown.ranking.ranker, len(context.papers))
        return list_features(context.papers, scores_of_others(store, *of_list, fewest=FEWEST_KNOWN))


def reranking_shown(context: ReviewContext, known: int | None = None) -> RerankingShown | None:
    """Return the re-ranked order of a list; without its papers if the browser shows the order of that number."""
    reranking = context.reranking
    if reranking is None:
        return None
    order = [] if reranking.number == known else context.order.tolist()
    return RerankingShown(reranking.number, order, reranking.n_decisions, reranking.person)
