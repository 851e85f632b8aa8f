"""All possible orders of r relevant papers among n, best first, and how often measures contradict that order."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, compress

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from presort.desk.scores.exact_values import STRICT, Floats, levels
from presort.desk.scores.registry import MEASURES, score
from presort.desk.scores.table import MEASURED
from presort.metrics import Outcome, Violations, violations
from presort.metrics.loss import loss_levels

MOST_DRAWN = 252  # outcomes drawn as rows: all of 5 in 10
DRAWN_OF_MORE = 101  # where there are more: the best, the worst, and every hundredth between
MOST_JUDGED = 924  # outcomes of which all pairs are judged: 6 in 12
JUDGED_OF_MORE = 400  # where there are more: 79,800 pairs; their share is right to a few percent
GRID_R = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)
GRID_N = (4, 6, 8, 10, 12, 14, 20, 50, 100, 200, 400, 700)


@dataclass(frozen=True, eq=False)
class Possible:
    """Outcomes of some r and n in natural order, best first: all of them, or some evenly spaced.

    Attributes
    ----------
    n_outcomes : int
        Number of outcomes.
    outcomes : list of Outcome
        Those at hand; the best and the worst are among them.
    places : list of int
        Number of outcomes better than each, from 0.
    measures : DataFrame, shape (len(outcomes), n_measures)
        Values of each measure.
    steps : DataFrame of int, of that shape
        Compared with the row above: 1 if the measure prefers this one, which violates the natural order; 0 if it has no
        preference or no value; -1 if it keeps the order. 0 in the first row.
    """

    n_outcomes: int
    outcomes: list[Outcome]
    places: list[int]
    measures: pd.DataFrame
    steps: pd.DataFrame

    @property
    def is_all(self) -> bool:
        """True if all outcomes are there."""
        return len(self.outcomes) == self.n_outcomes


def possible(r: int, n: int) -> Possible:
    """Return the outcomes of r relevant papers among n, best first, with every measure; 0 < r < n.

    They are all outcomes up to `MOST_DRAWN`; of more, `DRAWN_OF_MORE`.
    """
    n_outcomes = math.comb(n, r)
    n_drawn = n_outcomes if n_outcomes <= MOST_DRAWN else DRAWN_OF_MORE
    places = [step * (n_outcomes - 1) // (n_drawn - 1) for step in range(n_drawn)]
    outcomes = [outcome_at(place, r, n) for place in places]
    values = score(outcomes)
    steps = {name: _steps(name, outcomes, values[name].to_numpy()) for name in MEASURED}
    return Possible(n_outcomes, outcomes, places, values, pd.DataFrame(steps))


def outcome_at(place: int, r: int, n: int) -> Outcome:
    """Return the outcome at a place among all outcomes of r relevant papers among n, best first.

    The place is from 0, the best, to C(n, r) - 1, the worst; what `metrics.copnori_rank` gives of the outcome.

    Examples
    --------
    >>> outcome_at(3, r=2, n=5)
    Outcome(positions=array([1, 4]), n=5)
    """
    positions = []
    above = n - 1
    for k in range(r, 0, -1):
        while math.comb(above, k) > place:  # so many outcomes have their k-th paper further up
            above -= 1
        positions.append(above + 1)
        place -= math.comb(above, k)
        above -= 1
    return Outcome(positions[::-1], n)


def contradictions(name: str, r: int, n: int) -> Violations:
    """Count the pairs of outcomes of r relevant papers among n that a measure orders wrongly, or not at all; 0 < r < n.

    They are of all outcomes up to `MOST_JUDGED`; of more, of `JUDGED_OF_MORE` drawn at random, always the same.
    """
    outcomes = _all_or_drawn(r, n)
    if name in STRICT:
        return violations(outcomes, loss_levels(name, outcomes).tolist(), limit=0, higher_is_better=False)
    values = score(outcomes, [name])[name].to_numpy()
    is_defined = ~np.isnan(values)
    defined = list(compress(outcomes, is_defined))
    return violations(defined, levels(name, defined, values[is_defined]), limit=0)


def is_estimate(r: int, n: int) -> bool:
    """Return True if `contradictions` looks at a sample only."""
    return math.comb(n, r) > MOST_JUDGED


def rates(name: str) -> pd.DataFrame:
    """Return how often a measure contradicts the natural order, for small r and n and for those of real issues.

    A row for each of `GRID_R` and `GRID_N` with r < n, and a value of the measure, has ``r``, ``n``, ``pairs`` looked
    at, ``prefers_worse`` and ``cannot_tell``, shares of these, and ``is_estimate``.
    """
    rows = []
    for r, n in ((r, n) for n in GRID_N for r in GRID_R if r < n):
        found = contradictions(name, r, n)
        if found.n_pairs:
            rows.append((r, n, found.n_pairs, *_shares(found), is_estimate(r, n)))
    return pd.DataFrame(rows, columns=["r", "n", "pairs", "prefers_worse", "cannot_tell", "is_estimate"])


def by_measure(names: Sequence[str], r: int, n: int) -> pd.DataFrame:
    """Put `contradictions` of several measures into a table, a row a measure; NaN for one without a value."""
    found = {name: contradictions(name, r, n) for name in names}
    shares = [_shares(one) for one in found.values()]
    return pd.DataFrame(
        {
            "measure": [MEASURES[name].label for name in names],
            "pairs": [one.n_pairs for one in found.values()],
            "prefers_worse": [prefers_worse for prefers_worse, _ in shares],
            "cannot_tell": [cannot_tell for _, cannot_tell in shares],
        }
    )


def _steps(name: str, outcomes: Sequence[Outcome], values: Floats) -> NDArray[np.int64]:
    is_defined = ~np.isnan(values)
    rank = np.full(len(values), math.nan)
    rank[is_defined] = levels(name, list(compress(outcomes, is_defined)), values[is_defined])
    return np.nan_to_num(np.sign(np.diff(rank, prepend=rank[:1]))).astype(np.int64)


def _shares(found: Violations) -> tuple[float, float]:
    """Return the shares of pairs on which a measure prefers the worse, and has no preference. NaN without pairs."""
    n_pairs = found.n_pairs or math.nan
    return found.n_strict / n_pairs, found.n_ties / n_pairs


def _all_or_drawn(r: int, n: int) -> list[Outcome]:
    if not is_estimate(r, n):
        return [Outcome(positions, n) for positions in combinations(range(1, n + 1), r)]
    random = np.random.default_rng([r, n])
    return [Outcome(np.sort(random.permutation(n)[:r]) + 1, n) for _ in range(JUDGED_OF_MORE)]
