"""All rankers of a comparison tested at once: whether two are further apart than chance sets any two of them."""

import math
from collections.abc import Mapping

import pandas as pd

from presort.desk.scores.pairs import Paired
from presort.metrics import tukey_hsd
from presort.metrics.batch import Floats

LEAST_RANKERS = 3  # two are a single pair, for which other tests do


def p_at_once(totals: Mapping[str, Floats], against: str) -> dict[str, float]:
    """Test every other ranker against one by randomised Tukey HSD.

    Parameters
    ----------
    totals : mapping of str to ndarray of float64, shape (n_units,)
        Of each ranker, what each unit has; no NaN.
    against : str
        One of these rankers.

    Returns
    -------
    dict of str to float
        p-value of each other ranker, corrected for all pairs. NaN with fewer than three rankers or two units.

    Examples
    --------
    >>> import numpy as np
    >>> rising = np.arange(8.0)
    >>> found = p_at_once({"a": rising, "b": rising + 2, "c": rising + 0.1}, "a")
    >>> {name: round(p, 2) for name, p in found.items()}
    {'b': 0.0, 'c': 1.0}
    """
    others = [name for name in totals if name != against]
    if len(totals) < LEAST_RANKERS or len(totals[against]) < 2:
        return dict.fromkeys(others, math.nan)
    found = tukey_hsd(pd.DataFrame(totals))
    pairs = zip(found["system"], found["other"], found["p"], strict=True)
    p_values = {frozenset(pair): float(p) for *pair, p in pairs}
    return {name: p_values[frozenset((name, against))] for name in others}


def places_upwards(paired: Paired, ranker: str) -> Floats:
    """Return a ranker's places in natural order among all, higher is better, shape (n_cases,); level ones share one."""
    return -paired.places.rank(axis="columns")[ranker].to_numpy(dtype=float)
