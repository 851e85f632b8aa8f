"""Spot check: a few papers drawn at random from below the stop point, to inform forecasts of what editors never see.

An editor who stops where advised never sees the relevant papers further down. Forecasts that learn from these lists
alone would underestimate them, advise to stop earlier each week, and miss more than accepted. A spot check is the
remedy: its papers are chosen by chance and not by score, so they represent all papers below the stop point. `remaining`
estimates from them alone how many relevant papers are left unread, with an exact upper bound.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from presort.data.records import Positions

SHARE = 0.01  # of the papers below the stop point, so that a spot check adds little to what is read
LARGEST = 10  # papers; about two minutes of reading
ROUNDING = 1e-9  # relative, in a probability: what just reaches a bound is not to fall below it


class SpotCheck(NamedTuple):
    """Papers drawn at random from those below the stop point.

    Attributes
    ----------
    positions : array of shape (n_drawn,)
        The papers drawn, in the order in which they were eligible.
    n_eligible : int
        Papers that could have been drawn.
    """

    positions: Positions
    n_eligible: int

    @property
    def inclusion_probability(self) -> float:
        """Probability, from 0 to 1, with which each eligible paper was drawn. 0 if no paper was eligible."""
        return len(self.positions) / self.n_eligible if self.n_eligible else 0.0


def spot_check_size(n_eligible: int) -> int:
    """Return how many papers a spot check draws.

    Parameters
    ----------
    n_eligible : int
        Papers below the stop point that were not read, 0 or more.

    Returns
    -------
    int
        1 % of them, rounded up, at most 10. 0 if there are none.

    Examples
    --------
    >>> [spot_check_size(n) for n in (0, 1, 65, 220, 2000)]
    [0, 1, 1, 3, 10]
    """
    return min(math.ceil(SHARE * n_eligible), LARGEST)


def draw_spot_check(eligible: Positions, *, seed: int) -> SpotCheck:
    """Draw a spot check without replacement. Each eligible paper has the same probability to be drawn.

    Parameters
    ----------
    eligible : array of shape (n_eligible,)
        Distinct positions of the papers below the stop point that were not read.
    seed : int
        Not negative, for example the id of the ranking. The same call draws the same papers.

    Returns
    -------
    SpotCheck
        Of `spot_check_size` papers.

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
        raise ValueError(f"seed must not be negative, got {seed!r}")
    n_eligible = len(eligible)
    # The number of eligible papers is part of the seed, so that a second check after more reading draws other papers.
    drawn = np.random.default_rng([seed, n_eligible]).choice(n_eligible, spot_check_size(n_eligible), replace=False)
    return SpotCheck(eligible[np.sort(drawn)], n_eligible)


class Remaining(NamedTuple):
    """Relevant papers among those that were neither read nor drawn: how many to expect, and how many at most."""

    estimate: float
    at_most: int


def remaining(n_rest: int, n_drawn: int, n_found: int, *, level: float = 0.95) -> Remaining:
    r"""Judge from a random sample how many relevant papers are left unread.

    Parameters
    ----------
    n_rest : int
        Papers that were unread before the sample.
    n_drawn : int
        Papers drawn from them, from 0 to `n_rest`.
    n_found : int
        Relevant papers among those drawn.
    level : float
        Confidence level of the upper bound, above 0 and below 1.

    Returns
    -------
    Remaining
        Papers in addition to those found in the sample. The estimate is NaN if none was drawn.

    Raises
    ------
    ValueError
        If it does not hold that n_found <= n_drawn <= n_rest, from 0, or the level is not between 0 and 1.

    Notes
    -----
    The upper bound is exact and assumes nothing but the draw: the largest number K of relevant papers in the rest that
    would leave the sample with n_found or fewer in at least 1 - level of all draws (the bound of Clopper and Pearson,
    with the hypergeometric in the binomial distribution's place).

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
            f"it must hold that 0 <= n_found <= n_drawn <= n_rest, got {n_found!r}, {n_drawn!r} and {n_rest!r}"
        )
    if not 0 < level < 1:
        raise ValueError(f"level must be above 0 and below 1, got {level!r}")
    n_left = n_rest - n_drawn
    n_relevant = n_found + np.arange(n_left + 1)
    is_possible: NDArray[np.bool_] = hypergeom.cdf(n_found, n_rest, n_relevant, n_drawn) >= (1 - level) * (1 - ROUNDING)
    estimate = n_found / n_drawn * n_left if n_drawn else float("nan")
    return Remaining(estimate, int(is_possible.nonzero()[0][-1]))
