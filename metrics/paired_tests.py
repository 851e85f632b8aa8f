"""Paired significance tests for differences between systems on the same topics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from presort.metrics.batch import Floats
from presort.metrics.lazy import pd, scipy

MOST_SYSTEMS = 20  # if there are more systems, only the best system is tested against the others
LEAST_FLIPS = 19_999  # minimum number of random sign flips; if fewer different flips exist, all of them are used
FLIPS_PER_PAIR = 50  # enough for p-values as low as 0.02 after the correction over all pairs
# Limit on the number of flips times the number of pairs. Each result takes one byte. Enough for 200 systems.
MOST_ANSWERS = 200_000_000
AT_ONCE = 1_000  # maximum number of sign flips in memory
MOST_TRIED = 13  # up to this number of differences, SciPy tries all sign combinations if there are ties
SEED = 0  # fixed, for reproducible p-values
DIGITS = 12  # decimals to which scaled differences are rounded; rounding errors in later decimals would break ties
ROUNDING = 8 * np.finfo(float).eps  # rounding error of a computed score, relative to the largest score


def paired_tests(scores: pd.DataFrame) -> pd.DataFrame:
    r"""Test pairs of systems for significant differences.

    Parameters
    ----------
    scores : DataFrame, shape (n_topics, n_systems)
        Scores without NaN. All pairs are tested if there are at most `MOST_SYSTEMS` systems. Otherwise, only the best
        system is tested against each other system.

    Returns
    -------
    DataFrame, one row per pair, pairs of the best systems first
        ``system``, ``other``: names, the system with the higher mean first. ``difference``: difference of the means, at
        least 0, and exactly 0 if the means are equal except for rounding errors. ``wilcoxon``, ``permutation``:
        two-sided p-values of the signed-rank test and of the sign-flip permutation test of the mean difference; 1 for
        systems that never differ. ``wilcoxon_holm``, ``permutation_holm``: p-values after Holm's correction over all
        pairs of systems, including untested pairs, because the best system was determined on the same topics.
        ``permutation_at_floor``: True if ``permutation`` is the smallest p-value that random flips can yield and
        therefore only an upper bound. The p-values of the permutation test are NaN if there are too many systems for
        enough sign flips, see `MOST_ANSWERS`.

    References
    ----------
    `scipy.stats.wilcoxon` and `scipy.stats.permutation_test`, which uses all sign flips if there are few.

    Examples
    --------
    >>> table = pd.DataFrame({"old": [0.1, 0.4, 0.2, 0.3, 0.5], "new": [0.2, 0.6, 0.5, 0.7, 0.9]})
    >>> paired_tests(table)[["system", "other", "wilcoxon", "permutation"]]
      system other  wilcoxon  permutation
    0    new   old    0.0625       0.0625
    """
    ordered = best_first(scores)
    n_systems = len(ordered.columns)
    family = math.comb(n_systems, 2)
    last = n_systems if n_systems <= MOST_SYSTEMS else 1
    pairs = [pair for pair in combinations(range(n_systems), 2) if pair[0] < last]
    first, second = (list(side) for side in zip(*pairs, strict=True))
    values = ordered.to_numpy(dtype=float)
    n_flips = FLIPS_PER_PAIR * family
    tests = p_values_of_pairs(values[:, first], values[:, second], n_flips=n_flips)
    return pd.DataFrame(
        {
            "system": ordered.columns[first],
            "other": ordered.columns[second],
            "difference": mean_differences(values, first, second),
            **tests,
            **{f"{name}_holm": holm(p_values, family=family) for name, p_values in tests.items()},
            "permutation_at_floor": tests["permutation"] <= permutation_floor(len(values), n_flips),
        }
    )


def best_first(scores: pd.DataFrame) -> pd.DataFrame:
    """Sort the systems (columns) of a score table by descending mean. Ties keep their order."""
    sums = scores.apply(math.fsum)  # the same exact sums as in `mean_differences`, so that no difference is negative
    return scores[sums.sort_values(ascending=False, kind="stable").index]


def mean_differences(values: Floats, first: Sequence[int], second: Sequence[int]) -> Floats:
    """Return the difference of the means of each pair of columns. Differences within the rounding error become 0."""
    sums = np.array([math.fsum(column) for column in values.T])
    differences: Floats = (sums[first] - sums[second]) / len(values)
    largest = np.abs(values).max(axis=0)
    return np.where(np.abs(differences) > ROUNDING * np.maximum(largest[first], largest[second]), differences, 0.0)


def p_values_of_pairs(first: Floats, second: Floats, *, n_flips: int = 0) -> dict[str, Floats]:
    """Test the difference between two tables separately for each column.

    Parameters
    ----------
    first, second : ndarray of float64, shape (n_topics, n_pairs)
        Scores without NaN of the first and the second system of each pair.
    n_flips : int
        Number of sign flips. At least `LEAST_FLIPS` are used, or all different flips if there are fewer.

    Returns
    -------
    dict of ndarray of float64, shape (n_pairs,)
        p-values ``wilcoxon`` and ``permutation``, see `paired_tests`.
    """
    unit = _unit(np.maximum(np.abs(first), np.abs(second)).max(axis=0))
    apart = np.round((first - second) / unit, DIGITS)
    return {"wilcoxon": _wilcoxon(apart), "permutation": _permutation(apart, n_flips)}


def permutation_floor(n_topics: int, n_flips: int = 0) -> float:
    """Return the smallest p-value that random sign flips can yield, or 0 if all flips are used and p-values are exact.

    Examples
    --------
    >>> permutation_floor(50), permutation_floor(10)
    (5e-05, 0.0)
    """
    n_made = _n_made(n_topics, n_flips)
    return 0.0 if n_made >= 2**n_topics else 1 / (n_made + 1)


def _n_made(n_topics: int, n_flips: int) -> int:
    return max(LEAST_FLIPS, min(n_flips, 1 << n_topics))


def holm(p_values: Floats, *, family: int | None = None) -> Floats:
    r"""Correct p-values for multiple comparisons by Holm's method.

    Parameters
    ----------
    p_values : ndarray of float64, shape (n,)
        Uncorrected p-values.
    family : int, optional
        Number of tests in the family, at least n. Defaults to n.

    Returns
    -------
    ndarray of float64, shape (n,)
        Corrected p-values in the same order, at most 1.

    Notes
    -----
    In a family of m tests, the i-th smallest p-value is multiplied by :math:`m - i + 1`. The results are made
    monotonic. If the family is larger than n, the correction is conservative, because the p-values of the missing tests
    could only reduce the factors.

    References
    ----------
    Holm, Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(4).tolist()
    [0.03, 0.06, 0.06]
    >>> holm(np.array([0.01, 0.04, 0.03]), family=6).round(4).tolist()
    [0.06, 0.16, 0.15]
    """
    smallest_first = np.argsort(p_values, kind="stable")
    corrected = np.empty_like(p_values)
    largest = family or p_values.size
    factors = np.arange(largest, largest - p_values.size, -1)
    corrected[smallest_first] = np.minimum(np.maximum.accumulate(p_values[smallest_first] * factors), 1)
    return corrected


def _unit(largest: Floats) -> Floats:
    """Round each value up to a power of ten. Dividing a score by a power of ten preserves its digits."""
    return np.float_power(10, np.ceil(np.log10(np.where(largest, largest, 1))))


def _wilcoxon(differences: Floats) -> Floats:
    """Return a p-value for each column. It is 1 if all differences are 0, in which case SciPy would divide by zero."""
    return np.array([_signed_rank_p_value(column) if column.any() else 1.0 for column in differences.T])


def _signed_rank_p_value(column: Floats) -> float:
    """Return the p-value of `scipy.stats.wilcoxon`. SciPy itself would take seconds for a few differences with ties."""
    sizes = np.abs(column[column != 0])
    if len(column) > MOST_TRIED or len(np.unique(sizes)) == len(column):
        return float(scipy.stats.wilcoxon(column).pvalue)
    ranks = scipy.stats.rankdata(sizes)
    sums = np.zeros(1)
    for rank in ranks:  # sum of the positive ranks for each combination of signs
        sums = np.concatenate([sums, sums + rank])
    found = ranks[column[column != 0] > 0].sum()
    return min(1.0, 2 * float(min((sums <= found).mean(), (sums >= found).mean())))


def _permutation(differences: Floats, n_flips: int) -> Floats:
    """Return a p-value for each column. The same sign flips are used for all columns."""
    n_topics, n_pairs = differences.shape
    n_flips = _n_made(n_topics, n_flips)
    if n_flips * n_pairs > MOST_ANSWERS:
        return np.full(n_pairs, np.nan)
    # Half a unit in the last decimal is subtracted, so that rounding errors don't break ties.
    as_far = np.abs(differences.sum(axis=0)) - 10.0**-DIGITS / 2

    # SciPy stores the result of every flip. Returning a bool takes 1 byte per flip; returning the sum would take 8.
    def is_as_far(signs: Floats, axis: int) -> NDArray[np.bool_]:
        answers: NDArray[np.bool_] = np.abs(signs @ differences) >= as_far
        return answers

    result = scipy.stats.permutation_test(
        (np.ones(len(differences)),),
        is_as_far,
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=n_flips,
        batch=AT_ONCE,
        rng=SEED,
    )
    return np.asarray(result.pvalue, dtype=float)
