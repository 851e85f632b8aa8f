"""Comparison of systems on the same topics: unanimous improvement and significance tests.

The literature on evaluation says *system* and *topic*; ours are a ranker version and a report issue. A table of scores
has a row a topic and a column a system, and its scores count upwards: higher is better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from presort.metrics.arguments import shown
from presort.metrics.improvement import uir_matrix, uir_table
from presort.metrics.joined import Joined, check_collection_size, join, topic_outcomes
from presort.metrics.loss import EXACT, log_distances, loss_levels
from presort.metrics.measure import Measure
from presort.metrics.outcome import Outcome
from presort.metrics.paired_tests import paired_tests
from presort.metrics.registry import MEASURES
from presort.metrics.run_scores import AnyMeasure, OutcomeScores, score_topics
from presort.metrics.score import score_outcomes
from presort.metrics.score_tables import aligned
from presort.metrics.systems_topics import SystemsTopics, systems_topics
from presort.metrics.trec import QrelsSource, RunSource, read_qrels
from presort.metrics.tukey import tukey_hsd

ALPHA, MARK = 0.05, r"$^\dagger$"  # significance level and mark of `Comparison.to_latex`
PAIR = 2  # systems; to test all of them at once is then nothing else than to test the pair
LEAST_TOPICS = 2  # with fewer there is no spread
COMPARED_BY = ("AP", "P@10", "R@100")  # the default: always defined, and none can replace another


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

    Examples
    --------
    See `compare`.
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

    def to_latex(self, digits: int = 3) -> str:
        """Return the table of means as LaTeX, best system first. It needs the package Jinja2.

        A dagger marks systems that differ from the best by the permutation test, p < 0.05 after Holm's correction.
        """
        means = self.improvements[list(self.scores)]
        texts = means.map(f"{{:.{digits}f}}".format)
        for name in self.scores:
            is_worse = pd.Series(texts.index.isin(self._worse_than_best(name)), index=texts.index)
            texts[name] = texts[name].mask(is_worse, texts[name] + MARK)
        style = texts.rename_axis(None).style.format_index(escape="latex").format_index(escape="latex", axis="columns")
        return style.to_latex(hrules=True, column_format="l" + "r" * len(texts.columns))

    def _worse_than_best(self, measure: str) -> set[str]:
        """Return the names of the systems that differ significantly from the best by a measure."""
        tests = self.tests[measure]
        best = self.scores[measure].mean().idxmax()
        found = tests[(tests["permutation_holm"] < ALPHA) & ((tests["system"] == best) | (tests["other"] == best))]
        return {*found["system"], *found["other"]} - {best}


@dataclass(frozen=True, eq=False)
class RunTables:
    """Input of `compare_systems` from runs."""

    scores: dict[str, pd.DataFrame]
    turned: tuple[str, ...]
    levels: dict[str, pd.DataFrame]


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


def run_tables(
    joined: Mapping[str, Joined],
    measures: Sequence[AnyMeasure],
    score_outcomes: OutcomeScores = score_outcomes,
    *,
    collection_size: int | None = None,
) -> RunTables:
    """Measure runs that were joined with the same judgements.

    Parameters
    ----------
    joined : mapping of str to Joined
        By name of the system.
    measures : sequence of str, Measure or callable
        As for `metrics.score`.
    score_outcomes, collection_size
        As for `metrics.run_scores.score_topics`.

    Returns
    -------
    RunTables
        Topics are those of the judgements; a run without a topic has NaN there.
    """
    topics = sorted({name for one in joined.values() for name in (*(t.name for t in one.topics), *one.only_in_qrels)})
    by_system = {
        name: score_topics(one, measures, score_outcomes, collection_size=collection_size).reindex(topics)
        for name, one in joined.items()
    }
    names = list(next(iter(by_system.values())).columns)
    lower = tuple(name for name, each in zip(names, measures, strict=True) if _is_lower_better(each))
    scores = {name: pd.DataFrame({system: table[name] for system, table in by_system.items()}) for name in names}
    scores |= {name: 0.0 - scores[name] for name in lower}  # no -0
    found = {
        system: topic_outcomes(one, collection_size=collection_size).reindex(topics) for system, one in joined.items()
    }
    outcomes = pd.DataFrame(found, dtype=object)
    exact = [name for name in names if name in EXACT]
    scores |= {name: 0.0 - _of_defined(partial(log_distances, name), outcomes) for name in exact}
    return RunTables(scores, lower, {name: _of_defined(partial(loss_levels, name), outcomes) for name in exact})


def _is_lower_better(measure: AnyMeasure) -> bool:
    known = MEASURES.get(measure) if isinstance(measure, str) else measure
    return isinstance(known, Measure) and not known.higher_is_better


def _of_defined(compute: Callable[[Sequence[Outcome]], NDArray[Any]], outcomes: pd.DataFrame) -> pd.DataFrame:
    """Compute a number from each outcome in a table; NaN where no measure is defined."""
    each = outcomes.to_numpy().ravel()
    is_defined = np.array([isinstance(one, Outcome) and 0 < one.r < one.n for one in each], dtype=bool)
    found = np.full(each.shape, np.nan)
    found[is_defined] = compute(each[is_defined])
    return pd.DataFrame(found.reshape(outcomes.shape), outcomes.index, outcomes.columns)


def compare(
    systems: Mapping[str, RunSource] | pd.DataFrame,
    qrels: QrelsSource | None = None,
    measures: Sequence[AnyMeasure] = COMPARED_BY,
    *,
    relevance_level: int = 1,
    collection_size: int | None = None,
) -> Comparison:
    """Compare systems by several measures: means, unanimous improvement, tests of each pair, and the topics.

    Parameters
    ----------
    systems : mapping of str to run, or DataFrame, shape (n_topics, n_systems)
        Two systems or more: runs as for `read_run`, by name; or their scores by one measure, higher is better.
    qrels : path, DataFrame or dict
        Judgements for runs, as for `read_qrels`. To be left out for scores.
    measures : sequence of str, Measure or callable
        For runs, as for `score`. Measures of which lower is better count with a minus sign. Copnori, Ponori and
        Nosel-Copnori, which round to 1 for good orders, are compared by `presort.metrics.loss.log_distances`.
    relevance_level, collection_size : int, optional
        For runs, as for `score`.

    Returns
    -------
    Comparison
        On the topics that have every score of every system.

    Raises
    ------
    OSError
        If a file can't be read.
    ValueError
        If there are fewer than two systems, or two topics with every score; or as for `score`.

    Examples
    --------
    >>> found = compare(pd.DataFrame({"new": [0.6, 0.8, 0.7], "old": [0.5, 0.6, 0.7]}, index=["a", "b", "c"]))
    >>> found.improvements["score"].round(2).to_dict()
    {'new': 0.7, 'old': 0.6}
    >>> found.tests["score"][["system", "other", "permutation"]]
      system other  permutation
    0    new   old          0.5
    """
    if not isinstance(systems, pd.DataFrame | Mapping) or len(list(systems)) < PAIR:
        raise ValueError(f"systems must be two runs or more by name, or a table of scores, got {shown(systems)}")
    if isinstance(systems, pd.DataFrame):
        if qrels is not None:
            raise ValueError("qrels must be left out for a table of scores")
        tables = RunTables({"score": systems}, (), {})
    else:
        if qrels is None:
            raise ValueError("qrels are required with runs")
        judgements = read_qrels(qrels)  # once for all runs: it may be a large file
        joined = {name: join(run, judgements, relevance_level) for name, run in systems.items()}
        for one in joined.values():
            check_collection_size(one, collection_size)
        tables = run_tables(joined, measures, collection_size=collection_size)
    n_complete = len(next(iter(complete_topics(tables.scores).values())))
    if n_complete < LEAST_TOPICS:
        raise ValueError(f"systems must have every score on {LEAST_TOPICS} topics or more, got {n_complete}")
    return compare_systems(tables.scores, turned=tables.turned, levels=tables.levels)
