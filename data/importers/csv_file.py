"""Tables as text: CSV and TSV, in UTF-8."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from data.errors import UnreadableFileError
from data.importers.rows import listings
from data.records import ListedPaper

LONGEST_CELL = 10_000_000  # characters; Python's own limit of 131,072 refuses real abstracts pasted whole
UNDECODED = re.compile(r"[\udc80-\udcff]")  # what stands for bytes that are not UTF-8
NOT_UTF8 = "is not UTF-8; save it as UTF-8"


def read_comma_separated(path: Path) -> Iterator[ListedPaper]:
    """Yield the listed papers of a CSV file, in file order."""
    return _read(path, ",")


def read_tab_separated(path: Path) -> Iterator[ListedPaper]:
    """Yield the listed papers of a TSV file, in file order."""
    return _read(path, "\t")


def _read(path: Path, delimiter: str) -> Iterator[ListedPaper]:
    csv.field_size_limit(LONGEST_CELL)
    # -sig: Excel adds a mark. Escaped: a strict decoder, reading ahead, stops some rows before the one that is wrong.
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        table = csv.reader(file, delimiter=delimiter, strict=True)
        rows = _rows(path, table)
        header = next(rows, [])
        if any(map(UNDECODED.search, header)):
            raise UnreadableFileError(path, NOT_UTF8)
        yield from listings(path, header, (_row(path, header, number, row) for number, row in enumerate(rows, 1)))


def _rows(path: Path, table: Iterator[list[str]]) -> Iterator[list[str]]:
    """Pass rows on, empty lines left out; say where reading fails. The header is row 0."""
    number = 0
    while True:
        try:
            row = next(table)
        except StopIteration:
            return
        except csv.Error as error:
            raise UnreadableFileError(path, f"is not a well-formed table: {error}", row=number or None) from error
        if row:
            yield row
            number += 1


def _row(path: Path, header: list[str], number: int, row: list[str]) -> dict[str, object]:
    if len(row) != len(header):
        raise UnreadableFileError(path, f"has {len(row)} cells, the header has {len(header)}", row=number)
    for column, cell in zip(header, row, strict=True):
        if UNDECODED.search(cell):
            raise UnreadableFileError(path, NOT_UTF8, row=number, column=column)
    return dict(zip(header, row, strict=True))
