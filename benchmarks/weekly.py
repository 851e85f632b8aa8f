"""Claim: a weekly run takes less than 3 s, with 65 reports, 600 new and 74,000 known papers, and a model trained ahead.

Run as ``python -m benchmarks.weekly [FILE]`` with ``arxiv.parquet``. The file is imported, including tokens. A model is
trained ahead. Then Presort's rankers rank nine issues one by one: the last whole period, and the first issue after it.
The time covers reading the workspace and ranking. The last issue is also ranked with a new report, and with a report
that withdraws a third of its relevant papers. All three cases are repeated with the next model trained ahead, as
happens after a publication or at night.

For comparison, a complete run of the published rankers on the last issue is measured. Each ranker runs in its own
process on one core. Times are processor times without the start of Python. The vectors are random, because the time
doesn't depend on their values.
"""

import argparse
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import date
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from presort.data import catalogue
from presort.data.learning.history import read_history
from presort.data.learning.models import model_store
from presort.data.learning.vectors import keep_vectors, use_model
from presort.data.records import History, SentenceModel
from presort.data.store import open_store
from presort.desk.importing.importer import import_path
from presort.ranker.recipe import PERIOD
from presort.ranker.tokens import TOKENISATION
from presort.ranker.train import learn_ahead, rank_block
from presort.ranker.versions import RECIPES

AHEAD = "| trained ahead "
BEGUN, TAKEN_BACK = "| new report", "| a third of a report withdrawn"
OURS, PEERS = ["presort-1", "presort-2", "presort-2-vectors"], ["arxiv-sanity", "asreview-u4"]
MODEL = SentenceModel("drawn at random", "0", 64, 384, "")


def prepare(file: Path, workspace: Path) -> tuple[list[date], float]:
    """Import a file. Returns the issues of the last whole period, the issue after it, and the import time."""
    store = open_store(workspace)
    begin = time.perf_counter()
    import_path(store, file, person="benchmark")
    seconds = time.perf_counter() - begin
    use_model(store, MODEL)
    rng = np.random.default_rng(0)
    for _ in keep_vectors(
        store, MODEL, lambda papers: rng.normal(size=(len(papers), MODEL.n_numbers)).astype(np.float16)
    ):
        pass
    days = [issue.date for issue in catalogue.issues(store)]
    end = (len(days) - 1) // PERIOD * PERIOD
    store.close()
    return days[end - PERIOD : end + 1], seconds


def weeks(workspace: Path, days: list[date], ranker: str) -> list[str]:
    """Rank the issues one after another, and return a line for each issue."""
    store = open_store(workspace)
    models, recipe = model_store(store), RECIPES[ranker]
    lines = []
    needs_texts, has_vectors = recipe.method.needs_past_texts, recipe.method.reads_vectors
    history = read_history(store, days[0], tokens=TOKENISATION, has_vectors=has_vectors)
    begin = time.process_time()
    if learn_ahead(recipe, history, list(history.relevant), models=models, before=len(history.issues) - 1):
        lines.append(f"{ranker:12} training ahead: {time.process_time() - begin:.1f} s")
    cases = [(day, "") for day in days]
    if recipe.method.learns_together:
        cases += [(days[-1], BEGUN), (days[-1], TAKEN_BACK)]
        cases += [(days[-1], f"{AHEAD}{case}") for _, case in cases[-3:]]
    for day, case in cases:
        if case == AHEAD:
            history = read_history(store, day, tokens=TOKENISATION, has_vectors=has_vectors)
            learn_ahead(recipe, history, list(history.relevant), models=models, before=len(history.issues) - 1)
        begin = time.process_time()
        texts_from = date.min if needs_texts else day
        history = read_history(store, day, tokens=TOKENISATION, texts_from=texts_from, has_vectors=has_vectors)
        read = time.process_time() - begin
        history = change_history(history, case)
        issue = len(history.issues) - 1
        ranked = list(rank_block(recipe, history, issue, issue + 1, list(history.relevant), models=models))
        seconds = time.process_time() - begin
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        known = history.starts[issue]
        lines.append(
            f"{ranker:12} {day} {len(ranked)} reports, {known:,} papers known, {len(history.papers) - known} new: "
            f"{seconds:5.1f} s, including {read:.1f} s reading | peak {peak:.2f} GiB {case}"
        )
    store.close()
    return lines


def change_history(history: History, case: str) -> History:
    """Change a history as the case requires.

    Either adds a new report that has relevant papers only in the last two issues, or withdraws a third of a report's
    relevant papers.
    """
    report = max(history.relevant, key=lambda code: len(history.relevant[code]))
    relevant = history.relevant[report]
    if case.endswith(BEGUN):
        since = history.starts[len(history.issues) - 3]
        return replace(history, relevant={**history.relevant, "young": relevant[relevant >= since]})
    if case.endswith(TAKEN_BACK):
        gone = relevant[::3]
        return replace(
            history,
            relevant={**history.relevant, report: np.setdiff1d(relevant, gone)},
            maybe={**history.maybe, report: gone},
        )
    return history


def main() -> None:
    """Print a line for each issue."""
    parser = argparse.ArgumentParser(description=__doc__)
    here = Path(__file__).parents[1]
    parser.add_argument("file", type=Path, nargs="?", default=here.parent / "shared" / "corpus" / "arxiv.parquet")
    file = parser.parse_args().file
    with tempfile.TemporaryDirectory() as folder:
        days, seconds = prepare(file, Path(folder))
        print(f"import with tokens: {seconds:.1f} s", flush=True)
        for ranker, some in [*((ours, days) for ours in OURS), *((peer, days[-1:]) for peer in PEERS)]:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                for line in process.submit(weeks, Path(folder), some, ranker).result():
                    print(line, flush=True)


if __name__ == "__main__":
    main()
