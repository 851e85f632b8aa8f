"""Comparison of systems on the same topics: unanimous improvement and significance tests.

The literature on evaluation says *system* and *topic*; ours are a ranker version and a report issue. A table of scores
has a row a topic and a column a system, and its scores count upwards: higher is better.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

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
        For each measure, the scores of these topics.
    turned, by_distance : tuple of str
        Measures whose scores have a minus sign: of which lower is better; and those with `levels`.
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
    by_distance: tuple[str, ...]
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


def compare_systems(
    scores: Mapping[str, pd.DataFrame],
    *,
    turned: Collection[str] = (),
    levels: Mapping[str, pd.DataFrame] | None = None,
) -> Comparison:
    """Compare systems by all measures at once, by each of them, and topic by topic.

    Parameters
    ----------
    scores : mapping of str to DataFrame
        A table for each measure, all with the same topics and systems, at least two; NaN where a score is not defined.
        At least two topics must be complete.
    turned : collection of str
        Measures of which lower is better, so that their scores come with a minus sign: there is no F of these.
    levels : mapping of str to DataFrame, optional
        Of measures whose values for good orders all round to 1: `metrics.loss.loss_levels`, in a table as the scores.
        Their scores are `metrics.loss.log_distances` with a minus sign. Unanimous improvement goes by the levels,
        which are exact; tests go by the distances, so that those of a pair don't depend on the other systems.
    """
    levels = levels or {}
    scores = aligned("scores", scores)
    complete = complete_topics(scores)
    first, all_topics = next(iter(complete.values())), next(iter(scores.values())).index
    order = complete | {name: -table.loc[first.index, first.columns] for name, table in levels.items()}
    by_system = {name: np.column_stack([table[name] for table in order.values()]) for name in first.columns}
    means = pd.DataFrame({measure: table.mean() for measure, table in complete.items()})
    improvements = means.join(uir_table(by_system)).rename_axis("system")
    if turned or levels:
        improvements["mean_f"] = math.nan  # 0 of a system that nothing can be better than says the reverse
    return Comparison(
        scores=complete,
        turned=tuple(turned),
        by_distance=tuple(levels),
        left_out=tuple(all_topics.difference(first.index, sort=False)),
        improvements=improvements.sort_values(["mean_f", *complete], ascending=False),
        uir=uir_matrix(by_system),
        tests={measure: paired_tests(table) for measure, table in complete.items()},
        at_once={name: tukey_hsd(table) for name, table in complete.items() if len(table.columns) > PAIR},
        graph=systems_topics(first),
    )
