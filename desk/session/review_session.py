"""Save review events from the browser and return changes made since the client's cursor.

A `ReviewSession` serves one page opened by one editor. It caches the state of the logs between messages, and reads only
the changes since then.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from presort.data.editing import decisions, notes, read_papers, rerankings
from presort.data.editing.decisions import CurrentDecision, LogCursor
from presort.data.editing.read_papers import read_positions
from presort.data.errors import RefusedError, WorkspaceError
from presort.data.records import Draw, Label, PaperNotes, Positions, Reranking
from presort.data.rights import ForbiddenError, Right, SignedOutError
from presort.data.store import Store
from presort.desk.components.messages import (
    DecisionEntry,
    Entry,
    ExplanationRequest,
    LeaveRequest,
    Ordering,
    RerankRequest,
    ReviewRequest,
    SpotCheckRequest,
    UndoRerank,
    ViewEntry,
)
from presort.desk.components.response import ReviewResponse, Rule, Section, StopAdviceView
from presort.desk.session import spot_check, stop_advice
from presort.desk.session.decision_writer import DecisionWriter
from presort.desk.session.list_order import ListOrder, reranking_for_browser
from presort.desk.session.progress import ReviewContext
from presort.desk.session.spot_check import may_draw
from presort.desk.session.stop_advice import StopAdvice, list_model, target_recall
from presort.desk.text import minutes_text
from presort.ranker.stopping.curves import Flags
from presort.ranker.stopping.forecast import TargetRecall
from presort.ranker.stopping.relevance_model import ListModel, RelevanceModel

Answer = Sequence[Section]
Ask = Callable[[str], "Future[Answer]"]
LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class _LogState:
    """State of a report issue's logs at the time of a response."""

    newest: LogCursor
    current: Mapping[str, CurrentDecision]
    noted: Mapping[str, int]
    read: Positions
    draws: Sequence[Draw]
    target_recall: TargetRecall
    reranking: Reranking | None
    advice: StopAdvice | None = None

    @property
    def labels(self) -> dict[str, Label]:
        """Current labels by paper id. Papers that were reset to undecided are left out."""
        return {paper: one.label for paper, one in self.current.items() if one.label != "undecided"}


