"""Scores of a run by any measure: standard ones from ir-measures, and ours. Command and library use the same names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from presort.metrics.arguments import shown
from presort.metrics.batch import Batch
from presort.metrics.joined import Joined, Topic
from presort.metrics.measure import BEYOND, Measure
from presort.metrics.outcome import Outcome
from presort.metrics.registry import MEASURES

if TYPE_CHECKING:
    import ir_measures

STANDARD = ("AP", "RR", "nDCG", "nDCG@10", "P@5", "P@10", "P@20", "R@100", "Rprec", "Bpref")  # shown by default
SAME = {"average_precision": "AP"}  # of ours, those that `STANDARD` has under another name
LEVELS_OF_SCORES = "expected_search_length"  # of what needs scores, it alone asks for no more than their order
LOWEST = np.finfo(np.float64).min

AnyMeasure = str | Measure | Callable[[Outcome], float]
OutcomeScores = Callable[[Sequence[Outcome], Sequence[Any]], pd.DataFrame]


def check_names(names: Iterable[str]) -> None:
    """Refuse a name that is neither in `MEASURES` nor a measure of ir-measures.

    Raises
    ------
    ValueError
        With the names that are known.
    ImportError
        If the name is not in `MEASURES` and ir-measures is not installed.
    """
    for name in names:
        if name not in MEASURES:
            _parsed(name, 1)


def score_topics(
    joined: Joined,
    measures: Sequence[AnyMeasure] | None,
    score_outcomes: OutcomeScores,
    *,
    collection_size: int | None = None,
) -> pd.DataFrame:
    """Measure every topic of a run.

    Parameters
    ----------
    joined : Joined
    measures : sequence of str, Measure or callable, optional
        As for `metrics.score`. Defaults to `STANDARD` and all of `MEASURES` that are not among these.
    score_outcomes : callable
        Measures outcomes by some of these measures.
    collection_size : int, optional
        Papers there are for each topic, at least every topic's `least_collection`. Relevant papers that the run never
        returned then come last. By default, a list ends with the last paper returned, and measures that need the
        position of a missing relevant paper are NaN. A measure of the tail always uses the papers returned.

    Returns
    -------
    DataFrame, shape (n_topics, n_measures)
        A row a topic, by name; all NaN where nothing is relevant.
    """
    chosen = [*STANDARD, *(name for name in MEASURES if name not in SAME)] if measures is None else list(measures)
    by_name = [MEASURES.get(each, each) if isinstance(each, str) else each for each in chosen]
    standard = {each: _parsed(each, joined.relevance_level) for each in by_name if isinstance(each, str)}
    ours = [each for each in by_name if not isinstance(each, str)]
    table = pd.concat(
        [_standard(joined, standard), _ours(joined.topics, ours, score_outcomes, collection_size)], axis=1
    )
    names = [each if isinstance(each, str) else _name(each) for each in by_name]
    if repeated := next((name for name in names if names.count(name) > 1), ""):
        raise ValueError(f"measures must have a name each, got {repeated!r} twice")
    return table[names]


def _name(measure: Measure | Callable[[Outcome], float]) -> str:
    return measure.name if isinstance(measure, Measure) else measure.__name__


def _parsed(name: str, relevance_level: int) -> ir_measures.Measure:
    """Return the measure of ir-measures that has this name. One that takes a relevance level gets ours by default."""
    try:
        import ir_measures  # a third of a second
    except ImportError as error:
        raise ImportError(f"measure {name!r} needs the package ir-measures: pip install ir-measures") from error
    providers = ir_measures.providers.registry.values()
    try:
        measure = ir_measures.parse_measure(name)
        if "rel" in measure.SUPPORTED_PARAMS and "rel" not in measure.params:
            measure = measure(rel=relevance_level)
        if any(provider.supports(measure) and provider.is_available() for provider in providers):
            return measure
    except (NameError, ValueError, AssertionError) as error:  # the last for parameters
        rule = f"among {', '.join(MEASURES)}, or one of ir-measures such as AP, nDCG@10 or P(rel=2)@10"
        raise ValueError(f"measures must be {rule}; got {shown(name)}") from error
    raise ValueError(f"measures must be computable by ir-measures; {_hint(name)}")


def _hint(name: str) -> str:
    if name.startswith("RBP"):
        return f"{name} has no cut-off, and needs the package cwl-eval: pip install cwl-eval"
    if name.startswith("ERR"):
        return f"{name} needs a cut-off, as in ERR@20, and the program perl"
    return f"{name} needs a package that is not installed, or other parameters"


def _standard(joined: Joined, measures: Mapping[str, ir_measures.Measure]) -> pd.DataFrame:
    """Take the standard measures from ir-measures, which gets places for scores: ties are resolved already."""
    index = _names(joined.topics)
    if not measures:
        return pd.DataFrame(index=index)
    import ir_measures

    found = [topic for topic in joined.topics if topic.n_relevant]  # where nothing is relevant it would say 0
    # Numbers for topics, because gdeval, which computes ERR, takes no other ids.
    places = {
        str(number): {paper: -float(place) for place, paper in enumerate(topic.papers)}
        for number, topic in enumerate(found)
    }
    judgements = {str(number): joined.judgements[topic.name] for number, topic in enumerate(found)}
    values: dict[ir_measures.Measure, dict[str, float]] = {measure: {} for measure in measures.values()}
    for metric in ir_measures.iter_calc(list(values), judgements, places):
        values[metric.measure][found[int(metric.query_id)].name] = float(metric.value)
    return pd.DataFrame({name: values[measure] for name, measure in measures.items()}, index=index, dtype=float)


def _ours(
    topics: Sequence[Topic], measures: Sequence[Any], score_outcomes: OutcomeScores, collection_size: int | None
) -> pd.DataFrame:
    by_outcome = [each for each in measures if not isinstance(each, Measure) or each.needs == "outcome"]
    table = score_outcomes([topic.outcome(collection_size) for topic in topics], by_outcome)
    table.index = _names(topics)
    if collection_size is None:
        table.loc[[topic.n_missing > 0 for topic in topics]] = np.nan
    batch = _with_tails(topics)
    for measure in measures:
        if not isinstance(measure, Measure):
            continue
        if measure.sees_tail and measure.compute_each:
            table[measure.name] = measure.compute_each(batch)
        elif measure.needs == "scores":
            table[measure.name] = [_by_scores(measure, topic, collection_size) for topic in topics]
    return table


def _names(topics: Iterable[Topic]) -> pd.Index[str]:
    return pd.Index([topic.name for topic in topics], dtype=str, name="topic")


def _with_tails(topics: Sequence[Topic]) -> Batch:
    """Lay out the papers returned, and beyond them the relevant ones that were not."""
    positions = [
        np.concatenate([np.flatnonzero(topic.is_relevant) + 1, np.arange(topic.n_missing) + BEYOND]) for topic in topics
    ]
    return Batch(
        np.concatenate(positions),
        np.array([topic.n_relevant for topic in topics]),
        np.array([len(topic.papers) for topic in topics]),
    )


def _by_scores(measure: Measure, topic: Topic, collection_size: int | None) -> float:
    scores = topic.levels if measure.name == LEVELS_OF_SCORES else topic.scores
    if collection_size is None:
        return math.nan if topic.n_missing else measure.compute(scores, topic.is_relevant)
    n_below = collection_size - len(topic.papers)
    is_missing = np.arange(n_below) >= n_below - topic.n_missing
    # No score at all, so that measures that need more than the order are NaN. The missing relevant papers come last.
    below = np.where(is_missing, -np.inf, LOWEST if topic.n_missing else -np.inf)
    return measure.compute(np.concatenate([scores, below]), relevant=np.concatenate([topic.is_relevant, is_missing]))
