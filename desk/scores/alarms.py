"""Alerts for the director, with a bounded rate of false alarms.

A rank test compares the newest issues of each report with its earlier ones. The p-values of all reports are corrected
together, so the false-alarm rate does not grow with the number of reports.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from itertools import pairwise
from typing import Literal

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control

from presort.data.records import Holiday
from presort.data.running.holidays import days_open
from presort.metrics.batch import Floats
from presort.metrics.depth_ranks import depth_ranks
from presort.metrics.rank_sum import rank_sum_p, value_sum_p

NEW, OLD = 13, 39  # issues: the newest quarter and the three quarters before it; together they make a year
FEWEST_NEW, FEWEST_OLD = 5, 13  # issues with a value needed in each window; with fewer, no test can be significant
# False discovery rate of each kind of alert, which also bounds the probability of any alert while nothing changes.
# Below 5 % because issues of different lengths vary more, which adds up to 1 point to the depth test's error rate.
LEVEL = 0.035
# A report is silent after this many skipped issues, if the oldest is at least this many days old. The days matter in
# daily services, where three issues pass within a week.
MISSED, MISSED_DAYS = 3, 14


@dataclass(frozen=True, slots=True)
class Shift:
    """Report whose newest issues differ significantly from its earlier ones.

    Attributes
    ----------
    report : str
        Report code.
    since : date
        The first of the newest `NEW` issues.
    before, now : float
        Medians of the tested value, before `since` and from `since` on.
    chance : float
        p-value, corrected for the number of reports.
    """

    report: str
    since: date
    before: float
    now: float
    chance: float


@dataclass(frozen=True, slots=True)
class Worse(Shift):
    """Report whose last relevant paper is now deeper in the list than before.

    Attributes
    ----------
    n_relevant_before, n_relevant_now : float
        Median numbers of relevant papers per issue. Shown because the relative last position, whose medians are
        `before` and `now`, grows with them.
    """

    n_relevant_before: float
    n_relevant_now: float


@dataclass(frozen=True, slots=True)
class Early(Shift):
    """Report whose editors stop earlier than before.

    Attributes
    ----------
    n_short_now, n_short_before : int
        Issues in which the editors stopped above the stop point, in the newest and in the earlier window.
    n_now, n_before : int
        Issues with stop advice in each window.
    """

    n_short_now: int
    n_now: int
    n_short_before: int
    n_before: int


@dataclass(frozen=True, slots=True)
class Silence:
    """Report without decisions on its newest `n_issues` issues, the first of which is dated `since`."""

    report: str
    since: date
    n_issues: int


@dataclass(frozen=True, slots=True)
class Known:
    """Number of reports that have enough data for a test. If it is 0, the absence of alerts means nothing.

    Attributes
    ----------
    n_reports, n_tested : int
        All reports, and those with enough issues for a test.
    n_new, n_old : int
        Issues with a value in the newest and in the earlier window, for the report that is closest to having
        `FEWEST_NEW` and `FEWEST_OLD`.
    """

    n_reports: int
    n_tested: int
    n_new: int
    n_old: int


def worse(table: pd.DataFrame) -> list[Worse]:
    """Find reports whose last relevant paper is now deeper than before, lowest p-value first.

    The table has one ranking per report issue, with ``outcome``, ``n_relevant`` and ``relative_last_position``. The
    test adjusts for changing numbers of papers and relevant papers: see `depth_by_report`.
    """
    return worse_by_depth(depth(table))


def worse_by_depth(tested: pd.DataFrame) -> list[Worse]:
    """Find the same reports as `worse`, given a table that `depth` returned."""
    found = []
    for one in shifts(tested, towards="higher", p_value=value_sum_p):
        both = _now_and_before(tested, one.report)
        now, before = (rows[["relative_last_position", "n_relevant"]].median() for rows in both)
        medians = {"before": before["relative_last_position"], "now": now["relative_last_position"]}
        sizes = {"n_relevant_before": before["n_relevant"], "n_relevant_now": now["n_relevant"]}
        found.append(Worse(**asdict(one) | {name: float(each) for name, each in (medians | sizes).items()}))
    return found


def depth(table: pd.DataFrame) -> pd.DataFrame:
    """Add the column ``value`` that `worse` tests: the depth within the issues of `windows`, NaN for older issues."""
    year = [day for part in windows(table) for day in part]
    recent = table.reset_index(drop=True)
    value = depth_by_report(recent[recent["issue"].isin(year)]).reindex(recent.index)
    return table.assign(value=value.to_numpy(dtype=float))


def depth_by_report(table: pd.DataFrame) -> "pd.Series[float]":
    """Return the depth of each last relevant paper as a rank among the issues of its report, 0 to 1.

    See `presort.metrics.depth_ranks`. If nothing changed, the expected rank is the same in all issues, no matter how
    many papers are listed or relevant. The relative last position depends on both numbers: with twice as many relevant
    papers, the last one is deeper in any order.
    """
    outcomes, ranks = table["outcome"].to_list(), np.full(len(table), np.nan)
    for indices in table.groupby("report").indices.values():
        rows = np.asarray(indices)
        ranks[rows] = depth_ranks([outcomes[row] for row in rows.tolist()])
    return pd.Series(ranks, table.index)


def stops_early(work: pd.DataFrame) -> list[Early]:
    """Find reports whose editors read a smaller share of the papers above the stop point, lowest p-value first.

    `Shift.before` and `Shift.now` are median shares, 0 to 1.
    """
    tested, found = part_read(work), []
    for one in shifts(tested, towards="lower"):
        now, before = (rows["value"] for rows in _now_and_before(tested, one.report))
        found.append(
            Early(
                **asdict(one),
                n_short_now=int(np.count_nonzero(now < 1)),
                n_now=len(now),
                n_short_before=int(np.count_nonzero(before < 1)),
                n_before=len(before),
            )
        )
    return found


def part_read(work: pd.DataFrame) -> pd.DataFrame:
    """Add the column ``value`` that `stops_early` tests: the share of the papers above the stop point that was read."""
    return work.assign(value=work["way_to_stop"])


def silent(
    decided: Mapping[str, Sequence[date]],
    issues: Sequence[date],
    *,
    today: date,
    holidays: Sequence[Holiday] = (),
    since: Mapping[str, date] | None = None,
) -> list[Silence]:
    """Find reports without decisions on the newest issues, for longer than in any gap of the year before.

    The report's own longest gap is the yardstick because imported history doesn't distinguish an issue without relevant
    papers from one that nobody read. Reports without any decision are not returned. Issues dated after today don't
    count.

    Parameters
    ----------
    decided : mapping from str to sequence of date
        Issues with decisions of each report, oldest first.
    issues : sequence of date
        All issues, oldest first.
    today : date
        Date up to which issues count.
    holidays : sequence of Holiday
        Holiday dates don't count as days, and issues dated on a holiday don't count as skipped.
    since : mapping from str to date, optional
        First issue for which each report can be late. Earlier issues don't count.

    Returns
    -------
    list of Silence
        Earliest start first.

    Examples
    --------
    >>> weeks = [date(2026, 11, day) for day in (2, 9, 16, 23)]
    >>> silent({"lab": weeks[:1], "mac": weeks[:2]}, weeks, today=weeks[3])
    [Silence(report='lab', since=datetime.date(2026, 11, 9), n_issues=3)]
    >>> silent({"lab": weeks[:1]}, weeks, today=weeks[3], holidays=[Holiday(weeks[1], weeks[1])])
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
        if len(missed) >= max(MISSED, longest + 1) and days_open(holidays, missed[0], today) >= MISSED_DAYS:
            found.append(Silence(report, missed[0], len(missed)))
    return sorted(found, key=lambda one: (one.since, one.report))


