"""Spot check: a few random papers from below the stop point, which editors would otherwise never see.

An editor who stops where advised never sees the relevant papers further down. Forecasts that learn only from lists read
in this way would underestimate the number of these papers, advise editors to stop earlier each week, and exceed the
accepted miss rate. A spot check prevents this: its papers are drawn at random and not by score, so they represent all
papers below the stop point. From this sample alone, `remaining` estimates the number of unread relevant papers, with an
exact upper bound.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from presort.data.records import Positions

SHARE = 0.01  # share of the papers below the stop point to draw; small, because a spot check adds to the reading effort
LARGEST = 10  # maximum number of papers to draw, which take about two minutes to read
ROUNDING = 1e-9  # relative tolerance, so that rounding doesn't push a probability below a bound that it equals


class SpotCheck(NamedTuple):
    """Papers drawn at random from those below the stop point.

    Attributes
    ----------
    positions : array of shape (n_drawn,)
        Positions of the drawn papers, in the order of the eligible papers.
    n_eligible : int
        Number of papers below the stop point from which the papers were drawn.
    """

    positions: Positions
    n_eligible: int

    @property
    def inclusion_probability(self) -> float:
        """Probability that an eligible paper was drawn, from 0 to 1. It is 0 if no paper was eligible."""
        return len(self.positions) / self.n_eligible if self.n_eligible else 0.0


def spot_check_size(n_eligible: int) -> int:
    """Return the number of papers in a spot check.

    Parameters
    ----------
    n_eligible : int
        Number of unread papers below the stop point, 0 or more.

    Returns
    -------
    int
        1 % of the eligible papers, rounded up, but at most 10. 0 if no paper is eligible.

    Examples
    --------
    >>> [spot_check_size(n) for n in (0, 1, 65, 220, 2000)]
    [0, 1, 1, 3, 10]
    """
    return min(math.ceil(SHARE * n_eligible), LARGEST)


def draw_spot_check(eligible: Positions, *, seed: int) -> SpotCheck:
    """Draw a spot check without replacement. All eligible papers have the same probability of being drawn.

    Parameters
    ----------
    eligible : array of shape (n_eligible,)
        Distinct positions of the unread papers below the stop point.
    seed : int
        Seed, 0 or more, for example the id of the ranking. The same arguments draw the same papers.

    Returns
    -------
    SpotCheck
        Positions of ``spot_check_size(n_eligible)`` papers.

    Raises
    ------
    ValueError
        If `seed` is negative.

    Examples
    --------
    >>> check = draw_spot_check(np.arange(31, 251, dtype=np.int32), seed=1)
    >>> len(check.positions), check.n_eligible, round(check.inclusion_probability, 4)
    (3, 220, 0.0136)
    """
    if seed < 0:
        raise ValueError(f"seed must be 0 or more, got {seed!r}")
    n_eligible = len(eligible)
    # The number of eligible papers is part of the seed, so that a second check after more reading draws other papers.
    drawn = np.random.default_rng([seed, n_eligible]).choice(n_eligible, spot_check_size(n_eligible), replace=False)
    return SpotCheck(eligible[np.sort(drawn)], n_eligible)


class Remaining(NamedTuple):
    """Estimated number of relevant papers that were neither read nor drawn, and its upper bound."""

    estimate: float
    at_most: int


def remaining(n_rest: int, n_drawn: int, n_found: int, *, level: float = 0.95) -> Remaining:
    r"""Estimate from a random sample how many relevant papers remain unread.

    Parameters
    ----------
    n_rest : int
        Number of unread papers before the sample was drawn.
    n_drawn : int
        Number of papers in the sample, from 0 to `n_rest`.
    n_found : int
        Number of relevant papers in the sample.
    level : float
        Confidence level of the upper bound, above 0 and below 1.

    Returns
    -------
    Remaining
        Relevant papers outside the sample. The estimate is NaN if the sample is empty.

    Raises
    ------
    ValueError
        Unless 0 <= n_found <= n_drawn <= n_rest and the level is between 0 and 1.

    Notes
    -----
    The upper bound is exact and assumes only that the sample is random. It is the largest number of remaining relevant
    papers for which a random sample contains `n_found` or fewer relevant papers with a probability of at least
    1 - level. Clopper and Pearson define this bound for the binomial instead of the hypergeometric distribution.

    References
    ----------
    Clopper and Pearson, The use of confidence or fiducial limits, Biometrika 1934.

    Examples
    --------
    >>> remaining(500, 50, 0)
    Remaining(estimate=0.0, at_most=27)
    >>> remaining(500, 50, 1)
    Remaining(estimate=9.0, at_most=42)
    """
    if not 0 <= n_found <= n_drawn <= n_rest:
        raise ValueError(
            f"n_found, n_drawn and n_rest must satisfy 0 <= n_found <= n_drawn <= n_rest, got {n_found!r}, "
            f"{n_drawn!r} and {n_rest!r}"
        )
    if not 0 < level < 1:
        raise ValueError(f"level must be above 0 and below 1, got {level!r}")
    n_left = n_rest - n_drawn
    n_relevant = n_found + np.arange(n_left + 1)
    is_possible: NDArray[np.bool_] = hypergeom.cdf(n_found, n_rest, n_relevant, n_drawn) >= (1 - level) * (1 - ROUNDING)
    estimate = n_found / n_drawn * n_left if n_drawn else float("nan")
    return Remaining(estimate, int(is_possible.nonzero()[0][-1]))
