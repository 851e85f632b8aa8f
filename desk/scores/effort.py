"""Reading effort of editors compared with their stop points, in papers and minutes, and the savings by rankings."""

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

COLUMNS = ["report", "issue", "ranker", "n_papers", "n_read", "read_up_to", "stop_at", "way_to_stop", "minutes"]

STUDY_MINUTES = 14.5  # that an editor spends on an issue: in a study of 38,000 report issues of NEP
FEWEST_TIMED = 3  # issues of a report, to know its pace by

RELATIVE = "relative_last_position"
BASELINE = "krichel-2007"  # the ranker that came first, published in 2007

# Labels and definitions of the figures that several pages show.
READING_EFFORT, SAVED_PER_LIST, SAVED_OVER_BASELINE = "Reading effort", "Saved per list", "Saved against 2007"
READING_EFFORT_HELP = (
    "Mean relative last position over report issues: the share of a list down to its last relevant paper. "
    "Lower is better. Lists without a relevant paper are left out."
)
SAVED_PER_LIST_HELP = (
    "Mean over report issues of the papers that need not be read because the last relevant paper is ranked earlier "
    "than in list order, and the time for them. Papers that the editor read beyond the last relevant one are not "
    "saved. Time is the report's own pace per paper, or 14.5 minutes for all papers of a list if it is unknown."
)
SAVED_OVER_BASELINE_HELP = (
    "Mean over report issues of the papers by which the last relevant paper is ranked earlier than by the baseline of "
    "2007, and the time for them. Below: reading effort with the baseline. Both are ranked under the same conditions."
)


class SavedPerList(NamedTuple):
    """Means over lists, against another order of the same papers, such as list order.

    Attributes
    ----------
    papers, minutes : float
        Saved per list; below 0 if the other order was better. NaN if there is no list.
    other_effort : float
        Reading effort in the other order, 0 to 1. NaN if there is no list.
    n_lists : int
        Report issues with a relevant paper.
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
        As `scores.table.scores` gives it, with one ranking per report issue.

    Returns
    -------
    float
        Share of a list down to its last relevant paper, 0 to 1; lower is better. NaN if no list has a relevant paper.

    Examples
    --------
    >>> reading_effort(pd.DataFrame({"relative_last_position": [0.1, 0.3, float("nan")]}))
    0.2
    """
    return float(table[RELATIVE].mean())


def saved_per_list(saved: pd.DataFrame) -> SavedPerList:
    """Average the papers and minutes saved per list against list order.

    Parameters
    ----------
    saved : DataFrame
        As `effort` gives it.

    Examples
    --------
    >>> saved = pd.DataFrame({"papers": [20.0, 40.0], "minutes": [2.0, 4.0], "received": [50.0, 90.0]})
    >>> saved_per_list(saved.assign(n_papers=100))
    SavedPerList(papers=30.0, minutes=3.0, other_effort=0.7, n_lists=2)
    """
    means = saved[["papers", "minutes"]].mean()
    list_order = (saved["received"] / saved["n_papers"]).mean()
    return SavedPerList(float(means["papers"]), float(means["minutes"]), float(list_order), len(saved))


def saved_against(table: pd.DataFrame, baseline: pd.DataFrame, work: pd.DataFrame) -> SavedPerList:
    """Average the papers and minutes that a ranking saves per list against a baseline.

    Parameters
    ----------
    table, baseline : DataFrame
        As `scores.table.scores` gives them, one ranking per report issue, made under the same conditions. Only report
        issues that are in both count.
    work : DataFrame
        As `work_done` gives it.

    Examples
    --------
    >>> table = pd.DataFrame({"report": ["lab"], "issue": 1, "n_papers": 100, "n_relevant": 2})
    >>> table = table.assign(last_relevant_position=20.0, relative_last_position=0.2)
    >>> baseline = table.assign(last_relevant_position=60.0, relative_last_position=0.6)
    >>> work = pd.DataFrame(columns=["report", "minutes", "n_read"])
    >>> saved_against(table, baseline, work)
    SavedPerList(papers=40.0, minutes=5.8, other_effort=0.6, n_lists=1)
    """
    keys, last = ["report", "issue"], "last_relevant_position"
    both = table[table["n_relevant"] > 0].merge(baseline, on=keys, suffixes=("", "_baseline"))
    papers = both[f"{last}_baseline"] - both[last]
    minutes = papers * minutes_per_paper(both, pace(work))
    effort_of_baseline = reading_effort(both.drop(columns=RELATIVE).rename(columns={f"{RELATIVE}_baseline": RELATIVE}))
    return SavedPerList(float(papers.mean()), float(minutes.mean()), effort_of_baseline, len(both))


