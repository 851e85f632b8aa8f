"""Confidence intervals of means and medians by inverting sign-flip tests of whole units.

A unit has values that are alike, such as all issues of one report. If differences have no direction, each unit might
as well have had the other sign. That is the null hypothesis of the test; shifted by a candidate value, it gives the
interval of all candidates that the test doesn't reject.
"""

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from presort.metrics.batch import Floats

ALPHA = 0.05  # of a 95 % confidence interval
LEAST_FLIPS = 19_999  # random ones, besides no flip at all; all there are if these are fewer
AT_ONCE = 1_000  # sign flips in memory
ROUNDING = 1e-12  # of the largest value; smaller differences are ties
SEED = 0  # any will do, but always the same


class Interval(NamedTuple):
    """A 95 % confidence interval, and the p-value of the test that it inverts.

    Attributes
    ----------
    low, high : float
        Both ends belong to it. NaN if there are too few units: below 6, even flips that are all alike have p > 0.05.
    p : float
        Two-sided, of the null hypothesis 0; below 0.05 if and only if 0 is outside the interval.
    """

    low: float
    high: float
    p: float


def signs(n_units: int, n_flips: int = LEAST_FLIPS) -> Iterator[Floats]:
    """Yield sign flips, the first of which flips nothing.

    Parameters
    ----------
    n_units : int
        At least 1.
    n_flips : int
        Number to draw. If there are no more, all are tried; the first unit keeps its sign then, because flipping all
        others instead gives the same absolute values.

    Yields
    ------
    ndarray of float64, shape (up to `AT_ONCE`, n_units)
        1 or -1.

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
    r"""Compute a confidence interval for a mean over cases that are alike within units.

    Parameters
    ----------
    totals : ndarray of float64, shape (n_units,)
        Sum of the values of each unit; 0 for a unit without a case.
    counts : ndarray of float64, shape (n_units,)
        Cases of each unit, at least 1 in all.

    Returns
    -------
    Interval
        For the mean over all cases, in which a unit counts by its number of cases.

    Notes
    -----
    Exact if the deviation of each unit from the true mean is symmetric, whatever its spread and number of cases. The
    units whose signs a flip turns have a mean, and so do the others. The test rejects every candidate outside both
    means in too many flips, so that the limits are order statistics of these means (typical values). With strongly
    skewed units, the coverage is some points lower: see ``benchmarks/intervals.py``.

    References
    ----------
    Hartigan, Using subsample values as typical values, JASA 64, 1969.

    Examples
    --------
    >>> mean_interval(np.array([1.0, 2, 3, 4, 5, 6]), np.ones(6))  # no narrower with six units
    Interval(low=1.0, high=6.0, p=0.03125)
    >>> mean_interval(np.array([1.0, 2, 3, 4, 5]), np.ones(5)).p  # never below 0.05: there is no interval
    0.0625
    """
    has_cases = counts > 0
    tie = ROUNDING * float(np.abs(totals[has_cases] / counts[has_cases]).max())
    flips = _flips(len(totals))
    sums, sizes = flips @ totals, flips @ counts
    with np.errstate(divide="ignore", invalid="ignore"):  # without a case on one side
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
    """Compute a confidence interval for the median of cases that are alike within units.

    Parameters
    ----------
    values : ndarray of float64, shape (n_cases,)
        No NaN; at least one.
    units : ndarray of int, shape (n_cases,)
        Number of each case's unit, from 0.

    Returns
    -------
    Interval
        Its ends are values. With one case a unit, it is that of the sign test: two order statistics.

    Notes
    -----
    A unit counts by the number of its cases above a candidate, less those below; these sums are flipped. A value that
    equals the candidate counts against rejection.

    Examples
    --------
    >>> median_interval(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 9.0]), np.arange(6))
    Interval(low=0.1, high=9.0, p=0.03125)
    """
    low, p_low = _lower_limit(values, units)
    high, p_high = _lower_limit(-values, units)
    return Interval(low, -high, min(p_low, p_high))


def _lower_limit(values: Floats, units: NDArray[np.intp]) -> tuple[float, float]:
    """Return the least value that is not rejected as too low for a median, NaN if any is not; and the p-value of 0."""
    n_units = int(units.max()) + 1
    flips = _flips(n_units)

    def p_value(candidate: float) -> float:
        sums = np.bincount(units, np.where(values > candidate, 1.0, -1.0), n_units)
        one_side = flips @ sums
        return float(((one_side <= 0) | (sums.sum() - one_side <= 0)).mean())

    if p_value(-math.inf) >= ALPHA:
        return math.nan, p_value(0)
    candidates = np.unique(values)
    first, last = 0, len(candidates) - 1  # the largest is never rejected, and p-values rise
    while first < last:
        middle = (first + last) // 2
        if p_value(candidates[middle]) >= ALPHA:
            last = middle
        else:
            first = middle + 1
    return float(candidates[first]), p_value(0)


@cache
def _flips(n_units: int) -> Floats:
    """Return 1 for each unit that a flip turns and 0 for the others, shape (n_flips, n_units)."""
    return np.concatenate([(1 - drawn) / 2 for drawn in signs(n_units)])
