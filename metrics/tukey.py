"""Tukey's honestly significant differences by random permutations: all pairs of systems tested at once."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from presort.metrics.batch import Floats
from presort.metrics.cases import number_table
from presort.metrics.paired_tests import best_first
from presort.metrics.score_tables import ScoreTable, score_table

N_PERMUTATIONS = 10_000  # the smallest p-value is then 0.0001
CELLS_AT_ONCE = 500_000  # permuted scores in memory, 4 MB
NOISE = 1e-12  # of the largest score: rounding, which must not part what is equal
SEED = 0  # any will do, but always the same


def tukey_hsd(scores: ScoreTable, *, n_permutations: int = N_PERMUTATIONS) -> pd.DataFrame:
    r"""Test for all pairs of systems at once whether their difference may be chance: randomised Tukey HSD.

    Parameters
    ----------
    scores : DataFrame or array-like, shape (n_topics, n_systems)
        A row per topic and a column per system: two systems or more, and a topic or more. Without NaN: leave out a
        topic on which a system has no score, because its permutations would mix systems with a score and without.
    n_permutations : int
        Random permutations, at least 1; always the same ones. Time grows with these, the topics and the systems:
        10,000 take about 1.5 seconds for 129 systems and 50 topics. Memory does not grow with them.

    Returns
    -------
    DataFrame, a row a pair
        ``system``, ``other``: the one of the higher mean first, pairs of the best systems first. ``difference``: of
        their means, from 0. ``p``: from 1 / (n_permutations + 1) to 1, corrected for all pairs already.

    Raises
    ------
    ValueError
        If there are fewer systems, topics or permutations, the table is transposed, a name occurs twice, or a score is
        NaN or not from -1e100 to 1e100.

    Notes
    -----
    Under the null hypothesis that all systems are alike, the scores of a topic are exchangeable among them. So the
    scores of each topic are permuted among the systems B times, and the range of the means is stored each time. The
    p-value of a pair is :math:`(k + 1) / (B + 1)`, where k of the ranges are at least as large as the pair's own
    difference. A pair is compared with the largest difference in each permutation, so no further correction is
    needed. Holm's correction (`presort.metrics.paired_tests.holm`), in contrast, demands a smaller p-value of each
    pair the more pairs there are. The same range applies to all pairs, however: paired tests are more likely than
    this one to separate two poor systems that differ little, but on every topic.

    References
    ----------
    Carterette, TOIS 30(1), 2012; Sakai, Laboratory Experiments in Information Retrieval, 2018.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [3, 5, 4, 6, 5, 4], "b": [2, 4, 4, 5, 4, 3], "c": [0, 1, 1, 2, 0, 1]}) / 10
    >>> tukey_hsd(table).round(3)
      system other  difference      p
    0      a     b       0.083  0.819
    1      a     c       0.367  0.000
    2      b     c       0.283  0.030
    """
    table = score_table("scores", scores, n_topics=1, n_systems=2)
    values = number_table("scores", table.infer_objects().to_numpy(), "(n_topics, n_systems)")
    _check(values, n_permutations)
    ordered = best_first(pd.DataFrame(values, table.index, table.columns))
    values = ordered.to_numpy()
    means = values.mean(axis=0)
    pairs = list(combinations(range(len(means)), 2))
    first, second = (list(side) for side in zip(*pairs, strict=True))
    differences = means[first] - means[second]
    ranges = np.sort(_ranges(values, n_permutations))
    n_as_far = n_permutations - np.searchsorted(ranges, differences - NOISE * np.abs(values).max())
    names = ordered.columns
    return pd.DataFrame(
        {
            "system": names[first],
            "other": names[second],
            "difference": differences,
            "p": (n_as_far + 1) / (n_permutations + 1),
        }
    )


def _check(values: Floats, n_permutations: int) -> None:
    if not np.isfinite(values).all():
        raise ValueError("scores must be finite: leave out the topics that a system has no score on")
    if n_permutations < 1:
        raise ValueError(f"n_permutations must be at least 1, got {n_permutations}")


def _ranges(values: Floats, n_permutations: int) -> Floats:
    """Return how far the largest mean is from the smallest in each permutation, shape (n_permutations,)."""
    random = np.random.default_rng(SEED)
    at_once = max(CELLS_AT_ONCE // values.size, 1)
    ranges = np.empty(n_permutations)
    for start in range(0, n_permutations, at_once):
        block = ranges[start : start + at_once]
        permuted = random.permuted(np.broadcast_to(values, (len(block), *values.shape)), axis=2)
        block[:] = np.ptp(permuted.mean(axis=1), axis=1)
    return ranges
