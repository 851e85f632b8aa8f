"""Claim: the stop advice reaches its target recall if all editors stop at the stop point and read the spot checks.

Run as ``OPENBLAS_NUM_THREADS=1 python -m benchmarks.stop_as_advised [--corpus nber]``. Lists are forecast in order of
date. Each list is read down to its stop point, and its spot check is read: a few papers drawn at random from below the
stop point (``presort.ranker.stopping.spot_check``). Forecasts learn only from these papers. ``--no-spot-check`` omits
spot checks.

Without ``--corpus`` the service is simulated, so that every relevant paper is known: 8 reports, 104 weeks, 250 papers
per list, of which 3 to 8 % are relevant. Scores of relevant papers are normal, shifted by 3 to 4.5 standard deviations.
However, 3 % of the relevant papers have scores like irrelevant papers, so they are scattered over the whole list. With
``--corpus``, the lists are all issues of a corpus that a ranker has replayed (``benchmarks.sorted_issues``).

Prints a line for each target recall:

- the share of the list that was read, including spot checks
- the share of a report's relevant papers that was found: mean and worst report
- the share of lists in which the number of relevant papers below the stop point exceeds its upper bound; it should be
  5 %
- the share of lists with any relevant paper below the stop point

Only the newer half of the weeks is evaluated, because by then forecasts are based only on incompletely read lists.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.sorted_issues import SPANS, Case, replay_cases
from presort.ranker.stopping.finished_list import FinishedList
from presort.ranker.stopping.relevance_model import fit_relevance_models
from presort.ranker.stopping.spot_check import draw_spot_check
from presort.ranker.versions import RECIPES

TARGETS: dict[str, float | None] = {"90 %": 0.1, "95 %": 0.05, "99 %": 0.01, "all": None}
N_REPORTS, N_WEEKS, N_PAPERS = 8, 104, 250
SHIFTS, BASE_RATES, SCATTERED = (3.0, 4.5), (0.03, 0.08), 0.03
START = date(2024, 1, 1)
BOUND_EVERY = 3  # bounds are computed for every third list, because they take most of the time


class ReadList(NamedTuple):
    """List that was read to the stop point.

    Attributes
    ----------
    case
        The list, with all its relevant papers.
    n_read, n_found
        Papers read and relevant papers found, including the spot check.
    n_below, at_most
        Number of relevant papers below the stop point, and its upper bound. The bound is NaN if it was not computed.
    """

    case: Case
    n_read: int
    n_found: int
    n_below: int
    at_most: float


def simulate_service(seed: int, *, scattered: float = SCATTERED, n_weeks: int = N_WEEKS) -> list[Case]:
    """Simulate the lists of a service, week by week."""
    rng = np.random.default_rng(seed)
    shifts, rates = (
        rng.permutation(np.linspace(*SHIFTS, N_REPORTS)),
        rng.permutation(np.geomspace(*BASE_RATES, N_REPORTS)),
    )
    cases = []
    for week in range(n_weeks):
        for number, (shift, rate) in enumerate(zip(shifts, rates, strict=True)):
            is_relevant = rng.random(N_PAPERS) < rate
            is_scattered = rng.random(N_PAPERS) < scattered
            scores = rng.normal(size=N_PAPERS) + shift * (is_relevant & ~is_scattered)
            order = np.argsort(-scores)
            cases.append(Case(f"report {number}", START + timedelta(weeks=week), scores[order], is_relevant[order]))
    return cases


def stop_as_advised(
    cases: Sequence[Case], target: float | None, *, since: date, has_spot_check: bool = True
) -> list[ReadList]:
    """Read every list to its stop point, and then its spot check. Returns the lists with the date `since` or later."""
    finished: dict[str, list[FinishedList]] = {case.report: [] for case in cases}
    stopped = []
    for day, of_day in groupby(cases, key=lambda case: case.day):
        relevance_models = fit_relevance_models(finished, before=day, for_all=target is None)
        for number, case in enumerate(of_day):
            n_papers = len(case.scores)
            nothing = np.zeros(n_papers, dtype=bool)
            forecast = relevance_models[case.report].forecast(case.scores, nothing, nothing)
            at = forecast.stop_for_all() if target is None else forecast.stop(target)
            is_read, is_spot_check = np.arange(n_papers) < at, nothing.copy()
            if has_spot_check:
                check = draw_spot_check(np.arange(at, n_papers, dtype=np.int32), seed=day.toordinal() * 1000 + number)
                is_spot_check[check.positions] = True
                is_read |= is_spot_check
            found = case.is_relevant & is_read
            finished[case.report].append(FinishedList(case.scores, is_read, found, day, is_spot_check))
            if day >= since:
                is_asked = number % BOUND_EVERY == (day - since).days // 7 % BOUND_EVERY
                at_most = float(forecast.between()[1][at - 1]) if is_asked else np.nan
                stopped.append(
                    ReadList(case, int(is_read.sum()), int(found.sum()), int(case.is_relevant[at:].sum()), at_most)
                )
    return stopped


def shares_found(stopped: Sequence[ReadList]) -> NDArray[np.float64]:
    """Return, for each report, the share of its relevant papers that was found."""
    found: dict[str, int] = defaultdict(int)
    relevant: dict[str, int] = defaultdict(int)
    for one in stopped:
        found[one.case.report] += one.n_found
        relevant[one.case.report] += int(one.case.is_relevant.sum())
    return np.array([found[report] / n for report, n in relevant.items() if n])


def line(services: Sequence[Sequence[ReadList]]) -> str:
    """Format the figures for one target recall, over the lists of several services."""
    every = [one for stopped in services for one in stopped]
    some = [one for one in every if one.case.is_relevant.any()]
    found = np.concatenate([shares_found(stopped) for stopped in services])
    pooled = sum(one.n_found for one in every) / sum(int(one.case.is_relevant.sum()) for one in every)
    return (
        f"read {np.mean([one.n_read / len(one.case.scores) for one in every]):6.2%} | "
        f"found {pooled:6.2%}, mean report {found.mean():6.2%}, worst {found.min():6.2%} | "
        f"bound exceeded {np.mean([one.n_below > one.at_most for one in every if one.at_most >= 0]):6.2%} | "
        f"incomplete {np.mean([one.n_below > 0 for one in some]):6.2%} of {len(some):,} lists"
    )


def main() -> None:
    """Print a line for each target recall."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("../shared/corpus"))
    parser.add_argument("--corpus", choices=SPANS, help="past issues of a corpus instead of a simulated service")
    parser.add_argument(
        "--ranker", choices=RECIPES, default="presort-1", help="ranker of the corpus; default %(default)s"
    )
    parser.add_argument("--keep", type=Path, help="folder of stored replays; a missing replay is computed and stored")
    parser.add_argument("--target", action="append", choices=TARGETS, help="target recall; default all")
    parser.add_argument("--seeds", type=int, default=10, help="number of simulated services, default %(default)s")
    parser.add_argument(
        "--scattered",
        type=float,
        default=SCATTERED,
        help="share of papers with scores independent of relevance; default %(default)s",
    )
    parser.add_argument("--no-spot-check", action="store_true", help="simulate editors who read no spot checks")
    options = parser.parse_args()
    if options.corpus:
        path, span = options.folder / f"{options.corpus}.parquet", SPANS[options.corpus]
        services, since = [replay_cases(path, span, options.keep, options.ranker)], span.chosen[0]
    else:
        seeds = range(1, options.seeds + 1)
        services = [simulate_service(seed, scattered=options.scattered) for seed in seeds]
        since = START + timedelta(weeks=N_WEEKS // 2)
    for name in options.target or TARGETS:
        stopped = [
            stop_as_advised(cases, TARGETS[name], since=since, has_spot_check=not options.no_spot_check)
            for cases in services
        ]
        print(f"{name:5}: {line(stopped)}", flush=True)


if __name__ == "__main__":
    main()
