"""Join a run with relevance judgements and rank the papers of each topic.

In Presort, a *topic* is a report issue. As in trec_eval, papers are ranked by single-precision score, with ties broken
by descending paper id. The application itself breaks ties by list order, because ids mean nothing to an editor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from presort.metrics.arguments import short_repr
from presort.metrics.batch import Floats
from presort.metrics.outcome import MOST_PAPERS, Outcome
from presort.metrics.trec import Qrels, QrelsSource, Run, RunSource, read_qrels, read_run


@dataclass(frozen=True, eq=False)
class Topic:
    """Papers that a run returned for one topic, best first.

    Attributes
    ----------
    name : str
        Name of the topic.
    papers : tuple of str, length n_returned
        Paper ids in rank order.
    scores : ndarray of float64, shape (n_returned,)
        Original scores of the run, not rounded to single precision.
    is_relevant : ndarray of bool, shape (n_returned,)
        Relevance of each paper.
    n_missing : int
        Number of relevant papers missing from the run.
    """

    name: str
    papers: tuple[str, ...]
    scores: Floats
    is_relevant: NDArray[np.bool_]
    n_missing: int

    @property
    def n_relevant(self) -> int:
        """Number of relevant papers, both returned by the run and missing from it."""
        return int(self.is_relevant.sum()) + self.n_missing

    @property
    def least_collection(self) -> int:
        """Minimum collection size: the number of returned papers plus the number of missing relevant papers."""
        return len(self.papers) + self.n_missing

    @property
    def levels(self) -> Floats:
        """Dense rank of each score, 0 for the lowest. Papers with tied scores share a rank."""
        return np.unique(_single(self.scores), return_inverse=True)[1].astype(np.float64)

    def outcome(self, collection_size: int | None = None) -> Outcome:
        """Return the topic's outcome.

        If the collection size is given, relevant papers missing from the run are ranked last. Otherwise, they are
        omitted.
        """
        positions = np.flatnonzero(self.is_relevant) + 1
        if collection_size is None:
            return Outcome(positions, len(self.papers))
        last = np.arange(collection_size - self.n_missing, collection_size) + 1
        return Outcome(np.concatenate([positions, last]), collection_size)

    @property
    def n_tied(self) -> int:
        """Number of papers tied with the paper ranked directly above them."""
        scores = _single(self.scores)
        return int((scores[1:] == scores[:-1]).sum())


@dataclass(frozen=True, eq=False)
class JoinedRun:
    """Run joined with relevance judgements.

    Attributes
    ----------
    topics : tuple of Topic
        Topics in both run and qrels, sorted by name.
    judgements : dict of dict of int
        Judgements by topic and paper, for the topics in `topics`.
    only_in_run, only_in_qrels : tuple of str
        Names of the topics that occur only in the run, and names of the topics that occur only in the qrels.
    relevance_level : int
        Lowest judgement of a relevant paper.
    """

    topics: tuple[Topic, ...]
    judgements: Qrels
    only_in_run: tuple[str, ...]
    only_in_qrels: tuple[str, ...]
    relevance_level: int = 1


def read_and_join(run: RunSource, qrels: QrelsSource, relevance_level: int = 1) -> JoinedRun:
    """Rank the papers of each topic and look up their relevance.

    Raises
    ------
    OSError, ValueError
        If `read_run` or `read_qrels` fails, if run and qrels have no topic in common, or if relevance_level is not a
        positive integer.
    """
    if not isinstance(relevance_level, int | np.integer) or relevance_level < 1:
        raise ValueError(f"relevance_level must be an integer of at least 1, got {short_repr(relevance_level)}")
    return join(read_run(run), read_qrels(qrels), int(relevance_level))


def join(run: Run, qrels: Qrels, relevance_level: int = 1) -> JoinedRun:
    """Join a run with its judgements. Unlike `read_and_join`, this function doesn't read or validate its arguments."""
    common = sorted(run.keys() & qrels.keys())
    if not common:
        examples = f"topics such as {short_repr(min(run, default=''))} and {short_repr(min(qrels, default=''))}"
        raise ValueError(f"run and qrels must have a topic in common, got {examples}")
    return JoinedRun(
        topics=tuple(_topic(name, run[name], qrels[name], relevance_level) for name in common),
        judgements={name: qrels[name] for name in common},
        only_in_run=tuple(sorted(run.keys() - qrels.keys())),
        only_in_qrels=tuple(sorted(qrels.keys() - run.keys())),
        relevance_level=relevance_level,
    )


