"""Goal, not reached yet: `presort score` of 100,000 lines takes at most 1.5 times as long as the command ir_measures.

Run as ``python -m benchmarks.score_command [N_TIMES]``. The commands run alternately. ir-measures computes five
measures, `presort score` all 26. Processor time is less sensitive than elapsed time to other programs on the computer.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.bulk_outcomes import write_run

N_TIMES = 9
MEASURES = ("AP", "RR", "nDCG", "nDCG@10", "P@10")


def times(command: list[str]) -> tuple[float, float]:
    """Run a command and return its elapsed time and processor time in seconds."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command} failed with exit code {process.returncode}")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print the median times of each command and their ratio to those of ir-measures."""
    n_times = int(sys.argv[1]) if len(sys.argv) > 1 else N_TIMES
    programs = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = map(str, write_run(Path(folder)))
        commands = {
            "ir_measures": [str(programs / "ir_measures"), qrels, run, *MEASURES],
            "presort score": [str(programs / "presort"), "score", run, qrels],
            "presort score --csv": [str(programs / "presort"), "score", run, qrels, "--csv"],
            "presort score --help": [str(programs / "presort"), "score", "--help"],
        }
        for command in commands.values():  # fills the caches of files and bytecode
            times(command)
        rounds = [[times(command) for command in commands.values()] for _ in range(n_times)]
    medians = [
        [statistics.median(column) for column in zip(*found, strict=True)] for found in zip(*rounds, strict=True)
    ]
    for name, (elapsed, processor) in zip(commands, medians, strict=True):
        ratios = f"{elapsed / medians[0][0]:.2f} and {processor / medians[0][1]:.2f} times as long as ir_measures"
        print(f"{name:21} {elapsed:.2f} s elapsed, {processor:.2f} s processor; {ratios}")


if __name__ == "__main__":
    main()
