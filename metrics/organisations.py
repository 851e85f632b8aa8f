"""Reliability and Sensitivity of any organisation of papers, against a gold one.

Amigó, Gonzalo and Verdejo (SIGIR 2013) arrange papers in levels of priority and in clusters within a level; a paper may
occur more than once. Here organisations are read, checked and weighed; `presort.metrics.relations` compares them.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from presort.metrics.batch import ratio
from presort.metrics.outcome import Values
from presort.metrics.relations import Occurrences, Weights, reliabilities
from presort.metrics.reliability import ReliabilitySensitivity, attention_constant

Organisation = Sequence[Sequence[Values]]
COLLECTIONS, WEIGHTINGS = ("open", "closed"), ("discount", "uniform")


def reliability_sensitivity(
    output: Organisation,
    gold: Organisation,
    *,
    top: float = 30,
    weight: float = 0.8,
    collection: str = "open",
    weighting: str = "discount",
) -> ReliabilitySensitivity:
    r"""Reliability and Sensitivity of an organisation of papers in levels and clusters.

    Parameters
    ----------
    output, gold : sequence of levels
        The system's organisation and the gold one. A level, the first to be read first, is a sequence of clusters, a
        cluster a sequence of paper ids (hashable, none missing). A paper may occur several times, in one cluster too.
        No level and no cluster is empty; ``[]`` lists nothing.
    top, weight : float
        The first `top` (papers, above 0) positions carry `weight` (between 0 and 1) of all attention. Under uniform
        weighting they set the weight of the tail only.
    collection : {"open", "closed"}
        An endless tail of unlisted papers follows the last level.
    weighting : {"discount", "uniform"}
        Deeper occurrences weigh less. If False, all have the same weight.

    Returns
    -------
    ReliabilitySensitivity
        Each from 0 to 1, higher is better. All NaN if gold lists nothing; both reliabilities NaN if output lists
        nothing. In a closed collection nothing is above anything on a single level: an output of one level has no
        priority reliability (NaN), a gold organisation of one level no priority sensitivity.

    Raises
    ------
    ValueError
        If an organisation is not made of levels of clusters of paper ids, one is empty, an id is missing or not
        hashable, or an option is unknown or out of range.

    Notes
    -----
    With :math:`c = (1 - weight) \, top / weight`, each of the e occurrences on a level below g others weighs
    :math:`w = \frac{1}{e} \big( \frac{c}{c + g} - \frac{c}{c + g + e} \big)`, and the tail below all n
    :math:`T = c / (c + n)`. Under uniform weighting each of the n weighs :math:`1 / (c + n)`, as if they shared one
    level, and the tail stays. A closed collection has no tail, and its weights are scaled to sum to 1.

    Let X be the output, G gold, :math:`n_X` and :math:`n_G` the numbers of pairs of occurrences in which a relation
    between two papers holds, :math:`P = \min(n_G, n_X) / n_X`, the same with the numbers of occurrences of d for
    :math:`d \succ tail`, and :math:`W_d` 1 less the weight of the level of d. Then

    .. math::
        R_\succ &= \sum_{d, d'} P \frac{w_d w_{d'}}{W_d}
            + T \sum_d P(d \succ tail) \, w_d \Big( \frac{1}{W_d} + \frac{1}{1 - T} \Big) \\
        R_\sim &= T + \sum_d \sum_{d' \sim d} P \frac{w_d w_{d'}}{W(cluster\ of\ d)}

    with the sums over occurrences, the first over those on different levels of X. The sensitivities are the same with
    X and G exchanged. Uniform and closed, :math:`R_\sim` and :math:`S_\sim` of a single level without overlap are
    BCubed precision and recall.

    The time grows with n log n in the occurrences, and with n for each paper listed more than once on a side.

    References
    ----------
    Amigó, Gonzalo and Verdejo, SIGIR 2013. Three figures of their Table 9 (S of priority .86 in row 3, R .95 and S .85
    in row 4) are not what the equation gives, which is .775, .943 and .775.

    Examples
    --------
    >>> gold = [[["d1"], ["d2", "d3", "d4"]], [["d4", "d5"], ["d6", "d7"]], [["d6", "d7"]]]
    >>> figures = reliability_sensitivity(gold[::-1], gold, top=10)
    >>> round(figures.priority_reliability, 2), round(figures.priority_sensitivity, 2)
    (0.64, 0.59)
    """
    c = attention_constant(top, weight)
    for name, option, known in (("collection", collection, COLLECTIONS), ("weighting", weighting, WEIGHTINGS)):
        if option not in known:
            raise ValueError(f"{name} must be one of {known}, got {option!r}")
    numbers: dict[Any, int] = {}
    x, g = _read("output", output, numbers), _read("gold", gold, numbers)
    if not g.paper.size:
        return ReliabilitySensitivity(math.nan, math.nan, math.nan, math.nan)
    weigh = partial(_weigh, c=c, is_open=collection == "open", is_discounted=weighting == "discount")
    R_before, R_together = reliabilities(x, g, weigh)
    S_before, S_together = reliabilities(g, x, weigh)
    return ReliabilitySensitivity(R_before, S_before, R_together, S_together)


def _read(name: str, organisation: Organisation, numbers: dict[Any, int]) -> Occurrences:
    """Check an organisation and lay it end to end; papers without a number yet get the next."""
    papers: list[Any] = []
    levels, sizes = [], []  # of each cluster
    if not _is_list(organisation):
        raise ValueError(f"{name} must be a list of levels, got {reprlib.repr(organisation)}")
    for level, clusters in enumerate(organisation):
        if not _is_list(clusters) or not len(clusters):
            raise ValueError(f"a level of {name} must be a list of clusters, not empty, got {reprlib.repr(clusters)}")
        for cluster in clusters:
            if not _is_list(cluster) or not len(cluster):
                raise ValueError(f"a cluster of {name} must be a list of ids, not empty, got {reprlib.repr(cluster)}")
            papers.extend(cluster)
            levels.append(level)
            sizes.append(len(cluster))
    try:
        paper = [numbers.setdefault(one, len(numbers)) for one in papers]
    except TypeError as error:
        raise ValueError(f"paper ids of {name} must be hashable, got {error}") from error
    if missing := [one for one in numbers if pd.isna(one)]:
        raise ValueError(f"paper ids of {name} must not be missing, got {missing[0]!r}")
    clusters_in_order = np.repeat(np.arange(len(sizes)), sizes)
    return Occurrences(
        np.array(paper, dtype=np.int64), np.array(levels, dtype=np.int64)[clusters_in_order], clusters_in_order
    )


def _is_list(values: object) -> bool:
    if isinstance(values, np.ndarray):
        return values.ndim > 0
    return isinstance(values, Sequence) and not isinstance(values, str | bytes)  # a text is a sequence of letters


def _weigh(side: Occurrences, c: float, is_open: bool, is_discounted: bool) -> Weights:
    n, e = side.paper.size, np.bincount(side.level)
    g = np.cumsum(e) - e
    # W_d is added up from the levels above and below: where a level weighs nearly 1, the rest of 1 is all rounding.
    if is_discounted:
        alone = c / (c + g) / (c + g + e)
        others = g / (c + g) + c / (c + g + e) * ((n - g - e) / (c + n))
    else:
        alone, others = np.full(e.shape, 1 / (c + n)), (n - e) / (c + n)
    scale, tail = (1.0, c / (c + n)) if is_open else ((c + n) / n, 0.0)
    ordered = ratio(scale * alone, scale * others + tail)
    w = (scale * alone)[side.level]
    return Weights(w, ordered[side.level], w / np.bincount(side.cluster)[side.cluster], tail)
