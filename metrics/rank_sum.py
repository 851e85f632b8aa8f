"""Permutation tests on the sum of a sample: of its ranks, or of its values if these are comparable already."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from presort.metrics.batch import Floats

STEPS = 400  # of values from 0 to 1: coarser steps tie values that differ, finer ones cost time and change nothing


def rank_sum_p(sample: Floats, other: Floats) -> float:
    r"""Compute the probability under chance of a rank sum at least as large as the sample's.

    Parameters
    ----------
    sample, other : ndarray of float64, shapes (m,) and (n,)
        No NaN. Time and memory grow with :math:`m^2 (m + n)^2`: for some hundred values in all.

    Returns
    -------
    float
        One-sided p-value, above 0 and at most 1.

    Notes
    -----
    The statistic is that of Mann and Whitney: the sum of the sample's ranks among all values, where equal values share
    the mean of their ranks. Under the null hypothesis, all choices of m of the m + n values are equally likely. The
    p-value is the share of these choices whose sum is at least as large, counted exactly, also with ties. If most
    values are tied, the usual approximation by the normal distribution gives too small a p-value.

    References
    ----------
    Mann and Whitney, Annals of Mathematical Statistics 18, 1947.

    Examples
    --------
    >>> rank_sum_p(np.array([3.0, 4.0]), np.array([1.0, 2.0]))  # one choice of six
    0.16666666666666666
    >>> rank_sum_p(np.array([1.0, 2.0]), np.array([1.0, 1.0]))  # three choices of six hold the 2
    0.5
    """
    # Doubled, because a mean of ranks is then whole.
    ranks = (2 * scipy.stats.rankdata(np.concatenate([sample, other]))).astype(np.int64)
    return _sum_p(ranks, len(sample))


def value_sum_p(sample: Floats, other: Floats) -> float:
    r"""Compute the p-value of a permutation test that a sample has larger values than another one.

    Use it for values that are ranks already, such as those of `presort.metrics.depth_ranks`. Ranking these again would
    keep their medians comparable instead of their means, and issues of different sizes differ in their medians.

    Parameters
    ----------
    sample, other : ndarray of float64, shapes (m,) and (n,)
        From 0 to 1, no NaN. They are rounded to steps of 1/400. Time and memory grow with :math:`m^2 (m + n)`.

    Returns
    -------
    float
        One-sided p-value, above 0 and at most 1: the share of all choices of m of the m + n values whose sum is at
        least as large as that of the sample, counted exactly.

    References
    ----------
    Pitman, Significance tests which may be applied to samples from any populations, Supplement to the Journal of the
    Royal Statistical Society 4, 1937.

    Examples
    --------
    >>> value_sum_p(np.array([0.9, 0.8]), np.array([0.1, 0.2]))  # one choice of six
    0.16666666666666666
    >>> value_sum_p(np.array([0.9, 0.1]), np.array([0.5, 0.5]))  # two values in the middle have the same sum
    0.6666666666666666
    """
    steps = np.rint(STEPS * np.concatenate([sample, other])).astype(np.int64)
    return _sum_p(steps, len(sample))


def _sum_p(numbers: NDArray[np.int64], m: int) -> float:
    """Return the share of all choices of m numbers whose sum is at least that of the first m."""
    numbers = numbers - numbers.min()
    numbers //= max(np.gcd.reduce(numbers), 1)
    largest = int(np.sort(numbers)[len(numbers) - m :].sum())
    n_choices = np.zeros((m + 1, largest + 1))  # of so many numbers that have such a sum
    n_choices[0, 0] = 1
    for number in numbers.tolist():
        n_choices[1:, number:] += n_choices[:-1, : largest + 1 - number]
    of_size = n_choices[m]
    return float(of_size[numbers[:m].sum() :].sum() / of_size.sum())
