"""Tables as Parquet files."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow
import pyarrow.parquet
from pyarrow import types

from data.errors import UnreadableFileError, Wrong, refuse
from data.importers.references import naming
from data.importers.tables import NOTHING_TOLD, Row, Table, entries
from data.records import Entry

BATCH_ROWS = 4_096  # keeps a file of any size out of memory
PLAIN = (
    types.is_string,
    types.is_large_string,
    types.is_string_view,
    types.is_integer,
    types.is_floating,
    types.is_temporal,
    types.is_null,
)


def read_parquet(path: Path, *, wrong: Wrong = refuse, columns: Mapping[str, str] = NOTHING_TOLD) -> Iterator[Entry]:
    """Yield the papers of a Parquet file, in file order, as `read_comma_separated` does."""
    with open_parquet(path) as table:
        yield from entries(table, columns, wrong)


@contextmanager
def open_parquet(path: Path) -> Iterator[Table]:
    """Open a Parquet file."""
    with naming(path), path.open("rb") as source:
        try:
            file = pyarrow.parquet.ParquetFile(source)
            schema = file.schema_arrow
            lists = {column.name: str(column.type) for column in schema if _is_list(column.type)}
            odd = {column.name: str(column.type) for column in schema if not _is_plain(column.type)}
            yield Table(path, schema.names, lambda asked: _rows(path, file, asked), odd, lists)
        except (pyarrow.ArrowException, UnicodeDecodeError) as error:  # a column's name may be damaged too
            raise UnreadableFileError(path, f"is not a Parquet file that can be read: {error}") from error


def _rows(path: Path, file: pyarrow.parquet.ParquetFile, asked: Sequence[str]) -> Iterator[Row]:
    n_read = 0
    for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=list(asked)):
        columns = [_cells(path, name, batch[name], n_read) for name in asked]
        for number, cells in enumerate(zip(*columns, strict=True), n_read + 1):
            yield number, next((cell for cell in cells if isinstance(cell, UnreadableFileError)), cells)
        n_read += batch.num_rows


def _is_list(kind: pyarrow.DataType) -> bool:
    return types.is_list(kind) or types.is_large_list(kind)  # type: ignore[no-any-return]


def _is_plain(kind: pyarrow.DataType) -> bool:
    """Tell text, numbers, dates and lists of them from bytes and structures, of which `str` makes nonsense."""
    held = kind.value_type if types.is_dictionary(kind) or _is_list(kind) else kind
    return any(is_kind(held) for is_kind in PLAIN)


def _cells(path: Path, column: str, cells: pyarrow.Array, n_before: int) -> list[object]:
    try:
        return cells.to_pylist()  # type: ignore[no-any-return]
    except (UnicodeDecodeError, OverflowError):  # text that is not UTF-8, a date after the year 9999: look which
        return [_cell(path, column, cell, row) for row, cell in enumerate(cells, n_before + 1)]


def _cell(path: Path, column: str, cell: pyarrow.Scalar, row: int) -> object:
    try:
        return cell.as_py()
    except (UnicodeDecodeError, OverflowError) as error:
        return UnreadableFileError(path, f"can't be read: {error}", row=row, column=column)
