"""Rankings, what made them, and where the relevant papers stood in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.records.papers import Positions


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
        Number of the newest decision that was learned from; 0 where there was none. Where reports learn from each
        other it may be one of another report.
    n_relevant : int
        Relevant papers that were learned from.
    positions : array of shape (n_papers,)
        List positions, from 1, of the papers, best first.
    scores : array of shape (n_papers,) or (0,)
        In the same order, higher is likelier relevant; empty where too little was known and list order was kept.
    hints_up_to : int
        Number in the log of the newest hint that was heeded; 0 where there was none.
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
        """Whether papers were scored; otherwise list order was kept."""
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


@dataclass(frozen=True, slots=True)
class ScoredRanking:
    """Where the relevant papers stood in a ranking: `places`, from 1, among `n_papers`.

    `is_trained` is false where list order was kept; `was_shown` is true of the ranking the editor had before them,
    `was_in_time` of those made before the report issue went out. Where `n_unread` papers were not read, as reading
    ended early, nobody knows whether more of them are relevant: such an order can't be judged.
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
    n_unread: int = 0


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
