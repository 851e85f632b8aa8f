"""Register all import formats, and detect a file's format from its content or, failing that, from its extension."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers import csv_file, parquet_file, xlsx_file
from presort.data.importers.amf import read_amf
from presort.data.importers.archives import ENDINGS as ARCHIVES
from presort.data.importers.bibtex_file import read_bibtex
from presort.data.importers.columns import has_title
from presort.data.importers.csl_json import read_csl_json
from presort.data.importers.endnote_xml import read_endnote_xml
from presort.data.importers.feed import read_feed
from presort.data.importers.problems import Problems
from presort.data.importers.pubmed_xml import ROOTS as PUBMED_ROOTS
from presort.data.importers.pubmed_xml import read_pubmed_xml
from presort.data.importers.redif import read_redif
from presort.data.importers.references import naming
from presort.data.importers.ris_file import read_ris
from presort.data.importers.tables import Table
from presort.data.importers.tagged_files import read_endnote, read_medline, read_web_of_science
from presort.data.importers.text_file import CONTROL_BYTES, encoding_of
from presort.data.importers.xml_records import document_start
from presort.data.records import Entry, Origin


@dataclass(frozen=True, slots=True)
class Reading:
    """Arguments passed to an importer.

    Attributes
    ----------
    problems : Problems
        Callbacks for invalid records and repairs.
    columns : mapping from str to str
        Mapping from fields to columns, as chosen by the user. Used only for tables.
    names : mapping from str to str
        Mapping from series and archive handles to names. Used only for ReDIF.
    """

    problems: Problems
    columns: Mapping[str, str]
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Format:
    """File format.

    Attributes
    ----------
    read : callable
        Function that yields the papers in a file.
    open_table : callable or None
        Context manager that opens a file so that its columns can be previewed. None for formats other than tables.
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