@dataclass
class ReviewSession:
    """Handler for the messages from one open review list.

    Attributes
    ----------
    store : Store
        Workspace.
    context : ReviewContext
        Review context of the list.
    person : str
        Name of the editor.
    ask : callable
        Function that takes a paper id and returns a future with the explanation of the paper's rank.
    looked : ViewEntry or None
        Order and filters of the list on screen. None until the browser has sent them.
    is_awaited : bool
        True while past lists needed for stop advice are being ranked. No advice is shown in the meantime, because
        advice that changes while the editor reads is worse than none.
    is_leaving : bool
        True if the editor asked for the *Publish* page.
    is_outdated : bool
        `ReviewResponse.is_outdated` of the last response.
    """

    store: Store
    context: ReviewContext
    person: str
    ask: Ask
    looked: ViewEntry | None = None
    is_awaited: bool = False
    is_leaving: bool = False
    is_outdated: bool = False
    _state: _LogState | None = None
    _asked: dict[str, "Future[Answer]"] = field(default_factory=dict)

    @cached_property
    def _writer(self) -> DecisionWriter:
        return DecisionWriter(self.context)

    @property
    def advice(self) -> StopAdvice | None:
        """Stop advice in the last response. None if the list has no stop advice."""
        return None if self._state is None else self._state.advice

    @property
    def has_hinted(self) -> bool:
        """True if a term was muted or boosted in this list."""
        return self._writer.has_hinted

    def receive(self, request: ReviewRequest) -> ReviewResponse:
        """Save the entries in a request and return the changes.

        If nothing can be saved now, the response's `trouble` gives the reason.

        A request that changes the workspace is handled in one write transaction, and any other request in one read
        transaction. The response is read in the same transaction, so that it includes the request's changes.
        """
        try:
            return self._respond(request)
        except (WorkspaceError, SignedOutError) as error:
            if request.entries and isinstance(error, SignedOutError):  # a request without entries only polls
                LOG.warning("Refused entries of a review list: its user is signed out or no longer registered.")
            return ReviewResponse(0 if self._state is None else self._state.newest.number, trouble=str(error))

    def _respond(self, request: ReviewRequest) -> ReviewResponse:
        if request.number is not None and request.reranking != _number(self.context.reranking):
            self._show_order(self._reranking(request.reranking))
        changes = self._writer.select_unsaved(request.entries)
        refused: dict[str, str] = {}
        if changes:
            try:
                with self.store.transaction(Right.EDIT, self.context.report) as store:
                    refused = self._save(store, changes)
                    state, news = self._read_news(store, request.seen, is_changed=True)
            except ForbiddenError as error:
                refused, changes = {one.entry_id: str(error) for one in changes}, []
        if not changes:
            with self.store.snapshot() as store:
                state, news = self._read_news(store, request.seen)
        self._state, self.is_outdated = state, news.is_outdated
        if any(isinstance(one, Ordering) for one in request.entries):
            refused |= self._reorder([one for one in request.entries if isinstance(one, Ordering)])
            with self.store.snapshot() as store:
                state, news = self._read_news(store, request.seen)
        # Entries are remembered after the commit, because the browser sends them again if the commit fails. The
        # forecast is computed outside the transaction, because it would block other writers.
        self._state = state = self._add_advice(state)
        self._writer.remember(one for one in changes if one.entry_id not in refused)
        refused |= self._follow(request.entries)
        shown = reranking_for_browser(self.store, self.context, request.reranking)
        by = self._newest_reranking_person(state)
        news = replace(news, reranking=shown, reranked_by=by, looked=self.looked)
        return replace(self._complete_response(state, news), refused=refused, answers=self._answers())

    # ---- saving

    def _save(self, store: Store, changes: Sequence[Entry]) -> dict[str, str]:
        """Save entries. Returns the reason for each refused entry, by entry id."""
        self._update_person(store)
        refused = self._writer.decide(store, self.person, [one for one in changes if isinstance(one, DecisionEntry)])
        for entry in changes:
            try:
                if isinstance(entry, SpotCheckRequest):
                    self._draw(store)
                else:
                    self._writer.save(store, self.person, entry)
            except RefusedError as error:
                refused[entry.entry_id] = str(error)
        return refused

    def _update_person(self, store: Store) -> None:
        """Update the editor's name, which may have changed since the list was opened."""
        if store.guard is not None:
            with store.reading(Right.SEE, self.context.report) as connection:
                self.person = store.author(connection)

    def _draw(self, store: Store) -> None:
        """Draw the random papers for a spot check, if a spot check is possible now."""
        state, shown, order = self._add_advice(self._read_logs(store)), self.context.shown, self.context.order
        if shown is not None and state.advice is not None and may_draw(state.advice, order, state.read, state.draws):
            drawn = spot_check.draw(shown, order, state.read, state.draws)
            read_papers.add_draw(store, self.context.report, self.context.issue, drawn, person=self.person)

    # ---- the order

    def _reorder(self, entries: Sequence[Ordering]) -> dict[str, str]:
        """Carry out requested re-rankings and undos, and then switch to the newest order.

        Returns the reason for each refused entry, by entry id. This runs outside the transaction that saves decisions,
        because re-ranking takes half a second and would block other writers.
        """
        refused: dict[str, str] = {}
        if self._list_order is None:
            return refused
        self._update_person(self.store)
        for entry in entries:
            by = {"person": self.person, "entry_id": entry.entry_id}
            try:
                if isinstance(entry, RerankRequest):
                    self._list_order.rerank(**by)
                elif isinstance(entry, UndoRerank) and self.context.reranking is not None:
                    self._list_order.undo(self.context.reranking, **by)
            except (RefusedError, ForbiddenError) as error:
                refused[entry.entry_id] = str(error)
        self._show_order(self._newest_reranking(self.store))
        return refused

    @cached_property
    def _list_order(self) -> ListOrder | None:
        return None if self.context.shown is None else ListOrder(self.store, self.context, self.context.shown)

    def _reranking(self, number: int | None) -> Reranking | None:
        """Return a re-ranked order of the list.

        Returns None if the order belongs to another ranking. The browser may still show that ranking for a moment after
        the page was drawn with a new one.
        """
        context = self.context
        if number is None or context.shown is None:
            return None
        found = rerankings.reranking_of(self.store, context.report, context.issue, number)
        return found if found.ranking == context.shown.id else None

    def _show_order(self, reranking: Reranking | None) -> None:
        """Switch to another order. The stop advice is discarded, because it refers to positions in the old order."""
        if _number(reranking) != _number(self.context.reranking):
            self.context = self.context.with_reranking(reranking)
            self._writer.show(self.context)
            self._state = None if self._state is None else replace(self._state, advice=None)

    def _newest_reranking_person(self, state: _LogState) -> str:
        newest = state.reranking
        is_newer = newest is not None and newest.number != _number(self.context.reranking)
        return newest.person if newest is not None and is_newer else ""

    def _follow(self, entries: Sequence[Entry]) -> dict[str, str]:
        """Handle entries that don't change the workspace. Returns the reason for each refused entry, by entry id."""
        refused = {}
        for entry in entries:
            match entry:
                case ExplanationRequest(entry_id, paper_id) if paper_id not in self.places:
                    refused[entry_id] = self._writer.missing_paper_text(paper_id)
                case ExplanationRequest(_, paper_id):
                    self._asked[paper_id] = self.ask(paper_id)
                case ViewEntry():
                    self.looked = entry
                case LeaveRequest():
                    self.is_leaving = True
        return refused

    # ---- responding

    def _read_news(
        self, store: Store, seen: int | None, *, is_changed: bool = False
    ) -> tuple[_LogState, ReviewResponse]:
        """Read the state if it has changed. Returns the state and the changes for the browser.

        The target recall is compared separately, because it is not in the logs of the issue, and another editor may
        have changed it.
        """
        before, of_issue = self._state, (self.context.report, self.context.issue)
        newest = decisions.log_cursor(store, *of_issue)
        is_new = before is None or newest != before.newest
        is_changed = is_changed or before is None or before.target_recall != target_recall(store, self.context.report)
        state = self._read_logs(store, newest) if before is None or is_new or is_changed else before
        since = LogCursor.of_number(seen)
        new_notes = self._notes_since(store, state.noted, since.note)
        news = ReviewResponse(
            newest.number,
            labels={paper: one.label for paper, one in state.current.items() if one.number > since.decision},
            tags={paper: one.tags for paper, one in new_notes.items()},
            notes={paper: one.note for paper, one in new_notes.items()},
            is_outdated=newest.is_published != self.context.is_published,
            minutes=minutes_text(decisions.minutes_spent(store, *of_issue)) if is_new or seen is None else None,
        )
        return state, news

    def _read_logs(self, store: Store, newest: LogCursor | None = None) -> _LogState:
        before, of_issue = self._state, (self.context.report, self.context.issue)
        newest = newest or decisions.log_cursor(store, *of_issue)
        n_known, reranking = (before.newest.reranking, before.reranking) if before else (0, None)
        if newest.reranking != n_known:
            reranking = self._newest_reranking(store)
        return _LogState(
            newest,
            before.current
            if before and newest.decision == before.newest.decision
            else decisions.current_decisions(store, *of_issue),
            before.noted if before and newest.note == before.newest.note else decisions.newest_notes(store, *of_issue),
            read_positions(store, *of_issue),
            before.draws if before and newest.draw == before.newest.draw else read_papers.draws(store, *of_issue),
            target_recall(store, self.context.report),
            reranking,
        )

    def _newest_reranking(self, store: Store) -> Reranking | None:
        context = self.context
        if context.shown is None:
            return None
        return rerankings.newest_reranking(store, context.report, context.issue, context.shown.id)

    @cached_property
    def _list_model(self) -> ListModel | None:
        """Model of the list. A re-ranking doesn't change it, because it depends only on the original ranking."""
        context = self.context
        if context.shown is None or context.relevance_model is None:
            return None
        return list_model(context.relevance_model, context.shown.ranking.scores, len(context.papers))

    def _add_advice(self, state: _LogState) -> _LogState:
        """Return the state, with stop advice added if the list has any."""
        context = self.context
        if state.advice is not None or self._list_model is None:
            return state
        in_order, is_read = context.labels_in_order(state.labels), context.is_read(state.read)
        advice = stop_advice.advise(self._list_model, in_order, is_read, state.target_recall)
        return replace(state, advice=advice.without_forecast() if self.is_awaited else advice)

    def _complete_response(self, state: _LogState, news: ReviewResponse) -> ReviewResponse:
        """Add the stop advice and the positions of the papers read to a response."""
        context, advice = self.context, state.advice
        # Another window may have drawn papers that were added to the issue after this list was opened.
        drawn = [one for one in spot_check.drawn_positions(state.draws) if one <= len(context.papers)]
        papers = [context.papers[position - 1].paper_id for position in drawn]
        target = None if context.is_published else state.target_recall
        news = replace(news, read=_ranges(context.is_read(state.read)), drawn=papers, target_recall=target)
        if advice is None or context.relevance_model is None:
            return news
        labels_at = {at: label for at, paper in zip(drawn, papers, strict=True) if (label := state.labels.get(paper))}
        return replace(
            news,
            rule=Rule(advice.stop_at + 1, stop_advice.rule_text(advice)) if advice.stop_at < advice.n_papers else None,
            stop_advice=_format_advice(advice, context.relevance_model),
            spot_check=spot_check.spot_check_for_browser(advice, context.order, state.read, state.draws, labels_at),
        )

    def _notes_since(self, store: Store, noted: Mapping[str, int], number: int) -> dict[str, PaperNotes]:
        changed = [paper for paper, newest in noted.items() if newest > number]
        if not changed:
            return {}
        now = notes.paper_notes(store, self.context.report, self.context.issue)
        return {paper: now.get(paper, PaperNotes()) for paper in changed}

    def _answers(self) -> dict[str, Answer]:
        ready = {paper: answer for paper, answer in self._asked.items() if answer.done()}
        for paper in ready:
            del self._asked[paper]
        return {paper: answer.result() for paper, answer in ready.items()}

    @property
    def places(self) -> dict[str, int]:
        """1-based position of each paper in the shown order, by paper id."""
        return self._writer.places


def _format_advice(advice: StopAdvice, relevance_model: RelevanceModel) -> StopAdviceView:
    return StopAdviceView(
        advice.may_stop,
        stop_advice.verdict(advice),
        stop_advice.advice_text(advice),
        stop_advice.uncertainty_text(advice),
        advice.stop_at,
        advice.target_recall,
        stop_advice.stops_text(advice),
        stop_advice.basis_text(relevance_model.basis, is_first=not relevance_model.is_ready) if advice.is_known else "",
    )


def _number(reranking: Reranking | None) -> int | None:
    return None if reranking is None else reranking.number


def _ranges(is_read: Flags) -> list[tuple[int, int]]:
    """Return the first and last 1-based position of each unbroken run of papers that were read."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], is_read, [False]]).astype(np.int8)))
    return [(int(before) + 1, int(last)) for before, last in ends.reshape(-1, 2)]
