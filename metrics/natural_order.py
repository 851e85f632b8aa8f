"""Natural order of outcomes: the editor reads less if the last relevant paper comes earlier.

Of two outcomes with the same r and n, the one with the earlier last relevant paper is better. Ties are broken by the
second-to-last relevant paper, then by the third-to-last, and so on.
"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from presort.metrics.lazy import pd
from presort.metrics.outcome import Outcome, check_outcome
from presort.metrics.registry import MEASURES
from presort.metrics.score import score

MOST_OUTCOMES = 100_000  # maximum number of table rows
MOST_POSITIONS = 50_000_000  # maximum total number of positions in a table's outcomes, to limit memory
UNCOUNTED = 10**30  # outcomes are counted only up to this number, because the error message needs no larger number
NOISE = 1e-12  # rounding tolerance for a value: relative for values of at least 1, absolute for smaller values


def natural_order_key(outcome: Outcome) -> tuple[int, ...]:
    r"""Return the sort key of the natural order: the positions from last to first.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    tuple of int, length r
        :math:`(p_r, p_{r-1}, \dots, p_1)`; smaller is better. Only keys of outcomes with the same r and n are
        comparable.

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
    """Compare two outcomes by the natural order.

    Parameters
    ----------
    a, b : Outcome
        Outcomes with the same r and n.

    Returns
    -------
    int
        -1 if a is better, 1 if b is better, 0 if they are equal.

    Raises
    ------
    ValueError
        If a and b differ in r or n, because the natural order is not defined between them.

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
    """All outcomes for given r and n in natural order, with the value of every measure.

    Attributes
    ----------
    outcomes : tuple of Outcome, length n_outcomes
        Outcomes in natural order, best first.
    measures : DataFrame, shape (n_outcomes, n_measures)
        Values of the measures, one column for each entry of `MEASURES` that does not need scores. The index `place`
        is the number of better outcomes, from 0.
    goes_back_up : DataFrame of bool, shape (n_outcomes, n_measures)
        True if the measure prefers this outcome to the outcome one row above, which violates the natural order. The
        index and the columns are the same as in `measures`.
    """

    outcomes: tuple[Outcome, ...]
    measures: pd.DataFrame
    goes_back_up: pd.DataFrame


def natural_order_table(r: int, n: int) -> NaturalOrderTable:
    """List all outcomes with r relevant papers among n in natural order, and compute every measure for each.

    Parameters
    ----------
    r : int
        Number of relevant papers, from 0 to n.
    n : int
        Number of papers, at least 1.

    Returns
    -------
    NaturalOrderTable
        Outcomes, values of the measures, and violations of the natural order between neighbouring rows. Differences
        of at most 1e-12 (relative for values above 1) are treated as rounding.

    Raises
    ------
    ValueError
        If r or n is out of range, if there are more than 100,000 outcomes, or if the outcomes contain more than
        50,000,000 relevant papers in total.

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
    worst_first = list(combinations(range(n, 0, -1), r))  # descending positions are the keys of the natural order
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
            raise ValueError(f"{name} must be an integer of at least {least}, got {reprlib.repr(number)}")
    if r > n:
        raise ValueError(f"r must be at most n, got r={r}, n={n}")
    n_outcomes = 1
    for k in range(1, int(min(r, n - r)) + 1):
        n_outcomes = n_outcomes * int(n - k + 1) // k  # C(n, k)
        if n_outcomes > UNCOUNTED:
            raise ValueError(f"at most {MOST_OUTCOMES:,} outcomes are allowed, got over 10^30 for r={r}, n={n}")
    if n_outcomes > MOST_OUTCOMES:
        raise ValueError(f"at most {MOST_OUTCOMES:,} outcomes are allowed, got {n_outcomes:,} for r={r}, n={n}")
    if n_outcomes * r > MOST_POSITIONS:
        raise ValueError(
            f"at most {MOST_POSITIONS:,} relevant papers in all outcomes together are allowed, "
            f"got {n_outcomes * r:,} for r={r}, n={n}"
        )
