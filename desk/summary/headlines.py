"""Headline figures for the summary page and for the director's weekly mail."""

from collections.abc import Sequence
from datetime import date
from importlib.metadata import version
from typing import NamedTuple

import pandas as pd

from presort.data import catalogue
from presort.data.editing.work import last_in_list
from presort.data.learning.rankings import replays
from presort.data.store import Store
from presort.desk.scores import table
from presort.desk.scores.effort import (
    READING_EFFORT,
    SAVED_PER_LIST,
    STUDY_MINUTES,
    effort,
    reading_effort,
    savings_per_list,
    work_done,
)
from presort.desk.scores.formats import EDITORS, p_value, percent, replay_label
from presort.desk.summary import figures
from presort.desk.summary.figures import Material
from presort.desk.text import count_text

NAMED = 3  # number of reports listed with the lowest and with the highest reading effort
LEAST_REPORTS = 2 * NAMED + 1  # with fewer reports, the two lists would contain every report, some of them twice

QUARTERS = (
    "The 13 weeks up to the last issue are compared with the 13 weeks before, for reports with at least six issues in "
    "both quarters. The means depend on the numbers of papers and relevant papers; the test doesn't. For each report, "
    "the test ranks the issues by the depth of their last relevant paper. To compare two issues, papers are dropped at "
    "random until both issues have equal numbers of papers and of relevant papers. A rank-sum test then compares the "
    "mean ranks of the two quarters' issues. A change is significant if p < 0.05."
)
CLEAR_WINNER = (
    "As on the Compare page, a clear winner leads significantly in natural order and has a lower mean relative last "
    "position. Significance: sign-flip test over reports (over issues if there are few reports), corrected for all "
    "pairs of rankers."
)


class Headline(NamedTuple):
    """Labelled figure with an optional note, for example on its basis."""

    label: str
    value: str
    note: str = ""

    def __str__(self) -> str:
        """Format the label, the figure and the note as one line.

        Examples
        --------
        >>> print(Headline("Reading effort", "13.0 %", "median 7.0 %"))
        Reading effort: 13.0 % (median 7.0 %)
        """
        return f"{self.label}: {self.value}" + (f" ({self.note})" if self.note else "")


def compute_savings(store: Store, mine: pd.DataFrame) -> pd.DataFrame:
    """Compute the `effort` of rankings, using each report's own pace where it is known."""
    first = mine["issue"].min().date()
    return effort(mine, last_in_list(store, first), work_done(store, first))


def add_names(store: Store, reports: pd.DataFrame) -> pd.DataFrame:
    """Add the column ``name`` to a table of reports."""
    names = {report.code: report.name for report in catalogue.reports(store, retired=True)}
    return reports.assign(name=reports["report"].map(names))


def describe_rankers(mine: pd.DataFrame) -> str:
    """List the rankers in a table of rankings, most issues first.

    If there are several rankers, the number of issues is given for each of them.

    Examples
    --------
    >>> describe_rankers(pd.DataFrame({"ranker": ["old", "new", "new"], "issue": [1, 2, 3]}))
    'new (2 issues), old (1 issue)'
    >>> describe_rankers(pd.DataFrame({"ranker": ["new"], "issue": [3]}))
    'new'
    """
    n_issues = mine.groupby("ranker")["issue"].nunique().sort_values(ascending=False, kind="stable")
    if len(n_issues) == 1:
        return str(n_issues.index[0])
    return ", ".join(f"{ranker} ({count_text(int(n), 'issue')})" for ranker, n in n_issues.items())


def span(mine: pd.DataFrame) -> str:
    """Format the dates of the first and last issue.

    Examples
    --------
    >>> span(pd.DataFrame({"issue": pd.to_datetime(["2026-11-02", "2026-11-16"])}))
    '2026-11-02 to 2026-11-16'
    >>> span(pd.DataFrame({"issue": pd.to_datetime(["2026-11-02"])}))
    '2026-11-02'
    """
    first, last = mine["issue"].min().date(), mine["issue"].max().date()
    return f"{first}" if first == last else f"{first} to {last}"


def verdict(material: Material) -> str:
    """Return a text that says whether reading effort changed significantly, or that it is too early to compare."""
    change = figures.change(material.mine)
    if change is None:
        n_newest, n_before = figures.issues_to_compare(material.mine)
        needed = f"No report has {figures.LEAST_ISSUES} issues in each quarter yet"
        return f"Too early to compare quarters. {needed}: the closest has {n_newest} and {n_before}."
    if not change.is_sure:
        return "No significant change from the quarter before."
    text = f"{'Less' if change.is_better else 'More'} reading than in the quarter before"
    others = [figures.change(rows) for name, rows in material.fair.groupby("ranker") if name != material.rankers[0]]
    is_common = others and all(one and one.is_sure and one.is_better == change.is_better for one in others)
    return f"{text}. The same is true of every other ranker." if is_common else f"{text}."