FORMATS: dict[str, Format] = {  # formats by file extension, used if the content doesn't identify the format
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
    """Describe where a record is: by its row in a table, or by its line in any other file.

    Examples
    --------
    >>> place("week/papers.rdf", 12), place("papers.csv", 3), place("papers.csv", None)
    ('week/papers.rdf, line 12', 'papers.csv, row 3', 'papers.csv')
    """
    return name if row is None else f"{name}, {'row' if _is_table(name) else 'line'} {row}"


def error_at(origin: Origin, reason: str, *, path: Path | None = None, missing: str = "") -> UnreadableFileError:
    """Create the error for an invalid record. It uses the file name from `origin`, because `path` may be temporary."""
    line, row = (None, origin.row) if _is_table(origin.file) else (origin.row, None)
    at = path or Path(origin.file)
    return UnreadableFileError(at, reason, row=row, line=line, name=origin.file, missing=missing)


@lru_cache(maxsize=1_000)  # cached because it is called for each record
def _is_table(name: str) -> bool:
    known = FORMATS.get(Path(name).suffix.lower())
    return known is not None and known.open_table is not None


HEAD = 256 * 1024  # number of bytes to read at the start; longer than any comment above the first record
TAIL = 64 * 1024  # number of bytes to read at the end, where a zip file lists its members
MOST_LINES = 2_000  # number of lines to search for a format's first record
MOST_COMMENTS = 10  # maximum number of comments above a web page's first tag
HEADER_WITHIN = 10  # number of non-empty lines to search for a table's header
MOST_CONTROLS = 0.05  # maximum share of control bytes in a file that is treated as text

PACKED = b"PK\x03\x04"
MEMBERS = {  # member names that identify zip-based file formats
    b"xl/workbook.": "an Excel workbook",
    b"word/document.": "a Word document",
    b"ppt/presentation.": "a PowerPoint presentation",
    b"application/vnd.oasis.opendocument": "an OpenDocument file",
    b"application/epub+zip": "an e-book",
}
ARCHIVE = "a zip archive. Rename it to .zip"
BEGINNINGS = {
    b"%PDF": "a PDF",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file. Save it as .xlsx or CSV",
    b"{\\rtf": "a text document (RTF)",
    b"\x1f\x8b": "a compressed file (gzip). Unpack it first",
    b"7z\xbc\xaf": "an archive (7z). Pack it as zip",
    b"Rar!": "an archive (RAR). Pack it as zip",
    b"BZh": "a compressed file (bzip2). Unpack it first",
    b"\xfd7zXZ": "a compressed file (xz). Unpack it first",
    b"SQLite format 3": "a database (SQLite)",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
}
WEB_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
ROOTS = {
    "amf": AMF,
    **dict.fromkeys(("feed", "rss", "RDF"), FEED),
    **dict.fromkeys(("xml", "records"), ENDNOTE_XML),
    **dict.fromkeys(PUBMED_ROOTS, PUBMED_XML),
}
LINES = (
    (re.compile(r"\s*template-type\s*:", re.IGNORECASE), REDIF),
    (re.compile(r"TY  -|TY - [A-Z]+\s*$"), RIS),
    (re.compile(r"PMID- *\d"), MEDLINE),
    (re.compile(r"FN (?:.*Web of |Clarivate|Thomson|ISI )|PT [A-Z]\s*$"), WEB_OF_SCIENCE),
    (re.compile(r"%[0AT] \S"), ENDNOTE),
    (re.compile(r"\s*@[a-z]+\s*[{(]", re.IGNORECASE), BIBTEX),
)
COMMENT = re.compile(r"\s*(?:[#%]|$)")
RUN = re.compile(r"\S+\s+Q0\s+\S+\s+\S+\s+[-+.\deE]+\s+\S")
QRELS = re.compile(r"\S+\s+\d+\s+\S+\s+-?\d+(?:\.0*)?\s*$")
TREC = "a TREC {}. Use 'presort score' for it"
READABLE = "tables, ReDIF, AMF, RIS, BibTeX, MEDLINE, Web of Science, EndNote, PubMed, CSL-JSON, Atom and RSS"


def format_of(path: Path) -> Format:
    """Detect the format of a file.

    Raises
    ------
    UnreadableFileError
        If the file can't be read or its format isn't supported. The message names the apparent format.
    """
    with naming(path), path.open("rb") as file:
        head = file.read(HEAD)
        file.seek(max(0, path.stat().st_size - TAIL))
        tail = file.read(TAIL)
    return recognise(path, head, tail)


def recognise(path: Path, head: bytes, tail: bytes) -> Format:
    """Detect a file's format from its first and last bytes or, failing that, from its extension.

    Parameters
    ----------
    path : Path
        Path of the file, used for its extension and in messages.
    head, tail : bytes
        First `HEAD` and last `TAIL` bytes of the file, which overlap if the file is small.

    Raises
    ------
    UnreadableFileError
        If the format isn't supported. The message names the apparent format.
    """
    ending = FORMATS.get(path.suffix.lower())
    looks_like = _binary_kind(head, tail)
    if looks_like == MEMBERS[b"xl/workbook."] or (looks_like == ARCHIVE and ending is XLSX):
        return XLSX
    if head.startswith(b"PAR1"):
        return PARQUET
    if looks_like:
        raise UnreadableFileError(path, f"looks like {looks_like}. Presort imports {READABLE}")
    found = _xml_format(path, head) or _text_format(head, ending) or ending
    if found:
        return found
    if kind := _trec_kind(head):
        raise UnreadableFileError(path, f"looks like {TREC.format(kind)}")
    raise UnreadableFileError(path, f"has an unknown format. Presort imports {', '.join(sorted(KNOWN))}")


def _binary_kind(head: bytes, tail: bytes) -> str:
    """Return a description of a binary file or a web page, or an empty string for any other file."""
    if head.startswith(PACKED):
        members = head + tail
        return next((kind for name, kind in MEMBERS.items() if name in members), ARCHIVE)
    if kind := next((kind for beginning, kind in BEGINNINGS.items() if head.startswith(beginning)), ""):
        return kind
    if WEB_PAGE.match(_without_comments(head)):
        return "a web page"
    n_controls = len(head) - len(head.translate(None, CONTROL_BYTES))
    is_text = encoding_of(head) != "utf-8-sig" or n_controls <= MOST_CONTROLS * len(head)
    return "" if is_text or head.startswith(b"PAR1") else "a binary file of some program"


def _without_comments(head: bytes) -> bytes:
    """Remove the XML declaration and any comments from the start of a document."""
    rest = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    for start, end in ((b"<?xml", b"?>"), *[(b"<!--", b"-->")] * MOST_COMMENTS):
        if rest.startswith(start):
            rest = rest.partition(end)[2].lstrip()
    return rest


def _xml_format(path: Path, head: bytes) -> Format | None:
    """Detect an XML file's format from its root element. Returns None if the file isn't XML."""
    root, _ = document_start(head)
    if not root:
        return None
    if root not in ROOTS:
        reason = f"has an unsupported XML format, with the root element <{root[:50]}>"
        raise UnreadableFileError(path, f"{reason}. The supported formats are AMF, Atom, RSS, EndNote and PubMed")
    return ROOTS[root]


def _text_format(head: bytes, ending: Format | None) -> Format | None:
    """Detect a text file's format from a table header or a record's first line. Returns None if it is unknown."""
    text = head.decode(encoding_of(head), "replace").lstrip("\ufeff")
    if text.lstrip()[:1] in ("[", "{"):
        return CSL_JSON
    with_text = [line for line in islice(text.splitlines(), MOST_LINES) if line.strip()]
    if ending and ending.open_table:  # check only the header, because cells may contain records in any format
        with_text = [line for line in with_text if not COMMENT.match(line)][:1]
    for number, line in enumerate(with_text):
        if found := next((format_ for pattern, format_ in LINES if pattern.match(line)), None):
            return found
        if number < HEADER_WITHIN and (delimiter := _delimiter(line)):
            return TSV if delimiter == "\t" else CSV
    return None


def _delimiter(line: str) -> str:
    """Return a header line's delimiter, or an empty string if the line isn't the header of a table of papers."""
    if COMMENT.match(line):
        return ""
    cells = {delimiter: [cell.strip(' "') for cell in line.split(delimiter)] for delimiter in "\t;,"}
    return next((delimiter for delimiter, names in cells.items() if len(names) > 1 and has_title(names)), "")


def _trec_kind(head: bytes) -> str:
    lines = head.decode(encoding_of(head), "replace").lstrip("\ufeff").splitlines()
    first = next((line for line in lines if not COMMENT.match(line)), "")
    return "run" if RUN.match(first) else "qrels file" if QRELS.match(first) else ""
