"""A random sample of what an editor leaves unread, and what it tells of the rest.

Without it, the relevant papers that nobody read count as if there were none, in the measures and for the light alike.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from data.records import Positions

ROUNDING = 1e-9  # relative, in a probability: what just reaches a bound is not to fall below it


class Remaining(NamedTuple):
    """Relevant papers among those that were neither read nor drawn: how many to expect, and how many at most."""

    estimate: float
    at_most: int


def sample_of_rest(n_papers: int, read_to: int, n: int, *, seed: int) -> Positions:
    """Draw papers at random, without replacement, from below the position read to.

    Parameters
    ----------
    n_papers : int
        Papers in the ranking.
    read_to : int
        Position read to, from 0 (nothing) to `n_papers`.
    n : int
        Papers to draw; where fewer are left, all of them.
    seed : int
        Not negative, such as the number of the ranking. The same call draws the same papers.

    Returns
    -------
    array of shape (at most n,)
        Positions in the ranking, from 1, ascending.

    Raises
    ------
    ValueError
        If `read_to` is not a position of the ranking, or `n` or `seed` is negative.

    Examples
    --------
    >>> sample_of_rest(600, 598, 10, seed=1).tolist()
    [599, 600]
    """
    if not 0 <= read_to <= n_papers:
        raise ValueError(f"read_to must be from 0 to n_papers = {n_papers}, got {read_to!r}")
    if n < 0:
        raise ValueError(f"n must not be negative, got {n!r}")
    if seed < 0:
        raise ValueError(f"seed must not be negative, got {seed!r}")
    rest = np.arange(read_to + 1, n_papers + 1, dtype=np.int32)
    return np.sort(np.random.default_rng([seed, read_to]).choice(rest, size=min(n, len(rest)), replace=False))


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
        How sure the upper bound is, above 0 and below 1.

    Returns
    -------
    Remaining
        Papers beside those found in the sample. The estimate is NaN if none was drawn.

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
