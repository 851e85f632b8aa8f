"""Tables as Parquet files."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow
import pyarrow.parquet

from data.errors import UnreadableFileError
from data.importers.rows import OPTIONAL, REQUIRED, listings
from data.records import ListedPaper

BATCH_ROWS = 4_096  # keeps a file of any size out of memory


def read_parquet(path: Path) -> Iterator[ListedPaper]:
    """Yield the listed papers of a Parquet file, in file order."""
    with path.open("rb") as source:
        try:
            file = pyarrow.parquet.ParquetFile(source)
            yield from listings(path, file.schema_arrow.names, _rows(file))
        except pyarrow.ArrowException as error:
            raise UnreadableFileError(path, f"is not a Parquet file that can be read: {error}") from error


def _rows(file: pyarrow.parquet.ParquetFile) -> Iterator[dict[str, object]]:
    used = [name for name in file.schema_arrow.names if name in REQUIRED + OPTIONAL]
    for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=used):
        yield from batch.to_pylist()