def outcomes(
    run: RunSource, qrels: QrelsSource, relevance_level: int = 1, *, collection_size: int | None = None
) -> dict[str, Outcome]:
    """Return a run's outcome for every topic.

    Parameters
    ----------
    run, qrels : path, DataFrame or mapping
        Run and relevance judgements, see `read_run` and `read_qrels`.
    relevance_level : int
        Lowest judgement of a relevant paper, at least 1. Defaults to 1.
    collection_size : int, optional
        Number of papers in the collection of each topic, including papers missing from the run. If given, missing
        relevant papers are ranked last. By default, a list ends with the last returned paper.

    Returns
    -------
    dict of str to Outcome
        Outcomes by topic, sorted by name. Topics in only one of run and qrels are skipped. As in trec_eval, papers are
        ranked by single-precision score, with ties broken by descending id.

    Raises
    ------
    OSError, ValueError
        If `read_run` or `read_qrels` fails, if run and qrels have no topic in common, or if collection_size is too
        small. Also if a relevant paper is missing from the run and collection_size is not given, because the position
        of that paper is unknown then.

    Examples
    --------
    >>> run = {"401": {"a": 0.9, "b": 0.5, "c": 0.1}, "402": {"a": 1, "b": 2}}
    >>> qrels = {"401": {"a": 1, "c": 2}, "402": {"a": 1, "b": 0}}
    >>> {topic: str(outcome) for topic, outcome in outcomes(run, qrels).items()}
    {'401': '■□■', '402': '□■'}
    >>> print(outcomes(run, qrels, relevance_level=2)["401"])
    □□■
    """
    joined = read_and_join(run, qrels, relevance_level)
    check_collection_size(joined, collection_size)
    missing = {topic.name: topic.n_missing for topic in joined.topics if topic.n_missing}
    if missing and collection_size is None:
        raise ValueError(
            f"run must contain every relevant paper unless collection_size is given: "
            f"{missing[min(missing)]:,} missing in topic {min(missing)!r} ({len(missing):,} topics have missing papers)"
        )
    return {topic.name: topic.outcome(collection_size) for topic in joined.topics}


def check_collection_size(joined: JoinedRun, collection_size: int | None) -> None:
    """Raise ValueError if the collection size is invalid or below the `least_collection` of a topic."""
    if collection_size is None:
        return
    if not isinstance(collection_size, int | np.integer) or not 1 <= collection_size <= MOST_PAPERS:
        raise ValueError(f"collection_size must be an integer from 1 to {MOST_PAPERS:,}, got {collection_size!r}")
    largest = max(joined.topics, key=lambda topic: topic.least_collection)
    if collection_size < largest.least_collection:
        raise ValueError(
            f"collection_size must be {largest.least_collection:,} or more, because topic {largest.name!r} has "
            f"{len(largest.papers):,} returned papers and {largest.n_missing:,} missing relevant papers; "
            f"got {collection_size:,}"
        )


def _topic(name: str, scores: Mapping[str, float], judgements: Mapping[str, int], relevance_level: int) -> Topic:
    # The lines of a run are usually sorted by descending score already, which makes sorting the pairs fast.
    singles = _single(np.array(list(scores.values()), dtype=float)).tolist()
    papers = tuple([paper for _, paper in sorted(zip(singles, scores, strict=True), reverse=True)])
    relevant = {paper for paper, judgement in judgements.items() if judgement >= relevance_level}
    is_relevant = np.array([paper in relevant for paper in papers], dtype=bool)
    values = np.array([scores[paper] for paper in papers], dtype=float)
    return Topic(name, papers, values, is_relevant, len(relevant) - int(is_relevant.sum()))


def _single(scores: Floats) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # scores too large for single precision become infinite, so they are tied
        return scores.astype(np.float32)


def topic_outcomes(joined: JoinedRun, *, collection_size: int | None = None) -> dict[str, Outcome | None]:
    """Return every topic's outcome.

    Parameters
    ----------
    joined : JoinedRun
        Run joined with its judgements.
    collection_size : int, optional
        Number of papers in the collection of each topic, see `outcomes`.

    Returns
    -------
    dict of str to Outcome or None
        Outcomes by topic. None if a relevant paper is missing from the run and the collection size is unknown.
    """
    return {
        topic.name: None if topic.n_missing and collection_size is None else topic.outcome(collection_size)
        for topic in joined.topics
    }
