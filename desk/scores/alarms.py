"""Alerts for the director, with a bounded rate of false alarms.

Two alerts compare a report's newest issues with earlier ones (see `presort.desk.scores.shifts`). One is raised if the
report's last relevant papers are now deeper in its lists, the other if its editors now stop earlier. A third alert is
raised if nobody decides on the report's newest issues.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from itertools import pairwise

import numpy as np
import pandas as pd

from presort.data.records import Holiday
from presort.data.running.holidays import count_open_days
from presort.desk.scores.effort import reading_effort
from presort.desk.scores.shifts import NEW, OLD, Shift, shifts, split_by_window, windows
from presort.metrics.depth_ranks import depth_ranks
from presort.metrics.rank_sum import value_sum_p

# A report is silent if at least this many issues were skipped and the oldest of them is at least this many days old.
# The number of days matters for daily services, where an editor can skip three issues within a week.
MISSED, MISSED_DAYS = 3, 14


@dataclass(frozen=True, slots=True)
class EarlyStop(Shift):
    """Report whose editors stop earlier than before.

    Attributes
    ----------
    n_short_now, n_short_before : int
        Number of issues in which the editors stopped above the stop point, in the newest and in the earlier window.
    n_now, n_before : int
        Number of issues with stop advice in each window.
    """

    n_short_now: int
    n_now: int
    n_short_before: int
    n_before: int


@dataclass(frozen=True, slots=True)
class Silence:
    """Report that has no decisions on its newest `n_issues` issues. The first of these is dated `since`."""

    report: str
    since: date
    n_issues: int


def find_worse_reports(table: pd.DataFrame) -> list[Shift]:
    """Find reports whose last relevant papers are now deeper than before. Sorted by p-value, lowest first.

    The table has one ranking per report issue, with ``outcome``, ``n_relevant`` and ``relative_last_position``. The
    test adjusts for changes in the numbers of papers and relevant papers: see `depth_by_report`. `Shift.before` and
    `Shift.now` are the reading effort in the `NEW` issues before the newest `NEW` issues, and in the newest ones. These
    are also the figures on *Overview* and *My report*.
    """
    return find_worse_by_depth(add_depth(table))


def find_worse_by_depth(tested: pd.DataFrame) -> list[Shift]:
    """Find the same reports as `find_worse_reports`, but start from a table returned by `add_depth`."""
    new, old = windows(tested)
    found = []
    for one in shifts(tested, towards="higher", p_value=value_sum_p):
        mine = tested[tested["report"] == one.report]
        before, now = (reading_effort(mine[mine["issue"].isin(days)]) for days in (old[-NEW:], new))
        found.append(replace(one, before=before, now=now))
    return found


def add_depth(table: pd.DataFrame) -> pd.DataFrame:
    """Add the column ``value`` that `find_worse_reports` tests.

    It contains the result of `depth_by_report` for the issues that `windows` returns, and NaN for older issues.
    """
    tested = [day for part in windows(table) for day in part]
    recent = table.reset_index(drop=True)
    value = depth_by_report(recent[recent["issue"].isin(tested)]).reindex(recent.index)
    return table.assign(value=value.to_numpy(dtype=float))


def depth_by_report(table: pd.DataFrame) -> "pd.Series[float]":
    """Return the depth of each last relevant paper as a rank from 0 to 1 among the issues of its report.

    See `presort.metrics.depth_ranks`. If nothing has changed, the expected rank is the same for all issues, no matter
    how many papers are listed or relevant. The relative last position depends on both numbers: with twice as many
    relevant papers, the last one is deeper in any order.
    """
    outcomes, ranks = table["outcome"].to_list(), np.full(len(table), np.nan)
    for indices in table.groupby("report").indices.values():
        rows = np.asarray(indices)
        ranks[rows] = depth_ranks([outcomes[row] for row in rows.tolist()])
    return pd.Series(ranks, table.index)


def find_early_stops(work: pd.DataFrame) -> list[EarlyStop]:
    """Find reports whose editors now read a smaller share of the papers above the stop point than before.

    The result is sorted by p-value, lowest first. `Shift.before` and `Shift.now` are median shares from 0 to 1.
    """
    tested, found = add_share_read(work), []
    for one in shifts(tested, towards="lower"):
        now, before = (rows["value"] for rows in split_by_window(tested, one.report))
        found.append(
            EarlyStop(
                **asdict(one),
                n_short_now=int(np.count_nonzero(now < 1)),
                n_now=len(now),
                n_short_before=int(np.count_nonzero(before < 1)),
                n_before=len(before),
            )
        )
    return found


def add_share_read(work: pd.DataFrame) -> pd.DataFrame:
    """Add the column ``value`` that `find_early_stops` tests: the share read of the papers above the stop point."""
    return work.assign(value=work["way_to_stop"])


def find_silences(
    decided: Mapping[str, Sequence[date]],
    issues: Sequence[date],
    *,
    today: date,
    holidays: Sequence[Holiday] = (),
    since: Mapping[str, date] | None = None,
) -> list[Silence]:
    """Find reports that have now gone longer without decisions than at any time in the 52 issues before.

    Each report is compared with its own longest gap, because imported history doesn't distinguish an issue without
    relevant papers from one that nobody read. Reports without any decisions are not returned. Issues dated after today
    are ignored.

    Parameters
    ----------
    decided : mapping from str to sequence of date
        For each report, the issues with decisions, oldest first.
    issues : sequence of date
        All issues, oldest first.
    today : date
        Issues after this date are ignored.
    holidays : sequence of Holiday
        Days of a holiday don't count towards `MISSED_DAYS`, and issues dated on a holiday don't count as skipped.
    since : mapping from str to date, optional
        For each report, the first issue that can count as skipped.

    Returns
    -------
    list of Silence
        Sorted by start, earliest first.

    Examples
    --------
    >>> weeks = [date(2026, 11, day) for day in (2, 9, 16, 23)]
    >>> find_silences({"lab": weeks[:1], "mac": weeks[:2]}, weeks, today=weeks[3])
    [Silence(report='lab', since=datetime.date(2026, 11, 9), n_issues=3)]
    >>> find_silences({"lab": weeks[:1]}, weeks, today=weeks[3], holidays=[Holiday(weeks[1], weeks[1])])
    []
    """
    known = {day for day in issues if day <= today}
    expected = sorted(day for day in known if not any(one.first <= day <= one.last for one in holidays))
    found = []
    for report, days in decided.items():
        mine = [day for day in days if day in known]
        if not mine:
            continue
        first = max(bisect_right(expected, mine[-1]), bisect_left(expected, (since or {}).get(report, date.min)))
        missed = expected[first:]
        longest = _longest_silence(expected, mine)
        if len(missed) >= max(MISSED, longest + 1) and count_open_days(holidays, missed[0], today) >= MISSED_DAYS:
            found.append(Silence(report, missed[0], len(missed)))
    return sorted(found, key=lambda one: (one.since, one.report))


def _longest_silence(expected: Sequence[date], mine: Sequence[date]) -> int:
    """Return the largest number of consecutive skipped issues between two issues with decisions.

    Only the 52 issues up to the report's newest issue with decisions are searched.
    """
    begins = bisect_right(expected, mine[-1]) - 1 - NEW - OLD
    recent = mine if begins < 0 else mine[bisect_left(mine, expected[begins]) :]
    gaps = (bisect_left(expected, later) - bisect_right(expected, earlier) for earlier, later in pairwise(recent))
    return max(gaps, default=0)
