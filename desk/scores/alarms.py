"""Alarms for the director, with a bounded rate of false alarms.

The newest issues of each report are tested against its own past by ranks. Then the p-values of all reports are
corrected together, so that many reports make no more false alarms than one.
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

NEW, OLD = 13, 39  # issues: a quarter against the three before it; together the year that Quality shows
FEWEST_NEW, FEWEST_OLD = 5, 13  # of them with a value; fewer can't be significant
# Highest share of false alarms among alarms of a kind, and highest chance of any while nothing changes. Below 5 %,
# because issues with other numbers of papers vary more, which adds up to 1 point to the false alarms of the depth test.
LEVEL = 0.035
MISSED, MISSED_DAYS = 3, 14  # issues passed over, the oldest of them of that age; a service may be daily


@dataclass(frozen=True, slots=True)
class Shift:
    """A report whose newest issues differ from its own past.

    Attributes
    ----------
    report : str
    since : date
        The first of the newest `NEW` issues.
    before, now : float
        Medians of what was tested, over the issues before and since.
    chance : float
        Of a difference that large while nothing has changed, corrected for the number of reports; 0 to 1.
    """

    report: str
    since: date
    before: float
    now: float
    chance: float


@dataclass(frozen=True, slots=True)
class Worse(Shift):
    """A report whose last relevant paper is deeper than it used to be.

    Attributes
    ----------
    n_relevant_before, n_relevant_now : float
        Medians of the number of relevant papers. `before` and `now` are medians of the relative last position, which
        grows with it.
    """

    n_relevant_before: float
    n_relevant_now: float


@dataclass(frozen=True, slots=True)
class Early(Shift):
    """Report whose editors stop earlier than they used to, with the numbers of issues read only partly."""

    n_short_now: int
    n_now: int
    n_short_before: int
    n_before: int


@dataclass(frozen=True, slots=True)
class Silence:
    """A report that has decided nothing on its newest issues: `since` the first of these `n_issues`."""

    report: str
    since: date
    n_issues: int


@dataclass(frozen=True, slots=True)
class Known:
    """Reports with enough issues for a test. Without any, the absence of alarms means nothing.

    Attributes
    ----------
    n_reports, n_tested : int
        Reports, and those of them with issues enough to be tested.
    n_new, n_old : int
        Issues with a value, among the newest and before, of the report that has most towards `FEWEST_NEW` and
        `FEWEST_OLD`.
    """

    n_reports: int
    n_tested: int
    n_new: int
    n_old: int


def worse(table: pd.DataFrame) -> list[Worse]:
    """Find reports whose last relevant paper is deeper than it used to be, the lowest p-value first.

    The table has one ranking a report issue, with ``outcome``, ``n_relevant`` and ``relative_last_position``. Numbers
    of papers and of relevant papers may change: see `depth_by_report`.
    """
    return worse_by_depth(depth(table))


def worse_by_depth(tested: pd.DataFrame) -> list[Worse]:
    """Find the same reports as `worse`, from a table of `depth`."""
    found = []
    for one in shifts(tested, towards="higher", p_value=value_sum_p):
        both = _now_and_before(tested, one.report)
        now, before = (rows[["relative_last_position", "n_relevant"]].median() for rows in both)
        medians = {"before": before["relative_last_position"], "now": now["relative_last_position"]}
        sizes = {"n_relevant_before": before["n_relevant"], "n_relevant_now": now["n_relevant"]}
        found.append(Worse(**asdict(one) | {name: float(each) for name, each in (medians | sizes).items()}))
    return found


def depth(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with ``value``, by which `worse` tests it: `depth_by_report` of the year of `windows`."""
    year = [day for part in windows(table) for day in part]
    recent = table.reset_index(drop=True)
    value = depth_by_report(recent[recent["issue"].isin(year)]).reindex(recent.index)
    return table.assign(value=value.to_numpy(dtype=float))


def depth_by_report(table: pd.DataFrame) -> "pd.Series[float]":
    """Return the relative depth of each last relevant paper among the issues of its report, 0 to 1.

    It is the rank of `presort.metrics.depth_ranks`. Its expectation is the same in all issues if nothing changed,
    however many papers are listed and relevant. The relative last position depends on both: with twice as many relevant
    papers, the last one is deeper in any order.
    """
    outcomes, ranks = table["outcome"].to_list(), np.full(len(table), np.nan)
    for indices in table.groupby("report").indices.values():
        rows = np.asarray(indices)
        ranks[rows] = depth_ranks([outcomes[row] for row in rows.tolist()])
    return pd.Series(ranks, table.index)


