"""The worker: a process that does the most urgent job in the queue of a workspace, within limits, and ends.

    python -m presort.desk.serving.worker WORKSPACE NAME PARENT

It is started by `presort.desk.service.tender`, which knows it by the name, and ends with that process, whose number it
is told: else nobody could cancel what it does. With the word ``spare`` behind, it waits for a line on its standard
input. Of all workers of a workspace one works at a time.
"""

import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from threading import Thread

from presort.data.errors import DataError, RefusedError
from presort.data.running import jobs as queue
from presort.data.running.job_folder import Job
from presort.data.running.jobs import PROGRESS, Jobs
from presort.data.store import Store, open_store
from presort.desk import settings
from presort.desk.console.interruption import exit_code, stoppable
from presort.desk.operation import logs
from presort.desk.service.queue import demo_of
from presort.desk.service.tender import BUSY_CODE, HOURS, NO_MEMORY, PATIENCE, SPARE, STOPPED

MOST_TRIES = 3
CUT_OFF = f"This was cut off {MOST_TRIES} times, as when its process is killed; nothing is left half done."
UNREADABLE = "What was to be done can't be read any more. Ask for it again."
MOST_IDLE = 600  # seconds that a worker started ahead waits
SHARE = 0.75  # of the computer's memory
NOTES = 0.5  # seconds from one note of how far a job has come to the next
LOOKS = 0.5  # seconds from one look at the parent to the next


def main() -> None:
    """Do one job, and end with a code that tells the tender what it can't read in the queue."""
    workspace, name, parent = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    logs.set_up(settings.log_format())
    _limit()
    try:
        with stoppable():
            Thread(target=_end_with, args=(parent,), name="parent", daemon=True).start()
            if sys.argv[4:] != [SPARE] or _is_needed():
                work(workspace, name)
    except MemoryError:
        os._exit(NO_MEMORY)  # at once: whatever would still be done needs memory
    except KeyboardInterrupt as stopped:
        sys.exit(exit_code(stopped))
    except DataError as error:
        if str(error) == queue.BUSY:
            sys.exit(BUSY_CODE)
        logs.end(error)


def _is_needed() -> bool:
    """Load what an import needs, for which somebody waits, and wait for a job; return whether there is one in time."""
    from presort.data.importers import apart
    from presort.desk.importing import import_job  # noqa: F401

    apart.prepare()
    waits_for, _, _ = select.select([sys.stdin], [], [], MOST_IDLE)
    return bool(waits_for and sys.stdin.readline())


def work(workspace: Path, name: str) -> None:
    """Do the most urgent job, if there is any.

    Raises
    ------
    DataError
        If the workspace can't be opened, or another worker has it.
    """
    jobs = Jobs(workspace)
    with closing(open_store(workspace, settings.database())) as store, store.lock(queue.LOCK, queue.BUSY):
        jobs.clear()
        waiting = jobs.waiting()
        if waiting:
            _do(store, jobs, waiting[0], name)


def _do(store: Store, jobs: Jobs, job: Job, name: str) -> None:
    if jobs.is_cancelled(job.id):
        jobs.end(job.id, "cancelled", queue.CANCELLED)
    elif job.kind not in DO:
        jobs.end(job.id, "failed", UNREADABLE)
    elif not (tries := jobs.begin(job.id, name)):
        jobs.end(job.id, "cancelled", queue.CANCELLED)  # by somebody who was cut off in it, if it is there at all
    else:
        try:
            if tries > MOST_TRIES:
                raise RefusedError(CUT_OFF)
            DO[job.kind](store, jobs, job)
        except DataError as error:
            jobs.end(job.id, "failed", str(error))
        except KeyboardInterrupt:
            jobs.put_back(job.id)
            raise
        else:
            jobs.end(job.id, "done")


# Each job loads what it needs itself: somebody waits for a look at a file, which takes less than loading rankers.


def _import(store: Store, jobs: Jobs, job: Job) -> None:
    from presort.desk.importing import import_job

    import_job.do(store, jobs, job)


def _rank(store: Store, _jobs: Jobs, job: Job) -> None:
    from presort.desk.service.pending import rank_pending

    for _ in rank_pending(store, reports=job.told["reports"]):
        pass


def _learn(store: Store, _jobs: Jobs, _job: Job) -> None:
    from presort.desk.service.past_lists import rank_past
    from presort.desk.service.workflow import learn

    learn(store)
    for _ in rank_past(store):
        pass


def _replay(store: Store, jobs: Jobs, job: Job) -> None:
    from presort.desk.service.past_lists import rank_past

    noted = 0.0
    for step in rank_past(store, job.told["ranker"]):
        if time.monotonic() - noted > NOTES:  # each note is written to the disk
            jobs.note(job.id, PROGRESS, [step.done, step.total])
            noted = time.monotonic()
    jobs.put_once("learn", {})  # nobody waits for what was promised of these lists


def _demo(store: Store, _jobs: Jobs, _job: Job) -> None:
    """Build the demo in a file of its own, wherever the workspace is kept."""
    from presort.desk.service.demo import build_demo

    with closing(open_store(demo_of(store.folder))) as demo:
        for _ in build_demo(demo):
            pass


DO: Mapping[str, Callable[[Store, Jobs, Job], None]] = {
    "import": _import,
    "rank": _rank,
    "replay": _replay,
    "learn": _learn,
    "demo": _demo,
}


def _end_with(parent: int) -> None:
    """Stop this process once its parent was killed, as the parent would have done at its own end."""
    while os.getppid() == parent:
        time.sleep(LOOKS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    os._exit(STOPPED[0])


def _limit() -> None:
    """Bound what this process may take; how long one job may take is bounded by the tender, while that lives."""
    memory = int(SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    seconds = int(max(HOURS.values()) * 3600)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    signal.alarm(seconds)  # also of a worker that only waits: it would hold the queue for ever


if __name__ == "__main__":
    main()
