"""Limits on the content of untrusted files, in which a few bytes can expand to a value that fills the memory."""

from collections.abc import Iterable
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.records import LONGEST_ID

FREE = 64 * 1024**2  # size in bytes to which any file may expand, however small it is
MOST_RATIO = 50  # maximum size beyond FREE, as a multiple of the file size; tables of papers need at most about 5
LONGEST_CELL = 1_000_000  # maximum number of characters in a cell; spreadsheets accept 32,767
MOST_LISTED = 10_000  # maximum number of values in one cell; the longest author list on record has about 5,200 names
TOO_MUCH = "needs more than {:,} MB of memory, although the file has only {:,} bytes. Save it again, or save it as CSV"


def max_bytes(path: Path) -> int:
    """Return the maximum size in bytes that a file's content may have in memory."""
    return FREE + MOST_RATIO * path.stat().st_size


def size_error(path: Path, *, row: int | None = None) -> UnreadableFileError:
    """Create the error for a file whose content would exceed `max_bytes`."""
    return UnreadableFileError(path, TOO_MUCH.format(max_bytes(path) // 1024**2, path.stat().st_size), row=row)


def long_id(paper_id: str) -> str:
    """Return an error message if an id is too long to store, or an empty string if it isn't.

    Examples
    --------
    >>> long_id("x" * 1_000), long_id("arXiv:1701.00317")
    ("the id 'xxxxxxxxxxxxxxxxxxxx'… has 1,000 characters; at most 500 are allowed", '')
    """
    if len(paper_id) <= LONGEST_ID:
        return ""
    return f"the id {paper_id[:20]!r}… has {len(paper_id):,} characters; at most {LONGEST_ID} are allowed"


def n_letters(cells: Iterable[object]) -> int:
    """Count the characters in a row's strings, including those in lists.

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
