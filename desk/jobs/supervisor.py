"""Supervisor: starts a worker process for each job in a workspace's queue, and enforces the job's limits.

The worker (`presort.desk.jobs.worker`) holds the queue's lock, because only one worker per workspace may run a job at a
time. It runs the job with the highest priority, stores the result and exits. If it can't store the result because it
exceeded a limit, crashed or was cancelled, the supervisor stores it. If a worker was killed, its job is run again.
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
from presort.desk.jobs.queue import CANCELLED, Job, JobQueue

LOG = logging.getLogger(__name__)
WORKER = "presort.desk.jobs.worker"
SPARE = "spare"  # argument for workers that are started in advance and then wait for commands on standard input
BEGIN = "begin"  # command to run a job and exit; any other line is the path of a table to preview
SPARES = 2  # workers started in advance: one for a preview, and one for a second preview or the import
BUSY_CODE, NO_MEMORY = 75, 70  # exit codes
STOPPED = (128 + signal.SIGTERM, 128 + signal.SIGINT)
# Exit codes of a worker that exceeded a limit or crashed in C code, for example because of a crafted file.
CRASHES = (NO_MEMORY, -signal.SIGXCPU, -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGFPE, -signal.SIGILL)
READING, CRASHED = "reading", "crashed"  # notes: number of the file being read, and of the file that caused a crash
HOURS: Mapping[str, float] = {"import": 1, "rank": 4, "replay": 12, "demo": 2, "learn": 12}
# Kinds of jobs that are stopped if a job of a more urgent kind is queued, because users wait for imports and rankings.
GIVES_WAY_TO: Mapping[str, Collection[str]] = {"learn": ("import",), "replay": ("import", "rank")}
LOOKED_AFTER = 0.2  # seconds between two checks of a running job
AGAIN = 10.0  # seconds to wait after an error before the next attempt
PATIENCE = 30.0  # seconds until a terminated worker is killed
TOO_LONG = "Stopped because it took more than {} h. Completed steps are saved."
TOO_MUCH = "Stopped because it needed more than three quarters of the computer's memory. Completed steps are saved."
BROKEN = "Presort had an unexpected error (exit code {} of the worker). The server's log has the details."
# Arrow's own memory pool reserves address space, which would count against the memory limit for a file.
ENVIRONMENT = {"ARROW_DEFAULT_MEMORY_POOL": "system"}


class Supervisor:
    """Supervisor that runs a workspace's jobs one at a time until this process ends."""

    def __init__(self, queue: JobQueue) -> None:
        self._queue = queue
        self._news, self._stop = Event(), Event()
        self._worker: subprocess.Popen[bytes] | None = None
        self._spares: list[tuple[subprocess.Popen[bytes], str]] = []  # workers started in advance, with their names
        self._lock = Lock()
        Thread(target=self._run, name="supervisor", daemon=True).start()
        atexit.register(self._end)

    def wake(self) -> None:
        """Make the supervisor check the queue now."""
        self._news.set()

    def prepare(self) -> None:
        """Start workers in advance unless enough are idle, because loading their modules takes seconds."""
        with self._lock:
            for spare in [one for one in self._spares if one[0].poll() is not None]:
                self._spares.remove(spare)
                _close_pipes(spare[0])
            while len(self._spares) < SPARES and not self._stop.is_set():
                self._spares.append(self._start_worker(SPARE))

    def _start_worker(self, *words: str) -> tuple["subprocess.Popen[bytes]", str]:
        name = secrets.token_hex(8)
        command = [sys.executable, "-m", WORKER, str(self._queue.workspace), name, str(os.getpid()), *words]
        pipe = subprocess.PIPE if words else subprocess.DEVNULL
        environment = {**os.environ, **ENVIRONMENT}
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment), name

    def preview(self, path: Path) -> str:
        """Preview a table in a worker. Return the preview as JSON, or "" if the table can't be read.

        The worker stays alive for the next command, because starting a worker takes seconds.
        """
        worker = self._send_line(str(path))
        if worker is None:
            self.prepare()
            worker = self._send_line(str(path))
        if worker is None or worker[0].stdout is None:
            return ""
        found = worker[0].stdout.readline().decode()
        with self._lock:
            is_spare = found.endswith("\n") and len(self._spares) < SPARES and not self._stop.is_set()
            if is_spare:
                self._spares.insert(0, worker)
        if not is_spare:
            _stop_worker(worker[0])
        return found.rstrip("\n")

    def _send_line(self, line: str) -> tuple["subprocess.Popen[bytes]", str] | None:
        """Send a line to the first idle worker. Return the worker and its name, or None if no worker is idle."""
        while True:
            with self._lock:
                spare = self._spares.pop(0) if self._spares else None
            if spare is None:
                return None
            if spare[0].stdin and spare[0].poll() is None:
                with suppress(BrokenPipeError):
                    spare[0].stdin.write(os.fsencode(f"{line}\n"))
                    spare[0].stdin.flush()
                    return spare
            _stop_worker(spare[0])

    def _run(self) -> None:
        while not self._stop.is_set():
            self._news.wait()
            self._news.clear()
            while not self._stop.is_set():
                try:
                    if not self._queue.active_jobs():
                        break
                    is_well = self._work()
                except (OSError, DataError) as error:  # can't start a process, or can't write to the queue
                    LOG.warning("%s", error)
                    is_well = False
                if not is_well:
                    self._stop.wait(AGAIN)

    def _work(self) -> bool:
        """Run the next job. Return False if the caller should wait before the next attempt."""
        worker, name = self._send_line(BEGIN) or self._start_worker()
        self._worker = worker
        late = self._watch_worker(worker, name)
        code = worker.wait()
        _close_pipes(worker)
        job = late or self._queue.job_of_worker(name)  # None if the worker stored a result or put the job back
        if self._stop.is_set() or code == BUSY_CODE:
            return False
        if job is None:
            return code in (0, *STOPPED)
        if self._queue.is_cancelled(job.id):
            self._queue.end(job.id, "cancelled", CANCELLED)
        elif code in CRASHES and not late and (number := self._queue.read_note(job.id, READING)) is not None:
            self._queue.store_note(job.id, CRASHED, number)  # tells the next worker to skip this file
            self._queue.put_back(job.id)
        elif late or code == -signal.SIGXCPU:
            self._queue.end(job.id, "failed", TOO_LONG.format(f"{HOURS[job.kind]:g}"))
        elif code == NO_MEMORY:
            self._queue.end(job.id, "failed", TOO_MUCH)
        elif code > 0 and code not in STOPPED:
            self._queue.end(job.id, "broken", BROKEN.format(code))
        return True

    def _watch_worker(self, worker: "subprocess.Popen[bytes]", name: str) -> Job | None:
        """Wait until a worker has ended, stopping it if needed. Return its job if the job exceeded the time limit."""
        began = time.monotonic()
        while True:
            try:
                worker.wait(LOOKED_AFTER)
            except subprocess.TimeoutExpired:
                job = self._queue.job_of_worker(name)
                is_over = job is not None and time.monotonic() - began > HOURS.get(job.kind, 1) * 3600
                if is_over or (job is not None and self._must_stop(job)):
                    _stop_worker(worker)
                    return job if is_over else None
            else:
                return None

    def _must_stop(self, job: Job) -> bool:
        """Return True if a running job must be stopped, because it was cancelled or a more urgent job is queued."""
        gives_way_to = GIVES_WAY_TO.get(job.kind, ())
        return self._queue.is_cancelled(job.id) or any(one.kind in gives_way_to for one in self._queue.active_jobs())

    def _end(self) -> None:
        self._stop.set()
        with self._lock:
            for spare, _ in self._spares:
                _stop_worker(spare)
        if self._worker is not None:
            _stop_worker(self._worker)


def _stop_worker(worker: "subprocess.Popen[bytes]") -> None:
    worker.terminate()
    try:
        worker.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()
    _close_pipes(worker)


def _close_pipes(worker: "subprocess.Popen[bytes]") -> None:
    for pipe in filter(None, (worker.stdin, worker.stdout)):
        with suppress(BrokenPipeError):
            pipe.close()


_SUPERVISORS: Final[dict[Path, Supervisor]] = {}
_LOCK: Final = Lock()


def supervise(queue: JobQueue) -> None:
    """Start running a workspace's jobs in child processes in the background."""
    _supervisor(queue).wake()


def prepare(queue: JobQueue) -> None:
    """Start workers in advance for a workspace's next jobs."""
    _supervisor(queue).prepare()


def preview(queue: JobQueue, path: Path) -> str:
    """Preview a table in a worker process. See `Supervisor.preview`."""
    return _supervisor(queue).preview(path)


def _supervisor(queue: JobQueue) -> Supervisor:
    with _LOCK:
        if queue.workspace not in _SUPERVISORS:
            _SUPERVISORS[queue.workspace] = Supervisor(queue)
        return _SUPERVISORS[queue.workspace]
