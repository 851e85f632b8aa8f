"""Tables as Parquet files."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow
import pyarrow.parquet
from pyarrow import types

from data.errors import UnreadableFileError
from data.importers.rows import OPTIONAL, REQUIRED, SEVERAL, listings
from data.records import ListedPaper

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


def read_parquet(path: Path) -> Iterator[ListedPaper]:
    """Yield the listed papers of a Parquet file, in file order."""
    with path.open("rb") as source:
        try:
            file = pyarrow.parquet.ParquetFile(source)
            yield from listings(path, file.schema_arrow.names, _rows(path, file))
        except (pyarrow.ArrowException, UnicodeDecodeError) as error:  # a column's name may be damaged too
            raise UnreadableFileError(path, f"is not a Parquet file that can be read: {error}") from error


def _rows(path: Path, file: pyarrow.parquet.ParquetFile) -> Iterator[dict[str, object]]:
    used = [field for field in file.schema_arrow if field.name in REQUIRED + OPTIONAL]
    for field in used:
        if not _is_plain(field):
            raise UnreadableFileError(path, f"holds {field.type}; text is needed", column=field.name)
    names = [field.name for field in used]
    n_read = 0
    for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=names):
        columns = [_cells(path, name, batch[name], n_read) for name in names]
        yield from (dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True))
        n_read += batch.num_rows


def _is_plain(field: pyarrow.Field) -> bool:
    """Tell text, numbers and dates from bytes and structures, of which `str` makes nonsense."""
    kind = field.type
    if types.is_dictionary(kind) or (field.name in SEVERAL and (types.is_list(kind) or types.is_large_list(kind))):
        kind = kind.value_type
    return any(is_kind(kind) for is_kind in PLAIN)


def _cells(path: Path, column: str, cells: pyarrow.Array, n_before: int) -> list[object]:
    try:
        return cells.to_pylist()  # type: ignore[no-any-return]
    except (UnicodeDecodeError, OverflowError):  # text that is not UTF-8, a date after the year 9999: look which
        return [_cell(path, column, cell, row) for row, cell in enumerate(cells, n_before + 1)]


def _cell(path: Path, column: str, cell: pyarrow.Scalar, row: int) -> object:
    try:
        return cell.as_py()
    except (UnicodeDecodeError, OverflowError) as error:
        raise UnreadableFileError(path, f"can't be read: {error}", row=row, column=column) from error
