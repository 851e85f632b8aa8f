"""Save the entries of a review list, each once, with the ranking that was shown when it was made."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from presort.data.editing import decisions, notes, read_papers
from presort.data.editing.hints import add_hint
from presort.data.errors import RefusedError
from presort.data.learning import rankings
from presort.data.records import Decision, Note, NoteKind, Positions
from presort.data.store import Store
from presort.desk.components.messages import (
    Decided,
    Entry,
    ExplanationRequest,
    Hinted,
    Leave,
    Looked,
    MissChosen,
    Noted,
    ReadTo,
    Tagged,
)
from presort.desk.session.progress import ReviewContext, shown_order
from presort.desk.session.stop_advice import set_target_recall

VIEW = (ExplanationRequest, Leave, Looked)  # entries that change nothing in the workspace
REMEMBERED = 1_000  # entries: more than stand in a message
NO_PAPER = "There is no paper {paper!r} in the issue of {issue}."


@dataclass
class DecisionWriter:
    """Saves what one person says of the context on the desk."""

    context: ReviewContext
    has_hinted: bool = False
    _saved: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED))  # ids of entries, newest last
    _orders: dict[int, Positions] = field(default_factory=dict)  # of older rankings

    def unsaved(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return the entries that change the workspace and were not saved before, each once."""
        found: dict[str, Entry] = {}
        for entry in entries:
            if not isinstance(entry, VIEW) and entry.entry_id not in self._saved:
                found.setdefault(entry.entry_id, entry)
        return list(found.values())

    def remember(self, entries: Iterable[Entry]) -> None:
        """Remember saved entries: one that comes again may be older than others, and must not undo them."""
        for entry in entries:
            self._saved.append(entry.entry_id)
            self.has_hinted |= isinstance(entry, Hinted)

    def decide(self, store: Store, person: str, decided: Sequence[Decided]) -> dict[str, str]:
        """Save decisions at once; where one is refused, each by itself, so that it keeps no other from being saved.

        Returns
        -------
        dict from str to str
            Why some were refused, by the ids of their entries.
        """
        try:
            decisions.decide(store, [self._decision(store, person, one) for one in decided])
        except RefusedError as error:
            if len(decided) == 1:
                return {decided[0].entry_id: str(error)}
            return {name: why for one in decided for name, why in self.decide(store, person, [one]).items()}
        return {}

    def save(self, store: Store, person: str, entry: Entry) -> None:
        """Save an entry that is neither a decision nor a request for a spot check. Ignores other entries.

        Raises
        ------
        RefusedError
            If it is of a paper or a ranking that is not there, or the report issue has gone out.
        """
        of_issue = (self.context.report, self.context.issue)
        match entry:
            case Tagged(entry_id, paper_id, tag, is_on):
                kind: NoteKind = "tag" if is_on else "untag"
                notes.add_notes(store, [Note(*of_issue, paper_id, kind, tag, person, entry_id)])
            case Noted(entry_id, paper_id, text):
                notes.add_notes(store, [Note(*of_issue, paper_id, "note", text, person, entry_id)])
            case ReadTo():
                ranking = self._ranking_of(store, entry)
                place = self._place_in(store, ranking, entry.paper_id)
                read_papers.mark_read(store, *of_issue, ranking, place, person=person)
            case MissChosen(_, target_recall):
                set_target_recall(store, self.context.report, target_recall)
            case Hinted(_, effect, term):
                add_hint(store, self.context.report, effect, term, person=person)

    def no_paper(self, paper_id: str) -> str:
        """Return the message that refuses a paper which is not in the issue."""
        return NO_PAPER.format(paper=paper_id, issue=self.context.issue)

    @cached_property
    def places(self) -> dict[str, int]:
        """Places by paper id, from 1, in the order shown."""
        papers = (self.context.papers[position - 1].paper_id for position in self.context.order.tolist())
        return {paper: place for place, paper in enumerate(papers, start=1)}

    def _decision(self, store: Store, person: str, one: Decided) -> Decision:
        return Decision(
            self.context.report,
            self.context.issue,
            one.paper_id,
            one.label,
            person,
            client_id=one.entry_id,
            ranking_id=self._ranking_of(store, one),
            is_alone=one.is_alone,
        )

    def _ranking_of(self, store: Store, one: Decided | ReadTo) -> int | None:
        """Return the id of the ranking that sorted the list when an entry was made. None in the order received."""
        if one.order == "received":
            return None
        shown = None if self.context.shown is None else self.context.shown.id
        if one.ranking in (None, shown):
            return shown
        self._order(store, one.ranking)
        return one.ranking

    def _place_in(self, store: Store, ranking: int | None, paper_id: str) -> int:
        """Return the place of a paper, from 1, in the order of a ranking; None is the order received."""
        if paper_id not in self.places:
            raise RefusedError(self.no_paper(paper_id))
        position = int(self.context.order[self.places[paper_id] - 1])
        return position if ranking is None else int(np.flatnonzero(self._order(store, ranking) == position)[0]) + 1

    def _order(self, store: Store, ranking: int) -> Positions:
        """Return the order of a ranking of this issue for this report, also of one that a newer took the place of."""
        shown = self.context.shown
        if shown is not None and ranking == shown.id:
            return self.context.order
        if ranking not in self._orders:
            older = rankings.ranking_of(store, self.context.report, self.context.issue, ranking)
            self._orders[ranking] = shown_order(older, len(self.context.papers))
        return self._orders[ranking]
