"""How large what a file says may become: a few bytes can stand for a text or a list that fills the memory."""

from collections.abc import Iterable
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.records import LONGEST_ID

FREE = 64 * 1024**2  # bytes that any file may become
MOST_RATIO = 50  # of what it becomes to its own size, beyond those; tables of papers reach some 5
LONGEST_CELL = 1_000_000  # characters; a spreadsheet takes 32,767
MOST_LISTED = 10_000  # texts in one cell; the longest list of authors so far has some 5,200
TOO_MUCH = "would take more than {:,} MB of memory, for a file of {:,} bytes; save it anew, or as CSV"


def most_bytes(path: Path) -> int:
    """Return what a file may become in memory, in bytes."""
    return FREE + MOST_RATIO * path.stat().st_size


def too_much(path: Path, *, row: int | None = None) -> UnreadableFileError:
    """Return the error that a file would become larger than that."""
    return UnreadableFileError(path, TOO_MUCH.format(most_bytes(path) // 1024**2, path.stat().st_size), row=row)


def long_id(paper_id: str) -> str:
    """Return what is wrong with an id that is too long to be kept; nothing of any other.

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
