"""Progress of an editor in a sorted issue, and the forecast for the rest.

`presort.data.editing.read_papers` determines which papers were read.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

import numpy as np

from presort.data.learning import rankings
from presort.data.learning.official import official_rankings
from presort.data.records import Paper, Positions, ScoredRanking, StoredRanking, Word
from presort.desk.components.messages import Order, TargetRecall
from presort.desk.session.target_recall import SHARES
from presort.ranker.stopping.curves import Flags, Floats
from presort.ranker.stopping.relevance_model import RelevanceModel

Places = Sequence[int]  # in the order shown, from 1

ALMOST_ONE = float(np.nextafter(1, 0))


@dataclass(frozen=True, eq=False)
class ReviewContext:
    """What lies on the desk: an issue for a report, the ranking it is sorted by, and what is known of the report.

    `shown` is None in list order; `relevance_model` is too, and once the report issue has gone out.
    """

    report: str
    issue: date
    papers: list[Paper]
    shown: StoredRanking | None
    order: Positions
    relevance_model: RelevanceModel | None
    is_issued: bool = False

    @property
    def order_name(self) -> Order:
        """Which of the two orders is shown."""
        return "received" if self.shown is None else "presort"

    def score_of(self) -> dict[int, float]:
        """Return the score of each scored list position."""
        if self.shown is None:
            return {}
        ranking = self.shown.ranking
        return dict(zip(ranking.positions.tolist(), ranking.scores.tolist(), strict=False))

    def in_order(self, words: Mapping[str, Word]) -> list[Word | None]:
        """Return the word on each paper, or None, in the order shown."""
        return [words.get(self.papers[position - 1].paper_id) for position in self.order.tolist()]

    def is_read(self, positions: Positions) -> Flags:
        """Return which papers are among those at some list positions, in the order shown."""
        return np.isin(self.order, positions)


class Stop(NamedTuple):
    """Where reading may end, and how many relevant papers are then to be expected below: about, and at most.

    More than `at_most` are below once in 20 times. Both are NaN while stop advice is being prepared.
    """

    place: int
    left: float
    at_most: float


@dataclass(frozen=True)
class StopAdvice:
    """How far an editor has come, and what is to be expected of the rest.

    Attributes
    ----------
    n_papers : int
        Papers in the issue.
    n_read : int
        Papers that were read, wherever they stand.
    read_to : int
        Place down to which every paper was read; reading goes on below it. 0 before the first.
    n_found : int
        Relevant papers among those read.
    left : float
        Relevant papers to be expected among the others. NaN while stop advice is being prepared.
    between : tuple of (float, float)
        As many are left at least, and at most, 9 times of 10.
    none_left : float
        Chance that none is left, 0 to 1, and 1 only where every paper was read.
    target_recall : str
        What the editor chose.
    stops : mapping from str to Stop
        Where each choice lets one stop; the last place while stop advice is being prepared.
    is_awaited : bool
        Whether past lists are being ranked from which the stop advice will be learned.
    """

    n_papers: int
    n_read: int
    read_to: int
    n_found: int
    left: float
    between: tuple[float, float]
    none_left: float
    target_recall: TargetRecall
    stops: Mapping[TargetRecall, Stop]
    is_awaited: bool = False

    def awaiting(self) -> "StopAdvice":
        """Return this without stop advice, because it is still being prepared."""
        nowhere = Stop(self.n_papers, math.nan, math.nan)
        return replace(self, left=math.nan, stops=dict.fromkeys(self.stops, nowhere), is_awaited=True)

    @property
    def stop_at(self) -> int:
        """Place from which on the editor's choice lets reading end."""
        return self.stops[self.target_recall].place

    @property
    def n_relevant(self) -> float:
        """Relevant papers to be expected in all."""
        return self.n_found + self.left

    @property
    def may_stop(self) -> bool:
        """Whether reading may end here."""
        return self.read_to >= self.stop_at

    @property
    def is_known(self) -> bool:
        """Whether there is stop advice by now."""
        return not math.isnan(self.left)


def advise(
    relevance_model: RelevanceModel,
    scores: Floats,
    words: Sequence[Word | None],
    is_read: Flags,
    target_recall: TargetRecall,
) -> StopAdvice:
    """Judge how far an editor has come.

    Parameters
    ----------
    relevance_model : RelevanceModel
        Of the report before this issue.
    scores : array of shape (n_scored,)
        Of the papers that were ranked, best first. Those that joined the issue later stand below them.
    words : sequence of str or None
        What was said of each paper, in the order shown.
    is_read : array of bool, shape (n_papers,)
        Which papers were read, in that order.
    target_recall : str
        What the editor chose.
    """
    n_papers = len(words)
    is_relevant = np.array([word == "yes" for word in words], dtype=bool)
    joined = np.full(n_papers - len(scores), scores[-1])  # no likelier than the last paper, as far as is known
    forecast = relevance_model.forecast(np.concatenate([scores, joined]), is_read, is_relevant)
    from_top = forecast.from_top()  # what is below place 0 too: before anything is read
    left, (low, high), none_left = from_top.left(), from_top.between(), from_top.none_left()
    places: dict[TargetRecall, int] = {one: forecast.stop(share) for one, share in SHARES.items()}
    # If little is relevant, a share is stricter. Curves of other services can't promise that all is found: by these,
    # something was left in 6 to 8 % of the first lists instead of 5.
    places["none"] = max(forecast.stop_for_all(), *places.values()) if relevance_model.is_ready else n_papers
    stops = {one: Stop(place, float(left[place]), float(high[place])) for one, place in places.items()}
    read_to = int(np.append(is_read, False).argmin())
    return StopAdvice(
        n_papers,
        int(is_read.sum()),
        read_to,
        forecast.n_found,
        left=float((forecast.weights @ forecast.hidden).sum()),
        between=(float(low[read_to]), float(high[read_to])),
        none_left=1.0 if is_read.all() else min(float(none_left[read_to]), ALMOST_ONE),
        target_recall=target_recall,
        stops=stops,
    )


def earlier_lists(scored: Iterable[ScoredRanking], ranker: str, before: date) -> list[ScoredRanking]:
    """Return what one report found in earlier issues that a ranker sorted, oldest first.

    Of each issue the official ranking counts. List order is not a sorted list and is left out, and so is a list that
    was not read far enough to tell what it holds.

    Parameters
    ----------
    scored : iterable of ScoredRanking
        Of one report, by issue and age, as `presort.data.learning.outcomes.scored_rankings` gives them.
    ranker : str
        Name of the recipe.
    before : date
        Only issues before it count.
    """
    official = official_rankings(x for x in scored if x.ranker == ranker and x.issue < before)
    return [x for x in official if x.is_trained and x.is_evaluable]


def shown_order(shown: StoredRanking | None, n_papers: int) -> Positions:
    """Return the list positions in the order an editor sees them: as ranked, or as received."""
    ranked = np.empty(0, dtype=np.int32) if shown is None else shown.ranking.positions
    return rankings.whole_order(ranked, n_papers)
