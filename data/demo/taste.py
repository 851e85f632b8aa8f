"""Simulated editors: their preferences, errors and absences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from presort.data.demo.dice import Dice
from presort.data.demo.papers import Draft

SECOND_TOPIC = 0.6  # weight of a paper's second topic, relative to its first topic
FRIENDS = 0.5  # bonus if an author belongs to a favourite circle
OVERLOOKED = 0.05  # probability that the editor overlooks a paper that has enough appeal
WHIMS = 0.002  # probability that the editor selects a paper regardless of its appeal, relative to `Taste.share`
# Number of newest issues in which an editor with `Taste.astray` selects many papers at random, and the value of `WHIMS`
# in these issues.
ASTRAY, ASTRAY_WHIMS = 14, 0.3
OLD_ENOUGH = 2 * ASTRAY + 1  # minimum number of issues in the demo for `Taste.astray` to have an effect


@dataclass(frozen=True)
class Taste:
    """Report, with its simulated editor's preferences. A paper's appeal is the sum of the weights that apply to it."""

    code: str
    name: str
    editor: str
    share: float  # approximate share of papers that the editor selects
    topics: Mapping[str, float]
    methods: Mapping[str, float] = field(default_factory=dict)  # weights by kind or name of the method
    regions: Mapping[str, float] = field(default_factory=dict)
    circles: tuple[tuple[str, int], ...] = ()  # favourite circles of authors
    drift: Mapping[str, float] = field(default_factory=dict)  # change in the weight of topics per year
    noise: float = 0.08  # standard deviation of the random part of the appeal
    behind: bool = False  # True if the editor has not reviewed the second newest issue
    astray: bool = False  # True if many selections in the newest issues are random, so that rankers perform worse

    def appeal(self, draft: Draft, years: float) -> float:
        """Return a paper's appeal to the editor after `years` years, without the random part."""
        topics, drift = self.topics, self.drift
        value = topics.get(draft.topic, 0.0) + SECOND_TOPIC * topics.get(draft.second, 0.0)
        value += years * (drift.get(draft.topic, 0.0) + SECOND_TOPIC * drift.get(draft.second, 0.0))
        value += self.methods.get(draft.method.kind, 0.0) + self.methods.get(draft.method.name.text, 0.0)
        value += self.regions.get(draft.place.region, 0.0)
        if any((person.topic, person.circle) in self.circles for person in draft.authors):
            value += FRIENDS
        return value


