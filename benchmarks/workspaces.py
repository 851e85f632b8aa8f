"""Claim: the time of weekly jobs and page visits grows little with the size of a workspace.

Run as ``python -m benchmarks.workspaces N_PAPERS [--reports N] [--rank RANKER] [--folder FOLDER] [--postgresql]`` with
``arxiv.parquet``. A workspace of so many papers is made, 800 a week, by drawing from the file: each has the abstract,
the reports and the first half of the title of a paper, the second half of the title of another one, and the authors of
a third, so that no two are taken for copies. Words are those of the file: a service that grew so for years would have
seen more rare ones. Reports beyond those of the file take every other paper of one that is there. Then 1,000 papers
more are imported by ``presort import``, in a process of its own, one in fifty of them a copy of a known one; papers are
searched for by words of their titles; the history is read as for a week's ranking; and rankers sort the last week.
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

WEEK = 800  # papers
FIRST = date(2010, 1, 4)
SEARCHES = ["learning", "minimum wages", "quantum graph", "bayes", "a", "neverwritten"]
COPIED = 50  # one paper of so many that come later is known
# Presort's command, which prints its own time and memory: the peak that the parent could read includes the parent.
COMMAND = """
import atexit, pathlib, re, resource, runpy
def print_usage():
    used = resource.getrusage(resource.RUSAGE_SELF)
    peak = int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
    print(f"{used.ru_utime + used.ru_stime:.2f} s of the processor, at most {peak / 2**20:.2f} GiB")
atexit.register(print_usage)
runpy.run_module("presort.desk", run_name="__main__")
"""


class Drawn(NamedTuple):
    """Parts of a paper of the file that new papers are sampled from."""

    title: list[str]
    abstract: str
    authors: tuple[str, ...]
    reports: tuple[str, ...]


def read_rows(file: Path) -> list[Drawn]:
    """Read the papers to draw from."""
    rows = pd.read_parquet(file, columns=["title", "abstract", "authors", "reports"]).fillna("").astype(str)
    texts = zip(*(rows[column].tolist() for column in rows), strict=True)
    return [
        Drawn(title.split(), abstract, tuple(filter(None, authors.split("; "))), tuple(filter(None, codes.split(";"))))
        for title, abstract, authors, codes in texts
    ]


def drawn(rows: list[Drawn], numbers: range, n_reports: int, seed: int) -> Iterator[ListedPaper]:
    """Yield papers combined from those of the file."""
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
    """Fill a workspace with reports, and with issues of as many papers each, and return the days of these."""
    days = [FIRST + timedelta(weeks=week) for week in range(n_issues)]
    listed = (ListedPaper(Paper(f"{day}:{n}", f"Paper {n} of {day}"), day) for day in days for n in range(n_papers))
    commit_import(store, listed, person="benchmark")
    catalogue.add_reports(store, [Report(f"r{number:04}", f"Report {number}") for number in range(n_reports)])
    return days


def timed(name: str, do: Callable[[], object]) -> None:
    """Print the time that a call takes, and return its result."""
    began, used = time.perf_counter(), time.process_time()
    result = do()
    print(
        f"{name}: {time.process_time() - used:.2f} s of the processor, {time.perf_counter() - began:.2f} s on the "
        f"clock; {result}; peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB",
        flush=True,
    )


def later_papers(rows: list[Drawn], n_papers: int, n_reports: int, seed: int) -> list[ListedPaper]:
    """Return 1,000 papers of the next week: new ones, and copies of known ones under other ids."""
    first = n_papers + 1_000 * seed
    new = list(drawn(rows, range(first, first + 1_000), n_reports, seed))
    known = list(drawn(rows, range(n_papers), n_reports, 1))[:: max(1, n_papers * COPIED // 1_000)]
    copies = [replace(one, paper=replace(one.paper, paper_id=f"copy:{seed}:{one.paper.paper_id}")) for one in known]
    mixed = [*copies, *new][:1_000]
    return [replace(one, issue=FIRST + timedelta(weeks=n_papers // WEEK + seed), selected_by=()) for one in mixed]


def import_later(folder: Path, url: str, papers: list[ListedPaper]) -> str:
    """Import papers by the command, and return its time and memory."""
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
    return f"of the command: {last}: {first}"


def measure(folder: Path, url: str, rows: list[Drawn], n_papers: int, n_reports: int, rankers: list[str]) -> None:
    """Make the workspace, unless it is there, and print what each takes."""
    store = open_store(folder / "workspace", url)
    if not catalogue.issues(store):
        listed = drawn(rows, range(n_papers), n_reports, 1)
        timed("import of all", lambda: commit_import(store, listed, person="benchmark").summary)
        timed("tokens of all", lambda: keep_tokens(store, tokenise, TOKENISATION))
    weeks = (catalogue.issues(store)[-1].date - FIRST).days // 7 - (n_papers - 1) // WEEK
    for seed in (weeks + 2, weeks + 3):
        later = later_papers(rows, n_papers, n_reports, seed)
        timed("import of 1,000 more", partial(import_later, folder, url, later))
    search(store)
    newest = catalogue.issues(store)[-1].date
    timed("history read", lambda: len(read_history(store, newest, tokens=TOKENISATION, texts_from=newest).papers))
    for ranker in rankers:
        rank(store, ranker, (n_papers - 1) // WEEK)
    store.close()


def search(store: Store) -> None:
    """Look for papers by words of their titles."""
    for words in SEARCHES:
        timed(f"search for {words}", partial(found, store, words))


def rank(store: Store, ranker: str, week: int) -> None:
    """Sort a week's issue for all reports, reading included: with the model to learn, and with it at hand."""
    day, recipe, models = FIRST + timedelta(weeks=week), RECIPES[ranker], model_store(store)

    def sort() -> str:
        history = read_history(store, day, tokens=TOKENISATION, texts_from=day)
        last = len(history.issues)
        ranked = list(rank_block(recipe, history, last - 1, last, list(history.relevant), models=models))
        return f"{len(ranked)} reports, {history.starts[-2]:,} papers known"

    for case in ("the model to learn", "the model at hand"):
        timed(f"{ranker}, {case}", sort)


def found(store: Store, words: str) -> str:
    """Look for papers, and return how many were found."""
    return f"{len(find_papers(store, words, 8))} found"


def main() -> None:
    """Print a line for each operation."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = Path(__file__).parents[1]
    parser.add_argument("n_papers", type=int)
    parser.add_argument("--reports", type=int, default=100)
    parser.add_argument("--rank", nargs="*", default=[], choices=list(RECIPES), metavar="RANKER", help="sort, too")
    parser.add_argument("--folder", type=Path, help="keep the workspace here, or take that which is there")
    parser.add_argument("--postgresql", action="store_true", help="on a new server, which goes at the end")
    parser.add_argument("--file", type=Path, default=here.parent / "shared" / "corpus" / "arxiv.parquet")
    options = parser.parse_args()
    with ExitStack() as kept:
        folder = options.folder or Path(kept.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(exist_ok=True, parents=True)
        url = kept.enter_context(serving(is_safe=True)).url if options.postgresql else ""
        measure(folder, url, read_rows(options.file), options.n_papers, options.reports, options.rank)


if __name__ == "__main__":
    main()
