"""Sort pending issues again, and learn ahead, while pages go on: one process after the other, beside the server.

A thread of the server would hold the pages up: beside one, with 75,000 papers known, a saved decision took up to 0.3 s
instead of 0.02, and the server kept the memory.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TypeVar

from data.errors import WorkspaceError
from desk.operation.counters import QUEUE
from desk.service import demo_desk
from desk.settings_file import DATABASE, LOG_FORMAT

T = TypeVar("T")
LOG = logging.getLogger(__name__)
ERROR = "presort: "  # begins the one line in which the command line says what is wrong outside the program


@dataclass(frozen=True, eq=False)
class Job:
    """Some pending issues that are sorted again.

    Attributes
    ----------
    n_issues : int
    after : date or None
        The older issue that was finished before; None if somebody asked for it.
    ended : Future
        Done once they are sorted, or have failed to be.
    """

    n_issues: int
    after: date | None
    ended: Future[None]


class Queue:
    """Sorts for one report after the other, so that many who finish at once don't fill the memory."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self._one_at_a_time = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sort-again")
        self._learning: Future[None] = Future()
        self._learning.set_result(None)
        self.demo: Future[str] | None = None

    def add(self, reports: Sequence[str]) -> Future[None]:
        """Have what is pending of some reports sorted by all that is known then.

        The future raises `WorkspaceError` for something wrong outside the program, `RuntimeError` for a bug.
        """
        named = [word for report in reports for word in ("--report", report)]
        return self._submit(_run, self.workspace, "rank", "--pending", *named)

    def learn_ahead(self) -> Future[None]:
        """Have what is due learned for the weeks to come, behind all that is to be sorted.

        Asked for twice, it is done once, unless it has begun: then it may not know of what was asked for since.
        """
        if self._learning.done() or self._learning.running():
            self._learning = self._submit(_learn, self.workspace)
        return self._learning

    @property
    def is_learning(self) -> bool:
        """Whether something is learned ahead, or waits to be."""
        return not self._learning.done()

    def build_demo(self) -> None:
        """Have the made-up demo built in the folder of its own, `demo_of`, and served: `demo` has its address then."""
        self.demo = self._submit(_demo, demo_of(self.workspace))

    def _submit(self, make: Callable[..., T], *args: Path | str) -> Future[T]:
        QUEUE.inc()
        made = self._one_at_a_time.submit(make, *args)
        made.add_done_callback(lambda _: QUEUE.dec())
        return made


def demo_of(workspace: Path) -> Path:
    """Return the folder beside a workspace in which its demo is: made-up and real papers must not mix.

    Examples
    --------
    >>> demo_of(Path("desk/workspace")).name
    'workspace-demo'
    """
    return workspace.with_name(f"{workspace.name}-demo")


def _learn(workspace: Path) -> None:
    """Learn ahead; what goes wrong is for the server's log, as nobody asked and the next time may do better."""
    try:
        _run(workspace, "learn")
    except WorkspaceError as error:
        LOG.warning("%s", error)


def _demo(folder: Path) -> str:
    """Build the demo in a file of its own, wherever the workspace is kept, and serve it; return its address."""
    own = {**os.environ, DATABASE: "", LOG_FORMAT: "text"}  # the other format keeps the address for itself
    _run(folder, "demo", environment=own)
    return demo_desk.begin(folder, own)


def _run(workspace: Path, *words: str, environment: Mapping[str, str] | None = None) -> None:
    command = [sys.executable, "-m", "desk", "--workspace", str(workspace), *words, "--jobs", "1"]
    ended = subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False, env=environment
    )
    if ended.returncode == 0:
        return
    last = ended.stderr.rstrip().rpartition("\n")[2]  # behind what it logged
    if last.startswith(ERROR):
        raise WorkspaceError(last.removeprefix(ERROR))
    sys.stderr.write(ended.stderr)  # the page that asked may be gone
    raise RuntimeError(f"presort {words[0]} ended with {ended.returncode}\n{ended.stderr}")
