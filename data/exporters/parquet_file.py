"""Exporter for Parquet, which stores every value unchanged and with its type."""

from collections.abc import Iterable
from typing import BinaryIO

import pyarrow
import pyarrow.parquet

from presort.data.exporters.cells import COLUMNS, cells
from presort.data.records import ExportedPaper

TEXTS = pyarrow.list_(pyarrow.string())
TYPES = {
    "issue": pyarrow.date32(),
    "place": pyarrow.int32(),
    "score": pyarrow.float64(),
    "published": pyarrow.bool_(),
    **dict.fromkeys(("authors", "codes", "tags"), TEXTS),
}
SCHEMA = pyarrow.schema([(name, TYPES.get(name, pyarrow.string())) for name in COLUMNS])


def write_parquet(rows: Iterable[ExportedPaper], file: BinaryIO) -> None:
    """Write a Parquet file with one row per paper. Authors, codes and tags are lists, and a missing score is null."""
    records = [dict(zip(COLUMNS, cells(row), strict=True)) for row in rows]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records, schema=SCHEMA), file)
