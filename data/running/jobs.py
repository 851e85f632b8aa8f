"""The queue of a workspace: what is done beside the pages, one job after the other.

A job is a folder; where it stands, and what is in it, tells how far it came, to every process and after every end of
one. It is in no database: a backup that is put back must not do again what was asked for then.
"""

import secrets
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from presort.data.errors import RefusedError, WorkspaceError
from presort.data.running.job_folder import (
    End,
    Job,
    Kind,
    State,
    claim_number,
    folders,
    kind_of,
    read_job,
    read_value,
    urgency,
    write_job,
    write_value,
)

FOLDER = "jobs"
LOCK = "queue"  # held by the process that does a job
BUSY = "Another process works on the queue of this workspace."
UNKNOWN = "It is not known any more how this ended."
CANCELLED = "Cancelled; nothing is left half done."
KEPT = 2 * 24 * 60 * 60  # seconds for which it is known how a job ended
NEW = ".new-"
NOBODY = ""  # begins a job that is cancelled
SERVICE = "presort"  # person in the log for jobs that the service puts in
PROGRESS = "progress"  # name of the note: rankings done, and in all


class Jobs:
    """The queue in the folder of a workspace."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self._waiting = workspace / FOLDER / "waiting"
        self._ended = workspace / FOLDER / "ended"

    def put(
        self,
        kind: Kind,
        told: Mapping[str, Any],
        *,
        person: str,
        files: Sequence[tuple[str, bytes | memoryview]] = (),
        notes: Mapping[str, Any] | None = None,
    ) -> str:
        """Put a job in, whole or not at all, and return its id.

        Parameters
        ----------
        told : mapping
            Small: it is read again and again while the job waits or is done.
        files : sequence of (name, content)
            A name has no folder in it.
        notes : mapping, optional
            What is noted of it from the start.

        Raises
        ------
        WorkspaceError
            If it can't be written.
        """
        with self._writing():
            name = f"{claim_number(self._waiting, self._ended):020d}-{kind}-{secrets.token_hex(4)}"
            values = {**(notes or {}), "job": {"person": person, "told": told}}
            write_job(self._waiting / f"{NEW}{name}", self._waiting / name, values, files)
        return name

    def put_once(self, kind: Kind, told: Mapping[str, Any]) -> str:
        """Queue a job of the service unless an equal one waits, and return the id of either.

        One that has begun may not know of what it is asked for now.
        """
        alike = (job.id for job in self.waiting() if (job.kind, job.told) == (kind, told))
        waits = next((job for job in alike if not self.is_begun(job)), None)
        return waits or self.put(kind, told, person=SERVICE)

    def waiting(self) -> list[Job]:
        """Return what waits or is being done, the most urgent first, and of these the oldest."""
        return [job for name in self._names() if (job := read_job(self._waiting / name))]

    def ended(self, kind: Kind) -> list[Job]:
        """Return what has ended of a kind, as far as it is known still, the oldest first."""
        names = sorted(one.name for one in folders(self._ended) if kind_of(one.name) == kind)
        return [job for name in names if (job := read_job(self._ended / name))]

    def files(self, job: str) -> list[Path]:
        """Return where the files of a job are that waits, in the order in which they were put in."""
        places = sorted(folders(self._waiting / job / "files"), key=lambda place: int(place.name))
        return [next(place.iterdir()) for place in places]

    def is_begun(self, job: str) -> bool:
        """Return whether somebody works on a job, or did until they were cut off."""
        return (self._waiting / job / "begun.json").exists()

    def begin(self, job: str, worker: str) -> int:
        """Note which worker does a job now, and return the how many-th try that is; 0 if it was cancelled before."""
        is_first = not self.is_begun(job)  # before it is read: who cancels in between was the first
        before = self._begun(job)
        if before.get("worker") == NOBODY:
            return 0
        tries = int(before.get("tries", 0)) + 1
        with self._writing():
            try:
                write_value(self._waiting / job / "begun.json", {"worker": worker, "tries": tries}, is_first=is_first)
            except (FileExistsError, FileNotFoundError):
                return 0
        return tries

    def put_back(self, job: str) -> None:
        """Let a job wait again that was stopped."""
        (self._waiting / job / "begun.json").unlink(missing_ok=True)

    def done_by(self, worker: str) -> Job | None:
        """Return the job that a worker works on, or had not ended when it was cut off."""
        own = (name for name in self._names() if self._begun(name).get("worker") == worker)
        return next((job for name in own if (job := read_job(self._waiting / name))), None)

    def note(self, job: str, name: str, value: Any) -> None:
        """Note something of a job that is being done, which stays known once it has ended."""
        with self._writing():
            write_value(self._waiting / job / f"{name}.json", value)

    def noted(self, job: str, name: str) -> Any:
        """Return what was noted of a job; None if nothing was."""
        found = (read_value(place / job / f"{name}.json") for place in (self._waiting, self._ended))
        return next((one for one in found if one is not None), None)

    def cancel(self, job: str) -> None:
        """Have a job not done, or, if it is begun, stopped; one that has ended stays as it is."""
        with self._writing(), suppress(FileNotFoundError, FileExistsError):
            (self._waiting / job / "cancelled").touch()
            write_value(self._waiting / job / "begun.json", {"worker": NOBODY}, is_first=True)  # or a worker does
            self.end(job, "cancelled", CANCELLED)

    def is_cancelled(self, job: str) -> bool:
        """Return whether nobody wants a job any more."""
        return (self._waiting / job / "cancelled").exists()

    def end(self, job: str, state: State, said: str = "") -> None:
        """Record how a job ended; its files go. One that has ended before stays as it is."""
        folder = self._waiting / job
        with self._writing(), suppress(FileNotFoundError):  # it has ended, maybe just now by another
            with suppress(FileExistsError):  # a process was cut off behind it
                write_value(folder / "ended.json", {"state": state, "said": said}, is_first=True)
            shutil.rmtree(folder / "files", ignore_errors=True)
            folder.rename(self._ended / job)

    def end_of(self, job: str) -> End | None:
        """Return how a job ended; None while it waits or is being done."""
        if (self._waiting / job).is_dir():
            return None
        try:
            return End(**read_value(self._ended / job / "ended.json"))
        except TypeError:
            return End("failed", UNKNOWN)

    def forget(self, job: str) -> None:
        """Let go of a job that has ended, now that somebody knows."""
        shutil.rmtree(self._ended / job, ignore_errors=True)

    def forget_person(self, person: str) -> None:
        """Let go of all that ended of somebody who is erased.

        Raises
        ------
        RefusedError
            If something of theirs waits or is done now: it would be logged under the name.
        """
        if any(job.person == person for job in self.waiting()):
            raise RefusedError(f"Something that {person} asked for waits or is done now; let it end first.")
        for one in folders(self._ended):
            if (job := read_job(one)) and job.person == person:
                self.forget(job.id)

    def clear(self) -> None:
        """Let go of what ended long ago, and of what was cut off while it was put in."""
        for one in [*folders(self._ended), *self._waiting.glob(f"{NEW}*")]:
            with suppress(FileNotFoundError):
                if one.stat().st_mtime < time.time() - KEPT:
                    shutil.rmtree(one, ignore_errors=True)

    def _names(self) -> list[str]:
        return sorted((one.name for one in folders(self._waiting) if not one.name.startswith(NEW)), key=urgency)

    def _begun(self, job: str) -> Mapping[str, Any]:
        begun = self.noted(job, "begun")
        return begun if isinstance(begun, dict) else {}

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            for folder in (self._waiting.parent, self._waiting, self._ended):
                folder.mkdir(mode=0o700, exist_ok=True)
            yield
        except OSError as error:
            where = error.filename or self._waiting
            raise WorkspaceError(f"{where} can't be written: {error.strerror or error}.") from error
