"""Reliability and Sensitivity of the first k papers in a ranking, and the F measure.

Amigó, Gonzalo and Verdejo (SIGIR 2013) compare two organisations of papers into priority levels. Here, the system
output is the ranking down to the cut k, one level per paper. The gold organisation is the editor's selection, with all
papers on one level. Both are followed by an infinite tail of unlisted papers.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from presort.metrics.arguments import is_number, short_repr
from presort.metrics.batch import Batch, Floats, ratio
from presort.metrics.outcome import Outcome

# The attention constant c is between SMALLEST and its reciprocal, so that the weights in long lists fit into doubles.
SMALLEST = 1e-100
TINY = 1e-290  # F scales up the smaller of p and r before division if it is below this value


@dataclass(frozen=True)
class ReliabilitySensitivity:
    """Agreement of a system output with the gold organisation, as four values from 0 to 1.

    Reliability is the precision of the system's relations between papers: the share that also holds in the gold
    organisation. Sensitivity is their recall: the share of the gold relations that also holds in the system output.
    The relations are *before* (priority) and *together with* (clustering). Higher is better; NaN if undefined.

    Attributes
    ----------
    priority_reliability, priority_sensitivity : float
        Reliability and Sensitivity of the relation *before*.
    clustering_reliability, clustering_sensitivity : float
        Reliability and Sensitivity of the relation *together with*.
    """

    priority_reliability: float
    priority_sensitivity: float
    clustering_reliability: float
    clustering_sensitivity: float


def attention_constant(top: float, weight: float) -> float:
    """Return the constant c of the discount c / (c + g) for a paper with g papers above it.

    c is chosen so that the first `top` positions carry the share `weight` of the reader's attention.
    """
    if not is_number(top) or not 0 < top < math.inf:
        raise ValueError(f"top must be a positive number of papers, got {short_repr(top)}")
    if not is_number(weight) or not 0 < weight < 1:
        raise ValueError(f"weight must be between 0 and 1, got {short_repr(weight)}")
    c = (1 - float(weight)) * float(top) / float(weight)
    if not SMALLEST < c < 1 / SMALLEST:
        raise ValueError(f"top and weight must be less extreme, got {top!r} and {weight!r}")
    return c


def ranking_reliability_sensitivity_each(
    batch: Batch, k: int, top: float = 30, weight: float = 0.8
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the four values of `ranking_reliability_sensitivity` for each outcome, in the order of the fields."""
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 0:
        raise ValueError(f"k must be an integer of at least 0, got {k!r}")
    c = attention_constant(top, weight)
    k = min(k, int(batch.n.max(initial=0)))  # equivalent to a larger k, which might overflow
    p, listed, r = batch.positions, np.minimum(k, batch.n), batch.r
    paper = np.where(p <= k, c / (c + p - 1) / (c + p), 0.0)  # weight w(d) of a relevant paper above the cut
    others = (p - 1) / (c + p - 1) + c / (c + p)  # 1 - w(d), without cancellation if w(d) is close to 1
    # weights of the tail and of all papers above the cut
    tail, above = c / (c + listed), listed / (c + listed)
    found_weight, hits = batch.totals(paper), batch.totals((p <= k).astype(np.int64))
    # The gold papers share one level, so a relation d > d' of the system holds in gold only if d' is in the tail.
    before = tail * (batch.totals(paper / others) + ratio(found_weight, above))
    together = np.where(listed > 0, tail + found_weight, np.nan)  # undefined if there is no paper above the cut
    # Each gold paper weighs 1 / (c + r) and the gold tail c / (c + r), so the sums over gold reduce to counts.
    figures = before, ratio(hits, r), together, (c + hits) / (c + r)
    defined = (np.where(r > 0, np.minimum(figure, 1.0), np.nan) for figure in figures)  # rounded sums may exceed 1
    R_before, S_before, R_together, S_together = defined
    return R_before, S_before, R_together, S_together


