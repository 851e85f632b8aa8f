"""Lofop: logarithms of the positions, counted from the end of the list."""

from __future__ import annotations

from functools import cache

import numpy as np

from presort.metrics.batch import Batch, Floats, alone, ratio
from presort.metrics.outcome import Outcome

# Multiples of 2**-20 add and multiply without rounding up to n of some 30,000; beyond, rounding sets in slowly.
COARSE = 2.0**20


def lofop_each(batch: Batch) -> Floats:
    """`lofop` of each outcome."""
    # Linear in the logarithms, so taken apart: the large terms, which cancel, are then exact.
    coarse, fine = _logarithms(batch.table_size)
    gain, best = np.add(_gains(batch, *coarse), _gains(batch, *fine))
    lofops = np.minimum(ratio(gain, best), 1.0)  # rounding must not pass the best list
    lofops[(batch.last == batch.r) & (best != 0)] = 1.0  # nor fall short of it
    return lofops


def lofop(outcome: Outcome) -> float:
    r"""Logarithmic position: how early the relevant papers are. The end of the list counts most.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    float
        From :math:`(\ln r! - E) / (B - E)`, below 0, to 1; 0 in the mean over random orders; higher is better. NaN if
        none or all papers are relevant. The absolute error is below 1e-12 for n up to 5,000.

    Notes
    -----
    :math:`(Q - E) / (B - E)` with :math:`Q = \sum \ln(n + 1 - p_i)`, its expectation :math:`E = (r / n) \ln n!` and
    its best value :math:`B = \ln n! - \ln (n - r)!`. It violates the natural order.

    References
    ----------
    Krichel, IP&M 2007. Its example (0,0,1,0,0,1,1,0) with 15.64 % is a misprint: -21.37 % belongs to that vector, and
    -15.64 % to (0,0,0,1,1,0,1,0).

    Examples
    --------
    >>> round(lofop(Outcome.from_relevance([1, 1, 0, 0, 0, 0, 0, 1])), 4)
    0.0264
    """
    return alone(lofop_each, outcome)


@cache
def _logarithms(size: int) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return ln 1 … ln(size - 1), 0 for index 0, and their sums, as multiples of 1 / COARSE and the small rest."""
    logarithms = np.log(np.maximum(np.arange(size), 1))
    coarse = np.round(logarithms * COARSE) / COARSE
    fine = logarithms - coarse
    return (coarse, np.cumsum(coarse)), (fine, np.cumsum(fine))


def _gains(batch: Batch, logarithms: Floats, log_factorial: Floats) -> tuple[Floats, Floats]:
    """Return n (Q - E) and n (B - E), for either part of the logarithms."""
    r, n = batch.r, batch.n
    gain = n * batch.totals(logarithms.take(batch.from_the_end)) - r * log_factorial[n]
    best = (n - r) * log_factorial[n] - n * log_factorial[n - r]
    return gain, best
