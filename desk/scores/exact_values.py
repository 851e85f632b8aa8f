"""Exact comparison of measures' values, without false ties or false differences from rounding.

Copnori and similar measures are so near to 1 for good outcomes that floats are equal. For other measures, floats that
should be equal may differ in the last digit.
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

UNDEFINED = 2  # in addition to the signs of `preferences`
EXACT = tuple(name for name in MEASURED if MEASURES[name].loss)  # so near to 1 for good outcomes that floats are equal

# Measures of packages may claim it, but only ours are tested for it.
STRICT = tuple(name for name in OURS if MEASURES[name].natural_order == "strict")


def upwards(name: str, scores: pd.DataFrame) -> Floats:
    """Return the values of a measure, with a minus sign if lower is better.

    Parameters
    ----------
    name : str
        One of `MEASURED`.
    scores : DataFrame
        With a column of that name.
    """
    return scores[name].to_numpy() * (1 if MEASURES[name].higher_is_better else -1)


def preferences(name: str, scores: pd.DataFrame, first: Rows, second: Rows) -> Signs:
    """Return which of two outcomes a measure prefers, for many pairs.

    Parameters
    ----------
    name : str
        One of `MEASURED`, but none of `STRICT`, because equal floats of these may represent different values.
    scores : DataFrame
        With a column of that name.
    first, second : array of int, shape (n_pairs,)
        Rows of the two outcomes of each pair, from 0.

    Returns
    -------
    array of int8, shape (n_pairs,)
        1 for the first, -1 for the second, 0 for no preference: the values differ by at most 1e-12, or that share of a
        value above 1, which is rounding. `UNDEFINED` if a value is NaN.
    """
    values = upwards(name, scores)
    ahead = values[first] - values[second]
    noise = NOISE * np.maximum(np.maximum(np.abs(values[first]), np.abs(values[second])), 1)
    signs = np.where(np.abs(ahead) > noise, np.sign(ahead), 0)
    return np.where(np.isnan(ahead), UNDEFINED, signs).astype(np.int8)


def levels(name: str, outcomes: Sequence[Outcome], values: Floats) -> list[int]:
    """Rank the values of a measure, higher is better; those that are equal but for rounding share a number.

    Parameters
    ----------
    name : str
        One of `MEASURED`.
    outcomes : sequence of Outcome
        Those measured, all of the same r and n.
    values : array of shape (n_outcomes,)
        Their values, none NaN.

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
