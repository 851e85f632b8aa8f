"""Function calls in parallel processes, on this machine or on other workers. Yields each result when it is ready."""

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

LOOK_EVERY = 0.5  # seconds between checks of whether the parent process has ended


class Workers(Protocol):
    """Workers that don't belong to this process's own pool, for example on other machines."""

    def run(
        self, work: Callable[..., Result], shared: tuple[Any, ...], calls: Iterable[tuple[Any, ...]]
    ) -> Generator[Result]:
        """Run calls in the same way as `run_in_processes`."""


_WORKERS: ContextVar[Workers | None] = ContextVar("workers", default=None)


@contextmanager
def use_workers(workers: Workers) -> Iterator[None]:
    """Make `run_in_processes` send its calls to the given workers."""
    token = _WORKERS.set(workers)
    try:
        yield
    finally:
        _WORKERS.reset(token)


def has_workers() -> bool:
    """Return True if `use_workers` has set workers."""
    return _WORKERS.get() is not None


def run_in_processes(
    work: Callable[..., Result],
    shared: tuple[Any, ...],
    calls: Iterable[tuple[Any, ...]],
    n_jobs: int,
    *,
    stays: bool = False,
) -> Generator[Result]:
    """Call `work` with the shared arguments and each tuple of further arguments. Yields each result when it is ready.

    Uses processes, because liblinear has one random generator per process, which threads would share. The processes end
    with the process that started them, even if it is killed.

    Parameters
    ----------
    work : callable
        Picklable function, for example a module-level function.
    shared : tuple
        First arguments of every call. Pass large data here, because workers receive it only once.
    calls : iterable of tuple
        Further arguments of each call.
    n_jobs : int
        Number of processes on this machine. If it is 1, the calls run in this process and are never sent to workers. If
        it is higher and `use_workers` has set workers, all of the workers are used.
    stays : bool
        True if the calls must run on this machine.
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
        for result in ready:  # noqa: UP028, because 'yield from' would close `ready` before the code below runs
            yield result
    finally:  # if the caller stops early, wait for running calls, because joblib fails if they are killed
        deque(left, maxlen=0)
        deque(ready, maxlen=0)


def end_workers() -> None:
    """End the idle processes that `run_in_processes` keeps for its next call."""
    kept = get_reusable_executor(reuse=True)
    getattr(kept, "terminate", kept.shutdown)(kill_workers=True)  # joblib's `terminate` also deletes shared data


def end_with(parent: int) -> None:
    """End this process soon after its parent process ends. Otherwise, idle workers would keep running.

    SIGINT and SIGTERM are ignored from now on. They also reach this process if they are sent to the process group, but
    the parent handles them and shuts this process down cleanly.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:  # an orphaned process gets a different parent
        time.sleep(LOOK_EVERY)
    os._exit(1)
