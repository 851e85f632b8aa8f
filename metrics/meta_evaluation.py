"""Meta-evaluation: strictness and robustness of measures, based on the scores of many systems.

In Presort, a *system* is a ranker version and a *topic* is a report or a (report, issue) pair. An *output* is the
ranking that one system returned for one topic.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from presort.metrics.arguments import short_repr
from presort.metrics.batch import Floats
from presort.metrics.cases import number_table
from presort.metrics.lazy import scipy
from presort.metrics.score_tables import align_tables

Flags = NDArray[np.bool_]
ScoresByMeasure = Mapping[str, ArrayLike]  # maps a measure's name to a table of shape (n_topics, n_systems)


def strictness(scores: ScoresByMeasure, measure: str, others: Iterable[str] | None = None) -> float:
    r"""Return the strictness of a measure: to what extent a high score implies high scores by all other measures.

    Parameters
    ----------
    scores : mapping of str to array_like of float, each of shape (n_topics, n_systems)
        Scores by measure, one row per topic and one column per system; higher is better.
    measure : str
        Name of the measure to evaluate.
    others : iterable of str, optional
        Names of the measures to compare with. Defaults to all others in `scores`.

    Returns
    -------
    float
        Strictness from -(1 - 1/n_systems) to 0; higher is stricter. Only the topics marked by `strictness_topics` are
        used. NaN if there are none.

    Raises
    ------
    ValueError
        If a name is not in scores, if others is not a list of names, is empty or contains the measure itself, or if
        scores are not two-dimensional tables of equal shape with numbers from -1e100 to 1e100 or NaN.

    Notes
    -----
    :math:`-\max (\rho' - \rho) / n` over outputs, topics and other measures, where an output has rank :math:`\rho` of
    n by this measure and :math:`\rho'` by the other. Rank 1 is best, and tied outputs share the mean of their ranks.

    References
    ----------
    Amigó, Gonzalo and Verdejo, SIGIR 2013, section 4.

    Examples
    --------
    The first measure ranks system 1 of 3 first; the second ranks it last.

    >>> round(strictness({"f": [[0.9, 0.5, 0.1]], "g": [[0.2, 0.6, 0.4]]}, "f"), 4)
    -0.6667
    """
    against = _others(scores, measure, others)
    tables = _tables(scores, [measure, *against])
    kept = _mask_defined(tables.values())
    return _strictness(_ranks(tables, kept), measure, against)


def strictness_of_each(scores: ScoresByMeasure) -> dict[str, float]:
    """Return the `strictness` of every measure, compared with all others.

    Takes little longer than `strictness` for a single measure.

    Parameters
    ----------
    scores : mapping of str to array_like of float, each of shape (n_topics, n_systems)
        Scores by measure, see `strictness`.

    Returns
    -------
    dict of str to float
        Strictness by measure.

    Raises
    ------
    ValueError
        If scores are invalid, see `strictness`.

    Examples
    --------
    >>> strictness_of_each({"f": [[0.9, 0.1]], "g": [[0.2, 0.6]]})
    {'f': -0.5, 'g': -0.5}
    """
    _check_mapping(scores)
    others = {name: _others(scores, name, None) for name in scores}
    tables = _tables(scores, list(scores))
    ranks = _ranks(tables, _mask_defined(tables.values()))
    return {name: _strictness(ranks, name, against) for name, against in others.items()}


def strictness_topics(scores: ScoresByMeasure, measure: str, others: Iterable[str] | None = None) -> Flags:
    """Mark the topics that `strictness` uses: those without NaN for any system by any of the measures.

    Parameters
    ----------
    scores, measure, others
        Scores and names of measures, see `strictness`.

    Returns
    -------
    ndarray of bool, shape (n_topics,)
        True for the topics used, False for those ignored.

    Raises
    ------
    ValueError
        If an argument is invalid, see `strictness`.

    Examples
    --------
    >>> strictness_topics({"f": [[0.9, 0.5], [0.8, 0.7]], "g": [[0.2, 0.6], [float("nan"), 0.4]]}, "f")
    array([ True, False])
    """
    return _mask_defined(_tables(scores, [measure, *_others(scores, measure, others)]).values())


def robustness(scores: ScoresByMeasure, measure: str) -> float:
    r"""Return the robustness of a measure: how consistently it orders the systems across topics.

    Parameters
    ----------
    scores : mapping of str to array_like of float, each of shape (n_topics, n_systems)
        Scores by measure, one row per topic and one column per system.
    measure : str
        Name of the measure to evaluate.

    Returns
    -------
    float
        Robustness from -1/(m - 1) to 1, with expected value 0 for random scores; higher is more robust. m is the number
        of topics marked by `robustness_topics`. NaN if m is below 2.

    Raises
    ------
    ValueError
        If measure is not in scores, or if its scores are not a two-dimensional table of numbers from -1e100 to 1e100 or
        NaN.

    Notes
    -----
    Mean Spearman correlation of the systems' scores over all pairs of topics. If the ranks of each topic are shifted
    and scaled to a vector :math:`z_t` with mean 0 and length 1, correlations are dot products. Their mean is
    :math:`(|\sum_t z_t|^2 - m) / (m (m - 1))`, which avoids a loop over pairs.

    References
    ----------
    Amigó, Gonzalo and Verdejo, SIGIR 2013, section 4.

    Examples
    --------
    Topics 1 and 2 order the three systems in the same way, topic 3 in reverse.

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
    return min((float(summed @ summed) - m) / (m * (m - 1)), 1.0)  # rounding may yield values above 1


def robustness_topics(scores: ScoresByMeasure, measure: str) -> Flags:
    """Mark the topics that `robustness` uses: those with a score for every system and at least two different scores.

    Parameters
    ----------
    scores, measure
        Scores and name of the measure, see `robustness`.

    Returns
    -------
    ndarray of bool, shape (n_topics,)
        True for the topics used, False for those ignored.

    Raises
    ------
    ValueError
        If an argument is invalid, see `robustness`.

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
        raise ValueError(f"others must be a list of names, got {short_repr(others)}")
    chosen = [name for name in scores if name != measure] if others is None else list(others)
    if not chosen or measure in chosen:
        raise ValueError(f"others must be one or more measures other than {measure!r}, got {short_repr(chosen)}")
    return chosen


def _tables(scores: ScoresByMeasure, names: list[str]) -> dict[str, Floats]:
    """Return each measure's scores with one row per system, transposed because this module ranks within columns."""
    _check_mapping(scores)
    if unknown := [name for name in names if name not in scores]:
        raise ValueError(f"measure and others must be among {short_repr(list(scores))}, got {short_repr(unknown)}")
    chosen = align_tables("scores", {name: scores[name] for name in names})
    tables = {name: number_table(f"scores[{name!r}]", table, "(n_topics, n_systems)") for name, table in chosen.items()}
    shapes = {name: table.shape for name, table in tables.items()}
    if len(set(shapes.values())) > 1:
        raise ValueError(f"scores must have the same shape for all measures, got {short_repr(shapes)}")
    return {name: table.T for name, table in tables.items()}


def _check_mapping(scores: object) -> None:
    if not isinstance(scores, Mapping):
        raise ValueError(f"scores must map names of measures to tables of scores, got {short_repr(scores)}")


def _mask_defined(tables: Iterable[Floats]) -> Flags:
    kept: Flags = np.all([~np.isnan(table).any(axis=0) for table in tables], axis=0)
    return kept


def _orders_systems(table: Floats) -> Flags:
    differs: Flags = np.any(table != table[:1], axis=0)
    return differs & _mask_defined([table])
