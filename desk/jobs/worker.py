"""Worker: a process that runs the job with the highest priority in a workspace's queue and then exits.

    python -m presort.desk.jobs.worker WORKSPACE NAME PARENT

`presort.desk.jobs.supervisor` starts the worker and identifies it by NAME. The worker exits when the process PARENT
ends, because its job could then no longer be cancelled. If the last argument is ``spare``, it reads commands from its
standard input and previews tables until a command starts a job. Only one worker per workspace runs a job at a time.
Each worker's memory and time are limited.
"""

import os
import resource
import select
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from pkgutil import resolve_name
from threading import Thread
from typing import TYPE_CHECKING

from presort.data.errors import DataError, RefusedError, UnreadableFileError
from presort.desk import process, settings
from presort.desk.jobs import queue
from presort.desk.jobs.queue import Job, JobQueue
from presort.desk.jobs.supervisor import BEGIN, BUSY_CODE, HOURS, NO_MEMORY, PATIENCE, SPARE, STOPPED
from presort.desk.process import exit_code, raise_on_termination

if TYPE_CHECKING:  # not imported at run time, because importing the store takes longer than previewing a table
    from presort.data.store import Store

MOST_TRIES = 3  # a job that kills its worker would otherwise be started again forever
CUT_OFF = f"Gave up because this job was interrupted {MOST_TRIES} times. Completed steps are saved."
UNREADABLE = "This version of Presort can't read this job. Start it again."
MOST_IDLE = 600  # seconds after which an idle worker exits
SHARE = 0.75  # share of the computer's memory that a worker may use
NOTES = 0.5  # seconds between two progress notes
LOOKS = 0.5  # seconds between checks that the parent process is alive
NICENESS = 10  # jobs run at a low priority, because saving decisions must not wait for the processor


def main() -> None:
    """Run one job. If its result can't be stored in the queue, the exit code tells the supervisor what happened."""
    workspace, name, parent = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    process.configure_log(settings.log_format())
    _limit()
    try:
        with raise_on_termination():
            Thread(target=_end_with, args=(parent,), name="parent", daemon=True).start()
            line = _wait_for_command() if sys.argv[4:] == [SPARE] else BEGIN
            while line not in ("", BEGIN):
                _preview(Path(line))
                line = _wait_for_command()
            if line == BEGIN:
                with suppress(PermissionError):  # a sandbox may forbid changing the priority
                    os.nice(NICENESS)
                work(workspace, name)
    except MemoryError:
        os._exit(NO_MEMORY)  # exit immediately, because a clean exit would need memory
    except KeyboardInterrupt as stopped:
        sys.exit(exit_code(stopped))
    except DataError as error:
        if str(error) == queue.BUSY:
            sys.exit(BUSY_CODE)
        process.exit_with_error(error)


def _wait_for_command() -> str:
    """Wait for the next command and return it, or "" after a timeout.

    While idle, loads the modules needed for previews and then those needed for imports.
    """
    import presort.data.importers.preview  # noqa: F401

    waits_for, _, _ = select.select([sys.stdin], [], [], 0)
    if not waits_for:
        resolve_name(DO["import"])
        waits_for, _, _ = select.select([sys.stdin], [], [], MOST_IDLE)
    line = sys.stdin.readline().rstrip("\n") if waits_for else ""
    if line == BEGIN:  # nothing reads a job's output, and a full pipe would block the job forever
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return line


def _preview(path: Path) -> None:
    """Print the preview of a table as one line of JSON. Prints an empty line if the table can't be read."""
    from presort.data.importers.preview import preview
    from presort.data.importers.process_limits import limit_memory, limit_time

    try:
        with limit_memory(path), limit_time():
            found = preview(path)
        line = found.as_json()
    except UnreadableFileError:  # the import reports the reason
        line = ""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def work(workspace: Path, name: str) -> None:
    """Run the job with the highest priority, if there is any.

    Raises
    ------
    DataError
        If the workspace can't be opened, or if another worker holds the lock.
    """
    from presort.data.store import open_store

    jobs = JobQueue(workspace)
    with closing(open_store(workspace, settings.database())) as store, store.lock(queue.LOCK, queue.BUSY):
        jobs.clear()
        waiting = jobs.active_jobs()
        if waiting:
            _do(store, jobs, waiting[0], name)


