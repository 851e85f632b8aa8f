"""Limits on the content of untrusted files. A few bytes can expand to a text or a list that fills the memory."""

from collections.abc import Iterable
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.records import LONGEST_ID

FREE = 64 * 1024**2  # size in bytes to which any file may expand
MOST_RATIO = 50  # maximum expansion beyond FREE, relative to the file size; tables of papers reach about 5
LONGEST_CELL = 1_000_000  # characters; a spreadsheet accepts 32,767
MOST_LISTED = 10_000  # maximum number of texts in one cell; the longest known list of authors has about 5,200
TOO_MUCH = "needs more than {:,} MB of memory, although the file has only {:,} bytes. Save it again, or save it as CSV"


def max_bytes(path: Path) -> int:
    """Return the largest size that a file's content may have in memory, in bytes."""
    return FREE + MOST_RATIO * path.stat().st_size


def size_error(path: Path, *, row: int | None = None) -> UnreadableFileError:
    """Return the error for a file whose content would exceed `max_bytes`."""
    return UnreadableFileError(path, TOO_MUCH.format(max_bytes(path) // 1024**2, path.stat().st_size), row=row)


def long_id(paper_id: str) -> str:
    """Return an error message if an id is too long to store, or an empty string.

    Examples
    --------
    >>> long_id("x" * 1_000), long_id("arXiv:1701.00317")
    ("the id 'xxxxxxxxxxxxxxxxxxxx'… has 1,000 characters; at most 500 are allowed", '')
    """
    if len(paper_id) <= LONGEST_ID:
        return ""
    return f"the id {paper_id[:20]!r}… has {len(paper_id):,} characters; at most {LONGEST_ID} are allowed"


def n_letters(cells: Iterable[object]) -> int:
    """Count the characters in the texts of a row.

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
