"""Records of rankings, trained models, outcomes and stop audits."""

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
    """Ranking of one issue for one report by one ranker.

    Attributes
    ----------
    report, issue, ranker
        Report code, issue date and recipe name.
    trained_before : date
        The ranker was trained only on decisions on issues before this date.
    decisions_up_to : int
        Log number of the newest training decision. 0 if there was none. The decision may be for another report if the
        ranker learns from several reports.
    n_relevant : int
        Number of relevant papers in the training data.
    positions : array of shape (n_papers,)
        1-based list positions of the papers, best first.
    scores : array of shape (n_papers,) or (0,)
        Scores in the same order. A higher score means that the paper is more likely to be relevant. Empty if there was
        too little training data, so that the papers are in list order.
    hints_up_to : int
        Log number of the newest hint used in training. 0 if there was none.
    n_past : int or None
        Number of papers in earlier issues when the ranking was created. None for old rankings, which lack this number.
    replay : int or None
        Replay that created the ranking. None for rankings created for an editor.
    words : tuple of str
        Words of titles and abstracts that are the strongest evidence for relevance, best first, in lower case. Empty if
        the papers are in list order, and for replays.
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
        """True if the papers were sorted by score, False if they are in list order."""
        return len(self.scores) > 0


@dataclass(frozen=True)
class StoredRanking:
    """Ranking stored in the workspace, with its number and creation time."""

    id: int
    made_at: datetime
    ranking: Ranking


@dataclass(frozen=True, slots=True)
class Replay:
    """Replay of past issues, in which the ranker is retrained every `retrain_every` issues."""

    id: int
    first_issue: date
    last_issue: date
    retrain_every: int


class FirstPublication(NamedTuple):
    """First publication of a report issue: its source (desk or file) and the ranking that was shown.

    `ranking_id` is None if the list was shown in list order, and for imported selections. `rankings_up_to` is the
    number of the newest ranking for any report at the time of publication.
    """

    source: Source
    ranking_id: int | None
    rankings_up_to: int


class Cutoff(NamedTuple):
    """Limit on the log entries that a ranking created after the first publication may use.

    Attributes
    ----------
    decisions_up_to, hints_up_to : int
        Log numbers of the last usable decision and hint.
    counts_imports : bool
        True if imported decisions with higher numbers are usable too. Their log order is not chronological: last week's
        selections may be imported before the selections of earlier weeks.
    """

    decisions_up_to: int
    hints_up_to: int
    counts_imports: bool


class Condition(IntEnum):
    """Circumstances in which a ranking was created. Of several rankings, the ranking with the highest value is scored.

    "Before" and "after" refer to the *first publication* of the report issue, even if it is reopened and published
    again.
    """

    HINDSIGHT = 0  # created after publication from later decisions or hints: never scored
    LATE = 1  # created after publication, but only from earlier decisions and hints
    REPLAY = 2
    LIVE = 3  # created before publication but not shown: it is a shadow ranker's, or a newer ranking was shown instead
    SHOWN = 4  # the editor's list when the report issue was first published


@dataclass(frozen=True, slots=True)
class ScoredRanking:
    """Outcome of a ranking: the 1-based `places` of the relevant papers among `n_papers` papers.

    `is_trained` is False if the papers are in list order. If `ended` is "advised" or "early", unread papers may be
    relevant, so the ranking is not evaluable.
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
    def is_evaluable(self) -> bool:
        """Whether all relevant papers are known, so that the ranking can be evaluated."""
        return self.ended == "all"


@dataclass(frozen=True, eq=False)
class OutcomeColumns:
    """Outcomes of many rankings, with one array per field.

    Fields without a description have the same meaning as in `ScoredRanking`.

    Attributes
    ----------
    ranking_id, n_papers, n_relevant : array of int, shape (n_rankings,)
    report, ranker : array of str objects, shape (n_rankings,)
    issue : array of dates, datetime64[D], shape (n_rankings,)
    replay : array of int, shape (n_rankings,)
        Replay number. 0 for rankings created for editors.
    condition : array of int, shape (n_rankings,)
        Value of `Condition`.
    is_trained, is_evaluable : array of bool, shape (n_rankings,)
    was_read_whole : array of bool, shape (n_rankings,)
        True if the whole list was read. Rankings of lists that were not read completely may be evaluable too.
    places : array of int, shape (sum of n_relevant,)
        Places of the relevant papers, concatenated over the rankings.
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
    """Ranked list of a published report issue, with its scores, read papers and relevant papers.

    Attributes
    ----------
    ranking_id, report, issue
        Ranking number, report code and issue date.
    scores : array of shape (n_papers,)
        Scores, best first. Papers that joined the issue after the ranking was created are left out.
    is_read, is_relevant : array of bool, shape (n_papers,)
        Whether each paper was read, and whether it is relevant.
    is_spot_check : array of bool, shape (n_papers,), optional
        True for each paper that was read only because a spot check drew it. None if there was no spot check.
    """

    ranking_id: int
    report: str
    issue: date
    scores: NDArray[np.float64]
    is_read: NDArray[np.bool_]
    is_relevant: NDArray[np.bool_]
    is_spot_check: NDArray[np.bool_] | None = None


class SpotCheckedList(NamedTuple):
    """Result of the first spot check of a published report issue's list.

    Attributes
    ----------
    report, issue, ranker
        Report, issue and ranker of the list shown to the editor.
    n_eligible, n_checked : int
        Number of papers that could be drawn, and number of drawn papers.
    n_found : int
        Number of relevant papers among the drawn papers.
    n_found_above : int
        Number of relevant papers above the first paper that could be drawn.
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
    """Relevant papers expected and found below a ranking's stop point for a target recall of 95 %.

    The stop point is the initial stop point, computed as if no paper had been read yet.

    Attributes
    ----------
    ranking_id : int
    n_read_below : int
        Number of papers below the stop point that were read.
    expected_below : float
        Number of relevant papers expected among those `n_read_below` papers. The forecast for each paper uses the
        decisions on the papers above it.
    found_below : int
        Number of relevant papers found among those `n_read_below` papers.
    found : int
        Number of relevant papers found in the whole list.
    """

    ranking_id: int
    n_read_below: int
    expected_below: float
    found_below: int
    found: int


@dataclass(frozen=True, slots=True)
class AuditedRanking:
    """Stop audit with its ranking's report, issue and ranker. `replay` is None if no replay created the ranking."""

    report: str
    issue: date
    ranker: str
    replay: int | None
    audit: StopAudit
    condition: Condition = Condition.LIVE


@dataclass(frozen=True, eq=False)
class Model:
    """A ranker's trained model, stored as arrays.

    Attributes
    ----------
    ranker : str
        Recipe name.
    layout : int
        Layout version of `arrays`.
    settings, trained_on : mapping from str
        Recipe settings, and the training data: `papers`, `reports` and `early`. `early` is True if the model wasn't
        trained on the issues before a period. Both mappings must be JSON-serialisable.
    trained_before : date
        The model was trained only on decisions on issues before this date.
    arrays : mapping from str to array
        Arrays of numbers, booleans or fixed-length strings. Object arrays are not allowed.
    """

    ranker: str
    layout: int
    settings: Mapping[str, Any]
    trained_before: date
    trained_on: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
