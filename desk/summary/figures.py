"""Figures of a service's summary: of one ranker, of each report, and of rankers in comparison."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu

from presort.desk.scores import table as scores_table
from presort.desk.scores.alarms import depth_by_report, windows
from presort.desk.scores.curves import SMOOTHED
from presort.desk.scores.differences import SURE, leads
from presort.desk.scores.pairs import pair_up

QUARTER = pd.Timedelta(weeks=13)
LEAST_PART = 0.5  # of the report issues of a ranker, for another to be held against it
LEAST_ISSUES = 6  # of a report in a quarter that is judged
DIGITS = 12  # decimals of a difference of shares; below that is rounding, which breaks ties


@dataclass(frozen=True)
class Change:
    """Depth of the last relevant papers in the newest quarter, compared with the quarter before.

    Attributes
    ----------
    newest, before : float
        Means of the relative last position, each report counting once.
    n_reports : int
        Reports with enough issues in both quarters.
    p_value : float
        Two-sided, of the depths of `alarms.depth_by_report`: unlike the means, these don't depend on how many papers
        are listed and relevant. 1 if the means moved the other way, because then they say nothing of the ranker.
    """

    newest: float
    before: float
    n_reports: int
    p_value: float

    @property
    def is_better(self) -> bool:
        """True if less had to be read."""
        return self.newest < self.before

    @property
    def is_sure(self) -> bool:
        """True if the difference is significant."""
        return self.p_value < SURE


@dataclass(frozen=True, eq=False)
class Material:
    """Data of a summary: rows of `presort.desk.scores.table.scores`.

    Attributes
    ----------
    rankers : tuple of str
        The one that sorted most of what the summary is about, then those it is held against, best mean relative last
        position first.
    too_few : tuple of str
        Other rankers: they ranked less than half of what the first one did.
    mine : DataFrame
        Rankings to summarise, one for each report issue with a relevant paper.
    fair : DataFrame
        Rankings by all of `rankers`, as `table.comparable` gives them.
    n_nothing : int
        Report issues that it is about, but in which nothing was relevant.
    """

    rankers: tuple[str, ...]
    too_few: tuple[str, ...]
    mine: pd.DataFrame
    fair: pd.DataFrame
    n_nothing: int


def material(scored: pd.DataFrame, sorted_so: pd.DataFrame) -> Material:
    """Select the data of a summary: one ranking for each report issue, and rows that compare rankers.

    `scored` is a result of `table.for_comparison`, to compare rankers under the same conditions.
    """
    known, mine = (table[table["n_relevant"] > 0] for table in (scored, sorted_so))
    if mine.empty:
        return Material((), (), mine, mine, len(sorted_so))
    first = str(mine["ranker"].value_counts().sort_index().idxmax())
    alike = scores_table.same_conditions(known, 2)  # before rankers are chosen: who is compared depends on it
    groups = alike.groupby("ranker")["relative_last_position"]
    best_first = groups.mean().sort_values(kind="stable").index.drop(first, errors="ignore").tolist()
    others = [name for name in best_first if LEAST_PART * len(mine) <= groups.size()[name]]
    rankers = (first, *others)
    fair = scores_table.comparable(alike[alike["ranker"].isin(rankers)], rankers)
    if fair.empty:  # each has ranked enough, but not the same
        rankers, fair = (first,), scores_table.same_conditions(known[known["ranker"] == first], 1)
    best_first += sorted(set(known["ranker"]) - {first, *best_first})
    too_few = tuple(name for name in best_first if name not in rankers)
    return Material(rankers, too_few, mine, fair, len(sorted_so) - len(mine))


def best(scored: pd.DataFrame) -> str | None:
    """Name the ranker with the lowest mean relative last position. None if nothing relevant was ranked.

    Only those are asked that ranked half as many report issues as any other; and their means are of the same ones,
    unless they have none in common.
    """
    known = scored[scored["n_relevant"] > 0]
    known = scores_table.same_conditions(known, 2)
    sizes = known.groupby("ranker").size()
    often = known[known["ranker"].isin(sizes.index[sizes >= LEAST_PART * sizes.max()])]
    fair = scores_table.comparable(often, often["ranker"].unique())
    means = (often if fair.empty else fair).groupby("ranker")["relative_last_position"].mean()
    return None if means.empty else str(means.idxmin())


def change(table: pd.DataFrame) -> Change | None:
    """Compare the newest quarter of scores with the quarter before.

    The table has one ranking a report issue, each with a relevant paper. Returns None if no report has `LEAST_ISSUES`
    in both quarters.
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
    """Return how many issues the report has that comes nearest to a `change`: in the newest quarter, and before."""
    n_newest, n_before = (table[part].groupby("report").size() for part in _quarters(table["issue"]))
    sizes = pd.DataFrame({"newest": n_newest, "before": n_before}).fillna(0).astype(int)
    nearest = sizes.iloc[int(sizes.clip(upper=LEAST_ISSUES).sum(axis="columns").argmax())]
    return int(nearest["newest"]), int(nearest["before"])


