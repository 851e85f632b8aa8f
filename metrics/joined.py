"""Join of a run with relevance judgements: returned papers of each topic in order, and the relevant ones.

The literature on evaluation says *topic*; ours is a report issue. As in trec_eval a topic's papers rank by score in
single precision, ties by descending paper id. The lists of the desk keep ties in list order: an id means nothing to an
editor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from presort.metrics.arguments import shown
from presort.metrics.batch import Floats
from presort.metrics.outcome import MOST_PAPERS, Outcome
from presort.metrics.trec import Qrels, QrelsSource, RunSource, read_qrels, read_run


@dataclass(frozen=True, eq=False)
class Topic:
    """Papers that a run returned for one topic, best first.

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
    def levels(self) -> Floats:
        """Levels of the scores, from 0, the lowest: what is tied in the list shares one."""
        return np.unique(_single(self.scores), return_inverse=True)[1].astype(np.float64)

    def outcome(self, collection_size: int | None = None) -> Outcome:
        """Return the outcome, with relevant papers that were never returned at the very end or else left out."""
        positions = np.flatnonzero(self.is_relevant) + 1
        if collection_size is None:
            return Outcome(positions, len(self.papers))
        last = np.arange(collection_size - self.n_missing, collection_size) + 1
        return Outcome(np.concatenate([positions, last]), collection_size)

    @property
    def n_tied(self) -> int:
        """Papers that are tied with the one ranked above them."""
        return int((np.diff(self.levels) == 0).sum())


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
    relevance_level : int
        Judgement from which a paper is relevant.
    """

    topics: tuple[Topic, ...]
    judgements: Qrels
    only_in_run: tuple[str, ...]
    only_in_qrels: tuple[str, ...]
    relevance_level: int = 1


def join(run: RunSource, qrels: QrelsSource, relevance_level: int = 1) -> Joined:
    """Rank the papers of each topic and look up which are relevant.

    Raises
    ------
    OSError, ValueError
        As `read_run` and `read_qrels`; if the two have no topic in common; or if relevance_level is not an integer
        from 1.
    """
    if not isinstance(relevance_level, int | np.integer) or relevance_level < 1:
        raise ValueError(f"relevance_level must be an integer of at least 1, got {shown(relevance_level)}")
    run, qrels = read_run(run), read_qrels(qrels)
    common = sorted(run.keys() & qrels.keys())
    if not common:
        examples = f"topics such as {shown(min(run, default=''))} and {shown(min(qrels, default=''))}"
        raise ValueError(f"run and qrels must have a topic in common, got {examples}")
    return Joined(
        topics=tuple(_topic(name, run[name], qrels[name], relevance_level) for name in common),
        judgements={name: qrels[name] for name in common},
        only_in_run=tuple(sorted(run.keys() - qrels.keys())),
        only_in_qrels=tuple(sorted(qrels.keys() - run.keys())),
        relevance_level=int(relevance_level),
    )


def outcomes(
    run: RunSource, qrels: QrelsSource, relevance_level: int = 1, *, collection_size: int | None = None
) -> dict[str, Outcome]:
    """Return the outcome of a run for every topic.

    Parameters
    ----------
    run, qrels : path, DataFrame or mapping
        As for `read_run` and `read_qrels`.
    relevance_level : int
        Judgement from which a paper is relevant, at least 1.
    collection_size : int, optional
        Number of papers that there are for each topic, those not returned included. Relevant papers that the run never
        returned then come last. By default, a list ends with the last paper returned.

    Returns
    -------
    dict of str to Outcome
        By topic, in the order of their names. Topics that only one of the two has are left out, as trec_eval does. As
        there, papers rank by score in single precision, and ties by descending id.

    Raises
    ------
    OSError, ValueError
        As `read_run` and `read_qrels`; if the two have no topic in common; if a relevant paper was never returned and
        collection_size is not given, because its position is unknown then; or if collection_size is too small.

    Examples
    --------
    >>> run = {"401": {"a": 0.9, "b": 0.5, "c": 0.1}, "402": {"a": 1, "b": 2}}
    >>> qrels = {"401": {"a": 1, "c": 2}, "402": {"a": 1, "b": 0}}
    >>> {topic: str(outcome) for topic, outcome in outcomes(run, qrels).items()}
    {'401': '■□■', '402': '□■'}
    >>> print(outcomes(run, qrels, relevance_level=2)["401"])
    □□■
    """
    joined = join(run, qrels, relevance_level)
    check_collection_size(joined, collection_size)
    missing = {topic.name: topic.n_missing for topic in joined.topics if topic.n_missing}
    if missing and collection_size is None:
        raise ValueError(
            f"run must have every relevant paper, or collection_size must be given to rank the others last: "
            f"of topic {min(missing)!r} it lacks {missing[min(missing)]:,} ({len(missing):,} topics lack some)"
        )
    return {topic.name: topic.outcome(collection_size) for topic in joined.topics}


def check_collection_size(joined: Joined, collection_size: int | None) -> None:
    """Refuse a collection that is smaller than what is known of a topic."""
    if collection_size is None:
        return
    if not isinstance(collection_size, int | np.integer) or not 1 <= collection_size <= MOST_PAPERS:
        raise ValueError(f"collection_size must be an integer from 1 to {MOST_PAPERS:,}, got {collection_size!r}")
    largest = max(joined.topics, key=lambda topic: topic.least_collection)
    if collection_size < largest.least_collection:
        raise ValueError(
            f"collection_size must be {largest.least_collection:,} or more, because topic {largest.name!r} has "
            f"{len(largest.papers):,} papers returned and {largest.n_missing:,} relevant ones that were not; "
            f"got {collection_size:,}"
        )


def _topic(name: str, scores: Mapping[str, float], judgements: Mapping[str, int], relevance_level: int) -> Topic:
    by_id = sorted(scores, reverse=True)
    values = np.array([scores[paper] for paper in by_id])
    order = np.argsort(-_single(values), kind="stable")  # so that ties stay by descending id
    papers = tuple([by_id[place] for place in order.tolist()])
    relevant = {paper for paper, judgement in judgements.items() if judgement >= relevance_level}
    is_relevant = np.array([paper in relevant for paper in papers], dtype=bool)
    return Topic(name, papers, values[order], is_relevant, len(relevant) - int(is_relevant.sum()))


def _single(scores: Floats) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and a tie
        return scores.astype(np.float32)


def topic_outcomes(joined: Joined, *, collection_size: int | None = None) -> pd.Series[Any]:
    """Return the outcome of every topic.

    Parameters
    ----------
    joined : Joined
    collection_size : int, optional
        As for `outcomes`.

    Returns
    -------
    Series of Outcome, by topic
        None where a relevant paper is missing and the size of the collection is not known.
    """
    found = [
        None if topic.n_missing and collection_size is None else topic.outcome(collection_size)
        for topic in joined.topics
    ]
    names = pd.Index([topic.name for topic in joined.topics], dtype=str, name="topic")
    return pd.Series(found, index=names, dtype=object)
