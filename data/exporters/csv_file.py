"""Exporter for CSV, either safe to open in a spreadsheet or exact for another import."""

from collections.abc import Iterable
from datetime import date
from typing import BinaryIO

import pandas as pd

from presort.data.exporters.cells import COLUMNS, cells
from presort.data.exporters.csv_text import csv_text
from presort.data.records import ExportedPaper

SEPARATOR = ";"  # character at which Presort's importer splits cells


def write_csv(rows: Iterable[ExportedPaper], file: BinaryIO, *, bom: bool = False, is_exact: bool = False) -> None:
    """Write papers as CSV in UTF-8, with a header and one row per paper.

    Authors, codes and tags have one column each and are separated by semicolons. A semicolon within a value becomes a
    comma.

    Parameters
    ----------
    rows : iterable of ExportedPaper
    file : BinaryIO
    bom : bool
        Begin the file with a byte order mark. Excel needs it to recognise UTF-8.
    is_exact : bool
        Write texts unchanged, so that an import restores the same papers. A spreadsheet may then execute a title as a
        formula. By default, a text that could be a formula is prefixed with an apostrophe.
    """
    table = pd.DataFrame([[_cell(cell) for cell in cells(row)] for row in rows], columns=COLUMNS)
    # With this line terminator, pandas quotes cells with either kind of line break.
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
