"""What a summary says in sentences, from its figures."""

from datetime import date
from importlib.metadata import version

import pandas as pd

from data.desk_work import last_in_list
from data.rankings import replays
from data.store import Store
from desk import quality, summary
from desk.summary import Material
from desk.words import summary as words
from desk.work_done import work_done

NAMED = 3  # reports of either end
LEAST_REPORTS = 2 * NAMED + 1  # of which the ends are named


def saved(store: Store, mine: pd.DataFrame) -> pd.DataFrame:
    """Give `quality.effort` of what a ranker ranked, by the reports' own pace where it is known."""
    work = work_done(store, mine["issue"].min().date())
    return quality.effort(mine, last_in_list(store), quality.pace(work))


def sentences(material: Material, compared: pd.DataFrame, reports: pd.DataFrame, saved: pd.DataFrame) -> list[str]:
    """Say in short how good the rankings were.

    Parameters
    ----------
    compared : DataFrame
        As `summary.side_by_side` gives it, of the rankers of the material.
    reports : DataFrame
        As `summary.by_report` gives it, of the first ranker; ``name`` beside it.
    saved : DataFrame
        As `quality.effort` gives it, of the first ranker.
    """
    mine, last = material.mine, material.mine["relative_last_position"]
    n_papers = mine.groupby("issue")["n_papers"].max()
    said = [
        words.sorted_says(len(n_papers), int(n_papers.sum()), len(reports), material.rankers[0]),
        words.last_says(last.mean(), last.median(), mine["n_papers"].mean(), len(mine)),
        *_effort_says(mine, saved),
        _change_says(material),
    ]
    if len(compared) > 1:
        said.append(_rankers_say(material, compared))
    if len(reports) >= LEAST_REPORTS:
        ends = list(zip(reports["name"], reports["last"], strict=True))
        said.append(words.extremes_say(ends[:NAMED], ends[: -NAMED - 1 : -1]))
    return said


def _effort_says(mine: pd.DataFrame, saved: pd.DataFrame) -> list[str]:
    if saved.empty:
        return []
    received = (saved["received"] / mine["n_papers"].loc[saved.index]).mean()
    papers, minutes = round(saved["papers"].sum()), saved["minutes"].sum()
    return [words.effort_says(received, papers, minutes, len(saved))]


def _change_says(material: Material) -> str:
    change = summary.change(material.mine)
    if change is None:
        return words.NO_CHANGE
    said = words.change_says(change.newest, change.before, is_sure=change.is_sure)
    others = [summary.change(rows) for name, rows in material.fair.groupby("ranker") if name != material.rankers[0]]
    is_alike = [other and other.is_sure and other.is_better == change.is_better for other in others]
    if change.is_sure and is_alike and all(is_alike):
        said += f" {words.others_say(len(others), is_better=change.is_better)}"
    return said


def _rankers_say(material: Material, compared: pd.DataFrame) -> str:
    """Name the best, and then the first, which the summary is about; or if that is the best, the second best."""
    means = compared[["ranker", "mean_relative_last_position"]].itertuples(index=False, name=None)
    first, *others = means
    best, second = sorted([first, *others], key=lambda mean: mean[1])[:2]
    other = second if best == first else first
    return words.rankers_say(len(compared), best, other, is_sure=summary.is_apart(material.fair, best[0], other[0]))


def made_by(store: Store, material: Material, saved: pd.DataFrame, replay: int | None, made: date) -> list[str]:
    """Say how a summary was made, of which replay if it is of one, and what it leaves out."""
    mine = material.mine
    shown = next((old for old in replays(store) if old.id == replay), None)
    n_left_out = len(mine) - len(material.fair) // len(material.rankers)
    return [
        words.source_says(shown, int(mine["replay"].notna().sum()), len(mine)),
        *words.left_out_says(
            nothing=material.n_nothing,
            everything=int((mine["n_relevant"] == mine["n_papers"]).sum()),
            list_order=int((~mine["is_trained"].astype(bool)).sum()),
            not_common=n_left_out,
        ),
        *words.too_few_says(material.too_few),
        *([words.minutes_say(int(saved["is_timed"].sum()), len(saved), quality.STUDY_MINUTES)] if len(saved) else []),
        words.QUARTERS,
        *([words.APART] if len(material.rankers) > 1 else []),
        words.made_says(made, version("presort")),
    ]
