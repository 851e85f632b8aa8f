"""Claim: up to 4 times the papers and 100 reports, the time of presort-1 grows at most in proportion to the data.

Run as ``python -m benchmarks.growth [FILE]`` with ``arxiv.parquet``. Issues grow by resampling their own papers, with
one word in ten removed. Additional reports select every other paper of an existing report. Each size runs in its own
process on one core, from stored tokens. The process ranks twice: once including the training of the period's model, and
once with the stored model. Times are processor times.
"""

import argparse
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers import read_history
from presort.data.records import History, Paper, TokenLists
from presort.ranker.recipe import MemoryModelStore
from presort.ranker.tokens import FIELDS, rows_of, tokens_of
from presort.ranker.train import rank_block
from presort.ranker.versions import RECIPES

# factors by which the number of papers grows, each with the number of reports
SIZES = [(1, 65), (1, 100), (2, 100), (4, 100)]


def grown(history: History, times: int, n_reports: int) -> History:
    """Return a history with more papers and reports. It contains no texts, because only tokens are read."""
    rng = np.random.default_rng(1)
    sizes = np.diff(history.starts) * times
    starts = np.concatenate([[0], np.cumsum(sizes)])
    parts = zip(history.starts[:-1].tolist(), history.starts[1:].tolist(), sizes.tolist(), strict=True)
    drawn = [rng.integers(start, end, size) for start, end, size in parts]
    rows = np.arange(len(history.papers)) if times == 1 else np.concatenate(drawn)
    tokens = tokens_of(history.papers)
    fields: dict[str, Any] = {
        field: drop_tokens(rows_of(getattr(tokens, field), rows), rng) for field in ("title", "abstract")
    }
    others: dict[str, Any] = {field: rows_of(getattr(tokens, field), rows) for field in FIELDS if field not in fields}
    relevant = {report: np.flatnonzero(np.isin(rows, of_report)) for report, of_report in history.relevant.items()}
    more = [(f"{report} again", of_report[::2]) for report, of_report in relevant.items() if len(of_report) > 100]
    relevant |= dict(islice(more, max(0, n_reports - len(relevant))))
    papers = [Paper(f"p{row}", "") for row in range(len(rows))]
    return replace(history, starts=starts, papers=papers, relevant=relevant, tokens=replace(tokens, **fields, **others))


def drop_tokens(lists: TokenLists, rng: np.random.Generator) -> TokenLists:
    """Remove one token in ten."""
    is_kept = rng.random(len(lists.values)) < 0.9
    return TokenLists(lists.values[is_kept], np.concatenate([[0], np.cumsum(is_kept)])[lists.starts])


def run(file: Path, times: int, n_reports: int) -> str:
    """Rank the last issue twice, and return a line of the table."""
    history = grown(read_history(file), times, n_reports)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    last = len(history.issues)
    models, seconds = MemoryModelStore(), []
    for _ in range(2):
        begin = time.process_time()
        ranked = list(rank_block(RECIPES["presort-1"], history, last - 1, last, list(history.relevant), models=models))
        seconds.append(time.process_time() - begin)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return (
        f"{len(history.papers):7,} papers, {len(ranked):3} reports | with training {seconds[0]:5.1f} s, "
        f"with the stored model {seconds[1]:.1f} s | peak {peak:.2f} GiB, before ranking {before:.2f}"
    )


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    here = Path(__file__).parents[1]
    parser.add_argument("file", type=Path, nargs="?", default=here.parent / "shared" / "corpus" / "arxiv.parquet")
    file = parser.parse_args().file
    for times, n_reports in SIZES:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            print(process.submit(run, file, times, n_reports).result(), flush=True)


if __name__ == "__main__":
    main()
