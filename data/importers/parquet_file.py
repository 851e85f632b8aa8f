"""Importer for Parquet files."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pyarrow
import pyarrow.compute
import pyarrow.parquet
from pyarrow import types

from presort.data.errors import UnreadableFileError
from presort.data.importers.limits import LONGEST_CELL, MOST_LISTED, max_bytes, size_error
from presort.data.importers.parquet_footer import Chunk, read_footer
from presort.data.importers.problems import STRICT, Problems
from presort.data.importers.references import naming
from presort.data.importers.tables import NOTHING_CHOSEN, Row, Table, entries
from presort.data.records import Entry

BATCH_ROWS = 4_096  # maximum number of rows to read at a time, so that memory use doesn't depend on the file size
MOST_ROWS = 10_000_000
VALUE_BYTES = 8  # memory in bytes that each value uses in addition to its content
GROWING = 7  # encoding DELTA_BYTE_ARRAY: strings share prefixes, so each may be as long as the whole column
# Maximum number of bytes per column in a batch, and minimum number of rows in a batch, which takes precedence.
MOST_AT_ONCE, LEAST_ROWS = 32 * 1024**2, 16
TEXTS = (types.is_string, types.is_large_string)
PLAIN = (
    *TEXTS,
    types.is_string_view,
    types.is_integer,
    types.is_floating,
    types.is_temporal,
    types.is_null,
)


def read_parquet(
    path: Path, *, problems: Problems = STRICT, columns: Mapping[str, str] = NOTHING_CHOSEN
) -> Iterator[Entry]:
    """Yield the papers in a Parquet file, in file order. See `read_comma_separated` for the parameters and errors."""
    with open_parquet(path) as table:
        yield from entries(table, columns, problems)


@contextmanager
def open_parquet(path: Path) -> Iterator[Table]:
    """Open a Parquet file as a `Table`."""
    with naming(path), path.open("rb") as source:
        try:
            plain = pyarrow.parquet.ParquetFile(source)
            schema = plain.schema_arrow
            n_rows, chunks = read_footer(path)
            if n_rows > MOST_ROWS:
                raise UnreadableFileError(path, f"has more than {MOST_ROWS:,} rows. Import it in parts")
            lists = {column.name: str(column.type) for column in schema if _is_list(column.type)}
            odd = {column.name: str(column.type) for column in schema if not _is_plain(column.type)}
            file = pyarrow.parquet.ParquetFile(
                source, read_dictionary=_list_columns(plain, chunks), metadata=plain.metadata
            )
            yield Table(path, schema.names, lambda asked, _: _rows(path, file, chunks, asked), odd, lists)
        except (pyarrow.ArrowException, UnicodeDecodeError) as error:  # UnicodeDecodeError: a column name is damaged
            raise UnreadableFileError(path, f"unreadable Parquet file: {error}") from error


def _list_columns(file: pyarrow.parquet.ParquetFile, chunks: Sequence[Chunk]) -> list[str]:
    """Return the columns of string lists that are read as dictionaries, to store each distinct string only once."""
    growing = {chunk.path for chunk in chunks if GROWING in chunk.encodings}  # pyarrow can't dictionary-encode these
    columns = [file.schema.column(place) for place in range(len(file.schema))]
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY" and column.max_repetition_level]
    return [path for path in texts if path not in growing]


def _rows(
    path: Path, file: pyarrow.parquet.ParquetFile, chunks: Sequence[Chunk], asked: Sequence[str]
) -> Iterator[Row]:
    n_read = 0
    for batch in file.iter_batches(batch_size=_batch_rows(path, chunks, asked), columns=list(asked)):
        columns = [_cells(path, name, batch[name], n_read) for name in asked]
        for number, cells in enumerate(zip(*columns, strict=True), n_read + 1):
            yield number, next((cell for cell in cells if isinstance(cell, UnreadableFileError)), cells)
        n_read += batch.num_rows


def _batch_rows(path: Path, chunks: Sequence[Chunk], asked: Sequence[str]) -> int:
    """Return the number of rows to read per batch. Raises UnreadableFileError if the columns need too much memory."""
    used = [chunk for chunk in chunks if any(f"{chunk.path}.".startswith(f"{name}.") for name in asked)]
    if sum(max(chunk.n_bytes, 0) + VALUE_BYTES * max(chunk.n_values, 0) for chunk in used) > max_bytes(path):
        raise size_error(path)
    longest = max((_max_value_size(chunk) for chunk in used), default=0)
    return min(BATCH_ROWS, max(LEAST_ROWS, MOST_AT_ONCE // max(longest, 1)))


def _max_value_size(chunk: Chunk) -> int:
    """Return the maximum size in bytes of a value in a column chunk, or 0 if its values don't share any bytes."""
    return chunk.n_bytes if GROWING in chunk.encodings else chunk.n_dictionary


