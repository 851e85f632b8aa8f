"""Work in several processes, of this machine or of others, result by result."""

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Thread
from typing import Any, Protocol, TypeVar

from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor

Result = TypeVar("Result")

LOOK_EVERY = 0.5  # seconds, for a parent that has ended


class Workers(Protocol):
    """Processes on other machines that run parallel calls."""

    def run(
        self, work: Callable[..., Result], shared: tuple[Any, ...], calls: Iterable[tuple[Any, ...]]
    ) -> Generator[Result]:
        """Run calls as `in_processes` does."""


_WORKERS: ContextVar[Workers | None] = ContextVar("workers", default=None)


@contextmanager
def sending_to(workers: Workers) -> Iterator[None]:
    """Have `in_processes` send its calls to workers."""
    token = _WORKERS.set(workers)
    try:
        yield
    finally:
        _WORKERS.reset(token)


def are_elsewhere() -> bool:
    """Return whether calls are sent to workers."""
    return _WORKERS.get() is not None


def in_processes(
    work: Callable[..., Result],
    shared: tuple[Any, ...],
    calls: Iterable[tuple[Any, ...]],
    n_jobs: int,
    *,
    stays: bool = False,
) -> Generator[Result]:
    """Call `work` with the shared arguments and each tuple of arguments. Yield the results as they are finished.

    Processes, because liblinear keeps one random generator a process: threads would draw from each other's. They end
    with the process that started them, even if that is killed.

    Parameters
    ----------
    work : callable
        Of a module, so that another process finds it.
    shared : tuple
        First arguments of every call. What is large belongs here: workers get it once each.
    calls : iterable of tuple
        Further arguments.
    n_jobs : int
        Processes; 1 starts none, and sends nothing away. Workers elsewhere are as many as there are.
    stays : bool
        True if only this machine can do the work.
    """
    workers = _WORKERS.get()
    if workers is not None and n_jobs > 1 and not stays:
        yield from workers.run(work, shared, calls)
        return
    left = iter(calls)
    tasks = (delayed(work)(*shared, *arguments) for arguments in left)
    ready = Parallel(
        n_jobs=n_jobs,
        backend="loky",
        return_as="generator_unordered",
        pre_dispatch="n_jobs",
        initializer=end_with,
        initargs=(os.getpid(),),
    )(tasks)
    try:
        for result in ready:  # noqa: UP028, as 'yield from' would close it: see below
            yield result
    finally:  # a caller that stops early waits for running calls, because joblib fails if they are killed
        deque(left, maxlen=0)
        deque(ready, maxlen=0)


def end_workers() -> None:
    """End the processes that `in_processes` keeps for the next call."""
    kept = get_reusable_executor(reuse=True)
    getattr(kept, "terminate", kept.shutdown)(kill_workers=True)  # joblib's own also deletes what it shared with them


def end_with(parent: int) -> None:
    """Have this process end soon after its parent; an idle worker is not notified when its parent is gone.

    The parent handles signals and ends this process in order: those to a whole group arrive here as well.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:  # that of an orphan is another process
        time.sleep(LOOK_EVERY)
    os._exit(1)
