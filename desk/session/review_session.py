"""Save review events from the browser and return changes made since the client's cursor.

One `ReviewSession` serves one page of one person. Between two messages it remembers what it read, and reads again only
what the logs say has changed.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from presort.data.editing import log, notes, read_log, standing
from presort.data.editing.read_papers import read_positions
from presort.data.editing.standing import Newest, Said
from presort.data.errors import RefusedError, WorkspaceError
from presort.data.records import Draw, PaperNotes, Positions, StoredRanking, Word
from presort.data.rights import Right, SignedOutError
from presort.data.store import Store
from presort.desk.components.messages import (
    Decided,
    Entry,
    ExplanationRequest,
    Leave,
    Looked,
    ReviewRequest,
    SpotCheckRequest,
    TargetRecall,
)
from presort.desk.components.response import LightShown, ReviewResponse, Rule, Section
from presort.desk.session import progress, spot_check
from presort.desk.session import stop_advice_words as words
from presort.desk.session.decision_writer import DecisionWriter
from presort.desk.session.progress import ReviewContext, StopAdvice
from presort.desk.session.spot_check import may_draw
from presort.desk.session.target_recall import target_recall
from presort.desk.text import minutes_text
from presort.ranker.stopping.curves import Flags
from presort.ranker.stopping.relevance_model import RelevanceModel

Answer = Sequence[Section]
Ask = Callable[[str], "Future[Answer]"]
NOTHING = Newest()
LOG = logging.getLogger(__name__)


@dataclass
class ReviewSession:
    """Serves the list of a context.

    Attributes
    ----------
    store, context, person
        Where things are kept, what lies on the desk, and who sits there.
    ask : callable
        From the id of a paper to why it stands where it stands, once that is known.
    looked : Looked or None
        What the list shows now; None as long as it shows all of it.
    reading : StopAdvice or None
        How far the editor had come at the last answer; None where nothing tells when to stop.
    is_awaited : bool
        Whether past lists are being ranked from which the stop advice will be learned. Until then there is none: advice
        that moves under the reader's eyes is worse.
    is_leaving : bool
        Whether its reader goes on to publish.
    """

    store: Store
    context: ReviewContext
    person: str
    ask: Ask
    looked: Looked | None = None
    is_awaited: bool = False
    advice: StopAdvice | None = None
    is_leaving: bool = False
    _newest: Newest = NOTHING
    _said: Mapping[str, Said] = field(default_factory=dict)
    _noted: Mapping[str, int] = field(default_factory=dict)
    _told: ReviewResponse | None = None  # all that a decision moves, as of `_newest`
    _asked: dict[str, "Future[Answer]"] = field(default_factory=dict)

    @cached_property
    def _saver(self) -> DecisionWriter:
        return DecisionWriter(self.store, self.context, self.person)

    @property
    def has_hinted(self) -> bool:
        """Whether a word was muted or boosted in this list."""
        return self._saver.has_hinted

    def receive(self, request: ReviewRequest) -> ReviewResponse:
        """Save the entries of a request, and return what is new. If nothing can be saved now, `trouble` says why."""
        try:
            return self._receive(request)
        except (WorkspaceError, SignedOutError) as error:
            if request.entries and isinstance(error, SignedOutError):  # an open list alone asks every few seconds
                LOG.warning("Refused what a list sent: who opened it is signed out, or not known here any more.")
            return ReviewResponse(self._newest.number, trouble=str(error))

    def _receive(self, request: ReviewRequest) -> ReviewResponse:
        if request.entries and self.store.guard is not None:  # who may have another name since the list was opened
            with self.store.reading(Right.SEE, self.context.report) as connection:
                self.person = self._saver.person = self.store.author(connection)
        refused = self._save(request.entries)
        changed = self._read_changes()
        if self._told is None or changed or request.entries:
            self._told = self._standing()
        since = Newest.of_number(request.seen)
        beside = self._notes_since(since.note)
        return replace(
            self._told,
            up_to=self._newest.number,
            words={paper: one.word for paper, one in self._said.items() if one.number > since.decision},
            tags={paper: one.tags for paper, one in beside.items()},
            notes={paper: one.note for paper, one in beside.items()},
            refused=refused,
            minutes=self._minutes() if changed or request.seen is None else None,
            answers=self._answers(),
        )

    # ---- saving

    def _save(self, entries: Sequence[Entry]) -> dict[str, str]:
        """Save entries, and return why some were refused, by id."""
        refused = self._saver.decide([entry for entry in entries if isinstance(entry, Decided)])
        for entry in entries:
            try:
                self._take(entry)
            except RefusedError as error:
                refused[entry.entry_id] = str(error)
        return refused

    def _take(self, entry: Entry) -> None:
        match entry:
            case SpotCheckRequest():
                if not self._saver.has_saved(entry):
                    self._draw()
                    self._saver.remember(entry)
            case ExplanationRequest(_, paper_id):
                self._saver.place_of(paper_id)
                self._asked[paper_id] = self.ask(paper_id)
            case Looked():
                self.looked = entry
            case Leave():
                self.is_leaving = True
            case _:
                self._saver.save(entry)

    def _draw(self) -> None:
        """Draw a spot check if one can be drawn now."""
        shown, relevance_model, order = self.context.shown, self.context.relevance_model, self.context.order
        if shown is None or relevance_model is None:
            return
        self._read_changes()  # decisions of the same message count
        chosen = target_recall(self.store, self.context.report)

        def choose(read: Positions, draws: Sequence[Draw]) -> Draw | None:
            advice = self._judged(shown, relevance_model, read, chosen)
            return spot_check.draw(shown, order, read, draws) if may_draw(advice, order, read, draws) else None

        read_log.add_draw(self.store, self.context.report, self.context.issue, choose, person=self.person)

    # ---- telling

    def _read_changes(self) -> bool:
        """Read what is new in the logs; say whether anything is."""
        of_issue = (self.store, self.context.report, self.context.issue)
        now = standing.newest(*of_issue)
        before, self._newest = self._newest, now
        if now.decision != before.decision:
            self._said = standing.said(*of_issue)
        if now.note != before.note:
            self._noted = standing.noted(*of_issue)
        return now != before

    def _standing(self) -> ReviewResponse:
        context, of_issue = self.context, (self.context.report, self.context.issue)
        read, draws = read_positions(self.store, *of_issue), read_log.draws(self.store, *of_issue)
        drawn = spot_check.drawn_positions(draws)
        told = ReviewResponse(up_to=0, read=_ranges(context.is_read(read)), drawn=self._papers(drawn))
        if context.relevance_model is None or context.shown is None:
            return told
        self.advice = so_far = self._judged(
            context.shown, context.relevance_model, read, target_recall(self.store, context.report)
        )
        return replace(
            told,
            rule=Rule(so_far.stop_at + 1, words.rule_says(so_far)) if so_far.stop_at < so_far.n_papers else None,
            light=_shown(so_far, context.relevance_model),
            spot_check=spot_check.shown_as(so_far, context.order, read, draws, self._words_at(drawn)),
        )

    def _judged(
        self, shown: StoredRanking, relevance_model: RelevanceModel, read: Positions, chosen: TargetRecall
    ) -> StopAdvice:
        words_in_order, is_read = self.context.in_order(self._words), self.context.is_read(read)
        judged = progress.advise(relevance_model, shown.ranking.scores, words_in_order, is_read, chosen)
        return judged.awaiting() if self.is_awaited else judged

    def _words_at(self, positions: Sequence[int]) -> dict[int, Word]:
        """Return the current words on some papers, by list position."""
        words = self._words
        papers = zip(positions, self._papers(positions), strict=True)
        return {position: words[paper] for position, paper in papers if paper in words}

    def _notes_since(self, number: int) -> dict[str, PaperNotes]:
        changed = [paper for paper, newest in self._noted.items() if newest > number]
        if not changed:
            return {}
        now = notes.paper_notes(self.store, self.context.report, self.context.issue)
        return {paper: now.get(paper, PaperNotes()) for paper in changed}

    def _minutes(self) -> str:
        return minutes_text(log.minutes_spent(self.store, self.context.report, self.context.issue))

    def _answers(self) -> dict[str, Answer]:
        ready = {paper: answer for paper, answer in self._asked.items() if answer.done()}
        for paper in ready:
            del self._asked[paper]
        return {paper: answer.result() for paper, answer in ready.items()}

    # ---- the context

    @property
    def _words(self) -> dict[str, Word]:
        return {paper: one.word for paper, one in self._said.items() if one.word != "undecided"}

    @property
    def places(self) -> dict[str, int]:
        """Places by paper id, from 1, in the order shown."""
        return self._saver.places

    def _papers(self, positions: Sequence[int]) -> list[str]:
        return [self.context.papers[position - 1].paper_id for position in positions]


def _shown(advice: StopAdvice, relevance_model: RelevanceModel) -> LightShown:
    return LightShown(
        advice.may_stop,
        words.verdict(advice),
        words.light_says(advice),
        words.sure_says(advice),
        advice.stop_at,
        advice.target_recall,
        words.stops_say(advice),
        words.basis_says(relevance_model.basis, is_first=not relevance_model.is_ready) if advice.is_known else "",
    )


def _ranges(is_read: Flags) -> list[tuple[int, int]]:
    """Return the first and last place, from 1, of each run of papers read."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], is_read, [False]]).astype(np.int8)))
    return [(int(before) + 1, int(last)) for before, last in ends.reshape(-1, 2)]
