"""Claim: an import of 1,000 RIS records or of a 60 MB CSV file takes no more time and memory than in an older version.

Run as ``python -m benchmarks.reading OTHER``, where OTHER is a folder with an older checkout and its .venv. The files
are synthetic. ``presort import`` of each checkout reads them into an empty workspace, alternately and in its own
process. Prints the lowest processor time and the lowest peak memory of all runs, and the ratios to those of OTHER.
"""

import argparse
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.import_redif import LETTERS, N_WORDS

HERE = Path(__file__).parents[1]
CSV_BYTES = 60_000_000


def main() -> None:
    """Write the files and import them with both checkouts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    words = np.array(["".join(rng.choice(LETTERS, length)) for length in rng.integers(3, 11, N_WORDS)])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "week.ris").write_text("".join(_ris(words, rng, 1_000)), encoding="utf-8")
        _write_csv(folder / "all.csv", words, rng)
        for file, runs in (("week.ris", 2 * options.runs), ("all.csv", options.runs)):
            figures = [
                [_measure_import(checkout, folder / file) for checkout in (options.other, HERE)] for _ in range(runs)
            ]
            (old_seconds, old_bytes), (seconds, n_bytes) = np.min(figures, axis=0)
            print(
                f"{file}: {seconds:.2f} s, before {old_seconds:.2f} s ({seconds / old_seconds:.2f}), "
                f"{n_bytes / 1e6:.0f} MB, before {old_bytes / 1e6:.0f} MB ({n_bytes / old_bytes:.2f})"
            )


def _texts(words: np.ndarray, rng: np.random.Generator) -> tuple[str, str, str]:
    chosen = words[(rng.random(180) ** 3 * len(words)).astype(int)]  # some words are much more frequent than others
    return chosen[0].title(), " ".join(chosen[5:15]).capitalize(), " ".join(chosen[15:])


def _ris(words: np.ndarray, rng: np.random.Generator, n_records: int) -> Iterator[str]:
    for number in range(n_records):
        name, title, abstract = _texts(words, rng)
        yield (
            f"TY  - JOUR\nAU  - {name}, Ann\nAU  - {name}, Bo\nTI  - {title}\nAB  - {abstract}\nPY  - 2026\n"
            f"JO  - Journal of Examples\nKW  - wages\nKW  - jobs\nDO  - 10.1000/ex.{number}\nER  - \n\n"
        )


def _write_csv(path: Path, words: np.ndarray, rng: np.random.Generator) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        n_bytes = file.write("Title,Authors,Abstract,DOI,Year,Source title\n")
        number = 0
        while n_bytes < CSV_BYTES:
            name, title, abstract = _texts(words, rng)
            number += 1
            row = f'{title},"{name}, A.; {name}, B.","{abstract}, ""{title}""",10.1000/ex.{number},2026,Journal\n'
            n_bytes += file.write(row)


def _measure_import(checkout: Path, file: Path) -> tuple[float, float]:
    """Return the processor time in seconds and the peak memory in bytes of one import."""
    with tempfile.TemporaryDirectory() as workspace:
        presort = [str(checkout / ".venv" / "bin" / "presort"), "--workspace", workspace]
        command = [*presort, "import", "--issue", "2026-11-16", str(file)]
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        process = subprocess.Popen(command, cwd=checkout, env=environment, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{checkout}: the import of {file.name} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


if __name__ == "__main__":
    main()
