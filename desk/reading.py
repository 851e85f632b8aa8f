"""How far an editor has come in a sorted issue, what the traffic light says of it, and the papers drawn from the rest.

The light learns from the finished issues of the same ranker. Which papers were drawn is kept rather than derived anew:
then it stays the same when a paper joins the issue, and is never taken for how far the editor has read.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import numpy as np

from data.records import Paper, Positions, ScoredRanking, StoredRanking, Word
from desk.components.messages import Order
from ranker.light import FinishedIssue, Light, red
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
        """Give the score of each scored list position."""
        if self.shown is None:
            return {}
        ranking = self.shown.ranking
        return dict(zip(ranking.positions.tolist(), ranking.scores.tolist(), strict=False))

    def in_order(self, words: Mapping[str, Word]) -> list[Word | None]:
        """Give the word on each paper, or None, in the order shown."""
        return [words.get(self.papers[position - 1].paper_id) for position in self.order.tolist()]


@dataclass(frozen=True)
class Reading:
    """How far an editor has come, and what the light says.

    Attributes
    ----------
    n_papers : int
        Papers in the issue.
    read_to : int
        Place down to which the editor has read, as decisions tell, or the editor; 0 before the first.
    chance : float
        That all relevant papers were seen, 0 to 1, and 1 only where every paper was. NaN where too little is known.
    red_at : int
        Place from which on the chance of a missed paper is below 100 % - `level`; `n_papers` if it is nowhere before.
    level : int
        Percent, one of `LEVELS`.
    """

    n_papers: int
    read_to: int
    chance: float
    red_at: int
    level: int

    @property
    def is_red(self) -> bool:
        """Whether reading may end here."""
        return self.chance >= self.level / 100


class Draw(NamedTuple):
    """Papers drawn at random from below a place of a ranking.

    Attributes
    ----------
    ranking : int
        Number of the ranking.
    read_to : int
        Place read to when they were drawn.
    n_rest : int
        Papers they were drawn from: those below that place, without what was drawn before.
    positions : sequence of int
        List positions of those drawn, best first.
    """

    ranking: int
    read_to: int
    n_rest: int
    positions: Sequence[int]


def finished_issues(scored: Iterable[ScoredRanking], ranker: str, before: date) -> dict[str, list[FinishedIssue]]:
    """Give what the light learns from, by report and oldest first: earlier issues that this ranker sorted.

    Of each report issue the newest ranking made for the editor counts, and one of a replay where there is none. List
    order is not a sorted list and is left out.

    Parameters
    ----------
    scored : iterable of ScoredRanking
        By report, issue and age, as `data.rankings.scored_rankings` gives them.
    ranker : str
        Name of the recipe.
    before : date
        Only issues before it count.
    """
    usable = [x for x in scored if x.ranker == ranker and x.is_trained and x.issue < before]
    counting = {(x.report, x.issue): x for x in sorted(usable, key=lambda x: x.replay is None)}  # later ones replace
    found = defaultdict(list)
    for report, issue in sorted(counting):
        ranking = counting[report, issue]
        found[report].append(FinishedIssue(ranking.places, ranking.n_papers))
    return dict(found)


def judge(light: Light, words: Sequence[Word | None], apart: Places, level: int, *, pointed: int = 0) -> Reading:
    """Say how far an editor has come: down to the deepest paper decided, or to where they said to have read.

    Parameters
    ----------
    light : Light
        Of the report before this issue.
    words : sequence of str or None
        What the editor said of each paper, in the order shown.
    apart : sequence of int
        Places of papers of which a decision tells nothing of how far one read: they were drawn from the rest, or
        decided in another list.
    level : int
        Percent, one of `LEVELS`.
    pointed : int
        Place down to which the editor said to have read; 0 if they did not.
    """
    n_papers = len(words)
    places = np.arange(1, n_papers + 1)
    is_decided = np.array([word is not None for word in words], dtype=bool)
    read_to = int(places[is_decided & ~np.isin(places, apart)].max(initial=pointed))
    is_read = is_decided | (places <= read_to)
    chances = light.chances_after(is_read, np.array([word == "yes" for word in words], dtype=bool))
    if is_read.all():
        chance = 1.0
    elif not light.is_ready:
        chance = float("nan")
    else:  # the light's last doubt stands at the last paper, which may have been drawn
        chance = min(float(chances[read_to - 1]), ALMOST_ONE) if read_to else 0.0
    return Reading(n_papers, read_to, chance, red(chances, level=level / 100), level)


def may_draw(shown: StoredRanking, order: Positions, read_to: int, earlier: Sequence[Draw]) -> bool:
    """Tell whether papers may be drawn: once from below a place, so that nobody draws until it pleases."""
    newest = newest_draw(shown, earlier)
    return len(_rest(order, read_to, earlier)) > 0 and (newest is None or newest.read_to < read_to)


def draw(shown: StoredRanking, order: Positions, read_to: int, earlier: Sequence[Draw]) -> Draw:
    """Draw papers at random from below the place read to; the same call draws the same.

    Parameters
    ----------
    shown : StoredRanking
        What the issue is sorted by; its number is the seed.
    order : array of shape (n_papers,)
        List positions in the order shown.
    read_to : int
        Place, from 0.
    earlier : sequence of Draw
        What was drawn from this issue before, and is not drawn again.
    """
    rest = _rest(order, read_to, earlier)
    places = sample_of_rest(read_to + len(rest), read_to, DRAWN_AT_ONCE, seed=shown.id)
    return Draw(shown.id, read_to, len(rest), rest[places - read_to - 1].tolist())


def newest_draw(shown: StoredRanking, draws: Sequence[Draw]) -> Draw | None:
    """Give what was last drawn from a ranking; it tells nothing of the rest of another."""
    return next((one for one in reversed(draws) if one.ranking == shown.id), None)


def drawn_positions(draws: Iterable[Draw]) -> list[int]:
    """Give the list positions of all that was drawn, in whatever ranking."""
    return [position for one in draws for position in one.positions]


def what_remains(one: Draw, n_found: int) -> Remaining:
    """Judge how many relevant papers are left beside those found among the papers drawn."""
    return remaining(one.n_rest, len(one.positions), n_found)


def draws_text(draws: Iterable[Draw]) -> str:
    """Write draws as the workspace keeps them.

    Examples
    --------
    >>> draws_from(draws_text([Draw(7, 84, 528, [301, 12])]))
    [Draw(ranking=7, read_to=84, n_rest=528, positions=[301, 12])]
    """
    return json.dumps(list(draws))


def draws_from(text: str | None) -> list[Draw]:
    """Read draws back; none where none were kept."""
    return [Draw(*fields) for fields in json.loads(text or "[]")]


def _rest(order: Positions, read_to: int, draws: Sequence[Draw]) -> Positions:
    below = order[read_to:]
    return below[~np.isin(below, drawn_positions(draws))]
