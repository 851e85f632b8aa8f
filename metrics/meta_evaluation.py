"""Quality of measures, from the scores they give to many systems: strictness and robustness.

The source's words: a *system* is a ranker version, a *topic* is a report or a (report, issue) pair, and an *output*
is what one system gave for one topic.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from presort.metrics.arguments import shown
from presort.metrics.batch import Floats
from presort.metrics.cases import number_table
from presort.metrics.score_tables import aligned

Flags = NDArray[np.bool_]
ScoresByMeasure = Mapping[str, ArrayLike]  # from the name of a measure to a table of shape (n_topics, n_systems)


def strictness(scores: ScoresByMeasure, measure: str, others: Iterable[str] | None = None) -> float:
    r"""Return how surely a good score from a measure means a good score from every other measure.

    Parameters
    ----------
    scores : mapping of str to array_like of float, each of shape (n_topics, n_systems)
        From the name of a measure to its scores, a row per topic and a column per system; higher is better.
    measure : str
        The measure to judge.
    others : iterable of str, optional
        Measures to compare it with. Defaults to all others in `scores`.

    Returns
    -------
    float
        From -(1 - 1/n_systems) to 0; higher is stricter. Only the topics of `strictness_topics` count; NaN if there
        are none.

    Raises
    ------
    ValueError
        If a name is not in scores, others are no list of names, empty, or hold the measure itself, or scores are not
        numbers from -1e100 to 1e100 or NaN in two dimensions, of one shape for all measures.

    Notes
    -----
    :math:`-\max (\rho' - \rho) / n` over outputs, topics and other measures, where an output has rank :math:`\rho` of
    n by this measure and :math:`\rho'` by the other, 1 is best, and tied outputs share the mean of their ranks.

    References
    ----------
    Amigó, Gonzalo and Verdejo, SIGIR 2013, section 4.

    Examples
    --------
    The first measure puts system 1 of 3 first, which the second puts last.

    >>> round(strictness({"f": [[0.9, 0.5, 0.1]], "g": [[0.2, 0.6, 0.4]]}, "f"), 4)
    -0.6667
    """
    against = _others(scores, measure, others)
    tables = _tables(scores, [measure, *against])
    kept = _all_defined(tables.values())
    return _strictness(_ranks(tables, kept), measure, against)


def strictness_of_each(scores: ScoresByMeasure) -> dict[str, float]:
    """Return the `strictness` of every measure against all others. It takes little longer than one measure.

    Parameters
    ----------
    scores
        As for `strictness`.

    Returns
    -------
    dict of str to float

    Raises
    ------
    ValueError
        As `strictness`.

    Examples
    --------
    >>> strictness_of_each({"f": [[0.9, 0.1]], "g": [[0.2, 0.6]]})
    {'f': -0.5, 'g': -0.5}
    """
    _check_mapping(scores)
    others = {name: _others(scores, name, None) for name in scores}
    tables = _tables(scores, list(scores))
    ranks = _ranks(tables, _all_defined(tables.values()))
    return {name: _strictness(ranks, name, against) for name, against in others.items()}


def strictness_topics(scores: ScoresByMeasure, measure: str, others: Iterable[str] | None = None) -> Flags:
    """Mark the topics that `strictness` counts: no system has a NaN there, by any measure involved.

    Parameters
    ----------
    scores, measure, others
        As for `strictness`.

    Returns
    -------
    ndarray of bool, shape (n_topics,)
        The topics left out are those that are False.

    Raises
    ------
    ValueError
        As `strictness`.

    Examples
    --------
    >>> strictness_topics({"f": [[0.9, 0.5], [0.8, 0.7]], "g": [[0.2, 0.6], [float("nan"), 0.4]]}, "f")
    array([ True, False])
    """
    return _all_defined(_tables(scores, [measure, *_others(scores, measure, others)]).values())


def robustness(scores: ScoresByMeasure, measure: str) -> float:
    r"""Return how alike the topics are in the order they give to the systems.

    Parameters
    ----------
    scores : mapping of str to array_like of float, each of shape (n_topics, n_systems)
        From the name of a measure to its scores, a row per topic and a column per system.
    measure : str
        The measure to judge.

    Returns
    -------
    float
        From -1/(m - 1) to 1, 0 in the mean over random scores; higher is more robust. The m topics of
        `robustness_topics` count, and make m (m - 1) / 2 pairs; NaN if m is below 2.

    Raises
    ------
    ValueError
        If measure is not in scores, or its scores are not numbers from -1e100 to 1e100 or NaN in two dimensions.

    Notes
    -----
    Mean of Spearman's correlation of the systems' scores over all pairs of topics. With the ranks of a topic shifted
    and scaled to a vector :math:`z_t` of mean 0 and length 1, correlations are dot products, so that their mean is
    :math:`(|\sum_t z_t|^2 - m) / (m (m - 1))`: no pair is visited.

    References
    ----------
    Amigó, Gonzalo and Verdejo, SIGIR 2013, section 4.

    Examples
    --------
    Three systems; topics 1 and 2 agree, topic 3 holds the opposite.

    >>> round(robustness({"f": [[0.9, 0.5, 0.1], [0.6, 0.4, 0.3], [0.1, 0.2, 0.7]]}, "f"), 4)
    -0.3333
    """
    table = _tables(scores, [measure])[measure]
    ranks: Floats = scipy.stats.rankdata(table[:, _orders_systems(table)], axis=0)
    m: int = ranks.shape[1]
    if m < 2:
        return math.nan
    shifted = ranks - ranks.mean(axis=0)
    summed: Floats = (shifted / np.linalg.norm(shifted, axis=0)).sum(axis=1)
    return min((float(summed @ summed) - m) / (m * (m - 1)), 1.0)  # rounding must not pass 1


def robustness_topics(scores: ScoresByMeasure, measure: str) -> Flags:
    """Mark the topics that `robustness` counts: every system has a score there, and not all have the same.

    Parameters
    ----------
    scores, measure
        As for `robustness`.

    Returns
    -------
    ndarray of bool, shape (n_topics,)
        The topics left out are those that are False.

    Raises
    ------
    ValueError
        As `robustness`.

    Examples
    --------
    >>> robustness_topics({"f": [[0.9, 0.5], [0.5, 0.5], [0.3, float("nan")]]}, "f")
    array([ True, False, False])
    """
    return _orders_systems(_tables(scores, [measure])[measure])


def _ranks(tables: Mapping[str, Floats], kept: Flags) -> dict[str, Floats]:
    return {name: scipy.stats.rankdata(-table[:, kept], axis=0) for name, table in tables.items()}


def _strictness(ranks: Mapping[str, Floats], measure: str, against: Iterable[str]) -> float:
    if not ranks[measure].size:
        return math.nan
    farthest = max(float((ranks[name] - ranks[measure]).max()) for name in against)
    return 0.0 - farthest / len(ranks[measure])


def _others(scores: ScoresByMeasure, measure: str, others: Iterable[str] | None) -> list[str]:
    _check_mapping(scores)
    if isinstance(others, str) or not isinstance(others, Iterable | None):
        raise ValueError(f"others must be a list of names, got {shown(others)}")
    chosen = [name for name in scores if name != measure] if others is None else list(others)
    if not chosen or measure in chosen:
        raise ValueError(f"others must be one or more measures other than {measure!r}, got {shown(chosen)}")
    return chosen


def _tables(scores: ScoresByMeasure, names: list[str]) -> dict[str, Floats]:
    """Return the scores by each of the measures, a row per system: the functions here rank down the columns."""
    _check_mapping(scores)
    if unknown := [name for name in names if name not in scores]:
        raise ValueError(f"measure and others must be one of {shown(list(scores))}, got {shown(unknown)}")
    chosen = aligned("scores", {name: scores[name] for name in names})
    tables = {name: number_table(f"scores[{name!r}]", table, "(n_topics, n_systems)") for name, table in chosen.items()}
    shapes = {name: table.shape for name, table in tables.items()}
    if len(set(shapes.values())) > 1:
        raise ValueError(f"scores must have one shape for all measures, got {shown(shapes)}")
    return {name: table.T for name, table in tables.items()}


def _check_mapping(scores: object) -> None:
    if not isinstance(scores, Mapping):
        raise ValueError(f"scores must map names of measures to tables of scores, got {shown(scores)}")


def _all_defined(tables: Iterable[Floats]) -> Flags:
    kept: Flags = np.all([~np.isnan(table).any(axis=0) for table in tables], axis=0)
    return kept


def _orders_systems(table: Floats) -> Flags:
    differs: Flags = np.any(table != table[:1], axis=0)
    return differs & _all_defined([table])
