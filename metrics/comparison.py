"""Compare systems on the same topics: means, unanimous improvement and significance tests.

In Presort, a *system* is a ranker version and a *topic* is a report issue. A table of scores has one row per topic and
one column per system; higher is better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from presort.metrics.arguments import short_repr
from presort.metrics.improvement import uir_matrix, uir_table
from presort.metrics.joined_run import JoinedRun, check_collection_size, read_and_join, topic_outcomes
from presort.metrics.lazy import pd
from presort.metrics.loss import EXACT, log_distances, loss_levels
from presort.metrics.measure import Measure
from presort.metrics.outcome import Outcome
from presort.metrics.paired_tests import paired_tests
from presort.metrics.registry import MEASURES
from presort.metrics.run_scores import AnyMeasure, OutcomeScores, score_topics
from presort.metrics.score import list_measures, outcome_values
from presort.metrics.score_tables import align_tables
from presort.metrics.systems_topics import SystemsTopics, systems_topics
from presort.metrics.trec import QrelsSource, RunSource, read_qrels
from presort.metrics.tukey import tukey_hsd

ALPHA = 0.05  # significance level of `Comparison.to_latex`
DAGGER, ARROW, DISTANCE = r"$^\dagger$", r"$\downarrow$", r"$\log_2(1 + d)$"
NOTES = {  # notes printed below the table of `Comparison.to_latex`, keyed by the mark that they explain
    ARROW: f"{ARROW}: lower is better.",
    DISTANCE: "$d$: distance from the best possible order.",
    DAGGER: f"{DAGGER}: significantly worse than the best system of the column (paired permutation test with Holm's "
    f"correction, $p < {ALPHA}$).",
}
SPECIAL = str.maketrans(
    {char: rf"\{char}" for char in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)
PAIR = 2  # number of systems for which no test of all pairs at once is needed, because there is only one pair
LEAST_TOPICS = 2  # a single topic has no variance
# The default measures don't duplicate each other, and they are defined even if relevant papers are missing from a run.
COMPARED_BY = ("AP", "P@10", "R@100")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Comparison of systems on the topics with complete scores.

    Attributes
    ----------
    scores : dict of str to DataFrame, shape (n_topics, n_systems)
        Scores by measure, on the complete topics.
    turned : tuple of str
        Measures for which lower is better. Their scores are negated.
    by_distance : tuple of str
        Measures that are compared by their distance from the best value. Their scores are negated distances.
    left_out : tuple of str
        Topics ignored because a score is missing.
    improvements : DataFrame, one row per system
        Mean of each measure, and the columns of `metrics.uir_table`, which takes all measures into account. Sorted by
        F, best first. If F is undefined, for example because scores are negated, sorted by the mean of the first
        measure.
    uir : DataFrame, shape (n_systems, n_systems)
        Unanimous Improvement Ratio of the row's system over the column's system.
    tests : dict of str to DataFrame
        Results of `paired_tests` by measure.
    at_once : dict of str to DataFrame
        Results of `tukey_hsd` for all pairs, by measure. The pairs that `tests` contains come first. Empty if there are
        only two systems.
    graph : SystemsTopics
        Result of `systems_topics` for the first measure.

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
        r"""Return the table of means as LaTeX, best system first. The document needs the package booktabs.

        Values are not negated: an arrow marks measures for which lower is better. Measures in `by_distance` show
        :math:`\log_2(1 + d)`, see `metrics.loss.log_distances`. A dagger marks systems that are significantly worse
        than the best system of the column (permutation test, p < 0.05 after Holm's correction). Notes below the table
        explain the marks.
        """
        columns = {_head(name, self): self._cells(name, digits) for name in self.scores}
        systems = map(_escape_latex, self.improvements.index)
        rows = [("", *columns), *zip(systems, *columns.values(), strict=True)]
        head, *body = (" & ".join(row) + r" \\" for row in rows)
        begin = rf"\begin{{tabular}}{{l{'r' * len(columns)}}}"
        table = [begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
        notes = " ".join(note for mark, note in NOTES.items() if any(mark in line for line in (head, *body)))
        below = [rf"\par\smallskip{{\footnotesize {notes}\par}}"] if notes else []
        return "\n".join([*table, *below])

    def _cells(self, measure: str, digits: int) -> list[str]:
        """Format the mean of each system, in the order of `improvements`."""
        sign = -1 if measure in self.turned or measure in self.by_distance else 1
        worse = self._worse_than_best(measure)
        means = self.improvements[measure].items()
        return [f"{sign * mean:z.{digits}f}{DAGGER if system in worse else ''}" for system, mean in means]

    def _worse_than_best(self, measure: str) -> set[str]:
        """Return the names of the systems that are significantly worse than the best system by this measure."""
        tests = self.tests[measure]
        best = self.scores[measure].mean().idxmax()
        found = tests[(tests["permutation_holm"] < ALPHA) & ((tests["system"] == best) | (tests["other"] == best))]
        return {*found["system"], *found["other"]} - {best}


def _head(measure: str, comparison: Comparison) -> str:
    """Return the LaTeX header of a measure's column."""
    parts = [_escape_latex(measure)]
    if measure in comparison.by_distance:
        parts.append(DISTANCE)
    if measure in (*comparison.turned, *comparison.by_distance):
        parts.append(ARROW)
    return " ".join(parts)


def _escape_latex(text: object) -> str:
    r"""Escape characters that are special in LaTeX.

    Examples
    --------
    >>> print(_escape_latex("a_1 & b"))
    a\_1 \& b
    """
    return str(text).translate(SPECIAL)


@dataclass(frozen=True, eq=False)
class RunTables:
    """Arguments for `compare_systems`, computed from runs."""

    scores: dict[str, pd.DataFrame]
    turned: tuple[str, ...]
    levels: dict[str, pd.DataFrame]


def complete_topics(scores: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Drop the topics on which a system's score by any measure is NaN."""
    is_complete = np.logical_and.reduce([table.notna().all(axis="columns") for table in scores.values()])
    return {measure: table[is_complete] for measure, table in scores.items()}


def compare_systems(
    scores: Mapping[str, pd.DataFrame],
    *,
    turned: Collection[str] = (),
    levels: Mapping[str, pd.DataFrame] | None = None,
) -> Comparison:
    """Compare systems by each measure and by all measures together.

    Parameters
    ----------
    scores : mapping of str to DataFrame, shape (n_topics, n_systems)
        Scores by measure, with the same topics and the same systems, at least two. NaN if a score is undefined. At
        least two topics must have scores for every system on every measure.
    turned : collection of str
        Measures for which lower is better. Their scores are negated, so F is undefined.
    levels : mapping of str to DataFrame, optional
        Exact ranks, from `metrics.loss.loss_levels`, for measures whose good values round to 1. The scores of these
        measures are negated `metrics.loss.log_distances`. Unanimous improvement uses the exact ranks. Tests use the
        distances, so that the result for a pair doesn't depend on the other systems.
    """
    levels = levels or {}
    scores = align_tables("scores", scores)
    complete = complete_topics(scores)
    first, all_topics = next(iter(complete.values())), next(iter(scores.values())).index
    order = complete | {name: -table.loc[first.index, first.columns] for name, table in levels.items()}
    by_system = {name: np.column_stack([table[name] for table in order.values()]) for name in first.columns}
    means = pd.DataFrame({measure: table.mean() for measure, table in complete.items()})
    improvements = means.join(uir_table(by_system)).rename_axis("system")
    if turned or levels:
        # F is undefined for negative scores. Without this line, a perfect system, whose scores are 0, would have F = 0.
        improvements["mean_f"] = math.nan
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
    joined: Mapping[str, JoinedRun],
    measures: Sequence[AnyMeasure],
    score_outcomes: OutcomeScores = outcome_values,
    *,
    collection_size: int | None = None,
) -> RunTables:
    """Compute measures for several runs that were joined with the same judgements.

    Parameters
    ----------
    joined : mapping of str to JoinedRun
        Joined runs by system.
    measures : sequence of str, Measure or callable
        Measures, see `metrics.score`.
    score_outcomes, collection_size
        Options, see `metrics.run_scores.score_topics`.

    Returns
    -------
    RunTables
        Tables with all topics of the judgements. NaN if a run has no papers for a topic.
    """
    topics = sorted({name for one in joined.values() for name in (*(t.name for t in one.topics), *one.only_in_qrels)})
    by_system = {
        name: score_topics(one, measures, score_outcomes, collection_size=collection_size).reindex(topics)
        for name, one in joined.items()
    }
    names = list(next(iter(by_system.values())).columns)
    lower = tuple(name for name, each in zip(names, measures, strict=True) if _is_lower_better(each))
    scores = {name: pd.DataFrame({system: table[name] for system, table in by_system.items()}) for name in names}
    scores |= {name: 0.0 - scores[name] for name in lower}  # a subtraction, because negating 0 yields -0
    found = {system: topic_outcomes(one, collection_size=collection_size) for system, one in joined.items()}
    outcomes = pd.DataFrame({system: map(each.get, topics) for system, each in found.items()}, topics, dtype=object)
    exact = [name for name in names if name in EXACT]
    scores |= {name: 0.0 - _compute_defined(partial(log_distances, name), outcomes) for name in exact}
    return RunTables(scores, lower, {name: _compute_defined(partial(loss_levels, name), outcomes) for name in exact})


def _is_lower_better(measure: AnyMeasure) -> bool:
    known = MEASURES.get(measure) if isinstance(measure, str) else measure
    return isinstance(known, Measure) and not known.higher_is_better


def _compute_defined(compute: Callable[[Sequence[Outcome]], NDArray[Any]], outcomes: pd.DataFrame) -> pd.DataFrame:
    """Compute a number for each outcome in a table.

    The number is NaN if the outcome is missing, or if none or all of its papers are relevant.
    """
    each = outcomes.to_numpy().ravel()
    is_defined = np.array([isinstance(one, Outcome) and 0 < one.r < one.n for one in each], dtype=bool)
    found = np.full(each.shape, np.nan)
    found[is_defined] = compute(each[is_defined])
    return pd.DataFrame(found.reshape(outcomes.shape), outcomes.index, outcomes.columns)


def compare(
    systems: Mapping[str, RunSource] | pd.DataFrame,
    qrels: QrelsSource | None = None,
    measures: Iterable[AnyMeasure] = COMPARED_BY,
    *,
    relevance_level: int = 1,
    collection_size: int | None = None,
) -> Comparison:
    """Compare systems by several measures: means, unanimous improvement, pairwise tests and topics.

    Parameters
    ----------
    systems : mapping of str to run, or DataFrame, shape (n_topics, n_systems)
        At least two systems: either a mapping from their names to their runs (see `read_run`), or a table of their
        scores by one measure, higher is better.
    qrels : path, DataFrame or dict, optional
        Relevance judgements, see `read_qrels`. Required for runs, not allowed for scores.
    measures : iterable of str, Measure or callable
        Measures for runs, at least one, see `score`. Scores are negated if lower is better. Copnori, Ponori and
        Nosel-Copnori, which round to 1 for good orders, are compared by `presort.metrics.loss.log_distances`. Defaults
        to AP, P@10 and R@100.
    relevance_level, collection_size : int, optional
        Options for runs, see `score`.

    Returns
    -------
    Comparison
        Comparison on the topics without missing scores.

    Raises
    ------
    OSError
        If a file can't be read.
    ValueError
        If there are fewer than two systems, or fewer than two topics with all scores. Also for the reasons listed in
        `score`.

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
        rule = "a mapping with at least two runs, or a table with the scores of at least two systems"
        raise ValueError(f"systems must be {rule}, got {short_repr(systems)}")
    if isinstance(systems, pd.DataFrame):
        if qrels is not None:
            raise ValueError("qrels are not allowed for a table of scores")
        tables = RunTables({"score": systems}, (), {})
    else:
        if qrels is None:
            raise ValueError("qrels are required for runs")
        listed = list_measures(measures)
        if not listed:
            raise ValueError("measures must contain at least one measure, got none")
        judgements = read_qrels(qrels)  # read once for all runs, because the file may be large
        joined = {name: read_and_join(run, judgements, relevance_level) for name, run in systems.items()}
        for one in joined.values():
            check_collection_size(one, collection_size)
        tables = run_tables(joined, listed, collection_size=collection_size)
    n_complete = len(next(iter(complete_topics(tables.scores).values())))
    if n_complete < LEAST_TOPICS:
        raise ValueError(
            f"at least {LEAST_TOPICS} topics must have scores for every system on every measure, got {n_complete}"
        )
    return compare_systems(tables.scores, turned=tables.turned, levels=tables.levels)
