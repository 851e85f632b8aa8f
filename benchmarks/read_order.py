"""Claim: *Compare* favours the ranker in whose order partly read lists were read, by the points printed here.

Run as ``OPENBLAS_NUM_THREADS=1 python -m benchmarks.read_order [FILE] [--last-issues 72]``. Two rankers are replayed
over the newest issues of a corpus. Each list is read in the order of one of them, down to the place above which the
last relevant paper is in a share of the lists of its report. *Compare* counts a list that was read in part if nothing
relevant is left in 95 %. Nobody knows the relevant papers below, so they count for no ranker. Prints the lead of the
ranker that was read, if all papers are known and if only read papers are: the share of lists on which it is better in
natural order, minus the share on which it is worse.
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
RETRAIN_EVERY = 26  # issues; both rankers are trained alike
SHARES = (0.9, 0.95, 0.99)  # of the lists of a report, whose last relevant paper is above where reading ends

Places = NDArray[np.int64]  # of the relevant papers of a list, in the order in which they were listed
Lists = dict[tuple[str, int], tuple[Places, int]]  # by report and number of the issue; with the number of papers


def replayed(path: Path, n_issues: int, ranker: str) -> Lists:
    """Return where a ranker puts the relevant papers of the newest issues, for the large reports."""
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
    """Return, by report, the share of a list above which the last relevant paper is in a share of the lists."""
    lasts: dict[str, list[float]] = {}
    for (report, _), (places, n) in lists.items():
        lasts.setdefault(report, []).append(places.max() / n)
    return {report: float(np.quantile(found, share)) for report, found in lasts.items()}


def leads(read: Lists, other: Lists, share: float) -> tuple[float, float, int]:
    """Return the lead of the ranker that was read, by all papers and by those read, and the number of lists."""
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
    """Print a line for each share of lists and each ranker that is read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=Path("../shared/corpus/nber.parquet"))
    parser.add_argument("--last-issues", type=int, default=72)
    options = parser.parse_args()
    lists = {name: replayed(options.file, options.last_issues, name) for name in RANKERS}
    for share in SHARES:
        for one, other in permutations(RANKERS):
            known, found, n_lists = leads(lists[one], lists[other], share)
            print(
                f"{share:.0%} of lists complete, in the order of {one}: its lead over {other} {100 * known:+.1f} points"
                f" with all known, {100 * found:+.1f} with what was read, in {n_lists:,} lists",
                flush=True,
            )


if __name__ == "__main__":
    main()