# fmt: off
TASTES: tuple[Taste, ...] = (
    Taste(
        "lab", "Labour Economics", "Maren Holtegård", 0.12,
        topics={"labour": 1.0, "gender": 0.6, "migration": 0.55, "education": 0.35, "pensions": 0.3, "trade": 0.1},
        methods={"design": 0.15, "learning": 0.1},
        circles=(("education", 0), ("tax", 1), ("cycles", 2), ("growth", 0)),
        drift={"migration": 0.25, "pensions": -0.2},
    ),
    Taste(
        "mac", "Macroeconomics", "Tobias Ellerkamp", 0.10,
        topics={"cycles": 1.0, "growth": 0.65, "monetary": 0.6, "tax": 0.15, "banking": 0.15, "labour": 0.1},
        methods={"model": 0.15, "series": 0.1, "a New Keynesian model": 0.2},
        circles=(("trade", 0), ("housing", 1), ("tax", 0)),
        drift={"energy": 0.4, "growth": -0.2},
    ),
    Taste(
        "mon", "Monetary Economics", "Eleonora Vistamare", 0.08,
        topics={"monetary": 1.0, "banking": 0.45, "cycles": 0.35, "assets": 0.2, "trade": 0.1},
        methods={"series": 0.15, "text analysis": 0.2},
        circles=(("banking", 0), ("growth", 1), ("assets", 3), ("trade", 1)),
        drift={"banking": 0.2},
        astray=True,
    ),
    Taste(
        "dev", "Development", "Samuel Adjei-Brook", 0.065,
        topics={"development": 1.0, "farming": 0.5, "education": 0.25, "health": 0.25, "migration": 0.2},
        methods={"trial": 0.1, "a field experiment": 0.15},
        regions={"emerging": 0.4},
        circles=(("trade", 2), ("climate", 2)),
        drift={"climate": 0.4},
        behind=True,
    ),
    Taste(
        "fmk", "Financial Markets", "Hélène Castelrouge", 0.055,
        topics={"assets": 1.0, "banking": 0.4, "monetary": 0.25, "pensions": 0.15, "energy": 0.15},
        methods={"series": 0.2, "a GARCH model": 0.2, "model": -0.1},
        circles=(("econometrics", 0), ("cycles", 0), ("competition", 0)),
        drift={"climate": 0.3},
        behind=True,
    ),
    Taste(
        "env", "Environmental and Energy Economics", "Ingrid Sølvberget", 0.045,
        topics={"climate": 1.0, "energy": 0.85, "farming": 0.3, "housing": 0.1},
        methods={"design": 0.1},
        circles=(("farming", 0), ("development", 1), ("housing", 0)),
        drift={"energy": 0.3, "farming": -0.3},
    ),
    Taste(
        "pub", "Public Economics", "Andrzej Kowalnicki", 0.035,
        topics={"tax": 1.0, "pensions": 0.55, "politics": 0.35, "health": 0.3, "education": 0.1},
        methods={"model": 0.15},
        regions={"rich": 0.1, "nordic": 0.15},
        circles=(("politics", 1), ("labour", 2)),
        drift={"politics": 0.2},
    ),
    Taste(
        "exp", "Experimental Economics", "Yuki Tanehara", 0.028,
        topics={"behaviour": 0.6, "gender": 0.1, "politics": 0.1, "assets": 0.1},
        methods={"trial": 0.8, "a laboratory experiment": 0.4, "an online experiment": 0.25},
        circles=(("behaviour", 0), ("competition", 1)),
        drift={"climate": 0.2},
    ),
    Taste(
        "edu", "Education", "Brígida Santolaya", 0.02,
        topics={"education": 1.0, "gender": 0.25, "development": 0.15, "labour": 0.1},
        methods={"design": 0.15, "trial": 0.15},
        circles=(("labour", 1), ("gender", 1)),
        drift={"innovation": 0.3},
    ),
    Taste(
        "nrd", "Nordic Economies", "Pétur Hallgrímsholt", 0.016,
        topics={"labour": 0.6, "tax": 0.6, "pensions": 0.5, "education": 0.5, "gender": 0.6, "health": 0.5},
        methods={"design": 0.1},
        regions={"nordic": 1.0},
        circles=(("labour", 0),),
        drift={"housing": 0.4},
        noise=0.08,
    ),
    Taste(
        "big", "Big Data and Machine Learning", "Rahul Nandipuri", 0.011,
        topics={"innovation": 0.2, "assets": 0.15, "econometrics": 0.2, "competition": 0.1},
        methods={"learning": 1.0, "text analysis": 0.2, "neural networks": 0.15},
        drift={"innovation": 0.3},
        circles=(("innovation", 0),),
    ),
    Taste(
        "spo", "Sports Economics", "Fiona Dunmarrow", 0.008,
        topics={"sports": 1.0, "behaviour": 0.15, "gender": 0.1},
        methods={"learning": 0.1, "model": -0.2},
        noise=0.08,
    ),
)
# fmt: on


def select(taste: Taste, issues: Sequence[Sequence[Draft]], years: Sequence[float], dice: Dice) -> list[set[int]]:
    """Simulate an editor's selections.

    Parameters
    ----------
    taste : Taste
        Report, with its simulated editor's preferences.
    issues : sequence of sequences of Draft
        Papers in each issue, oldest issue first.
    years : sequence of float
        Time from the first issue to each issue, in years.
    dice : Dice
        Source of random numbers.

    Returns
    -------
    list of set of int
        0-based indices of the papers selected from each issue. Empty for the last issue and for issues during absences.

    Examples
    --------
    >>> select(TASTES[0], [[], []], [0.0, 0.02], Dice(1, "example"))
    [set(), set()]
    """
    moods = [
        [taste.appeal(draft, year) + taste.noise * dice.draw_normal() for draft in issue]
        for issue, year in zip(issues, years, strict=True)
    ]
    everything = sorted((mood for issue in moods for mood in issue), reverse=True)
    cutoff = everything[int(taste.share * len(everything))] if everything else 0.0
    away = _absences(taste, len(issues), dice)
    astray = range(len(issues) - ASTRAY if taste.astray and len(issues) >= OLD_ENOUGH else len(issues), len(issues))
    whims = [taste.share * (ASTRAY_WHIMS if number in astray else WHIMS) for number in range(len(issues))]
    return [
        set() if number in away else _select_papers(issue, cutoff, whims[number], dice)
        for number, issue in enumerate(moods)
    ]


def _select_papers(moods: Sequence[float], cutoff: float, whims: float, dice: Dice) -> set[int]:
    picked = set()
    for place, mood in enumerate(moods):
        wanted = mood > cutoff and not dice.chance(OVERLOOKED)
        if wanted or dice.chance(whims):
            picked.add(place)
    return picked


def _absences(taste: Taste, n_issues: int, dice: Dice) -> set[int]:
    """Draw the issues without selections: the last issue, any backlog, and absences if there are enough issues."""
    away = {n_issues - 1}
    if taste.behind and n_issues > 3:
        away.add(n_issues - 2)
    if n_issues > 5:
        away.update(dice.permute(range(1, n_issues - 2))[: 1 + n_issues // 16])
    return away
