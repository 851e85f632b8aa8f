"""Claim: a report that starts from examples gets useful rankings in its first week.

Run as ``python -m benchmarks.beginnings [FILE]`` with ``arxiv.parquet``, or with ``nber.parquet --issues 24``. Every
fifth report is treated as new: its decisions are removed, and all other reports keep their history. A new report starts
from the text of 1, 3 or 10 of its papers as examples, or from its newest 2 or 5 relevant papers. The rankers are
trained once and rank the last issues. In a second experiment every report has only a few relevant papers. Examples are
drawn three times. Prints the mean relative last position and average precision. Uses one core. ``--model`` names the
folder of a sentence model, which adds the rankers that use sentence vectors, as in ``benchmarks.peers``.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.peers import SPANS, outcome, read_history, with_vectors
from presort.data.records import History, Paper, Rows
from presort.metrics import average_precision, relative_last_position
from presort.ranker.recipe import MemoryModelStore, ModelStore
from presort.ranker.tokens import tokens_of
from presort.ranker.train import rank_block
from presort.ranker.versions import RECIPES

RANKERS = ("presort-1", "presort-2", "presort-3", "arxiv-sanity")
WITH_VECTORS = ("presort-2-vectors", "presort-3-vectors")
EVERY = 5  # every fifth report is treated as new
EXAMPLES = (1, 3, 10)
DECISIONS = (2, 5)
DECISIONS_OF_ALL = (2, 5, 20)
DRAWS = 3


class Quality(NamedTuple):
    """Mean relative last position and mean average precision over report issues."""

    last_position: float
    ap: float

    def __str__(self) -> str:
        """Format both means, with the last position in percent of the list."""
        return f"{self.last_position:5.1%} / {self.ap:.3f}"


def mean_quality(parts: Sequence[Quality]) -> Quality:
    """Return the means over parts of equal size."""
    return Quality(*np.mean(parts, axis=0).tolist())


def quality(
    recipe: str, young: History, whole: History, first: int, reports: list[str], models: ModelStore | None = None
) -> Quality:
    """Train a ranker on `young`. Return the quality of its rankings of issue `first` and all later issues."""
    ranked = rank_block(RECIPES[recipe], young, first, len(whole.issues), reports, models=models, has_readers=False)
    outcomes = [found for one in ranked if (found := outcome(one, whole)).r]
    return mean_quality([Quality(relative_last_position(one), average_precision(one)) for one in outcomes])


def knowing(whole: History, first: int, reports: list[str], n_newest: int) -> dict[str, Rows]:
    """Return each report's relevant papers from before issue `first`.

    For the reports in `reports`, only the newest `n_newest` relevant papers are included.
    """
    before = whole.starts[first]
    past = {report: rows[rows < before] for report, rows in whole.relevant.items()}
    return past | {report: past[report][len(past[report]) - n_newest :] for report in reports}


def give_examples(whole: History, first: int, reports: list[str], n: int, seed: int) -> History:
    """Give reports example papers, each with a title and an abstract, and remove all of the reports' decisions."""
    rng = np.random.default_rng(seed)
    before = whole.starts[first]
    seeds: dict[str, list[Paper]] = {}
    seed_vectors = {}
    for report in reports:
        past = whole.relevant[report][whole.relevant[report] < before]
        rows = rng.choice(past, n, replace=False)
        drawn = [whole.papers[row] for row in rows]
        seeds[report] = [Paper(f"example {number}", one.title, one.abstract) for number, one in enumerate(drawn)]
        if whole.vectors is not None:
            seed_vectors[report] = whole.vectors.numbers[rows]
    return replace(whole, relevant=knowing(whole, first, reports, 0), seeds=seeds, seed_vectors=seed_vectors)


def row(name: str, qualities: Mapping[str, Quality]) -> str:
    """Format a line of the table."""
    return f"{name:<35}" + "".join(f"{recipe} {quality}   " for recipe, quality in qualities.items())


def main() -> None:
    """Print a line for each way to start a report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=Path("../shared/corpus/arxiv.parquet"))
    parser.add_argument("--issues", type=int, default=8, help="number of newest issues to rank (default: 8)")
    parser.add_argument("--offset", type=int, default=0, help="index of the first report that is new (default: 0)")
    parser.add_argument("--ranker", action="append", choices=RECIPES, help=f"default: {', '.join(RANKERS)}")
    parser.add_argument("--model", type=Path, help="folder of a sentence model, with model.onnx and tokenizer.json")
    options = parser.parse_args()
    whole = read_history(options.file)
    whole = replace(whole, tokens=tokens_of(whole.papers))  # computed once per paper, as during an import
    if options.model is not None:
        span = next(span for span in SPANS if span.file == options.file.name)
        whole = with_vectors(whole, options.file, span, options.model)
    first = len(whole.issues) - options.issues
    rankers = options.ranker or [*RANKERS, *(WITH_VECTORS if options.model is not None else ())]
    everybody = sorted(whole.relevant)
    new = everybody[options.offset :: EVERY]
    print(row("nothing", {"list order": quality(RANKERS[0], replace(whole, relevant={}), whole, first, new)}))
    models = MemoryModelStore()  # all draws share a model, because models are trained without the examples
    for n in EXAMPLES:
        histories = [give_examples(whole, first, new, n, seed) for seed in range(DRAWS)]
        drawn = {name: [quality(name, one, whole, first, new, models) for one in histories] for name in rankers}
        print(row(f"{n} examples", {name: mean_quality(each) for name, each in drawn.items()}), flush=True)
    for reports, asked, of in ((new, DECISIONS, "a new report"), (everybody, DECISIONS_OF_ALL, "every report")):
        for n in asked:
            young = replace(whole, relevant=knowing(whole, first, reports, n))
            qualities = {name: quality(name, young, whole, first, new) for name in rankers}
            print(row(f"{n} relevant papers of {of}", qualities), flush=True)


if __name__ == "__main__":
    main()
