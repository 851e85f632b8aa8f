"""An editor's list as CSV that a spreadsheet opens without running anything, and that can be imported again."""

from collections.abc import Iterable
from typing import BinaryIO

import pandas as pd

from data.exporters.csv_text import csv_text
from data.records import ExportedPaper

SEPARATOR = "; "  # the importer splits there
COLUMNS = (
    *("report", "issue", "place", "score", "relevant", "published"),
    *("paper_id", "title", "authors", "abstract", "codes", "series", "date", "tags", "note"),
)


def write_csv(rows: Iterable[ExportedPaper], file: BinaryIO, *, bom: bool = False) -> None:
    """Write papers as CSV in UTF-8, a line of headings and a row a paper.

    Parameters
    ----------
    bom : bool
        Whether a byte order mark comes first: without one Excel takes the text for another encoding.
    """
    table = pd.DataFrame([_cells(row) for row in rows], columns=COLUMNS)
    file.write(csv_text(table).encode("utf-8-sig" if bom else "utf-8"))


def _cells(row: ExportedPaper) -> tuple[object, ...]:
    """Give the cells in the order of `COLUMNS`."""
    paper = row.paper
    return (
        *(row.report, row.issue.isoformat(), row.place, row.score, row.word, "yes" if row.published else "no"),
        *(paper.paper_id, paper.title, SEPARATOR.join(paper.authors), paper.abstract),
        *(SEPARATOR.join(paper.codes), paper.series, paper.date, SEPARATOR.join(row.tags), row.note),
    )
