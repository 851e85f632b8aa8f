"""Join of a run with relevance judgements: returned papers of each topic in order, and the relevant ones.

The literature on evaluation says *topic*; ours is a report issue. As in trec_eval a topic's papers rank by score in
single precision, ties by descending paper id, and a paper is relevant from judgement 1. The lists of the desk keep
ties in list order: an id means nothing to an editor.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from presort.data.importers.trec import Run
from presort.metrics.batch import Floats


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
