"""Measure the quality and cost of the built-in recipes, trained once before a span or before every issue.

Run as ``python -m benchmarks.peers [FOLDER]``, with ``arxiv.parquet`` and ``nber.parquet`` in the folder. Each recipe
runs on one core in its own process, whose peak memory is printed. The time covers features, training and ranking, but
not reading the file. With ``--forward``, only the last issues are ranked, and training takes place before each of them.

Recipes that use sentence vectors are skipped unless ``--model`` names the folder of a sentence model. Computing the
vectors takes half an hour. They are stored in that folder for later runs.
"""

import argparse
import os
import resource
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from presort.data.importers.parquet_file import read_parquet
from presort.data.records import History, Vectors
from presort.desk.service.sentence_model import Encoder
from presort.metrics import Outcome, score
from presort.ranker.stacked.method import CorrectedSvms
from presort.ranker.tokens import tokens_of
from presort.ranker.train import RankedIssue, replay
from presort.ranker.versions import RECIPES

MIN_PAPERS = 280  # minimum number of relevant papers that a report needs in the whole file


@dataclass(frozen=True)
class Span:
    """Issues to rank, from `first` up to but excluding `end`, both ISO dates."""

    file: str
    first: str
    end: str
    forward: str  # first issue to rank with ``--forward``


SPANS = [
    Span("arxiv.parquet", "2019-01-01", "2019-07-01", forward="2019-05-01"),
    Span("nber.parquet", "2016-01-01", "2022-01-01", forward="2021-01-01"),
]
MEASURES = ["relative_last_position", "aselt", "nosel", "copnori", "average_precision"]


def read_history(path: Path) -> History:
    """Read a corpus file in the same way as an import. Its rows are in list order, by issue."""
    entries = list(read_parquet(path))
    relevant = defaultdict(list)
    for row, entry in enumerate(entries):
        for code in entry.selected_by:
            relevant[code].append(row)
    issues = Counter(entry.issue for entry in entries if entry.issue)
    return History(
        issues=list(issues),
        starts=np.concatenate([[0], np.cumsum(list(issues.values()))]).astype(np.intp),
        papers=[entry.paper for entry in entries],
        relevant={code: np.array(rows, dtype=np.intp) for code, rows in sorted(relevant.items())},
    )


def outcome(ranked: RankedIssue, history: History) -> Outcome:
    """Return the outcome of a ranking."""
    start, end = history.starts[ranked.issue_index : ranked.issue_index + 2]
    positions = 1 + np.flatnonzero(np.isin(ranked.order + start, history.relevant[ranked.report]))
    return Outcome(positions, int(end - start))


def with_vectors(history: History, path: Path, span: Span, model: Path) -> History:
    """Add the vectors of papers up to the end of a span. They are computed or read from the model's folder."""
    encoder = Encoder(model)
    n_papers = int(history.starts[sum(issue.isoformat() < span.end for issue in history.issues)])
    kept = model / f"{path.stem}-{encoder.model.n_tokens}.npz"
    ids = np.array([paper.paper_id for paper in history.papers[:n_papers]])
    _, first, places = np.unique(ids, return_index=True, return_inverse=True)
    if not kept.exists():
        np.savez(kept, ids=ids[first], numbers=encoder.encode([history.papers[row] for row in first]))
    with np.load(kept) as file:
        if not np.array_equal(file["ids"], ids[first]):
            raise SystemExit(f"{kept} contains vectors of other papers. Delete this file.")
        of_papers = file["numbers"][places]
    later = np.zeros((len(history.papers) - n_papers, of_papers.shape[1]), dtype=of_papers.dtype)
    return replace(history, vectors=Vectors(encoder.model.made_by, np.vstack([of_papers, later])))


def run(path: Path, span: Span, name: str, is_forward: bool, model: Path | None) -> str:
    """Rank the span with one recipe, and return the recipe's line of the table."""
    history = read_history(path)
    if model is not None and RECIPES[name].method.reads_vectors:
        history = with_vectors(history, path, span, model)
    first, last = (
        sum(issue.isoformat() < day for issue in history.issues)
        for day in (span.forward if is_forward else span.first, span.end)
    )
    reports = [report for report, rows in history.relevant.items() if len(rows) >= MIN_PAPERS]
    begin = time.perf_counter()
    if is_forward and isinstance(RECIPES[name].method, CorrectedSvms):  # computed once per paper, as during an import
        history = replace(history, tokens=tokens_of(history.papers))
    ranked = list(
        replay(RECIPES[name], history, first, last, reports=reports, retrain_every=1 if is_forward else last - first)
    )
    seconds = time.perf_counter() - begin
    outcomes = [outcome(one, history) for one in ranked]
    figures = score([one for one in outcomes if one.r], MEASURES)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB
    notes = {one.note for one in ranked if one.note}
    last_positions = figures["relative_last_position"]
    return (
        f"{path.stem:6} {name:13} {len(reports):3} reports {len(figures):5} outcomes | last position "
        f"mean {last_positions.mean():.2%} median {last_positions.median():.2%} | AP "
        f"{figures.average_precision.mean():.4f} | 1 - Copnori {1 - figures.copnori.mean():.4f} | Aselt "
        f"{figures.aselt.mean():.4f} | Nosel {figures.nosel.mean():.4f} | {seconds:5.1f} s | peak "
        f"{peak / 2**20:.2f} GiB {notes or ''}"
    )


def main() -> None:
    """Print a line for each corpus and recipe."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("../shared/corpus"))
    parser.add_argument("--ranker", action="append", choices=RECIPES, help="ranker to measure; default all")
    parser.add_argument(
        "--forward", action="store_true", help="train before every issue of the last year or two months"
    )
    parser.add_argument("--model", type=Path, help="folder of a sentence model, with model.onnx and tokenizer.json")
    options = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read by the processes that are started below
    for span in SPANS:
        path = options.folder / span.file
        if not path.exists():
            print(f"skipped: {path} does not exist")
            continue
        for name in options.ranker or RECIPES:
            if options.model is None and RECIPES[name].method.reads_vectors:
                print(f"skipped: {name} needs vectors; name a sentence model with --model")
                continue
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                print(process.submit(run, path, span, name, options.forward, options.model).result(), flush=True)


if __name__ == "__main__":
    main()
