"""Claim: at its level of 95 % the light leaves a relevant paper below red in at most 5 % of the report issues.

Run as ``python -m benchmarks.light WORKSPACE [--first 2019-01-01]``, with a workspace that holds replays. Of each
ranker and replay, the issues from the first on are judged one after the other, with lights fitted on the issues before,
and only where the ranker was trained. Red is where the light stands before anything is read; *while reading* it is
asked anew after every hundredth of the list, and the editor stops where it first shows red. In brackets stands the mean
share of the list at the last relevant paper: with hindsight, no less could be read.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np

from data.learning import rankings
from data.learning.history import read_history
from data.records import ScoredRanking
from data.store import Store, open_store
from ranker.light import FinishedIssue, Light, fit_lights, red

LEVELS = (0.8, 0.9, 0.95, 0.99)
SIZES = {"all large": (280, np.inf), "280-999": (280, 1000), "1,000-2,499": (1000, 2500), "2,500-": (2500, np.inf)}
SIZES |= {"small": (0, 280)}  # reports by their relevant papers in the whole workspace

Reds = tuple[int, ...]


class Judged(NamedTuple):
    """Where the light of a report issue turned red at each level, before and while reading."""

    ranking: ScoredRanking
    before: Reds
    reading: Reds


def reds_before(light: Light, ranking: ScoredRanking) -> Reds:
    """Ask the light before anything is read."""
    chances = light.chances(ranking.n_papers)
    return tuple(red(chances, level=level) for level in LEVELS)


def reds_while_reading(light: Light, ranking: ScoredRanking) -> Reds:
    """Read from the top, and stop at each level where the chance that all were seen first reaches it."""
    positions = np.arange(1, ranking.n_papers + 1)
    is_relevant = np.isin(positions, ranking.places)
    read_to = np.unique(np.ceil(np.linspace(0.01, 1, 100) * ranking.n_papers).astype(int))
    chances = [light.chances_after(positions <= to, is_relevant & (positions <= to))[to - 1] for to in read_to]
    return tuple(int(read_to[red(np.array(chances), level=level) - 1]) for level in LEVELS)


def judge(scored: Sequence[ScoredRanking], first: date) -> tuple[list[Judged], float]:
    """Walk forward over the issues from the first on; give also the mean seconds of fitting all lights."""
    judged, seconds = [], []
    reports = {ranking.report for ranking in scored}
    for issue in sorted({ranking.issue for ranking in scored if ranking.issue >= first}):
        earlier: dict[str, list[FinishedIssue]] = {report: [] for report in reports}
        for ranking in scored:  # they stand by report and issue
            if ranking.issue < issue:
                earlier[ranking.report].append(FinishedIssue(ranking.places, ranking.n_papers, ranking.issue))
        start = time.perf_counter()
        lights = fit_lights(earlier)
        seconds.append(time.perf_counter() - start)
        for ranking in scored:
            if ranking.issue == issue:
                light = lights[ranking.report]
                judged.append(Judged(ranking, reds_before(light, ranking), reds_while_reading(light, ranking)))
    return judged, float(np.mean(seconds))


def line(judged: Iterable[Judged], reds: Callable[[Judged], Reds]) -> str:
    """Return, at each level, the report issues with a relevant paper below red and red's mean share of the list."""
    found = [(np.array(reds(one)), one.ranking.places[-1], one.ranking.n_papers) for one in judged]
    missed = np.mean([at < last for at, last, _ in found], axis=0)
    share = np.mean([at / n_papers for at, _, n_papers in found], axis=0)
    return " | ".join(f"{a:.0%}: {b:5.1%} {c:5.1%}" for a, b, c in zip(LEVELS, missed, share, strict=True))


def print_figures(judged: Sequence[Judged], n_relevant: Mapping[str, int]) -> None:
    """Print two lines a size of report."""
    for size, (least, end) in SIZES.items():
        chosen = [one for one in judged if least <= n_relevant[one.ranking.report] < end]
        if not chosen:
            continue
        last = np.mean([one.ranking.places[-1] / one.ranking.n_papers for one in chosen])
        print(f"  {size:11} {len(chosen):5} report issues [{last:5.1%}] {line(chosen, lambda one: one.before)}")
        print(f"  {'':23} while reading {line(chosen, lambda one: one.reading)}")


def trained_rankings(store: Store) -> dict[tuple[str, int], list[ScoredRanking]]:
    """Return the rankings of each ranker and replay that have an outcome; list order is left out."""
    groups = defaultdict(list)
    for ranking in rankings.scored_rankings(store):
        if ranking.replay is not None and ranking.is_trained and len(ranking.places):
            groups[ranking.ranker, ranking.replay].append(ranking)
    return groups


def main() -> None:
    """Print the figures of every ranker and replay that has issues to learn from."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--first", type=date.fromisoformat, default=date(2019, 1, 1))
    options = parser.parse_args()
    store = open_store(options.workspace)
    try:
        groups = trained_rankings(store)
        relevant = read_history(store, date.max).relevant
    finally:
        store.close()
    n_relevant = {report: len(rows) for report, rows in relevant.items()}
    print("at each level: report issues with a relevant paper below red, mean share of the list at red\n")
    for (ranker, replay), scored in sorted(groups.items()):
        if min(ranking.issue for ranking in scored) < options.first:
            judged, seconds = judge(scored, options.first)
            print(f"{ranker}, replay {replay}, all lights fitted in {1000 * seconds:.0f} ms")
            print_figures(judged, n_relevant)


if __name__ == "__main__":
    main()
