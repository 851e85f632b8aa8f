"""Claim: the time of weekly jobs and page visits grows little with the size of a workspace.

Run as ``python -m benchmarks.workspaces N_PAPERS [--reports N] [--rank RANKER] [--folder FOLDER] [--postgresql]`` with
``arxiv.parquet``. Creates a workspace of this size, with 800 papers per week, by sampling from the file. Each paper has
the abstract, the reports and the first half of the title of one paper, the second half of the title of another one, and
the authors of a third, so that no two papers are matched as duplicates. All words are from the file, whereas a service
that has grown over years would have more rare words. If there are more reports than in the file, each additional report
selects every other paper of an existing report.

Then measures four operations: importing 1,000 more papers, one in fifty of them a duplicate, with ``presort import`` in
its own process; searching for words in titles; reading the history as for a weekly ranking; and ranking the last week.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from presort.data import catalogue
from presort.data.intake.commit_import import commit_import
from presort.data.learning.history import read_history
from presort.data.learning.models import model_store
from presort.data.learning.tokens import keep_tokens
from presort.data.records import ListedPaper, Paper, Report
from presort.data.search import find_papers
from presort.data.store import Store, open_store
from presort.ranker.tokens import TOKENISATION, tokenise
from presort.ranker.train import rank_block
from presort.ranker.versions import RECIPES
from tests.postgresql_server import serving

WEEK = 800  # number of papers per week
FIRST = date(2010, 1, 4)
SEARCHES = ["learning", "minimum wages", "quantum graph", "bayes", "a", "neverwritten"]
COPIED = 50  # one in every COPIED later papers is a duplicate
# Run Presort's command, and print its time and memory from the same process, because the peak memory that a parent
# process reads would include the parent's own memory.
COMMAND = """
import atexit, pathlib, re, resource, runpy
def print_usage():
    used = resource.getrusage(resource.RUSAGE_SELF)
    peak = int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
    print(f"{used.ru_utime + used.ru_stime:.2f} s processor, peak {peak / 2**20:.2f} GiB")
