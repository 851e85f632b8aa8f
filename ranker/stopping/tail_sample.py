"""Estimate from a random sample how many relevant papers an editor leaves unread, with an exact upper bound."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

ROUNDING = 1e-9  # relative, in a probability: what just reaches a bound is not to fall below it


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
