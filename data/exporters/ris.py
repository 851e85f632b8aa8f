"""Exporter for RIS, for reference managers.

rispy is not used, because it writes a number before each record, which isn't valid RIS. It also leaves line breaks in
values, so a value could add fields or end the record.
"""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from presort.data.exporters.references import keywords, one_line, remarks
from presort.data.records import ExportedPaper
from presort.data.records.paper_types import paper_type

DATABASE = "Presort"
SERIES = {"journal article": "T2", "chapter": "T2", "conference paper": "T2"}  # types whose series is a journal or book
LINE_END = "\r\n"  # line ending that RIS requires


def write_ris(rows: Iterable[ExportedPaper], file: BinaryIO) -> None:
    """Write papers as RIS records, encoded in UTF-8.

    The paper id is written both to the ID field and as an accession number of the database "Presort", because other
    programs overwrite the ID but preserve the accession number.
    """
    for row in rows:
        fields = [(tag, one_line(text)) for tag, text in _fields(row) if text]
        kind = paper_type(row.paper.type).ris[0]
        lines = [f"{tag}  - {text}{LINE_END}" for tag, text in [("TY", kind), *fields, ("ER", "")]]
        file.write("".join(lines).encode())


def _fields(row: ExportedPaper) -> Iterator[tuple[str, str]]:
    paper = row.paper
    yield "ID", paper.paper_id
    yield "TI", paper.title
    yield from (("AU", author) for author in paper.authors)
    yield SERIES.get(paper.type, "T3"), paper.series
    yield "PY", paper.date[:4]
    yield "DA", paper.date.replace("-", "/")
    yield "DO", paper.doi
    yield "UR", paper.url
    yield "AB", paper.abstract
    yield from (("KW", word) for word in keywords(row))
    yield from (("N1", remark) for remark in remarks(row))
    yield "DB", DATABASE
    yield "AN", paper.paper_id
