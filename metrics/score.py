"""Measures of many outcomes at once."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from presort.metrics.arguments import array_of, is_number, shown
from presort.metrics.batch import Batch, Floats
from presort.metrics.measure import Measure
from presort.metrics.outcome import Outcome, outcome_list
from presort.metrics.registry import MEASURES

AT_ONCE = 2000  # outcomes; their arrays then stay in the processor's cache
WHY = "; for those of the ranker's scores call compute(scores, relevant)"

AnyMeasure = str | Measure | Callable[[Outcome], float]
Column = Callable[[Batch, Sequence[Outcome]], Floats]


def score(outcomes: Iterable[Outcome], measures: Iterable[AnyMeasure] | None = None) -> pd.DataFrame:
    """Measure many outcomes at once; they may differ in r and n.

    Parameters
    ----------
    outcomes : iterable of Outcome, length n_outcomes
        One for each ranking to be measured.
    measures : iterable of str, Measure or callable, optional
        Names from `MEASURES`; other measures that need only the outcome; or functions from an Outcome to a number, NaN
        where undefined, which name the columns. Defaults to all of `MEASURES` that need only the outcome.

    Returns
    -------
    DataFrame, shape (n_outcomes, n_measures)
        A row an outcome, in the order given, and a float64 column a measure; NaN where the measure is undefined.

    Raises
    ------
    ValueError
        If measures are no list of these, one of them needs the ranker's scores, a function has no name, two have the
        same, or one returns what is no number, or infinite. What it raises itself is not caught.

    Examples
    --------
    >>> score([Outcome([1, 2], n=5), Outcome([1, 4], n=5)], ["search_length", "nosel"])
       search_length  nosel
    0            0.0    1.0
    1            2.0    0.0

    >>> def first_position(outcome):
    ...     return outcome.positions[0] if outcome.r else float("nan")
    >>> score([Outcome([2, 3], n=5), Outcome([], n=5)], ["nosel", first_position])
       nosel  first_position
    0    0.5             2.0
    1    NaN             NaN
    """
    chosen, outcomes = _chosen(measures), outcome_list(outcomes)
    values = np.empty((len(chosen), len(outcomes)))
    for start in range(0, len(outcomes), AT_ONCE):
        some = outcomes[start : start + AT_ONCE]
        batch = Batch.of(some)
        for row, (name, column) in zip(values, chosen.items(), strict=True):
            row[start : start + AT_ONCE] = checked_values(name, column(batch, some), len(some))
    return pd.DataFrame(dict(zip(chosen, values, strict=True)), index=pd.RangeIndex(len(outcomes)), dtype=float)


def checked_value(name: str, value: object) -> float:
    """Return the value of the named measure as a float. Raises ValueError if it is infinite or no number."""
    if not (isinstance(value, bool | np.bool_) or is_number(value)) or np.isinf(float(value)):
        raise ValueError(f"{name} must return a finite number, or NaN where undefined; it returned {shown(value)}")
    return float(value)


def checked_values(name: str, values: object, n: int) -> Floats:
    """Return the values of the named measure for n outcomes as floats. Raises ValueError if they aren't n numbers."""
    rule = f"{n:,} finite numbers for {n:,} outcomes, or NaN where undefined"
    array = array_of(f"what {name} returns", rule, values)
    if array.shape != (n,) or array.dtype.kind not in "biuf" or np.isinf(array).any():
        raise ValueError(f"{name} must return {rule}; it returned {shown(values)}, of shape {array.shape}")
    return array.astype(np.float64, copy=False)


def _chosen(measures: Iterable[AnyMeasure] | None) -> dict[str, Column]:
    if measures is None:
        measures = [measure for measure in MEASURES.values() if measure.needs == "outcome"]
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        raise ValueError(f"measures must be a list of names, measures and functions, got {shown(measures)}")
    chosen: dict[str, Column] = {}
    for name, column in map(_column_of, _known(list(measures))):
        if name in chosen:
            raise ValueError(f"measures must have a name each, got {name!r} twice")
        chosen[name] = column
    return chosen


def _known(measures: Sequence[AnyMeasure]) -> Sequence[Measure | Callable[[Outcome], float]]:
    """Look up a name."""
    known = [name for name, measure in MEASURES.items() if measure.needs == "outcome"]
    if unknown := [each for each in measures if isinstance(each, str) and each not in known]:
        why = WHY if unknown[0] in MEASURES else ""
        raise ValueError(f"measures must be among {', '.join(known)}, got {', '.join(map(repr, unknown))}{why}")
    return [MEASURES[each] if isinstance(each, str) else each for each in measures]


def _column_of(measure: Measure | Callable[[Outcome], float]) -> tuple[str, Column]:
    """Return a name, and the function that measures the outcomes of a batch."""
    if isinstance(measure, Measure):
        if measure.needs == "scores":
            raise ValueError(f"measures must need the outcome only, got {measure.name!r}{WHY}")
        if compute_each := measure.compute_each:
            return measure.name, lambda batch, _: batch.once(compute_each)
        return measure.name, _each(measure.name, measure.compute)
    if not callable(measure):
        raise ValueError(f"measures must be names, Measure objects or functions, got {shown(measure)}")
    name = getattr(measure, "__name__", "")
    if not name.isidentifier():  # so is that of no lambda
        raise ValueError(f"measures must have a name: write a function by def, or a Measure; got {shown(measure)}")
    return name, _each(name, measure)


def _each(name: str, compute: Callable[[Outcome], float]) -> Column:
    return lambda _, outcomes: np.array([checked_value(name, compute(each)) for each in outcomes], dtype=float)
