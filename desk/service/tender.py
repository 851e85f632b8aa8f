"""Have the queue of a workspace worked off: start a worker process for each job, and hold it to its limits.

The worker (`presort.desk.serving.worker`) takes the lock of the queue, so that of all who tend one of a workspace's
queues one works at a time; it does the most urgent job, and ends. What becomes of a job is written by the worker, or
here, where the worker had no time to: cut off by a limit, a bug, or whoever cancels it. A job whose worker was killed
is begun again, by whoever tends the queue next.
"""

import atexit
import logging
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final

from presort.data.errors import DataError
from presort.data.running.job_folder import Job
from presort.data.running.jobs import CANCELLED, Jobs

LOG = logging.getLogger(__name__)
WORKER = "presort.desk.serving.worker"
SPARE = "spare"  # word for a worker that is started ahead, and waits for a line on its standard input
BUSY_CODE, NO_MEMORY = 75, 70  # exit codes
STOPPED = (128 + signal.SIGTERM, 128 + signal.SIGINT)
HOURS: Mapping[str, float] = {"import": 1, "rank": 4, "replay": 12, "demo": 2, "learn": 12}
# Somebody waits for an import and for a list to be sorted, but not for these.
GIVES_WAY_TO: Mapping[str, Collection[str]] = {"learn": ("import",), "replay": ("import", "rank")}
LOOKED_AFTER, AGAIN, PATIENCE = 0.2, 10.0, 30.0  # seconds
TOO_LONG = "This took more than {} h, and was stopped; nothing is left half done."
TOO_MUCH = "This needs more than three quarters of the computer's memory, and was stopped; nothing is left half done."
BROKEN = "Presort made a mistake (its worker ended with {}); the log of the server says which."


class Tender:
    """Works the queue of a workspace off, as long as this process lives."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._news, self._stop = Event(), Event()
        self._worker: subprocess.Popen[bytes] | None = None
        self._spare: tuple[subprocess.Popen[bytes], str] | None = None  # started ahead, and its name
        self._lock = Lock()
        Thread(target=self._tend, name="tender", daemon=True).start()
        atexit.register(self._end)

    def wake(self) -> None:
        """Look whether there is something to do."""
        self._news.set()

    def prepare(self) -> None:
        """Start a worker for the next job ahead, unless one waits: to load what it needs takes seconds."""
        with self._lock:
            if not self._stop.is_set() and (self._spare is None or self._spare[0].poll() is not None):
                self._spare = self._started(SPARE)

    def _started(self, *words: str) -> tuple["subprocess.Popen[bytes]", str]:
        name = secrets.token_hex(8)
        command = [sys.executable, "-m", WORKER, str(self._jobs.workspace), name, str(os.getpid()), *words]
        stdin = subprocess.PIPE if words else subprocess.DEVNULL
        return subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL), name

    def _begun(self) -> tuple["subprocess.Popen[bytes]", str]:
        """Return a worker that takes the next job, and its name: the one that was started ahead, if it still waits."""
        with self._lock:
            spare, self._spare = self._spare, None
        if spare and spare[0].stdin:
            with suppress(BrokenPipeError), spare[0].stdin as line:
                if spare[0].poll() is None:
                    line.write(b"begin\n")
                    return spare
        return self._started()

    def _tend(self) -> None:
        while not self._stop.is_set():
            self._news.wait()
            self._news.clear()
            while not self._stop.is_set():
                try:
                    if not self._jobs.waiting():
                        break
                    is_well = self._work()
                except (OSError, DataError) as error:  # no room for a process, or to write how it ended
                    LOG.warning("%s", error)
                    is_well = False
                if not is_well:
                    self._stop.wait(AGAIN)

    def _work(self) -> bool:
        """Have the next job done, and return whether to go on at once."""
        worker, name = self._begun()
        self._worker = worker
        late = self._look_after(worker, name)
        code, job = worker.wait(), late or self._jobs.done_by(name)  # which a worker that is stopped puts back
        if self._stop.is_set() or code == BUSY_CODE:
            return False
        if job is None:
            return code in (0, *STOPPED)
        if self._jobs.is_cancelled(job.id):
            self._jobs.end(job.id, "cancelled", CANCELLED)
        elif late or code == -signal.SIGXCPU:
            self._jobs.end(job.id, "failed", TOO_LONG.format(f"{HOURS[job.kind]:g}"))
        elif code == NO_MEMORY:
            self._jobs.end(job.id, "failed", TOO_MUCH)
        elif code > 0 and code not in STOPPED:
            self._jobs.end(job.id, "broken", BROKEN.format(code))
        return True

    def _look_after(self, worker: "subprocess.Popen[bytes]", name: str) -> Job | None:
        """Wait until a worker has ended, or has to; return its job if the time for that was over."""
        began = time.monotonic()
        while True:
            try:
                worker.wait(LOOKED_AFTER)
            except subprocess.TimeoutExpired:
                job = self._jobs.done_by(name)
                is_over = job is not None and time.monotonic() - began > HOURS.get(job.kind, 1) * 3600
                if is_over or (job is not None and self._is_unwanted(job)):
                    _stop(worker)
                    return job if is_over else None
            else:
                return None

    def _is_unwanted(self, job: Job) -> bool:
        """Return whether a job is cancelled, or makes more urgent ones wait; it is begun again behind these."""
        gives_way_to = GIVES_WAY_TO.get(job.kind, ())
        return self._jobs.is_cancelled(job.id) or any(one.kind in gives_way_to for one in self._jobs.waiting())

    def _end(self) -> None:
        self._stop.set()
        with self._lock:
            if self._spare is not None:
                _stop(self._spare[0])
        if self._worker is not None:
            _stop(self._worker)


def _stop(worker: "subprocess.Popen[bytes]") -> None:
    worker.terminate()
    try:
        worker.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()


_TENDERS: Final[dict[Path, Tender]] = {}
_LOCK: Final = Lock()


def tend(jobs: Jobs) -> None:
    """Have the queue of a workspace worked off by this process; nobody waits for it."""
    _tender(jobs).wake()


def prepare(jobs: Jobs) -> None:
    """Start the worker for the next job of a workspace ahead."""
    _tender(jobs).prepare()


def _tender(jobs: Jobs) -> Tender:
    with _LOCK:
        if jobs.workspace not in _TENDERS:
            _TENDERS[jobs.workspace] = Tender(jobs)
        return _TENDERS[jobs.workspace]