def _longest_silence(expected: Sequence[date], mine: Sequence[date]) -> int:
    """Return the longest run of expected issues between two issues with decisions, in the report's last year."""
    begins = bisect_right(expected, mine[-1]) - 1 - NEW - OLD
    year = mine if begins < 0 else mine[bisect_left(mine, expected[begins]) :]
    gaps = (bisect_left(expected, later) - bisect_right(expected, earlier) for earlier, later in pairwise(year))
    return max(gaps, default=0)


def shifts(
    table: pd.DataFrame,
    *,
    towards: Literal["higher", "lower"],
    p_value: Callable[[Floats, Floats], float] = rank_sum_p,
) -> list[Shift]:
    """Find reports whose values in the newest issues are significantly higher, or lower, than in earlier issues.

    Parameters
    ----------
    table : DataFrame
        Columns ``report``, ``issue`` and ``value`` (NaN if missing), one row per report issue.
    towards : "higher" or "lower"
        Direction of the change.
    p_value : callable of two arrays
        One-sided test that the values of the first array are larger. Defaults to the rank test.

    Returns
    -------
    list of Shift
        Lowest p-value first.

    Notes
    -----
    The rank test is exact because many values may be tied. P-values are corrected over all reports with enough issues
    by Benjamini and Hochberg's method. If nothing changed, the probability of any result is at most `LEVEL`.

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
    """Run the test of `shifts` for every report with enough issues and return all results, lowest p-value first."""
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


def is_renewed(
    table: pd.DataFrame,
    report: str,
    up_to: date,
    *,
    towards: Literal["higher", "lower"],
    p_value: Callable[[Floats, Floats], float] = rank_sum_p,
) -> bool:
    """Return True if a report has shifted again since an alert that was acknowledged.

    Parameters
    ----------
    table, towards, p_value
        As for `shifts`.
    report : str
        Report code.
    up_to : date
        Last issue that the earlier alert covered.

    Returns
    -------
    bool
        True if the issues after `up_to` (at least `FEWEST_NEW`) differ significantly from the `NEW` issues up to it,
        which already include the earlier shift. Also True if all of the newest issues are after `up_to`.
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
    """Count each report's issues with a value in the newest and in the earlier window.

    A test needs at least `FEWEST_NEW` and `FEWEST_OLD`.
    """
    samples = _samples(table)
    return {report: tuple(map(len, samples.get(report, ((), ())))) for report in reports}  # type: ignore[misc]


