"""Importers for MEDLINE, Web of Science and EndNote files, whose lines begin with a tag, as in ``TI  - Wages``.

The three formats differ only in the notation and meaning of the tags. No library is used, because nbib (for MEDLINE)
has had no release since 2021, and rispy reads neither MEDLINE nor EndNote.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers.problems import STRICT, Problems
from presort.data.importers.references import first_doi, naming, to_paper
from presort.data.importers.text_file import read_lines
from presort.data.records import Entry

LARGEST_RECORD = 10_000_000  # maximum number of characters in a record or a line
DOI_MARK = " [doi]"  # follows DOIs in MEDLINE, which writes all identifiers to the same fields
BETWEEN_KEYWORDS = re.compile(r"\s*;\s*")


@dataclass(frozen=True, slots=True)
class _Style:
    """Syntax of a tagged format.

    Attributes
    ----------
    name : str
        Name of the format in error messages.
    line : re.Pattern
        Pattern of a line that begins a field. Its groups are the tag and the value.
    start, end : str
        Tags that begin and end a record. If the format has no end tag, `end` is empty.
    aside : frozenset of str
        Tags that occur outside records and are ignored.
    """

    name: str
    line: re.Pattern[str]
    start: str
    end: str = ""
    aside: frozenset[str] = frozenset()


MEDLINE = _Style("MEDLINE", re.compile(r"([A-Z][A-Z0-9]{1,3}) *- ?(.*)"), "PMID")
WEB_OF_SCIENCE = _Style(
    "Web of Science", re.compile(r"([A-Z][A-Z0-9])(?: (.*)|\s*$)"), "PT", "ER", frozenset({"FN", "VR", "EF"})
)
ENDNOTE = _Style("EndNote", re.compile(r"(%\S)(?: (.*)|\s*$)"), "%0")


@dataclass(slots=True)
class _Record:
    """Record of a tagged file.

    Attributes
    ----------
    start : int
        1-based number of the record's first line.
    size : int
        Total number of characters in all values.
    fields : dict
        Mapping from each tag to its fields, of which there may be several. Each field is a list of lines.
    last : list of str
        Lines of the most recent field, to which continuation lines are added.
    has_end : bool
        True if the end tag was read.
    """

    start: int = 0
    size: int = 0
    fields: dict[str, list[list[str]]] = field(default_factory=dict)
    last: list[str] = field(default_factory=list)
    has_end: bool = False

    def append(self, other: "_Record") -> None:
        """Add another record's fields."""
        self.size += other.size
        self.has_end = other.has_end
        if self.size <= LARGEST_RECORD:
            for tag, fields in other.fields.items():
                self.fields.setdefault(tag, []).extend(fields)

    def texts(self, *tags: str) -> list[str]:
        """Return the value of each field with these tags, with its lines joined."""
        return [" ".join(lines) for tag in tags for lines in self.fields.get(tag, ())]

    def lines(self, *tags: str) -> list[str]:
        """Return all lines in the fields with these tags. Use this for fields that have one item per line."""
        return [line for tag in tags for lines in self.fields.get(tag, ()) for line in lines]


