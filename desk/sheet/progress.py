"""How far an editor has come in a sorted issue, what the traffic light says of it, and the papers drawn from the rest.

Which papers were read, `data.editing.read_papers` tells. The light learns from the finished issues of the same ranker.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from data.learning import rankings
from data.records import Draw, Paper, Positions, ScoredRanking, StoredRanking, Word
from desk.components.messages import Order
from ranker.light import FinishedIssue, Flags, Light, red
from ranker.tail_sample import Remaining, remaining, sample_of_rest

Places = Sequence[int]  # in the order shown, from 1

LEVELS = (80, 90, 95, 99)  # percent: chance to have seen all that suffices
LEVEL = 95  # unless the editor chose another
DRAWN_AT_ONCE = 10
ALMOST_ONE = float(np.nextafter(1, 0))


@dataclass(frozen=True, eq=False)
class Sheet:
    """What lies on the desk: an issue for a report, the ranking it is sorted by, and the light that goes with it.

    `shown` is None in list order; `light` is too, and once the report issue has gone out.
    """

    report: str
    issue: date
    papers: list[Paper]
    shown: StoredRanking | None
    order: Positions
    light: Light | None
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


@dataclass(frozen=True)
class Reading:
    """How far an editor has come, and what the light says: red, and reading may end.

    Attributes
    ----------
    n_papers : int
        Papers in the issue.
    n_read : int
        Papers that were read, wherever they stand.
    read_to : int
        Place down to which every paper was read; reading goes on below it. 0 before the first.
    chance : float
        That all relevant papers were seen, 0 to 1, and 1 only where every paper was. NaN where too little is known.
    red_at : int
        Place from which on the chance of a missed paper is below 100 % - `level`; `n_papers` if it is nowhere before.
    level : int
        Percent, one of `LEVELS`.
    left : float
        Relevant papers to be expected among those not read. NaN where too little is known.
    stops : mapping from int to int
        What `red_at` would be, by level.
    """

    n_papers: int
    n_read: int
    read_to: int
    chance: float
    red_at: int
    level: int
    left: float = float("nan")
    stops: Mapping[int, int] = field(default_factory=dict)

    @property
    def is_red(self) -> bool:
        """Whether reading may end here."""
        return self.chance >= self.level / 100


def finished_issues(scored: Iterable[ScoredRanking], ranker: str, before: date) -> dict[str, list[FinishedIssue]]:
    """Return what the light learns from, by report and oldest first: earlier issues that this ranker sorted.

    Of each report issue the newest ranking made for the editor counts, and one of a replay where there is none. List
    order is not a sorted list and is left out, and so is a list that was not read far enough to tell what it holds.

    Parameters
    ----------
    scored : iterable of ScoredRanking
        By report, issue and age, as `data.learning.rankings.scored_rankings` gives them.
    ranker : str
        Name of the recipe.
    before : date
        Only issues before it count.
    """
    usable = [x for x in scored if x.ranker == ranker and x.is_trained and x.issue < before and not x.n_unread]
    counting = {(x.report, x.issue): x for x in sorted(usable, key=lambda x: x.replay is None)}  # later ones replace
    found = defaultdict(list)
    for report, issue in sorted(counting):
        ranking = counting[report, issue]
        found[report].append(FinishedIssue(ranking.places, ranking.n_papers, issue))
    return dict(found)


def judge(light: Light, words: Sequence[Word | None], is_read: Flags, level: int) -> Reading:
    """Judge how far an editor has come.

    Parameters
    ----------
    light : Light
        Of the report before this issue.
    words : sequence of str or None
        What was said of each paper, in the order shown.
    is_read : array of bool, shape (n_papers,)
        Which papers were read, in that order.
    level : int
        Percent, one of `LEVELS`.
    """
    n_papers = len(words)
    read_to = int(np.append(is_read, False).argmin())
    is_relevant = np.array([word == "yes" for word in words], dtype=bool)
    chances = light.chances_after(is_read, is_relevant)
    stops = {one: red(chances, level=one / 100) for one in LEVELS}
    if read_to == n_papers:
        chance = 1.0
    elif not light.is_ready:
        chance = float("nan")
    else:  # the light's last doubt stands at the last paper, which may have been drawn
        chance = min(float(chances[read_to - 1]), ALMOST_ONE) if read_to else 0.0
    left = light.expected_left(is_read, is_relevant)
    return Reading(n_papers, int(is_read.sum()), read_to, chance, stops[level], level, left, stops)


def may_draw(order: Positions, read: Positions, earlier: Sequence[Draw]) -> bool:
    """Return whether papers may be drawn: not twice after the same reading, so that nobody draws until it pleases."""
    return len(_rest(order, read, earlier)) > 0 and (not earlier or earlier[-1].n_read < _n_read(read, earlier))


def draw(shown: StoredRanking, order: Positions, read: Positions, earlier: Sequence[Draw]) -> Draw:
    """Draw papers at random from those neither read nor drawn before; the same call draws the same.

    Parameters
    ----------
    shown : StoredRanking
        What the issue is sorted by; its number is the seed.
    order : array of shape (n_papers,)
        List positions in the order shown.
    read : array of shape (n_read,)
        List positions of the papers read.
    earlier : sequence of Draw
        What was drawn from this issue before.
    """
    rest, n_read = _rest(order, read, earlier), _n_read(read, earlier)
    places = sample_of_rest(n_read + len(rest), n_read, DRAWN_AT_ONCE, seed=shown.id)
    return Draw(shown.id, n_read, len(rest), tuple(rest[places - n_read - 1].tolist()))


def drawn_positions(draws: Iterable[Draw]) -> list[int]:
    """Return the list positions of all that was drawn."""
    return [position for one in draws for position in one.positions]


def what_remains(one: Draw, n_found: int) -> Remaining:
    """Judge how many relevant papers are left beside those found among the papers drawn."""
    return remaining(one.n_rest, len(one.positions), n_found)


def _n_read(read: Positions, draws: Sequence[Draw]) -> int:
    """Count the papers read but for those drawn: deciding on these is no further reading."""
    return len(np.setdiff1d(read, drawn_positions(draws)))


def _rest(order: Positions, read: Positions, draws: Sequence[Draw]) -> Positions:
    return order[~np.isin(order, [*read.tolist(), *drawn_positions(draws)])]


def shown_order(shown: StoredRanking | None, n_papers: int) -> Positions:
    """Return the list positions in the order an editor sees them: as ranked, or as received."""
    ranked = np.empty(0, dtype=np.int32) if shown is None else shown.ranking.positions
    return rankings.whole_order(ranked, n_papers)
