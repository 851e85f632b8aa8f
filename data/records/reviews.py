"""Records of editors' work: decisions, notes, hints, drafts and published report issues."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, NamedTuple

from presort.data.records.papers import Paper, Positions

Label = Literal["yes", "no", "maybe", "undecided"]
Order = Literal["presort", "list"]  # order of a review list: ranked by Presort, or list order
About = Literal["relevant", "publish"]  # question that a decision answers; the only answers to "publish" are yes and no
NoteKind = Literal["tag", "untag", "note"]
HintKind = Literal["mute", "boost", "seed", "none"]  # "none" removes a hint
Source = Literal["desk", "file", "rule"]  # source of a decision: the desk, an imported file, or a rule of the service


@dataclass(frozen=True, slots=True)
class Decision:
    """Editor's decision on one paper in an issue. `client_id` enables the server to ignore repeated messages.

    `ranking_id` is the ranking that the editor was shown. It is None if the list was shown in list order.
    `reranking_id` is the re-ranked order of that list. It is None if the list was not re-ranked. `source` distinguishes
    decisions made at the desk from imported decisions, because a file must not overrule an editor. If `is_alone` is
    True, the editor reached the paper by a search, a filter or a jump down the list, and papers above it may be unread.
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
    """Decision in the log. Later decisions have higher values of `id`."""

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
    """Note on a paper in an issue, or a tag to add or remove. An empty note deletes the existing note.

    `client_id` enables the server to ignore repeated messages.
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
    """A paper's current note and its current tags, in the order in which the tags were first added."""

    tags: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Criteria:
    """Inclusion criteria of a report, written by its editors, with author and time."""

    text: str
    person: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Hints:
    """Report's current hints to the ranker. Hints of each kind are in the order in which they were first added.

    `muted` and `boosted` are terms in lower case. `seeds` are example texts. `up_to` is the log number of the report's
    newest hint, including removed hints, or 0 if it never had any hints.
    """

    muted: tuple[str, ...] = ()
    boosted: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    up_to: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """Draft of a report issue.

    Attributes
    ----------
    report, issue
        Report code and issue date.
    order : tuple of int
        1-based list positions in the order of publication. Papers missing from this order come last.
    note : str
        Note to the readers, published with the report issue.
    private_note : str
        Note for the editors. It is never published.
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
        1-based list positions of the unread papers, in ascending order. Empty if all papers are regarded as read.
    ended : str
        "all" if reading ended when no relevant papers remained, with a probability of 95 %. "advised" if it ended at
        the stop point for a lower target recall, so that the ranking is not evaluable. "early" if it ended before the
        stop point. Only in the "early" case do unread papers have no label.
    stop_at : int or None
        Stop point of the stop advice. None if there was no advice.
    """

    unread: tuple[int, ...] = ()
    ended: Ended = "all"
    stop_at: int | None = None


ALL_READ = ReviewProgress()


class ApprovedDraft(NamedTuple):
    """Draft that the editor saw when publishing. If the draft has changed since, nothing is published.

    Attributes
    ----------
    published : tuple of int
        List positions of the papers to publish, in the order of publication.
    maybe : frozenset of int
        List positions of the papers marked maybe.
    note : str
        Note to the readers.
    """

    published: tuple[int, ...]
    maybe: frozenset[int]
    note: str


@dataclass(frozen=True, slots=True)
class ReportIssue:
    """Published report issue, with the papers' list positions in the editor's order and the ranking that was shown.

    `n_papers` is the size of the issue at publication, or 0 if it is unknown. Papers at higher list positions joined
    the issue later. `published` is empty for imported selections, because all relevant papers were published, in an
    unknown order.
    """

    report: str
    issue: date
    published: tuple[int, ...]
    person: str
    ranking_id: int | None = None  # None if no ranking was shown, for example for imported selections
    note: str = ""  # the editor's note to the readers
    source: Source = "desk"
    n_papers: int = 0
    review_progress: ReviewProgress = ALL_READ


@dataclass(frozen=True, slots=True)
class Reopening:
    """Reopening of a report issue, with person, time and reason."""

    person: str
    made_at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Skipping:
    """Log entry for skipping a report issue or undoing the skip, with the person and the time."""

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
class PendingIssue:
    """Pending report issue.

    `n_decided` of its `n_papers` papers have a current decision, and `n_relevant` of them are relevant. `is_started` is
    True if there are decisions, or if the report issue was published and reopened. `days_old` counts days since the
    issue date, and `days_off` counts the holidays among these days. `can_be_late` is False if the issue is older than
    the report or than its first editor's term. The editor should still finish the issue, but it is never regarded as
    late.
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
        """Number of days that count towards lateness, excluding holidays, or 0 if the issue can't be late.

        Examples
        --------
        >>> from datetime import date
        >>> PendingIssue("lab", date(2026, 11, 2), 300, 0, is_started=False, days_old=19, days_off=7).days_counted
        12
        """
        return self.days_old - self.days_off if self.can_be_late else 0


class Draw(NamedTuple):
    """Random draw of unread papers from an issue.

    Attributes
    ----------
    ranking : int
        Number of the ranking that was shown.
    n_read : int
        Number of papers read before the draw, not counting drawn papers.
    n_rest : int
        Number of papers that could be drawn because they had not been read or drawn before.
    positions : sequence of int
        List positions of the drawn papers, in ranking order.
    """

    ranking: int
    n_read: int
    n_rest: int
    positions: Sequence[int]


@dataclass(frozen=True, eq=False, slots=True)
class Reranking:
    """Re-ranked order of a review list, see `presort.data.editing.rerankings`.

    Attributes
    ----------
    number : int
        Log number. Later orders have higher numbers.
    ranking : int
        Number of the list's ranking.
    before : int or None
        Number of the order that undo restores. None if undo restores the order of the ranking.
    positions : array of shape (n_papers,)
        1-based list positions in the new order. Papers that joined the issue later are missing.
    n_decisions : int
        Number of decisions on the issue's papers that were used for re-ranking. 0 if undo restored the ranking's order.
    decisions_up_to : int
        Log number of the newest decision used for re-ranking. 0 if undo restored the ranking's order.
    person : str
        Person who requested the new order.
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
    """Paper in an exported review list. `place` is 1-based. `score` is None if the list is shown in list order."""

    paper: Paper
    report: str
    issue: date
    place: int
    score: float | None = None
    label: Label = "undecided"
    published: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""
