"""Systems and topics that judge each other: which rankers are effective, and on which reports it is easy to be.

Mizzaro and Robertson (SIGIR 2007) read a table of scores as a graph. Each system points at each topic, with a weight
above 0 if it finds the topic easy; each topic points at each system, with a weight above 0 if it finds the system
effective. Measures of linked pages then say who is judged well (inlinks, PageRank, authority) and who judges as the
others do (hub). A system is a ranker version here, a topic is a report or one issue of a report, and any score can
replace average precision.
"""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from presort.metrics.arguments import is_number
from presort.metrics.batch import Floats
from presort.metrics.cases import LARGEST
from presort.metrics.score_tables import ScoreTable, score_table

DAMPING = 0.85  # chance that the surfer of PageRank follows an arc instead of jumping anywhere
SMALLEST = 1e-5  # what log takes for 0, and how near to 0 and 1 logit goes
TIE = 1e-10  # below it, relative to vectors of length 1, a difference is rounding


@dataclass(frozen=True, eq=False)
class SystemsTopics:
    """Results of systems and topics that judge each other.

    Attributes
    ----------
    scores : DataFrame, shape (n_topics, n_systems)
        The scores after the transform, a row per topic and a column per system.
    systems : DataFrame, shape (n_systems, 5)
        `mean` score of the system, `inlinks`, `pagerank`, `hub` and `authority`; higher is better, or for `hub` nearer
        to what all systems say of the topics.
    topics : DataFrame, shape (n_topics, 5)
        The same of each topic; higher is easier, or for `hub` nearer to what all topics say of the systems.
    apa : DataFrame, shape (n_topics, n_systems)
        Score less the mean of the topic: how effective the topic finds the system, 0 as the average system.
    apm : DataFrame, shape (n_topics, n_systems)
        Score less the mean of the system: how easy the system finds the topic, 0 as the average topic.
    """

    scores: pd.DataFrame
    systems: pd.DataFrame
    topics: pd.DataFrame
    apa: pd.DataFrame
    apm: pd.DataFrame

    def agreement(self, kind: str) -> pd.DataFrame:
        r"""Return for every two systems, or every two topics, how far they agree.

        Parameters
        ----------
        kind : str
            `systems_on_ease`: two systems find the same topics easy. `topics_on_effectiveness`: two topics find the
            same systems effective. `systems_on_effectiveness`: two systems are found effective by the same topics.
            `topics_on_ease`: two topics are found easy by the same systems.

        Returns
        -------
        DataFrame, shape (n_systems, n_systems) or (n_topics, n_topics)
            Sums of products, in squared units of the score: above 0 if the two agree, below 0 if they say the
            opposite. Symmetric.

        Raises
        ------
        ValueError
            If there is no such kind.

        Notes
        -----
        With the arcs' weights A, the first two kinds are the blocks of :math:`A A^T`, APM · APMᵀ and APAᵀ · APA; the
        other two those of :math:`A^T A`, APA · APAᵀ and APMᵀ · APM.

        References
        ----------
        Mizzaro and Robertson, SIGIR 2007.

        Examples
        --------
        >>> graph = systems_topics([[0.9, 0.3], [0.5, 0.1]])
        >>> graph.agreement("topics_on_effectiveness").round(2)
              0     1
        0  0.18  0.12
        1  0.12  0.08
        """
        rows = {
            "systems_on_ease": self.apm.T,
            "topics_on_effectiveness": self.apa,
            "systems_on_effectiveness": self.apa.T,
            "topics_on_ease": self.apm,
        }
        if kind not in list(rows):
            raise ValueError(f"kind must be one of {', '.join(rows)}, got {kind!r}")
        return rows[kind] @ rows[kind].T


