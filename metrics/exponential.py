"""Ponori: powers of the positions, so that a later paper weighs more than all earlier ones together."""

from __future__ import annotations

import math
import reprlib
from fractions import Fraction
from functools import lru_cache

import numpy as np

from presort.metrics.batch import Batch, Floats, alone, log_ratio, ratio
from presort.metrics.outcome import Outcome, check_outcome

# Beyond these, y - 1 changes no digit of a double any more: Ponori then is at its limit.
LEAST, MOST = 1e-100, 1e300


def ponori_each(batch: Batch, y: float | Fraction = 2) -> Floats:
    """`ponori` of each outcome."""
    r, n = batch.r, batch.n
    rate = math.log1p(float(min(max(_checked_base(y) - 1, Fraction(LEAST)), Fraction(MOST))))  # ln y
    # 1 - (xi - B) / (E - B), both differences times (y - 1) y^-n, so that no power overflows, and written as sums of
    # positive terms, so that nothing cancels however near 1 y is.
    exponents, powers, losses, curved = _tables(batch.table_size, rate)
    p, k = batch.positions, batch.numbers
    excess = powers.take(batch.from_the_end - 1) * losses.take(p - k)  # of y^(p - 1) over y^(k - 1)
    worse = losses[1] * batch.totals(excess)
    expected = r * curved[n - r] + (n - r) * powers[n - r] * (exponents[r] * losses[r] - curved[r])
    return 1 - ratio(n * worse, expected)


def ponori_log_loss_each(batch: Batch) -> Floats:
    """Decimal logarithm of the loss, 1 - `ponori` with y = 2, of each outcome; -inf if it is the best."""
    exponents, powers, losses, curved = _tables(batch.table_size, math.log(2))
    r, n = batch.r, batch.n
    expected = r * curved[n - r] + (n - r) * powers[n - r] * (exponents[r] * losses[r] - curved[r])
    is_defined = (r > 0) & (r < n)
    excess = losses[1] * batch.per_paper(n) * losses.take(batch.positions - batch.numbers)
    return log_ratio(batch, excess, 1 - batch.from_the_end, np.where(is_defined, expected, 0))


def ponori(outcome: Outcome, y: float | Fraction = 2) -> float:
    r"""Power position: the cost of a relevant paper grows with its position, by the factor y at each place.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.
    y : int, float or Fraction, optional
        Base of the powers, above 1. From 2 on, every better outcome has the higher value. Below 2 that is lost, because
        several late papers can weigh more than one later still: y = 1.1 prefers 10001 to 00110. For two relevant papers
        the golden ratio, 1.618…, is enough. The nearer y is to 1, the nearer Ponori is to Aselt.

    Returns
    -------
    float
        At most 1, 0 in the mean over random orders; higher is better. The worst value depends on r and n and is far
        below -1, about 1 - n/2 for y = 2 and r = 1: summarise it by its median. NaN if none or all papers are relevant.
        Good outcomes of long lists round to 1.0; `ponori_loss` still distinguishes them.

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
    Krichel, IP&M 2007, who says that any y above 1 keeps the natural order; see `y`.

    Examples
    --------
    >>> round(ponori(Outcome([1, 4], n=5)), 4)
    0.3617
    """
    return alone(lambda batch: ponori_each(batch, y), outcome)


def ponori_loss(outcome: Outcome, y: float | Fraction = 2) -> Fraction | float:
    r"""Distance of Ponori from its best value, 1 - ponori, exactly.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.
    y : int, float or Fraction, optional
        Base of the powers, above 1; see `ponori`. A float counts as the binary fraction it is: 1.1 is not quite 11/10.

    Returns
    -------
    Fraction
        From 0 (best); for the worst outcome about n/2 if y = 2 and r = 1; lower is better. The float NaN if none or all
        papers are relevant.

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
    upper, lower = _checked_base(y).as_integer_ratio()
    if r in (0, n):
        return math.nan
    # All sums times (y - 1) lower^n: whole numbers, brought to lowest terms once, at the end.
    best = lower ** (n - r) * (upper**r - lower**r)
    worse = (upper - lower) * _power_sum(outcome, upper, lower) - best
    return Fraction(n * worse, r * (upper**n - lower**n) - n * best)


@lru_cache(maxsize=16)
def _tables(size: int, rate: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Return i ln y, y^-i, 1 - y^-i, and 1 - y^-i (1 + i ln y), for i from 0 and ln y = rate."""
    exponents = rate * np.arange(size, dtype=np.float64)
    return exponents, np.exp(-exponents), -np.expm1(-exponents), _gamma_2(exponents)


def _gamma_2(x: Floats) -> Floats:
    """Return 1 - exp(-x) (1 + x) to full precision, for x from 0.

    It is `scipy.special.gammainc(2, x)`, but importing that takes a third of the time of ``presort score``.
    """
    near = np.minimum(x, 1.0)  # where the difference below would cancel, a sum of positive terms does not
    series = np.ones_like(near)
    for k in range(20, 2, -1):
        series = 1 + near / k * series
    return np.where(x < 1, np.exp(-near) * near**2 / 2 * series, -np.expm1(-x) - x * np.exp(-x))


def _power_sum(outcome: Outcome, upper: int, lower: int) -> int:
    """Sum upper^(p - 1) lower^(n - p) over the positions p, walking down the list."""
    power, total, place = 1, 0, 1  # power is upper^(place - 1)
    for position in outcome.positions.tolist():
        step = position - place
        power *= int(upper**step)
        total = total * int(lower**step) + power
        place = position
    return total * int(lower ** (outcome.n - place))


def _checked_base(y: float | Fraction) -> Fraction:
    number = y.item() if isinstance(y, np.number) else y
    if not isinstance(number, int | float | Fraction) or not 1 < number < math.inf:  # True, and NaN, are not above 1
        raise ValueError(f"y must be a finite number above 1, got {reprlib.repr(y)}")
    return Fraction(number)
