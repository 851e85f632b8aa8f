"""Registry of measures: built-in measures, followed by those from installed packages.

A package's measure may fail in any call. Its value is then NaN, and `problems` reports each measure's first error. If
the call computes the values of many outcomes at once, all of these values are NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from presort import metrics
from presort.metrics import Batch, Measure, Outcome, installed_measures
from presort.metrics.batch import Floats
from presort.metrics.lazy import pd
from presort.metrics.measure import check_ignores_tail
from presort.metrics.plugins import format_in_one_line
from presort.metrics.score import outcome_values, validate_value, validate_values

TAKEN = {  # a package's measure can't have these names, because tables of measures use them for other columns
    *("ranking_id", "report", "issue", "ranker", "replay", "condition", "was_shown", "is_trained", "was_read_whole"),
    "source",
    *("n_papers", "n_relevant", "outcome"),
    *("day", "shown", "drawn", "measure", "natural_order", "topic", "system", "n_topics"),
    *("mean_f", "improves", "reference", "reference_uir", "n_cases", "n_left_out"),
}

Value = TypeVar("Value")
_failed: dict[str, str] = {}


def problems() -> list[str]:
    """Return a one-line message with the reason for each plugin measure that could not be loaded or has failed."""
    taken = [
        f"Measure {name} was skipped because its name is reserved for a column"
        for name in _installed()
        if name in TAKEN
    ]
    return [*installed_measures().problems, *taken, *_failed.values()]


def score(outcomes: Iterable[Outcome], names: Sequence[str] | None = None) -> pd.DataFrame:
    """Score many outcomes like `metrics.score`. `names` defaults to every measure that needs only the outcome."""
    outcomes = list(outcomes)
    chosen = [name for name, measure in MEASURES.items() if measure.needs == "outcome"] if names is None else names
    return pd.DataFrame(measured_values(outcomes, chosen), index=pd.RangeIndex(len(outcomes)), dtype=float)


def measured_values(outcomes: Sequence[Outcome], names: Sequence[str]) -> dict[str, Floats]:
    """Return the values of each measure, in the order of the outcomes."""
    found = outcome_values(outcomes, [name for name in names if name in metrics.MEASURES])
    found |= {name: _column(_installed()[name], outcomes) for name in names if name not in metrics.MEASURES}
    return {name: found[name] for name in names}


def _installed() -> dict[str, Measure]:
    return installed_measures().measures


def _column(measure: Measure, outcomes: Sequence[Outcome]) -> Floats:
    blank = np.full(len(outcomes), math.nan)
    return _attempt(measure, lambda: outcome_values(outcomes, [measure])[measure.name], blank)


def _attempt(measure: Measure, call: Callable[[], Value], blank: Value) -> Value:
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - third-party code may raise any exception
        _failed.setdefault(measure.name, f"{measure.label} failed and has missing values: {format_in_one_line(error)}")
        return blank


def _guard_measure(measure: Measure) -> Measure:
    """Wrap a measure so that it returns NaN if it raises an error or returns an invalid value.

    `Measure.loss` is removed, because pages and commands rely on the loss being consistent with the value, which can't
    be checked.
    """
    name, each = measure.name, measure.compute_each

    def compute(*judged: object, **named: object) -> float:
        return _attempt(measure, lambda: validate_value(name, measure.compute(*judged, **named)), math.nan)

    if each is None:
        return replace(measure, compute=compute, loss=None)

    def values(batch: Batch) -> Floats:
        found = validate_values(name, each(batch), len(batch.r))
        check_ignores_tail(name, each, batch, found)
        return found

    def compute_each(batch: Batch) -> Floats:
        return _attempt(measure, lambda: values(batch), np.full(len(batch.r), math.nan))

    return replace(measure, compute=compute, compute_each=compute_each, loss=None)


MEASURES: dict[str, Measure] = metrics.MEASURES | {
    name: _guard_measure(measure) for name, measure in _installed().items() if name not in TAKEN
}
OURS = tuple(name for name, measure in metrics.MEASURES.items() if measure.needs == "outcome")
