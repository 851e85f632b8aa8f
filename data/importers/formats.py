"""The registry of readers: how each format is read, and which ending names it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers import csv_file, parquet_file, xlsx_file
from presort.data.importers.amf import read_amf
from presort.data.importers.archives import ENDINGS as ARCHIVES
from presort.data.importers.bibtex_file import read_bibtex
from presort.data.importers.csl_json import read_csl_json
from presort.data.importers.endnote_xml import read_endnote_xml
from presort.data.importers.feed import read_feed
from presort.data.importers.problems import Problems
from presort.data.importers.pubmed_xml import read_pubmed_xml
from presort.data.importers.redif import read_redif
from presort.data.importers.ris_file import read_ris
from presort.data.importers.tables import Table
from presort.data.importers.tagged_files import read_endnote, read_medline, read_web_of_science
from presort.data.records import Entry, Origin


@dataclass(frozen=True, slots=True)
class Reading:
    """Arguments of a reader: callbacks for problems, column of each field of a table, name of each series."""

    problems: Problems
    columns: Mapping[str, str]
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Format:
    """How files of a format are read.

    Attributes
    ----------
    read : callable
        Yields the papers of a file.
    open_table : callable or None
        Opens a file for a preview of its columns; None if the format is not a table.
    """

    read: Callable[[Path, Reading], Iterator[Entry]]
    open_table: Callable[[Path], AbstractContextManager[Table]] | None = None


def _table(read: Callable[..., Iterator[Entry]], open_: Callable[[Path], AbstractContextManager[Table]]) -> Format:
    return Format(lambda path, how: read(path, problems=how.problems, columns=how.columns), open_)


def _plain(read: Callable[..., Iterator[Entry]]) -> Format:
    return Format(lambda path, how: read(path, problems=how.problems))


CSV = _table(csv_file.read_comma_separated, csv_file.open_commas)
TSV = _table(csv_file.read_tab_separated, csv_file.open_tabs)
XLSX = _table(xlsx_file.read_xlsx, xlsx_file.open_xlsx)
PARQUET = _table(parquet_file.read_parquet, parquet_file.open_parquet)
REDIF = Format(lambda path, how: read_redif(path, problems=how.problems, names=how.names))
RIS = _plain(read_ris)
BIBTEX = _plain(read_bibtex)
MEDLINE = _plain(read_medline)
WEB_OF_SCIENCE = _plain(read_web_of_science)
ENDNOTE = _plain(read_endnote)
AMF = _plain(read_amf)
FEED = _plain(read_feed)
ENDNOTE_XML = _plain(read_endnote_xml)
PUBMED_XML = _plain(read_pubmed_xml)
CSL_JSON = _plain(read_csl_json)

FORMATS: dict[str, Format] = {  # by ending, for files whose content doesn't tell the format
    ".csv": CSV,
    ".tsv": TSV,
    ".xlsx": XLSX,
    ".parquet": PARQUET,
    ".rdf": REDIF,
    ".redif": REDIF,
    ".ris": RIS,
    ".bib": BIBTEX,
    ".nbib": MEDLINE,
    ".ciw": WEB_OF_SCIENCE,
    ".enw": ENDNOTE,
    ".json": CSL_JSON,
    ".xml": AMF,
    ".atom": FEED,
    ".rss": FEED,
}

KNOWN = (*FORMATS, *ARCHIVES)


def place(name: str, row: int | None) -> str:
    """Return where in a file a record begins, by the file's name.

    Examples
    --------
    >>> place("week/papers.rdf", 12), place("papers.csv", 3), place("papers.csv", None)
    ('week/papers.rdf, line 12', 'papers.csv, row 3', 'papers.csv')
    """
    return name if row is None else f"{name}, {'row' if _is_table(name) else 'line'} {row}"


def error_at(origin: Origin, reason: str, *, path: Path | None = None, untold: str = "") -> UnreadableFileError:
    """Make the error that a record can't be taken, by where it was read; the file may stand elsewhere than its name."""
    line, row = (None, origin.row) if _is_table(origin.file) else (origin.row, None)
    at = path or Path(origin.file)
    return UnreadableFileError(at, reason, row=row, line=line, name=origin.file, untold=untold)


@lru_cache(maxsize=1_000)  # asked for each record of a file
def _is_table(name: str) -> bool:
    known = FORMATS.get(Path(name).suffix.lower())
    return known is not None and known.open_table is not None
