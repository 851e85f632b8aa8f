"""Analyse scores as a graph of systems and topics: which systems are effective, and which topics are easy.

Mizzaro and Robertson (SIGIR 2007) interpret a table of scores as a graph. The arc from a system to a topic has a
positive weight if the topic is easy for this system. The arc from a topic to a system has a positive weight if the
system is effective on this topic. Link analysis then measures how effective or easy a node is (inlinks, PageRank,
authority), and how well its own weights agree with those of the other nodes (hub). In Presort, a *system* is a ranker
version and a *topic* is a report or a report issue. Any score can replace average precision.
"""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from presort.metrics.arguments import is_number
from presort.metrics.batch import Floats
from presort.metrics.cases import LARGEST
from presort.metrics.lazy import pd, scipy
from presort.metrics.score_tables import ScoreTable, score_table

DAMPING = 0.85  # PageRank: probability of following an arc instead of jumping to a random node
SMALLEST = 1e-5  # replaces 0 in the log transform; the logit transform clips to this distance from 0 and 1
TIE = 1e-10  # smaller relative differences are rounding errors


@dataclass(frozen=True, eq=False)
class SystemsTopics:
    """Results of the link analysis for systems and topics.

    Attributes
    ----------
    scores : DataFrame, shape (n_topics, n_systems)
        Transformed scores, one row per topic and one column per system.
    systems : DataFrame, shape (n_systems, 5)
        Columns ``mean`` (mean score of the system), ``inlinks``, ``pagerank``, ``hub`` and ``authority``; higher is
        more effective. A higher ``hub`` means that the system agrees better with the other systems on which topics are
        easy.
    topics : DataFrame, shape (n_topics, 5)
        The same columns for the topics; higher is easier. A higher ``hub`` means that the topic agrees better with the
        other topics on which systems are effective.
    apa : DataFrame, shape (n_topics, n_systems)
        Score minus the mean of the topic: effectiveness of the system on this topic, 0 for an average system.
    apm : DataFrame, shape (n_topics, n_systems)
        Score minus the mean of the system: easiness of the topic for this system, 0 for an average topic.
    """

    scores: pd.DataFrame
    systems: pd.DataFrame
    topics: pd.DataFrame
    apa: pd.DataFrame
    apm: pd.DataFrame

    def agreement(self, kind: str) -> pd.DataFrame:
        r"""Return the agreement matrix of the systems or of the topics.

        Parameters
        ----------
        kind : str
            ``systems_on_ease``: the same topics are easy for both systems. ``topics_on_effectiveness``: the same
            systems are effective on both topics. ``systems_on_effectiveness``: both systems are effective on the same
            topics. ``topics_on_ease``: both topics are easy for the same systems.

        Returns
        -------
        DataFrame, shape (n_systems, n_systems) or (n_topics, n_topics)
            Symmetric matrix of sums of products, in squared units of the score. Positive if the two systems or topics
            agree, negative if they disagree.

        Raises
        ------
        ValueError
            If the kind is unknown.

        Notes
        -----
        Let A be the matrix of all arc weights. The first two kinds are the blocks of :math:`A A^T`, which are
        APM · APMᵀ and APAᵀ · APA. The other two are the blocks of :math:`A^T A`, which are APA · APAᵀ and APMᵀ · APM.

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
    r"""Analyse a score table as a graph of systems and topics.

    Parameters
    ----------
    scores : DataFrame or array-like, shape (n_topics, n_systems)
        Scores, one row per topic and one column per system, at least two of each; higher is better. Rows and columns
        without names are numbered from 0.
    transform : str
        Transform of the scores. ``identity``: scores are unchanged; the default. ``log``: logarithm of non-negative
        scores; the means are logarithms of geometric means. A score of 0 is replaced by 1e-5 and therefore exceeds
        positive scores below 1e-5. ``logit``: logit of scores from 0 to 1, clipped to 1e-5 and 1 - 1e-5.

    Returns
    -------
    SystemsTopics
        Results in units of the transformed score, except for ``pagerank`` (probabilities that sum to 1 over systems
        and topics) and ``hub`` and ``authority`` (vectors of length 1). Hubs of topics and authorities of systems are
        NaN if the systems do not differ on any topic. Hubs of systems and authorities of topics are NaN if the topics
        do not differ for any system. Hubs and authorities are also NaN if the two largest singular values of the matrix
        that they are computed from are equal. If all scores are equal, all values of ``pagerank`` are equal.

    Raises
    ------
    ValueError
        If scores is not a table of at least 2 by 2 or is transposed, if a score is not a number from -1e100 to 1e100 or
        is outside the domain of the transform, if a name is repeated, or if the transform is unknown.

    Notes
    -----
    For scores M, the arc from topic t to system s has the weight
    :math:`APA(s, t) = M(s, t) - \overline{M(\cdot, t)}`, and the arc from s to t has the weight
    :math:`APM(s, t) = M(s, t) - \overline{M(s, \cdot)}`. ``inlinks`` is the mean weight of the arcs to a node.
    PageRank has a damping of 0.85 and uses the weights minus their global minimum, so that none is negative.
    Authorities of systems and hubs of topics are the first singular vectors of APA; hubs of systems and authorities of
    topics are those of APM. The sign is chosen so that the hubs have a positive sum or, if the sum is 0, so that the
    first non-zero hub is positive.

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
    frame = _validate_table(scores)
    M = np.ascontiguousarray(_transform(frame, transform).T)  # one row per system, as in the paper
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