def _is_list(kind: pyarrow.DataType) -> bool:
    return types.is_list(kind) or types.is_large_list(kind)  # type: ignore[no-any-return]


def _is_plain(kind: pyarrow.DataType) -> bool:
    """Return True for strings, numbers, dates and lists of these. Bytes and structures can't be converted usefully."""
    held = kind.value_type if types.is_dictionary(kind) or _is_list(kind) else kind
    return any(is_kind(held) for is_kind in PLAIN)


def _cells(path: Path, column: str, cells: pyarrow.Array, n_before: int) -> list[object]:
    """Return a column's cells. Each invalid cell is replaced with an error."""
    is_list = _is_list(cells.type)
    is_long = pyarrow.compute.fill_null(_is_too_long(cells), False).to_pylist()
    if not any(is_long):
        return _convert_cells(path, column, cells, n_before)
    reason = f"more than {MOST_LISTED:,} values in a list" if is_list else f"more than {LONGEST_CELL:,} characters"
    rest = iter(_convert_cells(path, column, cells.filter(pyarrow.array([not long for long in is_long])), n_before))
    return [
        UnreadableFileError(path, reason, row=row, column=column) if long else next(rest)
        for row, long in enumerate(is_long, n_before + 1)
    ]


def _is_too_long(cells: pyarrow.Array) -> pyarrow.Array:
    if not _is_list(cells.type):
        return _is_long_text(cells)
    too_many = pyarrow.compute.greater(pyarrow.compute.list_value_length(cells), MOST_LISTED)
    is_long = pyarrow.compute.fill_null(_is_long_text(cells.flatten()), False)
    with_long = pyarrow.compute.list_parent_indices(cells).filter(is_long)
    rows = pyarrow.array(range(len(cells)), with_long.type)
    return pyarrow.compute.or_kleene(too_many, pyarrow.compute.is_in(rows, value_set=with_long))


def _is_long_text(cells: pyarrow.Array) -> pyarrow.Array:
    texts = cells.dictionary if types.is_dictionary(cells.type) else cells
    if not any(is_kind(texts.type) for is_kind in TEXTS):
        return pyarrow.array([False] * len(cells))
    is_long = pyarrow.compute.greater(pyarrow.compute.binary_length(texts), LONGEST_CELL)
    return is_long.take(cells.indices) if types.is_dictionary(cells.type) else is_long


def _convert_cells(path: Path, column: str, cells: pyarrow.Array, n_before: int) -> list[object]:
    try:
        return _to_python(cells)
    except (UnicodeDecodeError, OverflowError):  # invalid UTF-8, or a date after the year 9999
        return [_cell(path, column, cell, row) for row, cell in enumerate(cells, n_before + 1)]


def _to_python(cells: pyarrow.Array) -> list[object]:
    """Convert cells to Python objects. In a dictionary-encoded column, equal strings share one object."""
    if types.is_dictionary(cells.type):
        used = cells.indices.unique()
        values = dict(zip(used.to_pylist(), cells.dictionary.take(used).to_pylist(), strict=True))
        return [values[index] for index in cells.indices.to_pylist()]
    if _is_list(cells.type) and types.is_dictionary(cells.type.value_type):
        texts = iter(_to_python(cells.flatten()))
        lengths = pyarrow.compute.list_value_length(cells).to_pylist()
        return [None if length is None else list(islice(texts, length)) for length in lengths]
    return cells.to_pylist()  # type: ignore[no-any-return]


def _cell(path: Path, column: str, cell: pyarrow.Scalar, row: int) -> object:
    try:
        return cell.as_py()
    except (UnicodeDecodeError, OverflowError) as error:
        return UnreadableFileError(path, f"can't be read: {error}", row=row, column=column)
