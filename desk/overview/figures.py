"""Figures for the newest 52 issues on *Overview*, for all reports together and for each report.

They are based on one ranking per report issue and are cached until the outcomes change. The overall figures include
retired reports, but retired reports have no row in the table and raise no alerts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import pandas as pd

from presort.desk.overview.alerts import Alert, audit_alerts, decline_alerts, early_stop_alerts
from presort.desk.scores.effort import BASELINE, SavingsPerList, reading_effort, savings_against, savings_per_list
from presort.desk.scores.shifts import (
    FEWEST_NEW,
    FEWEST_OLD,
    LEVEL,
    every_shift,
    n_values,
    newest_rows,
)
from presort.desk.scores.sorters import rows_of
from presort.desk.scores.table import keep_same_conditions
from presort.desk.ui import cache
from presort.desk.ui.state_cache import State, cache_by_state
from presort.metrics.rank_sum import value_sum_p

LAST = "relative_last_position"
NOTHING_SAVED = SavingsPerList(math.nan, math.nan, math.nan, 0)


@dataclass(frozen=True)
class Selection:
    """Filters of the page.

    Attributes
    ----------
    replay : int or None
        Number of the replay. None for the rankings that were created for editors.
    ranker : str
        Ranker name, or `presort.desk.scores.sorters.SORTED`.
    n_new, n_old : int
        Number of newest issues, and number of earlier issues with which they are compared.
    active : tuple of str
        Codes of the reports that are not retired.
    """

    replay: int | None
    ranker: str
    n_new: int
    n_old: int
    active: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Figures:
    """Figures for the newest 52 issues.

    Attributes
    ----------
    first : date
        First of these issues.
    cases : DataFrame
        ``report``, ``issue`` and ``replay`` of each report issue that has a relevant paper.
    effort, change : float
        Reading effort over all issues, from 0 to 1, and its change from the earlier to the newest issues of the window.
        NaN if unknown.
    by_issue : Series
        Reading effort by issue, oldest first.
    saved, saved_over_baseline : SavingsPerList
        Savings compared with list order and with `BASELINE`. `saved_over_baseline` covers no lists if the baseline is
        selected or was not run.
    reports : DataFrame
        Result of `report_figures`.
    n_tested, n_declined : int
        Number of reports with enough issues to test for a decline, and number of reports that declined.
    alerts : list of Alert
        Alerts about declines, underestimates and early stops.
    """

    first: date
    cases: pd.DataFrame
    effort: float
    change: float
    by_issue: "pd.Series[float]"
    saved: SavingsPerList
    saved_over_baseline: SavingsPerList
    reports: pd.DataFrame
    n_tested: int
    n_declined: int
    alerts: list[Alert]


def figures(selection: Selection) -> Figures:
    """Return the figures for a selection. They are cached, so the caller must not modify them."""
    return _figures(cache.state(), cache.n_ranker_choices(), cache.stop_audits_version(), selection)


@cache_by_state
def _figures(state: State, n_choices: int, audits_state: tuple[int, int], selection: Selection) -> Figures:
    table = newest_rows(rows_of(cache.store(), cache.all_scores(selection.replay), selection.ranker))
    saved = cache.effort(selection.replay, selection.ranker)
    audits = cache.stop_audits(selection.replay, selection.ranker)
    work = cache.work(table["issue"].min().date())
    depths = cache.depths(selection.replay, selection.ranker)
    return compute(selection, table, depths, saved, audits, work, _savings_against_baseline(selection, work))


def _savings_against_baseline(selection: Selection, work: pd.DataFrame) -> SavingsPerList:
    every = newest_rows(keep_same_conditions(cache.comparison_scores(selection.replay), 2))
    mine = rows_of(cache.store(), every, selection.ranker)
    return savings_against(mine[mine["ranker"] != BASELINE], every[every["ranker"] == BASELINE], work)


def compute(
    selection: Selection,
    table: pd.DataFrame,
    tested: pd.DataFrame,
    saved: pd.DataFrame,
    audits: pd.DataFrame,
    work: pd.DataFrame,
    over_baseline: SavingsPerList = NOTHING_SAVED,
) -> Figures:
    """Compute the figures.

    Parameters
    ----------
    selection : Selection
        Filters of the page.
    table : DataFrame
        Result of `newest_rows`, with at least one issue.
    tested : DataFrame
        Result of `presort.desk.scores.alarms.add_depth` for the active reports.
    saved, work : DataFrame
        Results of `presort.desk.scores.effort.effort` and `work_done`.
    audits : DataFrame
        Result of `presort.desk.scores.stop_audit.table`.
    over_baseline : SavingsPerList
        Result of `presort.desk.scores.effort.savings_against`.
    """
    active = {name: each[each["report"].isin(selection.active)] for name, each in {"t": table, "w": work}.items()}
    rows = report_figures(selection, active["t"], saved, tested)
    cases = table[table["n_relevant"] > 0]
    declines = decline_alerts(tested)
    return Figures(
        table["issue"].min().date(),
        cases[["report", "issue", "replay"]],
        reading_effort(table),
        _change(table, selection),
        cases.groupby("issue")[LAST].mean().sort_index(),
        savings_per_list(saved),
        over_baseline,
        rows,
        int(rows["p"].notna().sum()),
        int((rows["p"] <= LEVEL).sum()),
        [
            *declines,
            *audit_alerts(audits[audits["report"].isin(selection.active)]),
            *early_stop_alerts(active["w"]),
        ],
    )


def report_figures(
    selection: Selection, table: pd.DataFrame, saved: pd.DataFrame, tested: pd.DataFrame
) -> pd.DataFrame:
    """Return the figures for each active report.

    Returns
    -------
    DataFrame
        ``report``
            Code of the report.
        ``now``, ``before``, ``change``
            Reading effort in the newest issues and in the earlier issues, from 0 to 1, and their difference. NaN if
            unknown.
        ``p``
            p-value of a decline, corrected for the number of reports. NaN if there are too few lists for a test.
        ``lacks``
            Text with the number of available lists and the number that a test needs. Empty if there are enough lists.
        ``trend``
            Relative last positions in the window in percent, oldest first.
        ``minutes``, ``papers``
            Minutes and papers saved per list.
    """
    codes = list(selection.active)
    new, old = _windows(table, selection)
    shares = {
        name: table[table["issue"].isin(days)].groupby("report")[LAST].mean().reindex(codes)
        for name, days in {"now": new, "before": old}.items()
    }
    p = {one.report: one.chance for one in every_shift(tested, towards="higher", p_value=value_sum_p)}
    sizes = n_values(tested, codes)
    recent = table[table["issue"].isin([*old, *new])].dropna(subset=LAST).sort_values("issue")
    trends = (100 * recent[LAST]).groupby(recent["report"]).agg(list).reindex(codes)
    per_list = saved.groupby("report")[["minutes", "papers"]].mean().reindex(codes)
    found = {
        "now": shares["now"],
        "before": shares["before"],
        "change": shares["now"] - shares["before"],
        "p": pd.Series(p, dtype=float).reindex(codes),
        "lacks": pd.Series({code: missing_lists_text(*sizes[code]) for code in codes}, dtype=object),
        "trend": trends.map(lambda trend: trend if isinstance(trend, list) else []),
        "minutes": per_list["minutes"],
        "papers": per_list["papers"],
    }
    return pd.DataFrame(found, index=pd.Index(codes, name="report")).reset_index()


def missing_lists_text(n_new: int, n_old: int) -> str:
    """State how many lists are available for the test of a decline, and how many it needs.

    Returns an empty string if there are enough lists.

    `n_new` and `n_old` are the numbers of lists with a relevant paper.

    Examples
    --------
    >>> missing_lists_text(13, 8), missing_lists_text(3, 39), missing_lists_text(5, 13)
    ('8 of 13 earlier lists', '3 of 5 new lists', '')
    """
    if n_old < FEWEST_OLD:
        return f"{n_old} of {FEWEST_OLD} earlier lists"
    return f"{n_new} of {FEWEST_NEW} new lists" if n_new < FEWEST_NEW else ""


def _windows(table: pd.DataFrame, selection: Selection) -> tuple[Sequence[pd.Timestamp], Sequence[pd.Timestamp]]:
    days = sorted(table["issue"].unique())
    n_new, n_old = selection.n_new, selection.n_old
    return days[-n_new:], days[-n_new - n_old : -n_new]


def _change(table: pd.DataFrame, selection: Selection) -> float:
    new, old = _windows(table, selection)
    now, before = (reading_effort(table[table["issue"].isin(days)]) for days in (new, old))
    return now - before if len(old) else math.nan
