"""An editor's list as RIS, for reference managers.

Written here in a few lines: rispy puts a number before each record, which is no RIS, and writes line breaks in a text
as they are, so that a text could pass for fields or end the record.
"""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from data.exporters.references import keywords, one_line, remarks
from data.records import ExportedPaper

LINE_END = "\r\n"  # as the format asks for


def write_ris(rows: Iterable[ExportedPaper], file: BinaryIO) -> None:
    """Write papers as RIS records of working papers, in UTF-8."""
    for row in rows:
        fields = [(tag, one_line(text)) for tag, text in _fields(row) if text]
        lines = [f"{tag}  - {text}{LINE_END}" for tag, text in [("TY", "RPRT"), *fields, ("ER", "")]]
        file.write("".join(lines).encode())


def _fields(row: ExportedPaper) -> Iterator[tuple[str, str]]:
    paper = row.paper
    yield "ID", paper.paper_id
    yield "TI", paper.title
    yield from (("AU", author) for author in paper.authors)
    yield "T3", paper.series
    yield "PY", paper.date[:4]
    yield "DA", paper.date.replace("-", "/")
    yield "AB", paper.abstract
    yield from (("KW", word) for word in keywords(row))
    yield from (("N1", remark) for remark in remarks(row))
