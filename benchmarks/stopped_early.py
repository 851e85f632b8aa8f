"""Claim: report issues that were not read to the end bias the figures. Excluding them removes the bias.

Run as ``OPENBLAS_NUM_THREADS=1 python -m benchmarks.stopped_early [ARXIV.PARQUET]``. Past issues are replayed, so all
relevant papers are known. Then some editors stop early: in one third of the report issues, drawn at random, they read
only a tenth of the list and miss the relevant papers below. The figures are computed twice: as if all other papers
had been read, and by the rule of `presort.desk.session.progress`, which excludes these report issues from the figures
and their unread papers from the training data. Finally, all editors stop at the stop point for a target recall of 95 %,
which is forecast from earlier lists. Such lists count as read.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from presort.data.importers.listings import read_listings
from presort.data.records import History, ListedPaper
from presort.metrics import Outcome, score
from presort.ranker.recipe import Recipe
from presort.ranker.stopping.finished_list import FinishedList
from presort.ranker.stopping.relevance_model import fit_relevance_models
from presort.ranker.train import replay
from presort.ranker.versions import RECIPES

RANKER = "krichel-2007"  # the ranker that is fastest to train
MEASURES = ["relative_last_position", "average_precision"]
SHARE_STOPPED, SHARE_READ = 1 / 3, 0.1
EVERY = 4  # number of issues between trainings
SEED = 1

Case = tuple[str, int]  # report and issue number


class RankedRows(NamedTuple):
    """Ranked issue: rows of the history, best first, and their scores."""

    rows: NDArray[np.intp]
    scores: NDArray[np.float64]


class EvaluableIssues(NamedTuple):
    """Evaluable ranked issues, the training data, and the papers that forecasts treat as read."""

    history: History
    judged: set[Case]
    read: Mapping[Case, NDArray[np.bool_]]


def history_of(listings: Sequence[ListedPaper], reports: Sequence[str]) -> History:
    """Build a history from issues and from the given reports' selections."""
    days = sorted({one.issue for one in listings})
    by_issue = {day: [one for one in listings if one.issue == day] for day in days}
    papers = [one for day in days for one in by_issue[day]]
    relevant = {code: np.flatnonzero([code in one.selected_by for one in papers]) for code in reports}
    starts = np.concatenate([[0], np.cumsum([len(by_issue[day]) for day in days])])
    return History(days, starts, [one.paper for one in papers], relevant)


def orders(recipe: Recipe, history: History, first: int, reports: Sequence[str]) -> dict[Case, RankedRows]:
    """Rank issue `first` and all later issues for each report. Issues that remain in list order are omitted."""
    ranked = replay(recipe, history, first, len(history.issues), reports=reports, retrain_every=EVERY)
    return {
        (one.report, one.issue_index): RankedRows(history.starts[one.issue_index] + one.order, one.scores)
        for one in ranked
        if len(one.scores)
    }


def flags(history: History, case: Case, one: RankedRows) -> NDArray[np.bool_]:
    """Return the relevance of the papers of a ranked issue, best first."""
    return np.isin(one.rows, history.relevant[case[0]])


def drop_unread(history: History, done: Mapping[Case, RankedRows], read: Mapping[Case, NDArray[np.bool_]]) -> History:
    """Return the history without relevant papers that were not read."""
    unread: dict[str, NDArray[np.intp]] = {report: rows[:0] for report, rows in history.relevant.items()}
    for case, is_read in read.items():
        unread[case[0]] = np.union1d(unread[case[0]], done[case].rows[~is_read])
    return replace(
        history, relevant={code: np.setdiff1d(rows, unread[code]) for code, rows in history.relevant.items()}
    )


def a_third_stops(done: Mapping[Case, RankedRows]) -> dict[Case, NDArray[np.bool_]]:
    """Return the papers read in each list if the editors of a third of the lists stop early."""
    dice = np.random.default_rng(SEED)
    shares = {case: SHARE_READ if dice.random() < SHARE_STOPPED else 1.0 for case in done}
    return {case: np.arange(len(one.rows)) < np.ceil(shares[case] * len(one.rows)) for case, one in done.items()}


def stop_all(history: History, done: Mapping[Case, RankedRows]) -> dict[Case, NDArray[np.bool_]]:
    """Return the papers read in each list if all editors stop at the stop point for a target recall of 95 %."""
    known: dict[str, list[FinishedList]] = {report: [] for report in history.relevant}
    read = {}
    for issue in sorted({issue for _, issue in done}):
        day = history.issues[issue]
        relevance_models = fit_relevance_models(known, before=day)
        for case in [case for case in done if case[1] == issue]:
            one, is_relevant = done[case], flags(history, case, done[case])
            nothing = np.zeros(len(one.rows), dtype=bool)
            stop = relevance_models[case[0]].forecast(one.scores, nothing, nothing).stop()
            read[case] = np.arange(len(one.rows)) < stop
            known[case[0]].append(FinishedList(one.scores, read[case], is_relevant & read[case], day))
    return read


