"""Work in several processes, result by result."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

from joblib import Parallel, delayed

Result = TypeVar("Result")


def in_processes(work: Callable[..., Result], calls: Iterable[tuple[Any, ...]], n_jobs: int) -> Generator[Result]:
    """Call `work` with each tuple of arguments, and give the results in the order in which they get ready.

    Processes, because liblinear keeps one random generator a process: threads would draw from each other's.
    """
    left = iter(calls)
    tasks = (delayed(work)(*arguments) for arguments in left)
    ready = Parallel(n_jobs=n_jobs, backend="loky", return_as="generator_unordered", pre_dispatch="n_jobs")(tasks)
    try:
        for result in ready:  # noqa: UP028, as 'yield from' would close it: see below
            yield result
    finally:  # a caller who stops early waits for those in work: joblib stumbles if they are killed
        deque(left, maxlen=0)
        deque(ready, maxlen=0)
