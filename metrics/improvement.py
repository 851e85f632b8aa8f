"""Unanimous Improvement Ratio for every pair of systems."""

from __future__ import annotations

import numpy as np

from presort.metrics.arguments import is_number, short_repr
from presort.metrics.batch import Floats, ratio
from presort.metrics.cases import Scores, complete_systems, mean_f
from presort.metrics.lazy import pd
from presort.metrics.unanimous import is_at_least_as_good, validate_atol

ROBUST = 0.25  # rule of thumb: improvements with at least this UIR do not depend on the weights of the metrics


def uir_matrix(scores: Scores, *, atol: float = 0.0) -> pd.DataFrame:
    """Compute the Unanimous Improvement Ratio of every system over every other system.

    Parameters
    ----------
    scores : mapping of str to array_like, shape (n_cases, n_metrics)
        Scores by system, for the same metrics on the same cases; higher is better. Alternatively a mapping from metric
        to DataFrame with one row per case (topic) and one column per system. This layout is recognised if the columns
        index is named "system", or if the keys are names of measures and the columns are not. A case with NaN for any
        system is ignored for all systems, so that the ratios are comparable.
    atol : float
        Absolute tolerance, at least 0: a score counts as at least as good if it is lower by at most this amount.
        Defaults to 0.

    Returns
    -------
    DataFrame, shape (n_systems, n_systems)
        Ratio of the row's system over the column's system, from -1 to 1, in the given order. NaN if no case is
        complete.

    Raises
    ------
    ValueError
        If scores has no system, or for the reasons listed in `unanimous_improvement`.

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
    atol = validate_atol(atol)
    systems, stacked, _ = complete_systems(scores)
    return pd.DataFrame(_ratios(stacked, atol), index=systems, columns=systems)


def uir_table(scores: Scores, *, threshold: float = ROBUST, alpha: float = 0.5, atol: float = 0.0) -> pd.DataFrame:
    """Rank the systems by mean F, and list the other systems that each of them unanimously improves on.

    Parameters
    ----------
    scores : mapping of str to array_like, shape (n_cases, n_metrics)
        Scores by system, for the same metrics on the same cases; higher is better. Alternatively a mapping from metric
        to DataFrame with one row per case (topic) and one column per system. This layout is recognised if the columns
        index is named "system", or if the keys are names of measures and the columns are not. A case with NaN for any
        system is ignored for all systems.
    threshold : float
        Lowest Unanimous Improvement Ratio that counts as an improvement, above 0 and at most 1. Defaults to 0.25.
    alpha : float
        Weight of the first of two metrics in F, from 0 to 1. Must be 0.5, the default, for other numbers of metrics.
    atol : float
        Absolute tolerance, at least 0: a score counts as at least as good if it is lower by at most this amount.
        Defaults to 0.

    Returns
    -------
    DataFrame, one row per system, best first
        ``mean_f``: mean over cases of F, the harmonic mean of the metrics; higher is better. NaN if a metric is
        negative on a case; such systems come last. ``improves``: tuple of the systems that this system improves on,
        best F first. ``reference``: the system that improves on this system with the largest ratio, or None if no
        system does; of systems with equal ratios, the one with the better F. ``reference_uir``: ratio of the reference
        system over this system, NaN without a reference. ``n_cases``, ``n_left_out``: numbers of cases used and
        ignored, the same in every row. Systems with equal F keep the given order.

    Raises
    ------
    ValueError
        If threshold or alpha is out of range, if alpha is not 0.5 although the number of metrics is not two, or for
        the reasons listed in `uir_matrix`.

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
    atol = validate_atol(atol)
    if not is_number(threshold) or not 0 < threshold <= 1:
        raise ValueError(f"threshold must be a number above 0 and at most 1, got {short_repr(threshold)}")
    systems, stacked, n_left_out = complete_systems(scores)
    means = mean_f(stacked, alpha)
    best_first = np.argsort(-means, kind="stable")  # sorts NaN last
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
        "reference": pd.Series(references, index=index, dtype=object),  # otherwise pandas converts None to NaN
        "reference_uir": np.where(is_improved, strongest, np.nan),
        "n_cases": stacked.shape[1],
        "n_left_out": n_left_out,
    }
    return pd.DataFrame(columns, index=index)


def _ratios(stacked: Floats, atol: float) -> Floats:
    n_not_worse = np.array([[np.count_nonzero(is_at_least_as_good(a, b, atol)) for b in stacked] for a in stacked])
    return ratio(n_not_worse - n_not_worse.T, np.full(n_not_worse.shape, stacked.shape[1]))
