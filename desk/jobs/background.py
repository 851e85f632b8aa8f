"""Queue background jobs for pages: imports, rankings, learning ahead, the demo.

A page queues a job and continues. A worker process runs one job after the other, because many at once would fill the
memory. A thread of the server would slow the pages down: with 75,000 papers, saving a decision took up to 0.3 s instead
of 0.02 s, and the server kept the memory.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from presort.data.errors import DataError, RefusedError, WorkspaceError
from presort.data.running import accounts
from presort.data.store import Store
from presort.desk.jobs.queue import JobQueue, Kind
from presort.desk.jobs.supervisor import prepare, supervise
from presort.desk.service import demo_desk
from presort.desk.settings_file import DATABASE, LOG_FORMAT

LOG = logging.getLogger(__name__)
PROGRESS = "progress"  # note: rankings done, and in all


@dataclass(frozen=True)
class JobHandle:
    """Handle of a queued job."""

    queue: JobQueue
    id: int

    def done(self) -> bool:
        """Return whether the job has ended."""
        return self.queue.end_of(self.id) is not None

    def exception(self) -> DataError | RuntimeError | None:
        """Return the error that ended the job. None if there was none, or it has not ended."""
        end = self.queue.end_of(self.id)
        if end is None:
            return None
        errors = {"failed": WorkspaceError, "cancelled": RefusedError, "broken": RuntimeError}
        return errors[end.state](end.message) if end.state in errors else None

    @property
    def is_begun(self) -> bool:
        """True if a worker runs the job."""
        return self.queue.is_begun(self.id)

    @property
    def progress(self) -> tuple[int, int] | None:
        """Numbers of rankings done and in total. None before the first is done, and for other kinds of jobs."""
        noted = self.queue.noted(self.id, PROGRESS)
        return (int(noted[0]), int(noted[1])) if noted else None

    @property
    def is_next(self) -> bool:
        """True if the job is the first in the queue."""
        return [job.id for job in self.queue.waiting()[:1]] == [self.id]

    def cancel(self) -> None:
        """Remove the job from the queue, or stop it."""
        self.queue.cancel(self.id)
        supervise(self.queue)


class BackgroundJobs:
    """Puts jobs into the queue of a workspace."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.queue = JobQueue(workspace)
        self.demo: JobHandle | None = None
        self._demo_address = ""
        self._opens_demo = Lock()

    def go_on(self) -> None:
        """Continue with jobs queued before. A queue that can't be read is logged: pages work without it."""
        try:
            if self.queue.waiting():
                supervise(self.queue)
        except DataError as error:
            LOG.warning("%s", error)

    def add(self, reports: Sequence[str]) -> JobHandle:
        """Rank the pending issues of some reports, using the data at the start of the job."""
        return self._put("rank", {"reports": list(reports)})

    def rank_new(self) -> JobHandle:
        """Rank the pending issues that have no ranking, and outdated ones that nobody has begun to read."""
        return self._put("rank", {"reports": []})

    def learn_ahead(self) -> JobHandle:
        """Train ahead the models that are due, after all rankings.

        Asked for twice, it is done once, unless it has begun: then it may miss what changed since.
        """
        return self._put("learn", {})

    def rank_past(self, ranker: str) -> JobHandle:
        """Queue the ranking of past lists that a ranker lacks, with lower priority than requested rankings."""
        return self._put("replay", {"ranker": ranker})

    def past_ranking(self, ranker: str) -> JobHandle | None:
        """Return the waiting or running job that ranks past lists by a ranker, or None."""
        request = ("replay", {"ranker": ranker})
        found = (job.id for job in self.queue.waiting() if (job.kind, job.request) == request)
        return next((JobHandle(self.queue, job) for job in found), None)

    def why_past_ranking_failed(self, ranker: str) -> str:
        """Return why the newest attempt to rank past lists by a ranker failed; empty if it did not."""
        ended = [job.id for job in self.queue.ended("replay") if job.request == {"ranker": ranker}]
        end = self.queue.end_of(ended[-1]) if ended else None
        return end.message if end is not None and end.state in ("failed", "broken") else ""

    def build_demo(self) -> None:
        """Build the made-up demo in a folder of its own, `demo_of`; `demo` is the handle of that job."""
        self.demo = self._put("demo", {})

    def open_demo(self) -> str:
        """Serve the demo that was built, unless it is served now, and return the address that opens it.

        Raises
        ------
        WorkspaceError
            If it can't be served.
        """
        with self._opens_demo:
            if not demo_desk.is_open(self._demo_address):
                own = {**os.environ, DATABASE: "", LOG_FORMAT: "text"}  # the other format keeps the address for itself
                self._demo_address = demo_desk.begin(demo_of(self.workspace), own)
            return self._demo_address

    def prepare_import(self) -> None:
        """Start workers ahead, because starting one takes longer than reading a file of a megabyte."""
        prepare(self.queue)

    def add_import(
        self,
        store: Store,
        request: Mapping[str, Any],
        files: Sequence[tuple[str, bytes | memoryview]],
        notes: Mapping[str, Any],
    ) -> JobHandle:
        """Queue the import of files, or its preview.

        Raises
        ------
        ForbiddenError
            If the person may not import.
        """
        cleared = store.cleared()
        job = self.queue.put("import", request, person=cleared.default_author, files=files, notes=notes)
        supervise(self.queue)
        return JobHandle(self.queue, job)

    def _put(self, kind: Kind, request: Mapping[str, Any]) -> JobHandle:
        handle = JobHandle(self.queue, self.queue.put_once(kind, request))
        supervise(self.queue)
        return handle


def queue_missing(store: Store, ranker: str = "") -> None:
    """Queue the ranking of the past lists that a ranker lacks, if any are missing.

    The process that serves the desk does the job: at once if it supervises the queue now, otherwise at its next start,
    or when somebody opens a list.
    """
    from presort.desk.service.past_lists import missing_lists  # loads rankers, which takes a second
    from presort.desk.service.rankers import active

    name = ranker or active(store)
    if missing_lists(store, name):
        JobQueue(store.folder).put_once("replay", {"ranker": name})


def erase(store: Store, name: str, *, person: str) -> str:
    """Erase a person, in the workspace as `accounts.erase` does and in the queue, and return the alias in the logs."""
    return accounts.erase(store, name, person=person, forget_jobs=JobQueue(store.folder).forget_person)


def demo_of(workspace: Path) -> Path:
    """Return the folder of a workspace's demo, a sibling of the workspace: made-up and real papers must not mix.

    Examples
    --------
    >>> demo_of(Path("desk/workspace")).name
    'workspace-demo'
    """
    return workspace.with_name(f"{workspace.name}-demo")
