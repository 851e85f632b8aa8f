"""Claim: figures of issues whose editor stopped early mislead; with those left out, they are what they were.

Run as ``OPENBLAS_NUM_THREADS=1 python -m benchmarks.stopped_early [ARXIV.PARQUET]``. Past issues are replayed, so that
all that is relevant is known. Then some editors stop early: in one of three report issues, drawn at random, they read
only a tenth of the list, and what is relevant further down is not found. Three times the same is reckoned: by all that
is relevant; by what was found, as if the rest had been read; and by the rule of `desk.sheet.unread`, which leaves
those report issues out of figures and of what the light learns from, and what was not read out of what rankers learn
from.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.importers import read_listings
from data.records import History, ListedPaper
from metrics import Outcome, score
from ranker.light import FinishedIssue, fit_lights, red
from ranker.recipe import Recipe
from ranker.replay import replay
from ranker.versions import RECIPES

RANKER = "krichel-2007"  # the fastest to train
MEASURES = ["relative_last_position", "average_precision"]
SHARE_STOPPED, SHARE_READ = 1 / 3, 0.1
EVERY = 4  # issues between trainings
SEED = 1

Case = tuple[str, int]  # a report and an issue


def history_of(listings: Sequence[ListedPaper], reports: Sequence[str]) -> History:
    """Put together issues, and what some reports selected from them."""
    days = sorted({one.issue for one in listings})
    by_issue = {day: [one for one in listings if one.issue == day] for day in days}
    papers = [one for day in days for one in by_issue[day]]
    relevant = {code: np.flatnonzero([code in one.selected_by for one in papers]) for code in reports}
    starts = np.concatenate([[0], np.cumsum([len(by_issue[day]) for day in days])])
    return History(days, starts, [one.paper for one in papers], relevant)


def orders(recipe: Recipe, history: History, first: int, reports: Sequence[str]) -> dict[Case, NDArray[np.intp]]:
    """Sort the issues from the first on for each report: rows of the history, best first; list order is left out."""
    ranked = replay(recipe, history, first, len(history.issues), reports=reports, retrain_every=EVERY)
    return {
        (one.report, one.issue_index): history.starts[one.issue_index] + one.order for one in ranked if len(one.scores)
    }


def stop_early(history: History, sorted_rows: Mapping[Case, NDArray[np.intp]]) -> tuple[set[Case], History, History]:
    """Let editors stop; give where, and what is then known without the rule and with it."""
    dice = np.random.default_rng(SEED)
    stopped = {case for case in sorted_rows if dice.random() < SHARE_STOPPED}
    unread: dict[str, NDArray[np.intp]] = {}
    for report, issue in sorted(stopped):
        rows = sorted_rows[report, issue]
        below = rows[int(np.ceil(SHARE_READ * len(rows))) :]
        unread[report] = np.union1d(unread.get(report, below[:0]), below)
    found = {code: np.setdiff1d(rows, unread.get(code, rows[:0])) for code, rows in history.relevant.items()}
    without = replace(history, relevant=found)
    return stopped, without, replace(without, maybe=unread)


def outcomes(history: History, sorted_rows: Mapping[Case, NDArray[np.intp]]) -> dict[Case, Outcome]:
    """Return where relevant papers stood, of the report issues that have any."""
    flags = {case: np.isin(rows, history.relevant[case[0]]) for case, rows in sorted_rows.items()}
    return {case: Outcome.from_relevance(flag.tolist()) for case, flag in flags.items() if flag.any()}


def light_figures(
    days: Sequence[date], known: Mapping[Case, Outcome], true: Mapping[Case, Outcome]
) -> tuple[float, float]:
    """Learn the light from all that is known before each of the newest half of the issues; give how it does there.

    Returns the share of report issues that have a relevant paper below red, and the mean share of the list at red.
    """
    issues = sorted({issue for _, issue in true})
    missed, share = [], []
    for issue in issues[len(issues) // 2 :]:
        earlier: dict[str, list[FinishedIssue]] = {report: [] for report, _ in true}
        for (report, past), outcome in sorted(known.items(), key=lambda item: item[0]):
            if past < issue:
                earlier[report].append(FinishedIssue(outcome.positions.astype(np.int32), outcome.n, days[past]))
        lights = fit_lights(earlier)
        for (report, day), outcome in true.items():
            if day == issue and lights[report].is_ready:
                at = red(lights[report].chances(outcome.n))
                missed.append(at < outcome.last)
                share.append(at / outcome.n)
    return float(np.mean(missed)), float(np.mean(share))


def lines(
    history: History, sorted_rows: Mapping[Case, NDArray[np.intp]], recipe: Recipe, newest: int
) -> Iterator[tuple[str, int, float, float, float, float, float]]:
    """Reckon three times: by all that is relevant, by what was found, and by the rule."""
    stopped, without, with_rule = stop_early(history, sorted_rows)
    true, seen = outcomes(history, sorted_rows), outcomes(without, sorted_rows)
    kept = {case: outcome for case, outcome in seen.items() if case not in stopped}
    known = {"all read": (history, true), "as if read": (without, seen), "by the rule": (with_rule, kept)}
    for name, (learned_from, shown) in known.items():
        table = score(list(shown.values()), MEASURES)
        anew = outcomes(history, orders(recipe, learned_from, newest, sorted(history.relevant)))
        last = float(np.mean([outcome.last / outcome.n for outcome in anew.values()]))
        missed, share = light_figures(history.issues, shown, true)
        position, precision = (float(table[name].mean()) for name in MEASURES)
        yield name, len(shown), position, precision, missed, share, last


def main() -> None:
    """Print a line for each of the three."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="?", type=Path, default=Path("../shared/corpus/arxiv.parquet"))
    parser.add_argument("--from", dest="first", type=date.fromisoformat, default=date(2018, 11, 5))
    parser.add_argument("--to", dest="last", type=date.fromisoformat, default=date(2019, 2, 25))
    parser.add_argument("--reports", type=int, default=10, help="those with most relevant papers")
    options = parser.parse_args()
    listings = [one for one in read_listings(options.path) if options.first <= one.issue <= options.last]
    reports = largest(listings, options.reports)
    history = history_of(listings, reports)
    recipe, n_issues = RECIPES[RANKER], len(history.issues)
    sorted_rows = orders(recipe, history, n_issues // 5, reports)
    print(f"{n_issues} issues, {len(history.papers):,} papers, {len(reports)} reports")
    print("             | report issues | last | AP | missed below red, share at red | last of what is sorted next")
    for name, n, last, precision, missed, share, next_last in lines(history, sorted_rows, recipe, n_issues - EVERY):
        print(f"{name:12} | {n:4} | {last:6.2%} | {precision:.3f} | {missed:5.1%} {share:6.1%} | {next_last:6.2%}")


def largest(listings: Sequence[ListedPaper], n_reports: int) -> list[str]:
    """Name the reports that selected most."""
    codes = [code for one in listings for code in one.selected_by]
    names, counts = np.unique(codes, return_counts=True)
    return sorted(names[np.argsort(-counts, kind="stable")][:n_reports].tolist())


if __name__ == "__main__":
    main()
