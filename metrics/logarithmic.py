"""Lofop, a measure based on logarithms of the positions counted from the end of the list."""

from __future__ import annotations

from functools import cache

import numpy as np

from presort.metrics.batch import Batch, Floats, alone, ratio
from presort.metrics.outcome import Outcome

# Sums and products of multiples of 2**-20 are exact up to n of about 30,000. Beyond, rounding errors grow slowly.
COARSE = 2.0**20


def lofop_each(batch: Batch) -> Floats:
    """Return `lofop` of each outcome."""
    # Both gains are linear in the logarithms. Splitting the logarithms makes the large terms, which cancel, exact.
    coarse, fine = _logarithms(batch.table_size)
    gain, best = np.add(_gains(batch, *coarse), _gains(batch, *fine))
    # Exactly 1 for the best outcome and never above, in spite of rounding.
    lofops = np.minimum(ratio(gain, best), 1.0)
    lofops[(batch.last == batch.r) & (best != 0)] = 1.0
    return lofops


def lofop(outcome: Outcome) -> float:
    r"""Logarithmic position measure: how early the relevant papers are, with the end of the list counting most.

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
    return alone(lofop_each, outcome)


@cache
def _logarithms(size: int) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return tables of ln i and ln i! for i = 0 … size - 1, each split into a coarse part and a remainder.

    The coarse part is a multiple of 1 / COARSE. The entry of ln 0 is 0.
    """
    logarithms = np.log(np.maximum(np.arange(size), 1))
    coarse = np.round(logarithms * COARSE) / COARSE
    fine = logarithms - coarse
    return (coarse, np.cumsum(coarse)), (fine, np.cumsum(fine))


def _gains(batch: Batch, logarithms: Floats, log_factorial: Floats) -> tuple[Floats, Floats]:
    """Return n (Q - E) and n (B - E) for one part of the split logarithms."""
    r, n = batch.r, batch.n
    gain = n * batch.totals(logarithms.take(batch.from_the_end)) - r * log_factorial[n]
    best = (n - r) * log_factorial[n] - n * log_factorial[n - r]
    return gain, best