def headlines(material: Material, reports: pd.DataFrame, saved: pd.DataFrame) -> list[Headline]:
    """Return the headline figures for a summary.

    Parameters
    ----------
    material : Material
        Data for the summary.
    reports : DataFrame
        Result of `reading_by_report`, with the column ``name`` added.
    saved : DataFrame
        Result of `effort`.
    """
    mine, last = material.mine, material.mine["relative_last_position"]
    mean, n_papers = reading_effort(mine), mine["n_papers"].mean()
    paper = f"about paper {max(1, round(mean * n_papers)):,} of {round(n_papers):,}"
    lists = count_text(len(mine), "report issue")
    found = [Headline(READING_EFFORT, percent(mean), f"{paper}; median {percent(last.median())}; {lists}")]
    if len(saved):
        found.append(Headline("In list order", percent(savings_per_list(saved).other_effort)))
        found += _saved_headlines(saved)
    change = figures.change(mine)
    if change is not None:
        before = f"{percent(change.before)} in the quarter before, {p_value(change.p_value)}"
        found.append(Headline("Newest quarter", percent(change.newest), before))
    if len(material.rankers) > 1:
        found.append(_best_ranker(material))
    known = reports.dropna(subset="median")
    if len(known) >= LEAST_REPORTS:
        found += [
            _extreme_headline("Lowest median reading effort", known.head(NAMED)),
            _extreme_headline("Highest median reading effort", known.tail(NAMED)[::-1]),
        ]
    return found


def _saved_headlines(saved: pd.DataFrame) -> list[Headline]:
    """Return the savings on lists that editors read in the ranking's order, and estimated savings on other lists."""
    kinds = {f"{SAVED_PER_LIST}, lists read in this order": True, f"{SAVED_PER_LIST}, other lists (estimate)": False}
    found = []
    for label, was_read in kinds.items():
        lists = saved[saved["was_read"] == was_read]
        if len(lists):
            one = savings_per_list(lists)
            in_all = (
                f"{round(lists['papers'].sum()):,} papers and about {lists['minutes'].sum() / 60:,.0f} hours in all"
            )
            n_lists = count_text(len(lists), "report issue")
            found.append(Headline(label, f"{one.papers:,.0f} papers, {one.minutes:,.1f} min", f"{in_all}; {n_lists}"))
    return found


def _best_ranker(material: Material) -> Headline:
    """Compare the best ranker with the main ranker or, if the main ranker is the best, with the second best."""
    means = material.fair.groupby("ranker")["relative_last_position"].mean()
    best, second = sorted(material.rankers, key=lambda name: float(means[name]))[:2]
    other = second if best == material.rankers[0] else material.rankers[0]
    lead = "clear winner" if figures.is_clear_winner(material.fair, best, other) else "not significant"
    note = f"{percent(means[best])}, compared with {percent(means[other])} for {other}; {lead}"
    return Headline(f"Least reading among {count_text(len(material.rankers), 'ranker')}", best, note)


def _extreme_headline(label: str, reports: pd.DataFrame) -> Headline:
    """Return a headline with the first report as its figure and the other reports as its note."""
    efforts = zip(reports["name"], reports["median"], strict=True)
    first, *others = (f"{name} {percent(median)}" for name, median in efforts)
    return Headline(label, first, ", ".join(others))


def basis_headlines(
    store: Store, material: Material, saved: pd.DataFrame, replay: int | None, made: date
) -> Sequence[Headline]:
    """Describe what a summary is based on: the source of the rankings, report issues left out, methods and date."""
    mine = material.mine
    keys, fair = (rows.set_index(["report", "issue"]).index for rows in (mine, material.fair))
    n_stopped = table.n_not_evaluable(
        table.find_not_evaluable(store, replay=replay),
        mine["ranker"].unique().tolist(),
        mine["report"].unique().tolist(),
        first=mine["issue"].min(),
        last=mine["issue"].max(),
    )
    counts = {
        ("No relevant paper", "left out"): material.n_nothing,
        ("All papers relevant", "left out of Copnori"): int((mine["n_relevant"] == mine["n_papers"]).sum()),
        ("In list order", "too few decisions to train on; included"): int((~mine["is_trained"].astype(bool)).sum()),
        ("Not ranked by all rankers", "left out of the comparison"): int((~keys.isin(fair)).sum()),
        ("Not read far enough to be scored", "left out"): n_stopped,
    }
    return [
        _rankings_from(store, mine, replay),
        *(Headline(label, count_text(n, "report issue"), note) for (label, note), n in counts.items() if n),
        *([Headline("Rankers with too few lists in common", ", ".join(material.too_few))] if material.too_few else []),
        *([_reading_time_headline(saved)] if len(saved) else []),
        Headline("Quarters", QUARTERS),
        *([Headline("Rankers", CLEAR_WINNER)] if len(material.rankers) > 1 else []),
        Headline("Created", f"{made}", f"Presort {version('presort')}"),
    ]


def _rankings_from(store: Store, mine: pd.DataFrame, replay: int | None) -> Headline:
    shown = next((old for old in replays(store) if old.id == replay), None)
    if shown is not None:
        return Headline("Rankings", replay_label(shown))
    n_replayed = int(mine["replay"].notna().sum())
    return Headline("Rankings", EDITORS, f"{n_replayed:,} of {len(mine):,} replayed" if n_replayed else "")


def _reading_time_headline(saved: pd.DataFrame) -> Headline:
    n_timed = int(saved["is_timed"].sum())
    study = f"otherwise {STUDY_MINUTES:g} minutes per issue, as in a study of NEP"
    return Headline("Reading time", f"report's own pace in {n_timed:,} of {len(saved):,} report issues; {study}")
