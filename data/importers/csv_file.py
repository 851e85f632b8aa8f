"""Importer for CSV and TSV."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers.columns import has_title
from presort.data.importers.csv_rows import LongRowError, TableRow, read_rows
from presort.data.importers.problems import STRICT, Problems, Repair
from presort.data.importers.references import naming
from presort.data.importers.tables import NOTHING_CHOSEN, Row, Table, entries
from presort.data.importers.text_file import TextSource, repair_text, text_source
from presort.data.records import Entry
from presort.data.text.cleaning import clean

DELIMITERS = ",;\t"
HEADER_WITHIN = 10  # number of rows to search for the header; some databases write the search query and date above it
SEPARATOR = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # first line of some files written for Excel
QUOTES = "unescaped quotes inside a quoted cell were read as text"
BROKEN = "malformed table: {}"


def read_comma_separated(
    path: Path, *, problems: Problems = STRICT, columns: Mapping[str, str] = NOTHING_CHOSEN
) -> Iterator[Entry]:
    """Yield the papers in a CSV file, in file order. Rows are numbered as in a spreadsheet, so the first row is row 1.

    The header is the first of the top ten rows that has a title column, or else the first row. The delimiter (comma,
    semicolon or tab) is detected from the header.

    Parameters
    ----------
    problems : Problems
        Receives each row that can't be imported, and each repair.
    columns : mapping from str to str
        Mapping from fields to columns, as chosen by the user. The columns for all other fields are guessed.

    Raises
    ------
    UnreadableFileError
        If the file is missing or isn't a table, or a required column is missing. The error is raised during iteration.
    """
    with open_commas(path) as table:
        yield from entries(table, columns, problems)


def read_tab_separated(
    path: Path, *, problems: Problems = STRICT, columns: Mapping[str, str] = NOTHING_CHOSEN
) -> Iterator[Entry]:
    """Yield the papers in a TSV file, in file order. See `read_comma_separated` for the parameters and errors."""
    with open_tabs(path) as table:
        yield from entries(table, columns, problems)


@contextmanager
def open_commas(path: Path) -> Iterator[Table]:
    """Open a CSV file as a `Table`."""
    with _open_table(path, ",") as table:
        yield table


@contextmanager
def open_tabs(path: Path) -> Iterator[Table]:
    """Open a TSV file as a `Table`."""
    with _open_table(path, "\t") as table:
        yield table


@contextmanager
def _open_table(path: Path, usual: str) -> Iterator[Table]:
    with naming(path):
        source = text_source(path)
        delimiter, header = _header(source, usual)
        columns = [clean(repair_text(name)[0]) for name in header.cells]

        def rows(asked: Sequence[str], problems: Problems) -> Iterator[Row]:
            source.report(problems)
            places = [(column, columns.index(column)) for column in asked]
            for row in _rows_below(source, delimiter, header):
                yield row.number, _cells(source, row, len(columns), places, problems)

        yield Table(path, columns, rows)


def _header(source: TextSource, usual: str) -> tuple[str, TableRow]:
    """Return the delimiter and the header row, which is the first row with a title column, or else the first row."""
    tops = {delimiter: _top(source, delimiter) for delimiter in dict.fromkeys((usual, *DELIMITERS))}
    if (first := tops[usual]) and (named := SEPARATOR.fullmatch("".join(first[0].cells))):
        tops = {named[1]: _top(source, named[1])[1:]}
    titled = [(delimiter, row) for delimiter, rows in tops.items() for row in rows if has_title(row.cells)]
    first_rows = [(delimiter, rows[0]) for delimiter, rows in tops.items() if rows]
    delimiter, header = max(  # the first candidate with several cells is preferred
        titled or first_rows or [(usual, TableRow(0, 0, []))], key=lambda found: len(found[1].cells) > 1
    )
    if header.fault:
        raise UnreadableFileError(source.path, BROKEN.format(header.fault))
    return delimiter, header


def _top(source: TextSource, delimiter: str) -> list[TableRow]:
    with source.open(newline="") as file:
        try:
            return list(islice(read_rows(file, delimiter), HEADER_WITHIN))
        except LongRowError as error:
            raise UnreadableFileError(source.path, BROKEN.format(error)) from error


def _rows_below(source: TextSource, delimiter: str, header: TableRow) -> Iterator[TableRow]:
    number = header.number
    with source.open(newline="") as file:
        try:
            for row in read_rows(file, delimiter, after=header):
                number = row.number
                yield row
        except LongRowError as error:
            raise UnreadableFileError(source.path, BROKEN.format(error), row=number + 1) from error


def _cells(
    source: TextSource, row: TableRow, n_columns: int, places: Sequence[tuple[str, int]], problems: Problems
) -> list[str] | UnreadableFileError:
    """Return a row's cells in the given columns, repaired if necessary, or the row's error."""
    if row.fault:
        return UnreadableFileError(source.path, BROKEN.format(row.fault), row=row.number)
    # Extra empty cells are allowed, because some programs end every row with a delimiter.
    if len(row.cells) != n_columns and (len(row.cells) < n_columns or any(row.cells[n_columns:])):
        reason = f"{len(row.cells)} cells, but the header has {n_columns}"
        return UnreadableFileError(source.path, reason, row=row.number)
    if row.is_repaired:
        problems.repair(Repair(source.path.name, QUOTES, row=row.number))
    cells = [row.cells[place] for _, place in places]
    if source.has_faults:
        for number, (column, _) in enumerate(places):
            cells[number], reason = repair_text(cells[number])
            if reason:
                problems.repair(Repair(source.path.name, reason, row=row.number, column=column))
    return cells
