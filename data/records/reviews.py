"""Records of editors' work: decisions, notes, hints, drafts and published report issues."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, NamedTuple

from presort.data.records.papers import Paper, Positions

Label = Literal["yes", "no", "maybe", "undecided"]
Order = Literal["presort", "received"]  # of a review list: as ranked, or as received
About = Literal["relevant", "publish"]  # of a decision; "publish" takes only yes and no
NoteKind = Literal["tag", "untag", "note"]
HintKind = Literal["mute", "boost", "seed", "none"]  # "none" takes a hint back
Source = Literal["desk", "file", "rule"]  # who spoke: a person at the desk, an imported file, or a rule of the service


@dataclass(frozen=True, slots=True)
class Decision:
    """An editor's decision on one paper of one issue; `client_id` makes a repeated message harmless.

    `ranking_id` is the ranking that the editor was looking at; None in list order. `reranking_id` is the re-ranked
    order of that list; None if it was in its first order. `source` separates decisions at the desk from imported ones,
    because a file must not overrule an editor. If `is_alone`, the paper was found by a search or a filter, or far down,
    and the papers above it may be unread.
    """

    report: str
    issue: date
    paper_id: str
    label: Label
    person: str
    client_id: str | None = None
    about: About = "relevant"
    ranking_id: int | None = None
    source: Source = "desk"
    is_alone: bool = False
    reranking_id: int | None = None


@dataclass(frozen=True, slots=True)
class LoggedDecision:
    """A decision as the log keeps it; a higher `id` is later."""

    id: int
    paper_id: str
    about: About
    label: Label
    person: str
    made_at: datetime
    client_id: str | None
    source: Source = "desk"


@dataclass(frozen=True, slots=True)
class Note:
    """A tag put on a paper of an issue or taken off it, or the note on it; an empty note takes the note back.

    `client_id` makes a repeated message harmless.
    """

    report: str
    issue: date
    paper_id: str
    kind: NoteKind
    text: str
    person: str
    client_id: str | None = None


@dataclass(frozen=True, slots=True)
class PaperNotes:
    """Current tags of a paper, in the order they were first given, and its note."""

    tags: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Criteria:
    """Criteria of a report in its editors' words, with author and time."""

    text: str
    person: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Hints:
    """Hints of a report's editor to the ranker, each kind in the order it was first given.

    `muted` and `boosted` are terms in lower case, `seeds` example texts; `up_to` is the number of the newest hint in
    the log among all of the report's, taken back or not; 0 where there was none.
    """

    muted: tuple[str, ...] = ()
    boosted: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    up_to: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A report issue in the making.

    Attributes
    ----------
    report, issue
        Report and issue.
    order : tuple of int
        List positions, from 1, in the order to publish. Missing papers follow.
    note : str
        Public note for the readers.
    private_note : str
        For the editors; it does not.
    """

    report: str
    issue: date
    order: tuple[int, ...] = ()
    note: str = ""
    private_note: str = ""


Ended = Literal["all", "advised", "early"]


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """Reading progress of a report issue when it was published.

    Attributes
    ----------
    unread : tuple of int
        List positions, from 1, ascending, of the papers that nobody had read. Empty if all count as read.
    ended : str
        "all" if the editor read until no relevant paper was left with 95 % probability. "advised" if reading ended at
        the stop advice of a lower target recall; then the ranking is not evaluable. "early" if it ended before the stop
        advice; only then do unread papers have no label.
    stop_at : int or None
        Stop point of the stop advice. None if there was no advice.
    """

    unread: tuple[int, ...] = ()
    ended: Ended = "all"
    stop_at: int | None = None


ALL_READ = ReviewProgress()


class Approved(NamedTuple):
    """Draft that an editor saw when publishing. If it has changed since, nothing is published.

    Attributes
    ----------
    published : tuple of int
        List positions of the papers to publish, in their order.
    maybe : frozenset of int
        List positions of the papers marked maybe.
    note : str
        To the readers.
    """

    published: tuple[int, ...]
    maybe: frozenset[int]
    note: str


@dataclass(frozen=True, slots=True)
class ReportIssue:
    """Published report issue: list positions of the papers in the editor's order, and the ranking that was shown.

    `n_papers` were in the issue then, 0 where that is not known; those at later list positions came later. Of what a
    file says, the order is not known, and `published` is empty: all relevant papers were published.
    """

    report: str
    issue: date
    published: tuple[int, ...]
    person: str
    ranking_id: int | None = None  # None where no ranking was shown, as for selections that were imported
    note: str = ""  # to the readers
    source: Source = "desk"
    n_papers: int = 0
    review_progress: ReviewProgress = ALL_READ


@dataclass(frozen=True, slots=True)
class Reopening:
    """Reopening of a report issue: person, time and reason."""

    person: str
    made_at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Skipping:
    """Entry of the log of skipped report issues: person, time, and whether skipping was undone."""

    person: str
    made_at: datetime
    is_taken_back: bool


@dataclass(frozen=True, slots=True)
class Publication:
    """Publication of a report issue. `reopened` is None for the current publication."""

    report_issue: ReportIssue
    made_at: datetime
    reopened: Reopening | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """An issue that a report has yet to finish.

    `n_decided` of its `n_papers` have a current decision, `n_relevant` of them yes; `is_started` is true if any has, or
    if the report issue was published and reopened; `days_old` are days since the date of the issue, `days_off` those
    of them that are holidays. `can_be_late` is False if the issue is older than its report or its editor: it is to be
    finished, but nobody is late.
    """

    report: str
    issue: date
    n_papers: int
    n_decided: int
    is_started: bool
    days_old: int
    days_off: int = 0
    n_relevant: int = 0
    can_be_late: bool = field(default=True, compare=False)

    @property
    def days_counted(self) -> int:
        """Days that count towards lateness: without holidays, and 0 if nobody can be late.

        Examples
        --------
        >>> from datetime import date
        >>> Pending("lab", date(2026, 11, 2), 300, 0, is_started=False, days_old=19, days_off=7).days_counted
        12
        """
        return self.days_old - self.days_off if self.can_be_late else 0


class Draw(NamedTuple):
    """Papers drawn at random from those of an issue that were not read.

    Attributes
    ----------
    ranking : int
        Number of the ranking that was shown.
    n_read : int
        Papers read when they were drawn, without any that were ever drawn.
    n_rest : int
        Papers they were drawn from: those neither read nor drawn before.
    positions : sequence of int
        List positions of those drawn, in the order of the ranking.
    """

    ranking: int
    n_read: int
    n_rest: int
    positions: Sequence[int]


@dataclass(frozen=True, eq=False, slots=True)
class Reranking:
    """Order in which a list is read after its unread papers were ranked again; see `presort.data.editing.rerankings`.

    Attributes
    ----------
    number : int
        In the log; a later order has a higher one.
    ranking : int
        Number of the ranking that the list is sorted by.
    before : int or None
        Number of the order that undoing this one restores. None is that of the ranking.
    positions : array of shape (n_papers,)
        List positions, from 1, as the list is read. Papers that joined the issue since are not among them.
    n_decisions : int
        Decisions on papers of the issue that it was learned from. 0 if it is the order of the ranking again.
    decisions_up_to : int
        Number of the newest of these decisions in the log.
    person : str
        Person who requested it.
    made_at : datetime
    """

    number: int
    ranking: int
    before: int | None
    positions: Positions
    n_decisions: int
    decisions_up_to: int
    person: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class ExportedPaper:
    """A paper as an editor's list shows it, for a file; `place` counts from 1, `score` is None in list order."""

    paper: Paper
    report: str
    issue: date
    place: int
    score: float | None = None
    label: Label = "undecided"
    published: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""
