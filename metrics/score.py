"""Measures of many outcomes at once."""

from collections.abc import Iterable, Sequence

import pandas as pd

from metrics.batch import Batch
from metrics.measure import Measure
from metrics.outcome import Outcome
from metrics.registry import MEASURES


def score(outcomes: Iterable[Outcome], measures: Sequence[str] | None = None) -> pd.DataFrame:
    """Measure many outcomes at once; they may differ in r and n.

    Parameters
    ----------
    outcomes : iterable of Outcome, length n_outcomes
        One for each ranking to be measured.
    measures : sequence of str, optional
        Names from `MEASURES`; all of them unless told.

    Returns
    -------
    DataFrame, shape (n_outcomes, n_measures)
        A row an outcome, in the order given, and a float64 column a measure; NaN where the measure is undefined.

    Raises
    ------
    ValueError
        If a name is not in `MEASURES`.

    Examples
    --------
    >>> score([Outcome([1, 2], n=5), Outcome([1, 4], n=5)], ["search_length", "nosel"])
       search_length  nosel
    0            0.0    1.0
    1            2.0    0.0
    """
    chosen = _chosen(MEASURES if measures is None else measures)
    batch = Batch.of(list(outcomes))
    columns = {measure.name: measure.compute_each(batch) for measure in chosen}
    return pd.DataFrame(columns, index=pd.RangeIndex(batch.r.size), dtype=float)


def _chosen(names: Iterable[str]) -> list[Measure]:
    names = list(names)
    unknown = [name for name in names if name not in MEASURES]
    if unknown:
        raise ValueError(f"measures must be among {', '.join(MEASURES)}, got {', '.join(map(repr, unknown))}")
    return [MEASURES[name] for name in names]
