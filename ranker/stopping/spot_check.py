"""Spot check: a few papers drawn at random from below the stop point, to inform forecasts of what editors never see.

An editor who stops where advised never sees the relevant papers further down. Forecasts that learn from these lists
alone would underestimate them, advise to stop earlier each week, and miss more than accepted. A spot check is the
remedy: its papers are chosen by chance and not by score, so they represent all papers below the stop point.
"""

import math
from typing import NamedTuple

import numpy as np

from presort.data.records import Positions

SHARE = 0.01  # of the papers below the stop point, so that a spot check adds little to what is read
LARGEST = 10  # papers; about two minutes of reading


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
