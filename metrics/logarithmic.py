"""Lofop, a measure based on the logarithms of positions that are counted from the end of the list."""

from __future__ import annotations

import numpy as np

from presort.metrics.batch import Batch, Floats, Ints, TabulatedFunction, evaluate_outcome, ratio
from presort.metrics.outcome import Outcome

# Sums and products of multiples of 2**-20 are exact for n up to about 30,000. Above that, rounding errors grow slowly.
COARSE = 2.0**20
AT_ONCE = 1 << 20  # maximum number of logarithms in memory


def lofop_each(batch: Batch) -> Floats:
    """Return `lofop` of each outcome."""
    # The two results of `_gains` are linear in the logarithms. Each logarithm is split into a coarse and a fine part,
    # so that the large coarse terms cancel exactly.
    logarithms = _logarithms(batch, batch.from_the_end)
    log_factorials = _log_factorials(batch, np.concatenate([batch.n, batch.n - batch.r]))
    coarse, fine = (
        _gains(batch, logarithm, *np.split(log_factorial, 2))
        for logarithm, log_factorial in zip(logarithms, log_factorials, strict=True)
    )
    gain, best = np.add(coarse, fine)
    # Make sure that, despite rounding, the value is exactly 1 for the best outcome and never higher.
    lofops = np.minimum(ratio(gain, best), 1.0)
    lofops[(batch.last == batch.r) & (best != 0)] = 1.0
    return lofops


def lofop(outcome: Outcome) -> float:
    r"""Logarithmic position measure: how early the relevant papers are, with most weight on the end of the list.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    float
        Value from :math:`(\ln r! - E) / (B - E)`, which is negative, to 1, with expected value 0 for a random order;
        higher is better. NaN if none or all papers are relevant. The absolute error is below 1e-12 for n up to 5,000.

    Notes
    -----
    :math:`(Q - E) / (B - E)` with :math:`Q = \sum \ln(n + 1 - p_i)`, its expectation :math:`E = (r / n) \ln n!` and
    its best value :math:`B = \ln n! - \ln (n - r)!`. It violates the natural order.

    References
    ----------
    Krichel, IP&M 2007. The paper's example, 15.64 % for (0,0,1,0,0,1,1,0), is a misprint. The value of that vector is
    -21.37 %; -15.64 % is the value of (0,0,0,1,1,0,1,0).

    Examples
    --------
    >>> round(lofop(Outcome.from_relevance([1, 1, 0, 0, 0, 0, 0, 1])), 4)
    0.0264
    """
    return evaluate_outcome(lofop_each, outcome)


@TabulatedFunction
def _logarithms(numbers: Ints) -> Floats:
    """Split natural logarithms into multiples of 1 / COARSE and remainders, shape (2, n). For 0, both parts are 0."""
    logarithms = np.log(np.maximum(numbers, 1))
    coarse = np.round(logarithms * COARSE) / COARSE
    return np.stack([coarse, logarithms - coarse])


@TabulatedFunction
def _log_factorials(numbers: Ints) -> Floats:
    """Return the logarithms of factorials, split into two parts like `_logarithms`, shape (2, n)."""
    sums, carry = np.zeros((2, *numbers.shape)), np.zeros((2, 1))
    for start in range(0, int(numbers.max(initial=0)) + 1, AT_ONCE):
        stop = min(start + AT_ONCE, int(numbers.max()) + 1)
        logarithms = _logarithms.compute(np.arange(start, stop))
        so_far = np.cumsum(np.hstack([carry, logarithms]), axis=1)[:, 1:]
        is_here = (numbers >= start) & (numbers < stop)
        sums[:, is_here], carry = so_far[:, numbers[is_here] - start], so_far[:, -1:]
    return sums


def _gains(batch: Batch, logarithms: Floats, log_factorials: Floats, of_others: Floats) -> tuple[Floats, Floats]:
    """Return n (Q - E) and n (B - E) for one part of the split logarithms.

    The arguments contain this part of three kinds of logarithms: of each position counted from the end, of n!, and of
    (n - r)!.
    """
    r, n = batch.r, batch.n
    gain = n * batch.totals(logarithms) - r * log_factorials
    best = (n - r) * log_factorials - n * of_others
    return gain, best
