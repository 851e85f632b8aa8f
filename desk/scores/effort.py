"""Editors' reading effort, and the papers and minutes that rankings save them."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import pandas as pd

from presort.data import catalogue
from presort.data.editing.read_papers import all_read_positions
from presort.data.editing.work import desk_work, minutes_at_desk
from presort.data.learning import rankings
from presort.data.store import Store
from presort.metrics.batch import Floats

COLUMNS = [
    *("report", "issue", "ranker", "n_papers", "n_read", "read_up_to"),
    *("stop_at", "way_to_stop", "n_above", "minutes"),
]

STUDY_MINUTES = 14.5  # mean editing time per issue, in minutes, from a study of 38,000 NEP report issues
FEWEST_TIMED = 3  # number of timed issues needed to estimate a report's pace

RELATIVE = "relative_last_position"
BASELINE = "krichel-2007"  # the first ranker to be published (2007)

# Labels and definitions of figures that are shown on several pages.
READING_EFFORT, SAVED_PER_LIST, SAVED_OVER_BASELINE = "Reading effort", "Saved per list", "Saved compared with 2007"
READING_EFFORT_HELP = (
    "Mean relative last position over report issues: the share of the list read to reach the last relevant paper. "
    "Lower is better. Lists without a relevant paper are left out."
)
SAVED_PER_LIST_HELP = (
    "Papers and minutes saved per report issue because the last relevant paper is ranked earlier than in list order. "
    "Papers that the editor read below the last relevant paper don't count as saved. Minutes are based on the report's "
    "own reading pace or, if it is unknown, on 14.5 minutes per list."
)
SAVED_OVER_BASELINE_HELP = (
    "Papers and minutes saved per report issue because the last relevant paper is ranked earlier than by the baseline, "
    "a ranker of 2007. The line below the figure shows the reading effort with the baseline. Both rankings were "
    "computed under the same conditions."
)


class SavingsPerList(NamedTuple):
    """Mean savings per list, compared with another order of the same papers, such as list order.

    Attributes
    ----------
    papers, minutes : float
        Papers and minutes saved per list. Negative if the other order was better. NaN if there are no lists.
    other_effort : float
        Reading effort in the other order, from 0 to 1. NaN if there are no lists.
    n_lists : int
        Number of report issues with a relevant paper.
    """

    papers: float
    minutes: float
    other_effort: float
    n_lists: int


def reading_effort(table: pd.DataFrame) -> float:
    """Return the mean relative last position over report issues.

    Parameters
    ----------
    table : DataFrame
        Result of `scores.table.scores`, with one ranking per report issue.

    Returns
    -------
    float
        Mean share of a list that must be read to reach its last relevant paper, from 0 to 1. Lower is better. NaN if no
        list has a relevant paper.

    Examples
    --------
    >>> reading_effort(pd.DataFrame({"relative_last_position": [0.1, 0.3, float("nan")]}))
    0.2
    """
    return float(table[RELATIVE].mean())


def savings_per_list(saved: pd.DataFrame) -> SavingsPerList:
    """Average the papers and minutes that are saved per list, compared with list order.

    Parameters
    ----------
    saved : DataFrame
        Result of `effort`.

    Examples
    --------
    >>> saved = pd.DataFrame({"papers": [20.0, 40.0], "minutes": [2.0, 4.0], "in_list_order": [50.0, 90.0]})
    >>> savings_per_list(saved.assign(n_papers=100))
    SavingsPerList(papers=30.0, minutes=3.0, other_effort=0.7, n_lists=2)
    """
    means = saved[["papers", "minutes"]].mean()
    list_order = (saved["in_list_order"] / saved["n_papers"]).mean()
    return SavingsPerList(float(means["papers"]), float(means["minutes"]), float(list_order), len(saved))


def savings_against(table: pd.DataFrame, baseline: pd.DataFrame, work: pd.DataFrame) -> SavingsPerList:
    """Average the papers and minutes that rankings save per list, compared with a baseline.

    Parameters
    ----------
    table, baseline : DataFrame
        Results of `scores.table.scores` with one ranking per report issue, computed under the same conditions. Only
        report issues that are in both tables are compared.
    work : DataFrame
        Result of `work_done`.

    Examples
    --------
    >>> table = pd.DataFrame({"report": ["lab"], "issue": 1, "n_papers": 100, "n_relevant": 2})
    >>> table = table.assign(last_relevant_position=20.0, relative_last_position=0.2)
    >>> baseline = table.assign(last_relevant_position=60.0, relative_last_position=0.6)
    >>> work = pd.DataFrame(columns=["report", "minutes", "n_read"])
    >>> savings_against(table, baseline, work)
    SavingsPerList(papers=40.0, minutes=5.8, other_effort=0.6, n_lists=1)
    """
    keys, last = ["report", "issue"], "last_relevant_position"
    both = table[table["n_relevant"] > 0].merge(baseline, on=keys, suffixes=("", "_baseline"))
    papers = both[f"{last}_baseline"] - both[last]
    minutes = papers * minutes_per_paper(both, pace(work))
    effort_of_baseline = reading_effort(both.drop(columns=RELATIVE).rename(columns={f"{RELATIVE}_baseline": RELATIVE}))
    return SavingsPerList(float(papers.mean()), float(minutes.mean()), effort_of_baseline, len(both))


def work_done(store: Store, since: date, reports: Sequence[str] = ()) -> pd.DataFrame:
    """Return the editors' reading progress in the ranked lists of published report issues.

    Parameters
    ----------
    since : date
        First issue to include. Report issues that nobody read in Presort are left out.
    reports : sequence of str
        Report codes. Defaults to all reports.

    Returns
    -------
    DataFrame
        One row per ``report`` and ``issue``: ``ranker``; ``n_papers``; ``n_read``, the number of papers read;
        ``read_up_to``, the number read from the top without a gap; ``stop_at``, the stop point; ``way_to_stop``, the
        share of the papers above the stop point that was read, 0 to 1; ``n_above``, the number of relevant papers above
        the stop point; and ``minutes`` spent on decisions. All of them refer to the order in which the editor saw the
        papers, which may have been re-ranked. ``stop_at``, ``way_to_stop`` and ``n_above`` are NaN without stop advice.
    """
    codes = reports or [report.code for report in catalogue.reports(store, retired=True)]
    minutes, read = minutes_at_desk(store, since, reports), all_read_positions(store, codes, since, at_desk=True)
    rows = []
    for work in desk_work(store, since, reports):
        key = work.report, work.issue
        if key not in read:
            continue
        order = rankings.whole_order(work.order, work.n_papers)
        is_read = np.isin(order, read[key], kind="table")
        read_up_to = int(np.append(is_read, False).argmin())
        stop_at, way, n_above = np.nan, np.nan, np.nan
        if work.stop_at:
            # `read_up_to` can't be used for the share, because it ends at the first skipped paper.
            stop_at, way = work.stop_at, float(is_read[: work.stop_at].mean())
            n_above = int(np.isin(order[: work.stop_at], work.relevant).sum())
        sizes = (work.ranker, work.n_papers, int(is_read.sum()), read_up_to, stop_at, way, n_above)
        rows.append((work.report, pd.Timestamp(work.issue), *sizes, minutes.get(key, 0.0)))
    return pd.DataFrame(rows, columns=COLUMNS)


def pace(work: pd.DataFrame) -> "pd.Series[float]":
    """Return each report's reading time per paper, in minutes. Reports with too few timed issues are left out.

    Parameters
    ----------
    work : DataFrame
        Result of `work_done`.
    """
    timed = work[(work["minutes"] > 0) & (work["n_read"] > 0)].groupby("report")
    sums = timed[["minutes", "n_read"]].sum()[timed.size() >= FEWEST_TIMED]
    return (sums["minutes"] / sums["n_read"]).astype(float)


def minutes_per_paper(lists: pd.DataFrame, pace: "pd.Series[float]") -> Floats:
    """For each list, return the reading time per paper, in minutes.

    Parameters
    ----------
    lists : DataFrame
        Columns ``report`` and ``n_papers``, one row per report issue.
    pace : Series
        Result of `pace`. Reports without a pace are assumed to take `STUDY_MINUTES` per list.

    Returns
    -------
    ndarray of float64, shape (n_lists,)
    """
    own = lists["report"].map(pace).to_numpy(dtype=float)
    return np.where(np.isnan(own), STUDY_MINUTES / lists["n_papers"].to_numpy(), own)


def effort(table: pd.DataFrame, in_list: Mapping[tuple[str, date], int], work: pd.DataFrame) -> pd.DataFrame:
    """Compute the papers and minutes that a ranking saved, or would have saved, compared with list order.

    The number of papers saved is the last relevant position in list order minus the last relevant position in the
    ranking. If the editor read beyond the latter, the number of papers read is subtracted instead.

    Parameters
    ----------
    table : DataFrame
        Result of `scores.table.scores`, one ranking per report issue.
    in_list : mapping from (report, issue) to int
        Position of the last relevant paper in list order, as returned by `presort.data.editing.work.last_in_list`.
    work : DataFrame
        Result of `work_done`. Reports without a `pace` are assumed to take `STUDY_MINUTES` per list. For report issues
        that are missing from this table, the editor is assumed to have stopped at the last relevant paper.

    Returns
    -------
    DataFrame
        One row per report issue with a relevant paper: ``report``, ``issue``, ``n_papers``; ``in_list_order`` and
        ``ranked``, the positions of the last relevant paper in list order and in the ranking; ``papers`` and
        ``minutes`` saved, negative if the ranking was worse, 0 if the editor read as far as the last relevant paper in
        list order; ``is_timed``, True if the report's own pace was used; and ``was_read``, True if the editor read the
        list in this order.
    """
    some = table[table["n_relevant"] > 0]
    keys = zip(some["report"], some["issue"].dt.date, strict=True)
    in_list_order = pd.Series([in_list.get(key, np.nan) for key in keys], index=some.index, dtype=float)
    n_read = dict(zip(zip(work["report"], work["issue"], strict=True), work["n_read"], strict=True))
    read = [n_read.get(key, 0) for key in zip(some["report"], some["issue"], strict=True)]
    beyond = np.where(some["was_shown"].astype(bool), np.minimum(read, in_list_order), 0)
    papers = in_list_order - np.maximum(some["last_relevant_position"], beyond)
    paces = pace(work)
    return pd.DataFrame(
        {
            "report": some["report"],
            "issue": some["issue"],
            "n_papers": some["n_papers"],
            "in_list_order": in_list_order,
            "ranked": some["last_relevant_position"],
            "papers": papers,
            "minutes": papers * minutes_per_paper(some, paces),
            "is_timed": some["report"].isin(paces.index),
            "was_read": some["was_shown"].astype(bool),
        }
    ).dropna(subset="papers")
