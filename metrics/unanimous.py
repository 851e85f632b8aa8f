"""Unanimous Improvement Ratio: how often one system improves on another, however the metrics are weighted.

A combination of metrics such as F may rise because one metric improved at the expense of another. The ratio is based
on the cases in which no metric contradicts the improvement. `presort.metrics.cases` explains the terms and arrays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from presort.metrics.arguments import is_number, short_repr
from presort.metrics.batch import Floats
from presort.metrics.cases import complete_pair


@dataclass(frozen=True)
class UnanimousImprovement:
    """Numbers of cases in which all metrics prefer system a, or all prefer system b, and the resulting ratio.

    Attributes
    ----------
    ratio : float
        Unanimous Improvement Ratio, (n_better - n_worse) / n_cases, from -1 to 1. NaN if there are no cases.
    n_cases : int
        Number of cases compared, the sum of the four counts below.
    n_better : int
        Cases in which a is better than b by at least one metric and worse by none.
    n_worse : int
        Cases in which a is worse than b by at least one metric and better by none.
    n_equal : int
        Cases in which all metrics are equal.
    n_undecided : int
        Cases in which the metrics disagree.
    n_left_out : int
        Cases ignored because a score is NaN.
    """

    ratio: float
    n_cases: int
    n_better: int
    n_worse: int
    n_equal: int
    n_undecided: int
    n_left_out: int


def unanimous_improvement(a: ArrayLike, b: ArrayLike, *, atol: float = 0.0) -> UnanimousImprovement:
    """Count the cases in which all metrics agree that system a improves on system b, or the reverse.

    Parameters
    ----------
    a, b : array_like, shape (n_cases, n_metrics)
        Scores of the two systems by the same metrics on the same cases; higher is better. Cases with NaN are ignored.
        DataFrames are aligned by their rows and columns.
    atol : float
        Absolute tolerance, at least 0: a score counts as at least as good if it is lower by at most this amount.
        Defaults to 0.

    Returns
    -------
    UnanimousImprovement
        Counts and ratio. The ratio is NaN if no case is complete.

    Raises
    ------
    ValueError
        If a or b is not a two-dimensional array of numbers from -1e100 to 1e100 or NaN with at least one metric, if
        their shapes differ, if DataFrames differ in cases or metrics, or if atol is not a finite number of at least 0.

    References
    ----------
    Amigó, Gonzalo, Artiles and Verdejo, JAIR 42, 2011.

    Examples
    --------
    >>> counts = unanimous_improvement([[0.5, 0.6], [0.7, 0.2], [0.4, 0.4]], [[0.5, 0.4], [0.6, 0.3], [0.3, 0.1]])
    >>> counts.n_better, counts.n_undecided, round(counts.ratio, 2)
    (2, 1, 0.67)
    """
    atol = validate_atol(atol)
    (A, B), n_left_out = complete_pair(a, b)
    not_worse, not_better = is_at_least_as_good(A, B, atol), is_at_least_as_good(B, A, atol)
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
    r"""Share of cases in which system a unanimously improves on system b, minus the share of the reverse.

    Parameters
    ----------
    a, b : array_like, shape (n_cases, n_metrics)
        Scores of the two systems by the same metrics on the same cases; higher is better. Cases with NaN are ignored.
        DataFrames are aligned by their rows and columns.
    atol : float
        Absolute tolerance, at least 0: a score counts as at least as good if it is lower by at most this amount.
        Defaults to 0.

    Returns
    -------
    float
        Ratio from -1 to 1; positive values favour a. 0 for equal systems. NaN if no case is complete. As a rule of
        thumb, an improvement with a ratio of at least 0.25 does not depend on the weights of the metrics.

    Raises
    ------
    ValueError
        If an argument is invalid, see `unanimous_improvement`.

    See Also
    --------
    unanimous_improvement : Also returns the counts.

    Notes
    -----
    :math:`(|\{a \ge b\}| - |\{b \ge a\}|) / n`, where :math:`a \ge b` in a case if a is at least as good by every
    metric. Exchanging the systems changes the sign. The ratio is not transitive: a may improve on b, b on c, and c
    on a.

    References
    ----------
    Amigó, Gonzalo, Artiles and Verdejo, JAIR 42, 2011.

    Examples
    --------
    >>> unanimous_improvement_ratio([[0.5, 0.6], [0.7, 0.2]], [[0.5, 0.4], [0.6, 0.3]])
    0.5
    """
    return unanimous_improvement(a, b, atol=atol).ratio


def is_at_least_as_good(a: Floats, b: Floats, atol: float) -> NDArray[np.bool_]:
    """Mark the cases in which every metric of a is at most `atol` worse than that of b, shape (n_cases,)."""
    is_as_good: NDArray[np.bool_] = np.logical_and.reduce(a >= b - atol, axis=1)
    return is_as_good


def validate_atol(atol: float) -> float:
    """Return atol as a float. Raises ValueError if it is not a finite number of at least 0."""
    if not is_number(atol) or not 0 <= atol < math.inf:
        raise ValueError(f"atol must be a finite number of at least 0, got {short_repr(atol)}")
    return float(atol)
