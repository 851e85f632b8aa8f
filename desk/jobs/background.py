"""Queue background jobs for pages: imports, rankings, training in advance and the demo.

A page queues a job and doesn't wait for it. Worker processes run one job at a time, because several jobs at once would
exhaust the memory. Running jobs in threads of the server would slow down the pages: with 75,000 papers, saving a
decision took up to 0.3 s instead of 0.02 s. The server also didn't release the memory afterwards.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from presort.data.errors import DataError, RefusedError, WorkspaceError
from presort.data.running import accounts, people, personal_data
from presort.data.store import Store
from presort.desk.jobs.queue import JobQueue, Kind
from presort.desk.jobs.supervisor import prepare, supervise
from presort.desk.service import demo_desk
from presort.desk.settings import DATABASE, LOG_FORMAT

LOG = logging.getLogger(__name__)
PROGRESS = "progress"  # name of the note that contains the number of finished rankings and the total number


@dataclass(frozen=True)
class JobHandle:
    """Handle of a queued job."""

    queue: JobQueue
    id: int

    def done(self) -> bool:
        """Return True if the job has ended."""
        return self.queue.end_of(self.id) is not None

    def exception(self) -> DataError | RuntimeError | None:
        """Return the error that ended the job, or None if there was no error or the job has not ended."""
        end = self.queue.end_of(self.id)
        if end is None:
            return None
        errors = {"failed": WorkspaceError, "cancelled": RefusedError, "broken": RuntimeError}
        return errors[end.state](end.message) if end.state in errors else None

    @property
    def is_begun(self) -> bool:
        """True if a worker has started the job."""
        return self.queue.is_begun(self.id)

    @property
    def progress(self) -> tuple[int, int] | None:
        """Number of finished rankings and number of all rankings, for a job that ranks past lists.

        None until the first ranking is finished, and for other kinds of jobs.
        """
        noted = self.queue.read_note(self.id, PROGRESS)
        return (int(noted[0]), int(noted[1])) if noted else None

    @property
    def is_next(self) -> bool:
        """True if the job is next in the queue."""
        return [job.id for job in self.queue.active_jobs()[:1]] == [self.id]

    def cancel(self) -> None:
        """Remove the job from the queue, or stop it if it is running."""
        self.queue.cancel(self.id)
        supervise(self.queue)


class BackgroundJobs:
    """Interface for adding jobs to a workspace's queue."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.queue = JobQueue(workspace)
        self.demo: JobHandle | None = None
        self._demo_address = ""
        self._opens_demo = Lock()

    def resume(self) -> None:
        """Resume queued jobs.

        If the queue can't be read, the error is only logged, because pages work without the queue.
        """
        try:
            if self.queue.active_jobs():
                supervise(self.queue)
        except DataError as error:
            LOG.warning("%s", error)

    def add(self, reports: Sequence[str]) -> JobHandle:
        """Queue the ranking of the given reports' pending issues. The job uses the data as they are when it starts."""
        return self._put("rank", {"reports": list(reports)})

    def rank_new(self) -> JobHandle:
        """Queue the ranking of pending issues that have no ranking, and of unread issues with an outdated ranking."""
        return self._put("rank", {"reports": []})

    def learn_ahead(self) -> JobHandle:
        """Queue the training of the models for the next weeks. It has a lower priority than all rankings.

        Does nothing if the same job is already queued. If it is already running, queues another, because the running
        job may miss recent changes.
        """
        return self._put("learn", {})

    def rank_past(self, ranker: str) -> JobHandle:
        """Queue a job for a ranker's missing rankings of past lists. Rankings of pending issues have priority."""
        return self._put("replay", {"ranker": ranker})

    def past_ranking(self, ranker: str) -> JobHandle | None:
        """Return the queued or running job that ranks past lists with a ranker, or None if there is no such job."""
        request = ("replay", {"ranker": ranker})
        found = (job.id for job in self.queue.active_jobs() if (job.kind, job.request) == request)
        return next((JobHandle(self.queue, job) for job in found), None)

    def past_ranking_error(self, ranker: str) -> str:
        """Return the error message of the newest ended job that ranked past lists with a ranker.

        Returns an empty string if the job succeeded or was cancelled, or if there was no such job.
        """
        ended = [job.id for job in self.queue.ended_jobs("replay") if job.request == {"ranker": ranker}]
        end = self.queue.end_of(ended[-1]) if ended else None
        return end.message if end is not None and end.state in ("failed", "broken") else ""

    def build_demo(self) -> None:
        """Queue the job that builds the demo in the folder `demo_of`, and store its handle in the attribute `demo`."""
        self.demo = self._put("demo", {})

    def open_demo(self) -> str:
        """Start the demo's server unless it is already running. Return its address.

        Raises
        ------
        WorkspaceError
            If the server can't be started.
        """
        with self._opens_demo:
            if not demo_desk.is_running(self._demo_address):
                own = {**os.environ, DATABASE: "", LOG_FORMAT: "text"}  # a JSON log would not contain the address
                self._demo_address = demo_desk.begin(demo_of(self.workspace), own)
            return self._demo_address

    def prepare_import(self) -> None:
        """Start workers in advance, because starting a worker takes longer than reading a one-megabyte file."""
        prepare(self.queue)

    def add_import(
        self,
        store: Store,
        request: Mapping[str, Any],
        files: Sequence[tuple[str, bytes | memoryview]],
        notes: Mapping[str, Any],
    ) -> JobHandle:
        """Queue an import of files, or a preview of the import.

        Parameters
        ----------
        store : Store
            Workspace, opened with the user's rights.
        request : mapping
            Request of the job, from `import_job.job_request`.
        files : sequence of (name, content)
            Uploaded files.
        notes : mapping
            Initial notes of the job, by name.

        Raises
        ------
        ForbiddenError
            If the user may not import.
        """
        cleared = store.without_guard()
        job = self.queue.put("import", request, person=cleared.default_author, files=files, notes=notes)
        supervise(self.queue)
        return JobHandle(self.queue, job)

    def _put(self, kind: Kind, request: Mapping[str, Any]) -> JobHandle:
        handle = JobHandle(self.queue, self.queue.put_once(kind, request))
        supervise(self.queue)
        return handle


