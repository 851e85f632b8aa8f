"""Copnori, the rank of an outcome among all outcomes in natural order, and its mixture with Nosel."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from presort.metrics.arguments import is_number, short_repr
from presort.metrics.batch import Batch, Floats, Ints, TabulatedFunction, evaluate_outcome, log_ratio, ratio
from presort.metrics.outcome import Outcome, check_outcome
from presort.metrics.presorting import nosel_each

DIGITS = 128  # bits in a factorial's mantissa; for every n, this keeps the rounding error far below that of a double
FACTORS = 32  # number of factors multiplied at once; multiplying them one by one is ten times slower


def copnori_each(batch: Batch) -> Floats:
    """Return `copnori` of each outcome."""
    term, term_exponent, others = _better(batch)
    better = batch.totals(np.ldexp(term, term_exponent))  # j / C(n, r)
    # Make sure that, despite rounding, the value is exactly -1 for the worst outcome and never lower.
    copnoris = np.maximum(ratio(others - 2 * better, others), -1.0)
    is_worst = batch.totals(batch.from_the_end) == batch.r * (batch.r + 1) // 2
    copnoris[is_worst & (others != 0)] = -1.0
    return copnoris


def copnori_log_loss_each(batch: Batch) -> Floats:
    """Return the decimal logarithm of each outcome's loss, 1 - `copnori`. It is -inf for the best outcome."""
    term, term_exponent, others = _better(batch)
    return log_ratio(batch, 2 * term, term_exponent, others)


def _better(batch: Batch) -> tuple[Floats, NDArray[np.int32], Floats]:
    """Return the terms of the sum j / C(n, r) as mantissas and exponents, and the value of (C(n, r) - 1) / C(n, r).

    j is the number of better outcomes, see `copnori`.
    """
    r, n = batch.r, batch.n
    p, k = batch.positions, batch.numbers
    others_above = p - k
    numbers = [p, k, others_above, r, n - r, n]
    mantissas, exponents = _factorials(batch, np.concatenate(numbers))
    ends = np.cumsum([len(each) for each in numbers])[:-1]
    of_p, of_k, of_others, of_r, of_rest, of_n = np.split(mantissas, ends)
    exponent_p, exponent_k, exponent_others, exponent_r, exponent_rest, exponent_n = np.split(
        exponents.astype(np.int32), ends
    )
    # The scale is 1 / C(n, r). Using C(p_k - 1, k) = C(p_k, k) (p_k - k) / p_k avoids a special case for p_k = k.
    scale = of_r * of_rest / of_n
    scale_exponent = exponent_r + exponent_rest - exponent_n
    term = (of_p / p) * (others_above / of_others) / of_k * batch.per_paper(scale)
    term_exponent = exponent_p - exponent_k - exponent_others + batch.per_paper(scale_exponent)
    return term, term_exponent, 1 - np.ldexp(scale, scale_exponent)


def copnori(outcome: Outcome) -> float:
    r"""Combinatorial natural-order measure: rank of the outcome among all possible outcomes, scaled to -1 … 1.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    float
        Value from -1 to 1, with expected value 0 for a random order; higher is better. NaN if none or all papers are
        relevant. Good outcomes of long lists round to 1.0; `copnori_loss` distinguishes them.

    Notes
    -----
    :math:`1 - 2 j / (\binom{n}{r} - 1)` with the number of better outcomes
    :math:`j = \sum_{k=1}^{r} \binom{p_k - 1}{k}`.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> round(copnori(Outcome([1, 4], n=5)), 4)
    0.3333
    """
    return evaluate_outcome(copnori_each, outcome)


def copnori_rank(outcome: Outcome) -> int:
    r"""Count the outcomes with the same r and n that are better in natural order.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    int
        Exact count, from 0 (best) to :math:`\binom{n}{r} - 1`; lower is better. 0 if none or all papers are relevant,
        because only one outcome exists then.

    Notes
    -----
    :math:`j = \sum_{k=1}^{r} \binom{p_k - 1}{k}`, the combinatorial number system.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> copnori_rank(Outcome([1, 4], n=5))
    3
    """
    check_outcome("outcome", outcome)
    if not outcome.r:
        return 0
    k, above = outcome.r, int(outcome.last) - 1
    ways = math.comb(above, k)
    better = ways
    # Walk up the list from the last position. Each binomial coefficient follows from the previous one by one
    # multiplication and one exact division.
    for position in outcome.positions[-2::-1].tolist():
        if not ways:  # the remaining k relevant papers are at positions 1 … k, so all further terms are 0
            break
        ways, k, above = ways * k // above, k - 1, above - 1
        while above >= position:
            ways, above = ways * (above - k) // above, above - 1
        better += ways
    return better


def copnori_loss(outcome: Outcome) -> Fraction | float:
    r"""Exact distance between an outcome's Copnori and the best value: 1 - copnori.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    Fraction
        Loss from 0 (best) to 2; lower is better. The float NaN if none or all papers are relevant.

    Notes
    -----
    :math:`2 j / (\binom{n}{r} - 1)`, see `copnori`.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> copnori_loss(Outcome([1, 4], n=5))
    Fraction(2, 3)
    """
    check_outcome("outcome", outcome)
    others = math.comb(outcome.n, outcome.r) - 1
    return Fraction(2 * copnori_rank(outcome), others) if others else math.nan


@TabulatedFunction
def _factorials(numbers: Ints) -> Floats:
    """Return factorials as mantissas and binary exponents, shape (2, n), because 171! would overflow a double."""
    ascending, places = np.unique(numbers, return_inverse=True)
    parts = np.empty((2, len(ascending)))
    leading, dropped, done = 1, 0, 0
    for index, number in enumerate(ascending.tolist()):
        while done < number:
            factors = min(FACTORS, number - done)
            done += factors
            leading *= math.perm(done, factors)
            surplus = max(leading.bit_length() - DIGITS, 0)
            leading, dropped = leading >> surplus, dropped + surplus
        mantissa, exponent = math.frexp(leading)
        parts[:, index] = mantissa, exponent + dropped
    return parts[:, places]


def nosel_copnori_each(batch: Batch, mu: float = 0.1) -> Floats:
    """Return `nosel_copnori` of each outcome."""
    if not is_number(mu) or not 0 <= mu <= 1:
        raise ValueError(f"mu must be a number from 0 to 1, got {short_repr(mu)}")
    share = float(mu)
    return share * nosel_each(batch) + (1 - share) * batch.once(copnori_each)


def nosel_copnori(outcome: Outcome, mu: float = 0.1) -> float:
    r"""Weighted mean of Nosel and Copnori: reading effort saved, with the natural order as a tie-breaker.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.
    mu : float, optional
        Weight of Nosel, from 0 (Copnori only) to 1 (Nosel only). If mu is below 1, the measure respects the natural
        order strictly. Defaults to 0.1.

    Returns
    -------
    float
        Value from -mu/r - (1 - mu) to 1, with expected value 0 for a random order; higher is better. NaN if none or
        all papers are relevant.

    Raises
    ------
    ValueError
        If mu is not a number from 0 to 1.

    Notes
    -----
    :math:`\mu \, \mathrm{Nosel} + (1 - \mu) \, \mathrm{Copnori}`.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> round(nosel_copnori(Outcome([1, 4], n=5)), 4)
    0.3
    """
    return evaluate_outcome(lambda batch: nosel_copnori_each(batch, mu), outcome)
