"""Measure how much *Compare* favours the ranker in whose order editors read, if they read lists only partly.

Run as ``OPENBLAS_NUM_THREADS=1 python -m benchmarks.read_order [FILE] [--last-issues 72]``. Replays two rankers over
the newest issues of a corpus. Each list is then read in the order of one of the two rankers. The reading depth is a
share of the list. It is chosen for each report, so that 90, 95 or 99 % of its lists have no relevant paper below this
depth. *Compare* counts such lists if 95 % of them are complete. Relevant papers below the depth remain unknown, so they
count for neither ranker.

The lead of a ranker is the share of lists on which it is better in natural order, minus the share on which it is worse.
Prints the lead of the ranker whose order was read, based on all relevant papers and based on those that were found.
"""

import argparse
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import MIN_PAPERS, read_history
from presort.metrics import Outcome, compare_natural
from presort.ranker.tokens import tokens_of
from presort.ranker.train import replay
from presort.ranker.versions import RECIPES

RANKERS = ("krichel-2007", "arxiv-sanity")
RETRAIN_EVERY = 26  # number of issues between trainings of both rankers
SHARES = (0.9, 0.95, 0.99)  # shares of a report's lists without a relevant paper below the reading depth

Places = NDArray[np.int64]  # positions of the relevant papers, in list order
# maps a report and an issue number to the positions and the number of papers in the list
Lists = dict[tuple[str, int], tuple[Places, int]]


def replay_positions(path: Path, n_issues: int, ranker: str) -> Lists:
    """Replay a ranker over the newest issues. Returns the positions of the relevant papers, for large reports."""
    history = read_history(path)
    history = replace(history, tokens=tokens_of(history.papers))
    last, found = len(history.issues), {}
    reports = [report for report, rows in history.relevant.items() if len(rows) >= MIN_PAPERS]
    for one in replay(RECIPES[ranker], history, last - n_issues, last, reports=reports, retrain_every=RETRAIN_EVERY):
        place = np.empty(len(one.order), dtype=np.int64)
        place[one.order] = np.arange(1, len(one.order) + 1)
        relevant = history.relevant[one.report] - history.starts[one.issue_index]
        relevant = relevant[(relevant >= 0) & (relevant < len(place))]
        if relevant.size and len(one.scores):
            found[one.report, one.issue_index] = place[relevant], place.size
    return found


def stops(lists: Lists, share: float) -> dict[str, float]:
    """Return each report's reading depth, the share of a list to read so that `share` of its lists are complete."""
    lasts: dict[str, list[float]] = {}
    for (report, _), (places, n) in lists.items():
        lasts.setdefault(report, []).append(places.max() / n)
    return {report: float(np.quantile(found, share)) for report, found in lasts.items()}


def leads(read: Lists, other: Lists, share: float) -> tuple[float, float, int]:
    """Return two leads of the ranker whose order was read, and the number of lists.

    The first lead is based on all relevant papers, the second on those that were read.
    """
    stop = stops(read, share)
    known: list[int] = []
    found: list[int] = []
    for key in sorted(read.keys() & other.keys()):
        (ours, n), (theirs, _) = read[key], other[key]
        is_read = ours <= stop[key[0]] * n
        if is_read.any():
            for signs, chosen in ((known, np.ones_like(is_read)), (found, is_read)):
                both = (Outcome(np.sort(places[chosen]), n) for places in (ours, theirs))
                signs.append(-compare_natural(*both))
    return float(np.mean(known)), float(np.mean(found)), len(known)


def main() -> None:
    """Print a line for each share of complete lists and each order."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=Path("../shared/corpus/nber.parquet"))
    parser.add_argument("--last-issues", type=int, default=72)
    options = parser.parse_args()
    lists = {name: replay_positions(options.file, options.last_issues, name) for name in RANKERS}
    for share in SHARES:
        for one, other in permutations(RANKERS):
            known, found, n_lists = leads(lists[one], lists[other], share)
            print(
                f"{share:.0%} of lists complete, read in the order of {one}: lead over {other} {100 * known:+.1f}"
                f" points with all papers, {100 * found:+.1f} with read papers, {n_lists:,} lists",
                flush=True,
            )


if __name__ == "__main__":
    main()
