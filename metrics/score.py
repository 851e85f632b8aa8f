"""Measures of many outcomes at once."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from metrics.arguments import shown
from metrics.batch import Batch, Floats
from metrics.outcome import Outcome, outcome_list
from metrics.registry import MEASURES

AT_ONCE = 2000  # outcomes; their arrays then stay in the processor's cache


def score(outcomes: Iterable[Outcome], measures: Sequence[str] | None = None) -> pd.DataFrame:
    """Measure many outcomes at once; they may differ in r and n.

    Parameters
    ----------
    outcomes : iterable of Outcome, length n_outcomes
        One for each ranking to be measured.
    measures : sequence of str, optional
        Names from `MEASURES`, of those that need the outcome only; all of these unless told.

    Returns
    -------
    DataFrame, shape (n_outcomes, n_measures)
        A row an outcome, in the order given, and a float64 column a measure; NaN where the measure is undefined.

    Raises
    ------
    ValueError
        If measures are no list of names from `MEASURES`, or one of them needs the ranker's scores.

    Examples
    --------
    >>> score([Outcome([1, 2], n=5), Outcome([1, 4], n=5)], ["search_length", "nosel"])
       search_length  nosel
    0            0.0    1.0
    1            2.0    0.0
    """
    chosen, outcomes = _chosen(measures), outcome_list(outcomes)
    values = np.empty((len(chosen), len(outcomes)))
    for start in range(0, len(outcomes), AT_ONCE):
        batch = Batch.of(outcomes[start : start + AT_ONCE])
        for row, compute_each in zip(values, chosen.values(), strict=True):
            row[start : start + AT_ONCE] = batch.once(compute_each)
    return pd.DataFrame(dict(zip(chosen, values, strict=True)), index=pd.RangeIndex(len(outcomes)), dtype=float)


def _chosen(names: Iterable[str] | None) -> dict[str, Callable[[Batch], Floats]]:
    known = {name: measure.compute_each for name, measure in MEASURES.items() if measure.compute_each}
    if names is None:
        return known
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ValueError(f"measures must be a list of names, got {shown(names)}")
    names = list(names)
    if unknown := [name for name in names if name not in known]:
        why = "; for those of the ranker's scores call compute(scores, relevant)" if unknown[0] in MEASURES else ""
        raise ValueError(f"measures must be among {', '.join(known)}, got {', '.join(map(repr, unknown))}{why}")
    return {name: known[name] for name in names}
