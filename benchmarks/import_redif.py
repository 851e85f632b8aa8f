"""Claim: importing 100,000 ReDIF papers takes at most 60 s and 2 GiB.

Run as ``python -m benchmarks.import_redif [N_PAPERS]``. The files are synthetic: 20 files in a folder, and a file with
the names of series in another folder. Each ``presort import`` runs in its own process, and its processor time and peak
memory are printed. The first import fills an empty workspace, the second repeats it, and the third adds 1,000 papers of
another issue, which are compared with all others.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

N_FILES = 20
N_WORDS = 30_000
LETTERS = np.array(list("aaabcdeeeefghiiijklmnnoooprrssttuuvwz"))


def main() -> None:
    """Write the files and import them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_papers", type=int, nargs="?", default=100_000)
    n_papers = parser.parse_args().n_papers
    rng = np.random.default_rng(1)
    words = np.array(["".join(rng.choice(LETTERS, length)) for length in rng.integers(3, 11, N_WORDS)])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder / "all", words, rng, 0, n_papers, n_files=N_FILES)
        _write(folder / "week", words, rng, n_papers, 1_000, n_files=1)
        n_bytes = sum(path.stat().st_size for path in (folder / "all").iterdir())
        print(f"{n_papers:,} papers in {N_FILES + 1} files, {n_bytes / 1e6:.0f} MB")
        _import(folder, "all", "2026-11-09")
        _import(folder, "all", "2026-11-09")
        _import(folder, "week", "2026-11-16")


def _write(folder: Path, words: np.ndarray, rng: np.random.Generator, first: int, n_papers: int, n_files: int) -> None:
    folder.mkdir()
    series = "Template-Type: ReDIF-Series 1.0\nName: Working papers of {0}\nHandle: RePEc:abc:series{0}\n\n"
    (folder / "series.rdf").write_text("".join(map(series.format, range(n_files))), encoding="utf-8")
    for number in range(n_files):
        with (folder / f"papers{number}.rdf").open("w", encoding="utf-8") as file:
            for place in range(first + number, first + n_papers, n_files):
                file.write(_template(words, rng, f"RePEc:abc:series{number}:{place}"))


def _template(words: np.ndarray, rng: np.random.Generator, handle: str) -> str:
    chosen = words[(rng.random(160) ** 3 * len(words)).astype(int)]  # some words are much more frequent than others
    abstract = "\n  ".join(" ".join(chosen[start : start + 14]) for start in range(20, 160, 14))
    return (
        f"Template-Type: ReDIF-Paper 1.0\nAuthor-Name: {chosen[0].title()} {chosen[1].title()}\n"
        f"Author-Workplace-Name: {chosen[2].title()}\nAuthor-Name: {chosen[3].title()} {chosen[4].title()}\n"
        f"Title: {' '.join(chosen[5:15]).capitalize()}\nAbstract: {abstract}\n"
        f"Classification-JEL: J31, E{rng.integers(60)}\n"
        f"Creation-Date: 2026-11\nHandle: {handle}\n\n"
    )


def _import(folder: Path, name: str, issue: str) -> None:
    began = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    presort = [sys.executable, "-m", "presort.desk", "--workspace", str(folder / "workspace")]
    command = [*presort, "import", "--issue", issue]
    done = subprocess.run([*command, str(folder / name)], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(done.stdout.splitlines()[0])
    print(
        f"  {seconds:.1f} s processor, {time.perf_counter() - began:.1f} s wall-clock, "
        f"peak so far {after.ru_maxrss / 1024**2:.2f} GiB"
    )


if __name__ == "__main__":
    main()
