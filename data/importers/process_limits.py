"""Limit the memory and CPU time that reading an untrusted file may use. This requires Unix."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from presort.data.errors import UnreadableFileError

MOST_MEMORY = 2 * 1024**3  # additional memory that an import may use, in bytes; 75,000 papers need a tenth of this
MOST_SECONDS = 900  # CPU time that reading a file may take, in seconds; 75,000 papers need 40 seconds
OVERRUN = "needs more than {} MB of memory or {} seconds. Import it in parts"


@contextmanager
def limit_memory(path: Path) -> Iterator[None]:
    """Limit the additional memory of this process to `MOST_MEMORY` while it reads a file.

    Raises
    ------
    UnreadableFileError
        If reading the file needs more memory. The memory is freed and the limit removed before the error is raised.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bound = _memory_in_use() + MOST_MEMORY
    known = [limit for limit in (bound, soft) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(known), hard))
    is_over = False
    try:
        yield
    except MemoryError:
        is_over = True
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
    if is_over:  # raised outside the handler, because the MemoryError would keep the reader's data alive
        raise overrun(path)


@contextmanager
def limit_time() -> Iterator[None]:
    """Allow this process `MOST_SECONDS` of further CPU time. After that, the system kills it, even inside C code."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    used = resource.getrusage(resource.RUSAGE_SELF)
    bound = int(used.ru_utime + used.ru_stime) + MOST_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (bound if hard == resource.RLIM_INFINITY else min(bound, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def overrun(path: Path) -> UnreadableFileError:
    """Create the error for a file that takes too much memory or time to read."""
    return UnreadableFileError(path, OVERRUN.format(MOST_MEMORY // 1024**2, MOST_SECONDS))


def _memory_in_use() -> int:
    """Return the memory in use that counts towards RLIMIT_DATA, in bytes, or 0 if the system doesn't report it."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    return 0
