"""What a summary says in sentences, from its figures."""

from datetime import date
from importlib.metadata import version
from typing import Literal, NamedTuple

import pandas as pd

from presort.data import catalogue
from presort.data.editing.work import last_in_list
from presort.data.learning.rankings import replays
from presort.data.store import Store
from presort.desk.scores import table
from presort.desk.scores.alarms import windows
from presort.desk.scores.effort import STUDY_MINUTES, effort, work_done
from presort.desk.scores.outcomes import not_evaluable_says
from presort.desk.summary import figures, words
from presort.desk.summary.figures import Material

NAMED = 3  # reports of either end
LEAST_REPORTS = 2 * NAMED + 1  # of which the ends are named

QUARTERS = (
    "Quarters: the 13 weeks up to the last issue and the 13 weeks before, for reports with at least six issues in "
    "both. The means depend on how many papers were listed and relevant. The test does not: it compares issues as if "
    "papers had been dropped at random until both had the same numbers. A change is significant if p < 0.05 in a "
    "rank-sum test of the issues, each with the mean rank of its reports."
)
APART = (
    "Rankers: a difference may be chance unless the one is a clear winner over the other in natural order, as on "
    "Compare: by a test of random signs over reports (issues, where there are few reports), corrected for "
    "all pairs of rankers."
)


class Sentence(NamedTuple):
    """A sentence of a summary, and what it is about."""

    about: Literal["sorted", "last", "effort", "change", "rankers", "reports", "source"]
    text: str


def saved(store: Store, mine: pd.DataFrame) -> pd.DataFrame:
    """Return `effort` of some rankings, by the reports' own pace where it is known."""
    first = mine["issue"].min().date()
    return effort(mine, last_in_list(store, first), work_done(store, first))


def with_names(store: Store, reports: pd.DataFrame) -> pd.DataFrame:
    """Return a table of reports with their ``name``."""
    names = {report.code: report.name for report in catalogue.reports(store, retired=True)}
    return reports.assign(name=reports["report"].map(names))


def sorters(mine: pd.DataFrame) -> dict[str, int]:
    """Return in how many issues each ranker sorted, the one of most first."""
    n_issues = mine.groupby("ranker")["issue"].nunique().sort_values(ascending=False, kind="stable")
    return {str(ranker): int(n) for ranker, n in n_issues.items()}


def sentences(material: Material, reports: pd.DataFrame, saved: pd.DataFrame) -> list[Sentence]:
    """State in short how good the rankings were.

    `reports` is a result of `reading_by_report` with a ``name``, `saved` one of `effort`.
    """
    mine, last = material.mine, material.mine["relative_last_position"]
    n_papers = mine.groupby("issue")["n_papers"].max()
    sizes = len(n_papers), int(n_papers.sum()), len(reports)
    texts = [
        Sentence("sorted", words.sorted_says(*sizes, sorters(mine))),
        Sentence("last", words.last_says(last.mean(), last.median(), mine["n_papers"].mean(), len(mine))),
    ]
    if len(saved):
        texts.append(Sentence("effort", _effort_says(mine, saved)))
    texts.append(Sentence("change", _change_says(material)))
    if len(material.rankers) > 1:
        texts.append(Sentence("rankers", _rankers_say(material)))
    reports = reports.dropna(subset="median")
    if len(reports) >= LEAST_REPORTS:
        ends = list(zip(reports["name"], reports["median"], strict=True))
        texts.append(Sentence("reports", words.ends_say(ends[:NAMED], ends[: -NAMED - 1 : -1], len(windows(mine)[0]))))
    return texts


def _effort_says(mine: pd.DataFrame, saved: pd.DataFrame) -> str:
    received = (saved["received"] / mine["n_papers"].loc[saved.index]).mean()
    parts = (saved[saved["was_read"]], saved[~saved["was_read"]])
    read, other = (words.Saved(round(part["papers"].sum()), part["minutes"].sum(), len(part)) for part in parts)
    return words.effort_says(received, read, other)


def _change_says(material: Material) -> str:
    change = figures.change(material.mine)
    if change is None:
        return words.no_change_says(*figures.issues_to_compare(material.mine), figures.LEAST_ISSUES)
    text = words.change_says(change.newest, change.before, is_sure=change.is_sure)
    if not change.is_sure:
        return text
    others = [figures.change(rows) for name, rows in material.fair.groupby("ranker") if name != material.rankers[0]]
    if others and all(other and other.is_sure and other.is_better == change.is_better for other in others):
        text += f" {words.others_say(len(others), is_better=change.is_better)}"
    return text


def _rankers_say(material: Material) -> str:
    """Name the best, and then the first, which the summary is about; or if that is the best, the second best."""
    means = material.fair.groupby("ranker")["relative_last_position"].mean()
    first, *others = [(name, float(means[name])) for name in material.rankers]
    best, second = sorted([first, *others], key=lambda mean: mean[1])[:2]
    other = second if best == first else first
    return words.rankers_say(
        len(material.rankers), best, other, is_sure=figures.is_apart(material.fair, best[0], other[0])
    )


def source(store: Store, mine: pd.DataFrame, replay: int | None) -> Sentence:
    """State where the rankings of a ranker came from, of which replay if they are of one."""
    shown = next((old for old in replays(store) if old.id == replay), None)
    return Sentence("source", words.source_says(shown, int(mine["replay"].notna().sum()), len(mine)))


def made_by(store: Store, material: Material, saved: pd.DataFrame, replay: int | None, made: date) -> list[str]:
    """Describe how a summary was made, of which replay if it is of one, and what it leaves out."""
    mine = material.mine
    keys, fair = (table.set_index(["report", "issue"]).index for table in (mine, material.fair))
    n_left_out = int((~keys.isin(fair)).sum())
    n_stopped = table.n_not_evaluable(
        table.not_evaluable(store, replay=replay),
        mine["ranker"].unique().tolist(),
        mine["report"].unique().tolist(),
        first=mine["issue"].min(),
        last=mine["issue"].max(),
    )
    return [
        source(store, mine, replay).text,
        *words.left_out_says(
            nothing=material.n_nothing,
            everything=int((mine["n_relevant"] == mine["n_papers"]).sum()),
            list_order=int((~mine["is_trained"].astype(bool)).sum()),
            not_common=n_left_out,
        ),
        *filter(None, [not_evaluable_says(n_stopped)]),
        *words.too_few_says(material.too_few),
        *([words.minutes_say(int(saved["is_timed"].sum()), len(saved), STUDY_MINUTES)] if len(saved) else []),
        QUARTERS,
        *([APART] if len(material.rankers) > 1 else []),
        f"Made on {made} by Presort {version('presort')}.",
    ]