atexit.register(print_usage)
runpy.run_module("presort.desk", run_name="__main__")
"""


class PaperParts(NamedTuple):
    """Parts of a paper in the file, from which new papers are assembled."""

    title: list[str]
    abstract: str
    authors: tuple[str, ...]
    reports: tuple[str, ...]


def read_rows(file: Path) -> list[PaperParts]:
    """Read the papers to sample from."""
    rows = pd.read_parquet(file, columns=["title", "abstract", "authors", "reports"]).fillna("").astype(str)
    texts = zip(*(rows[column].tolist() for column in rows), strict=True)
    return [
        PaperParts(
            title.split(), abstract, tuple(filter(None, authors.split("; "))), tuple(filter(None, codes.split(";")))
        )
        for title, abstract, authors, codes in texts
    ]


def assemble_papers(rows: list[PaperParts], numbers: range, n_reports: int, seed: int) -> Iterator[ListedPaper]:
    """Yield papers that are assembled from parts of the file's papers."""
    rng = np.random.default_rng(seed)
    texts, others, authors = (rng.integers(len(rows), size=len(numbers)).tolist() for _ in range(3))
    codes = sorted({code for row in rows for code in row.reports})
    more = {code: f"{code} again" for code in codes[: max(0, n_reports - len(codes))]}
    for number, one, other, by in zip(numbers, texts, others, authors, strict=True):
        head, tail, selected = rows[one].title, rows[other].title, rows[one].reports
        title = " ".join(head[: len(head) // 2 + 1] + tail[len(tail) // 2 :])
        also = tuple(more[code] for code in selected if code in more and number % 2)
        paper = Paper(f"drawn:{number}", title, rows[one].abstract, rows[by].authors)
        yield ListedPaper(paper, FIRST + timedelta(weeks=number // WEEK), (*selected, *also))


def begin(store: Store, n_reports: int, n_issues: int, n_papers: int) -> list[date]:
    """Fill a workspace with reports and with issues of equal size. Returns the dates of the issues."""
    days = [FIRST + timedelta(weeks=week) for week in range(n_issues)]
    listed = (ListedPaper(Paper(f"{day}:{n}", f"Paper {n} of {day}"), day) for day in days for n in range(n_papers))
    commit_import(store, listed, person="benchmark")
    catalogue.add_reports(store, [Report(f"r{number:04}", f"Report {number}") for number in range(n_reports)])
    return days


def print_time(name: str, do: Callable[[], object]) -> None:
    """Call a function, and print its time and its result."""
    began, used = time.perf_counter(), time.process_time()
    result = do()
    print(
        f"{name}: {time.process_time() - used:.2f} s processor, {time.perf_counter() - began:.2f} s "
        f"wall-clock; {result}; peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB",
        flush=True,
    )


def later_papers(rows: list[PaperParts], n_papers: int, n_reports: int, seed: int) -> list[ListedPaper]:
    """Return the next week's 1,000 papers: new papers, and copies of existing papers with different ids."""
    first = n_papers + 1_000 * seed
    new = list(assemble_papers(rows, range(first, first + 1_000), n_reports, seed))
    known = list(assemble_papers(rows, range(n_papers), n_reports, 1))[:: max(1, n_papers * COPIED // 1_000)]
    copies = [replace(one, paper=replace(one.paper, paper_id=f"copy:{seed}:{one.paper.paper_id}")) for one in known]
    mixed = [*copies, *new][:1_000]
    return [replace(one, issue=FIRST + timedelta(weeks=n_papers // WEEK + seed), selected_by=()) for one in mixed]


def import_later(folder: Path, url: str, papers: list[ListedPaper]) -> str:
    """Import papers with the command. Returns its time and memory."""
    file = folder / "later.csv"
    columns = {
        "paper_id": [one.paper.paper_id for one in papers],
        "title": [one.paper.title for one in papers],
        "abstract": [one.paper.abstract for one in papers],
        "authors": ["; ".join(one.paper.authors) for one in papers],
        "issue": [str(one.issue) for one in papers],
    }
    pd.DataFrame(columns).to_csv(file, index=False)
    command = [sys.executable, "-c", COMMAND, "--workspace", str(folder / "workspace"), "import", str(file)]
    address = {"PRESORT_DATABASE_URL": url} if url else {}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **address})
    first, *_, last = done.stdout.splitlines()
    return f"command: {last}: {first}"


def measure(folder: Path, url: str, rows: list[PaperParts], n_papers: int, n_reports: int, rankers: list[str]) -> None:
    """Create the workspace if it is missing, and print the time of each operation."""
    store = open_store(folder / "workspace", url)
    if not catalogue.issues(store):
        listed = assemble_papers(rows, range(n_papers), n_reports, 1)
        print_time("import of all papers", lambda: commit_import(store, listed, person="benchmark").summary)
        print_time("tokens of all papers", lambda: keep_tokens(store, tokenise, TOKENISATION))
    weeks = (catalogue.issues(store)[-1].date - FIRST).days // 7 - (n_papers - 1) // WEEK
    for seed in (weeks + 2, weeks + 3):
        later = later_papers(rows, n_papers, n_reports, seed)
        print_time("import of 1,000 later papers", partial(import_later, folder, url, later))
    search(store)
    newest = catalogue.issues(store)[-1].date
    print_time(
        "reading the history", lambda: len(read_history(store, newest, tokens=TOKENISATION, texts_from=newest).papers)
    )
    for ranker in rankers:
        rank(store, ranker, (n_papers - 1) // WEEK)
    store.close()


def search(store: Store) -> None:
    """Search for papers by words in their titles."""
    for words in SEARCHES:
        print_time(f"search for {words}", partial(count_found, store, words))


def rank(store: Store, ranker: str, week: int) -> None:
    """Rank a week's issue for all reports, including reading: once with training, and once with the stored model."""
    day, recipe, models = FIRST + timedelta(weeks=week), RECIPES[ranker], model_store(store)

    def sort() -> str:
        history = read_history(store, day, tokens=TOKENISATION, texts_from=day)
        last = len(history.issues)
        ranked = list(rank_block(recipe, history, last - 1, last, list(history.relevant), models=models))
        return f"{len(ranked)} reports, {history.starts[-2]:,} papers known"

    for case in ("with training", "with the stored model"):
        print_time(f"{ranker}, {case}", sort)


def count_found(store: Store, words: str) -> str:
    """Search papers, and return how many were found."""
    return f"{len(find_papers(store, words, 8))} found"


def main() -> None:
    """Print a line for each operation."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = Path(__file__).parents[1]
    parser.add_argument("n_papers", type=int)
    parser.add_argument("--reports", type=int, default=100)
    parser.add_argument(
        "--rank", nargs="*", default=[], choices=list(RECIPES), metavar="RANKER", help="rankers to rank all issues with"
    )
    parser.add_argument("--folder", type=Path, help="folder to store the workspace in, or of an existing one")
    parser.add_argument(
        "--postgresql", action="store_true", help="use a new PostgreSQL server, which is deleted at the end"
    )
    parser.add_argument("--file", type=Path, default=here.parent / "shared" / "corpus" / "arxiv.parquet")
    options = parser.parse_args()
    with ExitStack() as kept:
        folder = options.folder or Path(kept.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(exist_ok=True, parents=True)
        url = kept.enter_context(serving(is_safe=True)).url if options.postgresql else ""
        measure(folder, url, read_rows(options.file), options.n_papers, options.reports, options.rank)


if __name__ == "__main__":
    main()
