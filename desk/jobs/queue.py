"""Job queue of a workspace. It consists of a small SQLite file and, in the same folder, the uploaded files.

The queue is separate from the workspace's database for two reasons. Restoring a backup must not repeat old jobs, and it
must be possible to cancel a job while an import holds the database's write lock. Uploaded files stay on the computer
that runs the worker.
"""

import json
import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal, get_args

from presort.data.errors import RefusedError, WorkspaceError
from presort.data.workspace.file_copy import sync
from presort.data.workspace.folder import PRIVATE_FILE, PRIVATE_FOLDER

LOG = logging.getLogger(__name__)
Kind = Literal["import", "rank", "replay", "demo", "learn"]  # in order of priority
State = Literal["done", "failed", "broken", "cancelled"]
FOLDER, FILE_NAME = "jobs", "queue.db"
LOCK = "queue"  # name of the lock that is held while a job runs
BUSY = "Another process is running the jobs of this workspace."
UNKNOWN = "The result of this job is no longer stored."
CANCELLED = "Cancelled. Completed steps are saved."
KEPT = 2 * 24 * 60 * 60  # seconds for which a job's result is stored
SERVICE = "presort"  # user name in the log for jobs queued by the service
TIMEOUT = 30.0  # seconds; long, because another process may be writing the files of a large import
DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
JOBS = "SELECT id, kind, person, request FROM job WHERE"
FORGET = "DELETE FROM job WHERE state IS NOT NULL AND"
# With AUTOINCREMENT, ids are never reused and later jobs have higher ids. Jobs aren't ordered by time, because the
# clock may be set back.
TABLES = """
CREATE TABLE job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  person TEXT NOT NULL,
  request TEXT NOT NULL,
  worker TEXT,
  tries INTEGER NOT NULL DEFAULT 0,
  is_cancelled INTEGER NOT NULL DEFAULT 0,
  state TEXT,
  message TEXT NOT NULL DEFAULT '',
  ended_at REAL
);
CREATE TABLE note (job INTEGER, name TEXT, value TEXT NOT NULL, PRIMARY KEY (job, name));
"""


@dataclass(frozen=True)
class Job:
    """Background job.

    Attributes
    ----------
    id : int
        Id of the job. Ids start at 1 and increase in the order in which jobs are queued.
    kind : str
        One of `Kind`. Empty if the request can't be read.
    person : str
        Name of the user who requested the job.
    request : mapping
        Arguments of the job. They are stored as JSON.
    """

    id: int
    kind: str
    person: str
    request: Mapping[str, Any]


@dataclass(frozen=True)
class End:
    """State of an ended job, and a message. The state is "failed" after an expected error, and "broken" after a bug."""

    state: State
    message: str = ""


