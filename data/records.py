"""The plain records that every other part of Presort speaks in.

A *paper* is listed in an *issue*; a *report* takes *decisions* on the papers of an issue; a *ranker* makes a
*ranking* of an issue for a report. Nothing here reads a file, talks to a database or draws.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
Positions = NDArray[np.int32]  # list positions or places in a ranking, from 1
Word = Literal["yes", "no", "maybe", "undecided"]
About = Literal["relevant", "publish"]  # what a word is about; of publishing only yes and no can be said
NoteKind = Literal["tag", "untag", "note"]
HintKind = Literal["mute", "boost", "seed", "none"]  # "none" takes a hint back


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper, as its source describes it; every text is plain text."""

    paper_id: str
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()  # classification codes, JEL in economics
    series: str = ""
    date: str = ""  # ISO date of the paper itself, or empty


@dataclass(frozen=True, slots=True)
class ListedPaper:
    """A paper as one line of an issue, with the reports whose editors are known to have selected it."""

    paper: Paper
    issue: date
    selected_by: tuple[str, ...] = ()


class PaperTokens(NamedTuple):
    """What a tokeniser makes of one paper, field by field; a token may stand several times."""

    title: Sequence[str]
    abstract: Sequence[str]
    authors: Sequence[str]
    codes: Sequence[str]


@dataclass(frozen=True, eq=False)
class TokenLists:
    """Lists of token numbers, one a paper, end to end.

    Attributes
    ----------
    values : array of shape (n_tokens,)
        Numbers of tokens, from 0.
    starts : array of shape (n_papers + 1,)
        ``values[starts[i]:starts[i + 1]]`` are the tokens of paper ``i``, in the order they stand there.

    Examples
    --------
    >>> lists = TokenLists(np.array([7, 8, 7], dtype=np.int32), np.array([0, 2, 2, 3], dtype=np.int64))
    >>> len(lists)
    3
    >>> last_two = lists[1:]
    >>> last_two.values.tolist(), last_two.starts.tolist()
    ([7], [0, 0, 1])
    """

    values: NDArray[np.int32]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, papers: slice) -> "TokenLists":
        first, last, step = papers.indices(len(self))
        if step != 1:
            raise ValueError(f"papers must be a slice of step 1, got {step}")
        starts = self.starts[first : max(first, last) + 1]
        return TokenLists(self.values[starts[0] : starts[-1]], starts - starts[0])


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of papers, kept so that a text is taken apart once only; ``tokens[a:b]`` are those of some papers.

    Attributes
    ----------
    vocabulary : sequence of str
        The token of each number.
    title, abstract, authors, codes : TokenLists
        What each field of each paper holds.
    """

    vocabulary: Sequence[str]
    title: TokenLists
    abstract: TokenLists
    authors: TokenLists
    codes: TokenLists

    def __len__(self) -> int:
        return len(self.title)

    def __getitem__(self, papers: slice) -> "Tokens":
        fields = (self.title, self.abstract, self.authors, self.codes)
        return Tokens(self.vocabulary, *(lists[papers] for lists in fields))


@dataclass(frozen=True)
class History:
    """Issues in time order, their papers, and what each report's editor decided.

    Attributes
    ----------
    issues : sequence of date
        Dates of the issues, oldest first.
    starts : array of shape (n_issues + 1,)
        ``papers[starts[i]:starts[i + 1]]`` are the papers of issue ``i`` in list order.
    papers : sequence of Paper
        All papers; one listed in two issues stands here twice.
    relevant : mapping from report code to array of rows
        Rows of `papers` that the report's editor found relevant, ascending. A report without any may be missing.
    maybe : mapping from report code to array of rows
        Rows that teach nothing, ascending: the editor was unsure, or has not come to them yet in an issue that is
        still being reviewed.
    tokens : Tokens or None
        Those of `papers`, row by row; None where they were not kept, or not asked for.
    seeds : mapping from report code to sequence of Paper
        What the report's editor gave as examples before any decision, in order. A report without any may be missing.
    """

    issues: Sequence[date]
    starts: Rows
    papers: Sequence[Paper]
    relevant: Mapping[str, Rows]
    maybe: Mapping[str, Rows] = field(default_factory=dict)
    tokens: Tokens | None = None
    seeds: Mapping[str, Sequence[Paper]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """A subject, with the short code that it goes by."""

    code: str
    name: str
    is_retired: bool = False


@dataclass(frozen=True, slots=True)
class Issue:
    """A dated list and its number of papers."""

    date: date
    n_papers: int


@dataclass(frozen=True, slots=True)
class Decision:
    """An editor's word on one paper of one issue; `client_id` makes a repeated message harmless.

    `ranking_id` is the ranking that the editor was looking at; None in list order.
    """

    report: str
    issue: date
    paper_id: str
    word: Word
    person: str
    client_id: str | None = None
    about: About = "relevant"
    ranking_id: int | None = None


@dataclass(frozen=True, slots=True)
class LoggedDecision:
    """A decision as the log keeps it; a higher `id` is later."""

    id: int
    paper_id: str
    about: About
    word: Word
    person: str
    made_at: datetime
    client_id: str | None


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
    """What stands beside a paper now: its tags, as first given, and the note."""

    tags: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Criteria:
    """What a report wants, in its editors' words; who wrote it, and when."""

    text: str
    person: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Hints:
    """What a report's editor told the ranker beside decisions, each in the order it was first given.

    `muted` and `boosted` are terms in lower case, `seeds` example texts; `up_to` is the number of the newest hint in
    the log among all of the report's, taken back or not; 0 where there was none.
    """

    muted: tuple[str, ...] = ()
    boosted: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    up_to: int = 0


