"""Exporter for CSV. The file is either safe to open in a spreadsheet, or exact so that it can be imported again."""

from collections.abc import Iterable
from datetime import date
from typing import BinaryIO

import pandas as pd

from presort.data.exporters.cells import COLUMNS, cells
from presort.data.exporters.csv_text import csv_text
from presort.data.records import ExportedPaper

SEPARATOR = ";"  # character at which Presort's importer splits a cell into values


def write_csv(rows: Iterable[ExportedPaper], file: BinaryIO, *, bom: bool = False, is_exact: bool = False) -> None:
    """Write papers as CSV, encoded in UTF-8, with a header and one row per paper.

    Authors, codes and tags have one column each, in which the values are separated by semicolons. A semicolon within a
    value is replaced with a comma.

    Parameters
    ----------
    rows : iterable of ExportedPaper
    file : BinaryIO
    bom : bool
        If True, start the file with a byte order mark, which Excel needs in order to recognise UTF-8.
    is_exact : bool
        By default, any string that could be a formula is prefixed with an apostrophe, because a spreadsheet might
        execute it. If True, these strings are written unchanged, so that an import restores the same papers.
    """
    table = pd.DataFrame([[_cell(cell) for cell in cells(row)] for row in rows], columns=COLUMNS)
    # With this line terminator, pandas quotes all cells that contain a carriage return or a line feed.
    text = table.to_csv(index=False, lineterminator="\r\n") if is_exact else csv_text(table)
    file.write(text.encode("utf-8-sig" if bom else "utf-8"))


def _cell(cell: object) -> object:
    match cell:
        case tuple():
            return f"{SEPARATOR} ".join(text.replace(SEPARATOR, ",") for text in cell)
        case bool():
            return "yes" if cell else "no"
        case date():
            return cell.isoformat()
    return cell