class JobQueue:
    """Job queue in a workspace's folder."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self._folder = workspace / FOLDER
        self._path = self._folder / FILE_NAME

    def put(
        self,
        kind: Kind,
        request: Mapping[str, Any],
        *,
        person: str,
        files: Sequence[tuple[str, bytes | memoryview]] = (),
        notes: Mapping[str, Any] | None = None,
    ) -> int:
        """Queue a job in one transaction. Return its id.

        Parameters
        ----------
        kind : str
            Kind of job, one of `Kind`.
        request : mapping
            Arguments of the job. They should be small, because they are read repeatedly until the job ends.
        person : str
            Name of the user who requests the job.
        files : sequence of (name, content)
            Files for the job. Their names must not contain folders.
        notes : mapping, optional
            Initial notes of the job, by name.

        Raises
        ------
        WorkspaceError
            If the queue can't be written.
        """
        values = (kind, person, json.dumps(request))
        with self._open_to_write() as connection:
            job = connection.execute("INSERT INTO job (kind, person, request) VALUES (?, ?, ?)", values).lastrowid or 0
            for name, value in (notes or {}).items():
                _store_note(connection, job, name, value)
            _write_files(self._files_of(job), files)  # the files must be on disk before the job is committed
        return job

    def put_once(self, kind: Kind, request: Mapping[str, Any]) -> int:
        """Queue a job for the service itself unless an equal job is already queued. Return the queued job's id.

        If an equal job is running, another is queued, because the running job may miss recent changes.
        """
        equal = (job.id for job in self.active_jobs() if (job.kind, job.request) == (kind, request))
        waits = next((job for job in equal if not self.is_begun(job)), None)
        return waits or self.put(kind, request, person=SERVICE)

    def active_jobs(self) -> list[Job]:
        """Return the queued and running jobs, sorted by priority and, within a priority, oldest first."""
        return sorted(self._jobs(f"{JOBS} state IS NULL ORDER BY id"), key=_urgency)

    def ended_jobs(self, kind: Kind) -> list[Job]:
        """Return the ended jobs of the given kind that are still stored, oldest first."""
        return self._jobs(f"{JOBS} state IS NOT NULL AND kind = ? ORDER BY id", kind)

    def job_of_worker(self, worker: str) -> Job | None:
        """Return the job that a worker is running or was running when it was killed, or None if there is none."""
        return next(iter(self._jobs(f"{JOBS} state IS NULL AND worker = ?", worker)), None)

    def files(self, job: int) -> list[Path]:
        """Return the paths of a job's files in the order in which they were queued. Empty if the job has ended."""
        folders = sorted(self._files_of(job).glob("*"), key=lambda folder: int(folder.name))
        return [next(folder.iterdir()) for folder in folders]

    def is_begun(self, job: int) -> bool:
        """Return True if a worker is running the job, or was running it when the worker was killed."""
        return bool(self._value("SELECT worker IS NOT NULL AND state IS NULL FROM job WHERE id = ?", job))

    def begin(self, job: int, worker: str) -> int:
        """Assign a job to a worker. Return the number of attempts, or 0 if the job has ended or was cancelled."""
        query = (
            "UPDATE job SET worker = ?, tries = tries + 1 WHERE id = ? AND state IS NULL AND NOT is_cancelled "
            "RETURNING tries"
        )
        with self._open_to_write() as connection:
            found = connection.execute(query, (worker, job)).fetchone()
        return int(found[0]) if found else 0

    def put_back(self, job: int) -> None:
        """Queue a stopped job again, and reset its number of attempts."""
        self._write("UPDATE job SET worker = NULL, tries = 0 WHERE id = ? AND state IS NULL", job)

    def store_note(self, job: int, name: str, value: Any) -> None:
        """Store a note on a job. It is deleted together with the job."""
        with self._open_to_write() as connection:
            _store_note(connection, job, name, value)

    def read_note(self, job: int, name: str) -> Any:
        """Return one of a job's notes, or None if it is missing or can't be read."""
        found = self._value("SELECT value FROM note WHERE job = ? AND name = ?", job, name)
        with suppress(ValueError):
            return None if found is None else json.loads(found)
        return None

    def cancel(self, job: int) -> None:
        """Cancel a job. A queued job ends immediately, and a running job is stopped. An ended job isn't changed."""
        with self._open_to_write() as connection:
            connection.execute("UPDATE job SET is_cancelled = 1 WHERE id = ? AND state IS NULL", (job,))
            is_begun = connection.execute("SELECT worker FROM job WHERE id = ?", (job,)).fetchone()
            if is_begun == (None,):
                self._end(connection, job, "cancelled", CANCELLED)

    def is_cancelled(self, job: int) -> bool:
        """Return True if a job was cancelled but has not ended yet."""
        return bool(self._value("SELECT is_cancelled AND state IS NULL FROM job WHERE id = ?", job))

    def end(self, job: int, state: State, message: str = "") -> None:
        """Store a job's result and delete its files. Does nothing if the job has already ended."""
        with self._open_to_write() as connection:
            self._end(connection, job, state, message)

    def end_of(self, job: int) -> End | None:
        """Return a job's result, or None if the job is queued or running."""
        with self._open_to_read() as connection:
            found = connection and connection.execute("SELECT state, message FROM job WHERE id = ?", (job,)).fetchone()
        if not found:
            return End("failed", UNKNOWN)
        return End(*found) if found[0] else None

    def forget(self, job: int) -> None:
        """Delete an ended job."""
        with self._open_to_write() as connection:
            _delete(connection, f"{FORGET} id = ?", job)

    def rename_person(self, person: str, new: str) -> None:
        """Rename a user in all their jobs.

        Raises
        ------
        RefusedError
            If one of the user's jobs is running, because its changes would be logged under the old name.
        """
        if self._path.exists():
            with self._open_to_write() as connection:
                if connection.execute(
                    f"{JOBS} person = ? AND worker IS NOT NULL AND state IS NULL", (person,)
                ).fetchone():
                    raise RefusedError(f"A background job of {person} is running. Wait until it has finished.")
                connection.execute("UPDATE job SET person = ? WHERE person = ?", (new, person))

    def forget_person(self, person: str) -> None:
        """Delete a user's ended jobs. This is part of erasing the user.

        Raises
        ------
        RefusedError
            If one of the user's jobs has not ended, because its changes would be logged under the user's name.
        """
        if any(job.person == person for job in self.active_jobs()):
            raise RefusedError(f"A background job of {person} is queued or running. Wait until it has finished.")
        if self._path.exists():
            with self._open_to_write() as connection:
                _delete(connection, f"{FORGET} person = ?", person)

    def jobs_of_person(self, person: str) -> list[dict[str, Any]]:
        """Return the kind, request, state and message of each of a user's stored jobs, oldest first."""
        query = "SELECT kind, request, state, message FROM job WHERE person = ? ORDER BY id"
        with self._open_to_read() as connection:
            rows = connection.execute(query, (person,)).fetchall() if connection else []
        return [dict(zip(("kind", "request", "state", "message"), row, strict=True)) for row in rows]

    def clear(self) -> None:
        """Delete jobs that ended long ago, and files left behind when queueing a job was interrupted."""
        if not self._path.exists():
            return
        with self._open_to_write() as connection:
            _delete(connection, f"{FORGET} ended_at < ?", time.time() - KEPT)
            waiting = {str(job) for (job,) in connection.execute("SELECT id FROM job WHERE state IS NULL")}
            for folder in self._folder.iterdir():  # safe because files are only written while this lock is held
                if folder.is_dir() and folder.name not in waiting:
                    shutil.rmtree(folder, ignore_errors=True)

    def _files_of(self, job: int) -> Path:
        return self._folder / str(job)

    def _end(self, connection: sqlite3.Connection, job: int, state: State, message: str) -> None:
        query = "UPDATE job SET state = ?, message = ?, ended_at = ? WHERE id = ? AND state IS NULL"
        connection.execute(query, (state, message, time.time(), job))
        shutil.rmtree(self._files_of(job), ignore_errors=True)

    def _jobs(self, query: str, *values: object) -> list[Job]:
        with self._open_to_read() as connection:
            return [_job_of(*row) for row in connection.execute(query, values)] if connection else []

    def _value(self, query: str, *values: object) -> Any:
        with self._open_to_read() as connection:
            found = connection and connection.execute(query, values).fetchone()
        return found[0] if found else None

    def _write(self, query: str, *values: object) -> None:
        with self._open_to_write() as connection:
            connection.execute(query, values)

    @contextmanager
    def _open_to_read(self) -> Iterator[sqlite3.Connection | None]:
        """Yield a connection, or None if there is no queue yet."""
        if not self._path.exists():
            yield None
            return
        with self._explain_errors(), closing(sqlite3.connect(self._path, TIMEOUT)) as connection:
            yield connection

    @contextmanager
    def _open_to_write(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection in a write transaction."""
        with self._explain_errors():
            if not self._path.exists():
                self._create()
            with closing(sqlite3.connect(self._path, TIMEOUT, isolation_level=None)) as connection:
                connection.execute("PRAGMA secure_delete = ON")  # overwrite deleted names in the file
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                except BaseException:
                    connection.rollback()
                    raise
                connection.commit()

    def _create(self) -> None:
        self._folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        new = self._folder / f"new-{token_hex(4)}"
        try:
            new.touch(mode=PRIVATE_FILE)
            with closing(sqlite3.connect(new)) as connection:
                connection.executescript(TABLES)
            with suppress(FileExistsError):  # another process has already created the queue
                os.link(new, self._path)
            sync(self._folder)
        finally:
            new.unlink(missing_ok=True)

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            where = error.filename or self._folder
            raise WorkspaceError(f"{where} can't be written: {error.strerror or error}.") from error
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode not in DAMAGE:
                raise WorkspaceError(f"{self._path} can't be read or written: {error}.") from error
            aside = self._path.rename(self._path.with_name(f"{FILE_NAME}.damaged-{token_hex(4)}"))
            raise WorkspaceError(
                f"The queue {self._path} was damaged: {error}. It was renamed to {aside.name} and replaced by a new "
                "one. Start queued imports and rankings again."
            ) from error


def _urgency(job: Job) -> int:
    return get_args(Kind).index(job.kind) if job.kind in get_args(Kind) else 0


def _job_of(job: int, kind: str, person: str, request: str) -> Job:
    try:
        found = json.loads(request)
    except ValueError:
        found = None
    return Job(job, kind, person, found) if isinstance(found, dict) else Job(job, "", person, {})


def _store_note(connection: sqlite3.Connection, job: int, name: str, value: Any) -> None:
    connection.execute("INSERT OR REPLACE INTO note VALUES (?, ?, ?)", (job, name, json.dumps(value)))


def _delete(connection: sqlite3.Connection, query: str, value: object) -> None:
    connection.execute(query, (value,))
    connection.execute("DELETE FROM note WHERE job NOT IN (SELECT id FROM job)")


def _write_files(place: Path, files: Sequence[tuple[str, bytes | memoryview]]) -> None:
    """Write a job's files so that only their owner can read them, and flush them to disk."""
    shutil.rmtree(place, ignore_errors=True)  # an interrupted transaction may have left files for the same id
    if not files:
        return
    try:
        place.mkdir(mode=PRIVATE_FOLDER)
        for number, (name, content) in enumerate(files, start=1):
            folder = place / str(number)
            folder.mkdir(mode=PRIVATE_FOLDER)
            with open(folder / name, "xb", opener=_open_private) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            sync(folder)
        sync(place)
        sync(place.parent)
    except OSError:
        shutil.rmtree(place, ignore_errors=True)
        raise


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, PRIVATE_FILE)
