"""Rows of CSV and TSV, also where quotes are not written as they should be.

A row that is not well-formed is read again by rules that allow for quotes inside quotes, line by line: an open quote
must not swallow the rows below it.
"""

import csv
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple, TextIO

LONGEST_CELL = 10_000_000  # characters; Python's own limit of 131,072 refuses real abstracts pasted whole
LONGEST_ROW = 20_000_000  # characters
MOST_LINES = 20  # of a row to repair; each more costs a reading of all of them, for every broken row
LONGEST_REPAIRED = 100_000  # characters


class LongRowError(ValueError):
    """A line is longer than a row may be."""

    def __init__(self) -> None:
        super().__init__(f"the row is longer than {LONGEST_ROW:,} characters")


class FoundRow(NamedTuple):
    """Row of a table.

    Attributes
    ----------
    number : int
        From 1, as a spreadsheet counts.
    last_line : int
        Line of the file, from 1, with which it ends.
    cells : list of str
        Empty if the row is broken.
    fault : str
        Why it can't be split into cells; empty if it can.
    is_repaired : bool
        True if quotes inside quotes were taken as text.
    """

    number: int
    last_line: int
    cells: list[str]
    fault: str = ""
    is_repaired: bool = False


def read_rows(file: TextIO, delimiter: str, *, after: FoundRow | None = None) -> Iterator[FoundRow]:
    """Yield the rows of a table that are not empty, in file order.

    Parameters
    ----------
    file : TextIO
        Open at its beginning, without translation of line breaks.
    delimiter : str
        One character, between cells.
    after : FoundRow, optional
        Header: only rows below it are yielded. A broken row is repaired if it then has as many cells. Without it, no
        row is repaired.

    Raises
    ------
    LongRowError
        If a line is longer than `LONGEST_ROW`.
    """
    csv.field_size_limit(LONGEST_CELL)
    lines = _Lines(file, after.last_line if after else 0)
    table = csv.reader(lines, delimiter=delimiter, strict=True)
    number, n_cells = (after.number, len(after.cells)) if after else (0, 0)
    while True:
        lines.begin_row()
        fault, row = "", list[str]()
        try:
            row = next(table)
        except StopIteration:
            return
        except csv.Error as error:
            fault = str(error)
        number += 1
        if fault or (n_cells and len(row) != n_cells and _holds_rows(lines.of_row, delimiter, n_cells)):
            row = _repaired(lines, delimiter, n_cells)
            yield FoundRow(number, lines.n_read, row, "" if row else fault or "a quote is not closed", bool(row))
        elif row:
            yield FoundRow(number, lines.n_read, row)


class _Lines:
    """Lines of a file; those of the current row can be read again.

    Attributes
    ----------
    of_row : list of str
        Lines read since `begin_row`.
    n_read : int
        Lines read since the beginning of the file.
    """

    def __init__(self, file: TextIO, n_above: int) -> None:
        self._file = file
        self._next = deque[str]()
        self.of_row = list[str]()
        self._n_left = LONGEST_ROW  # characters
        self.n_read = 0
        for _ in islice(self, n_above):
            self.begin_row()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._next.popleft() if self._next else self._file.readline(LONGEST_ROW + 1)
        if not line:
            raise StopIteration
        if len(line) > LONGEST_ROW:
            raise LongRowError
        self.n_read += 1
        self.of_row.append(line)
        self._n_left -= len(line)
        if self._n_left < 0:
            raise csv.Error(str(LongRowError()))
        return line

    def begin_row(self) -> None:
        self.of_row, self._n_left = [], LONGEST_ROW

    def put_back(self) -> None:
        """Let the lines of the current row be read again."""
        self._next.extendleft(reversed(self.of_row))
        self.n_read -= len(self.of_row)
        self.begin_row()


def _holds_rows(lines: list[str], delimiter: str, n_cells: int) -> bool:
    """Return whether a row of several lines has swallowed others."""
    return any(_is_row(line, delimiter, n_cells) for line in lines[1:])


def _is_row(line: str, delimiter: str, n_cells: int) -> bool:
    try:
        return len(next(csv.reader([line], delimiter=delimiter, strict=True))) == n_cells
    except csv.Error:
        return False


def _repaired(lines: _Lines, delimiter: str, n_cells: int) -> list[str]:
    """Read a broken row again and return its cells; if that fails, read its first line alone and return nothing."""
    lines.put_back()
    text = next(lines)
    for _ in range(MOST_LINES if n_cells > 1 else 0):
        for is_pair_escaped in (True, False):
            cells = _lenient(text.rstrip("\r\n"), delimiter, is_pair_escaped=is_pair_escaped)
            if len(cells) == n_cells and max(map(len, cells)) <= LONGEST_CELL:
                return cells
        line = next(lines, "")
        if not line or _is_row(line, delimiter, n_cells) or len(text) + len(line) > LONGEST_REPAIRED:
            break
        text += line
    lines.put_back()
    next(lines)
    return []


def _lenient(text: str, delimiter: str, *, is_pair_escaped: bool) -> list[str]:
    """Split a row into cells; a quote closes a cell only if the cell ends there. Return nothing if one stays open.

    Parameters
    ----------
    is_pair_escaped : bool
        Two quotes mean one quote, so that they never close a cell. Programs that don't double the quotes within
        a cell write two at its end: one of the text, one that closes.

    Examples
    --------
    >>> _lenient('1,"a "b" c",2', ",", is_pair_escaped=True), _lenient('"a ""b"" c",2', ",", is_pair_escaped=True)
    (['1', 'a "b" c', '2'], ['a "b" c', '2'])
    >>> _lenient('"on "tools"",2', ",", is_pair_escaped=True), _lenient('"on "tools"",2', ",", is_pair_escaped=False)
    ([], ['on "tools"', '2'])
    """
    cells, place = list[str](), 0
    while place <= len(text):
        if text.startswith('"', place):
            end = _closing_quote(text, place + 1, delimiter, is_pair_escaped=is_pair_escaped)
            cell = text[place + 1 : end]
            place = end + 2
            if end < 0:
                return []
        else:
            end = text.find(delimiter, place)
            cell = text[place : end if end >= 0 else None]
            place += len(cell) + 1
            if "\n" in cell or "\r" in cell:
                return []
        cells.append(cell.replace('""', '"') if is_pair_escaped else cell)
    return cells


def _closing_quote(text: str, place: int, delimiter: str, *, is_pair_escaped: bool) -> int:
    """Return where the quote is that closes a cell; -1 if none does."""
    while (end := text.find('"', place)) >= 0:
        after = text[end + 1 : end + 2]
        if after == '"' and is_pair_escaped:
            place = end + 2
        elif after in ("", delimiter):
            return end
        else:
            place = end + 1
    return -1
