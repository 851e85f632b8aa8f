"""What the review list in the browser sent is saved, and what is new is told.

One `Receiver` serves one page of one person. Between two messages it remembers what it read, and reads again only
what the logs say has changed.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cached_property

from data import desk_notes, review_log, reviews, standing
from data.errors import RefusedError, WorkspaceError
from data.hints import add_hint
from data.records import Decision, Note, PaperNotes, Word
from data.standing import Newest, Said
from data.store import Store
from desk import kept, reading
from desk.components.messages import (
    Asked,
    Decided,
    DrawAsked,
    Entry,
    Hinted,
    LevelChosen,
    Looked,
    Noted,
    Order,
    ReadTo,
    Sent,
    Tagged,
)
from desk.components.sync import DrawShown, LightShown, Reply, Rule, Section
from desk.reading import LEVELS, Draw, Reading, Sheet
from desk.words.light import NO_LEVEL, draw_says, drawn_from, light_says, rule_says
from desk.words.text import chance_text, minutes_text
from ranker.light import Light

Answer = Sequence[Section]
Ask = Callable[[str], "Future[Answer]"]
NOTHING = Newest()
NO_PAPER = "There is no paper {paper!r} in the issue of {issue}."


@dataclass
class Receiver:
    """Serves the list of a sheet.

    Attributes
    ----------
    store, sheet, person
        Where things are kept, what lies on the desk, and who sits there.
    ask : callable
        From the id of a paper to why it stands where it stands, once that is known.
    looked : Looked or None
        What the list shows now; None as long as it shows all of it.
    reading : Reading or None
        How far the editor had come at the last answer; None of a sheet without a light.
    has_hinted : bool
        Whether a word was muted or boosted in this list.
    """

    store: Store
    sheet: Sheet
    person: str
    ask: Ask
    looked: Looked | None = None
    reading: Reading | None = None
    has_hinted: bool = False
    _newest: Newest = NOTHING
    _said: Mapping[str, Said] = field(default_factory=dict)
    _noted: Mapping[str, int] = field(default_factory=dict)
    _told: Reply | None = None  # all that a decision moves, as of `_newest`
    _asked: dict[str, "Future[Answer]"] = field(default_factory=dict)

    def receive(self, sent: Sent) -> Reply:
        """Save what was sent, and say what is new; what the workspace can't save now is to be sent again."""
        try:
            return self._receive(sent)
        except WorkspaceError as error:
            return Reply(self._newest.number, trouble=str(error))

    def _receive(self, sent: Sent) -> Reply:
        refused = self._save(sent.entries)
        changed = self._read_changes()
        if self._told is None or changed or sent.entries:
            self._told = self._standing()
        since = Newest.of_number(sent.seen)
        beside = self._notes_since(since.note)
        return replace(
            self._told,
            up_to=self._newest.number,
            words={paper: one.word for paper, one in self._said.items() if one.number > since.decision},
            tags={paper: one.tags for paper, one in beside.items()},
            notes={paper: one.note for paper, one in beside.items()},
            refused=refused,
            minutes=self._minutes() if changed or sent.seen is None else None,
            answers=self._answers(),
        )

    # ---- saving

    def _save(self, entries: Sequence[Entry]) -> dict[str, str]:
        """Save entries, and give why some were refused, by id."""
        refused = self._decide([entry for entry in entries if isinstance(entry, Decided)])
        for entry in entries:
            try:
                self._take(entry)
            except RefusedError as error:
                refused[entry.entry_id] = str(error)
        return refused

    def _decide(self, decided: Sequence[Decided]) -> dict[str, str]:
        """Save decisions at once; where one is refused, each by itself, so that it keeps no other from being saved."""
        try:
            reviews.decide(self.store, [self._decision(one) for one in decided])
        except RefusedError as error:
            if len(decided) == 1:
                return {decided[0].entry_id: str(error)}
            return {name: why for one in decided for name, why in self._decide([one]).items()}
        return {}

    def _decision(self, one: Decided) -> Decision:
        shown = self.sheet.shown if one.order == "presort" else None
        return Decision(
            self.sheet.report,
            self.sheet.issue,
            one.paper_id,
            one.word,
            self.person,
            client_id=one.entry_id,
            ranking_id=None if shown is None else shown.id,
        )

    def _take(self, entry: Entry) -> None:
        store, sheet = self.store, self.sheet
        of_issue = (sheet.report, sheet.issue)
        match entry:
            case Tagged(entry_id, paper_id, tags):
                desk_notes.set_tags(store, *of_issue, paper_id, tags, person=self.person, client_id=entry_id)
            case Noted(entry_id, paper_id, text):
                desk_notes.add_notes(store, [Note(*of_issue, paper_id, "note", text, self.person, entry_id)])
            case ReadTo(_, paper_id, order):
                self._place_of(paper_id)
                kept.set_read_to(store, sheet, order, paper_id)
            case LevelChosen(_, level) if level in LEVELS:
                kept.set_level(store, sheet, level)
            case LevelChosen(_, level):
                raise RefusedError(NO_LEVEL.format(level=level))
            case DrawAsked():
                self._draw()
            case Asked(_, paper_id):
                self._place_of(paper_id)
                self._asked[paper_id] = self.ask(paper_id)
            case Hinted(_, effect, term):
                add_hint(store, sheet.report, effect, term, person=self.person)
                self.has_hinted = True
            case Looked():
                self.looked = entry

    def _draw(self) -> None:
        if self.sheet.shown is not None and self.sheet.light is not None:
            self._read_changes()  # what came with the same message counts
            draws = kept.draws(self.store, self.sheet)
            read_to = self._judged(self.sheet.light, draws).read_to
            if self._may_draw(draws, read_to):  # not when it was asked twice
                new = reading.draw(self.sheet.shown, self.sheet.order, read_to, draws)
                kept.set_draws(self.store, self.sheet, [*draws, new])

    # ---- telling

    def _read_changes(self) -> bool:
        """Read what is new in the logs; say whether anything is."""
        of_issue = (self.store, self.sheet.report, self.sheet.issue)
        now = standing.newest(*of_issue)
        before, self._newest = self._newest, now
        if now.decision != before.decision:
            self._said = standing.said(*of_issue)
        if now.note != before.note:
            self._noted = standing.noted(*of_issue)
        return now != before

    def _standing(self) -> Reply:
        sheet = self.sheet
        read_to = self._read_to()
        if sheet.light is None or sheet.shown is None:
            return Reply(0, read_to=read_to)
        draws = kept.draws(self.store, sheet)
        so_far = self.reading = self._judged(sheet.light, draws)
        newest = reading.newest_draw(sheet.shown, draws)
        says = light_says(so_far, sheet.light, sheet.shown.ranking.ranker)
        return Reply(
            up_to=0,
            rule=Rule(so_far.red_at + 1, rule_says(so_far)) if so_far.red_at < so_far.n_papers else None,
            read_to=read_to,
            apart=self._apart(draws),
            drawn=[] if newest is None else [self._paper(position) for position in newest.positions],
            light=LightShown(so_far.is_red, says, chance_text(so_far.chance), so_far.red_at, so_far.level),
            draw=DrawShown("" if newest is None else self._draw_says(newest), self._may_draw(draws, so_far.read_to)),
        )

    def _read_to(self) -> Mapping[Order, str]:
        """Give where one has read to; in list order, decisions made there tell it too."""
        told = dict(kept.read_to(self.store, self.sheet))
        here = {paper for paper, one in self._said.items() if one.ranking_id is None and one.word != "undecided"}
        as_received = [paper.paper_id for paper in self.sheet.papers]
        read = [paper for paper in as_received if paper in here or paper == told.get("received")]
        return {**told, "received": read[-1]} if read else told

    def _judged(self, light: Light, draws: Sequence[Draw]) -> Reading:
        places = self.places
        pointed = kept.read_to(self.store, self.sheet).get("presort")
        return reading.judge(
            light,
            self.sheet.in_order(self._words),
            [places[paper] for paper in self._apart(draws)],
            kept.level(self.store, self.sheet),
            pointed=0 if pointed is None else places.get(pointed, 0),
        )

    def _apart(self, draws: Sequence[Draw]) -> list[str]:
        """Give the papers of which a decision tells nothing of how far this list was read."""
        here = None if self.sheet.shown is None else self.sheet.shown.id
        drawn = [self._paper(position) for position in reading.drawn_positions(draws)]
        return list(dict.fromkeys([*drawn, *(paper for paper, one in self._said.items() if one.ranking_id != here)]))

    def _may_draw(self, draws: Sequence[Draw], read_to: int) -> bool:
        sheet = self.sheet
        if sheet.shown is None:
            return False
        newest = reading.newest_draw(sheet.shown, draws)
        is_decided = newest is None or all(self._paper(position) in self._words for position in newest.positions)
        return is_decided and reading.may_draw(sheet.shown, sheet.order, read_to, draws)

    def _draw_says(self, newest: Draw) -> str:
        said = [self._words.get(self._paper(position)) for position in newest.positions]
        if n_left := said.count(None):
            return drawn_from(newest, n_left)
        n_found = said.count("yes")
        return draw_says(len(said), n_found, reading.what_remains(newest, n_found))

    def _notes_since(self, number: int) -> dict[str, PaperNotes]:
        changed = [paper for paper, newest in self._noted.items() if newest > number]
        if not changed:
            return {}
        now = desk_notes.paper_notes(self.store, self.sheet.report, self.sheet.issue)
        return {paper: now.get(paper, PaperNotes()) for paper in changed}

    def _minutes(self) -> str:
        return minutes_text(review_log.minutes_spent(self.store, self.sheet.report, self.sheet.issue))

    def _answers(self) -> dict[str, Answer]:
        ready = {paper: answer for paper, answer in self._asked.items() if answer.done()}
        for paper in ready:
            del self._asked[paper]
        return {paper: answer.result() for paper, answer in ready.items()}

    # ---- the sheet

    @property
    def _words(self) -> dict[str, Word]:
        return {paper: one.word for paper, one in self._said.items() if one.word != "undecided"}

    @cached_property
    def places(self) -> dict[str, int]:
        """Places by paper id, from 1, in the order shown."""
        return {self._paper(position): place for place, position in enumerate(self.sheet.order.tolist(), start=1)}

    def _paper(self, position: int) -> str:
        return self.sheet.papers[position - 1].paper_id

    def _place_of(self, paper_id: str) -> int:
        if paper_id not in self.places:
            raise RefusedError(NO_PAPER.format(paper=paper_id, issue=self.sheet.issue))
        return self.places[paper_id]
