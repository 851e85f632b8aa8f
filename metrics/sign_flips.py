"""Confidence intervals for means and medians of clustered values, computed by inverting sign-flip tests.

A unit is a group of dependent values, such as all issues of one report. Under the null hypothesis, differences are
symmetric about 0, so flipping the sign of a unit does not change their distribution. To test a candidate for the mean
or median, it is subtracted from all values. The confidence interval contains all candidates that the test does not
reject.
"""

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from presort.metrics.batch import Floats

ALPHA = 0.05  # significance level, for 95 % confidence intervals
LEAST_FLIPS = 19_999  # number of random flips besides the identity; if fewer different flips exist, all are used
AT_ONCE = 1_000  # maximum number of sign flips in memory
ROUNDING = 1e-12  # rounding tolerance, relative to the largest value: smaller differences are ties
SEED = 0  # fixed, for reproducible intervals


class Interval(NamedTuple):
    """95 % confidence interval, and p-value of the test from which it was computed.

    Attributes
    ----------
    low, high : float
        Limits, both included. NaN if there are too few units: with fewer than 6, p is never below 0.05.
    p : float
        Two-sided p-value of the null hypothesis that the parameter is 0. Below 0.05 if and only if 0 is outside the
        interval.
    """

    low: float
    high: float
    p: float


def signs(n_units: int, n_flips: int = LEAST_FLIPS) -> Iterator[Floats]:
    """Yield sign flips in batches. The first flip is the identity.

    Parameters
    ----------
    n_units : int
        Number of units, at least 1.
    n_flips : int
        Number of random flips. If there are at most this many different flips, all are used. The first unit then keeps
        its sign, because flipping all other units instead results in the same absolute values.

    Yields
    ------
    ndarray of float64, shape (up to `AT_ONCE`, n_units)
        Signs, 1 or -1, one flip per row.

    Examples
    --------
    >>> next(signs(2)).tolist()
    [[1.0, 1.0], [1.0, -1.0]]
    """
    if n_units - 1 < math.log2(n_flips + 1):
        numbers = np.arange(2 ** (n_units - 1))
        for start in range(0, len(numbers), AT_ONCE):
            bits = numbers[start : start + AT_ONCE, None] >> np.arange(n_units)[::-1] & 1
            yield (1 - 2 * bits).astype(np.float64)
        return
    rng = np.random.default_rng(SEED)
    for start in range(0, n_flips + 1, AT_ONCE):
        drawn = (1 - 2 * rng.integers(0, 2, (min(AT_ONCE, n_flips + 1 - start), n_units))).astype(np.float64)
        if start == 0:
            drawn[0] = 1
        yield drawn


def mean_interval(totals: Floats, counts: Floats) -> Interval:
    r"""Compute a confidence interval for the mean over cases that are dependent within units.

    Parameters
    ----------
    totals : ndarray of float64, shape (n_units,)
        Sum of each unit's values. 0 for a unit without cases.
    counts : ndarray of float64, shape (n_units,)
        Number of cases of each unit, at least 1 in total.

    Returns
    -------
    Interval
        Interval for the mean over all cases, in which each unit is weighted by its number of cases.

    Notes
    -----
    The interval is exact if the deviation of each unit from the true mean has a symmetric distribution; variances and
    numbers of cases may differ. Each flip divides the units into those with and those without a changed sign. The
    p-value of a candidate is the share of flips for which it is between the means of these two groups. The limits are
    therefore order statistics of these means (typical values). For strongly skewed units, the coverage is a few
    percentage points lower, see ``benchmarks/intervals.py``.

    References
    ----------
    Hartigan, Using subsample values as typical values, JASA 64, 1969.

    Examples
    --------
    >>> mean_interval(np.array([1.0, 2, 3, 4, 5, 6]), np.ones(6))  # with six units, the interval is the whole range
    Interval(low=1.0, high=6.0, p=0.03125)
    >>> mean_interval(np.array([1.0, 2, 3, 4, 5]), np.ones(5)).p  # never below 0.05, so there is no interval
    0.0625
    """
    has_cases = counts > 0
    tie = ROUNDING * float(np.abs(totals[has_cases] / counts[has_cases]).max())
    flips = _flips(len(totals))
    sums, sizes = flips @ totals, flips @ counts
    with np.errstate(divide="ignore", invalid="ignore"):  # one of the groups may have no cases
        flipped, others = sums / sizes, (totals.sum() - sums) / (counts.sum() - sizes)
    is_one_sided = (sizes == 0) | (sizes == counts.sum())
    ends = np.minimum(flipped, others), np.maximum(flipped, others)
    low, high = (np.where(np.abs(end) <= tie, 0, end) for end in ends)
    low[is_one_sided], high[is_one_sided] = -math.inf, math.inf
    n_least, mean = math.ceil(ALPHA * len(low) - ROUNDING), float(totals.sum() / counts.sum())
    limits = float(np.partition(low, n_least - 1)[n_least - 1]), float(np.partition(high, -n_least)[-n_least])
    p = 1.0 if abs(mean) <= tie else float((low <= 0).mean() if mean > 0 else (high >= 0).mean())
    return Interval(*(limits if math.isfinite(limits[0]) else (math.nan, math.nan)), p)


def median_interval(values: Floats, units: NDArray[np.intp]) -> Interval:
    """Compute a confidence interval for the median of cases that are dependent within units.

    Parameters
    ----------
    values : ndarray of float64, shape (n_cases,)
        At least one value. NaN is not allowed.
    units : ndarray of int, shape (n_cases,)
        0-based index of each case's unit.

    Returns
    -------
    Interval
        Interval whose limits are two of the values. With one case per unit, it equals the interval of the sign test.

    Notes
    -----
    The score of a unit is its number of cases above a candidate minus the number below. The test flips the signs of
    these scores. A value equal to the candidate is counted on the side that makes rejection less likely.

    Examples
    --------
    >>> median_interval(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 9.0]), np.arange(6))
    Interval(low=0.1, high=9.0, p=0.03125)
    """
    low, p_low = _lower_limit(values, units)
    high, p_high = _lower_limit(-values, units)
    return Interval(low, -high, min(p_low, p_high))


def _lower_limit(values: Floats, units: NDArray[np.intp]) -> tuple[float, float]:
    """Return the smallest candidate that is not rejected as too low for the median, and the p-value for a median of 0.

    The candidate is NaN if no value, however low, would be rejected.
    """
    n_units = int(units.max()) + 1
    flips = _flips(n_units)

    def p_value(candidate: float) -> float:
        sums = np.bincount(units, np.where(values > candidate, 1.0, -1.0), n_units)
        one_side = flips @ sums
        return float(((one_side <= 0) | (sums.sum() - one_side <= 0)).mean())

    if p_value(-math.inf) >= ALPHA:
        return math.nan, p_value(0)
    candidates = np.unique(values)
    # bisection: higher candidates have higher p-values, and the largest candidate is never rejected
    first, last = 0, len(candidates) - 1
    while first < last:
        middle = (first + last) // 2
        if p_value(candidates[middle]) >= ALPHA:
            last = middle
        else:
            first = middle + 1
    return float(candidates[first]), p_value(0)


@cache
def _flips(n_units: int) -> Floats:
    """Return 1 for each unit whose sign is flipped and 0 for the others, shape (n_flips, n_units)."""
    return np.concatenate([(1 - drawn) / 2 for drawn in signs(n_units)])
