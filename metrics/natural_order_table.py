"""All outcomes of some r and n in natural order, and where measures contradict it among them."""

import reprlib
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from presort.metrics.outcome import Outcome
from presort.metrics.registry import MEASURES
from presort.metrics.score import score

MOST_OUTCOMES = 100_000  # in a table of all
MOST_POSITIONS = 50_000_000  # in these outcomes together: what a computer's memory holds with ease
UNCOUNTED = 10**30  # outcomes beyond which nobody wants to know how many
NOISE = 1e-12  # rounding of a value, relative; absolute below 1


@dataclass(frozen=True, eq=False)
class NaturalOrderTable:
    """All outcomes of some r and n, best first, and what every measure says of them.

    Attributes
    ----------
    outcomes : tuple of Outcome, length n_outcomes
        Best first in natural order.
    measures : DataFrame, shape (n_outcomes, n_measures)
        A column for each of `MEASURES` that needs no scores. The index `place` is how many outcomes are better, from 0.
    goes_back_up : DataFrame of bool, shape (n_outcomes, n_measures)
        Index and columns as in `measures`: whether the measure prefers this outcome to the one a place above it.
    """

    outcomes: tuple[Outcome, ...]
    measures: pd.DataFrame
    goes_back_up: pd.DataFrame


def natural_order_table(r: int, n: int) -> NaturalOrderTable:
    """List all outcomes of r relevant papers among n, best first, with every measure.

    Parameters
    ----------
    r, n : int
        Relevant papers, from 0 to n, and papers, at least 1.

    Returns
    -------
    NaturalOrderTable
        Outcomes, measures, and where these go back up. A step of at most 1e-12, or of that share of a value above 1,
        is rounding and does not count.

    Raises
    ------
    ValueError
        If r or n is not such a whole number, there are more than 100,000 outcomes, or these have more than 50,000,000
        relevant papers together.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> table = natural_order_table(2, n=5)
    >>> table.outcomes[6]
    Outcome(positions=array([1, 5]), n=5)
    >>> table.measures["aselt"].round(2).tolist()
    [1.0, 0.67, 0.33, 0.33, 0.0, -0.33, 0.0, -0.33, -0.67, -1.0]
    >>> table.goes_back_up["aselt"].tolist()
    [False, False, False, False, False, False, True, False, False, False]
    """
    _check_size(r, n)
    worst_first = list(combinations(range(n, 0, -1), r))  # positions from the last: keys of the natural order
    outcomes = tuple(Outcome(key[::-1], n) for key in reversed(worst_first))
    listed = [measure for measure in MEASURES.values() if measure.needs == "outcome"]
    measures = score(outcomes, [measure.name for measure in listed]).rename_axis("place")
    upwards = measures.to_numpy() * [1 if measure.higher_is_better else -1 for measure in listed]
    noise = NOISE * np.maximum(np.abs(upwards), 1)
    goes_back_up = np.diff(upwards, axis=0, prepend=upwards[:1]) > noise
    return NaturalOrderTable(outcomes, measures, pd.DataFrame(goes_back_up, measures.index, measures.columns))


def _check_size(r: int, n: int) -> None:
    for name, number, least in (("n", n, 1), ("r", r, 0)):
        if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < least:
            raise ValueError(f"{name} must be a whole number from {least}, got {reprlib.repr(number)}")
    if r > n:
        raise ValueError(f"r must be at most n, got r={r}, n={n}")
    n_outcomes = 1
    for k in range(1, int(min(r, n - r)) + 1):
        n_outcomes = n_outcomes * int(n - k + 1) // k  # C(n, k)
        if n_outcomes > UNCOUNTED:
            raise ValueError(f"r and n must have at most {MOST_OUTCOMES:,} outcomes, got r={r}, n={n} with over 10^30")
    if n_outcomes > MOST_OUTCOMES:
        raise ValueError(f"r and n must have at most {MOST_OUTCOMES:,} outcomes, got r={r}, n={n} with {n_outcomes:,}")
    if n_outcomes * r > MOST_POSITIONS:
        raise ValueError(
            f"r and n must have outcomes of at most {MOST_POSITIONS:,} relevant papers together, got r={r}, n={n} with "
            f"{n_outcomes * r:,}"
        )
