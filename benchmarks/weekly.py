"""Claim: a week's run, 65 reports trained and 600 new papers ranked among 74,000 known, takes a tenth of a peer's.

Run as ``python -m benchmarks.weekly [FILE]`` with ``arxiv.parquet``. The file is imported, tokens and all, and the
issues of one period are ranked week after week by presort-1, from reading the workspace to the ranking; the first
learns a model for the period, the others learn on top of it. Beside it the peers' whole run on the last of these
issues. Each in a process of its own, on one core; the time of starting Python is left out.
"""

import argparse
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from multiprocessing import get_context
from pathlib import Path

from data import catalogue
from data.store import open_store
from desk.importing import import_path
from desk.shelf import models_of
from ranker.corrected import PERIOD
from ranker.train import rank_block
from ranker.versions import RECIPES

PEERS = ["arxiv-sanity", "asreview-u4"]


def prepare(file: Path, workspace: Path) -> tuple[list[date], float]:
    """Import a file; give the dates of the last whole period, and how long it took."""
    store = open_store(workspace)
    begin = time.perf_counter()
    import_path(store, file, person="benchmark")
    seconds = time.perf_counter() - begin
    days = [issue.date for issue in catalogue.issues(store)]
    end = len(days) // PERIOD * PERIOD
    store.close()
    return days[end - PERIOD : end], seconds


def weeks(workspace: Path, days: list[date], ranker: str) -> list[str]:
    """Rank issue after issue, and give a line on each."""
    store = open_store(workspace)
    lines = []
    for day in days:
        begin = time.perf_counter()
        history = catalogue.history(store, day, tokens=True)
        read = time.perf_counter() - begin
        issue = len(history.issues) - 1
        ranked = list(
            rank_block(RECIPES[ranker], history, issue, issue + 1, list(history.relevant), shelf=models_of(store))
        )
        seconds = time.perf_counter() - begin
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        known = history.starts[issue]
        lines.append(
            f"{ranker:12} {day} {len(ranked)} reports, {known:,} papers known, {len(history.papers) - known} new: "
            f"{seconds:5.1f} s, of it {read:.1f} s reading | peak {peak:.2f} GiB"
        )
    store.close()
    return lines


def main() -> None:
    """Print a line an issue."""
    parser = argparse.ArgumentParser(description=__doc__)
    here = Path(__file__).parents[1]
    parser.add_argument("file", type=Path, nargs="?", default=here.parent / "shared" / "corpus" / "arxiv.parquet")
    file = parser.parse_args().file
    with tempfile.TemporaryDirectory() as folder:
        days, seconds = prepare(file, Path(folder))
        print(f"import with tokens: {seconds:.1f} s", flush=True)
        for ranker, some in [("presort-1", days), *((peer, days[-1:]) for peer in PEERS)]:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                for line in process.submit(weeks, Path(folder), some, ranker).result():
                    print(line, flush=True)


if __name__ == "__main__":
    main()
