"""Claim: a report that starts from examples gets useful rankings from its first week on.

Run as ``python -m benchmarks.beginnings [FILE]`` with ``arxiv.parquet``. Every fifth report is treated as new: its
decisions are removed, and all other reports keep their history. It starts from the text of 1, 3 or 10 of its papers as
examples, or from its newest 2 or 5 relevant papers. The rankers are trained once and rank the last eight issues. In a
second experiment every report has only a few relevant papers. Examples are drawn three times. Uses one core.
"""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.peers import read_history
from presort.data.records import History, Paper, Rows
from presort.metrics import Outcome, relative_last_position
from presort.ranker.train import rank_block
from presort.ranker.versions import RECIPES

RANKERS = ("presort-1", "presort-2", "arxiv-sanity")
N_ISSUES = 8
EVERY = 5  # every fifth report is treated as new
EXAMPLES = (1, 3, 10)
DECISIONS = (2, 5)
DECISIONS_OF_ALL = (2, 5, 20)
DRAWS = 3


def last_position(recipe: str, young: History, whole: History, reports: list[str]) -> float:
    """Return the mean relative last position of reports in the last issues, for rankers trained on `young`."""
    first = len(whole.issues) - N_ISSUES
    values = []
    for ranked in rank_block(RECIPES[recipe], young, first, len(whole.issues), reports):
        start, end = whole.starts[ranked.issue_index : ranked.issue_index + 2]
        relevant = whole.relevant[ranked.report]
        found = relevant[(relevant >= start) & (relevant < end)] - start
        if found.size:
            places = np.flatnonzero(np.isin(ranked.order, found)) + 1
            values.append(relative_last_position(Outcome(places, int(end - start))))
    return float(np.mean(values))


def knowing(whole: History, reports: list[str], n_newest: int) -> dict[str, Rows]:
    """Return the relevant papers of each report before the last issues.

    Only the newest `n_newest` of each report in `reports` are included.
    """
    before = whole.starts[len(whole.issues) - N_ISSUES]
    past = {report: rows[rows < before] for report, rows in whole.relevant.items()}
    return past | {report: past[report][len(past[report]) - n_newest :] for report in reports}


def with_examples(whole: History, reports: list[str], n: int, seed: int) -> History:
    """Give reports examples, each with a title and an abstract, and remove all their decisions."""
    rng = np.random.default_rng(seed)
    before = whole.starts[len(whole.issues) - N_ISSUES]
    seeds: dict[str, list[Paper]] = {}
    for report in reports:
        past = whole.relevant[report][whole.relevant[report] < before]
        drawn = [whole.papers[row] for row in rng.choice(past, n, replace=False)]
        seeds[report] = [Paper(f"example {number}", one.title, one.abstract) for number, one in enumerate(drawn)]
    return replace(whole, relevant=knowing(whole, reports, 0), seeds=seeds)


def row(name: str, shares: Mapping[str, float]) -> str:
    """Format a line of the table."""
    return f"{name:<40}" + "".join(f"{recipe} {share:6.1%}   " for recipe, share in shares.items())


def main() -> None:
    """Print a line for each start."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=Path("../shared/corpus/arxiv.parquet"))
    whole = read_history(parser.parse_args().file)
    everybody = sorted(whole.relevant)
    new = everybody[::EVERY]
    print(row("nothing", {"list order": last_position("presort-1", replace(whole, relevant={}), whole, new)}))
    for n in EXAMPLES:
        histories = [with_examples(whole, new, n, seed) for seed in range(DRAWS)]
        drawn = {name: [last_position(name, one, whole, new) for one in histories] for name in RANKERS}
        print(row(f"{n} examples", {name: float(np.mean(each)) for name, each in drawn.items()}), flush=True)
    for reports, asked, of in ((new, DECISIONS, "a new report"), (everybody, DECISIONS_OF_ALL, "every report")):
        for n in asked:
            young = replace(whole, relevant=knowing(whole, reports, n))
            shares = {name: last_position(name, young, whole, new) for name in RANKERS}
            print(row(f"{n} relevant papers of {of}", shares), flush=True)


if __name__ == "__main__":
    main()
