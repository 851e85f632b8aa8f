"""What pages have done beside them: imports, lists that are sorted again, learning ahead, the demo.

A page puts a job into the queue of the workspace (`presort.data.running.jobs`) and goes on; a worker process does it,
one after the other, so that many who finish at once don't fill the memory (`presort.desk.service.tender`). A thread of
the server would hold the pages up: beside one, with 75,000 papers known, a saved decision took up to 0.3 s instead of
0.02, and the server kept the memory.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from presort.data.errors import DataError, RefusedError, WorkspaceError
from presort.data.running.job_folder import Kind
from presort.data.running.jobs import PROGRESS, Jobs
from presort.data.store import Store
from presort.desk.service import demo_desk
from presort.desk.service.tender import prepare, tend
from presort.desk.settings_file import DATABASE, LOG_FORMAT


class Ended(Protocol):
    """Knows whether something that was asked for has ended, and how."""

    def done(self) -> bool:
        """Return whether it has ended."""

    def exception(self) -> BaseException | None:
        """Return what went wrong, once it has ended: a `DataError` outside the program, another for a bug."""


@dataclass(frozen=True, eq=False)
class Job:
    """Some pending issues that are sorted again.

    Attributes
    ----------
    n_issues : int
    after : date or None
        The older issue that was finished before; None if somebody asked for it.
    ended : Ended
        Done once they are sorted, or have failed to be.
    """

    n_issues: int
    after: date | None
    ended: Ended


@dataclass(frozen=True)
class Ticket:
    """A job in the queue, as whoever put it in knows it."""

    jobs: Jobs
    id: str

    def done(self) -> bool:
        """Return whether it has ended."""
        return self.jobs.end_of(self.id) is not None

    def exception(self) -> DataError | RuntimeError | None:
        """Return what went wrong, once it has ended; None if nothing did."""
        end = self.jobs.end_of(self.id)
        match end and end.state:
            case "failed":
                return WorkspaceError(end.said if end else "")
            case "cancelled":
                return RefusedError(end.said if end else "")
            case "broken":
                return RuntimeError(end.said if end else "")
        return None

    @property
    def is_begun(self) -> bool:
        """Whether it is being done."""
        return self.jobs.is_begun(self.id)

    @property
    def progress(self) -> tuple[int, int] | None:
        """Numbers of rankings done and in total. None before the first is done, and for other kinds of jobs."""
        noted = self.jobs.noted(self.id, PROGRESS)
        return (int(noted[0]), int(noted[1])) if noted else None

    @property
    def is_next(self) -> bool:
        """Whether it is the first of all that wait."""
        return [job.id for job in self.jobs.waiting()[:1]] == [self.id]

    def cancel(self) -> None:
        """Have it not done, or stopped."""
        self.jobs.cancel(self.id)
        tend(self.jobs)


class Queue:
    """Puts jobs into the queue of a workspace."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.jobs = Jobs(workspace)
        self.demo: Ended | None = None
        self._demo_address = ""
        self._opens_demo = Lock()

    def go_on(self) -> None:
        """Have done what waits from before."""
        if self.jobs.waiting():
            tend(self.jobs)

    def add(self, reports: Sequence[str]) -> Ticket:
        """Have what is pending of some reports sorted by all that is known then."""
        return self._put("rank", {"reports": list(reports)})

    def learn_ahead(self) -> Ticket:
        """Have what is due learned for the weeks to come, behind all that is to be sorted.

        Asked for twice, it is done once, unless it has begun: then it may not know of what was asked for since.
        """
        return self._put("learn", {})

    def rank_past(self, ranker: str) -> Ticket:
        """Queue the ranking of past lists that a ranker lacks, behind all rankings that somebody waits for."""
        return self._put("replay", {"ranker": ranker})

    def past_ranking(self, ranker: str) -> Ticket | None:
        """Return the waiting or running job that ranks past lists by a ranker, or None."""
        found = (job.id for job in self.jobs.waiting() if (job.kind, job.told) == ("replay", {"ranker": ranker}))
        return next((Ticket(self.jobs, job) for job in found), None)

    def why_past_ranking_failed(self, ranker: str) -> str:
        """Return why the newest attempt to rank past lists by a ranker failed; empty if it did not."""
        ended = [job.id for job in self.jobs.ended("replay") if job.told == {"ranker": ranker}]
        end = self.jobs.end_of(ended[-1]) if ended else None
        return end.said if end is not None and end.state in ("failed", "broken") else ""

    def build_demo(self) -> None:
        """Have the made-up demo built in the folder of its own, `demo_of`; `demo` tells how that goes."""
        self.demo = self._put("demo", {})

    def open_demo(self) -> str:
        """Serve the demo that was built, if it isn't now, and return the address that opens it.

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
        """Start the processes of an import ahead: to start them takes longer than to read a file of a megabyte."""
        from presort.data.importers import apart  # loads all readers, which other pages don't need

        prepare(self.jobs)
        apart.prepare()

    def add_import(
        self,
        store: Store,
        told: Mapping[str, Any],
        files: Sequence[tuple[str, bytes | memoryview]],
        notes: Mapping[str, Any],
    ) -> Ticket:
        """Have files imported, or looked at.

        Raises
        ------
        ForbiddenError
            If the store's guard lets nobody import who asks.
        """
        cleared = store.cleared()
        ticket = Ticket(self.jobs, self.jobs.put("import", told, person=cleared.named, files=files, notes=notes))
        tend(self.jobs)
        return ticket

    def _put(self, kind: Kind, told: Mapping[str, Any]) -> Ticket:
        ticket = Ticket(self.jobs, self.jobs.put_once(kind, told))
        tend(self.jobs)
        return ticket


def demo_of(workspace: Path) -> Path:
    """Return the folder beside a workspace in which its demo is: made-up and real papers must not mix.

    Examples
    --------
    >>> demo_of(Path("desk/workspace")).name
    'workspace-demo'
    """
    return workspace.with_name(f"{workspace.name}-demo")
