"""Paired tests of the differences of systems that were scored on the same topics."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from presort.metrics.batch import Floats

MOST_SYSTEMS = 20  # of which all pairs are tested; with more, each is tested against the best
LEAST_FLIPS = 19_999  # of signs; where there are no more, all are tried
FLIPS_PER_PAIR = 50  # they leave a p of 0.02 to be found after the correction over all pairs
MOST_ANSWERS = 200_000_000  # flips times pairs tested, a byte each: enough for 200 systems
AT_ONCE = 1_000  # sign flips in memory
MOST_TRIED = 13  # differences with ties among them of which SciPy tries all signs, too
SEED = 0  # any will do, but always the same
DIGITS = 12  # decimals of a difference, where the largest score is near 1; below that is rounding, which breaks ties


def paired_tests(scores: pd.DataFrame) -> pd.DataFrame:
    r"""Test for pairs of systems whether their difference may be chance.

    Parameters
    ----------
    scores : DataFrame, shape (n_topics, n_systems)
        No NaN. Of up to `MOST_SYSTEMS` systems every pair is tested; of more, the best against each of the others.

    Returns
    -------
    DataFrame, a row a pair
        ``system``, ``other``: the one of the higher mean first. ``difference``: of their means, from 0.
        ``wilcoxon``, ``permutation``: two-sided p-values of the signed-rank test and of the mean difference under
        random signs; 1 for systems that never differ. ``wilcoxon_holm``, ``permutation_holm``: the same after Holm's
        correction over all pairs of systems, also those not tested: which system is best was seen on the same topics,
        and any might have been. Pairs of the best systems first. The permutation test is NaN where so many systems
        need more sign flips than can be made, see `MOST_ANSWERS`, for a small p-value to be left by that correction.
        ``permutation_at_floor``: no random flip gave a larger difference, so that the p-value is an upper bound.

    References
    ----------
    `scipy.stats.wilcoxon`, `scipy.stats.permutation_test`; all sign flips if these are few.

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
    differences, tests = p_values_of_pairs(values[:, first], values[:, second], n_flips=n_flips)
    return pd.DataFrame(
        {
            "system": ordered.columns[first],
            "other": ordered.columns[second],
            "difference": differences,
            **tests,
            **{f"{name}_holm": holm(p_values, family=family) for name, p_values in tests.items()},
            "permutation_at_floor": tests["permutation"] <= permutation_floor(len(values), n_flips),
        }
    )


def best_first(scores: pd.DataFrame) -> pd.DataFrame:
    """Order the systems of a table of scores, a column each, by falling mean; those level as they came."""
    return scores[scores.mean().sort_values(ascending=False, kind="stable").index]


def p_values_of_pairs(first: Floats, second: Floats, *, n_flips: int = 0) -> tuple[Floats, dict[str, Floats]]:
    """Test for each column whether the difference of two tables may be chance.

    Parameters
    ----------
    first, second : ndarray of float64, shape (n_topics, n_pairs)
        No NaN.
    n_flips : int
        Sign flips wanted; `LEAST_FLIPS` are made at least, or all there are.

    Returns
    -------
    differences : ndarray of float64, shape (n_pairs,)
        Of the means.
    tests : dict of ndarray of float64, shape (n_pairs,)
        ``wilcoxon`` and ``permutation``, as `paired_tests` gives them.
    """
    unit = _unit(np.maximum(np.abs(first), np.abs(second)).max(axis=0))
    apart = np.round((first - second) / unit, DIGITS)
    tests = {"wilcoxon": _wilcoxon(apart), "permutation": _permutation(apart, n_flips)}
    return apart.mean(axis=0) * unit, tests


def permutation_floor(n_topics: int, n_flips: int = 0) -> float:
    """Return the smallest p-value that random sign flips can give; 0 if all flips are tried, which makes it exact.

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
    r"""Correct p-values for being the smallest of many.

    Parameters
    ----------
    p_values : ndarray of float64, shape (n,)
    family : int, optional
        Tests among which these were chosen, at least n. Defaults to n.

    Returns
    -------
    ndarray of float64, shape (n,)
        In the same order, at most 1.

    Notes
    -----
    The i-th smallest is multiplied by :math:`m - i + 1` in a family of m, and never becomes less than a smaller one.
    Those of the family that are not here may only have made the factors smaller.

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
    """Return a power of ten not below each: dividing by it keeps the decimals of a score as they are."""
    return np.float_power(10, np.ceil(np.log10(np.where(largest, largest, 1))))


def _wilcoxon(differences: Floats) -> Floats:
    """Return a p-value for each column. SciPy would divide by zero if nothing differs."""
    return np.array([_signed_rank(column) if column.any() else 1.0 for column in differences.T])


def _signed_rank(column: Floats) -> float:
    """Return the p-value of `scipy.stats.wilcoxon`; of few differences with ties, SciPy's own way takes seconds."""
    sizes = np.abs(column[column != 0])
    if len(column) > MOST_TRIED or len(np.unique(sizes)) == len(column):
        return float(scipy.stats.wilcoxon(column).pvalue)
    ranks = scipy.stats.rankdata(sizes)
    sums = np.zeros(1)
    for rank in ranks:  # of the positive ranks, with either sign of each difference
        sums = np.concatenate([sums, sums + rank])
    found = ranks[column[column != 0] > 0].sum()
    return min(1.0, 2 * float(min((sums <= found).mean(), (sums >= found).mean())))


def _permutation(differences: Floats, n_flips: int) -> Floats:
    """Return a p-value for each column. Signs are permuted, so that all pairs use the same flips."""
    n_topics, n_pairs = differences.shape
    n_flips = _n_made(n_topics, n_flips)
    if n_flips * n_pairs > MOST_ANSWERS:
        return np.full(n_pairs, np.nan)
    as_far = np.abs(differences.sum(axis=0)) - 10.0**-DIGITS / 2  # totals have no more decimals than differences

    def is_as_far(signs: Floats, axis: int) -> NDArray[np.bool_]:  # SciPy keeps all answers, and a total has 8 bytes
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
