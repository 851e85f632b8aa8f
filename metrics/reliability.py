"""Reliability and Sensitivity of the papers above a cut, against the editor's selection.

Amigó, Gonzalo and Verdejo (SIGIR 2013) compare two organisations of papers in levels of priority. Here the system's is
the ranking down to the cut k, each paper a level of its own; the gold one is the selection, all its papers on one
level. Both are followed by an endless tail of unlisted papers.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from presort.metrics.arguments import is_number, shown
from presort.metrics.batch import Batch, Floats, ratio
from presort.metrics.outcome import Outcome

SMALLEST = 1e-100  # papers; nearer to 0 or infinity, the weights of long lists would not fit into doubles
TINY = 1e-290


@dataclass(frozen=True)
class ReliabilitySensitivity:
    """Agreement of two organisations of papers. Each value is from 0 to 1, higher is better, NaN if undefined.

    Reliability is the share of the system's relations that the gold organisation has too, Sensitivity the share of
    the gold relations that the system has; relations are *before* (priority) and *together with* (clustering).
    """

    priority_reliability: float
    priority_sensitivity: float
    clustering_reliability: float
    clustering_sensitivity: float


def attention_constant(top: float, weight: float) -> float:
    """Return the constant c, in papers, of the discount c / (c + g) by which the first `top` places carry `weight`."""
    if not is_number(top) or not 0 < top < math.inf:
        raise ValueError(f"top must be a number of papers above 0, got {shown(top)}")
    if not is_number(weight) or not 0 < weight < 1:
        raise ValueError(f"weight must be between 0 and 1, got {shown(weight)}")
    c = (1 - float(weight)) * float(top) / float(weight)
    if not SMALLEST < c < 1 / SMALLEST:
        raise ValueError(f"top and weight must be less extreme, got {top!r} and {weight!r}")
    return c


def ranking_reliability_sensitivity_each(
    batch: Batch, k: int, top: float = 30, weight: float = 0.8
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the four figures of `ranking_reliability_sensitivity`, in their order, of each outcome."""
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 0:
        raise ValueError(f"k must be an integer of at least 0, got {k!r}")
    c = attention_constant(top, weight)
    k = min(k, int(batch.n.max(initial=0)))  # no cut-off is deeper; a larger number might overflow
    p, listed, r = batch.positions, np.minimum(k, batch.n), batch.r
    paper = np.where(p <= k, c / (c + p - 1) / (c + p), 0.0)  # weight of a selected paper above the cut, w(d)
    others = (p - 1) / (c + p - 1) + c / (c + p)  # 1 - w(d), which would be all rounding where w(d) is nearly 1
    tail, above = c / (c + listed), listed / (c + listed)  # weight of the tail, and of all papers above the cut
    found_weight, hits = batch.totals(paper), batch.totals((p <= k).astype(np.int64))
    # Gold knows no order among its papers: of the system's relations d > d', only those with d' in the tail are right.
    before = tail * (batch.totals(paper / others) + ratio(found_weight, above))
    together = np.where(listed > 0, tail + found_weight, np.nan)  # nothing above the cut: nothing to rely on
    # Each gold paper weighs 1 / (c + r) and the gold tail c / (c + r), so that the sums over gold come down to counts.
    figures = before, ratio(hits, r), together, (c + hits) / (c + r)
    defined = (np.where(r > 0, np.minimum(figure, 1.0), np.nan) for figure in figures)  # rounding must not pass 1
    R_before, S_before, R_together, S_together = defined
    return R_before, S_before, R_together, S_together


def ranking_reliability_sensitivity(
    outcome: Outcome, k: int, top: float = 30, weight: float = 0.8
) -> ReliabilitySensitivity:
    r"""Reliability and Sensitivity of the first k papers, those above the stop point.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.
    k : int
        Papers above the cut, from 0; beyond n, the whole list is above it.
    top, weight : float
        The first `top` (papers, above 0) positions carry `weight` (between 0 and 1) of all attention.

    Returns
    -------
    ReliabilitySensitivity
        Each from 0 to 1, higher is better. All NaN if no paper is relevant; both reliabilities NaN if k is 0.

    Raises
    ------
    ValueError
        If k is not an integer from 0, top not above 0, or weight not between 0 and 1.

    Notes
    -----
    With :math:`c = (1 - weight) \, top / weight`, the paper at position p weighs
    :math:`w_p = c / (c + p - 1) - c / (c + p)` and the tail :math:`T = c / (c + k)`. Let h of the r relevant papers
    have positions :math:`p \le k`. The equations of `presort.metrics.organisations.reliability_sensitivity` then
    simplify to

    .. math::
        R_\succ = T \sum_{p} w_p \Big(\frac{1}{1 - w_p} + \frac{1}{1 - T}\Big), \quad S_\succ = \frac{h}{r}, \quad
        R_\sim = T + \sum_{p} w_p, \quad S_\sim = \frac{c + h}{c + r}

    with sums over the relevant :math:`p \le k`. The order that a ranking claims among relevant papers is no part of
    the selection, so that :math:`R_\succ` stays well below 1, and nears 0 when everything is listed.

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
    """`f_measure` of each pair of p and r, arrays of one shape, finite, from 0."""
    if not is_number(alpha) or not 0 <= alpha <= 1:
        raise ValueError(f"alpha must be a number from 0 to 1, got {shown(alpha)}")
    return f_measures(p, r)(np.array(alpha, dtype=float))


def f_measures(p: Floats, r: Floats) -> Callable[[Floats], Floats]:
    """Return what gives `f_measure_each` at many weights of p, from 0 to 1: an array that broadcasts against p and r.

    What no weight moves is computed once, as a curve asks for a thousand weights of the same figures.
    """
    low = np.fmin(p, r)  # that of a pair which is no NaN; measured by it, nothing can leave the range of doubles
    np.multiply(low, 2.0**60, out=low, where=low < TINY)  # the smallest doubles have few digits
    is_zero, of_p, of_r = low == 0, ratio(low, p), ratio(low, r)

    def at(weights: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):  # 0 divides where one side has no weight: see below
            both = np.asarray(low / (weights * of_p + (1 - weights) * of_r))
        np.copyto(both, 0.0, where=is_zero)
        if ((weights != 0) & (weights != 1)).all():
            return both
        # The side without weight has no say, whatever it is.
        return np.where(weights == 1, p, np.where(weights == 0, r, both))

    return at


def f_measure(p: float, r: float, alpha: float = 0.5) -> float:
    r"""Weighted harmonic mean of two figures, such as Reliability and Sensitivity.

    Parameters
    ----------
    p, r : float
        Precision or Reliability, and recall or Sensitivity; finite, from 0, higher is better.
    alpha : float
        Weight of p, from 0 to 1.

    Returns
    -------
    float
        Between p and r; higher is better. 0 if either is 0, even when the other is NaN; otherwise NaN if either is.

    Raises
    ------
    ValueError
        If p or r is not a finite number from 0 or NaN, or alpha is not a number from 0 to 1.

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
            raise ValueError(f"{name} must be a finite number from 0, or NaN, got {shown(figure)}")
    return float(f_measure_each(np.array([p], dtype=float), np.array([r], dtype=float), alpha)[0])
