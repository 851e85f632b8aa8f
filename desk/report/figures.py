"""Figures for one report over the newest 52 issues. The *Overview* page uses the same issues and windows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from presort.data.editing.log import PublishedIssue
from presort.data.records import Editorship, Holiday, PendingIssue, RankerChoice
from presort.desk.report.charts import Event
from presort.desk.scores.effort import SavingsPerList, reading_effort, savings_per_list
from presort.desk.scores.formats import p_value, percent
from presort.desk.scores.shifts import (
    FEWEST_NEW,
    FEWEST_OLD,
    LEVEL,
    NEW,
)
from presort.desk.text import count_text

LAST = "relative_last_position"
NOT_SCORED = "not read to the end, not scored"


@dataclass(frozen=True, eq=False)
class Figures:
    """Figures for one report on the *My report* page.

    Attributes
    ----------
    own : DataFrame
        The report's selected rankings in the newest 52 issues, one per issue.
    new_issues, old_issues : list of Timestamp
        The newest `NEW` issues of the service, and the same number of issues before them.
    effort, now, before : float
        Reading effort over all lists in `own`, over those of `new_issues`, and over those of `old_issues`, from 0 to 1.
        NaN if unknown.
    n_relevant : float
        Mean number of relevant papers per list. NaN if there are no lists.
    saved : SavingsPerList
        Savings compared with list order.
    n_above : int
        Relevant papers found above the stop point, in lists that were shown to the editor with stop advice.
    p : float
        p-value of a decline, corrected for the number of reports. NaN if it can't be tested.
    """

    own: pd.DataFrame
    new_issues: list[pd.Timestamp]
    old_issues: list[pd.Timestamp]
    effort: float
    now: float
    before: float
    n_relevant: float
    saved: SavingsPerList
    n_above: int
    p: float


def compute(
    report: str,
    rows: pd.DataFrame,
    days: Sequence[pd.Timestamp],
    saved: pd.DataFrame,
    work: pd.DataFrame,
    p_values: Mapping[str, float],
) -> Figures:
    """Compute the figures for one report.

    Parameters
    ----------
    report : str
        Report code.
    rows : DataFrame
        Result of `scores.table.scores` that includes the report, one ranking per report issue.
    days : sequence of Timestamp
        The service's newest 52 issues, oldest first.
    saved, work : DataFrame
        Results of `scores.effort.effort` and `scores.effort.work_done`.
    p_values : mapping from str to float
        p-value of a decline for each report that can be tested.
    """
    own = rows[(rows["report"] == report) & rows["issue"].isin(days)]
    new, old = list(days[-NEW:]), list(days[-2 * NEW : -NEW])
    now, before = (reading_effort(own[own["issue"].isin(part)]) for part in (new, old))
    # Not computed from the positions in `own`, because stop points refer to the order in which the list was read. This
    # may be a re-ranked order.
    is_shown = work["issue"].isin(own.loc[own["was_shown"].astype(bool), "issue"])
    n_above = int(work.loc[is_shown & (work["report"] == report), "n_above"].sum())
    return Figures(
        own,
        new,
        old,
        reading_effort(own),
        now,
        before,
        float(own["n_relevant"].mean()),
        savings_per_list(saved[saved["report"] == report]),
        n_above,
        p_values.get(report, math.nan),
    )


def verdict(found: Figures, n_new: int, n_old: int) -> str:
    """Return a sentence that says whether the report has declined.

    `n_new` and `n_old` are the numbers of lists with at least one relevant paper, in the newest and in the earlier
    issues.

    Examples
    --------
    >>> from dataclasses import replace
    >>> saved = SavingsPerList(40, 5, 0.8, 1)
    >>> found = Figures(pd.DataFrame(), [], [], 0.19, 0.19, 0.087, 8, saved, 0, 0.13)
    >>> verdict(found, 13, 39)
    'No clear decline: reading effort 19.0 % in the newest 13 issues, compared with 8.7 % in the 13 issues before (p = 0.13).'
    >>> verdict(replace(found, p=0.004), 13, 39)
    'Declined: reading effort 19.0 % in the newest 13 issues, compared with 8.7 % in the 13 issues before (p = 0.004).'
    >>> verdict(replace(found, p=math.nan), 1, 0)
    'Too few lists to test for a decline: 0 earlier lists, at least 13 needed.'
    """  # noqa: E501
    if math.isnan(found.p):
        n, kind, fewest = (n_old, "earlier", FEWEST_OLD) if n_old < FEWEST_OLD else (n_new, "new", FEWEST_NEW)
        return f"Too few lists to test for a decline: {count_text(n, f'{kind} list')}, at least {fewest} needed."
    start = "Declined" if found.p <= LEVEL else "No clear decline"
    efforts = (
        f"reading effort {percent(found.now)} in the newest {NEW} issues, compared with {percent(found.before)} in the "
        f"{NEW} issues before"
    )
    return f"{start}: {efforts} ({p_value(found.p)})."


def summarise_unscored_lists(stopped: pd.DataFrame) -> str:
    """Summarise the lists that were not read far enough to be scored. `stopped` contains their rows of `issues_table`.

    Examples
    --------
    >>> summarise_unscored_lists(pd.DataFrame({"n_read": [40, 20], "n_papers": [285, 100], "n_relevant": [3, 0]}))
    '2 lists not read to the end: 60 of 385 papers read, 3 relevant. Not scored, because more relevant papers may be further down.'
    """  # noqa: E501
    n_read, n_papers, n_relevant = (int(stopped[name].sum()) for name in ("n_read", "n_papers", "n_relevant"))
    found = f"{n_read:,} of {count_text(n_papers, 'paper')} read, {n_relevant:,} relevant"
    reason = "Not scored, because more relevant papers may be further down."
    return f"{count_text(len(stopped), 'list')} not read to the end: {found}. {reason}"


def issues_table(
    report: str,
    values: pd.DataFrame,
    stopped: pd.DataFrame,
    work: pd.DataFrame,
    published: Sequence[PublishedIssue],
) -> pd.DataFrame:
    """Return a table with one row for each of the report's issues, newest first.

    Parameters
    ----------
    report : str
        Report code.
    values : DataFrame
        Scored rankings of the report: ``issue``, ``ranker``, ``n_papers``, ``n_relevant`` and ``value``.
    stopped : DataFrame
        Rankings that were not read far enough to be scored: ``issue``, ``n_papers`` and ``n_relevant``.
    work : DataFrame
        Result of `scores.effort.work_done`.
    published : sequence of PublishedIssue
        The report's published issues.

    Returns
    -------
    DataFrame
        Columns ``issue``, ``n_papers``, ``n_relevant``, ``n_read`` and ``stop_at`` (missing if unknown), one column per
        ranker with its value, ``published`` (number of papers published) and ``state``.
    """
    scored = values.drop_duplicates("issue").set_index("issue")[["n_papers", "n_relevant"]].assign(state="")
    early = stopped.drop_duplicates("issue").set_index("issue")[["n_papers", "n_relevant"]].assign(state=NOT_SCORED)
    table = pd.concat([scored, early[~early.index.isin(scored.index)]])
    read = work[work["report"] == report].set_index("issue")
    out = {pd.Timestamp(one.issue): one.n_published for one in published}
    for name in ("n_read", "stop_at"):
        table[name] = table.index.map(read[name].to_dict()).astype("Float64")
    rankers = values.pivot_table(index="issue", columns="ranker", values="value", aggfunc="first", dropna=False)
    table = table.join(rankers).assign(published=pd.Series(table.index.map(out), table.index, dtype="Float64"))
    return table.rename_axis("issue").sort_index(ascending=False).reset_index()


def events(
    report: str,
    editorships: Sequence[Editorship],
    choices: Sequence[RankerChoice],
    holidays: Sequence[Holiday],
) -> list[Event]:
    """Return events that may explain why figures changed: new editors, changes of the active ranker, and holidays."""
    found = [
        Event(f"Editor: {one.editor}{f' (for {one.away})' if one.away else ''}", *[pd.Timestamp(one.first)] * 2)
        for one in editorships
        if one.report == report
    ]
    active = ""
    for choice in sorted(choices, key=lambda one: one.made_at):
        if choice.active != active and choice.after is not None:
            found.append(Event(choice.active, *[pd.Timestamp(choice.after)] * 2))
        active = choice.active
    return [
        *found,
        *(Event(one.name or "Holiday", pd.Timestamp(one.first), pd.Timestamp(one.last)) for one in holidays),
    ]


def first_report(
    codes: Sequence[str],
    own: Sequence[str],
    pending: Sequence[PendingIssue],
    p_values: Mapping[str, float],
    *,
    late: int,
) -> str:
    """Return the report to open first: the most overdue or, if none is late, the one with the clearest decline.

    Parameters
    ----------
    codes : sequence of str
        Reports to choose from, at least one.
    own : sequence of str
        Reports that the user edits. If `codes` includes any of them, the other reports are ignored.
    pending : sequence of PendingIssue
        Pending issues.
    p_values : mapping from str to float
        p-value of a decline for each report that can be tested.
    late : int
        Days after which an issue is late.

    Examples
    --------
    >>> from datetime import date
    >>> old = PendingIssue("mac", date(2026, 11, 2), 300, 0, is_started=False, days_old=19)
    >>> first_report(["his", "lab", "mac"], [], [old], {"lab": 0.01, "his": 0.5}, late=14)
    'mac'
    >>> first_report(["his", "lab", "mac"], ["his", "lab"], [old], {"lab": 0.01, "his": 0.5}, late=14)
    'lab'
    """
    among = [code for code in codes if code in own] or list(codes)
    days = {code: max((one.days_counted for one in pending if one.report == code), default=0) for code in among}
    most_late = max(among, key=lambda code: days[code])
    if days[most_late] >= late:
        return most_late
    return min(among, key=lambda code: p_values.get(code, 1.0))