def queue_missing(store: Store, ranker: str = "") -> None:
    """Queue a job for a ranker's missing rankings of past lists, if there are any.

    `ranker` defaults to the active ranker.

    The server of the desk runs the job. The job starts immediately if the server is supervising the queue, and
    otherwise when the server starts or a list is opened.
    """
    from presort.desk.service.past_lists import missing_lists  # imported late, because loading rankers takes a second
    from presort.desk.service.rankers import active_ranker

    name = ranker or active_ranker(store)
    if missing_lists(store, name):
        JobQueue(store.folder).put_once("replay", {"ranker": name})


def rename_editor(store: Store, name: str, new: str) -> None:
    """Rename an editor in the workspace (`people.rename_editor`) and in the queue."""
    with store.transaction() as one:
        kept = people.rename_editor(one, name, new)
        JobQueue(store.folder).rename_person(name, kept)


def erase(store: Store, name: str, *, person: str) -> str:
    """Erase a user from the workspace (`accounts.erase`) and the queue. Return the alias that replaces the name."""
    return accounts.erase(store, name, person=person, forget_jobs=JobQueue(store.folder).forget_person)


def export_person(store: Store, name: str, *, person: str) -> dict[str, Any]:
    """Return all data about a user from the workspace (`personal_data.person_data`) and from the queue."""
    data = personal_data.person_data(store, name, person=person)
    return {**data, "background_jobs": JobQueue(store.folder).jobs_of_person(data["name"])}


def demo_of(workspace: Path) -> Path:
    """Return the demo's folder, next to the workspace's. Separate folders keep synthetic and real papers apart.

    Examples
    --------
    >>> demo_of(Path("desk/workspace")).name
    'workspace-demo'
    """
    return workspace.with_name(f"{workspace.name}-demo")
