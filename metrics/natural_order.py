"""The natural order: which of two outcomes left the editor less to read.

Of two outcomes with the same numbers of papers and of relevant papers, the one whose last relevant paper is earlier is
better; if these are equal, the outcome whose second-to-last is earlier; and so on.
"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from presort.metrics.outcome import Outcome, check_outcome
from presort.metrics.registry import MEASURES
from presort.metrics.score import score

MOST_OUTCOMES = 100_000  # in a table of all
MOST_POSITIONS = 50_000_000  # in these outcomes together: what a computer's memory holds with ease
UNCOUNTED = 10**30  # outcomes beyond which nobody wants to know how many
NOISE = 1e-12  # rounding of a value, relative; absolute below 1


def natural_order_key(outcome: Outcome) -> tuple[int, ...]:
    r"""Sort key of the natural order: the positions from the last to the first.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    tuple of int, length r
        :math:`(p_r, p_{r-1}, \dots, p_1)`; smaller is better. Keys compare only among outcomes of the same r and n.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> natural_order_key(Outcome([1, 3], n=4))
    (3, 1)
    """
    check_outcome("outcome", outcome)
    return tuple(outcome.positions[::-1].tolist())


def compare_natural(a: Outcome, b: Outcome) -> int:
    """Return which of two outcomes is better in the natural order.

    Parameters
    ----------
    a, b : Outcome
        Of the same r and n.

    Returns
    -------
    int
        -1 if a is better, 1 if b is better, 0 if they are the same.

    Raises
    ------
    ValueError
        If a and b differ in r or n: then the natural order does not compare them.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> compare_natural(Outcome([2, 3], n=5), Outcome([1, 4], n=5))
    -1
    """
    check_outcome("a", a)
    check_outcome("b", b)
    if (a.r, a.n) != (b.r, b.n):
        raise ValueError(f"a and b must have the same r and n, got r={a.r}, n={a.n} and r={b.r}, n={b.n}")
    key_a, key_b = natural_order_key(a), natural_order_key(b)
    return (key_a > key_b) - (key_a < key_b)


@dataclass(frozen=True, eq=False)
class NaturalOrderTable:
    """All outcomes of some r and n, best first, with the value of every measure.

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