def work_done(store: Store, since: date, reports: Sequence[str] = ()) -> pd.DataFrame:
    """Return how far editors read the sorted lists of the report issues that have gone out.

    Parameters
    ----------
    since : date
        Only issues from then on. Those of which nothing was read at the desk are left out.
    reports : sequence of str
        Codes. Defaults to all reports.

    Returns
    -------
    DataFrame
        By report and issue: ``ranker``; ``n_papers``; ``n_read`` and ``read_up_to``, as in `Reading`; ``stop_at``,
        the stop point; ``way_to_stop``, the share of the papers down to it that were read, 0 to 1, both NaN if there
        was no stop advice; ``minutes``, the time spent on decisions.
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
        stop_at, way = np.nan, np.nan
        if work.stop_at:  # not `read_up_to`: in longer lists, one skipped paper would end the way sooner
            stop_at, way = work.stop_at, float(is_read[: work.stop_at].mean())
        sizes = (work.ranker, work.n_papers, int(is_read.sum()), read_up_to, stop_at, way)
        rows.append((work.report, pd.Timestamp(work.issue), *sizes, minutes.get(key, 0.0)))
    return pd.DataFrame(rows, columns=COLUMNS)


def pace(work: pd.DataFrame) -> "pd.Series[float]":
    """Return the minutes a paper that reports took to read, by report, of those with enough issues.

    Parameters
    ----------
    work : DataFrame
        As `presort.desk.scores.effort.work_done` gives it.
    """
    timed = work[(work["minutes"] > 0) & (work["n_read"] > 0)].groupby("report")
    sums = timed[["minutes", "n_read"]].sum()[timed.size() >= FEWEST_TIMED]
    return (sums["minutes"] / sums["n_read"]).astype(float)


def minutes_per_paper(lists: pd.DataFrame, pace: "pd.Series[float]") -> Floats:
    """Return the reading time of a paper in each list, in minutes.

    Parameters
    ----------
    lists : DataFrame
        ``report`` and ``n_papers`` of report issues.
    pace : Series
        As `pace` returns it. A report without a pace is assumed to take `STUDY_MINUTES` for all papers of an issue.

    Returns
    -------
    ndarray of float64, shape (n_lists,)
    """
    own = lists["report"].map(pace).to_numpy(dtype=float)
    return np.where(np.isnan(own), STUDY_MINUTES / lists["n_papers"].to_numpy(), own)


def effort(table: pd.DataFrame, in_list: Mapping[tuple[str, date], int], work: pd.DataFrame) -> pd.DataFrame:
    """Return the papers that a ranking saved, or would have saved, its editor against the order received.

    That is the number of papers by which the last relevant one is earlier, less the papers that were read beyond it.

    Parameters
    ----------
    table : DataFrame
        As `scores.table.scores` gives it, one ranking a report issue.
    in_list : mapping from (report, issue) to int
        Place of the last relevant paper in the order received, as `presort.data.editing.work.last_in_list` gives it.
    work : DataFrame
        As `work_done` gives it. A report that has no `pace` by it is taken to need `STUDY_MINUTES` for all papers of an
        issue; of a report issue that is not there nothing was read beyond the last relevant paper.

    Returns
    -------
    DataFrame
        One row per report issue with a relevant paper: ``report``, ``issue``, ``n_papers``, ``received`` and
        ``ranked``, the positions of the last relevant paper in list order and in the ranking; ``papers`` and
        ``minutes``, what was saved: below 0 if the ranking was worse, 0 if the editor read as far as list order would
        have taken; ``is_timed``, whether the pace is the report's own; ``was_read``, whether the editor read the list
        in this order.
    """
    some = table[table["n_relevant"] > 0]
    keys = zip(some["report"], some["issue"].dt.date, strict=True)
    received = pd.Series([in_list.get(key, np.nan) for key in keys], index=some.index, dtype=float)
    n_read = dict(zip(zip(work["report"], work["issue"], strict=True), work["n_read"], strict=True))
    read = [n_read.get(key, 0) for key in zip(some["report"], some["issue"], strict=True)]
    beyond = np.where(some["was_shown"].astype(bool), np.minimum(read, received), 0)
    papers = received - np.maximum(some["last_relevant_position"], beyond)
    paces = pace(work)
    return pd.DataFrame(
        {
            "report": some["report"],
            "issue": some["issue"],
            "n_papers": some["n_papers"],
            "received": received,
            "ranked": some["last_relevant_position"],
            "papers": papers,
            "minutes": papers * minutes_per_paper(some, paces),
            "is_timed": some["report"].isin(paces.index),
            "was_read": some["was_shown"].astype(bool),
        }
    ).dropna(subset="papers")