def ranking_reliability_sensitivity(
    outcome: Outcome, k: int, top: float = 30, weight: float = 0.8
) -> ReliabilitySensitivity:
    r"""Reliability and Sensitivity of the first k papers, for example those above the stop point.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.
    k : int
        Number of papers above the cut, at least 0. Values above n are treated as n.
    top : float
        Number of top positions that carry the share `weight` of the reader's attention, above 0. Defaults to 30.
    weight : float
        Share of the attention on these positions, between 0 and 1. Defaults to 0.8.

    Returns
    -------
    ReliabilitySensitivity
        Four values from 0 to 1; higher is better. All are NaN if no paper is relevant; both reliabilities are NaN if
        k is 0.

    Raises
    ------
    ValueError
        If k is not an integer of at least 0, top is not above 0, or weight is not between 0 and 1.

    Notes
    -----
    With :math:`c = (1 - weight) \, top / weight`, the paper at position p weighs
    :math:`w_p = c / (c + p - 1) - c / (c + p)` and the tail :math:`T = c / (c + k)`. Let h of the r relevant papers
    have positions :math:`p \le k`. The equations of `presort.metrics.organisations.reliability_sensitivity` then
    simplify to

    .. math::
        R_\succ = T \sum_{p} w_p \Big(\frac{1}{1 - w_p} + \frac{1}{1 - T}\Big), \quad S_\succ = \frac{h}{r}, \quad
        R_\sim = T + \sum_{p} w_p, \quad S_\sim = \frac{c + h}{c + r}

    with sums over the positions :math:`p \le k` of relevant papers. A ranking also orders the relevant papers among
    themselves, and the editor's selection does not contain that order. Therefore :math:`R_\succ` stays well below 1.
    It approaches 0 if k covers the whole of a long list.

    References
    ----------
    Amigó, Gonzalo and Verdejo, SIGIR 2013.

    Examples
    --------
    >>> figures = ranking_reliability_sensitivity(Outcome([1, 2, 50], n=100), k=30)
    >>> round(figures.priority_reliability, 3), round(figures.priority_sensitivity, 3)
    (0.1, 0.667)
    """
    batch = Batch.of([outcome])
    figures = ranking_reliability_sensitivity_each(batch, k, top, weight)
    return ReliabilitySensitivity(*(float(figure[0]) for figure in figures))


def f_measure_each(p: Floats, r: Floats, alpha: float = 0.5) -> Floats:
    """Return `f_measure` for each pair in p and r, which are finite non-negative arrays of equal shape."""
    if not is_number(alpha) or not 0 <= alpha <= 1:
        raise ValueError(f"alpha must be a number from 0 to 1, got {short_repr(alpha)}")
    return f_measures(p, r)(np.array(alpha, dtype=float))


def f_measures(p: Floats, r: Floats) -> Callable[[Floats], Floats]:
    """Return a function that evaluates `f_measure_each` for an array of weights of p, from 0 to 1.

    The weights broadcast against p and r. Terms that do not depend on the weight are computed only once, because a
    curve evaluates a thousand weights.
    """
    low = np.fmin(p, r)  # `fmin` ignores NaN. Dividing by the minimum avoids overflow.
    np.multiply(low, 2.0**60, out=low, where=low < TINY)  # subnormal numbers have few significant digits
    is_zero, of_p, of_r = low == 0, ratio(low, p), ratio(low, r)

    def f_of(weights: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):  # weights of 0 and 1 are handled below
            both = np.asarray(low / (weights * of_p + (1 - weights) * of_r))
        np.copyto(both, 0.0, where=is_zero)
        if ((weights != 0) & (weights != 1)).all():
            return both
        # A value whose weight is 0 has no effect, even if the value is 0 or NaN.
        return np.where(weights == 1, p, np.where(weights == 0, r, both))

    return f_of


def f_measure(p: float, r: float, alpha: float = 0.5) -> float:
    r"""Weighted harmonic mean of two values, such as precision and recall.

    Parameters
    ----------
    p : float
        Precision or Reliability; finite, at least 0.
    r : float
        Recall or Sensitivity; finite, at least 0.
    alpha : float
        Weight of p, from 0 to 1. Defaults to 0.5.

    Returns
    -------
    float
        Value between p and r; higher is better. 0 if p or r is 0, even if the other is NaN. Otherwise NaN if p or r is
        NaN. If the weight of p or r is 0, only the other value counts.

    Raises
    ------
    ValueError
        If p or r is negative, infinite or not a number, or alpha is not between 0 and 1. NaN is allowed for p and r.

    Notes
    -----
    :math:`1 / (\alpha / p + (1 - \alpha) / r)`; p alone for :math:`\alpha = 1`, r alone for :math:`\alpha = 0`.

    References
    ----------
    van Rijsbergen's F; Amigó, Gonzalo and Verdejo, SIGIR 2013.

    Examples
    --------
    >>> round(f_measure(0.5, 1.0), 4)
    0.6667
    """
    for name, figure in (("p", p), ("r", r)):
        if not is_number(figure) or figure < 0 or figure == math.inf:
            raise ValueError(f"{name} must be a finite number of at least 0, or NaN, got {short_repr(figure)}")
    return float(f_measure_each(np.array([p], dtype=float), np.array([r], dtype=float), alpha)[0])
