"""All possible outcomes of r relevant papers among n in natural order, and how often measures contradict the order."""

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

MOST_DRAWN = 252  # maximum number of outcomes drawn as rows; 10 papers, 5 of them relevant, have 252 outcomes
DRAWN_OF_MORE = 101  # number of rows drawn if there are more outcomes: the best, the worst, and 99 in between
MOST_JUDGED = 924  # maximum number of outcomes to test in all pairs; 12 papers, 6 of them relevant, have 924 outcomes
JUDGED_OF_MORE = 400  # sample size if there are more outcomes; its 79,800 pairs give shares accurate to a few percent
GRID_R = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)
GRID_N = (4, 6, 8, 10, 12, 14, 20, 50, 100, 200, 400, 700)


@dataclass(frozen=True, eq=False)
class PossibleOrders:
    """All or evenly spaced outcomes of r relevant papers among n, sorted in natural order, best first.

    Attributes
    ----------
    n_outcomes : int
        Number of possible outcomes.
    outcomes : list of Outcome
        Selected outcomes, including the best and the worst.
    places : list of int
        For each selected outcome, the number of possible outcomes that are better.
    measures : DataFrame, shape (len(outcomes), n_measures)
        Each measure's values for the selected outcomes.
    steps : DataFrame of int, shape (len(outcomes), n_measures)
        Each measure's preference between a row and the row above: 1 if the measure prefers this row, which violates the
        natural order; -1 if it prefers the row above; and 0 if it has no preference or no value. The first row is 0.
    """

    n_outcomes: int
    outcomes: list[Outcome]
    places: list[int]
    measures: pd.DataFrame
    steps: pd.DataFrame

    @property
    def is_all(self) -> bool:
        """True if all possible outcomes are selected."""
        return len(self.outcomes) == self.n_outcomes


def select_orders(r: int, n: int) -> PossibleOrders:
    """Return the outcomes of r relevant papers among n, best first, with the values of all measures.

    Requires 0 < r < n. Returns all outcomes if there are at most `MOST_DRAWN`, and otherwise `DRAWN_OF_MORE` evenly
    spaced outcomes.
    """
    n_outcomes = math.comb(n, r)
    n_drawn = n_outcomes if n_outcomes <= MOST_DRAWN else DRAWN_OF_MORE
    places = [step * (n_outcomes - 1) // (n_drawn - 1) for step in range(n_drawn)]
    outcomes = [outcome_at(place, r, n) for place in places]
    values = score(outcomes)
    steps = {name: _steps(name, outcomes, values[name].to_numpy()) for name in MEASURED}
    return PossibleOrders(n_outcomes, outcomes, places, values, pd.DataFrame(steps))


def outcome_at(place: int, r: int, n: int) -> Outcome:
    """Return the outcome at a 0-based place in the natural order of all outcomes of r relevant papers among n.

    The best outcome is at place 0, and the worst at place C(n, r) - 1. This function is the inverse of
    `metrics.copnori_rank`.

    Examples
    --------
    >>> outcome_at(3, r=2, n=5)
    Outcome(positions=array([1, 4]), n=5)
    """
    positions = []
    above = n - 1
    for k in range(r, 0, -1):
        while math.comb(above, k) > place:  # comb(above, k) outcomes have all k papers in the first `above` positions
            above -= 1
        positions.append(above + 1)
        place -= math.comb(above, k)
        above -= 1
    return Outcome(positions[::-1], n)


def contradictions(name: str, r: int, n: int) -> Violations:
    """Count the pairs of outcomes that a measure ranks in the wrong order or ties.

    The outcomes are those of r relevant papers among n, where 0 < r < n. All outcomes are tested if there are at most
    `MOST_JUDGED`, and otherwise a random sample of `JUDGED_OF_MORE` outcomes, drawn with a fixed seed.
    """
    outcomes = _select_outcomes(r, n)
    if name in STRICT:
        return violations(outcomes, loss_levels(name, outcomes).tolist(), limit=0, higher_is_better=False)
    values = score(outcomes, [name])[name].to_numpy()
    is_defined = ~np.isnan(values)
    defined = list(compress(outcomes, is_defined))
    return violations(defined, levels(name, defined, values[is_defined]), limit=0)


def is_estimate(r: int, n: int) -> bool:
    """Return True if `contradictions` tests only a sample of the outcomes."""
    return math.comb(n, r) > MOST_JUDGED


def rates(name: str) -> pd.DataFrame:
    """Return how often a measure contradicts the natural order, for small r and n and for the sizes of real issues.

    The table has one row for each r in `GRID_R` and n in `GRID_N` with r < n for which the measure is defined. Columns:
    ``r``; ``n``; ``pairs``, the number of tested pairs; ``prefers_worse`` and ``cannot_tell``, the shares of these
    pairs on which the measure prefers the worse outcome or has no preference; and ``is_estimate``, True if only a
    sample was tested.
    """
    rows = []
    for r, n in ((r, n) for n in GRID_N for r in GRID_R if r < n):
        found = contradictions(name, r, n)
        if found.n_pairs:
            rows.append((r, n, found.n_pairs, *_shares(found), is_estimate(r, n)))
    return pd.DataFrame(rows, columns=["r", "n", "pairs", "prefers_worse", "cannot_tell", "is_estimate"])


def contradiction_table(names: Sequence[str], r: int, n: int) -> pd.DataFrame:
    """Return a table with the shares of `contradictions` for several measures, one row per measure.

    The shares are NaN if a measure is not defined.
    """
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
    """Return the shares of pairs on which a measure prefers the worse outcome or has no preference."""
    n_pairs = found.n_pairs or math.nan
    return found.n_strict / n_pairs, found.n_ties / n_pairs


def _select_outcomes(r: int, n: int) -> list[Outcome]:
    if not is_estimate(r, n):
        return [Outcome(positions, n) for positions in combinations(range(1, n + 1), r)]
    random = np.random.default_rng([r, n])
    return [Outcome(np.sort(random.permutation(n)[:r]) + 1, n) for _ in range(JUDGED_OF_MORE)]