@dataclass(frozen=True)
class Ranking:
    """An issue sorted for a report by a ranker.

    Attributes
    ----------
    report, issue, ranker
        What was sorted, for whom, by which recipe.
    trained_before : date
        Decisions on issues before this date were seen, and no others.
    decisions_up_to : int
        Number of the newest decision among those in the log; 0 where there was none.
    n_relevant : int
        Relevant papers that were learned from.
    positions : array of shape (n_papers,)
        List positions, from 1, of the papers, best first.
    scores : array of shape (n_papers,) or (0,)
        In the same order, higher is likelier relevant; empty where too little was known and list order was kept.
    hints_up_to : int
        Number of the newest of the report's hints that was heeded; 0 where there was none.
    replay : int or None
        The replay that made it; None for a ranking made for an editor.
    """

    report: str
    issue: date
    ranker: str
    trained_before: date
    decisions_up_to: int
    n_relevant: int
    positions: Positions
    scores: NDArray[np.float64]
    hints_up_to: int = 0
    replay: int | None = None


@dataclass(frozen=True)
class StoredRanking:
    """A ranking as the workspace keeps it."""

    id: int
    made_at: datetime
    ranking: Ranking


@dataclass(frozen=True, slots=True)
class Draft:
    """A report issue in the making.

    Attributes
    ----------
    report, issue
        What it is for.
    order : tuple of int
        List positions, from 1, as the papers are to stand; papers that are missing here come after them.
    note : str
        For the readers; it goes out.
    private_note : str
        For the editors; it does not.
    """

    report: str
    issue: date
    order: tuple[int, ...] = ()
    note: str = ""
    private_note: str = ""


@dataclass(frozen=True, slots=True)
class ReportIssue:
    """What went out: the published papers' list positions in the editor's order, and the ranking that was shown."""

    report: str
    issue: date
    published: tuple[int, ...]
    person: str
    ranking_id: int | None = None  # None where no ranking was shown, as for selections that were imported
    note: str = ""  # to the readers


@dataclass(frozen=True, slots=True)
class Reopening:
    """Who took a report issue back to review, when, and why."""

    person: str
    made_at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Issuing:
    """One going out of a report issue; `reopened` is None of the one that stands."""

    report_issue: ReportIssue
    made_at: datetime
    reopened: Reopening | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """An issue that a report has yet to finish.

    `n_decided` of its `n_papers` have a word that counts; `is_started` is true if there are such, or if the report
    issue had gone out and was reopened; `days_old` are days since the date of the issue.
    """

    report: str
    issue: date
    n_papers: int
    n_decided: int
    is_started: bool
    days_old: int


@dataclass(frozen=True, slots=True)
class ExportedPaper:
    """A paper as an editor's list shows it, for a file; `place` counts from 1, `score` is None in list order."""

    paper: Paper
    report: str
    issue: date
    place: int
    score: float | None = None
    word: Word = "undecided"
    published: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Replay:
    """A walk over past issues, retrained every so many issues."""

    id: int
    first_issue: date
    last_issue: date
    retrain_every: int


@dataclass(frozen=True, slots=True)
class ScoredRanking:
    """Where the relevant papers stood in a ranking: `places`, from 1, among `n_papers`.

    `is_trained` is false where list order was kept; `was_shown` is true of the ranking the editor had before them,
    `was_in_time` of those made before the report issue went out.
    """

    ranking_id: int
    report: str
    issue: date
    ranker: str
    replay: int | None
    was_shown: bool
    was_in_time: bool
    is_trained: bool
    n_papers: int
    places: Positions


@dataclass(frozen=True, eq=False)
class Model:
    """What a ranker learned, as arrays.

    Attributes
    ----------
    ranker : str
        Name of the recipe.
    layout : int
        Version of the way `arrays` are laid out.
    settings, trained_on : mapping from str
        The recipe's settings, and how much was learned from (papers, reports, …); what JSON can hold.
    trained_before : date
        Decisions on issues before this date were seen, and no others.
    arrays : mapping from str to array
        Of numbers, truth values or fixed-length text; never of objects.
    """

    ranker: str
    layout: int
    settings: Mapping[str, Any]
    trained_before: date
    trained_on: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import changed, in numbers of each."""

    listings: int
    new_issues: int
    new_papers: int
    updated_papers: int
    new_listings: int
    new_reports: int
    new_selections: int
    selections_left: int  # to editors who have decided at the desk
