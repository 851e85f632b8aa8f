"""Validate the scores of several systems on the same test cases, and compute each system's mean F.

In Presort, a *system* is a ranker version and a *test case* is a (report, issue) pair. Higher is better for every
metric. A missing score is NaN. A case with a missing score is dropped for all systems, so that all of them are
compared on the same cases.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from presort.metrics.arguments import short_repr
from presort.metrics.batch import Floats, ratio
from presort.metrics.lazy import pd
from presort.metrics.reliability import f_measure_each
from presort.metrics.score_tables import align_tables, tables_by_system

# Maps a system's name to an array of shape (n_cases, n_metrics). `tables_by_system` describes another accepted layout.
Scores = Mapping[str, ArrayLike]
NUMBERS = "biuf"  # kinds of dtypes: bool, signed and unsigned integers, floats
LARGEST = 1e100  # largest absolute score; squares and sums of many scores of this size don't overflow


def number_table(name: str, values: ArrayLike, shape: str) -> Floats:
    """Convert a table of numbers to a two-dimensional float array.

    Each number must be NaN or from -`LARGEST` to `LARGEST`. The columns of a DataFrame may have different numeric
    types, and missing values are converted to NaN. Raises ValueError if the table is invalid. `shape` names the two
    axes in error messages.
    """
    if isinstance(values, pd.DataFrame) and all(dtype.kind in NUMBERS for dtype in values.dtypes):
        values = values.to_numpy(dtype=np.float64, na_value=np.nan)
    try:
        table = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must have the shape {shape}, got rows of different lengths") from error
    if table.ndim != 2:
        raise ValueError(f"{name} must have the shape {shape}, got {table.shape}")
    if table.dtype.kind not in NUMBERS:
        raise ValueError(f"{name} must contain only numbers, got {table.dtype} {short_repr(table)}")
    largest = np.float64(LARGEST)  # a Python float would be cast to the type of the table and overflow in float16
    too_large = np.argwhere((table > largest) | (table < -largest))
    if too_large.size:
        row, column = too_large[0]
        raise ValueError(
            f"{name} must be between -1e100 and 1e100 or NaN, got {table[row, column]} at [{row}, {column}]"
        )
    return table.astype(np.float64)


def complete_cases(scores: Scores) -> tuple[Floats, int]:
    """Stack the scores of all systems and drop cases with NaN.

    Returns an array of shape (n_systems, n_cases, n_metrics) and the number of dropped cases. Error messages quote the
    keys of `scores`.
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


def complete_pair(a: ArrayLike, b: ArrayLike) -> tuple[Floats, int]:
    """Return the results of `complete_cases` for two systems. DataFrames are aligned by their rows and columns."""
    return complete_cases(align_tables("systems", {"a": a, "b": b}, columns="metrics"))


def complete_systems(scores: Scores, name: str = "scores") -> tuple[list[str], Floats, int]:
    """Return the names of the systems, followed by the results of `complete_cases`."""
    if not isinstance(scores, Mapping) or not scores:
        raise ValueError(f"{name} must map at least one system name to its scores, got {short_repr(scores)}")
    scores = tables_by_system(name, scores)
    stacked, n_left_out = complete_cases({f"{name}[{system!r}]": values for system, values in scores.items()})
    return list(scores), stacked, n_left_out


def mean_f(stacked: Floats, alpha: float) -> Floats:
    """Return each system's mean F over all cases. F is the harmonic mean of a case's metrics.

    If there are two metrics, `alpha` is the weight of the first. The mean is NaN if there are no cases, or if a metric
    is negative, because F is undefined then.
    """
    n_systems, n_cases, n_metrics = stacked.shape
    if n_metrics != 2 and alpha != 0.5:
        raise ValueError(
            f"alpha must be 0.5 unless there are two metrics, got {short_repr(alpha)} for {n_metrics} metrics"
        )
    usable = np.where((stacked < 0).any(axis=2, keepdims=True), np.nan, stacked)
    each = f_measure_each(usable[..., 0], usable[..., 1], alpha) if n_metrics == 2 else _harmonic_mean(usable)
    return ratio(each.sum(axis=1), np.full(n_systems, n_cases))


def _harmonic_mean(stacked: Floats) -> Floats:
    # The scores are divided by their minimum, because the reciprocal of a very small score would overflow.
    lowest = stacked.min(axis=2)
    return np.where(lowest == 0, 0.0, ratio(lowest, ratio(lowest[..., np.newaxis], stacked).mean(axis=2)))