def reading_by_report(table: pd.DataFrame) -> pd.DataFrame:
    """Average the relative last position of each report.

    The columns are ``report``; the mean ``last``; the ``median`` of the newest 13 issues of the table, lowest first.
    """
    new, _ = windows(table)
    columns = {
        "last": table.groupby("report")["relative_last_position"].mean(),
        "median": table[table["issue"].isin(new)].groupby("report")["relative_last_position"].median(),
    }
    return pd.DataFrame(columns).reset_index().sort_values(["median", "last", "report"], ignore_index=True)


def by_report(table: pd.DataFrame) -> pd.DataFrame:
    """Average the scores of each report.

    The columns are those of `reading_by_report`; ``report_issues`` and mean ``n_relevant``; ``deeper``, see `_deeper`;
    mean ``average_precision``; ``copnori_power``, the mean as `mean_power` gives it.
    """
    groups = table.groupby("report")
    columns = {
        "report_issues": groups.size(),
        "n_relevant": groups["n_relevant"].mean(),
        "deeper": _deeper(table),
        "average_precision": groups["average_precision"].mean(),
        "copnori_power": scores_table.drawn("copnori", table).groupby(table["report"]).agg(mean_power),
    }
    return reading_by_report(table).join(pd.DataFrame(columns), on="report")


def running_last(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean relative last position of the newest four issues up to each, report by report, as ``running``.

    It is of fewer issues at the beginning.
    """
    ordered = table.sort_values(["report", "issue"])
    rolling = ordered.groupby("report")["relative_last_position"].rolling(SMOOTHED, min_periods=1)
    return ordered[["report", "issue"]].assign(running=rolling.mean().to_numpy())


def side_by_side(table: pd.DataFrame, rankers: Sequence[str]) -> pd.DataFrame:
    """Average the scores of each ranker, and hold the first against each of the others, by a table of `comparable`.

    It gets ``copnori_power``, and ``first_earlier`` and ``first_later``: the shares of report issues in which the first
    ranker did better, or worse, than this one.
    """
    powers = scores_table.drawn("copnori", table).groupby(table["ranker"]).agg(mean_power)
    found = scores_table.side_by_side(table, rankers)
    return found.assign(
        copnori_power=powers.loc[list(rankers)].to_numpy(),
        first_earlier=found["later"],
        first_later=found["earlier"],
    )


def is_apart(fair: pd.DataFrame, one: str, other: str) -> bool:
    """Return True if one ranker is a clear winner over another, as *Compare* says of all rankers in the table.

    It is by natural order and with all pairs of rankers compared; and it needs the less reading on average.
    """
    lead = leads(pair_up(fair, sorted(fair["ranker"].unique())), other).set_index("ranker").loc[one]
    means = fair.groupby("ranker")["relative_last_position"].mean()
    return bool(lead["permutation_holm"] < SURE and lead["difference"] > 0 and means[one] < means[other])


def mean_power(powers: "pd.Series[float]") -> float:
    """Average numbers that are given as powers of ten, and give the power of their mean; NaN are left out.

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
    """Test two quarters, two-sided, given the side on which the newest is found to be.

    The units are issues, not reports, because an issue affects all reports together. The value of an issue is the
    mean depth of its reports, which is 0.5 for each report over both quarters, so that it doesn't matter which reports
    are in the issue.
    """
    value = depth_by_report(table)
    newest, before = (value[part].groupby(table["issue"]).mean().dropna() for part in (is_newest, ~is_newest))
    if newest.empty or before.empty:
        return 1.0
    return min(2 * float(mannwhitneyu(newest.round(DIGITS), before.round(DIGITS), alternative=side).pvalue), 1.0)


def _deeper(table: pd.DataFrame) -> "pd.Series[float]":
    """Return the share of pairs in which the last relevant paper is now deeper, minus the share with less depth.

    By report, over all pairs of an issue of the newest quarter and one of the quarter before, -1 to 1; the pairs are
    compared as in `alarms.depth_by_report`. NaN if a quarter has fewer than `LEAST_ISSUES`.
    """
    is_newest, is_before = _quarters(table["issue"])
    value = depth_by_report(table[is_newest | is_before]).reindex(table.index)
    groups = {
        name: value[part].dropna().groupby(table["report"]) for name, part in (("new", is_newest), ("old", is_before))
    }
    means = pd.DataFrame({name: group.mean()[group.size() >= LEAST_ISSUES] for name, group in groups.items()})
    sizes = sum(group.size() for group in groups.values())
    apart = 2 * (means["new"] - means["old"]) * (sizes - 1) / sizes  # a rank also counts pairs within a quarter
    return apart.reindex(sorted(table["report"].unique()))


def _quarters(issues: "pd.Series[pd.Timestamp]") -> tuple["pd.Series[bool]", "pd.Series[bool]"]:
    start = issues.max() - QUARTER
    return issues > start, issues.between(start - QUARTER, start, inclusive="right")


def _last_of_quarters(table: pd.DataFrame, is_newest: "pd.Series[bool]", is_before: "pd.Series[bool]") -> pd.DataFrame:
    """Return the mean of each report; NaN in a quarter in which it has too few issues."""
    parts = {"newest": table[is_newest], "before": table[is_before]}
    groups = {name: part.groupby("report")["relative_last_position"] for name, part in parts.items()}
    means = {name: group.mean()[group.size() >= LEAST_ISSUES] for name, group in groups.items()}
    return pd.DataFrame(means, index=pd.Index(sorted(table["report"].unique()), name="report"))