def systems_topics(scores: ScoreTable, transform: str = "identity") -> SystemsTopics:
    r"""Let systems and topics judge each other by their scores.

    Parameters
    ----------
    scores : DataFrame or array-like, shape (n_topics, n_systems)
        A row per topic and a column per system, at least 2 of each; higher is better. Without names they are numbered
        from 0.
    transform : str
        `identity`; `log` (of scores from 0; a 0 becomes 1e-5 and so exceeds smaller positive scores), whose means are
        logarithms of geometric means; `logit` (of scores from 0 to 1, which stay 1e-5 away from both).

    Returns
    -------
    SystemsTopics
        All in units of the transformed score, but `pagerank` (chances: systems and topics together sum to 1) and
        `hub` and `authority` (each a vector of length 1). The two are NaN where they are not defined: hubs of topics
        and authorities of systems when systems do not differ on any topic, hubs of systems and authorities of topics
        when topics do not differ for any system, either pair when two first singular values are equal. When all
        scores are equal, every `pagerank` is the same.

    Raises
    ------
    ValueError
        If scores are no table of at least 2 by 2 or are transposed, one is not a number from -1e100 to 1e100 or outside
        the range of the transform, a name occurs twice, or there is no such transform.

    Notes
    -----
    For scores M, :math:`APA(s, t) = M(s, t) - \overline{M(\cdot, t)}` weighs the arc from topic t to system s, and
    :math:`APM(s, t) = M(s, t) - \overline{M(s, \cdot)}` that from s to t. `inlinks` is the mean weight of the arcs to a
    node. PageRank, damping 0.85, takes them less the one smallest weight of all. Authorities of systems and hubs of
    topics are the first singular vectors of APA, hubs of systems and authorities of topics those of APM; the hubs sum
    to more than 0, and where they sum to 0 the first hub that is not 0 is positive.

    References
    ----------
    Mizzaro and Robertson, SIGIR 2007.

    Examples
    --------
    >>> graph = systems_topics([[0.9, 0.3], [0.5, 0.1], [0.1, 0.2]])
    >>> graph.systems.round(2)
       mean  inlinks  pagerank   hub  authority
    0   0.5     0.15      0.37  0.99       0.71
    1   0.2    -0.15      0.13  0.13      -0.71
    """
    frame = _checked_table(scores)
    M = np.ascontiguousarray(_transformed(frame, transform).T)  # as in the paper, a row per system
    system_means, topic_means = _means(M, axis=1), _means(M, axis=0)
    from_topics, from_systems = (M - topic_means).T, M - system_means[:, np.newaxis]
    system_ranks, topic_ranks = _pageranks(from_systems, from_topics)
    system_hubs, topic_authorities = _hubs_authorities(from_systems)
    topic_hubs, system_authorities = _hubs_authorities(from_topics)
    return SystemsTopics(
        scores=pd.DataFrame(M.T, frame.index, frame.columns),
        systems=_nodes(frame.columns, system_means, from_topics, system_ranks, system_hubs, system_authorities),
        topics=_nodes(frame.index, topic_means, from_systems, topic_ranks, topic_hubs, topic_authorities),
        apa=pd.DataFrame(from_topics, frame.index, frame.columns),
        apm=pd.DataFrame(from_systems.T, frame.index, frame.columns),
    )


def _nodes(
    names: pd.Index, means: Floats, arcs: Floats, pagerank: Floats, hubs: Floats, authorities: Floats
) -> pd.DataFrame:
    columns = {
        "mean": means,
        "inlinks": arcs.mean(axis=0),
        "pagerank": pagerank,
        "hub": hubs,
        "authority": authorities,
    }
    return pd.DataFrame(columns, index=names)


def _checked_table(scores: Any) -> pd.DataFrame:
    frame = score_table("scores", scores, n_topics=2, n_systems=2)
    values = frame.to_numpy()
    if values.dtype.kind in "biuf":
        is_right = np.abs(values.astype(float)) <= LARGEST
    else:
        is_right = np.array([[_is_number(value) for value in row] for row in values])
    _check_each(frame, is_right, "numbers from -1e100 to 1e100")
    return frame


