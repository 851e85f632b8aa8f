"""A run joined with relevance judgements: the outcome of each topic, and every measure of it.

The literature on evaluation says *topic*; ours is a report issue. As in trec_eval a topic's papers rank by score in
single precision, ties by descending paper id, and a paper is relevant from judgement 1. The lists of the desk keep
ties in list order: an id means nothing to an editor.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import AP, RR, Bpref, P, R, Rprec, nDCG
from numpy.typing import NDArray

from data.importers.trec import Run
from metrics import MEASURES, Outcome, score
from metrics.batch import Batch, Floats
from metrics.measure import Measure

STANDARD = {str(known): known for known in (AP, RR, nDCG, nDCG @ 10, P @ 5, P @ 10, P @ 20, R @ 100, Rprec, Bpref)}
OURS = {name: measure for name, measure in MEASURES.items() if name != "average_precision"}  # AP is that
LOWER_IS_BETTER = [name for name, measure in OURS.items() if not measure.higher_is_better]
LOWEST = np.finfo(np.float64).min
BEYOND = 2**31  # a position below any list's end, for relevant papers that a run never returned


@dataclass(frozen=True, eq=False)
class Topic:
    """What a run returned for one topic, best first.

    Attributes
    ----------
    name : str
    papers : tuple of str, length n_returned
    scores : ndarray of float64, shape (n_returned,)
        As the run has them, not in single precision.
    is_relevant : ndarray of bool, shape (n_returned,)
    n_missing : int
        Relevant papers that the run never returned.
    """

    name: str
    papers: tuple[str, ...]
    scores: Floats
    is_relevant: NDArray[np.bool_]
    n_missing: int

    @property
    def n_relevant(self) -> int:
        """Relevant papers, returned or not."""
        return int(self.is_relevant.sum()) + self.n_missing

    @property
    def least_collection(self) -> int:
        """Papers that there must be: those returned, and the relevant ones that were not."""
        return len(self.papers) + self.n_missing

    @property
    def n_tied(self) -> int:
        """Papers that share their score, in single precision, with the one ranked above them."""
        single = _single(self.scores)
        return int((single[1:] == single[:-1]).sum())


@dataclass(frozen=True, eq=False)
class Joined:
    """A run and its judgements, topic by topic.

    Attributes
    ----------
    topics : tuple of Topic
        Those that both have, by name.
    judgements : dict of dict of int
        Of these topics.
    only_in_run, only_in_qrels : tuple of str
        Names of the other topics.
    """

    topics: tuple[Topic, ...]
    judgements: dict[str, dict[str, int]]
    only_in_run: tuple[str, ...]
    only_in_qrels: tuple[str, ...]


def join(run: Run, qrels: Mapping[str, dict[str, int]]) -> Joined:
    """Rank the papers of each topic and look up which are relevant."""
    common = sorted(run.scores.keys() & qrels.keys())
    return Joined(
        topics=tuple(_topic(name, run.scores[name], qrels[name]) for name in common),
        judgements={name: qrels[name] for name in common},
        only_in_run=tuple(sorted(run.scores.keys() - qrels.keys())),
        only_in_qrels=tuple(sorted(qrels.keys() - run.scores.keys())),
    )


def measure_topics(joined: Joined, *, collection_size: int | None = None) -> pd.DataFrame:
    """Measure every topic by the standard measures, from ir-measures, and by ours.

    Parameters
    ----------
    joined : Joined
    collection_size : int, optional
        Papers there are for each topic, at least every topic's `least_collection`. Relevant papers that the run never
        returned then stand at the very end. Unless told, a list ends with the last paper returned, and where a
        relevant one is missing every measure is NaN that asks for its position.

    Returns
    -------
    DataFrame, shape (n_topics, n_measures)
        A row a topic, by name, and a column for each of `STANDARD` and `OURS`; all NaN where nothing is relevant.
    """
    return pd.concat([_standard(joined), _ours(joined.topics, collection_size)], axis="columns")


def turned_upwards(table: pd.DataFrame) -> pd.DataFrame:
    """Turn the sign of measures of which lower is better, so that higher is better in every column."""
    return table * [-1 if name in LOWER_IS_BETTER else 1 for name in table.columns]


def _topic(name: str, scores: Mapping[str, float], judgements: Mapping[str, int]) -> Topic:
    single = _single(list(scores.values())).tolist()
    papers = [paper for _, paper in sorted(zip(single, scores, strict=True), reverse=True)]
    is_relevant = np.array([judgements.get(paper, 0) > 0 for paper in papers])
    n_relevant = sum(judgement > 0 for judgement in judgements.values())
    ranked = np.array([scores[paper] for paper in papers])
    return Topic(name, tuple(papers), ranked, is_relevant, n_relevant - int(is_relevant.sum()))


def _single(scores: Floats | list[float]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and a tie
        return np.asarray(scores).astype(np.float32)


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
    table = score(outcome_of(topic, collection_size) for topic in topics)
    table.index = _names(topics)
    if collection_size is None:
        table.loc[[topic.n_missing > 0 for topic in topics]] = np.nan
        batch = _with_tails(topics)
        for measure in OURS.values():
            if measure.sees_tail and measure.compute_each:
                table[measure.name] = measure.compute_each(batch)
    for measure in OURS.values():
        if measure.needs == "scores":
            table[measure.name] = [_by_scores(measure, topic, collection_size) for topic in topics]
    return table[list(OURS)]


def _names(topics: Iterable[Topic]) -> "pd.Index[str]":
    return pd.Index([topic.name for topic in topics], dtype=str, name="topic")


def _positions(topic: Topic) -> NDArray[np.int64]:
    return np.flatnonzero(topic.is_relevant) + 1


def outcome_of(topic: Topic, collection_size: int | None) -> Outcome:
    """Give the outcome of one topic, relevant papers that were never returned at the very end or else left out."""
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
    if collection_size is None:
        return math.nan if topic.n_missing else measure.compute(topic.scores, topic.is_relevant)
    n_below = collection_size - len(topic.papers)
    is_missing = np.arange(n_below) >= n_below - topic.n_missing
    # No score at all, so that what asks for more than the order is NaN. The missing relevant papers stand last.
    below = np.where(is_missing, -np.inf, LOWEST if topic.n_missing else -np.inf)
    return measure.compute(
        np.concatenate([topic.scores, below]), relevant=np.concatenate([topic.is_relevant, is_missing])
    )
