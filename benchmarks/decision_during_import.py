"""Measure the time to save a decision while a large file is imported.

Imports the arXiv corpus into a new workspace in a separate process, and repeatedly saves a decision at the same time.
Prints the longest times, and for comparison the median before the import.

    python benchmarks/decision_during_import.py [../shared/corpus/arxiv.parquet]
"""

import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from statistics import median
from time import perf_counter

from presort.data.editing.decisions import decide
from presort.data.intake.commit_import import commit_import
from presort.data.records import Decision, ListedPaper, Paper
from presort.data.store import Store, open_store

DAY = date(2001, 1, 1)
BEFORE = 50


def main() -> None:
    """Run the benchmark and print the times."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/corpus/arxiv.parquet")
    if not path.exists():
        print(f"skipped: {path} does not exist")
        return
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder))
        commit_import(
            store, [ListedPaper(Paper("a", "A title"), DAY, ("x",)), ListedPaper(Paper("b", "B"), DAY)], person="i"
        )
        commit_import(store, [ListedPaper(Paper("c", "C"), date(2001, 1, 8))], person="i")
        alone = [_save(store, n) for n in range(BEFORE)]
        importing = subprocess.Popen(["presort", "-w", folder, "import", str(path)])
        waits: list[float] = []
        while importing.poll() is None:
            waits.append(_save(store, BEFORE + len(waits)))
        store.close()
    print(f"alone: median {median(alone) * 1000:.1f} ms")
    print(f"during the import, {len(waits)} decisions: median {median(waits) * 1000:.1f} ms,", end=" ")
    print("longest " + ", ".join(f"{wait:.2f} s" for wait in sorted(waits)[:-4:-1]))


def _save(store: Store, n: int) -> float:
    start = perf_counter()
    decide(store, [Decision("x", date(2001, 1, 8), "c", "yes" if n % 2 else "no", "editor", client_id=str(n))])
    return perf_counter() - start


if __name__ == "__main__":
    main()