def ways(history: History, done: Mapping[Case, RankedRows]) -> dict[str, EvaluableIssues]:
    """Return the data that is known if every list is read to the end, and the known data for each way to stop."""
    whole = {case: np.ones(len(one.rows), dtype=bool) for case, one in done.items()}
    some = a_third_stops(done)
    without = drop_unread(history, done, some)
    early = {case for case, is_read in some.items() if not is_read.all()}
    unread: dict[str, NDArray[np.intp]] = {}
    for case in sorted(early):
        below = done[case].rows[~some[case]]
        unread[case[0]] = np.union1d(unread.get(case[0], below[:0]), below)
    at_stop = stop_all(history, done)
    return {
        "all read": EvaluableIssues(history, set(done), whole),
        "a third stops, as if read": EvaluableIssues(without, set(done), whole),
        "a third stops, by the rule": EvaluableIssues(replace(without, maybe=unread), set(done) - early, some),
        "all stop as advised (95 %)": EvaluableIssues(drop_unread(history, done, at_stop), set(done), at_stop),
    }


def forecast_figures(true: History, known: EvaluableIssues, done: Mapping[Case, RankedRows]) -> tuple[float, float]:
    """Forecast the stop points for 95 % in the newer half of the issues. Returns the shares read and missed."""
    issues = sorted({issue for _, issue in done})
    read, below, n_relevant = [], 0, 0
    for issue in issues[len(issues) // 2 :]:
        earlier: dict[str, list[FinishedList]] = {report: [] for report in true.relevant}
        for case in sorted((case for case in done if case[1] < issue), key=lambda case: case[1]):
            one, is_read = done[case], known.read[case]
            found = flags(known.history, case, one)
            earlier[case[0]].append(FinishedList(one.scores, is_read, found & is_read, true.issues[case[1]]))
        relevance_models = fit_relevance_models(earlier, before=true.issues[issue])
        for case in [case for case in done if case[1] == issue]:
            one, is_relevant = done[case], flags(true, case, done[case])
            nothing = np.zeros(len(one.rows), dtype=bool)
            at = relevance_models[case[0]].forecast(one.scores, nothing, nothing).stop()
            read.append(at / len(one.rows))
            below += int(is_relevant[at:].sum())
            n_relevant += int(is_relevant.sum())
    return float(np.mean(read)), below / n_relevant


def lines(
    history: History, done: Mapping[Case, RankedRows], recipe: Recipe, newest: int
) -> Iterator[tuple[str, int, float, float, float, float, float]]:
    """Compute the figures for each way to stop."""
    for name, known in ways(history, done).items():
        found = {case: flags(known.history, case, done[case]) for case in sorted(known.judged)}
        shown = [Outcome.from_relevance(flag.tolist()) for flag in found.values() if flag.any()]
        table = score(shown, MEASURES)
        re_ranked = orders(recipe, known.history, newest, sorted(history.relevant))
        depths = [
            (np.flatnonzero(relevant)[-1] + 1) / len(relevant)
            for case, one in re_ranked.items()
            if (relevant := flags(history, case, one)).any()
        ]
        read, below = forecast_figures(history, known, done)
        position, precision = (float(table[measure].mean()) for measure in MEASURES)
        yield name, len(shown), position, precision, read, below, float(np.mean(depths))


def main() -> None:
    """Print a line for each way to stop."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="?", type=Path, default=Path("../shared/corpus/arxiv.parquet"))
    parser.add_argument("--from", dest="first", type=date.fromisoformat, default=date(2018, 11, 5))
    parser.add_argument("--to", dest="last", type=date.fromisoformat, default=date(2019, 2, 25))
    parser.add_argument(
        "--reports", type=int, default=10, help="number of reports, those with the most relevant papers"
    )
    parser.add_argument("--ranker", choices=RECIPES, default=RANKER)
    options = parser.parse_args()
    listings = [one for one in read_listings(options.path) if options.first <= one.issue <= options.last]
    reports = largest(listings, options.reports)
    history = history_of(listings, reports)
    recipe, n_issues = RECIPES[options.ranker], len(history.issues)
    done = orders(recipe, history, n_issues // 5, reports)
    print(f"{n_issues} issues, {len(history.papers):,} papers, {len(reports)} reports")
    print("                           | report issues | last | AP | read, missed at 95 %  | last in the next ranking")
    for name, n, last, precision, read, below, next_last in lines(history, done, recipe, n_issues - EVERY):
        print(
            f"{name:26} | {n:4} | {last:6.2%} | {precision:.3f} | {read:6.2%} {below:6.2%} | {next_last:6.2%}",
            flush=True,
        )


def largest(listings: Sequence[ListedPaper], n_reports: int) -> list[str]:
    """Return the reports with the most selections."""
    codes = [code for one in listings for code in one.selected_by]
    names, counts = np.unique(codes, return_counts=True)
    return sorted(names[np.argsort(-counts, kind="stable")][:n_reports].tolist())


if __name__ == "__main__":
    main()
