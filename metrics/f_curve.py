"""Mean F of systems as a function of the weight of precision, and the weights at which two systems swap ranks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from presort.metrics.arguments import array_of, short_repr
from presort.metrics.batch import Floats, ratio
from presort.metrics.cases import number_table
from presort.metrics.lazy import scipy
from presort.metrics.reliability import f_measures

ALPHAS = np.linspace(0, 1, 101)
# Grid on which swaps are bracketed: densest near 0 and 1, where F changes fastest if precision or recall is small.
SEARCHED = (1 - np.cos(np.pi * np.linspace(0, 1, 1001))) / 2
AT_ONCE = 100_000  # values of F per batch, so that the arrays fit into the processor's cache
NOISE = 1e-13  # smaller relative differences between two mean F values may be rounding errors


@dataclass(frozen=True)
class Swap:
    """Weight at which two systems swap ranks: one has the higher mean F at lower weights, the other at higher weights.

    Attributes
    ----------
    alpha : float
        Weight of precision, strictly between 0 and 1.
    below, above : int
        0-based rows of the systems that have the higher mean F below and above alpha.
    """

    alpha: float
    below: int
    above: int


@dataclass(frozen=True, eq=False)
class FCurve:
    """Each system's mean F on a grid of weights.

    Attributes
    ----------
    alphas : ndarray of float64, shape (n_alphas,)
        Weights of precision, from 0 (recall only) to 1 (precision only).
    mean_f : ndarray of float64, shape (n_systems, n_alphas)
        Mean over cases of F; higher is better. NaN if there are no cases.
    swaps : tuple of Swap
        Weights at which two systems swap ranks, in ascending order of alpha.
    n_cases : int
        Number of cases used.
    n_left_out : int
        Number of cases ignored because P or R is NaN.
    """

    alphas: Floats
    mean_f: Floats
    swaps: tuple[Swap, ...]
    n_cases: int
    n_left_out: int


def f_curve(P: ArrayLike, R: ArrayLike, *, alphas: ArrayLike | None = None) -> FCurve:
    r"""Compute mean F as a function of the weight of precision, and the weights at which two systems swap ranks.

    Parameters
    ----------
    P, R : array_like, shape (n_systems, n_cases)
        Precision and recall, or any two non-negative metrics, of each system on the same cases; higher is better. A
        case with NaN for any system is ignored for all systems.
    alphas : array_like, shape (n_alphas,), optional
        Weights of P at which to compute F, from 0 to 1. Defaults to 0, 0.01, … 1. The swaps do not depend on them.

    Returns
    -------
    FCurve
        Curves and swaps. If no case is complete, `mean_f` is NaN and there are no swaps.

    Raises
    ------
    ValueError
        If P or R is not a two-dimensional array of numbers from 0 to 1e100 or NaN with at least one system, if their
        shapes differ, or if alphas is not a non-empty list of numbers from 0 to 1.

    Notes
    -----
    :math:`F_\alpha = 1 / (\alpha / P + (1 - \alpha) / R)` is computed for each case, then averaged. A swap is an
    :math:`\alpha` strictly between 0 and 1 at which the difference of two means changes its sign. Swaps are bracketed
    on a grid of 1,001 weights and refined to rounding precision. Curves that are equal or only touch have no swap. Two
    swaps of the same systems within one grid interval, at most 0.0016 wide, are not detected. If P or R of a case is 0,
    the curve may jump at 0 or 1, which does not count as a swap.

    References
    ----------
    van Rijsbergen's F; Amigó, Gonzalo, Artiles and Verdejo, JAIR 42, 2011.

    Examples
    --------
    >>> curve = f_curve([[0.9], [0.5]], [[0.3], [0.6]], alphas=[0, 0.5, 1])
    >>> curve.mean_f.round(3).tolist()
    [[0.3, 0.45, 0.9], [0.6, 0.545, 0.5]]
    >>> [(round(swap.alpha, 4), swap.below, swap.above) for swap in curve.swaps]
    [(0.6522, 1, 0)]
    """
    P, R = _validate_scores("P", P), _validate_scores("R", R)
    if P.shape != R.shape:
        raise ValueError(f"R must have the shape {P.shape} of P, got {R.shape}")
    weights = ALPHAS if alphas is None else _validate_alphas(alphas)
    is_complete = ~np.isnan(P + R).any(axis=0)
    P, R = P[:, is_complete], R[:, is_complete]
    mean_f = _mean_f(P, R, weights)
    return FCurve(weights, mean_f, _swaps(P, R), P.shape[1], int(np.count_nonzero(~is_complete)))


def _mean_f(P: Floats, R: Floats, alphas: Floats) -> Floats:
    """Return the mean F over cases, shape (n_systems, n_alphas)."""
    step = max(1, AT_ONCE // max(1, P.size))
    chunks = [alphas[start : start + step, np.newaxis, np.newaxis] for start in range(0, len(alphas), step)]
    f_at = f_measures(P, R)
    sums = np.concatenate([f_at(weights).sum(axis=2) for weights in chunks]).T
    return ratio(sums, np.full(sums.shape, P.shape[1]))


def _swaps(P: Floats, R: Floats) -> tuple[Swap, ...]:
    # If P or R is 0, F is 0 for all alpha between 0 and 1. F is then also set to 0 at both ends, for continuity.
    has_f = (P > 0) & (R > 0)
    P, R = np.where(has_f, P, 0.0), np.where(has_f, R, 0.0)
    curves = _mean_f(P, R, SEARCHED)

    def difference(alpha: float, one: int, other: int) -> float:
        means = _mean_f(P[[one, other]], R[[one, other]], np.array([alpha]))
        return float(means[0, 0] - means[1, 0])

    swaps = []
    for one, other in combinations(range(len(P)), 2):
        gaps = curves[one] - curves[other]
        clear = np.flatnonzero(np.abs(gaps) > NOISE * np.maximum(curves[one], curves[other]))
        signs = np.sign(gaps[clear])
        for place in np.flatnonzero(signs[1:] != signs[:-1]):
            left, right = SEARCHED[clear[place : place + 2]]
            alpha = float(scipy.optimize.brentq(difference, left, right, args=(one, other), xtol=1e-15))
            swaps.append(Swap(alpha, one, other) if signs[place] > 0 else Swap(alpha, other, one))
    return tuple(sorted(swaps, key=lambda swap: swap.alpha))


def _validate_scores(name: str, values: ArrayLike) -> Floats:
    table = number_table(name, values, "(n_systems, n_cases)")
    if not len(table):
        raise ValueError(f"{name} must have at least one system, got {table.shape}")
    if (table < 0).any():
        raise ValueError(f"{name} must not be negative, got {np.nanmin(table)}")
    return table


def _validate_alphas(alphas: ArrayLike) -> Floats:
    rule = "a non-empty list of numbers from 0 to 1"
    weights = array_of("alphas", rule, alphas)
    if weights.ndim != 1 or not weights.size or weights.dtype.kind not in "biuf":
        raise ValueError(f"alphas must be {rule}, got {short_repr(alphas)}")
    outside = np.flatnonzero(~((weights >= 0) & (weights <= 1)))  # written so that NaN counts as out of range
    if outside.size:
        raise ValueError(f"alphas must be from 0 to 1, got {weights[outside[0]]} at position {outside[0] + 1}")
    return weights.astype(np.float64)