def _is_number(value: object) -> bool:
    return isinstance(value, bool) or (is_number(value) and abs(float(value)) <= LARGEST)


def _check_each(frame: pd.DataFrame, is_right: NDArray[np.bool_], rule: str) -> None:
    wrong = np.argwhere(~is_right)
    if wrong.size:
        i, j = wrong[0]
        value = reprlib.repr(frame.iloc[[i], [j]].astype(object).to_numpy().item())
        raise ValueError(f"scores must be {rule}, got {value} for system {frame.columns[j]} on topic {frame.index[i]}")


def _transformed(frame: pd.DataFrame, transform: str) -> Floats:
    M = np.array(frame, dtype=float)
    match transform:
        case "identity":
            return M
        case "log":
            _check_each(frame, M >= 0, "from 0 for their log")
            return np.log(np.where(M == 0, SMALLEST, M))
        case "logit":
            _check_each(frame, (M >= 0) & (M <= 1), "from 0 to 1 for their logit")
            logits: Floats = scipy.special.logit(np.clip(M, SMALLEST, 1 - SMALLEST))
            return logits
    raise ValueError(f"transform must be identity, log or logit, got {transform!r}")


def _means(M: Floats, axis: int) -> Floats:
    """Return means that rounding does not move out of range: equal scores differ from theirs by exactly 0."""
    means: Floats = np.clip(M.mean(axis), M.min(axis), M.max(axis))
    return means


def _pageranks(from_systems: Floats, from_topics: Floats) -> tuple[Floats, Floats]:
    """Return PageRank of systems and of topics, by a linear system that is only as large as the fewer of them."""
    least = min(from_systems.min(), from_topics.min())
    to_topics, to_systems = _chances(from_systems - least), _chances(from_topics - least)
    if len(to_topics) > len(to_systems):
        topics, systems = _visits(to_systems, to_topics)
    else:
        systems, topics = _visits(to_topics, to_systems)
    total = systems.sum() + topics.sum()  # nodes without arcs lose visits: the surfer jumps anywhere from there
    return systems / total, topics / total


def _chances(weights: Floats) -> Floats:
    """Divide the weights of the arcs from each node by their sum. All are 0 for a node without arcs."""
    totals = weights.sum(axis=1, keepdims=True)
    chances: Floats = np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)
    return chances


def _visits(to_many: Floats, to_few: Floats) -> tuple[Floats, Floats]:
    """Solve few = 1 + d · to_fewᵀ · many, many = 1 + d · to_manyᵀ · few for the visits of each node."""
    there_and_back = DAMPING**2 * (to_many @ to_few).T
    few = np.linalg.solve(np.eye(len(to_many)) - there_and_back, 1 + DAMPING * to_few.sum(axis=0))
    return few, 1 + DAMPING * few @ to_many


def _hubs_authorities(weights: Floats) -> tuple[Floats, Floats]:
    """Return the hubs of those who judge (rows) and the authorities of those who are judged (columns)."""
    is_tall = weights.shape[0] > weights.shape[1]
    few = weights.T if is_tall else weights  # the agreement of the fewer nodes is the smaller matrix
    values, vectors = scipy.linalg.eigh(few @ few.T, subset_by_index=[len(few) - 2, len(few) - 1])
    if not values[1] - values[0] > TIE * values[1]:  # no first pair of vectors, or nothing but zeros
        return np.full(weights.shape[0], math.nan), np.full(weights.shape[1], math.nan)
    ours = vectors[:, 1]
    theirs = ours @ few / np.linalg.norm(ours @ few)
    hubs, authorities = (theirs, ours) if is_tall else (ours, theirs)
    leader = hubs.sum()
    if abs(leader) < TIE:
        leader = hubs[np.abs(hubs) > TIE][0]
    sign = np.sign(leader)
    return sign * hubs, sign * authorities
