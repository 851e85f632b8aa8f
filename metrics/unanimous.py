"""Unanimous Improvement Ratio: improvement of one system over another whatever the weight of each metric.

A mean of metrics such as F may rise because one of them was traded for another. The ratio counts the cases on which
no metric speaks against the improvement. `presort.metrics.cases` explains its terms and arrays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from presort.metrics.arguments import is_number, shown
from presort.metrics.batch import Floats
from presort.metrics.cases import complete_cases


@dataclass(frozen=True)
class UnanimousImprovement:
    """Number of cases on which all metrics agree that a is better than b, and that it is worse.

    Attributes
    ----------
    ratio : float
        The Unanimous Improvement Ratio, (n_better - n_worse) / n_cases, from -1 to 1; NaN if there is no case.
    n_cases : int
        Cases compared: the sum of the four counts that follow.
    n_better, n_worse : int
        Cases on which no metric is worse (better) for a than for b, and at least one is better (worse).
    n_equal, n_undecided : int
        Cases on which all metrics are the same, and on which the metrics disagree.
    n_left_out : int
        Cases not compared, because a score is NaN.
    """

    ratio: float
    n_cases: int
    n_better: int
    n_worse: int
    n_equal: int
    n_undecided: int
    n_left_out: int


def unanimous_improvement(a: ArrayLike, b: ArrayLike, *, atol: float = 0.0) -> UnanimousImprovement:
    """Count the cases on which every metric agrees that system a improves system b, or the reverse.

    Parameters
    ----------
    a, b : array_like, shape (n_cases, n_metrics)
        Scores of the two systems by the same metrics on the same cases; higher is better. Cases with NaN are left out.
    atol : float
        A score counts as at least as good when it is lower by no more than this, from 0.

    Returns
    -------
    UnanimousImprovement
        The counts and their ratio, which is NaN if no case is left.

    Raises
    ------
    ValueError
        If a or b is not an array of that shape, holds anything but numbers from -1e100 to 1e100 and NaN, or has no
        metric; if their shapes differ; or if atol is not a finite number from 0.

    References
    ----------
    Amigó, Gonzalo, Artiles and Verdejo, JAIR 42, 2011.

    Examples
    --------
    >>> counts = unanimous_improvement([[0.5, 0.6], [0.7, 0.2], [0.4, 0.4]], [[0.5, 0.4], [0.6, 0.3], [0.3, 0.1]])
    >>> counts.n_better, counts.n_undecided, round(counts.ratio, 2)
    (2, 1, 0.67)
    """
    atol = checked_atol(atol)
    (A, B), n_left_out = complete_cases({"a": a, "b": b})
    not_worse, not_better = at_least_as_good(A, B, atol), at_least_as_good(B, A, atol)
    n_better, n_worse = (int(np.count_nonzero(cases)) for cases in (not_worse & ~not_better, not_better & ~not_worse))
    return UnanimousImprovement(
        ratio=(n_better - n_worse) / len(A) if len(A) else math.nan,
        n_cases=len(A),
        n_better=n_better,
        n_worse=n_worse,
        n_equal=int(np.count_nonzero(not_worse & not_better)),
        n_undecided=int(np.count_nonzero(~not_worse & ~not_better)),
        n_left_out=n_left_out,
    )


def unanimous_improvement_ratio(a: ArrayLike, b: ArrayLike, *, atol: float = 0.0) -> float:
    r"""Share of cases that improve by every metric from system b to system a, less the share that gets worse.

    Parameters
    ----------
    a, b : array_like, shape (n_cases, n_metrics)
        Scores of the two systems by the same metrics on the same cases; higher is better. Cases with NaN are left out.
    atol : float
        A score counts as at least as good when it is lower by no more than this, from 0.

    Returns
    -------
    float
        From -1 to 1, higher is better for a; 0 between equals. NaN if no case is left. By rule of thumb, 0.25 says
        that the improvement does not depend on how the metrics are weighted.

    Raises
    ------
    ValueError
        As for `unanimous_improvement`, which also gives the counts.

    Notes
    -----
    :math:`(|\{a \ge b\}| - |\{b \ge a\}|) / n`, where :math:`a \ge b` on a case when a is at least as good on every
    metric. Turning the systems round turns the sign. It is not transitive: a may improve b, b improve c, and c
    improve a.

    References
    ----------
    Amigó, Gonzalo, Artiles and Verdejo, JAIR 42, 2011.

    Examples
    --------
    >>> unanimous_improvement_ratio([[0.5, 0.6], [0.7, 0.2]], [[0.5, 0.4], [0.6, 0.3]])
    0.5
    """
    return unanimous_improvement(a, b, atol=atol).ratio


def at_least_as_good(a: Floats, b: Floats, atol: float) -> NDArray[np.bool_]:
    """Mark the cases on which a is no more than `atol` worse than b by any metric, shape (n_cases,)."""
    is_as_good: NDArray[np.bool_] = np.logical_and.reduce(a >= b - atol, axis=1)
    return is_as_good


def checked_atol(atol: float) -> float:
    """Refuse values other than finite numbers from 0."""
    if not is_number(atol) or not 0 <= atol < math.inf:
        raise ValueError(f"atol must be a number from 0, got {shown(atol)}")
    return float(atol)
