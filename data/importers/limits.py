"""Limits on untrusted files: memory and time of reading, and size of the content.

A few bytes can expand to a text or a list that fills the memory.
"""

import resource
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.records import LONGEST_ID

MOST_MEMORY = 2 * 1024**3  # bytes that an import may add to the memory of its process; 75,000 papers take a tenth
MOST_SECONDS = 900  # of computing for the import of a file; 75,000 papers take 40
OVERRUN = "can't be read here: it needs more than {} MB of memory, or {} seconds. Import it in parts"
FREE = 64 * 1024**2  # bytes that any file may become
MOST_RATIO = 50  # of what it becomes to its own size, beyond those; tables of papers reach some 5
LONGEST_CELL = 1_000_000  # characters; a spreadsheet takes 32,767
MOST_LISTED = 10_000  # texts in one cell; the longest list of authors so far has some 5,200
TOO_MUCH = "would take more than {:,} MB of memory, for a file of {:,} bytes; save it again, or as CSV"


@contextmanager
def bounded_memory(path: Path) -> Iterator[None]:
    """Bound the memory that this process may take while a file is read.

    Raises
    ------
    UnreadableFileError
        If more is needed. What was read is let go of by then, and the process goes on without the bound.
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
    if is_over:  # outside of the handler, because its error keeps the reader's frames and their data in memory
        raise overrun(path)


@contextmanager
def bounded_time() -> Iterator[None]:
    """Let the system kill this process if the code inside computes for too long, even in a library's C code."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    used = resource.getrusage(resource.RUSAGE_SELF)
    bound = int(used.ru_utime + used.ru_stime) + MOST_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (bound if hard == resource.RLIM_INFINITY else min(bound, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def overrun(path: Path) -> UnreadableFileError:
    """Return the error that reading a file takes too much memory or time."""
    return UnreadableFileError(path, OVERRUN.format(MOST_MEMORY // 1024**2, MOST_SECONDS))


def _memory_in_use() -> int:
    """Return what counts against RLIMIT_DATA, in bytes; 0 where the system doesn't say."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    return 0


def most_bytes(path: Path) -> int:
    """Return the maximal size of a file's content in memory, in bytes."""
    return FREE + MOST_RATIO * path.stat().st_size


def too_much(path: Path, *, row: int | None = None) -> UnreadableFileError:
    """Return the error that a file would become larger than that."""
    return UnreadableFileError(path, TOO_MUCH.format(most_bytes(path) // 1024**2, path.stat().st_size), row=row)


def long_id(paper_id: str) -> str:
    """Describe the fault of an id that is too long to be stored. Empty for other ids.

    Examples
    --------
    >>> long_id("x" * 1_000), long_id("arXiv:1701.00317")
    ("'xxxxxxxxxxxxxxxxxxxx'… is an id of 1,000 characters; an id can have 500", '')
    """
    if len(paper_id) <= LONGEST_ID:
        return ""
    return f"{paper_id[:20]!r}… is an id of {len(paper_id):,} characters; an id can have {LONGEST_ID}"


def n_letters(cells: Iterable[object]) -> int:
    """Return how long the texts of a row are together, in characters.

    Examples
    --------
    >>> n_letters(["Wages", ["Ann Lee", "Bo Chen"], None, 7])
    19
    """
    n = 0
    for cell in cells:
        if isinstance(cell, str):
            n += len(cell)
        elif isinstance(cell, list):
            n += n_letters(cell)
    return n
