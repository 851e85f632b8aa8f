"""Claim: with a target recall of 95 %, editors find 95 % of the relevant papers by reading 1/9 to 1/3 of a list.

Run as ``OPENBLAS_NUM_THREADS=1 python -m benchmarks.left [FOLDER]``, with ``arxiv.parquet`` and ``nber.parquet`` in the
folder. Replays past issues as if each were new. As in a service, presort-1 trains a model every eight issues. With
``--keep FOLDER`` the rankings are stored, so that the next run takes seconds. Then each issue of a span is forecast
from all earlier issues. All settings were chosen on the span ``chosen``. The span ``untouched`` was evaluated once, at
the end.

Prints a line for each target recall:

- the mean share of the list that is read
- the share of a report's relevant papers that are above the stop point, over all its issues in the span: the mean over
  reports, and the worst report
- the share of the relevant papers that is expected below the stop point, and the share that is found there
- the largest difference between these two shares in a month and in a year, and in brackets the mean of this difference
  if every forecast were correct
- the share of report issues whose number of relevant papers below the stop point is in the 90 % prediction interval
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.sorted_issues import SPANS, Case, Span, replay_cases
from presort.ranker.stopping.finished_list import FinishedList
from presort.ranker.stopping.forecast import RelevanceForecast
from presort.ranker.stopping.relevance_model import RelevanceModel, fit_relevance_models
from presort.ranker.versions import RECIPES

MISSES = {"1 in 10": 0.1, "1 in 20": 0.05, "1 in 100": 0.01}
FOLDS = 5  # number of groups of reports; each group in turn is treated as new
DRAWS = 2000  # number of random draws to estimate the largest gap due to chance


class StopForecast(NamedTuple):
    """A report issue's stop point, and the forecast for the papers below it."""

    case: Case
    at: int
    left: float
    expected: float
    is_inside: bool

    @property
    def n_missed(self) -> int:
        """Number of relevant papers below the stop point."""
        return int(self.case.is_relevant[self.at :].sum())


Rule = Callable[[RelevanceModel, Case], StopForecast]


def ask(relevance_model: RelevanceModel, case: Case, read_up_to: int, miss: float) -> tuple[RelevanceForecast, int]:
    """Forecast an issue that was read up to a position. Also return the stop point, which isn't above this position."""
    is_read = np.arange(len(case.scores)) < read_up_to
    forecast = relevance_model.forecast(case.scores, is_read, case.is_relevant & is_read)
    return forecast, max(forecast.stop(miss), read_up_to)


def record_stop(forecast: RelevanceForecast, case: Case, at: int) -> StopForecast:
    """Record the forecast for the papers below the stop point."""
    low, high = forecast.between()
    is_inside = bool(low[at - 1] <= case.is_relevant[at:].sum() <= high[at - 1])
    expected = forecast.n_found + float((forecast.weights @ forecast.hidden).sum())
    return StopForecast(case, at, float(forecast.left()[at - 1]), expected, is_inside)


def stop_before_reading(miss: float | None) -> Rule:
    """Return a rule that stops at the stop point that was advised before reading.

    If `miss` is None, the target recall is *all*, which finds all relevant papers in 95 % of lists.
    """

    def rule(relevance_model: RelevanceModel, case: Case) -> StopForecast:
        forecast, at = ask(relevance_model, case, 0, miss or 0.5)
        return record_stop(forecast, case, at if miss else forecast.stop_for_all())

    return rule


def while_reading(miss: float) -> Rule:
    """Return a rule that updates the stop point after every fiftieth of the list, and stops when it is reached."""

    def rule(relevance_model: RelevanceModel, case: Case) -> StopForecast:
        steps = np.unique(np.ceil(np.linspace(0.02, 1, 50) * len(case.scores)).astype(int)).tolist()
        for read_up_to in steps:
            forecast, at = ask(relevance_model, case, read_up_to, miss)
            if at == read_up_to:
                break
        return record_stop(forecast, case, at)

    return rule


def walk(cases: Sequence[Case], span: tuple[date, date], rule: Rule) -> list[StopForecast]:
    """Forecast the issues in a span, in order of date. All lists are read to the end."""
    first, last = span
    finished: dict[str, list[FinishedList]] = {case.report: [] for case in cases}
    done = []
    for day, of_day in groupby(cases, key=lambda case: case.day):
        relevance_models = fit_relevance_models(finished, before=day) if first <= day <= last else {}
        for case in of_day:
            if relevance_models:
                done.append(rule(relevance_models[case.report], case))
            is_read = np.ones(len(case.scores), dtype=bool)
            finished[case.report].append(FinishedList(case.scores, is_read, case.is_relevant, day))
    return done


