"""Claim: two workers of a Dask cluster replay a year 1.7 times faster than one process, with equal rankings.

Run as ``OPENBLAS_NUM_THREADS=1 python -m benchmarks.dask_replay [FILE]`` with ``arxiv.parquet``. The file is imported
into a workspace, and each replay runs on a copy of this workspace. The scheduler and the workers run on this machine,
and each worker is a process with one thread. With ``--kill``, a worker is killed halfway through a third replay. The
processor time of all processes is also printed, because wall-clock time depends on other work on the machine.
"""

import argparse
import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import dask
import psutil
from distributed import LocalCluster

from presort.data import catalogue
from presort.data.store import FILE_NAME, open_store
from presort.desk.importing.importer import import_path
from presort.desk.service import workflow
from presort.ranker.cluster.connection import use_dask
from presort.ranker.versions import RECIPES

AT_LEAST = 1.7
SETTINGS = {  # as in docs/cluster.md
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
    "distributed.worker.profile.enabled": False,
}
RANKERS = ("krichel-2007", "arxiv-sanity", "presort-1", "presort-2")
RANKINGS = """
select ranker, report_id, issue_id, trained_before, decisions_up_to, n_relevant, positions, scores, n_past
from ranking order by 1, 2, 3
"""


class Took(NamedTuple):
    """Wall-clock and processor time of a replay in seconds, and all its rankings."""

    clock: float
    processor: float
    rankings: list[tuple[Any, ...]]


def processor_time(pids: Sequence[int]) -> float:
    """Return the seconds of processor time used by processes and their children, except killed processes."""
    own = os.times()
    used = own.user + own.system
    for pid in pids:
        for process in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]:
            times = process.cpu_times()
            used += times.user + times.system
    return used


def replay_folder(
    folder: Path, options: argparse.Namespace, n_jobs: int, then: Callable[[int], object] = int
) -> list[tuple[Any, ...]]:
    """Replay in a workspace and call a function after each step. Returns all rankings."""
    recipes = [RECIPES[name] for name in options.ranker or RANKERS]
    with closing(open_store(folder)) as store:
        for step in workflow.replay(
            store,
            recipes,
            first=options.to - timedelta(weeks=options.weeks),
            last=options.to,
            retrain_every=options.retrain_every,
            reports=[report.code for report in catalogue.reports(store)][: options.reports],
            n_jobs=n_jobs,
        ):
            then(step.done)
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return connection.execute(RANKINGS).fetchall()


def time_replay(folder: Path, options: argparse.Namespace, n_jobs: int, pids: Sequence[int] = ()) -> Took:
    """Replay and measure the time."""
    begun, used = time.perf_counter(), processor_time(pids)
    rankings = replay_folder(folder, options, n_jobs)
    return Took(time.perf_counter() - begun, processor_time(pids) - used, rankings)


def replay_with_kill(
    folder: Path, options: argparse.Namespace, cluster: LocalCluster, half: int
) -> list[tuple[Any, ...]]:
    """Replay, and kill a worker halfway through the replay."""

    def kill(done: int) -> None:
        if done == half:
            os.kill(cluster.workers[0].pid, signal.SIGKILL)

    return replay_folder(folder, options, 2, kill)


def main() -> None:
    """Replay with one process and with two workers, and compare the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=Path("../shared/corpus/arxiv.parquet"))
    parser.add_argument(
        "--ranker", action="append", choices=RECIPES, help=f"ranker to replay; default {', '.join(RANKERS)}"
    )
    parser.add_argument("--to", type=date.fromisoformat, default=date(2019, 6, 30), help="last issue")
    parser.add_argument("--weeks", type=int, default=52, help="issues to replay; default %(default)s")
    parser.add_argument("--reports", type=int, help="maximum number of reports; default all")
    parser.add_argument("--retrain-every", type=int, default=1, help="issues ranked per training")
    parser.add_argument("--kill", action="store_true", help="replay again, and kill a worker halfway through")
    options = parser.parse_args()
    if not options.file.exists():
        print(f"skipped: {options.file} does not exist")
        return
    with TemporaryDirectory() as folder:
        first, second, third = (Path(folder) / name for name in ("here", "there", "killed"))
        with closing(open_store(first)) as store:
            import_path(store, options.file, person="import")
        for other in (second, third):
            shutil.copytree(first, other)
        here = time_replay(first, options, 1)
        print(f"one process: {len(here.rankings):,} rankings, {describe(here)}", flush=True)
        with (
            dask.config.set(SETTINGS),
            LocalCluster(
                n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
            ) as cluster,
            use_dask(cluster.scheduler_address),
        ):
            there = time_replay(second, options, 2, [worker.pid for worker in cluster.workers.values()])
            print(f"two workers: {len(there.rankings):,} rankings, {describe(there)}", flush=True)
            print(f"{here.clock / there.clock:.2f} times faster (at least {AT_LEAST})")
            print(f"equal: {there.rankings == here.rankings}", flush=True)
            if options.kill:
                found = replay_with_kill(third, options, cluster, len(here.rankings) // 2)
                print(f"a worker killed halfway through: {len(found):,} rankings, equal: {found == here.rankings}")


def describe(took: Took) -> str:
    """Format a replay's wall-clock and processor times."""
    return f"{took.clock:,.0f} s wall-clock, processor {took.processor:,.0f} s"


if __name__ == "__main__":
    main()