def read_medline(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers in a MEDLINE file, as saved by PubMed, in file order.

    The paper id is the DOI, or else the PubMed id in the form ``pmid:12345``. MeSH headings and keywords are imported
    as codes.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each repair, and each record that has no title or is too large.

    Raises
    ------
    UnreadableFileError
        If the file is missing or has no records, or a line is too long. The error is raised during iteration.
    """
    for record in _records(path, MEDLINE, problems):
        numbers = [text for text in record.texts("LID", "AID") if text.endswith(DOI_MARK)]
        yield from _entry(
            *(path, record, problems),
            dois=[text.removesuffix(DOI_MARK) for text in numbers],
            types=record.texts("PT"),
            ids=[f"pmid:{number}" for number in record.texts("PMID")],
            titles=record.texts("TI", "BTI", "TT", "CTI"),
            abstracts=record.texts("AB", "OAB"),
            authors=(record.texts("FAU") or record.texts("AU")) + record.texts("CN"),
            codes=record.texts("MH", "OT"),
            series=record.texts("JT", "TA", "BTI", "CTI"),
            dates=record.texts("DP", "DEP"),
        )


def read_web_of_science(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers in a tagged Web of Science file, in file order.

    The paper id is the DOI, or else the accession number (UT). The authors' keywords, or else Web of Science's own
    keywords (Keywords Plus), are imported as codes.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each repair, and each record that has no title or is too large.

    Raises
    ------
    UnreadableFileError
        If the file is missing or has no records, or a line is too long. The error is raised during iteration.
    """
    for record in _records(path, WEB_OF_SCIENCE, problems):
        years, days = record.texts("PY"), record.texts("PD")
        yield from _entry(
            *(path, record, problems),
            dois=record.texts("DI", "D2"),
            types=record.texts("DT"),
            ids=record.texts("UT"),
            titles=record.texts("TI"),
            abstracts=record.texts("AB"),
            authors=record.lines("AF") or record.lines("AU") or record.lines("BE", "CA"),
            codes=_keywords(record.texts("DE")) or _keywords(record.texts("ID")),
            series=record.texts("SO", "SE"),
            dates=[*(f"{day} {year}" for day in days for year in years), *years, *record.texts("EA"), *days],
        )


def read_endnote(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers in a tagged EndNote file (ENW), in file order.

    The paper id is the DOI, or else the accession number or URL. All keywords are imported as codes.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each repair, and each record that has no title or is too large.

    Raises
    ------
    UnreadableFileError
        If the file is missing or has no records, or a line is too long. The error is raised during iteration.
    """
    for record in _records(path, ENDNOTE, problems):
        yield from _entry(
            *(path, record, problems),
            dois=record.texts("%R"),
            urls=record.texts("%U"),
            types=record.texts("%0"),
            ids=record.texts("%M", "%U"),
            titles=record.texts("%T"),
            abstracts=record.texts("%X"),
            authors=record.lines("%A") or record.lines("%E"),
            codes=_keywords(record.lines("%K")),
            series=record.texts("%J", "%B", "%S"),
            dates=record.texts("%D", "%8"),
        )


def _records(path: Path, style: _Style, problems: Problems) -> Iterator[_Record]:
    """Yield the records in a file. Records that are too large are reported to `problems`."""
    record, n_records = _Record(), 0
    with naming(path):
        for block in _blocks(path, style, problems):
            # A block without a start tag continues the record above it, because an abstract may contain blank lines.
            if style.start in record.fields and style.start not in block.fields and not record.has_end:
                record.append(block)
                continue
            n_records += bool(record.fields)
            yield from _whole(path, record, problems)
            record = block
    n_records += bool(record.fields)
    yield from _whole(path, record, problems)
    if not n_records:
        raise UnreadableFileError(path, f"contains no {style.name} record. A record begins with a {style.start} line")


def _blocks(path: Path, style: _Style, problems: Problems) -> Iterator[_Record]:
    """Yield the blocks in a file.

    A block begins at a tag that follows a blank line or an end tag, or at a start tag if the current block already has
    one. The first start tag in a block doesn't begin a new block, because some programs write the authors above it.
    """
    block, after_blank = _Record(), False
    for number, line in read_lines(path, problems, longest=LARGEST_RECORD):
        found = style.line.match(line)
        tag, value = (found[1], (found[2] or "").strip()) if found else ("", line.strip())
        if tag and (after_blank or block.has_end or (tag == style.start and style.start in block.fields)):
            yield block
            block = _Record()
        after_blank = not (tag or value)
        if tag and tag == style.end:
            block.has_end = True
        else:
            _add(block, number, tag if tag not in style.aside else "", value)
    yield block


def _add(record: _Record, number: int, tag: str, value: str) -> None:
    record.size += len(value)
    if record.size > LARGEST_RECORD:
        return
    if tag:
        record.start = record.start or number
        record.last = [value]
        record.fields.setdefault(tag, []).append(record.last)
    elif value:
        record.last.append(value)


def _whole(path: Path, record: _Record, problems: Problems) -> Iterator[_Record]:
    if record.size > LARGEST_RECORD:
        reason = f"the record has more than {LARGEST_RECORD:,} characters"
        problems.skip(UnreadableFileError(path, reason, line=record.start))
    elif record.fields:
        yield record


def _entry(
    path: Path, record: _Record, problems: Problems, *, ids: Iterable[str], dois: Iterable[str], **texts: Iterable[str]
) -> Iterator[Entry]:
    doi = first_doi(dois)
    try:
        paper = to_paper(path, record.start, problems, ids=[doi, *ids], dois=[doi], **texts)
    except UnreadableFileError as error:
        problems.skip(error)
    else:
        yield Entry(paper, record.start)


def _keywords(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in BETWEEN_KEYWORDS.split(text)]
