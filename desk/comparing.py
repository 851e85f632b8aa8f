"""Systems compared on the same topics: which improves which, and which differences may be chance.

The literature on evaluation says *system* and *topic*; ours are a ranker version and a report issue. A table of scores
has a row a topic and a column a system, and its scores count upwards: higher is better.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import permutation_test, wilcoxon

from metrics.batch import Floats
from metrics.improvement import uir_matrix, uir_table
from metrics.systems_topics import SystemsTopics, systems_topics

LEAST_UIR = 0.25  # from which one system improves another, whatever the weights of the measures: a rule of thumb
MOST_SYSTEMS = 20  # of which all pairs are tested; with more, each is tested against the best
SIGN_FLIPS = 19_999  # of which even the 190 pairs of 20 systems leave a p of 0.02 to be found after the correction
AT_ONCE = 1_000  # sign flips in memory
SEED = 0  # any will do, but always the same
DIGITS = 12  # decimals of a difference; below that is rounding, which would break ties


@dataclass(frozen=True, eq=False)
class Comparison:
    """What is known of systems on the topics that have every score.

    Attributes
    ----------
    scores : dict of str to DataFrame, shape (n_topics, n_systems)
        For each measure, the scores of these topics.
    left_out : tuple of str
        The other topics.
    improvements : DataFrame, a row a system
        The mean by each measure, and what `metrics.uir_table` says of all measures at once. Best F first; where that
        is not defined, best mean by the first measure.
    uir : DataFrame, shape (n_systems, n_systems)
        Unanimous Improvement Ratio of the row over the column.
    tests : dict of str to DataFrame
        For each measure what `paired_tests` says.
    graph : SystemsTopics
        Of the first measure.
    """

    scores: dict[str, pd.DataFrame]
    left_out: tuple[str, ...]
    improvements: pd.DataFrame
    uir: pd.DataFrame
    tests: dict[str, pd.DataFrame]
    graph: SystemsTopics


def complete_topics(scores: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Keep the topics that have the score of every system by every measure.

    Parameters
    ----------
    scores : mapping of str to DataFrame
        A table for each measure, all with the same topics and systems; NaN where a score is not defined.
    """
    is_complete = np.logical_and.reduce([table.notna().all(axis="columns") for table in scores.values()])
    return {measure: table[is_complete] for measure, table in scores.items()}


def compare_systems(scores: Mapping[str, pd.DataFrame]) -> Comparison:
    """Compare systems by all measures at once, by each of them, and topic by topic.

    Parameters
    ----------
    scores : mapping of str to DataFrame
        A table for each measure, all with the same topics and systems, at least two; NaN where a score is not defined.
        At least two topics must be complete.
    """
    complete = complete_topics(scores)
    first, all_topics = next(iter(complete.values())), next(iter(scores.values())).index
    by_system = {name: np.column_stack([table[name] for table in complete.values()]) for name in first.columns}
    means = pd.DataFrame({measure: table.mean() for measure, table in complete.items()})
    improvements = means.join(uir_table(by_system, threshold=LEAST_UIR)).rename_axis("system")
    return Comparison(
        scores=complete,
        left_out=tuple(all_topics.difference(first.index, sort=False)),
        improvements=improvements.sort_values(["mean_f", *complete], ascending=False),
        uir=uir_matrix(by_system),
        tests={measure: paired_tests(table) for measure, table in complete.items()},
        graph=systems_topics(first.T),
    )


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
        correction over all pairs of the table. Pairs of the best systems first.

    References
    ----------
    `scipy.stats.wilcoxon`, `scipy.stats.permutation_test`; all sign flips if there are no more than `SIGN_FLIPS`.

    Examples
    --------
    >>> table = pd.DataFrame({"old": [0.1, 0.4, 0.2, 0.3, 0.5], "new": [0.2, 0.6, 0.5, 0.7, 0.9]})
    >>> paired_tests(table)[["system", "other", "wilcoxon", "permutation"]]
      system other  wilcoxon  permutation
    0    new   old    0.0625       0.0625
    """
    best_first = scores[scores.mean().sort_values(ascending=False, kind="stable").index]
    last = len(best_first.columns) if len(best_first.columns) <= MOST_SYSTEMS else 1
    pairs = [pair for pair in combinations(range(len(best_first.columns)), 2) if pair[0] < last]
    first, second = (list(side) for side in zip(*pairs, strict=True))
    values = best_first.to_numpy(dtype=float)
    differences = np.round(values[:, first] - values[:, second], DIGITS)
    tests = {"wilcoxon": _wilcoxon(differences), "permutation": _permutation(differences)}
    return pd.DataFrame(
        {
            "system": best_first.columns[first],
            "other": best_first.columns[second],
            "difference": differences.mean(axis=0),
            **tests,
            **{f"{name}_holm": holm(p_values) for name, p_values in tests.items()},
        }
    )


def holm(p_values: Floats) -> Floats:
    r"""Correct p-values for being the smallest of many.

    Parameters
    ----------
    p_values : ndarray of float64, shape (n,)

    Returns
    -------
    ndarray of float64, shape (n,)
        In the same order, at most 1.

    Notes
    -----
    The i-th smallest is multiplied by :math:`n - i + 1`, and never becomes less than a smaller one.

    References
    ----------
    Holm, Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    smallest_first = np.argsort(p_values, kind="stable")
    corrected = np.empty_like(p_values)
    factors = np.arange(p_values.size, 0, -1)
    corrected[smallest_first] = np.minimum(np.maximum.accumulate(p_values[smallest_first] * factors), 1)
    return corrected


def _wilcoxon(differences: Floats) -> Floats:
    """Give a p-value for each column; SciPy divides by zero where nothing differs."""
    return np.array([wilcoxon(column).pvalue if column.any() else 1.0 for column in differences.T])


def _permutation(differences: Floats) -> Floats:
    """Give a p-value for each column. The signs are what is permuted, so that the same flips serve all pairs."""

    def total(signs: NDArray[np.float64], axis: int) -> Floats:
        return signs @ differences

    result = permutation_test(
        (np.ones(len(differences)),),
        total,
        permutation_type="samples",
        vectorized=True,
        n_resamples=SIGN_FLIPS,
        batch=AT_ONCE,
        rng=SEED,
    )
    return np.asarray(result.pvalue, dtype=float)
