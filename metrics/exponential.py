"""Ponori, a measure with exponential position costs: a late paper outweighs all earlier papers combined."""

from __future__ import annotations

import math
import reprlib
from fractions import Fraction

import numpy as np

from presort.metrics.batch import Batch, Floats, Ints, TabulatedFunction, evaluate_outcome, log_ratio, ratio
from presort.metrics.outcome import Outcome, check_outcome

# Bounds on y - 1. Beyond these bounds, Ponori no longer changes in double precision.
LEAST, MOST = 1e-100, 1e300


def ponori_each(batch: Batch, y: float | Fraction = 2) -> Floats:
    """Return `ponori` of each outcome."""
    rate = math.log1p(float(min(max(_validate_base(y) - 1, Fraction(LEAST)), Fraction(MOST))))  # ln y
    # Computes 1 - (xi - B) / (E - B). Both differences are multiplied by (y - 1) y^-n, so that no power overflows, and
    # written as sums of positive terms, so that no digits are lost to cancellation if y is close to 1.
    # y^(p - 1) - y^(k - 1), scaled
    excess = _powers(batch, batch.from_the_end - 1, rate) * _losses(batch, batch.positions - batch.numbers, rate)
    worse = -math.expm1(-rate) * batch.totals(excess)
    return 1 - ratio(batch.n * worse, _expectation(batch, rate))


def ponori_log_loss_each(batch: Batch) -> Floats:
    """Return the decimal logarithm of each outcome's loss, 1 - `ponori` with y = 2. It is -inf for the best outcome."""
    rate, r, n = math.log(2), batch.r, batch.n
    is_defined = (r > 0) & (r < n)
    excess = -math.expm1(-rate) * batch.per_paper(n) * _losses(batch, batch.positions - batch.numbers, rate)
    return log_ratio(batch, excess, 1 - batch.from_the_end, np.where(is_defined, _expectation(batch, rate), 0))


def _expectation(batch: Batch, rate: float) -> Floats:
    """Return E - B for each outcome, multiplied by n (y - 1) y^-n."""
    r, n_others = batch.r, batch.n - batch.r
    of_relevant = rate * r * _losses(batch, r, rate) - _second_order_losses(batch, r, rate)
    expected: Floats = (
        r * _second_order_losses(batch, n_others, rate) + n_others * _powers(batch, n_others, rate) * of_relevant
    )
    return expected


def ponori(outcome: Outcome, y: float | Fraction = 2) -> float:
    r"""Power-of-position measure: each position further down multiplies the cost of a relevant paper by y.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.
    y : int, float or Fraction, optional
        Base of the powers, above 1. Defaults to 2. For y of at least 2, the measure respects the natural order
        strictly. For smaller y it can violate the natural order, because several late papers can outweigh a single
        later one: y = 1.1 prefers 10001 to 00110. For two relevant papers, the golden ratio, 1.618…, is large enough.
        As y approaches 1, Ponori approaches Aselt.

    Returns
    -------
    float
        Value of at most 1, with expected value 0 for a random order; higher is better. The worst value depends on r and
        n and can be far below -1, about 1 - n/2 for y = 2 and r = 1, so summarise values by their median. NaN if none
        or all papers are relevant. Good outcomes of long lists round to 1.0; `ponori_loss` distinguishes them.

    Raises
    ------
    ValueError
        If y is not a finite number above 1.

    Notes
    -----
    :math:`(E - \xi) / (E - B)` with :math:`\xi = \sum_i y^{p_i - 1}`, its expectation
    :math:`E = \frac{r}{n} \frac{y^n - 1}{y - 1}` and its best value :math:`B = \frac{y^r - 1}{y - 1}`.

    References
    ----------
    Krichel, IP&M 2007. The paper states that the measure respects the natural order for any y above 1. The
    counterexample in the description of `y` disproves this.

    Examples
    --------
    >>> round(ponori(Outcome([1, 4], n=5)), 4)
    0.3617
    """
    return evaluate_outcome(lambda batch: ponori_each(batch, y), outcome)


def ponori_loss(outcome: Outcome, y: float | Fraction = 2) -> Fraction | float:
    r"""Exact distance between an outcome's Ponori and the best value: 1 - ponori.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.
    y : int, float or Fraction, optional
        Base of the powers, above 1; see `ponori`. Defaults to 2. A float is converted to its exact binary value, so
        1.1 is not exactly 11/10.

    Returns
    -------
    Fraction
        Loss of at least 0 (best); lower is better. The worst value is about n/2 if y = 2 and r = 1. The float NaN if
        none or all papers are relevant.

    Raises
    ------
    ValueError
        If y is not a finite number above 1.

    Notes
    -----
    :math:`(\xi - B) / (E - B)`, see `ponori`.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> ponori_loss(Outcome([1, 4], n=5))
    Fraction(30, 47)
    """
    check_outcome("outcome", outcome)
    r, n = outcome.r, outcome.n
    upper, lower = _validate_base(y).as_integer_ratio()
    if r in (0, n):
        return math.nan
    # All sums are multiplied by (y - 1) lower^n, which makes them integers. The fraction is reduced once, at the end.
    best = lower ** (n - r) * (upper**r - lower**r)
    worse = (upper - lower) * _power_sum(outcome, upper, lower) - best
    return Fraction(n * worse, r * (upper**n - lower**n) - n * best)


@TabulatedFunction
def _powers(numbers: Ints, rate: float) -> Floats:
    """Return y^-i for each number i, where ln y = rate."""
    powers: Floats = np.exp(-rate * numbers)
    return powers


@TabulatedFunction
def _losses(numbers: Ints, rate: float) -> Floats:
    """Return 1 - y^-i for each number i, where ln y = rate."""
    losses: Floats = -np.expm1(-rate * numbers)
    return losses


@TabulatedFunction
def _second_order_losses(numbers: Ints, rate: float) -> Floats:
    """Return 1 - y^-i (1 + i ln y) for each number i, where ln y = rate."""
    return _gamma_2(rate * numbers.astype(np.float64))


def _gamma_2(x: Floats) -> Floats:
    """Return 1 - exp(-x) (1 + x) to full precision, for x of at least 0.

    The result equals `scipy.special.gammainc(2, x)`, but importing that function would take a third of the run time of
    ``presort score``.
    """
    # Below 1, the closed form would lose digits to cancellation, so a series of positive terms is used.
    near = np.minimum(x, 1.0)
    series = np.ones_like(near)
    for k in range(20, 2, -1):
        series = 1 + near / k * series
    return np.where(x < 1, np.exp(-near) * near**2 / 2 * series, -np.expm1(-x) - x * np.exp(-x))


def _power_sum(outcome: Outcome, upper: int, lower: int) -> int:
    """Return the sum of upper^(p - 1) lower^(n - p) over the positions p."""
    power, total, place = 1, 0, 1  # power is upper^(place - 1)
    for position in outcome.positions.tolist():
        step = position - place
        power *= int(upper**step)
        total = total * int(lower**step) + power
        place = position
    return total * int(lower ** (outcome.n - place))


def _validate_base(y: float | Fraction) -> Fraction:
    number = y.item() if isinstance(y, np.number) else y
    if not isinstance(number, int | float | Fraction) or not 1 < number < math.inf:  # also rejects True and NaN
        raise ValueError(f"y must be a finite number above 1, got {reprlib.repr(y)}")
    return Fraction(number)
