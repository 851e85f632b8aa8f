"""Exact permutation tests on the sum of a sample's ranks, or on the sum of its values if they are ranks already."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from presort.metrics.batch import Floats
from presort.metrics.lazy import scipy

STEPS = 400  # number of steps from 0 to 1: with fewer, different values would be tied; more would only take longer


def rank_sum_p(sample: Floats, other: Floats) -> float:
    r"""Compute the exact one-sided p-value of a rank-sum test.

    The alternative hypothesis is that the values in `sample` are larger than those in `other`.

    Parameters
    ----------
    sample, other : ndarray of float64, shapes (m,) and (n,)
        Values without NaN. Time and memory grow with :math:`m^2 (m + n)^2`, which is practical for a few hundred values
        in total.

    Returns
    -------
    float
        One-sided p-value, above 0 and at most 1.

    Notes
    -----
    The test statistic is Mann and Whitney's: the sum of the sample's ranks among all values. Tied values share the mean
    of their ranks. Under the null hypothesis, all choices of m of the m + n values are equally likely. The p-value is
    the share of these choices whose rank sum is at least as large as the sample's. It is exact even with ties. If most
    values are tied, the usual normal approximation yields p-values that are too small.

    References
    ----------
    Mann and Whitney, Annals of Mathematical Statistics 18, 1947.

    Examples
    --------
    >>> rank_sum_p(np.array([3.0, 4.0]), np.array([1.0, 2.0]))  # one choice of six
    0.16666666666666666
    >>> rank_sum_p(np.array([1.0, 2.0]), np.array([1.0, 1.0]))  # three choices of six include the 2
    0.5
    """
    # The ranks are doubled to make them integers, because the mean of tied ranks may end in .5.
    ranks = (2 * scipy.stats.rankdata(np.concatenate([sample, other]))).astype(np.int64)
    return _sum_p(ranks, len(sample))


def value_sum_p(sample: Floats, other: Floats) -> float:
    r"""Compute the p-value of a permutation test for whether the values in `sample` are larger than those in `other`.

    Use this test for values that are already ranks, such as those of `presort.metrics.depth_ranks`. Their means are
    comparable between issues of different sizes, but their medians are not. Ranking them again would compare medians.

    Parameters
    ----------
    sample, other : ndarray of float64, shapes (m,) and (n,)
        Values from 0 to 1 without NaN. The test rounds them to multiples of 1/400. Time and memory grow with
        :math:`m^2 (m + n)`.

    Returns
    -------
    float
        One-sided p-value, above 0 and at most 1: the exact share, among all choices of m of the m + n values, of those
        whose sum is at least as large as the sample's sum.

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
    """Return the share of choices of m numbers whose sum is at least as large as the sum of the first m numbers."""
    numbers = numbers - numbers.min()
    numbers //= max(np.gcd.reduce(numbers), 1)
    largest = int(np.sort(numbers)[len(numbers) - m :].sum())
    n_choices = np.zeros((m + 1, largest + 1))  # number of choices, indexed by size and sum
    n_choices[0, 0] = 1
    for number in numbers.tolist():
        n_choices[1:, number:] += n_choices[:-1, : largest + 1 - number]
    of_size = n_choices[m]
    return float(of_size[numbers[:m].sum() :].sum() / of_size.sum())
