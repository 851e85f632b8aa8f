"""An editor's list as CSV: for a spreadsheet, which must not run anything, or exactly, to be imported again."""

from collections.abc import Iterable
from datetime import date
from typing import BinaryIO

import pandas as pd

from presort.data.exporters.cells import COLUMNS, cells
from presort.data.exporters.csv_text import csv_text
from presort.data.records import ExportedPaper

SEPARATOR = ";"  # the importer splits there


def write_csv(rows: Iterable[ExportedPaper], file: BinaryIO, *, bom: bool = False, is_exact: bool = False) -> None:
    """Write papers as CSV in UTF-8, a line of headings and a row a paper.

    Authors, codes and tags have one cell each, separated by semicolons. A semicolon within a value becomes a comma.

    Parameters
    ----------
    bom : bool
        Begin with a byte order mark, because without one Excel assumes another encoding.
    is_exact : bool
        Write texts unchanged, so that an import gives the same papers. A spreadsheet that opens the file may
        then execute a title as a formula. By default, a text that would start a formula gets an apostrophe in front.
    """
    table = pd.DataFrame([[_cell(cell) for cell in cells(row)] for row in rows], columns=COLUMNS)
    # With this end of lines the writer quotes each kind of line break.
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