def _do(store: "Store", jobs: JobQueue, job: Job, name: str) -> None:
    if jobs.is_cancelled(job.id):
        jobs.end(job.id, "cancelled", queue.CANCELLED)
    elif job.kind not in DO:
        jobs.end(job.id, "failed", UNREADABLE)
    elif not (tries := jobs.begin(job.id, name)):
        # The job was cancelled after the check above. If it has ended instead, this has no effect.
        jobs.end(job.id, "cancelled", queue.CANCELLED)
    else:
        try:
            if tries > MOST_TRIES:
                raise RefusedError(CUT_OFF)
            resolve_name(DO[job.kind])(store, jobs, job)
        except DataError as error:
            jobs.end(job.id, "failed", str(error))
        except KeyboardInterrupt:
            jobs.put_back(job.id)
            raise
        else:
            jobs.end(job.id, "done")


# Each of the following functions imports the modules that it needs. At the top of this module, the imports would delay
# previews, because loading the rankers takes longer than a preview.


def do_rank(store: "Store", _jobs: JobQueue, job: Job) -> None:
    """Rank the pending issues of the reports named in a job, or of all reports that need ranking if it names none."""
    from presort.desk.service.pending import rank_pending, reports_to_rank

    reports = job.request["reports"] or reports_to_rank(store)
    if reports:  # for `rank_pending`, an empty list means all reports
        for _ in rank_pending(store, reports=reports):
            pass


def do_learn(store: "Store", _jobs: JobQueue, _job: Job) -> None:
    """Train the models that are due, and rank the past lists that stop advice needs."""
    from presort.desk.service.past_lists import rank_past
    from presort.desk.service.workflow import learn

    learn(store)
    for _ in rank_past(store):
        pass


def do_replay(store: "Store", jobs: JobQueue, job: Job) -> None:
    """Compute a ranker's missing rankings of past lists."""
    from presort.desk.jobs.background import PROGRESS
    from presort.desk.service.past_lists import rank_past

    noted = 0.0
    for step in rank_past(store, job.request["ranker"]):
        if time.monotonic() - noted > NOTES:  # infrequent, because each note is written to disk
            jobs.store_note(job.id, PROGRESS, [step.done, step.total])
            noted = time.monotonic()
    jobs.put_once("learn", {})  # also computes the stop audits of these lists, which are not urgent


def do_demo(store: "Store", _jobs: JobQueue, _job: Job) -> None:
    """Build the demo in a separate SQLite workspace, even if this workspace is in PostgreSQL."""
    from presort.data.store import open_store
    from presort.desk.jobs.background import demo_of
    from presort.desk.service.demo import build_demo

    with closing(open_store(demo_of(store.folder))) as demo:
        for _ in build_demo(demo):
            pass


# Import path of the function for each kind of job. Functions are named by path because this package must not import
# from the package `importing`, which is in a higher layer.
DO: Mapping[str, str] = {
    "import": "presort.desk.importing.import_job:run_job",
    "rank": f"{__name__}:do_rank",
    "replay": f"{__name__}:do_replay",
    "learn": f"{__name__}:do_learn",
    "demo": f"{__name__}:do_demo",
}


def _end_with(parent: int) -> None:
    """Stop this process when its parent has ended, because the parent could no longer stop it."""
    while os.getppid() == parent:
        time.sleep(LOOKS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    os._exit(STOPPED[0])


def _limit() -> None:
    """Limit the memory and time of this process. A running supervisor enforces stricter time limits."""
    memory = int(SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    seconds = int(max(HOURS.values()) * 3600)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    signal.alarm(seconds)  # stops even a blocked worker, which would otherwise hold the queue's lock forever


if __name__ == "__main__":
    main()
