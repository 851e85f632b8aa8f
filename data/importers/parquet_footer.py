"""Read the column sizes from a Parquet file's footer, before any column is decompressed.

pyarrow also returns the column sizes, but it crashes the process if a damaged file lacks a column's metadata. The
footer uses Thrift's compact protocol
(https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). The field ids are defined in
https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
"""

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from presort.data.errors import UnreadableFileError

TAIL = 8  # number of bytes after the footer, which contain its length and the magic number
LARGEST_FOOTER = 64 * 1024**2  # maximum size of the footer in bytes
DAMAGED = "it is not a Thrift structure"
DEEPEST = 32  # maximum nesting depth of structures
GROUPS, ROWS = 4, 3  # field ids of FileMetaData: row_groups, num_rows
COLUMNS = 1  # field id of RowGroup: columns
ABOUT = 3  # field id of ColumnChunk: meta_data
ENCODINGS, PATH, VALUES, UNPACKED, DATA, DICTIONARY = 2, 3, 5, 6, 9, 11  # field ids of ColumnMetaData
PAGE_KIND, PAGE_UNPACKED = 1, 2  # field ids of PageHeader: type, uncompressed_page_size
OF_DICTIONARY = 2  # value of PageType for a dictionary page
LARGEST_HEAD = 64 * 1024  # maximum size of a page header in bytes
TRUE, FALSE, BYTE, INTEGERS, DOUBLE, BINARY, LISTS, MAP, STRUCT = 1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 11, 12


@dataclass(frozen=True, slots=True)
class Chunk:
    """Metadata of a column chunk, which must not be trusted, because the file may be malicious."""

    path: str
    n_values: int
    n_bytes: int
    encodings: tuple[int, ...]
    n_dictionary: int  # size of the dictionary page in bytes; any number of values may refer to each entry


def read_footer(path: Path) -> tuple[int, list[Chunk]]:
    """Return a Parquet file's number of rows and all its column chunks.

    Raises
    ------
    UnreadableFileError
        If the footer is damaged.
    """
    try:
        with path.open("rb") as file:
            footer = _Compact(_footer(file)).struct()
            return int(footer[ROWS]), list(_chunks(file, footer))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise UnreadableFileError(path, "unreadable Parquet file: its footer is damaged") from error


def _footer(file: BinaryIO) -> bytes:
    file.seek(-TAIL, os.SEEK_END)
    n_bytes = int.from_bytes(file.read(4), "little")
    if n_bytes > LARGEST_FOOTER:
        raise ValueError("it is too large")
    file.seek(-TAIL - n_bytes, os.SEEK_END)
    return file.read(n_bytes)


def _chunks(file: BinaryIO, footer: dict[int, Any]) -> Iterator[Chunk]:
    for group in footer[GROUPS]:
        for column in group[COLUMNS]:
            about = column[ABOUT]
            path = ".".join(part.decode() for part in about[PATH])
            n_dictionary = _n_dictionary(file, about) if about[VALUES] else 0
            yield Chunk(path, int(about[VALUES]), int(about[UNPACKED]), tuple(about[ENCODINGS]), n_dictionary)


def _n_dictionary(file: BinaryIO, about: dict[int, Any]) -> int:
    """Return the uncompressed size in bytes of a column's dictionary page, or 0 if the column has none."""
    file.seek(min(about.get(DICTIONARY) or about[DATA], about[DATA]))
    page = _Compact(file.read(LARGEST_HEAD)).struct()
    return max(int(page[PAGE_UNPACKED]), 0) if page[PAGE_KIND] == OF_DICTIONARY else 0


class _Compact:
    """Parser for Thrift's compact protocol. It converts a structure to a dict that maps field ids to values."""

    def __init__(self, content: bytes) -> None:
        self._content, self._depth = io.BytesIO(content), 0

    def struct(self) -> dict[int, Any]:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError(DAMAGED)
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            fields[number] = kind == TRUE if kind in (TRUE, FALSE) else self._value(kind)
        self._depth -= 1
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (TRUE, FALSE, BYTE):
            return self._byte()
        if kind in INTEGERS:
            return self._integer()
        if kind == DOUBLE:
            return self._content.read(8)
        if kind == BINARY:
            return self._content.read(self._size())
        if kind in LISTS:
            head = self._byte()
            size = head >> 4 if head >> 4 < 15 else self._size()
            return [self._value(head & 15) for _ in range(size)]
        if kind == MAP:
            size = self._size()
            kinds = self._byte() if size else 0
            return [(self._value(kinds >> 4), self._value(kinds & 15)) for _ in range(size)]
        if kind == STRUCT:
            return self.struct()
        raise ValueError(DAMAGED)

    def _byte(self) -> int:
        return self._content.read(1)[0]

    def _integer(self) -> int:
        number = self._size()
        return (number >> 1) ^ -(number & 1)

    def _size(self) -> int:
        number = shift = 0
        while (byte := self._byte()) & 0x80:
            number |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise ValueError(DAMAGED)
        return number | byte << shift
