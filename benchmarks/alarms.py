"""Claim: the alarm for a declining report has at most about 5 % false alarms if only the numbers of papers change.

Run as ``OPENBLAS_NUM_THREADS=1 python -m benchmarks.alarms [--tries 200] [--kept FOLDER]``. Simulated reports have 39
earlier and 13 newer issues, ranked by an unchanged ranker: relevant papers have scores N(d', 1), others N(0, 1). In the
newer issues, the number of relevant papers or of all papers is doubled or halved.

Prints the share of reports with an alarm if each report is tested separately at the alarms' significance level. This is
done for two statistics: the depth that *Overview* tests (`presort.metrics.depth_ranks`), and the statistic used before,
which is the relative last position divided by the square root of the number of relevant papers. Also prints how often a
doubled last position raises an alarm.

With ``--kept``, does the same for replays stored by `benchmarks.sorted_issues`. Half of all papers, or half of the
relevant papers, are then removed at random from the earlier or the newer issues.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.sorted_issues import parse_options
from presort.desk.scores.shifts import (
    FEWEST_NEW,
    FEWEST_OLD,
    LEVEL,
    NEW,
    OLD,
)
from presort.metrics import Outcome
from presort.metrics.depth_ranks import depth_ranks
from presort.metrics.rank_sum import rank_sum_p, value_sum_p

D_PRIMES = (1, 2, 3, 4)
BEFORE = (300, 10)  # number of papers in an issue, and number of relevant papers
SINCE = {
    "unchanged": (300, 10),
    "relevant x 2": (300, 20),
    "relevant / 2": (300, 5),
    "papers x 2": (600, 10),
    "papers / 2": (150, 10),
}
MIN_ISSUES = FEWEST_OLD + FEWEST_NEW
Change = Callable[[Outcome, np.random.Generator], Outcome]


def simulate_ranking(rng: np.random.Generator, n: int, r: int, d_prime: float) -> Outcome:
    """Simulate how a ranker of quality d' ranks an issue with n papers, of which r are relevant."""
    is_relevant = np.arange(n) < r
    return Outcome.from_relevance(is_relevant[np.argsort(-d_prime * is_relevant - rng.normal(size=n))])


def deeper(outcome: Outcome, times: float) -> Outcome:
    """Multiply the number of non-relevant papers above each relevant paper by `times`."""
    ranks = np.arange(1, outcome.r + 1)
    above = np.minimum(np.round(times * (outcome.positions - ranks)), outcome.n - outcome.r).astype(int)
    return Outcome(above + ranks, outcome.n)


def thin_out(outcome: Outcome, rng: np.random.Generator, *, relevant_only: bool) -> Outcome:
    """Remove half of all papers, or half of the relevant papers, at random."""
    flags = np.zeros(outcome.n, dtype=bool)
    flags[outcome.positions - 1] = True
    is_dropped = (rng.random(outcome.n) < 0.5) & (flags if relevant_only else np.ones_like(flags))
    return Outcome.from_relevance(flags[~is_dropped]) if not is_dropped.all() else outcome


def p_values(before: list[Outcome], since: list[Outcome]) -> tuple[float, float]:
    """Return a report's p-values for depth and for the previous statistic. They are NaN if there are too few issues."""
    before, since = ([one for one in part if 0 < one.r < one.n] for part in (before, since))
    if len(before) < FEWEST_OLD or len(since) < FEWEST_NEW:
        return np.nan, np.nan
    outcomes, n = [*before, *since], len(before)
    old_value = np.array([one.last / one.n / np.sqrt(one.r) for one in outcomes])
    depth = depth_ranks(outcomes)
    is_known = ~np.isnan(depth)
    p = value_sum_p(depth[n:][is_known[n:]], depth[:n][is_known[:n]])
    return p, rank_sum_p(old_value[n:], old_value[:n])


def show(name: str, found: list[tuple[float, float]]) -> None:
    """Print the share of tested reports that have an alarm, for each statistic."""
    p = np.array(found)
    p = p[~np.isnan(p).any(axis=1)]
    now, before = 100 * (p <= LEVEL).mean(axis=0)
    print(f"{name}: {now:.1f} %, previous statistic {before:.1f} %, {len(p):,} reports", flush=True)


def print_simulation(tries: int, rng: np.random.Generator) -> None:
    """Simulate reports, and print a line for each ranker quality and each change."""
    for d_prime in D_PRIMES:
        for name, sizes in SINCE.items():
            found = []
            for _ in range(tries):
                before = [simulate_ranking(rng, *BEFORE, d_prime) for _ in range(OLD)]
                found.append(p_values(before, [simulate_ranking(rng, *sizes, d_prime) for _ in range(NEW)]))
            show(f"d' {d_prime}, {name}", found)
        found = []
        for _ in range(tries):
            before, since = ([simulate_ranking(rng, *BEFORE, d_prime) for _ in range(n)] for n in (OLD, NEW))
            found.append(p_values(before, [deeper(one, 2) for one in since]))
        show(f"d' {d_prime}, twice as deep", found)


def reports_of(path: Path) -> Iterator[list[Outcome]]:
    """Yield the outcomes of each report in a stored replay."""
    with np.load(path) as file:
        parts = np.split(file["flags"], file["n"].cumsum()[:-1])
        names = file["reports"]
    for report in np.unique(names):
        outcomes = [Outcome.from_relevance(parts[row]) for row in np.flatnonzero(names == report)]
        if len(outcomes) >= MIN_ISSUES:
            yield outcomes


def print_corpus(path: Path, tries: int, rng: np.random.Generator) -> None:
    """Shuffle the issues in a stored replay, and print a line for each change."""
    whole = list(reports_of(path))
    halves: dict[str, Change] = {
        "papers": lambda one, rng: thin_out(one, rng, relevant_only=False),
        "relevant": lambda one, rng: thin_out(one, rng, relevant_only=True),
    }

    def tested(change_before: Change | None, change_since: Change | None) -> list[tuple[float, float]]:
        found = []
        for outcomes in whole * tries:
            year = [outcomes[row] for row in rng.permutation(len(outcomes))[: OLD + NEW]]
            cut = min(NEW, len(year) // 4)
            parts = (year[cut:], change_before), (year[:cut], change_since)
            before, since = ([change(one, rng) if change else one for one in part] for part, change in parts)
            found.append(p_values(before, since))
        return found

    show(f"{path.stem}, unchanged", tested(None, None))
    for name, change in halves.items():
        show(f"{path.stem}, {name} / 2", tested(None, change))
        show(f"{path.stem}, {name} x 2", tested(change, None))
    show(f"{path.stem}, twice as deep", tested(None, lambda one, _: deeper(one, 2)))


def main() -> None:
    """Print the lines for simulated reports and for each stored replay."""
    options = parse_options(__doc__, tries=200)
    rng = np.random.default_rng(1)
    print_simulation(options.tries, rng)
    for path in sorted(options.kept.glob("*.npz")) if options.kept else ():
        print_corpus(path, max(options.tries // 40, 1), rng)


if __name__ == "__main__":
    main()
