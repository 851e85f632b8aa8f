"""Tables as text: CSV and TSV, in UTF-8, or UTF-16 with a mark as Excel writes it."""

import codecs
import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TextIO

from data.errors import UnreadableFileError
from data.importers.problems import STRICT, Problems
from data.importers.references import naming
from data.importers.tables import NOTHING_TOLD, Row, Table, entries
from data.records import Entry
from data.text.cleaning import clean

LONGEST_CELL = 10_000_000  # characters; Python's own limit of 131,072 refuses real abstracts pasted whole
LONGEST_ROW = 20_000_000  # with the empty lines before it
OTHER_DELIMITERS = ",;\t"
UNDECODED = re.compile(r"[\udc80-\udcff]")  # what stands for bytes that are not UTF-8
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
SAVE = "save it as UTF-8"
NOT_UTF8 = f"is not UTF-8; {SAVE}"
NOT_TEXT = "is no text, so no table can be read from it"
NO_TABLES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # pictures, zips, old Excel
NO_ROW: tuple[int, list[str]] = (0, [])


def read_comma_separated(
    path: Path, *, problems: Problems = STRICT, columns: Mapping[str, str] = NOTHING_TOLD
) -> Iterator[Entry]:
    """Yield the papers of a CSV file, in file order. Rows go by the numbers that a spreadsheet shows: the header is 1.

    Semicolons and tabs between the cells are told from the first line, where no comma stands.

    Parameters
    ----------
    problems : Problems
        Receives each row that can't be taken.
    columns : mapping from str to str
        Column of each field that is told; others are guessed.

    Raises
    ------
    UnreadableFileError
        If the file is missing or no table, or a needed column is not there. Raised while iterating.
    """
    with open_commas(path) as table:
        yield from entries(table, columns, problems)


def read_tab_separated(
    path: Path, *, problems: Problems = STRICT, columns: Mapping[str, str] = NOTHING_TOLD
) -> Iterator[Entry]:
    """Yield the papers of a TSV file, in file order, as `read_comma_separated` does."""
    with open_tabs(path) as table:
        yield from entries(table, columns, problems)


@contextmanager
def open_commas(path: Path) -> Iterator[Table]:
    """Open a CSV file."""
    with _opened(path, ",") as table:
        yield table


@contextmanager
def open_tabs(path: Path) -> Iterator[Table]:
    """Open a TSV file."""
    with _opened(path, "\t") as table:
        yield table


@contextmanager
def _opened(path: Path, usual: str) -> Iterator[Table]:
    with naming(path):
        encoding = _encoding(path)
        delimiter, header = _header(path, encoding, usual)
        columns = [clean(name) for name in header]

        def rows(asked: Sequence[str]) -> Iterator[Row]:
            places = [columns.index(column) for column in asked]
            for number, row in islice(_rows(path, encoding, delimiter), 1, None):
                yield number, _cells(path, columns, number, row, places)

        yield Table(path, columns, rows)


def _encoding(path: Path) -> str:
    with path.open("rb") as file:
        return "utf-16" if file.read(2) in UTF16_MARKS else "utf-8-sig"  # -sig: Excel adds a mark


def _is_other(path: Path) -> bool:
    """Return whether a file begins as one of another kind that was given a table's name."""
    with path.open("rb") as file:
        return file.read(max(map(len, NO_TABLES))).startswith(NO_TABLES)


def _header(path: Path, encoding: str, usual: str) -> tuple[str, list[str]]:
    """Return the first row, and what stands between its cells: not the usual delimiter if another one does."""
    _, header = next(_rows(path, encoding, usual), NO_ROW)
    if any(UNDECODED.search(name) or "\0" in name for name in header):  # noughts: UTF-16 without a mark
        raise UnreadableFileError(path, NOT_TEXT if _is_other(path) else NOT_UTF8)
    if len(header) == 1:
        for other in OTHER_DELIMITERS:
            _, found = next(_rows(path, encoding, other), NO_ROW)
            if len(found) > 1:
                return other, found
    return usual, header


def _rows(path: Path, encoding: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield rows and their numbers in a spreadsheet, the header first, no empty ones; say where reading fails."""
    csv.field_size_limit(LONGEST_CELL)
    number = 0
    # Escaped: a strict decoder, reading ahead, stops some rows before the one that is wrong.
    with path.open(encoding=encoding, errors="surrogateescape", newline="") as file:
        lines = _Lines(file)
        table = csv.reader(lines, delimiter=delimiter, strict=True)
        while True:
            try:
                row = next(table)
            except StopIteration:
                return
            except csv.Error as error:
                row_of_it = number + 1 if number else None
                raise UnreadableFileError(path, f"is not a well-formed table: {error}", row=row_of_it) from error
            except UnicodeDecodeError as error:
                raise UnreadableFileError(path, f"has the mark of UTF-16 and is not; {SAVE}") from error
            number += 1
            if row:
                yield number, row
                lines.n_left = LONGEST_ROW


class _Lines:
    """The lines of a file, of which no more come into memory than a row may have."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.n_left = LONGEST_ROW  # characters

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._file.readline(self.n_left + 1)
        self.n_left -= len(line)
        if not line:
            raise StopIteration
        if self.n_left < 0:
            raise csv.Error(f"the row is longer than {LONGEST_ROW:,} characters")
        return line


def _cells(
    path: Path, columns: Sequence[str], number: int, row: list[str], places: Sequence[int]
) -> list[str] | UnreadableFileError:
    if len(row) != len(columns):
        return UnreadableFileError(path, f"has {len(row)} cells, the header has {len(columns)}", row=number)
    if not (text := "".join(row)).isascii() and UNDECODED.search(text):
        column = next(name for name, cell in zip(columns, row, strict=True) if UNDECODED.search(cell))
        return UnreadableFileError(path, NOT_UTF8, row=number, column=column)
    return [row[place] for place in places]
