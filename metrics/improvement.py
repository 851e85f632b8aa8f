"""Whether one system improves another whatever the weight of each metric: the Unanimous Improvement Ratio.

A mean of metrics such as F may rise because one of them was traded for another. The ratio counts the cases on which
no metric speaks against the improvement. Its words and its arrays are told in `metrics.cases`.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from scipy.stats import multivariate_normal

from metrics.batch import Floats, ratio
from metrics.cases import Scores, complete_cases, complete_systems, mean_f

# Of the points at which three or more dimensions are integrated: any seed will do, but always the same; so many points
# at most, which are reached only where hardly more cases than metrics make the covariance singular.
SEED, POINTS = 0, 100_000


@dataclass(frozen=True)
class UnanimousImprovement:
    """How often the metrics agree that a is better than b, and that it is worse.

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
        If a or b is not an array of that shape, holds anything but finite numbers and NaN, or has no metric; if
        their shapes differ; or if atol is negative or infinite.

    References
    ----------
    Amigó, Gonzalo, Artiles and Verdejo, JAIR 42, 2011.

    Examples
    --------
    >>> counts = unanimous_improvement([[0.5, 0.6], [0.7, 0.2], [0.4, 0.4]], [[0.5, 0.4], [0.6, 0.3], [0.3, 0.1]])
    >>> counts.n_better, counts.n_undecided, round(counts.ratio, 2)
    (2, 1, 0.67)
    """
    _check_atol(atol)
    (A, B), n_left_out = complete_cases({"a": a, "b": b})
    not_worse, not_better = _at_least_as_good(A, B, atol), _at_least_as_good(B, A, atol)
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


def parametric_uir(a: ArrayLike, b: ArrayLike) -> float:
    r"""Unanimous Improvement Ratio that would be expected if the differences were normally distributed.

    Parameters
    ----------
    a, b : array_like, shape (n_cases, n_metrics)
        Scores of the two systems by the same metrics on the same cases; higher is better. Cases with NaN are left out.

    Returns
    -------
    float
        From -1 to 1, higher is better for a; 0 between equals. NaN if fewer than two cases are left: one case has
        no spread. From three metrics on accurate to about 1e-5 only, with no more cases than metrics 2e-4, but
        always the same for the same scores.

    Raises
    ------
    ValueError
        As for `unanimous_improvement`.

    Notes
    -----
    :math:`P(D \ge 0) - P(D \le 0)` in every metric at once, for D normal with the mean and the covariance (n - 1) of
    the differences a - b. The covariance may be singular. A metric whose difference is the same on all cases is
    certain: one of 0 has no say, any other leaves only one side possible.

    References
    ----------
    Amigó, Gonzalo, Artiles and Verdejo, JAIR 42, 2011, section 7.

    Examples
    --------
    >>> round(parametric_uir([[0.5, 0.6], [0.7, 0.2], [0.4, 0.4]], [[0.5, 0.4], [0.6, 0.3], [0.3, 0.1]]), 4)
    0.615
    """
    (A, B), _ = complete_cases({"a": a, "b": b})
    if len(A) < 2:
        return math.nan
    difference = A - B
    mean, spread = difference.mean(axis=0), difference.std(axis=0, ddof=1)
    varies = spread > 0
    z = mean[varies] / spread[varies]
    correlation = np.corrcoef(difference[:, varies], rowvar=False) if z.size else np.empty((0, 0))
    not_worse = _all_below(z, correlation) if (mean[~varies] >= 0).all() else 0.0
    not_better = _all_below(-z, correlation) if (mean[~varies] <= 0).all() else 0.0
    return not_worse - not_better


def uir_matrix(scores: Scores, *, atol: float = 0.0) -> pd.DataFrame:
    """Unanimous Improvement Ratio of every system over every other.

    Parameters
    ----------
    scores : mapping of str to array_like, shape (n_cases, n_metrics)
        Each system's scores by the same metrics on the same cases in the same order; higher is better. A case with
        NaN in any system is left out for all, so that the ratios can be compared.
    atol : float
        A score counts as at least as good when it is lower by no more than this, from 0.

    Returns
    -------
    DataFrame, shape (n_systems, n_systems)
        In the order given; the row improves the column by this ratio, from -1 to 1. NaN if no case is left.

    Raises
    ------
    ValueError
        As for `unanimous_improvement`, or if scores name no system.

    References
    ----------
    Amigó, Gonzalo, Artiles and Verdejo, JAIR 42, 2011.

    Examples
    --------
    >>> uir_matrix({"old": [[0.5, 0.4], [0.6, 0.3]], "new": [[0.5, 0.6], [0.7, 0.2]]})
         old  new
    old  0.0 -0.5
    new  0.5  0.0
    """
    _check_atol(atol)
    systems, stacked, _ = complete_systems(scores)
    return pd.DataFrame(_ratios(stacked, atol), index=systems, columns=systems)


def uir_table(scores: Scores, *, threshold: float = 0.25, alpha: float = 0.5, atol: float = 0.0) -> pd.DataFrame:
    """Systems by mean F, best first, each with those it improves unanimously and the one that improves it most.

    Parameters
    ----------
    scores : mapping of str to array_like, shape (n_cases, n_metrics)
        Each system's scores by the same metrics on the same cases in the same order; higher is better. A case with
        NaN in any system is left out for all, so that all are judged by the same cases.
    threshold : float
        Unanimous Improvement Ratio from which an improvement counts, above 0 to 1.
    alpha : float
        Weight in F of the first of two metrics, from 0 to 1. With any other number of metrics all weigh the same.
    atol : float
        A score counts as at least as good when it is lower by no more than this, from 0.

    Returns
    -------
    DataFrame, a row a system
        `mean_f`: mean of F per case, higher is better; NaN if a metric is negative on some case, and such systems
        stand last. `improves`: tuple of the systems it improves, best F first. `reference`: the system that improves
        it with the largest ratio, of equal ones the one with the better F; None if there is none. `reference_uir`:
        that ratio, NaN without a reference. `n_cases`, `n_left_out`: cases compared and left out, the same in every
        row. Systems of the same F keep the order given.

    Raises
    ------
    ValueError
        As for `uir_matrix`; if threshold or alpha is out of range; or if alpha is not 0.5 and the metrics not two.

    References
    ----------
    Amigó, Gonzalo, Artiles and Verdejo, JAIR 42, 2011, Table 7.

    Examples
    --------
    >>> table = uir_table({"old": [[0.5, 0.4], [0.6, 0.3]], "new": [[0.5, 0.6], [0.7, 0.2]]})
    >>> table.index.to_list(), table.loc["new", "improves"]
    (['new', 'old'], ('old',))
    >>> table.loc["old", "reference"], table.loc["old", "reference_uir"].item()
    ('new', 0.5)
    """
    _check_atol(atol)
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold must be above 0 and at most 1, got {threshold!r}")
    systems, stacked, n_left_out = complete_systems(scores)
    means = mean_f(stacked, alpha)
    best_first = np.argsort(-means, kind="stable")  # NaN goes last
    names = [systems[place] for place in best_first]
    index = pd.Index(names, name="system")
    ratios = _ratios(stacked[best_first], atol)
    strongest = ratios.max(axis=0)
    is_improved = strongest >= threshold
    first_strongest = ratios.argmax(axis=0)
    references = [names[first_strongest[place]] if is_improved[place] else None for place in range(len(names))]
    columns = {
        "mean_f": means[best_first],
        "improves": [tuple(names[place] for place in np.flatnonzero(row >= threshold)) for row in ratios],
        "reference": pd.Series(references, index=index, dtype=object),  # else pandas makes a NaN of None
        "reference_uir": np.where(is_improved, strongest, np.nan),
        "n_cases": stacked.shape[1],
        "n_left_out": n_left_out,
    }
    return pd.DataFrame(columns, index=index)


def _at_least_as_good(a: Floats, b: Floats, atol: float) -> NDArray[np.bool_]:
    is_as_good: NDArray[np.bool_] = np.logical_and.reduce(a >= b - atol, axis=1)
    return is_as_good


def _ratios(stacked: Floats, atol: float) -> Floats:
    n_not_worse = np.array([[np.count_nonzero(_at_least_as_good(a, b, atol)) for b in stacked] for a in stacked])
    return ratio(n_not_worse - n_not_worse.T, np.full(n_not_worse.shape, stacked.shape[1]))


def _all_below(z: Floats, correlation: Floats) -> float:
    """Give the probability that standard normal variables, so correlated, all stay at z or below."""
    if z.size < 2:
        return float(ndtr(z).prod())  # exact, and 1 without any variable
    generator = np.random.default_rng(SEED)  # anew for each call: swapping the systems then swaps the sign exactly
    return float(multivariate_normal.cdf(z, cov=correlation, allow_singular=True, maxpts=POINTS, rng=generator))


def _check_atol(atol: float) -> None:
    if not 0 <= atol < math.inf:
        raise ValueError(f"atol must be a number from 0, got {atol!r}")
