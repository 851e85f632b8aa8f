"""Shifts of a value between each report's earlier issues and its newest ones.

A rank test compares the newest values with the earlier ones. The p-values of all reports are corrected together, so the
false-alarm rate does not grow with the number of reports.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control

from presort.metrics.batch import Floats
from presort.metrics.rank_sum import rank_sum_p

NEW, OLD = 13, 39  # numbers of newest and earlier issues: a quarter and three quarters of a year of weekly issues
FEWEST_NEW, FEWEST_OLD = 5, 13  # minimum numbers of issues with a value: with fewer, no test can be significant
# False discovery rate of each kind of alert. If nothing changes, it is also the maximum probability of any alert. It is
# set below 5 %, because the depth test's error rate is up to 1 point higher if the lengths of issues vary.
LEVEL = 0.035


@dataclass(frozen=True, slots=True)
class Shift:
    """Report whose newest issues differ significantly from its earlier ones.

    Attributes
    ----------
    report : str
        Report code.
    since : date
        Date of the first of the newest `NEW` issues.
    before, now : float
        Medians of the tested value over the earlier issues and over the newest issues.
    chance : float
        p-value, corrected for the number of reports.
    """

    report: str
    since: date
    before: float
    now: float
    chance: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """Extent to which reports have enough data for a test. If `n_tested` is 0, the absence of alerts means nothing.

    Attributes
    ----------
    n_reports, n_tested : int
        Number of all reports, and number of reports with enough issues for a test.
    n_new, n_old : int
        Numbers of issues with a value in the newest and in the earlier window, for the report that comes closest to
        `FEWEST_NEW` and `FEWEST_OLD`.
    """

    n_reports: int
    n_tested: int
    n_new: int
    n_old: int


def shifts(
    table: pd.DataFrame,
    *,
    towards: Literal["higher", "lower"],
    p_value: Callable[[Floats, Floats], float] = rank_sum_p,
) -> list[Shift]:
    """Find reports whose values are significantly higher, or lower, in their newest issues than in earlier ones.

    Parameters
    ----------
    table : DataFrame
        Columns ``report``, ``issue`` and ``value`` (NaN if missing), one row per report issue.
    towards : "higher" or "lower"
        Direction of the change.
    p_value : callable of two arrays
        One-sided test of whether the values in the first array are larger. Defaults to the rank test.

    Returns
    -------
    list of Shift
        Lowest p-value first.

    Notes
    -----
    An exact rank test is used, because many values may be tied. P-values are corrected over all reports that have
    enough issues, by the method of Benjamini and Hochberg. If nothing has changed, the probability that any report is
    returned is at most `LEVEL`.

    References
    ----------
    `presort.metrics.rank_sum`; Benjamini and Hochberg, Journal of the Royal Statistical Society B 57, 1995.
    """
    return [one for one in every_shift(table, towards=towards, p_value=p_value) if one.chance <= LEVEL]


def every_shift(
    table: pd.DataFrame,
    *,
    towards: Literal["higher", "lower"],
    p_value: Callable[[Floats, Floats], float] = rank_sum_p,
) -> list[Shift]:
    """Run the test of `shifts` for every report with enough issues. Returns all results, lowest p-value first."""
    new, _ = windows(table)
    pairs = {report: both for report, both in _samples(table).items() if _is_enough(*map(len, both))}
    if not pairs:
        return []
    up = 1 if towards == "higher" else -1
    chances = false_discovery_control([p_value(up * now, up * before) for now, before in pairs.values()])
    found = [
        Shift(report, min(new).date(), float(np.median(before)), float(np.median(now)), float(chance))
        for (report, (now, before)), chance in zip(pairs.items(), chances, strict=True)
    ]
    return sorted(found, key=lambda one: (one.chance, one.report))


def has_shifted_since(
    table: pd.DataFrame,
    report: str,
    up_to: date,
    *,
    towards: Literal["higher", "lower"],
    p_value: Callable[[Floats, Floats], float] = rank_sum_p,
) -> bool:
    """Return True if a report has shifted again since an alert was acknowledged.

    Parameters
    ----------
    table, towards, p_value
        See `shifts`.
    report : str
        Report code.
    up_to : date
        Last issue covered by the earlier alert.

    Returns
    -------
    bool
        True if the issues after `up_to` (at least `FEWEST_NEW`) differ significantly from the `NEW` issues up to it,
        which already include the earlier shift. Also True if all of the newest issues are later than `up_to`.
    """
    rows = table[(table["report"] == report) & table["value"].notna()].sort_values("issue")
    is_later = rows["issue"] > pd.Timestamp(up_to)
    new, _ = windows(table)
    if new and new[0] > pd.Timestamp(up_to):
        return True
    now, before = rows.loc[is_later, "value"].tail(NEW), rows.loc[~is_later, "value"].tail(NEW)
    if min(len(now), len(before)) < FEWEST_NEW:
        return False
    up = 1 if towards == "higher" else -1
    return p_value(up * now.to_numpy(dtype=float), up * before.to_numpy(dtype=float)) <= LEVEL


def n_values(table: pd.DataFrame, reports: Sequence[str]) -> dict[str, tuple[int, int]]:
    """For each report, count the issues with a value in the newest and in the earlier window.

    A test needs at least `FEWEST_NEW` and `FEWEST_OLD` of them.
    """
    samples = _samples(table)
    return {report: tuple(map(len, samples.get(report, ((), ())))) for report in reports}  # type: ignore[misc]


def count_testable(table: pd.DataFrame, reports: Sequence[str]) -> Coverage:
    """Count the reports that `shifts` can test.

    Reports that are not in the table are treated as having no values.
    """
    sizes = list(n_values(table, reports).values())
    nearest = max(sizes, key=lambda n: (min(n[1], FEWEST_OLD), min(n[0], FEWEST_NEW)), default=(0, 0))
    return Coverage(len(reports), sum(_is_enough(*n) for n in sizes), *nearest)


def windows(table: pd.DataFrame) -> tuple[list[pd.Timestamp], list[pd.Timestamp]]:
    """Return the newest `NEW` issues of a table and the `OLD` issues before them."""
    days = sorted(table["issue"].unique())
    return days[-NEW:], days[-NEW - OLD : -NEW]


def newest_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a table of scores for the newest `NEW` + `OLD` issues, which the pages show."""
    newest = sorted(table["issue"].unique())[-NEW - OLD :]
    return table[table["issue"].isin(newest)]


def split_by_window(table: pd.DataFrame, report: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a report's rows that have a value, separately for the newest and the earlier window."""
    rows = table[(table["report"] == report) & table["value"].notna()]
    new, old = windows(table)
    return rows[rows["issue"].isin(new)], rows[rows["issue"].isin(old)]


def _samples(table: pd.DataFrame) -> dict[str, tuple[Floats, Floats]]:
    """Return each report's values in the newest and in the earlier window."""
    known = table.dropna(subset="value")
    values = known["value"].to_numpy(dtype=float)
    is_new, is_old = (known["issue"].isin(days).to_numpy() for days in windows(table))
    rows = known.groupby("report").indices  # one pass, because looking up the dates for each report is slow
    return {str(report): (values[at][is_new[at]], values[at][is_old[at]]) for report, at in rows.items()}


def _is_enough(n_new: int, n_old: int) -> bool:
    return n_new >= FEWEST_NEW and n_old >= FEWEST_OLD
