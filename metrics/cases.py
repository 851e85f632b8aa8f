"""Scores of systems on the same test cases: read, checked, and brought down to F.

The evaluation literature says *system* and *test case*; ours are a ranker version and a (report, issue) pair. Every
metric counts upwards: higher is better. A score that does not exist is NaN, and its case is left out for all systems,
so that all are judged by the same cases.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from presort.metrics.arguments import shown
from presort.metrics.batch import Floats, ratio
from presort.metrics.reliability import f_measure_each
from presort.metrics.score_tables import tables_by_system

# From the name of a system to an array of shape (n_cases, n_metrics), or as `tables_by_system` explains.
Scores = Mapping[str, ArrayLike]
LARGEST = 1e100  # of a score, either way from 0: squares of it, and sums of many, are still numbers


def number_table(name: str, values: ArrayLike, shape: str) -> Floats:
    """Read a two-dimensional array of numbers up to `LARGEST` and NaN. `shape` names the axes in error messages."""
    try:
        table = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must have the shape {shape}, got rows of different lengths") from error
    if table.ndim != 2:
        raise ValueError(f"{name} must have the shape {shape}, got {table.shape}")
    if table.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be numbers, got {table.dtype} {shown(table)}")
    largest = np.float64(LARGEST)  # of a type in which halves and whole numbers compare as well
    too_large = np.argwhere((table > largest) | (table < -largest))
    if too_large.size:
        row, column = too_large[0]
        raise ValueError(f"{name} must be from -1e100 to 1e100 or nan, got {table[row, column]} at [{row}, {column}]")
    return table.astype(np.float64)


def complete_cases(scores: Scores) -> tuple[Floats, int]:
    """Stack the systems' scores, shape (n_systems, n_cases, n_metrics), and count the cases left out for a NaN.

    The keys are the names to use in an error.
    """
    tables = {name: number_table(name, values, "(n_cases, n_metrics)") for name, values in scores.items()}
    first, shape = next((name, table.shape) for name, table in tables.items())
    if not shape[1]:
        raise ValueError(f"{first} must have at least one metric, got {shape}")
    for name, table in tables.items():
        if table.shape != shape:
            raise ValueError(f"{name} must have the shape {shape} of {first}, got {table.shape}")
    stacked = np.stack(list(tables.values()))
    is_complete = ~np.isnan(stacked).any(axis=(0, 2))
    return stacked[:, is_complete], int(np.count_nonzero(~is_complete))


def complete_systems(scores: Scores, name: str = "scores") -> tuple[list[str], Floats, int]:
    """Return the names of the systems, and the result of `complete_cases`."""
    if not isinstance(scores, Mapping) or not scores:
        raise ValueError(f"{name} must map at least one system name to its scores, got {shown(scores)}")
    scores = tables_by_system(name, scores)
    stacked, n_left_out = complete_cases({f"{name}[{system!r}]": values for system, values in scores.items()})
    return list(scores), stacked, n_left_out


def mean_f(stacked: Floats, alpha: float) -> Floats:
    """Average F per case, the harmonic mean of a case's metrics, for each system; `alpha` weighs the first of two.

    NaN where there is no case, or a metric is negative: F does not exist then.
    """
    n_systems, n_cases, n_metrics = stacked.shape
    if n_metrics != 2 and alpha != 0.5:
        raise ValueError(f"alpha must be 0.5 unless there are two metrics, got {shown(alpha)} and {n_metrics}")
    usable = np.where((stacked < 0).any(axis=2, keepdims=True), np.nan, stacked)
    each = f_measure_each(usable[..., 0], usable[..., 1], alpha) if n_metrics == 2 else _harmonic_mean(usable)
    return ratio(each.sum(axis=1), np.full(n_systems, n_cases))


def _harmonic_mean(stacked: Floats) -> Floats:
    lowest = stacked.min(axis=2)  # measured by it, no reciprocal can leave the range of doubles, as in SciPy's mean
    return np.where(lowest == 0, 0.0, ratio(lowest, ratio(lowest[..., np.newaxis], stacked).mean(axis=2)))
