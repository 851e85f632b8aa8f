"""The formats in which papers go out, of which the page and the command line both offer what is listed here."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import BinaryIO, NamedTuple

from data.exporters.amf import write_amf
from data.exporters.bibtex import write_bibtex
from data.exporters.csv_file import write_csv
from data.exporters.markdown import write_markdown
from data.exporters.parquet_file import write_parquet
from data.exporters.redif import write_redif
from data.exporters.ris import write_ris
from data.records import ExportedPaper, Paper
from desk.links import link_of


class Listed(NamedTuple):
    """Papers in order, with the heading of the list and, for its readers, a note."""

    rows: Sequence[ExportedPaper]
    title: str
    note: str = ""


Write = Callable[[Listed, BinaryIO], None]


class Format(NamedTuple):
    """A kind of file.

    `write_exact` is there where `write` changes texts to be safe, and an import would not give the same papers.
    `is_for_people` tells files that a person opens from those for programs only.
    """

    label: str
    ending: str
    mime: str
    write: Write
    write_exact: Write | None = None
    is_for_people: bool = True


def _rows(write: Callable[[Iterable[ExportedPaper], BinaryIO], None]) -> Write:
    return lambda listed, file: write(listed.rows, file)


def _papers(write: Callable[[Iterable[Paper], BinaryIO], None]) -> Write:
    return lambda listed, file: write((row.paper for row in listed.rows), file)


def _markdown(listed: Listed, file: BinaryIO) -> None:
    write_markdown(listed.rows, file, title=listed.title, note=listed.note, link_of=link_of)


FORMATS: dict[str, Format] = {
    "csv": Format(
        "CSV", "csv", "text/csv", _rows(partial(write_csv, bom=True)), _rows(partial(write_csv, is_exact=True))
    ),
    "ris": Format("RIS", "ris", "application/x-research-info-systems", _rows(write_ris)),
    "bibtex": Format("BibTeX", "bib", "application/x-bibtex", _rows(write_bibtex)),
    "markdown": Format("Markdown", "md", "text/markdown", _markdown),
    "redif": Format("ReDIF", "rdf", "text/plain", _papers(write_redif)),
    "amf": Format("AMF", "xml", "application/xml", _papers(write_amf)),
    "parquet": Format(
        "Parquet", "parquet", "application/vnd.apache.parquet", _rows(write_parquet), is_for_people=False
    ),
}
