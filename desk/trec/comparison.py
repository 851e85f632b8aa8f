"""Comparison of systems on the same topics: unanimous improvement and significance tests.

The literature on evaluation says *system* and *topic*; ours are a ranker version and a report issue. A table of scores
has a row a topic and a column a system, and its scores count upwards: higher is better.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from presort.metrics.improvement import uir_matrix, uir_table
from presort.metrics.paired_tests import paired_tests
from presort.metrics.score_tables import aligned
from presort.metrics.systems_topics import SystemsTopics, systems_topics
from presort.metrics.tukey import tukey_hsd

PAIR = 2  # systems; to test all of them at once is then nothing else than to test the pair


@dataclass(frozen=True, eq=False)
class Comparison:
    """Comparison of systems on the topics that have every score.

    Attributes
    ----------
    scores : dict of str to DataFrame, shape (n_topics, n_systems)
        For each measure, the scores of these topics; for one of `by_place`, places with a minus sign.
    turned, by_place : tuple of str
        As passed to `compare_systems`.
    left_out : tuple of str
        The other topics.
    improvements : DataFrame, a row a system
        The mean by each measure, and the columns of `metrics.uir_table` by all measures at once. Best F first; if that
        is not defined, as with any measure with a minus sign, best mean by the first measure.
    uir : DataFrame, shape (n_systems, n_systems)
        Unanimous Improvement Ratio of the row over the column.
    tests : dict of str to DataFrame
        For each measure the result of `paired_tests`.
    at_once : dict of str to DataFrame
        For each measure the result of `tukey_hsd` for all pairs, those of `tests` first. Empty for two systems.
    graph : SystemsTopics
        Of the first measure.
    """

    scores: dict[str, pd.DataFrame]
    turned: tuple[str, ...]
    by_place: tuple[str, ...]
    left_out: tuple[str, ...]
    improvements: pd.DataFrame
    uir: pd.DataFrame
    tests: dict[str, pd.DataFrame]
    at_once: dict[str, pd.DataFrame]
    graph: SystemsTopics


def complete_topics(scores: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Keep the topics that have the score of every system by every measure; NaN is where a score is not defined."""
    is_complete = np.logical_and.reduce([table.notna().all(axis="columns") for table in scores.values()])
    return {measure: table[is_complete] for measure, table in scores.items()}


def places(levels: pd.DataFrame) -> pd.DataFrame:
    """Return the place of each loss among all of a table, from 1, the smallest; equal ones share a mean place.

    A mean of floats, or a difference from 0.5, can't distinguish 1e-115 from 1e-230. Places keep the order, on every
    topic and from topic to topic. The table has `metrics.loss.loss_levels`, none NaN, with a row per topic and a column
    per system.

    Examples
    --------
    >>> places(pd.DataFrame({"a": [1, 2], "b": [0, 2]}))
         a    b
    0  2.0  1.0
    1  3.5  3.5
    """
    ranks = scipy.stats.rankdata(levels.to_numpy(dtype=float).ravel()).reshape(levels.shape)
    return pd.DataFrame(ranks, index=levels.index, columns=levels.columns)


def compare_systems(
    scores: Mapping[str, pd.DataFrame], *, turned: Collection[str] = (), by_place: Collection[str] = ()
) -> Comparison:
    """Compare systems by all measures at once, by each of them, and topic by topic.

    Parameters
    ----------
    scores : mapping of str to DataFrame
        A table for each measure, all with the same topics and systems, at least two; NaN where a score is not defined.
        At least two topics must be complete.
    turned : collection of str
        Measures of which lower is better, so that their scores come with a minus sign: there is no F of these.
    by_place : collection of str
        Measures whose scores are levels of loss. Their `places`, with a minus sign, are compared.
    """
    scores = aligned("scores", scores)
    complete = complete_topics(scores)
    complete |= {measure: -places(complete[measure]) for measure in by_place}
    first, all_topics = next(iter(complete.values())), next(iter(scores.values())).index
    by_system = {name: np.column_stack([table[name] for table in complete.values()]) for name in first.columns}
    means = pd.DataFrame({measure: table.mean() for measure, table in complete.items()})
    improvements = means.join(uir_table(by_system)).rename_axis("system")
    if turned or by_place:
        improvements["mean_f"] = math.nan  # 0 of a system that nothing can be better than says the reverse
    return Comparison(
        scores=complete,
        turned=tuple(turned),
        by_place=tuple(by_place),
        left_out=tuple(all_topics.difference(first.index, sort=False)),
        improvements=improvements.sort_values(["mean_f", *complete], ascending=False),
        uir=uir_matrix(by_system),
        tests={measure: paired_tests(table) for measure, table in complete.items()},
        at_once={name: tukey_hsd(table) for name, table in complete.items() if len(table.columns) > PAIR},
        graph=systems_topics(first),
    )
