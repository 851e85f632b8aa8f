"""Every measure of a run that was joined with its judgements: the standard ones from ir-measures, and ours."""

import math
from collections.abc import Iterable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import AP, RR, Bpref, P, R, Rprec, nDCG
from numpy.typing import NDArray

from presort.desk.scores.registry import MEASURES, score
from presort.desk.trec.joined import Joined, Topic
from presort.metrics import Outcome
from presort.metrics.batch import Batch
from presort.metrics.measure import BEYOND, Measure

LEVELS_OF_SCORES = "expected_search_length"  # of what needs scores, it alone asks for no more than their order
STANDARD = {str(known): known for known in (AP, RR, nDCG, nDCG @ 10, P @ 5, P @ 10, P @ 20, R @ 100, Rprec, Bpref)}
SAME = {"average_precision": "AP"}  # of ours, that `STANDARD` has under another name
OURS = {name: measure for name, measure in MEASURES.items() if name not in SAME}
LOWER_IS_BETTER = [name for name, measure in OURS.items() if not measure.higher_is_better]
EXACT = [name for name, measure in OURS.items() if measure.loss]  # of which good orders may all round to 1
LOWEST = np.finfo(np.float64).min


def measure_topics(joined: Joined, *, collection_size: int | None = None) -> pd.DataFrame:
    """Measure every topic by the standard measures, from ir-measures, and by ours.

    Parameters
    ----------
    joined : Joined
    collection_size : int, optional
        Papers there are for each topic, at least every topic's `least_collection`. Relevant papers that the run never
        returned then come last. By default, a list ends with the last paper returned, and measures that need the
        position of a missing relevant paper are NaN. A measure of the tail always uses the papers returned.

    Returns
    -------
    DataFrame, shape (n_topics, n_measures)
        A row a topic, by name, and a column for each of `STANDARD` and `OURS`; all NaN where nothing is relevant.
    """
    return pd.concat([_standard(joined), _ours(joined.topics, collection_size)], axis="columns")


def outcomes_of(joined: Joined, *, collection_size: int | None = None) -> "pd.Series[Any]":
    """Return the outcome of every topic.

    Parameters
    ----------
    joined : Joined
    collection_size : int, optional
        As for `measure_topics`.

    Returns
    -------
    Series of Outcome, by topic
        None where a relevant paper is missing and the size of the collection is not known.
    """
    found = [
        None if topic.n_missing and collection_size is None else _outcome(topic, collection_size)
        for topic in joined.topics
    ]
    return pd.Series(found, index=_names(joined.topics), dtype=object)


def turned_upwards(table: pd.DataFrame) -> pd.DataFrame:
    """Turn the sign of measures of which lower is better, so that higher is better in every column."""
    return table * [-1 if name in LOWER_IS_BETTER else 1 for name in table.columns] + 0.0  # which makes 0 of -0


def _standard(joined: Joined) -> pd.DataFrame:
    """Take the standard measures from ir-measures, which gets places for scores: ties are resolved already."""
    found = [topic for topic in joined.topics if topic.n_relevant]  # where nothing is relevant it would say 0
    places = {topic.name: {paper: -float(place) for place, paper in enumerate(topic.papers)} for topic in found}
    judgements = {topic.name: joined.judgements[topic.name] for topic in found}
    values: dict[str, dict[str, float]] = {name: {} for name in STANDARD}
    for metric in ir_measures.iter_calc(list(STANDARD.values()), judgements, places):
        values[str(metric.measure)][metric.query_id] = metric.value
    return pd.DataFrame(values, index=_names(joined.topics), dtype=float)


def _ours(topics: Iterable[Topic], collection_size: int | None) -> pd.DataFrame:
    topics = list(topics)
    table = score(_outcome(topic, collection_size) for topic in topics)
    table.index = _names(topics)
    if collection_size is None:
        table.loc[[topic.n_missing > 0 for topic in topics]] = np.nan
    batch = _with_tails(topics)
    for measure in OURS.values():
        if measure.sees_tail and measure.compute_each:
            table[measure.name] = measure.compute_each(batch)
        elif measure.needs == "scores":
            table[measure.name] = [_by_scores(measure, topic, collection_size) for topic in topics]
    return table[list(OURS)]


def _names(topics: Iterable[Topic]) -> "pd.Index[str]":
    return pd.Index([topic.name for topic in topics], dtype=str, name="topic")


def _positions(topic: Topic) -> NDArray[np.int64]:
    return np.flatnonzero(topic.is_relevant) + 1


def _outcome(topic: Topic, collection_size: int | None) -> Outcome:
    """Return the outcome of one topic, relevant papers that were never returned at the very end or else left out."""
    if collection_size is None:
        return Outcome(_positions(topic), len(topic.papers))
    last = np.arange(collection_size - topic.n_missing, collection_size) + 1
    return Outcome(np.concatenate([_positions(topic), last]), collection_size)


def _with_tails(topics: Iterable[Topic]) -> Batch:
    """Lay out the papers returned, and beyond them the relevant ones that were not."""
    topics = list(topics)
    positions = [np.concatenate([_positions(topic), np.arange(topic.n_missing) + BEYOND]) for topic in topics]
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
