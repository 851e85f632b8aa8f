"""Readers of files, one module a format; `read_listings` picks the one that fits the file's ending."""

from collections.abc import Callable, Iterator
from pathlib import Path

from data.errors import UnreadableFileError
from data.importers import csv_file, parquet_file
from data.records import ListedPaper

READERS: dict[str, Callable[[Path], Iterator[ListedPaper]]] = {
    ".csv": csv_file.read_comma_separated,
    ".tsv": csv_file.read_tab_separated,
    ".parquet": parquet_file.read_parquet,
}


def read_listings(path: Path) -> Iterator[ListedPaper]:
    """Yield the papers of a file as their issues list them, in file order.

    Parameters
    ----------
    path : Path
        A file whose ending is one of `READERS`.

    Yields
    ------
    ListedPaper
        Cleaned and checked.

    Raises
    ------
    UnreadableFileError
        If the file is missing, of another kind, or wrong in some row; the message names row and column.
        Raised while iterating: take nothing of the file before its end was reached.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise UnreadableFileError(path, f"can't read this kind of file; one of {', '.join(sorted(READERS))} is needed")
    try:
        yield from reader(path)
    except OSError as error:
        raise UnreadableFileError(path, f"can't be read: {error.strerror or error}") from error
