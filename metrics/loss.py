"""Exact losses: distances of Copnori, Ponori and Nosel-Copnori from their best value, 1.

Good outcomes have losses as small as 1e-300, so the measure itself rounds to 1.0 as a float. Charts use logarithms of
the loss, computed for many outcomes at once. Printed values and comparisons use exact fractions.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from presort.metrics.arguments import short_repr
from presort.metrics.batch import Batch, Floats
from presort.metrics.combinatorial import copnori_log_loss_each, copnori_loss, copnori_rank
from presort.metrics.exponential import ponori_log_loss_each, ponori_loss
from presort.metrics.outcome import Outcome
from presort.metrics.presorting import nosel

MU = Fraction(1, 10)  # weight of Nosel in Nosel-Copnori
DIGITS = Context(prec=30, Emin=MIN_EMIN, Emax=MAX_EMAX)  # widest exponent range, so that tiny losses don't become 0
# Integers are shortened to this many bits before conversion to Decimal, because converting all bits can take minutes.
# The precision still exceeds 30 digits.
BITS = 128
AT_ONCE = 2000  # outcomes per batch of logarithms, so that the arrays fit into the processor's cache
T = TypeVar("T")


def nosel_copnori_loss(outcome: Outcome) -> Fraction | float:
    """Return an outcome's exact Nosel-Copnori loss, or the float NaN if it is undefined.

    Examples
    --------
    >>> nosel_copnori_loss(Outcome([1, 4], n=5))
    Fraction(7, 10)
    """
    r, others = outcome.r, outcome.n - outcome.r
    if not r or not others:
        return nosel(outcome)
    in_vain = int(outcome.last) - r
    return MU * Fraction(in_vain * (r + 1), r * others) + (1 - MU) * copnori_loss(outcome)


EXACT: dict[str, Callable[[Outcome], Fraction | float]] = {
    "ponori": ponori_loss,
    "copnori": copnori_loss,
    "nosel_copnori": nosel_copnori_loss,
}
LOGARITHMS: dict[str, Callable[[Batch], Floats]] = {"ponori": ponori_log_loss_each, "copnori": copnori_log_loss_each}


def log_losses(name: str, outcomes: Sequence[Outcome]) -> Floats:
    """Return the decimal logarithm of each outcome's loss, for charts.

    Parameters
    ----------
    name : str
        Measure: ``copnori``, or ``ponori`` with base 2.
    outcomes : sequence of Outcome, length n_outcomes
        Outcomes; they may differ in r and n.

    Returns
    -------
    ndarray of float64, shape (n_outcomes,)
        Logarithms; lower is better. -inf for the best outcome, NaN if none or all papers are relevant. The relative
        rounding error of the loss is at most 1e-12.

    Raises
    ------
    ValueError
        If the name is neither ``copnori`` nor ``ponori``.

    Examples
    --------
    >>> log_losses("copnori", [Outcome([1, 4], 5), Outcome([1, 2], 5), Outcome([], 5)]).round(4).tolist()
    [-0.1761, -inf, nan]
    """
    compute = _look_up(LOGARITHMS, name)
    parts = [compute(Batch.of(outcomes[start : start + AT_ONCE])) for start in range(0, len(outcomes), AT_ONCE)]
    return np.concatenate([*parts, np.zeros(0)])


def losses(name: str, outcomes: Iterable[Outcome], *, least: float = 0.0) -> Floats:
    """Return the loss of each outcome, rounded to the nearest float.

    Parameters
    ----------
    name : str
        Measure: ``copnori``, ``nosel_copnori``, or ``ponori`` with base 2.
    outcomes : iterable of Outcome, length n_outcomes
        Outcomes; they may differ in r and n.
    least : float, optional
        Lower bound for the loss of every outcome except the best. A positive bound prevents underflow to 0, which is
        the loss of the best outcome. Defaults to 0.

    Returns
    -------
    ndarray of float64, shape (n_outcomes,)
        Losses, at least 0; lower is better. NaN if none or all papers are relevant.

    Examples
    --------
    >>> losses("copnori", [Outcome([1, 4], 5), Outcome([1, 2], 5)]).round(4).tolist()
    [0.6667, 0.0]
    """
    exact = map(_look_up(EXACT, name), outcomes)
    return np.array([max(float(loss), least) if loss else 0.0 for loss in exact], dtype=float)


def decimal_losses(name: str, outcomes: Iterable[Outcome]) -> list[Decimal]:
    """Return each outcome's loss to 30 digits for display, or NaN if undefined. `losses` lists the valid names."""
    return [as_decimal(loss) for loss in map(_look_up(EXACT, name), outcomes)]


