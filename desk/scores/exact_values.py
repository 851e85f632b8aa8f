"""Exact comparison of measure values, without false ties or false differences from rounding.

For good outcomes, the values of Copnori and similar measures are so close to 1 that they round to the same float. For
other measures, values that should be equal may differ in the last digit.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from presort.desk.scores.registry import MEASURES, OURS
from presort.desk.scores.table import MEASURED
from presort.metrics import Outcome
from presort.metrics.loss import loss_levels
from presort.metrics.natural_order import NOISE

Rows = NDArray[np.intp]
Signs = NDArray[np.int8]
Floats = NDArray[np.float64]

UNDEFINED = 2  # returned by `preferences` if a measure has no value for one of the two outcomes
# These measures are compared by exact losses, because the values of different good outcomes may round to one float.
EXACT = tuple(name for name in MEASURED if MEASURES[name].loss)

# Contains only built-in measures. A package may declare its own measures "strict", but that isn't tested.
STRICT = tuple(name for name in OURS if MEASURES[name].natural_order == "strict")


def signed_values(name: str, scores: pd.DataFrame) -> Floats:
    """Return a measure's values, negated if lower is better.

    Parameters
    ----------
    name : str
        One of `MEASURED`.
    scores : DataFrame
        Scores with a column for the measure.
    """
    return scores[name].to_numpy() * (1 if MEASURES[name].higher_is_better else -1)


def preferences(name: str, scores: pd.DataFrame, first: Rows, second: Rows) -> Signs:
    """For each pair of outcomes, return which one a measure prefers.

    Parameters
    ----------
    name : str
        A measure in `MEASURED` but not in `STRICT`. Strict measures are excluded because their distinct values can
        round to the same float.
    scores : DataFrame
        Scores with a column for the measure.
    first, second : array of int, shape (n_pairs,)
        0-based row numbers of the two outcomes in each pair.

    Returns
    -------
    array of int8, shape (n_pairs,)
        1 if the first outcome is preferred, -1 if the second is, 0 if neither is. A difference of at most 1e-12
        (relative for values above 1) may be a rounding error and is not a preference. `UNDEFINED` if a value is NaN.
    """
    values = signed_values(name, scores)
    ahead = values[first] - values[second]
    noise = NOISE * np.maximum(np.maximum(np.abs(values[first]), np.abs(values[second])), 1)
    signs = np.where(np.abs(ahead) > noise, np.sign(ahead), 0)
    return np.where(np.isnan(ahead), UNDEFINED, signs).astype(np.int8)


def levels(name: str, outcomes: Sequence[Outcome], values: Floats) -> list[int]:
    """Rank a measure's values from 0 upwards.

    A higher rank is better. Values that differ only because of rounding share a rank.

    Parameters
    ----------
    name : str
        One of `MEASURED`.
    outcomes : sequence of Outcome
        Outcomes with the same r and n. They are used only for measures in `STRICT`.
    values : array of shape (n_outcomes,)
        The measure's values, without NaN.

    Examples
    --------
    >>> levels("aselt", [], np.array([0.3, 0.1 + 0.2, -1.0]))
    [1, 1, 0]
    """
    if name in STRICT:
        below = loss_levels(name, outcomes)
        return [int(below.max()) - level for level in below.tolist()]
    sign = 1 if MEASURES[name].higher_is_better else -1
    order = np.argsort(sign * values)
    ascending = sign * values[order]
    is_new = np.diff(ascending, prepend=ascending[:1]) > NOISE * np.maximum(np.abs(ascending), 1)
    numbers = np.empty(len(values), dtype=int)
    numbers[order] = np.cumsum(is_new)
    return numbers.tolist()