def stops_early(work: pd.DataFrame) -> list[Early]:
    """Find reports whose editors read a smaller part of the way to the stop point than before, lowest p-value first.

    `Shift.before` and `Shift.now` are parts of the way, 0 to 1.
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
    """Return the table with ``value``, by which `stops_early` tests it: the part of the way that was read."""
    return work.assign(value=work["way_to_stop"])


def silent(
    decided: Mapping[str, Sequence[date]],
    issues: Sequence[date],
    *,
    today: date,
    holidays: Sequence[Holiday] = (),
    since: Mapping[str, date] | None = None,
) -> list[Silence]:
    """Find reports that have decided nothing on the newest issues, for longer than ever in the year before.

    Some reports find nothing in an issue now and then, which an imported past can't distinguish from silence. Reports
    that never decided anything are not found. Issues dated later than today do not count, nor do weeks without one.

    Parameters
    ----------
    decided : mapping from str to sequence of date
        By report, the issues that it decided on, oldest first.
    issues : sequence of date
        All issues, oldest first.
    today : date
    holidays : sequence of Holiday
        Their days don't count, nor do issues dated on one of them: neither now nor in earlier silences.
    since : mapping from str to date, optional
        By report, the first issue that it can be late for. Earlier ones don't count.

    Returns
    -------
    list of Silence
        The longest silence first.

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
    """Return the longest run of expected issues without a decision in the last year of a report."""
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
    """Find reports whose value has moved in a direction, in the newest issues against those before.

    Parameters
    ----------
    table : DataFrame
        Columns ``report``, ``issue`` and ``value``, NaN where there is none; a row a report issue.
    towards : "higher" or "lower"
    p_value : callable of two arrays
        Test that the values of the first array are larger. Defaults to the rank test.

    Returns
    -------
    list of Shift
        The surest first.

    Notes
    -----
    The test is one-sided, and exact because most values may be the same. Over all reports with enough issues it is
    corrected by Benjamini and Hochberg's method: while nothing changes, the probability that any report is found is at
    most `LEVEL`.

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
    """Test every report with enough issues, as `shifts` does, and return all of them, the lowest p-value first."""
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
    """Return whether a report has moved again since an issue, by the issues after it.

    Parameters
    ----------
    table, towards, p_value
        As for `shifts`.
    report : str
    up_to : date
        The last issue of those for which a shift was found before.

    Returns
    -------
    bool
        True if the issues after it, at least `FEWEST_NEW`, differ from the `NEW` up to it: the shift found before is
        the state that they are compared with. True if all newest issues are later.
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
    """Count the issues with a value of each report: among the newest ones, and among those before.

    At least `FEWEST_NEW` and `FEWEST_OLD` are needed to test it.
    """
    samples = _samples(table)
    return {report: tuple(map(len, samples.get(report, ((), ())))) for report in reports}  # type: ignore[misc]


def known(table: pd.DataFrame, reports: Sequence[str]) -> Known:
    """Count the reports that `shifts` can test, and the issues of the report nearest to a test.

    A report that is not in the table has no issue with a value.
    """
    sizes = list(n_values(table, reports).values())
    nearest = max(sizes, key=lambda n: (min(n[1], FEWEST_OLD), min(n[0], FEWEST_NEW)), default=(0, 0))
    return Known(len(reports), sum(_is_enough(*n) for n in sizes), *nearest)


def windows(table: pd.DataFrame) -> tuple[list[pd.Timestamp], list[pd.Timestamp]]:
    """Return the newest `NEW` issues of a table, and the `OLD` before them."""
    days = sorted(table["issue"].unique())
    return days[-NEW:], days[-NEW - OLD : -NEW]


def newest_year(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the newest `NEW` + `OLD` issues of a table of scores: the year that pages look back on."""
    newest = sorted(table["issue"].unique())[-NEW - OLD :]
    return table[table["issue"].isin(newest)]


def _now_and_before(table: pd.DataFrame, report: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of a report that have a value: of the newest issues, and of those before."""
    rows = table[(table["report"] == report) & table["value"].notna()]
    new, old = windows(table)
    return rows[rows["issue"].isin(new)], rows[rows["issue"].isin(old)]


def _samples(table: pd.DataFrame) -> dict[str, tuple[Floats, Floats]]:
    """Return, by report, the values of the newest issues, and of those before."""
    known = table.dropna(subset="value")
    values = known["value"].to_numpy(dtype=float)
    is_new, is_old = (known["issue"].isin(days).to_numpy() for days in windows(table))
    rows = known.groupby("report").indices  # of all reports at once: a look-up of dates for each takes milliseconds
    return {str(report): (values[at][is_new[at]], values[at][is_old[at]]) for report, at in rows.items()}


def _is_enough(n_new: int, n_old: int) -> bool:
    return n_new >= FEWEST_NEW and n_old >= FEWEST_OLD
