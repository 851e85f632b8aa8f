"""A test of ranks: whether what is newest is larger than what was before, or may be by chance."""

import numpy as np
from scipy.stats import rankdata

from metrics.batch import Floats


def rank_sum_p(sample: Floats, other: Floats) -> float:
    r"""Compute how often chance alone would make a sample as large as it is beside another one.

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
    the mean of their ranks. If nothing sets the sample apart, any m of the m + n values might as well be it. The
    p-value is the share of these choices whose sum is at least as large, counted exactly whatever is level. Where most
    values are the same, the usual approximation by the normal distribution gives too small a p-value.

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
    ranks = (2 * rankdata(np.concatenate([sample, other]))).astype(np.int64)  # doubled, a mean of ranks is whole
    ranks -= ranks.min()
    ranks //= max(np.gcd.reduce(ranks), 1)
    m = len(sample)
    largest = int(np.sort(ranks)[len(ranks) - m :].sum())
    n_choices = np.zeros((m + 1, largest + 1))  # of so many values that have such a sum
    n_choices[0, 0] = 1
    for rank in ranks.tolist():
        n_choices[1:, rank:] += n_choices[:-1, : largest + 1 - rank]
    of_size = n_choices[m]
    return float(of_size[ranks[:m].sum() :].sum() / of_size.sum())
