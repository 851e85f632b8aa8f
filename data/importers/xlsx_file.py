"""Importer for Excel workbooks (XLSX)."""

import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile

import openpyxl  # type: ignore[import-untyped]
from openpyxl.utils.escape import unescape  # type: ignore[import-untyped]

from presort.data.errors import UnreadableFileError
from presort.data.importers.archives import BadArchiveError, check_zip
from presort.data.importers.limits import LONGEST_CELL
from presort.data.importers.problems import STRICT, Problems
from presort.data.importers.references import naming
from presort.data.importers.rows import text_of
from presort.data.importers.tables import NOTHING_CHOSEN, Row, Table, entries
from presort.data.records import Entry
from presort.data.safe_xml import parse_xml

MOST_BYTES = 512 * 1024**2  # maximum unpacked size in bytes, because all of a workbook's strings are read into memory
MOST_COLUMNS = 1_000  # maximum number of columns in a sheet; any further columns are ignored
HEADER_WITHIN = 100  # number of rows of each sheet to search for the header
MOST_ELEMENTS = 3_000_000  # maximum number of XML elements in the shared strings; 100,000 papers have about 1,600,000
SHARED_STRINGS = "sharedStrings+xml"
BATCH_ROWS = 100
CHUNK = 64 * 1024  # number of bytes to read at a time
LAST_ROW = 1_048_576  # highest row number in Excel
NO_WORKBOOK = "unreadable workbook. Save it again, or save it as CSV"
BROKEN = (  # exceptions that openpyxl raises for damaged files
    *(BadZipFile, zlib.error, EOFError, SyntaxError, KeyError, ValueError, TypeError, IndexError, AttributeError),
    *(OverflowError, NotImplementedError, expat.ExpatError),
)


def read_xlsx(
    path: Path, *, problems: Problems = STRICT, columns: Mapping[str, str] = NOTHING_CHOSEN
) -> Iterator[Entry]:
    """Yield the papers in a workbook's first sheet that contains a table.

    See `read_comma_separated` for the parameters and errors.

    The table begins at the first row that has two non-empty cells. Rows are numbered as in the sheet. A row is invalid
    if an imported cell contains an error or a formula, because a formula's stored value may be outdated.
    """
    with open_xlsx(path) as table:
        yield from entries(table, columns, problems)


@contextmanager
def open_xlsx(path: Path) -> Iterator[Table]:
    """Open a workbook, and yield its first sheet that contains a table, as a `Table`."""
    with naming(path), path.open("rb") as source:
        book = _workbook(path, source)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # the size given in the file may be wrong
            top = islice(_rows(path, sheet, MOST_COLUMNS), HEADER_WITHIN)
            header = next(((number, row) for number, row in top if sum(map(_is_filled, row)) > 1), None)
            if header:
                break
        else:
            raise UnreadableFileError(path, "no sheet contains a table")
        n_above, columns = header[0], [text_of(_value(cell)) for cell in header[1]]

        def rows(asked: Sequence[str], _: Problems) -> Iterator[Row]:
            places = [columns.index(column) for column in asked]
            for number, row in _rows(path, sheet, max(places) + 1):
                cells = [row[place] for place in places] if number > n_above else []
                if any(map(_is_filled, cells)):
                    yield number, _values(path, number, asked, cells)

        while columns and not columns[-1]:
            columns.pop()
        yield Table(path, columns, rows)


def _workbook(path: Path, source: IO[bytes]) -> Any:
    try:
        check_zip(path, max_bytes=MOST_BYTES)
        _check_xml(source)
        with warnings.catch_warnings(action="ignore"):  # openpyxl warns if a workbook contains unknown styles
            return openpyxl.load_workbook(source, read_only=True, keep_links=False)
    except BadArchiveError as error:
        raise UnreadableFileError(path, str(error)) from error
    except BROKEN as error:
        raise UnreadableFileError(path, NO_WORKBOOK) from error


def _check_xml(source: IO[bytes]) -> None:
    """Raise BadArchiveError if an XML file in the workbook has a document type, or if there are too many strings.

    A document type could declare harmful entities, and genuine workbooks never have one.
    """
    with ZipFile(source) as book:
        for info in book.infolist():
            if info.filename.lower().endswith((".xml", ".rels")):
                with book.open(info) as part:
                    _check_top(info.filename, part)
        for part_of in parse_xml(book.read("[Content_Types].xml")).iter("{*}Override"):
            if part_of.get("ContentType", "").endswith(SHARED_STRINGS):
                with book.open(part_of.get("PartName", "").lstrip("/")) as part:
                    _check_strings(part)


def _check_top(name: str, part: IO[bytes]) -> None:
    def refuse_type(*_: object) -> None:
        raise BadArchiveError(
            f"{name} in the workbook has a document type, which can be harmful. Save it again, or save it as CSV"
        )

    elements: list[str] = []
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse_type
    parser.StartElementHandler = lambda element, _: elements.append(element)
    while not elements and (content := part.read(CHUNK)):  # after the first element, there can't be a document type
        parser.Parse(content)


def _check_strings(part: IO[bytes]) -> None:
    """Raise BadArchiveError if the workbook has too many strings, because all of them are read into memory."""
    n_elements = 0
    while content := part.read(CHUNK):
        n_elements += content.count(b"<") - content.count(b"</")
        if n_elements > MOST_ELEMENTS:
            raise BadArchiveError("the workbook contains too many text cells. Save it as CSV, or import it in parts")


def _rows(path: Path, sheet: Any, width: int) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the rows in a sheet, with their row numbers."""
    rows, n_read, error = sheet.iter_rows(max_col=width), 0, None
    while error is None:
        batch: list[Sequence[Any]] = []
        try:
            # openpyxl warns about dates after the year 9999, which it treats as errors.
            with warnings.catch_warnings(action="ignore"):
                batch.extend(islice(rows, BATCH_ROWS))
        except BROKEN as broken:
            error = broken
        yield from enumerate(batch, n_read + 1)
        n_read += len(batch)
        if n_read > LAST_ROW:
            raise UnreadableFileError(path, f"has more than {LAST_ROW:,} rows")
        if error is None and not batch:
            return
    raise UnreadableFileError(path, NO_WORKBOOK, row=n_read + 1) from error


def _is_filled(cell: Any) -> bool:
    return cell.value is not None


def _values(
    path: Path, number: int, columns: Sequence[str], cells: Sequence[Any]
) -> list[object] | UnreadableFileError:
    for column, cell in zip(columns, cells, strict=True):
        if cell.data_type == "f":
            return UnreadableFileError(path, "contains a formula. Replace it with its value", row=number, column=column)
        if cell.data_type == "e":
            return UnreadableFileError(path, f"contains the error {cell.value}", row=number, column=column)
        if isinstance(cell.value, str) and len(cell.value) > LONGEST_CELL:
            reason = f"more than {LONGEST_CELL:,} characters"
            return UnreadableFileError(path, reason, row=number, column=column)
    return [_value(cell) for cell in cells]


def _value(cell: Any) -> object:
    """Return a cell's value. Workbooks write control characters as codes, such as ``_x000D_`` at the end of a line."""
    return unescape(cell.value) if isinstance(cell.value, str) else cell.value