def known(table: pd.DataFrame, reports: Sequence[str]) -> Known:
    """Count the reports that `shifts` can test.

    Reports that are not in the table count as reports without values.
    """
    sizes = list(n_values(table, reports).values())
    nearest = max(sizes, key=lambda n: (min(n[1], FEWEST_OLD), min(n[0], FEWEST_NEW)), default=(0, 0))
    return Known(len(reports), sum(_is_enough(*n) for n in sizes), *nearest)


def windows(table: pd.DataFrame) -> tuple[list[pd.Timestamp], list[pd.Timestamp]]:
    """Return the newest `NEW` issues of a table and the `OLD` issues before them."""
    days = sorted(table["issue"].unique())
    return days[-NEW:], days[-NEW - OLD : -NEW]


def newest_year(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the newest `NEW` + `OLD` issues of a table of scores: the year that pages show."""
    newest = sorted(table["issue"].unique())[-NEW - OLD :]
    return table[table["issue"].isin(newest)]


def _now_and_before(table: pd.DataFrame, report: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a report's rows with a value, in the newest and in the earlier window."""
    rows = table[(table["report"] == report) & table["value"].notna()]
    new, old = windows(table)
    return rows[rows["issue"].isin(new)], rows[rows["issue"].isin(old)]


def _samples(table: pd.DataFrame) -> dict[str, tuple[Floats, Floats]]:
    """Return each report's values in the newest and in the earlier window."""
    known = table.dropna(subset="value")
    values = known["value"].to_numpy(dtype=float)
    is_new, is_old = (known["issue"].isin(days).to_numpy() for days in windows(table))
    rows = known.groupby("report").indices  # one pass for all reports: looking up dates per report is slow
    return {str(report): (values[at][is_new[at]], values[at][is_old[at]]) for report, at in rows.items()}


def _is_enough(n_new: int, n_old: int) -> bool:
    return n_new >= FEWEST_NEW and n_old >= FEWEST_OLD