def _validate_table(scores: Any) -> pd.DataFrame:
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


def _transform(frame: pd.DataFrame, transform: str) -> Floats:
    M = np.array(frame, dtype=float)
    match transform:
        case "identity":
            return M
        case "log":
            _check_each(frame, M >= 0, "at least 0 for the log transform")
            return np.log(np.where(M == 0, SMALLEST, M))
        case "logit":
            _check_each(frame, (M >= 0) & (M <= 1), "from 0 to 1 for the logit transform")
            logits: Floats = scipy.special.logit(np.clip(M, SMALLEST, 1 - SMALLEST))
            return logits
    raise ValueError(f"transform must be identity, log or logit, got {transform!r}")


def _means(M: Floats, axis: int) -> Floats:
    """Return means clipped to the range of the scores, so that equal scores differ from their mean by exactly 0."""
    means: Floats = np.clip(M.mean(axis), M.min(axis), M.max(axis))
    return means


def _pageranks(from_systems: Floats, from_topics: Floats) -> tuple[Floats, Floats]:
    """Return the PageRank of systems and topics.

    Solves one linear system. Its size is the number of systems or the number of topics, whichever is smaller.
    """
    least = min(from_systems.min(), from_topics.min())
    to_topics, to_systems = _chances(from_systems - least), _chances(from_topics - least)
    if len(to_topics) > len(to_systems):
        topics, systems = _visits(to_systems, to_topics)
    else:
        systems, topics = _visits(to_topics, to_systems)
    # From a node without arcs, the surfer jumps to a random node. Dividing by the total accounts for these jumps.
    total = systems.sum() + topics.sum()
    return systems / total, topics / total


def _chances(weights: Floats) -> Floats:
    """Return transition probabilities: each row's weights divided by their sum, or 0 for a node without arcs."""
    totals = weights.sum(axis=1, keepdims=True)
    chances: Floats = np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)
    return chances


def _visits(to_many: Floats, to_few: Floats) -> tuple[Floats, Floats]:
    """Return the expected numbers of visits to each node of the smaller group (few) and of the larger group (many).

    With d = `DAMPING`, they solve few = 1 + d · to_fewᵀ · many and many = 1 + d · to_manyᵀ · few.
    """
    there_and_back = DAMPING**2 * (to_many @ to_few).T
    few = np.linalg.solve(np.eye(len(to_many)) - there_and_back, 1 + DAMPING * to_few.sum(axis=0))
    return few, 1 + DAMPING * few @ to_many


def _hubs_authorities(weights: Floats) -> tuple[Floats, Floats]:
    """Return the hub values of arc sources (rows) and the authority values of arc targets (columns)."""
    is_tall = weights.shape[0] > weights.shape[1]
    few = weights.T if is_tall else weights  # use the shorter side, which makes the eigenvalue problem smaller
    values, vectors = scipy.linalg.eigh(few @ few.T, subset_by_index=[len(few) - 2, len(few) - 1])
    if not values[1] - values[0] > TIE * values[1]:  # the first singular vectors are not unique, or all weights are 0
        return np.full(weights.shape[0], math.nan), np.full(weights.shape[1], math.nan)
    ours = vectors[:, 1]
    theirs = ours @ few / np.linalg.norm(ours @ few)
    hubs, authorities = (theirs, ours) if is_tall else (ours, theirs)
    leader = hubs.sum()
    if abs(leader) < TIE:
        leader = hubs[np.abs(hubs) > TIE][0]
    sign = np.sign(leader)
    return sign * hubs, sign * authorities
