"""Axis ticks on issue dates. Vega's default ticks, at the start of a month or week, rarely fall on issue dates."""

from collections.abc import Iterable

import pandas as pd

MOST = 6  # maximum number of ticks on an axis
FORMAT = "%Y-%m-%d"


def issue_ticks(issues: Iterable[pd.Timestamp]) -> list[dict[str, int]]:
    """Return the dates of evenly spaced issues in Vega-Lite's format. The newest issue is included.

    Examples
    --------
    >>> issue_ticks(pd.date_range("2026-11-02", periods=3, freq="7D"))[-1]
    {'year': 2026, 'month': 11, 'date': 16}
    >>> [day["date"] for day in issue_ticks(pd.date_range("2026-08-03", periods=16, freq="7D"))]
    [3, 24, 14, 5, 26, 16]
    """
    days = sorted(set(issues))
    step = -(-len(days) // MOST) or 1
    return [{"year": day.year, "month": day.month, "date": day.day} for day in days[::-1][::step][::-1]]
