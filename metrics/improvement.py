"""Unanimous Improvement Ratio of every pair of many systems."""

from __future__ import annotations

import numpy as np
import pandas as pd

from presort.metrics.arguments import is_number, shown
from presort.metrics.batch import Floats, ratio
from presort.metrics.cases import Scores, complete_systems, mean_f
from presort.metrics.unanimous import at_least_as_good, checked_atol

ROBUST = 0.25  # UIR from which one system improves another, whatever the weights of the measures: a rule of thumb


def uir_matrix(scores: Scores, *, atol: float = 0.0) -> pd.DataFrame:
    """Unanimous Improvement Ratio of every system over every other.

    Parameters
    ----------
    scores : mapping of str to array_like, shape (n_cases, n_metrics)
        Each system's scores by the same metrics on the same cases in the same order; higher is better. Or a mapping
        from each metric to a DataFrame with a row per case (topic) and a column per system; it is recognised if the
        columns' name is "system", or if keys are names of measures and columns are not. A case with NaN in any system
        is left out for all, so that the ratios can be compared.
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
    atol = checked_atol(atol)
    systems, stacked, _ = complete_systems(scores)
    return pd.DataFrame(_ratios(stacked, atol), index=systems, columns=systems)


def uir_table(scores: Scores, *, threshold: float = ROBUST, alpha: float = 0.5, atol: float = 0.0) -> pd.DataFrame:
    """Systems by mean F, best first, each with those it improves unanimously and the one that improves it most.

    Parameters
    ----------
    scores : mapping of str to array_like, shape (n_cases, n_metrics)
        Each system's scores by the same metrics on the same cases in the same order; higher is better. Or a mapping
        from each metric to a DataFrame with a row per case (topic) and a column per system; it is recognised if the
        columns' name is "system", or if keys are names of measures and columns are not. A case with NaN in any system
        is left out for all, so that all are judged by the same cases.
    threshold : float
        Unanimous Improvement Ratio from which an improvement counts, above 0 to 1.
    alpha : float
        Weight in F of the first of two metrics, from 0 to 1. With any other number of metrics all weigh the same.
    atol : float
        A score counts as at least as good when it is lower by no more than this, from 0.

    Returns
    -------
    DataFrame, a row a system
        `mean_f`: mean of F per case, higher is better; NaN if a metric is negative on some case. Systems with NaN
        come last. `improves`: tuple of the systems it improves, best F first. `reference`: the system that improves
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
    atol = checked_atol(atol)
    if not is_number(threshold) or not 0 < threshold <= 1:
        raise ValueError(f"threshold must be a number above 0, at most 1, got {shown(threshold)}")
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


def _ratios(stacked: Floats, atol: float) -> Floats:
    n_not_worse = np.array([[np.count_nonzero(at_least_as_good(a, b, atol)) for b in stacked] for a in stacked])
    return ratio(n_not_worse - n_not_worse.T, np.full(n_not_worse.shape, stacked.shape[1]))
