"""Save the entries made in a review list.

Each entry is saved once, together with the id of the ranking that the list showed when the entry was made.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import get_args

import numpy as np

from presort.data.editing import decisions, notes, read_papers, rerankings
from presort.data.editing.hints import add_hint
from presort.data.errors import RefusedError
from presort.data.learning import rankings
from presort.data.records import Decision, Note, NoteKind, Positions
from presort.data.store import Store
from presort.desk.components.messages import (
    DecisionEntry,
    Entry,
    ExplanationRequest,
    HintEntry,
    LeaveRequest,
    NoteEntry,
    Ordering,
    ReadingEntry,
    TagEntry,
    TargetRecallEntry,
    ViewEntry,
)
from presort.desk.session.progress import ReviewContext, shown_order
from presort.desk.session.stop_advice import set_target_recall

VIEW = (ExplanationRequest, LeaveRequest, ViewEntry)  # entries that change nothing in the workspace
# Entries that the session handles after all other entries: those in `VIEW`, and requests to change the order.
APART = (*VIEW, *get_args(Ordering))
REMEMBERED = 1_000  # number of entries to remember; it must exceed the maximum number in one message
NO_PAPER = "There is no paper {paper!r} in the issue of {issue}."
OTHER_RANKING = "Re-ranked order {reranking} does not belong to ranking {ranking}. Reload the page."


@dataclass
class DecisionWriter:
    """Writer for the entries that one editor makes in one review context."""

    context: ReviewContext
    has_hinted: bool = False
    _saved: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED))  # ids of entries, newest last
    _orders: dict[tuple[int, int | None], Positions] = field(default_factory=dict)  # older orders of the list

    def select_unsaved(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return the entries that this class must still save. An entry that occurs twice is returned once."""
        found: dict[str, Entry] = {}
        for entry in entries:
            if not isinstance(entry, APART) and entry.entry_id not in self._saved:
                found.setdefault(entry.entry_id, entry)
        return list(found.values())

    def remember(self, entries: Iterable[Entry]) -> None:
        """Remember which entries were saved, so that entries that are sent again don't overwrite newer ones."""
        for entry in entries:
            self._saved.append(entry.entry_id)
            self.has_hinted |= isinstance(entry, HintEntry)

    def decide(self, store: Store, person: str, decided: Sequence[DecisionEntry]) -> dict[str, str]:
        """Save decisions together. If any is refused, they are saved one by one, so that valid decisions are not lost.

        Returns
        -------
        dict from str to str
            Reason for each refused decision, by entry id.
        """
        try:
            decisions.decide(store, [self._decision(store, person, one) for one in decided])
        except RefusedError as error:
            if len(decided) == 1:
                return {decided[0].entry_id: str(error)}
            return {name: why for one in decided for name, why in self.decide(store, person, [one]).items()}
        return {}

    def save(self, store: Store, person: str, entry: Entry) -> None:
        """Save a tag, a note, reading progress, a target recall or a hint. All other entries are ignored.

        Raises
        ------
        RefusedError
            If the paper or ranking does not exist, or the report issue is published.
        """
        of_issue = (self.context.report, self.context.issue)
        match entry:
            case TagEntry(entry_id, paper_id, tag, is_on):
                kind: NoteKind = "tag" if is_on else "untag"
                notes.add_notes(store, [Note(*of_issue, paper_id, kind, tag, person, entry_id)])
            case NoteEntry(entry_id, paper_id, text):
                notes.add_notes(store, [Note(*of_issue, paper_id, "note", text, person, entry_id)])
            case ReadingEntry():
                ranking, reranking = self._list_of(store, entry)
                place = self._place_in(store, ranking, reranking, entry.paper_id)
                read_papers.mark_read(store, *of_issue, ranking, place, person=person, reranking=reranking)
            case TargetRecallEntry(_, target_recall):
                set_target_recall(store, self.context.report, target_recall)
            case HintEntry(_, effect, term):
                add_hint(store, self.context.report, effect, term, person=person)

    def missing_paper_text(self, paper_id: str) -> str:
        """Return the error message that is shown for a paper that isn't in the issue."""
        return NO_PAPER.format(paper=paper_id, issue=self.context.issue)

    def show(self, context: ReviewContext) -> None:
        """Switch to another order of the same list."""
        self.context = context
        vars(self).pop("places", None)

    @cached_property
    def places(self) -> dict[str, int]:
        """1-based position of each paper in the shown order, by paper id."""
        papers = (self.context.papers[position - 1].paper_id for position in self.context.order.tolist())
        return {paper: place for place, paper in enumerate(papers, start=1)}

    def _decision(self, store: Store, person: str, one: DecisionEntry) -> Decision:
        ranking, reranking = self._list_of(store, one)
        return Decision(
            self.context.report,
            self.context.issue,
            one.paper_id,
            one.label,
            person,
            client_id=one.entry_id,
            ranking_id=ranking,
            is_alone=one.is_alone,
            reranking_id=reranking,
        )

    def _list_of(self, store: Store, one: DecisionEntry | ReadingEntry) -> tuple[int | None, int | None]:
        """Return the ids of the ranking and the re-ranking that the list showed when an entry was created.

        Both are None if the list was shown in list order.
        """
        if one.order == "list":
            return None, None
        shown, reranking = self._shown_numbers
        if one.ranking is None:
            return shown, reranking
        if (one.ranking, one.reranking) != (shown, reranking):
            self._order(store, one.ranking, one.reranking)
        return one.ranking, one.reranking

    @property
    def _shown_numbers(self) -> tuple[int | None, int | None]:
        shown, reranking = self.context.shown, self.context.reranking
        return None if shown is None else shown.id, None if reranking is None else reranking.number

    def _place_in(self, store: Store, ranking: int | None, reranking: int | None, paper_id: str) -> int:
        """Return a paper's 1-based position in the order of a ranking and its re-ranking.

        If `ranking` is None, list order is used.
        """
        if paper_id not in self.places:
            raise RefusedError(self.missing_paper_text(paper_id))
        position = int(self.context.order[self.places[paper_id] - 1])
        if ranking is None:
            return position
        return int(np.flatnonzero(self._order(store, ranking, reranking) == position)[0]) + 1

    def _order(self, store: Store, ranking: int, reranking: int | None) -> Positions:
        """Return the order of a ranking or its re-ranking. Raises RefusedError if the list never had this order."""
        if (ranking, reranking) == self._shown_numbers:
            return self.context.order
        if (ranking, reranking) not in self._orders:
            of_issue = (self.context.report, self.context.issue)
            older = rankings.ranking_of(store, *of_issue, ranking)
            reranked = None if reranking is None else rerankings.reranking_of(store, *of_issue, reranking)
            if reranked is not None and reranked.ranking != ranking:
                raise RefusedError(OTHER_RANKING.format(reranking=reranking, ranking=ranking))
            self._orders[ranking, reranking] = shown_order(older, len(self.context.papers), reranked)
        return self._orders[ranking, reranking]