def median_loss(name: str, outcomes: Iterable[Outcome]) -> Decimal:
    """Return the median of the defined losses to 30 digits, or NaN if no loss is defined."""
    defined = _defined_losses(name, outcomes)
    return as_decimal(statistics.median(defined)) if defined else Decimal("nan")


def loss_deviation(name: str, outcomes: Iterable[Outcome]) -> float:
    """Return the sample standard deviation of the defined losses, or NaN if fewer than two are defined."""
    defined = _defined_losses(name, outcomes)
    return float(statistics.stdev(defined)) if len(defined) > 1 else math.nan


def loss_levels(name: str, outcomes: Iterable[Outcome]) -> NDArray[np.int64]:
    """Rank outcomes by their exact loss.

    Parameters
    ----------
    name : str
        Measure, see `losses`.
    outcomes : iterable of Outcome, length n_outcomes
        Outcomes that the measure is defined for. They may differ in r and n.

    Returns
    -------
    ndarray of int64, shape (n_outcomes,)
        Dense ranks: 0 for the lowest loss, equal ranks for equal losses.

    Examples
    --------
    >>> loss_levels("copnori", [Outcome([1, 4], 5), Outcome([1, 2], 5), Outcome([1, 4], 5)]).tolist()
    [1, 0, 1]
    """
    exact = list(map(_look_up(EXACT, name), outcomes))
    level = {loss: number for number, loss in enumerate(sorted(set(exact)))}
    return np.array([level[loss] for loss in exact], dtype=np.int64)


def log_distances(name: str, outcomes: Iterable[Outcome]) -> Floats:
    r"""Return each outcome's distance from the best outcome on a log2 scale.

    The scale distinguishes systems whose values all round to 1.

    Parameters
    ----------
    name : str
        Measure, see `losses`.
    outcomes : iterable of Outcome, length n_outcomes
        Outcomes; they may differ in r and n.

    Returns
    -------
    ndarray of float64, shape (n_outcomes,)
        :math:`\log_2(1 + d)`, at least 0; lower is better. NaN if none or all papers are relevant. For Copnori, the
        distance d is the number of better outcomes, `copnori_rank`. For Ponori with base 2, it is :math:`\xi - B`, see
        `ponori`. For Nosel-Copnori, it is the loss divided by the amount that each better outcome adds to its Copnori
        part.

    Examples
    --------
    >>> log_distances("copnori", [Outcome([1, 4], 5), Outcome([1, 2], 5)]).tolist()
    [2.0, 0.0]
    """
    steps = _look_up(STEPS, name)
    return np.array([_log2_from_1(steps(one)) if 0 < one.r < one.n else math.nan for one in outcomes], dtype=float)


def _log2_from_1(steps: Fraction | int) -> float:
    exact = Fraction(steps)
    return math.log2(exact.numerator + exact.denominator) - math.log2(exact.denominator)


def _ponori_steps(outcome: Outcome) -> int:
    powers: list[int] = [1 << (position - 1) for position in outcome.positions.tolist()]
    return sum(powers) - ((1 << outcome.r) - 1)


def _nosel_copnori_steps(outcome: Outcome) -> Fraction:
    others = math.comb(outcome.n, outcome.r) - 1
    return Fraction(nosel_copnori_loss(outcome)) * others / (2 * (1 - MU))


STEPS: dict[str, Callable[[Outcome], Fraction | int]] = {
    "ponori": _ponori_steps,
    "copnori": copnori_rank,
    "nosel_copnori": _nosel_copnori_steps,
}


def _look_up(found: dict[str, T], name: str) -> T:
    if name not in found:
        raise ValueError(f"name must be one of {', '.join(found)}, got {short_repr(name)}")
    return found[name]


def _defined_losses(name: str, outcomes: Iterable[Outcome]) -> list[Fraction]:
    return [loss for loss in map(_look_up(EXACT, name), outcomes) if isinstance(loss, Fraction)]


def as_decimal(loss: Fraction | float) -> Decimal:
    """Round an exact loss to 30 digits.

    Examples
    --------
    >>> as_decimal(Fraction(2, 3)), as_decimal(float("nan"))
    (Decimal('0.666666666666666666666666666667'), Decimal('NaN'))
    """
    if math.isnan(loss):
        return Decimal("nan")
    exact = Fraction(loss)
    with localcontext(DIGITS):
        return _truncate_to_decimal(exact.numerator) / _truncate_to_decimal(exact.denominator)


def _truncate_to_decimal(number: int) -> Decimal:
    surplus = max(number.bit_length() - BITS, 0)
    return Decimal(number >> surplus) * Decimal(2) ** surplus
