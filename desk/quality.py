"""What Quality tells of all reports at once: tables in, tables out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from statistics import median

import numpy as np
import pandas as pd

from desk.alarms import NEW, OLD, Shift, stops_early, windows, worse
from desk.evaluation import drawn
from desk.words.text import exact_text
from metrics import MEASURES

SHOWN = NEW + OLD  # issues: a year of weeks
STUDY_MINUTES = 14.5  # that an editor spends on an issue: in a study of 38,000 report issues of NEP
FEWEST_TIMED = 3  # issues of a report, to know its pace by
LAST = "relative_last_position"


@dataclass(frozen=True, eq=False)
class Glance:
    """All reports as one ranker sorted them, over a year.

    Attributes
    ----------
    overview : DataFrame
        As `overview` gives it.
    last, chosen : DataFrame
        As `series` gives them, of the relative last position and of the measure chosen.
    effort : DataFrame
        As `effort` gives it.
    worse, early : list of Shift
        As `alarms.worse` and `alarms.stops_early` give them.
    """

    overview: pd.DataFrame
    last: pd.DataFrame
    chosen: pd.DataFrame
    effort: pd.DataFrame
    worse: list[Shift]
    early: list[Shift]


def glance(table: pd.DataFrame, measure: str, in_list: Mapping[tuple[str, date], int], work: pd.DataFrame) -> Glance:
    """Look at all reports of a table that `of_ranker` gives.

    Parameters
    ----------
    in_list : mapping from (report, issue) to int
        As `data.desk_work.last_in_list` gives it.
    work : DataFrame
        As `work_done.work_done` gives it, of the same reports.
    """
    saved = effort(table, in_list, pace(work))
    return Glance(
        overview(table, saved, measure),
        series(table, LAST),
        series(table, measure),
        saved,
        worse(table),
        stops_early(work),
    )


def of_ranker(table: pd.DataFrame, ranker: str, reports: Sequence[str]) -> pd.DataFrame:
    """Keep the newest `SHOWN` issues of one ranker and some reports.

    Parameters
    ----------
    table : DataFrame
        As `evaluation.scores` gives it.
    """
    mine = table[(table["ranker"] == ranker) & table["report"].isin(reports)]
    newest = sorted(mine["issue"].unique())[-SHOWN:]
    return mine[mine["issue"].isin(newest)]


def series(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Give what is drawn of a measure: a row a report, a column an issue, oldest first.

    Parameters
    ----------
    table : DataFrame
        As `of_ranker` gives it.

    Returns
    -------
    DataFrame
        As `evaluation.drawn` has it, NaN where the measure is undefined or there is no ranking.
    """
    return table.assign(drawn=drawn(measure, table)).pivot_table(
        index="report", columns="issue", values="drawn", dropna=False, aggfunc="first"
    )


def pace(work: pd.DataFrame) -> "pd.Series[float]":
    """Give the minutes a paper that reports took to read, by report, of those with enough issues.

    Parameters
    ----------
    work : DataFrame
        As `work_done.work_done` gives it.
    """
    timed = work[(work["minutes"] > 0) & (work["read_to"] > 0)].groupby("report")
    sums = timed[["minutes", "read_to"]].sum()[timed.size() >= FEWEST_TIMED]
    return (sums["minutes"] / sums["read_to"]).astype(float)


def effort(
    table: pd.DataFrame, in_list: Mapping[tuple[str, date], int], minutes_a_paper: "pd.Series[float]"
) -> pd.DataFrame:
    """Tell what a ranking saved its editor against the order received: the papers above the last relevant one.

    Parameters
    ----------
    table : DataFrame
        As `of_ranker` gives it.
    in_list : mapping from (report, issue) to int
        Place of the last relevant paper in the order received, as `data.desk_work.last_in_list` gives it.
    minutes_a_paper : Series
        As `pace` gives it. A report that is not there is taken to need `STUDY_MINUTES` for all papers of an issue.

    Returns
    -------
    DataFrame
        A row a report issue with a relevant paper: ``report``, ``issue``, ``received`` and ``ranked``, the places of
        the last relevant paper; ``papers`` and ``minutes``, what was saved, below 0 where the ranking stood behind;
        ``is_timed``, whether the pace is the report's own.
    """
    some = table[table["n_relevant"] > 0]
    keys = zip(some["report"], some["issue"].dt.date, strict=True)
    received = pd.Series([in_list.get(key, np.nan) for key in keys], index=some.index, dtype=float)
    papers = received - some["last_relevant_position"]
    own = some["report"].map(minutes_a_paper).astype(float)
    return pd.DataFrame(
        {
            "report": some["report"],
            "issue": some["issue"],
            "received": received,
            "ranked": some["last_relevant_position"],
            "papers": papers,
            "minutes": papers * own.fillna(STUDY_MINUTES / some["n_papers"]),
            "is_timed": own.notna(),
        }
    ).dropna(subset="papers")


def overview(table: pd.DataFrame, saved: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Sum up each report: the newest issues beside those before, and what was saved.

    Parameters
    ----------
    table : DataFrame
        As `of_ranker` gives it.
    saved : DataFrame
        As `effort` gives it.

    Returns
    -------
    DataFrame
        By ``report``: ``issues`` ranked; medians of relative last position, ``last_before`` and ``last_now``, and of
        the measure, ``before`` and ``now``, which are texts where it comes nearer to its best than a float can tell;
        ``papers`` and ``minutes`` saved.
    """
    new, old = windows(table)
    groups = {"before": table[table["issue"].isin(old)], "now": table[table["issue"].isin(new)]}
    reports = table.groupby("report").size()
    columns: dict[str, pd.Series] = {"issues": reports}
    columns |= {f"last_{name}": rows.groupby("report")[LAST].median() for name, rows in groups.items()}
    columns |= {name: _middle(measure, rows) for name, rows in groups.items()}
    columns |= {name: saved.groupby("report")[name].sum() for name in ("papers", "minutes")}
    return pd.DataFrame(columns, index=reports.index).reset_index()


def _middle(measure: str, rows: pd.DataFrame) -> "pd.Series":
    gap = MEASURES[measure].gap
    if gap is None:
        return rows.groupby("report")[measure].median()
    gaps = rows["outcome"].map(gap)
    exact = {report: [x for x in mine if isinstance(x, Fraction)] for report, mine in gaps.groupby(rows["report"])}
    return pd.Series({report: exact_text([median(mine)]) for report, mine in exact.items() if mine}, dtype=object)
