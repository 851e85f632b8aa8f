"""Claim: the built-in recipes rank as their originals do; each is trained once before a span and ranks that span.

Run as ``python -m benchmarks.peers [FOLDER]`` with the folder of ``arxiv.parquet`` and ``nber.parquet``. Each recipe
runs in a process of its own, so that its peak memory is its own, and on one core. The time is that of features,
training and ranking; reading the file is left out.
"""

import argparse
import resource
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd

from data.records import History, Paper
from ranker.train import RankedIssue, rank_block
from ranker.versions import RECIPES

MIN_PAPERS = 280  # of a report in the whole file


@dataclass(frozen=True)
class Span:
    """Issues to rank: from `first` on and before `end`, both ISO dates."""

    file: str
    first: str
    end: str


SPANS = [Span("arxiv.parquet", "2019-01-01", "2019-07-01"), Span("nber.parquet", "2016-01-01", "2022-01-01")]


def read_history(path: Path) -> History:
    """Read a file of the corpus, whose rows stand in list order."""
    table = pd.read_parquet(path)
    for column in ("codes", "series"):
        if column not in table:
            table[column] = ""
    columns = [table[name] for name in ("paper_id", "title", "abstract", "authors", "codes", "series")]
    papers = [
        Paper(paper_id, title, abstract, _split(authors, "; "), _split(codes, ";"), series)
        for paper_id, title, abstract, authors, codes, series in zip(*columns, strict=True)
    ]
    relevant = defaultdict(list)
    for row, codes in enumerate(table.reports):
        for code in _split(codes, ";"):
            relevant[code].append(row)
    issues, counts = np.unique(table.issue.to_numpy(dtype=str), return_counts=True)
    return History(
        issues=[date.fromisoformat(issue) for issue in issues],
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.intp),
        papers=papers,
        relevant={code: np.array(rows, dtype=np.intp) for code, rows in sorted(relevant.items())},
    )


def _split(text: str, separator: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(separator) if part.strip())


def quality(ranked: RankedIssue, history: History) -> tuple[float, float] | None:
    """Give the relative last position and the average precision, or None if nothing was relevant."""
    start, end = history.starts[ranked.issue_index : ranked.issue_index + 2]
    relevant = history.relevant[ranked.report]
    positions = 1 + np.flatnonzero(np.isin(ranked.order + start, relevant))
    if not len(positions):
        return None
    return positions[-1] / (end - start), float(np.mean(np.arange(1, len(positions) + 1) / positions))


def run(path: Path, span: Span, name: str) -> str:
    """Rank the span by one recipe, and give its line of the table."""
    history = read_history(path)
    first = sum(issue.isoformat() < span.first for issue in history.issues)
    last = sum(issue.isoformat() < span.end for issue in history.issues)
    reports = [report for report, rows in history.relevant.items() if len(rows) >= MIN_PAPERS]
    begin = time.perf_counter()
    ranked = list(rank_block(RECIPES[name], history, first, last, reports))
    seconds = time.perf_counter() - begin
    outcomes = np.array([outcome for one in ranked if (outcome := quality(one, history))])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB
    notes = {one.note for one in ranked if one.note}
    return (
        f"{path.stem:6} {name:13} {len(reports):3} reports {len(outcomes):5} outcomes | last position "
        f"mean {outcomes[:, 0].mean():.2%} median {np.median(outcomes[:, 0]):.2%} | AP {outcomes[:, 1].mean():.4f} | "
        f"{seconds:5.1f} s | peak {peak / 2**20:.2f} GiB {notes or ''}"
    )


def main() -> None:
    """Print a line for each corpus and recipe."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("../shared/corpus"))
    parser.add_argument("--ranker", action="append", choices=RECIPES, help="all if not given")
    options = parser.parse_args()
    for span in SPANS:
        path = options.folder / span.file
        if not path.exists():
            print(f"skipped: there is no {path}")
            continue
        for name in options.ranker or RECIPES:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                print(process.submit(run, path, span, name).result(), flush=True)


if __name__ == "__main__":
    main()