def largest_gap(done: Sequence[StopForecast], period_of: Callable[[date], object]) -> tuple[float, float]:
    """Return the largest gap between expected and found shares in any period, and the largest expected by chance."""
    sums: dict[object, NDArray[np.float64]] = defaultdict(lambda: np.zeros(4))
    for one in done:
        sums[period_of(one.case.day)] += [one.left, one.expected, one.n_missed, one.case.is_relevant.sum()]
    left, expected, n_missed, n_relevant = np.array([*sums.values()]).T
    by_chance = np.random.default_rng(1).poisson(left, (DRAWS, len(left))) / n_relevant - left / n_relevant
    gaps = np.abs(left / expected - n_missed / n_relevant)
    return float(gaps.max()), float(np.abs(by_chance).max(axis=1).mean())


def line(done: Sequence[StopForecast]) -> str:
    """Format the results for one target recall."""
    relevant: dict[str, int] = defaultdict(int)
    above: dict[str, int] = defaultdict(int)
    for one in done:
        relevant[one.case.report] += int(one.case.is_relevant.sum())
        above[one.case.report] += int(one.case.is_relevant[: one.at].sum())
    shares = np.array([above[report] / n for report, n in relevant.items() if n])
    read = np.mean([one.at / len(one.case.scores) for one in done])
    promised = sum(one.left for one in done) / sum(one.expected for one in done)
    missed = sum(one.n_missed for one in done) / sum(relevant.values())
    month, by_chance = largest_gap(done, lambda day: (day.year, day.month))
    year, by_chance_too = largest_gap(done, lambda day: day.year)
    inside = np.mean([one.is_inside for one in done])
    return (
        f"read {read:6.2%} | above: mean {shares.mean():6.2%}, worst {shares.min():6.2%} | "
        f"below: expected {promised:6.2%}, found {missed:6.2%}; gap by month {month:5.2%} [{by_chance:5.2%}], "
        f"by year {year:5.2%} [{by_chance_too:5.2%}] | in interval {inside:5.1%}"
    )


def begin(cases: Sequence[Case], span: tuple[date, date], rule: Rule) -> list[StopForecast]:
    """Forecast like `walk`, but as if each report had no issues before the span.

    Reports are divided into five groups, and each group in turn is treated as new.
    """
    first, _ = span
    reports = sorted({case.report for case in cases})
    done = []
    for fold in range(FOLDS):
        new = set(reports[fold::FOLDS])
        known = [case for case in cases if case.report not in new or case.day >= first]
        done += [one for one in walk(known, span, rule) if one.case.report in new]
    return done


def line_for_all(done: Sequence[StopForecast]) -> str:
    """Format the results for the target recall *all*, over lists that have a relevant paper."""
    some = [one for one in done if one.case.is_relevant.any()]
    read = np.mean([one.at / len(one.case.scores) for one in some])
    missed = defaultdict(list)
    for one in some:
        missed[one.case.report].append(one.n_missed > 0)
    below, worst = np.mean([one.n_missed > 0 for one in some]), max(map(np.mean, missed.values()))
    return (
        f"read {read:6.2%} | relevant papers missed in {below:6.2%} of {len(some):,} report issues, "
        f"worst report {worst:6.2%}"
    )


def show(cases: Sequence[Case], span: tuple[date, date]) -> None:
    """Print a line for each target recall, and further lines at 95 % for other ways to read."""
    usual = stop_before_reading(0.05)
    ways = {
        **{name: walk(cases, span, stop_before_reading(miss)) for name, miss in MISSES.items()},
        "updated while reading": walk(cases, span, while_reading(0.05)),
        "reports that start with the span": begin(cases, span, usual),
    }
    for name, done in ways.items():
        print(f"  {name}: {line(done)}", flush=True)
    print(f"  all, in 95 % of lists: {line_for_all(walk(cases, span, stop_before_reading(None)))}", flush=True)


def main() -> None:
    """Print the figures for each corpus and span."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("../shared/corpus"))
    parser.add_argument("--corpus", action="append", choices=SPANS, help="corpus; default all")
    parser.add_argument("--span", action="append", choices=Span._fields[1:], help="span of issues; default both")
    parser.add_argument("--ranker", choices=RECIPES, default="presort-1", help="ranker to replay; default %(default)s")
    parser.add_argument("--keep", type=Path, help="folder to store replays in and read them from")
    options = parser.parse_args()
    for corpus in options.corpus or SPANS:
        path = options.folder / f"{corpus}.parquet"
        if not path.exists():
            print(f"skipped: {path} does not exist")
            continue
        span = SPANS[corpus]
        cases = replay_cases(path, span, options.keep, options.ranker)
        for name in options.span or Span._fields[1:]:
            first, last = getattr(span, name)
            n_reports = len({case.report for case in cases})
            print(f"{corpus}, {first} to {last} ({name}), {n_reports} reports")
            show(cases, (first, last))


if __name__ == "__main__":
    main()
