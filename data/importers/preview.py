"""What a person is shown of a table before it is imported: its columns, what each is taken for, its first rows."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from data.errors import UnreadableFileError
from data.importers.csv_file import open_commas, open_tabs
from data.importers.parquet_file import open_parquet
from data.importers.rows import text_of
from data.importers.tables import NOTHING_TOLD, Table, fields_of
from data.importers.xlsx_file import open_xlsx

TABLES: dict[str, Callable[[Path], AbstractContextManager[Table]]] = {
    ".csv": open_commas,
    ".tsv": open_tabs,
    ".xlsx": open_xlsx,
    ".parquet": open_parquet,
}
SHOWN_ROWS = 3
SHOWN_LETTERS = 200  # of a cell


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Which column of a table holds which of our fields.

    Attributes
    ----------
    columns : tuple of str
        All columns of the table.
    fields : mapping from str to str
        Field to column, told or guessed; empty if that failed.
    problem : str
        Why the table can't be imported like this; empty if it can.
    rows : tuple of tuple of str
        The first rows, a cell a column, long ones cut.
    """

    columns: tuple[str, ...]
    fields: Mapping[str, str]
    problem: str
    rows: tuple[tuple[str, ...], ...]


def preview(path: Path, told: Mapping[str, str] = NOTHING_TOLD) -> ColumnMapping:
    """Show how the columns of a table would be taken.

    Parameters
    ----------
    path : Path
        A file whose ending is one of `TABLES`.
    told : mapping from str to str
        Field to column, as the person says it; others are guessed.

    Raises
    ------
    UnreadableFileError
        If the file is no table that can be read.
    """
    with TABLES[path.suffix.lower()](path) as table:
        fields, problem = {}, ""
        try:
            fields = fields_of(table, told)
        except UnreadableFileError as error:
            problem = str(error)
        return ColumnMapping(tuple(table.columns), fields, problem, _first_rows(table))


def _first_rows(table: Table) -> tuple[tuple[str, ...], ...]:
    asked = [column for column in table.columns if column not in table.odd and table.columns.count(column) == 1]
    found = []
    for _, cells in islice(table.rows(asked), SHOWN_ROWS) if asked else ():
        if isinstance(cells, UnreadableFileError):
            texts = {cells.column: cells.reason}
        else:
            texts = dict(zip(asked, map(_shown, cells), strict=True))
        found.append(tuple(texts.get(column, "") for column in table.columns))
    return tuple(found)


def _shown(cell: object) -> str:
    text = "; ".join(map(text_of, cell)) if isinstance(cell, list) else text_of(cell)
    return text if len(text) <= SHOWN_LETTERS else f"{text[:SHOWN_LETTERS]}…"
