"""Rankings, the models that made them, and the places of the relevant papers in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from presort.data.records.papers import Positions
from presort.data.records.reviews import Ended, Source


@dataclass(frozen=True)
class Ranking:
    """An issue sorted for a report by a ranker.

    Attributes
    ----------
    report, issue, ranker
        Ranked issue, report, and name of the recipe.
    trained_before : date
        Decisions on issues before this date were seen, and no others.
    decisions_up_to : int
        Number of the newest decision that was learned from; 0 where there was none. Where reports learn from each
        other it may be one of another report.
    n_relevant : int
        Relevant papers that were learned from.
    positions : array of shape (n_papers,)
        List positions, from 1, of the papers, best first.
    scores : array of shape (n_papers,) or (0,)
        In the same order, higher is likelier relevant; empty where too little was known and list order was kept.
    hints_up_to : int
        Number in the log of the newest hint that it was trained on; 0 if there was none.
    n_past : int or None
        Papers of the issues before, as they were known; None of a ranking from before this was noted.
    replay : int or None
        The replay that made it; None for a ranking made for an editor.
    words : tuple of str
        Words of the papers' titles and abstracts that spoke most for the report, best first, in lower case; empty where
        list order was kept, and in replays.
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
    n_past: int | None = None
    replay: int | None = None
    words: tuple[str, ...] = ()

    @property
    def is_sorted(self) -> bool:
        """True if the papers were scored, False if the list order was kept."""
        return len(self.scores) > 0


@dataclass(frozen=True)
class StoredRanking:
    """A ranking as the workspace keeps it."""

    id: int
    made_at: datetime
    ranking: Ranking


@dataclass(frozen=True, slots=True)
class Replay:
    """A walk over past issues, retrained every so many issues."""

    id: int
    first_issue: date
    last_issue: date
    retrain_every: int


class FirstPublication(NamedTuple):
    """First publication of a report issue: its source (desk or file) and the ranking that was shown.

    `ranking_id` is None in list order, and of imported selections. `rankings_up_to` is the newest ranking of all then.
    """

    source: Source
    ranking_id: int | None
    rankings_up_to: int


class Cutoff(NamedTuple):
    """Limit of the log entries that a ranking made after the first publication may use.

    Attributes
    ----------
    decisions_up_to, hints_up_to : int
        Numbers of the last entries that count.
    counts_imports : bool
        Later decisions count, too, if they were imported. Their numbers say nothing about their age: a file of
        last week's selections may be imported before one of earlier weeks.
    """

    decisions_up_to: int
    hints_up_to: int
    counts_imports: bool


class Condition(IntEnum):
    """Condition under which a ranking was made. Of several rankings, the one with the highest value counts.

    The *first publication* of a report issue draws the line. Publishing it again after reopening it does not move it.
    """

    HINDSIGHT = 0  # made afterwards from later hints or decisions: never counts
    LATE = 1  # made afterwards, but only from earlier entries of the logs
    REPLAY = 2
    LIVE = 3  # made before, for its editor, but not shown when it was published: by a shadow, or replaced by then
    SHOWN = 4  # in the order of which its editor had the papers when it was first published


@dataclass(frozen=True, slots=True)
class ScoredRanking:
    """Outcome of a ranking: `places` of the relevant papers, from 1, among `n_papers`.

    `is_trained` is False if the list order was kept. If reading `ended` as "advised" or "early", unread papers may be
    relevant: the ranking is not evaluable.
    """

    ranking_id: int
    report: str
    issue: date
    ranker: str
    replay: int | None
    condition: Condition
    is_trained: bool
    n_papers: int
    places: Positions
    ended: Ended = "all"

    @property
    def was_shown(self) -> bool:
        """True if the editor had the papers in this order when the report issue was first published."""
        return self.condition is Condition.SHOWN

    @property
    def is_evaluable(self) -> bool:
        """True if all relevant papers are known."""
        return self.ended == "all"


@dataclass(frozen=True, eq=False)
class OutcomeColumns:
    """Outcomes of many rankings by column: the fields of `ScoredRanking`.

    Attributes
    ----------
    ranking_id, n_papers, n_relevant : array of int, shape (n_rankings,)
    report, ranker : array of str objects, shape (n_rankings,)
    issue : array of dates, datetime64[D], shape (n_rankings,)
    replay : array of int, shape (n_rankings,)
        0 for those made for editors.
    condition : array of int, shape (n_rankings,)
        Under which `Condition` each was made.
    is_trained, is_evaluable : array of bool, shape (n_rankings,)
    was_read_whole : array of bool, shape (n_rankings,)
        True if the whole list was read. Other lists may be evaluable too.
    places : array of int, shape (sum of n_relevant,)
        Those of one ranking after the other.
    """

    ranking_id: NDArray[np.int64]
    report: NDArray[np.object_]
    issue: NDArray[np.datetime64]
    ranker: NDArray[np.object_]
    replay: NDArray[np.int64]
    condition: NDArray[np.int64]
    is_trained: NDArray[np.bool_]
    is_evaluable: NDArray[np.bool_]
    was_read_whole: NDArray[np.bool_]
    n_papers: NDArray[np.int64]
    n_relevant: NDArray[np.int64]
    places: Positions


@dataclass(frozen=True, eq=False, slots=True)
class SortedList:
    """Scored papers of a published report issue: which of them were read, and which are relevant.

    Attributes
    ----------
    ranking_id, report, issue
        Ranking of the list.
    scores : array of shape (n_papers,)
        Best first. Papers that joined the issue after it was ranked have none and are left out.
    is_read, is_relevant : array of bool, shape (n_papers,)
        Of each of them.
    is_spot_check : array of bool, shape (n_papers,), optional
        Papers that were read only because a spot check had drawn them. None if there was no spot check.
    """

    ranking_id: int
    report: str
    issue: date
    scores: NDArray[np.float64]
    is_read: NDArray[np.bool_]
    is_relevant: NDArray[np.bool_]
    is_spot_check: NDArray[np.bool_] | None = None


class SpotCheckedList(NamedTuple):
    """Result of the spot check of a published list.

    Attributes
    ----------
    report, issue, ranker
        Of the ranking that the editor was shown.
    n_eligible, n_checked : int
        Papers that the check was drawn from, and papers drawn.
    n_found : int
        Relevant papers among those drawn.
    n_found_above : int
        Relevant papers above the place from which on the check was drawn.
    """

    report: str
    issue: date
    ranker: str
    n_eligible: int
    n_checked: int
    n_found: int
    n_found_above: int


@dataclass(frozen=True, slots=True)
class StopAudit:
    """Relevant papers expected and found below the stop point of a ranking, at a target recall of 95 %.

    The stop point is that of the list before anything was read.

    Attributes
    ----------
    ranking_id : int
    n_read_below : int
        Papers below the stop point that were read.
    expected_below : float
        Relevant papers expected among these. The forecast for each paper knows the papers above it.
    found_below : int
        Relevant papers found among these.
    found : int
        Relevant papers in the whole list.
    """

    ranking_id: int
    n_read_below: int
    expected_below: float
    found_below: int
    found: int


@dataclass(frozen=True, slots=True)
class AuditedRanking:
    """Stop audit of a ranking: the report, issue and ranker, and the replay if it was made in one."""

    report: str
    issue: date
    ranker: str
    replay: int | None
    audit: StopAudit
    condition: Condition = Condition.LIVE


@dataclass(frozen=True, eq=False)
class Model:
    """Trained model of a ranker, as arrays.

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
