"""Figures in the summary: for one ranker, for each report, and for the comparison of rankers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu

from presort.desk.scores import table as scores_table
from presort.desk.scores.alarms import depth_by_report
from presort.desk.scores.curves import SMOOTHED
from presort.desk.scores.differences import SURE, leads
from presort.desk.scores.pairs import pair_up
from presort.desk.scores.shifts import windows

QUARTER = pd.Timedelta(weeks=13)
# Rankers are compared only if they have ranked at least this share of the report issues to summarise. In `best_ranker`,
# the share is relative to the largest number of report issues that any ranker has ranked.
LEAST_PART = 0.5
LEAST_ISSUES = 6  # a report is compared only if it has at least this many issues in each quarter
DIGITS = 12  # depths are rounded to this many decimals, because rounding errors would break ties in the rank-sum test


@dataclass(frozen=True)
class Change:
    """Change in reading effort from the quarter before to the newest quarter.

    Attributes
    ----------
    newest, before : float
        Relative last position in each quarter, averaged first within each report and then over reports.
    n_reports : int
        Number of reports with enough issues in both quarters.
    p_value : float
        Two-sided p-value of a rank-sum test on the depths from `alarms.depth_by_report`. Unlike the means, depths don't
        depend on the numbers of papers and relevant papers. If depths and means changed in opposite directions, the
        change in the means is due to these numbers, and the p-value is 1 or close to it.
    """

    newest: float
    before: float
    n_reports: int
    p_value: float

    @property
    def is_better(self) -> bool:
        """True if reading effort has decreased."""
        return self.newest < self.before

    @property
    def is_sure(self) -> bool:
        """True if the difference is significant."""
        return self.p_value < SURE


@dataclass(frozen=True, eq=False)
class Material:
    """Data for a summary, as rows from `presort.desk.scores.table.scores`.

    Attributes
    ----------
    rankers : tuple of str
        First the main ranker, which ranked more of the report issues in `mine` than any other ranker. Then the rankers
        that it is compared with, in ascending order of mean relative last position. Empty if `mine` is empty.
    too_few : tuple of str
        Rankers that are not compared, because they ranked too few report issues under the same conditions (see
        `LEAST_PART`), or because no report issue was ranked by all of the rankers.
    mine : DataFrame
        Rankings to summarise: one for each report issue with a relevant paper.
    fair : DataFrame
        Rankings of the report issues that all of `rankers` have ranked, as returned by `table.keep_comparable`.
    n_nothing : int
        Number of report issues without a relevant paper. They are left out of `mine`.
    """

    rankers: tuple[str, ...]
    too_few: tuple[str, ...]
    mine: pd.DataFrame
    fair: pd.DataFrame
    n_nothing: int


def material(scored: pd.DataFrame, sorted_so: pd.DataFrame) -> Material:
    """Select the data for a summary.

    Parameters
    ----------
    scored : DataFrame
        Result of `table.comparison_scores`, used to compare rankers under the same conditions.
    sorted_so : DataFrame
        Rankings to summarise, one per report issue.
    """
    known, mine = (table[table["n_relevant"] > 0] for table in (scored, sorted_so))
    if mine.empty:
        return Material((), (), mine, mine, len(sorted_so))
    first = str(mine["ranker"].value_counts().sort_index().idxmax())
    alike = scores_table.keep_same_conditions(known, 2)  # done first, because the choice of rankers depends on it
    groups = alike.groupby("ranker")["relative_last_position"]
    best_first = groups.mean().sort_values(kind="stable").index.drop(first, errors="ignore").tolist()
    others = [name for name in best_first if LEAST_PART * len(mine) <= groups.size()[name]]
    rankers = (first, *others)
    fair = scores_table.keep_comparable(alike[alike["ranker"].isin(rankers)], rankers)
    if fair.empty:  # every ranker has enough report issues, but no report issue was ranked by all of them
        # `known` may contain no rankings of the main ranker, because rankings computed after publication are left out
        # of it if there are other sources. In this case, the rankings in `mine` are used.
        own = known if (known["ranker"] == first).any() else mine
        rankers, fair = (first,), scores_table.keep_same_conditions(own[own["ranker"] == first], 1)
    best_first += sorted(set(known["ranker"]) - {first, *best_first})
    too_few = tuple(name for name in best_first if name not in rankers)
    return Material(rankers, too_few, mine, fair, len(sorted_so) - len(mine))


def best_ranker(scored: pd.DataFrame) -> str | None:
    """Return the ranker with the lowest mean relative last position. None if no ranking can be compared.

    Only report issues with a relevant paper count, and only rankings from a single source (`keep_same_conditions`). A
    ranker is considered if it has ranked at least half as many of these report issues as any other ranker. If some
    report issues were ranked by all considered rankers, only these report issues are used.
    """
    known = scored[scored["n_relevant"] > 0]
    known = scores_table.keep_same_conditions(known, 2)
    sizes = known.groupby("ranker").size()
    often = known[known["ranker"].isin(sizes.index[sizes >= LEAST_PART * sizes.max()])]
    fair = scores_table.keep_comparable(often, often["ranker"].unique())
    means = (often if fair.empty else fair).groupby("ranker")["relative_last_position"].mean()
    return None if means.empty else str(means.idxmin())


def change(table: pd.DataFrame) -> Change | None:
    """Compare the scores in the newest quarter with those in the quarter before.

    The table has one ranking per report issue, and every report issue has a relevant paper. Returns None if no report
    has at least `LEAST_ISSUES` issues in both quarters.
    """
    is_newest, is_before = _quarters(table["issue"])
    both = _last_of_quarters(table, is_newest, is_before).dropna()
    if both.empty:
        return None
    recent = table[(is_newest | is_before) & table["report"].isin(both.index)]
    newest, before = (float(both[name].mean()) for name in ("newest", "before"))
    p_value = _rank_sum(recent, is_newest.loc[recent.index], "less" if newest < before else "greater")
    return Change(newest, before, len(both), p_value)


def issues_to_compare(table: pd.DataFrame) -> tuple[int, int]:
    """Return the number of issues in the newest quarter and in the quarter before, for one report.

    This is the report that comes closest to having `LEAST_ISSUES` issues in both quarters, as required by `change`.
    """
    n_newest, n_before = (table[part].groupby("report").size() for part in _quarters(table["issue"]))
    sizes = pd.DataFrame({"newest": n_newest, "before": n_before}).fillna(0).astype(int)
    nearest = sizes.iloc[int(sizes.clip(upper=LEAST_ISSUES).sum(axis="columns").argmax())]
    return int(nearest["newest"]), int(nearest["before"])


def reading_by_report(table: pd.DataFrame) -> pd.DataFrame:
    """Average each report's relative last position.

    Columns: ``report``; ``last``, the mean; and ``median``, the median over the newest 13 issues in the table. Sorted
    by median, lowest first.
    """
    new, _ = windows(table)
    columns = {
        "last": table.groupby("report")["relative_last_position"].mean(),
        "median": table[table["issue"].isin(new)].groupby("report")["relative_last_position"].median(),
    }
    return pd.DataFrame(columns).reset_index().sort_values(["median", "last", "report"], ignore_index=True)


def summarise_by_report(table: pd.DataFrame) -> pd.DataFrame:
    """Average each report's scores.

    Columns: those of `reading_by_report`; ``report_issues``, the number of report issues; the means of ``n_relevant``
    and ``average_precision``; ``deeper``, see `_compare_depths`; and ``copnori_power``, the `mean_power` of Copnori's
    loss.
    """
    groups = table.groupby("report")
    columns = {
        "report_issues": groups.size(),
        "n_relevant": groups["n_relevant"].mean(),
        "deeper": _compare_depths(table),
        "average_precision": groups["average_precision"].mean(),
        "copnori_power": scores_table.values_to_plot("copnori", table).groupby(table["report"]).agg(mean_power),
    }
    return reading_by_report(table).join(pd.DataFrame(columns), on="report")


def running_last(table: pd.DataFrame) -> pd.DataFrame:
    """Return the running mean over four issues of each report's relative last position.

    Columns: ``report``, ``issue`` and ``running``. Each report's first three values are means over fewer issues.
    """
    ordered = table.sort_values(["report", "issue"])
    rolling = ordered.groupby("report")["relative_last_position"].rolling(SMOOTHED, min_periods=1)
    return ordered[["report", "issue"]].assign(running=rolling.mean().to_numpy())


def side_by_side(table: pd.DataFrame, rankers: Sequence[str]) -> pd.DataFrame:
    """Average each ranker's scores, and compare the first ranker with each of the others.

    The table is a result of `keep_comparable`. Columns: those of `scores_table.side_by_side`; ``copnori_power``; and
    ``first_earlier`` and ``first_later``, the shares of report issues in which the first ranker is better or worse than
    the row's ranker.
    """
    powers = scores_table.values_to_plot("copnori", table).groupby(table["ranker"]).agg(mean_power)
    found = scores_table.side_by_side(table, rankers)
    return found.assign(
        copnori_power=powers.loc[list(rankers)].to_numpy(),
        first_earlier=found["later"],
        first_later=found["earlier"],
    )


def is_clear_winner(fair: pd.DataFrame, one: str, other: str) -> bool:
    """Return True if a ranker clearly beats another by the criteria of the *Compare* page.

    The winner's lead in natural order must be significant after correction for all pairs of rankers in the table, and
    its mean relative last position must be lower.
    """
    lead = leads(pair_up(fair, sorted(fair["ranker"].unique())), other).set_index("ranker").loc[one]
    means = fair.groupby("ranker")["relative_last_position"].mean()
    return bool(lead["permutation_holm"] < SURE and lead["difference"] > 0 and means[one] < means[other])


def mean_power(powers: "pd.Series[float]") -> float:
    """Return log10 of the mean of numbers whose log10 is given. NaNs are left out.

    Examples
    --------
    >>> mean_power(pd.Series([-400.0, -math.inf, math.nan])) == -400 - math.log10(2)
    True
    >>> mean_power(pd.Series([-math.inf])), mean_power(pd.Series([math.nan]))
    (-inf, nan)
    """
    known = powers.dropna()
    if known.empty:
        return math.nan
    largest = float(known.max())
    if largest == -math.inf:
        return largest
    return largest + math.log10(np.power(10.0, known - largest).mean())


def _rank_sum(table: pd.DataFrame, is_newest: "pd.Series[bool]", side: Literal["less", "greater"]) -> float:
    """Return the two-sided p-value of a rank-sum test between two quarters. `side` is the direction of the change.

    The units are issues, not reports, because an issue affects all reports at once. An issue's value is the mean depth
    over its reports. Every report's mean depth over both quarters is 0.5, so it doesn't matter which reports an issue
    happens to include.
    """
    value = depth_by_report(table)
    newest, before = (value[part].groupby(table["issue"]).mean().dropna() for part in (is_newest, ~is_newest))
    if newest.empty or before.empty:
        return 1.0
    return min(2 * float(mannwhitneyu(newest.round(DIGITS), before.round(DIGITS), alternative=side).pvalue), 1.0)


def _compare_depths(table: pd.DataFrame) -> "pd.Series[float]":
    """Compare the depth of each report's last relevant papers in the newest quarter and in the quarter before.

    Each issue in one quarter is paired with each issue in the other, as in `alarms.depth_by_report`. The result is the
    share of pairs in which the last relevant paper is deeper in the newest quarter, minus the share in which it is less
    deep. It ranges from -1 to 1, and is NaN if a quarter has fewer than `LEAST_ISSUES` issues.
    """
    is_newest, is_before = _quarters(table["issue"])
    value = depth_by_report(table[is_newest | is_before]).reindex(table.index)
    groups = {
        name: value[part].dropna().groupby(table["report"]) for name, part in (("new", is_newest), ("old", is_before))
    }
    means = pd.DataFrame({name: group.mean()[group.size() >= LEAST_ISSUES] for name, group in groups.items()})
    sizes = sum(group.size() for group in groups.values())
    # The last factor is a correction, because ranks also include comparisons within a quarter.
    apart = 2 * (means["new"] - means["old"]) * (sizes - 1) / sizes
    return apart.reindex(sorted(table["report"].unique()))


def _quarters(issues: "pd.Series[pd.Timestamp]") -> tuple["pd.Series[bool]", "pd.Series[bool]"]:
    start = issues.max() - QUARTER
    return issues > start, issues.between(start - QUARTER, start, inclusive="right")


def _last_of_quarters(table: pd.DataFrame, is_newest: "pd.Series[bool]", is_before: "pd.Series[bool]") -> pd.DataFrame:
    """Return each report's mean relative last position in both quarters. NaN if a quarter has too few issues."""
    parts = {"newest": table[is_newest], "before": table[is_before]}
    groups = {name: part.groupby("report")["relative_last_position"] for name, part in parts.items()}
    means = {name: group.mean()[group.size() >= LEAST_ISSUES] for name, group in groups.items()}
    return pd.DataFrame(means, index=pd.Index(sorted(table["report"].unique()), name="report"))
