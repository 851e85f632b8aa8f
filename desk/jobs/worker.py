"""Worker: a process that runs the most urgent job in the queue of a workspace, within limits, and exits.

    python -m presort.desk.jobs.worker WORKSPACE NAME PARENT

`presort.desk.jobs.supervisor` starts it and identifies it by NAME. It ends with that process, whose number is PARENT,
because otherwise nobody could cancel its job. With a last argument ``spare`` it reads lines from its standard input,
and previews tables until a line requests a job. Only one worker of a workspace runs a job at a time.
"""

import os
import resource
import select
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from pkgutil import resolve_name
from threading import Thread
from typing import TYPE_CHECKING

from presort.data.errors import DataError, RefusedError, UnreadableFileError
from presort.desk import process, settings
from presort.desk.jobs import queue
from presort.desk.jobs.queue import Job, JobQueue
from presort.desk.jobs.supervisor import BEGIN, BUSY_CODE, HOURS, NO_MEMORY, PATIENCE, SPARE, STOPPED
from presort.desk.process import exit_code, stoppable

if TYPE_CHECKING:  # to load it takes longer than to preview a table
    from presort.data.store import Store

MOST_TRIES = 3
CUT_OFF = f"This job was interrupted {MOST_TRIES} times, as when its process is killed. Nothing is half-finished."
UNREADABLE = "This job can't be read any more. Request it again."
MOST_IDLE = 600  # seconds that a worker started ahead waits
SHARE = 0.75  # of the computer's memory
NOTES = 0.5  # seconds from one note of how far a job has come to the next
LOOKS = 0.5  # seconds from one look at the parent to the next


def main() -> None:
    """Run one job, and exit with a code that tells the supervisor the results that aren't in the queue."""
    workspace, name, parent = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    process.set_up(settings.log_format())
    _limit()
    try:
        with stoppable():
            Thread(target=_end_with, args=(parent,), name="parent", daemon=True).start()
            line = _asked() if sys.argv[4:] == [SPARE] else BEGIN
            while line not in ("", BEGIN):
                _preview(Path(line))
                line = _asked()
            if line == BEGIN:
                work(workspace, name)
    except MemoryError:
        os._exit(NO_MEMORY)  # at once, because a clean exit would need memory
    except KeyboardInterrupt as stopped:
        sys.exit(exit_code(stopped))
    except DataError as error:
        if str(error) == queue.BUSY:
            sys.exit(BUSY_CODE)
        process.end(error)


def _asked() -> str:
    """Load the modules of previews, then of imports, and return the requesting line, or ""."""
    import presort.data.importers.preview  # noqa: F401

    waits_for, _, _ = select.select([sys.stdin], [], [], 0)
    if not waits_for:
        resolve_name(DO["import"])
        waits_for, _, _ = select.select([sys.stdin], [], [], MOST_IDLE)
    line = sys.stdin.readline().rstrip("\n") if waits_for else ""
    if line == BEGIN:  # nobody reads a job's output: once the pipe is full, the job would block for ever
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return line


def _preview(path: Path) -> None:
    """Print the preview of a table as a line of JSON, which is empty if the table can't be read."""
    from presort.data.importers.preview import preview
    from presort.data.importers.process_limits import bounded_memory, bounded_time

    try:
        with bounded_memory(path), bounded_time():
            found = preview(path)
        line = found.as_json()
    except UnreadableFileError:  # the import says why
        line = ""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def work(workspace: Path, name: str) -> None:
    """Do the most urgent job, if there is any.

    Raises
    ------
    DataError
        If the workspace can't be opened, or another worker has it.
    """
    from presort.data.store import open_store

    jobs = JobQueue(workspace)
    with closing(open_store(workspace, settings.database())) as store, store.lock(queue.LOCK, queue.BUSY):
        jobs.clear()
        waiting = jobs.waiting()
        if waiting:
            _do(store, jobs, waiting[0], name)


def _do(store: "Store", jobs: JobQueue, job: Job, name: str) -> None:
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
            resolve_name(DO[job.kind])(store, jobs, job)
        except DataError as error:
            jobs.end(job.id, "failed", str(error))
        except KeyboardInterrupt:
            jobs.put_back(job.id)
            raise
        else:
            jobs.end(job.id, "done")


# Each job imports its own modules: a user waits for a preview, which takes less time than loading rankers.


def do_rank(store: "Store", _jobs: JobQueue, job: Job) -> None:
    """Rank the pending issues of the reports of a job. If it names none, rank those of reports that need it."""
    from presort.desk.service.pending import rank_pending, reports_to_rank

    reports = job.request["reports"] or reports_to_rank(store)
    if reports:  # to `rank_pending`, none means all
        for _ in rank_pending(store, reports=reports):
            pass


def do_learn(store: "Store", _jobs: JobQueue, _job: Job) -> None:
    """Train the models that are due, and rank the past lists that stop advice lacks."""
    from presort.desk.service.past_lists import rank_past
    from presort.desk.service.workflow import learn

    learn(store)
    for _ in rank_past(store):
        pass


def do_replay(store: "Store", jobs: JobQueue, job: Job) -> None:
    """Rank the past lists that a ranker lacks."""
    from presort.desk.jobs.background import PROGRESS
    from presort.desk.service.past_lists import rank_past

    noted = 0.0
    for step in rank_past(store, job.request["ranker"]):
        if time.monotonic() - noted > NOTES:  # each note is written to the disk
            jobs.note(job.id, PROGRESS, [step.done, step.total])
            noted = time.monotonic()
    jobs.put_once("learn", {})  # stop audits of these lists are not urgent


def do_demo(store: "Store", _jobs: JobQueue, _job: Job) -> None:
    """Build the demo in a file of its own, wherever the workspace is kept."""
    from presort.data.store import open_store
    from presort.desk.jobs.background import demo_of
    from presort.desk.service.demo import build_demo

    with closing(open_store(demo_of(store.folder))) as demo:
        for _ in build_demo(demo):
            pass


DO: Mapping[str, str] = {  # where the function for each kind is; that of imports is above this package
    "import": "presort.desk.importing.import_job:do",
    "rank": f"{__name__}:do_rank",
    "replay": f"{__name__}:do_replay",
    "learn": f"{__name__}:do_learn",
    "demo": f"{__name__}:do_demo",
}


def _end_with(parent: int) -> None:
    """Stop this process once its parent was killed, because the parent can't do that any more."""
    while os.getppid() == parent:
        time.sleep(LOOKS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    os._exit(STOPPED[0])


def _limit() -> None:
    """Limit the memory and time of this process. The supervisor limits the time of a job as long as it lives."""
    memory = int(SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    seconds = int(max(HOURS.values()) * 3600)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    signal.alarm(seconds)  # also of a worker that only waits: it would hold the queue for ever


if __name__ == "__main__":
    main()
