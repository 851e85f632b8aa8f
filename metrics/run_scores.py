"""Compute ir-measures' and Presort's measures for a run, using the names known to ``presort score``."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from presort.metrics.arguments import short_repr
from presort.metrics.batch import Batch, Floats
from presort.metrics.joined_run import JoinedRun, Topic
from presort.metrics.lazy import pd
from presort.metrics.measure import BEYOND, Measure, check_ignores_tail
from presort.metrics.outcome import Outcome
from presort.metrics.plugins import hint_at_installed_measure
from presort.metrics.registry import MEASURES

if TYPE_CHECKING:
    import ir_measures

# default measures
STANDARD = ("AP", "RR", "nDCG", "nDCG@10", "P@5", "P@10", "P@20", "R@100", "Rprec", "Bpref")
SAME = {"average_precision": "AP"}  # maps names in `MEASURES` to the names of the same measures in `STANDARD`
LEVELS_OF_SCORES = "expected_search_length"  # the only score-based measure that depends only on the order of the scores
LOWEST = np.finfo(np.float64).min

AnyMeasure = str | Measure | Callable[[Outcome], float]
OutcomeScores = Callable[[Sequence[Outcome], Sequence[Any]], Mapping[str, Floats]]


def check_names(names: Iterable[str], known: Collection[str] = MEASURES) -> None:
    """Check that every name is in `known` or is a measure from ir-measures. `known` defaults to `MEASURES`.

    Raises
    ------
    ValueError
        If a name is unknown. The message lists the known names.
    ImportError
        If a name is not in `known` and ir-measures is not installed.
    """
    for name in names:
        if name not in known:
            _parse_measure(name, 1, known)


def score_topics(
    joined: JoinedRun,
    measures: Sequence[AnyMeasure] | None,
    score_outcomes: OutcomeScores,
    *,
    collection_size: int | None = None,
) -> pd.DataFrame:
    """Compute measures for every topic in a run, and return them as a table. See `topic_values`.

    Returns
    -------
    DataFrame, shape (n_topics, n_measures)
        Values, one row per topic, sorted by name. NaN for topics without relevant papers.
    """
    values = topic_values(joined, measures, score_outcomes, collection_size=collection_size)
    index = pd.Index([topic.name for topic in joined.topics], dtype=str, name="topic")
    return pd.DataFrame(values, index=index, dtype=float)


def topic_values(
    joined: JoinedRun,
    measures: Sequence[AnyMeasure] | None,
    score_outcomes: OutcomeScores,
    *,
    collection_size: int | None = None,
) -> dict[str, Floats]:
    """Compute measures for every topic in a run.

    Parameters
    ----------
    joined : JoinedRun
        Run joined with its judgements.
    measures : sequence of str, Measure or callable, optional
        Measures, see `metrics.score`. Defaults to `STANDARD` and all `MEASURES` that `STANDARD` does not contain.
    score_outcomes : callable
        Function that computes measures for outcomes.
    collection_size : int, optional
        Number of papers in the collection of each topic, at least the `least_collection` of every topic. If given,
        relevant papers missing from the run are ranked last. By default, a list ends with the last returned paper, and
        measures that need the positions of missing papers are NaN. Measures with `ignores_tail` always use the list of
        returned papers.

    Returns
    -------
    dict of str to ndarray of float64, shape (n_topics,)
        Values of each measure, in the order of the topics. NaN for topics without relevant papers.
    """
    chosen = [*STANDARD, *(name for name in MEASURES if name not in SAME)] if measures is None else list(measures)
    by_name = [MEASURES.get(each, each) if isinstance(each, str) else each for each in chosen]
    standard = {each: _parse_measure(each, joined.relevance_level) for each in by_name if isinstance(each, str)}
    ours = [each for each in by_name if not isinstance(each, str)]
    values = _standard(joined, standard) | _ours(joined.topics, ours, score_outcomes, collection_size)
    names = [each if isinstance(each, str) else _name(each) for each in by_name]
    if repeated := next((name for name in names if names.count(name) > 1), ""):
        raise ValueError(f"measures must have different names, got {repeated!r} twice")
    return {name: values[name] for name in names}


def _name(measure: Measure | Callable[[Outcome], float]) -> str:
    return measure.name if isinstance(measure, Measure) else measure.__name__


def _parse_measure(name: str, relevance_level: int, known: Iterable[str] = MEASURES) -> ir_measures.Measure:
    """Return the measure from ir-measures with this name.

    A measure with a relevance level gets `relevance_level`, unless its name sets another level. `known` lists the
    other valid names, for the error message.
    """
    try:
        import ir_measures  # imported late because it takes a third of a second
    except ImportError as error:
        raise ImportError(f"measure {name!r} needs the package ir-measures: pip install ir-measures") from error
    providers = ir_measures.providers.registry.values()
    try:
        measure = ir_measures.parse_measure(name)
        if "rel" in measure.SUPPORTED_PARAMS and "rel" not in measure.params:
            measure = measure(rel=relevance_level)
        if any(provider.supports(measure) and provider.is_available() for provider in providers):
            return measure
    except (NameError, ValueError, AssertionError) as error:  # invalid parameters raise AssertionError
        rule = f"one of {', '.join(known)}, or a measure from ir-measures such as AP, nDCG@10 or P(rel=2)@10"
        raise ValueError(f"measures must be {rule}; got {short_repr(name)}{hint_at_installed_measure(name)}") from error
    raise ValueError(f"ir-measures can't compute {name}: {_hint(name)}")


def _hint(name: str) -> str:
    if name.startswith("RBP"):
        return "RBP takes no cut-off and needs the package cwl-eval: pip install cwl-eval"
    if name.startswith("ERR"):
        return "ERR needs a cut-off, as in ERR@20, and the program perl"
    return "it needs a package that is not installed, or different parameters"


def _standard(joined: JoinedRun, measures: Mapping[str, ir_measures.Measure]) -> dict[str, Floats]:
    """Compute measures with ir-measures, passing negative ranks as scores because ties have already been broken."""
    if not measures:
        return {}
    import ir_measures

    # Topics without relevant papers are skipped, because ir-measures returns 0 for them instead of NaN. Topics are
    # numbered because gdeval, which computes ERR, accepts only numeric ids.
    found = {str(number): topic for number, topic in enumerate(joined.topics) if topic.n_relevant}
    ranks = (-np.arange(max(len(topic.papers) for topic in joined.topics), dtype=float)).tolist()
    places = {number: dict(zip(topic.papers, ranks, strict=False)) for number, topic in found.items()}
    judgements = {number: joined.judgements[topic.name] for number, topic in found.items()}
    values = {measure: np.full(len(joined.topics), np.nan) for measure in measures.values()}
    for metric in ir_measures.iter_calc(list(values), judgements, places):
        values[metric.measure][int(metric.query_id)] = metric.value
    return {name: values[measure] for name, measure in measures.items()}


def _ours(
    topics: Sequence[Topic], measures: Sequence[Any], score_outcomes: OutcomeScores, collection_size: int | None
) -> dict[str, Floats]:
    by_outcome = [each for each in measures if not isinstance(each, Measure) or each.needs == "outcome"]
    is_unknown = [collection_size is None and topic.n_missing > 0 for topic in topics]
    scores = score_outcomes([topic.outcome(collection_size) for topic in topics], by_outcome)
    found = {name: np.where(is_unknown, np.nan, values) for name, values in scores.items()}
    batch = _batch_with_missing(topics)
    for measure in measures:
        if not isinstance(measure, Measure):
            continue
        if measure.ignores_tail and measure.compute_each:
            values = measure.compute_each(batch)
            check_ignores_tail(measure.name, measure.compute_each, batch, values)
            found[measure.name] = values
        elif measure.needs == "scores":
            found[measure.name] = np.array([_measure_scores(measure, topic, collection_size) for topic in topics])
    return found


def _batch_with_missing(topics: Sequence[Topic]) -> Batch:
    """Return a batch of the returned papers. Relevant papers missing from the run get positions beyond n.

    The first missing paper of a topic gets the position `BEYOND`.
    """
    positions = [
        np.concatenate([np.flatnonzero(topic.is_relevant) + 1, np.arange(topic.n_missing) + BEYOND]) for topic in topics
    ]
    return Batch(
        np.concatenate(positions),
        np.array([topic.n_relevant for topic in topics]),
        np.array([len(topic.papers) for topic in topics]),
    )


def _measure_scores(measure: Measure, topic: Topic, collection_size: int | None) -> float:
    scores = topic.levels if measure.name == LEVELS_OF_SCORES else topic.scores
    if collection_size is None:
        return math.nan if topic.n_missing else measure.compute(scores, topic.is_relevant)
    n_below = collection_size - len(topic.papers)
    is_missing = np.arange(n_below) >= n_below - topic.n_missing
    # Papers missing from the run have no score, so they get scores below all others. The relevant ones get the lowest.
    # At least one of these scores is infinite, so that measures that use more than the order of the scores return NaN.
    below = np.where(is_missing, -np.inf, LOWEST if topic.n_missing else -np.inf)
    return measure.compute(np.concatenate([scores, below]), relevant=np.concatenate([topic.is_relevant, is_missing]))
