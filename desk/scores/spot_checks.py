"""Share of relevant papers missed below the stop points, estimated from spot checks.

Few editors read below the stop point, and those who do choose their lists. A spot check is a random sample, so each of
its papers represents as many papers as it was drawn from: its weight is the inverse of its inclusion probability.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

from presort.data.records import SpotCheckedList
from presort.metrics.batch import Floats

LEVEL = 0.95  # of the interval


class Missed(NamedTuple):
    """Share of the relevant papers that is below the stop points.

    Attributes
    ----------
    share, low, high : float
        Estimate and ends of its 95 % confidence interval, 0 to 1. NaN if no relevant paper is known at all.
    n_lists, n_checked, n_found : int
        Lists with a complete spot check, papers in these checks, and relevant ones among them.
    """

    share: float
    low: float
    high: float
    n_lists: int
    n_checked: int
    n_found: int


def missed(lists: Sequence[SpotCheckedList]) -> Missed:
    r"""Estimate the share of the relevant papers that is below the stop points of some lists.

    Parameters
    ----------
    lists : sequence of SpotCheckedList
        Each with at least one paper checked.

    Returns
    -------
    Missed
        With an interval that contains the true share in at least 95 % of samples.

    Notes
    -----
    With weights :math:`w_i = N_i / n_i`, the number below is estimated by :math:`\sum_i w_i x_i` (Horvitz and
    Thompson), where :math:`x_i` relevant papers are among the :math:`n_i` drawn from :math:`N_i`. Its interval is that
    of a weighted sum of Poisson counts (Fay and Feuer), which is safe where few or none were found.

    References
    ----------
    Horvitz and Thompson, Journal of the American Statistical Association 47, 1952.
    Fay and Feuer, Confidence intervals for directly standardized rates, Statistics in Medicine 16, 1997.

    Examples
    --------
    >>> from datetime import date
    >>> week = SpotCheckedList("lab", date(2026, 1, 5), "presort-2", 200, 4, 0, 10)
    >>> [round(share, 2) for share in missed([week] * 60 + [week._replace(n_found=1)])[:3]]
    [0.08, 0.0, 0.31]
    """
    weights = np.array([one.n_eligible / one.n_checked for one in lists], dtype=float)
    found = np.array([one.n_found for one in lists], dtype=float)
    above = sum(one.n_found_above for one in lists)
    below = float(weights @ found)
    low, high = _interval(weights, found)
    counts = len(lists), sum(one.n_checked for one in lists), int(found.sum())
    if not lists or not above + high:
        return Missed(np.nan, np.nan, np.nan, *counts)
    share = below / (above + below) if above + below else np.nan
    return Missed(share, low / (above + low) if low else 0.0, high / (above + high), *counts)


def _interval(weights: Floats, counts: Floats) -> tuple[float, float]:
    """Return the interval of Fay and Feuer for a weighted sum of Poisson counts."""
    if not len(weights):
        return 0.0, 0.0
    total, variance, largest = weights @ counts, weights**2 @ counts, weights.max()
    tail = (1 - LEVEL) / 2
    low = variance / (2 * total) * chi2.ppf(tail, 2 * total**2 / variance) if total else 0.0
    above, spread = total + largest, variance + largest**2
    return float(low), float(spread / (2 * above) * chi2.ppf(1 - tail, 2 * above**2 / spread))
