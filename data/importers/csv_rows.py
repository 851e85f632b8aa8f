"""Row parser for CSV and TSV that tolerates incorrectly quoted cells.

A malformed row is parsed again with rules that allow unescaped quotes inside quoted cells. Its lines are added one by
one, so that an unclosed quote doesn't swallow the rows below it.
"""

import csv
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple, TextIO

LONGEST_CELL = 10_000_000  # maximum number of characters; the csv module's default, 131,072, is too low for some papers
LONGEST_ROW = 20_000_000  # maximum number of characters in a row
MOST_LINES = 20  # maximum number of lines in a repaired row, because all of them are parsed again for each line added
LONGEST_REPAIRED = 100_000  # maximum number of characters in a repaired row


class LongRowError(ValueError):
    """A line is longer than `LONGEST_ROW`."""

    def __init__(self) -> None:
        super().__init__(f"the row is longer than {LONGEST_ROW:,} characters")


class TableRow(NamedTuple):
    """Row in a table.

    Attributes
    ----------
    number : int
        1-based row number, as in a spreadsheet.
    last_line : int
        1-based number of the row's last line in the file.
    cells : list of str
        Content of each cell. The list is empty if the row is malformed.
    fault : str
        Reason why the row can't be split into cells. Empty if the row is well-formed.
    is_repaired : bool
        True if unescaped quotes inside a quoted cell were read as text.
    """

    number: int
    last_line: int
    cells: list[str]
    fault: str = ""
    is_repaired: bool = False


def read_rows(file: TextIO, delimiter: str, *, after: TableRow | None = None) -> Iterator[TableRow]:
    """Yield the non-empty rows in a table, in file order.

    Parameters
    ----------
    file : TextIO
        File opened with ``newline=""``, positioned at its start.
    delimiter : str
        Character that separates cells.
    after : TableRow, optional
        Header row. If it is given, only the rows below the header are yielded. A malformed row is repaired if the
        result has as many cells as the header. If it is omitted, all rows are yielded and none are repaired.

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
            row = _parse_repaired(lines, delimiter, n_cells)
            yield TableRow(number, lines.n_read, row, "" if row else fault or "a quote is not closed", bool(row))
        elif row:
            yield TableRow(number, lines.n_read, row)


class _Lines:
    """Iterator over a file's lines that can go back to the first line of the current row.

    Attributes
    ----------
    of_row : list of str
        Lines read since `begin_row`.
    n_read : int
        Number of lines read since the beginning of the file.
    """

    def __init__(self, file: TextIO, n_above: int) -> None:
        self._file = file
        self._next = deque[str]()
        self.of_row = list[str]()
        self._n_left = LONGEST_ROW  # number of characters that may still be added to the current row
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
        """Push back the current row's lines, so that they are read again."""
        self._next.extendleft(reversed(self.of_row))
        self.n_read -= len(self.of_row)
        self.begin_row()


def _holds_rows(lines: list[str], delimiter: str, n_cells: int) -> bool:
    """Return True if any line of a malformed row, except its first line, is a complete row."""
    return any(_is_row(line, delimiter, n_cells) for line in lines[1:])


def _is_row(line: str, delimiter: str, n_cells: int) -> bool:
    try:
        return len(next(csv.reader([line], delimiter=delimiter, strict=True))) == n_cells
    except csv.Error:
        return False


def _parse_repaired(lines: _Lines, delimiter: str, n_cells: int) -> list[str]:
    """Parse a malformed row again and return its cells.

    If that fails, returns an empty list, and reading continues after the row's first line.
    """
    lines.put_back()
    text = next(lines)
    for _ in range(MOST_LINES if n_cells > 1 else 0):
        for is_pair_escaped in (True, False):
            cells = _split_leniently(text.rstrip("\r\n"), delimiter, is_pair_escaped=is_pair_escaped)
            if len(cells) == n_cells and max(map(len, cells)) <= LONGEST_CELL:
                return cells
        line = next(lines, "")
        if not line or _is_row(line, delimiter, n_cells) or len(text) + len(line) > LONGEST_REPAIRED:
            break
        text += line
    lines.put_back()
    next(lines)
    return []


def _split_leniently(text: str, delimiter: str, *, is_pair_escaped: bool) -> list[str]:
    """Split a row into cells. A quote closes a cell only if it is followed by a delimiter or the end of the row.

    Returns an empty list if a quoted cell is not closed.

    Parameters
    ----------
    is_pair_escaped : bool
        If True, two consecutive quotes are an escaped quote and never close a cell. If False, each quote either is text
        or closes the cell, because programs that don't escape quotes write two quotes at the end of a cell whose text
        ends with a quote.

    Examples
    --------
    >>> [_split_leniently(row, ",", is_pair_escaped=True) for row in ('1,"a "b" c",2', '"a ""b"" c",2')]
    [['1', 'a "b" c', '2'], ['a "b" c', '2']]
    >>> [_split_leniently('"on "tools"",2', ",", is_pair_escaped=is_escaped) for is_escaped in (True, False)]
    [[], ['on "tools"', '2']]
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
    """Return the index of the quote that closes a cell, or -1 if the cell is not closed."""
    while (end := text.find('"', place)) >= 0:
        after = text[end + 1 : end + 2]
        if after == '"' and is_pair_escaped:
            place = end + 2
        elif after in ("", delimiter):
            return end
        else:
            place = end + 1
    return -1
