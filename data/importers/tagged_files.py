"""MEDLINE, Web of Science and EndNote exports: records of lines that begin with a tag, such as ``TI  - Wages``.

nbib, the library for MEDLINE, has had no release since 2021, and rispy reads neither MEDLINE nor EndNote. The three
formats differ only in how a tag is written and what it means.
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

LARGEST_RECORD = 10_000_000  # characters
DOI_MARK = " [doi]"  # MEDLINE has all identifiers in the same fields
BETWEEN_KEYWORDS = re.compile(r"\s*;\s*")


@dataclass(frozen=True, slots=True)
class _Style:
    """Syntax of a tagged format: pattern of a line that begins a field, tags that begin and end a record."""

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
    """Fields of a record, each a list of lines by its tag; a tag may come several times."""

    start: int = 0
    size: int = 0
    fields: dict[str, list[list[str]]] = field(default_factory=dict)
    last: list[str] = field(default_factory=list)  # lines of the field that was added last

    def texts(self, *tags: str) -> list[str]:
        """Return the text of each field, lines joined, in the order of the tags."""
        return [" ".join(lines) for tag in tags for lines in self.fields.get(tag, ())]

    def lines(self, *tags: str) -> list[str]:
        """Return all lines of the fields, for tags that hold one item a line."""
        return [line for tag in tags for lines in self.fields.get(tag, ()) for line in lines]


def read_medline(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers of a MEDLINE file, as PubMed saves it, in file order.

    A paper goes by its DOI, or else by its PubMed number, as ``pmid:12345``. Subject headings and keywords are taken as
    codes.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each record that has no title or is too large.

    Raises
    ------
    UnreadableFileError
        If the file is missing or holds no record, or a line is too long. Raised while iterating.
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
    """Yield the papers of a tagged file of Web of Science, in file order.

    A paper goes by its DOI, or else by its accession number (UT). Keywords of authors, or else those of Web of Science,
    are taken as codes.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each record that has no title or is too large.

    Raises
    ------
    UnreadableFileError
        If the file is missing or holds no record, or a line is too long. Raised while iterating.
    """
    for record in _records(path, WEB_OF_SCIENCE, problems):
        years = record.texts("PY")
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
            dates=[*(f"{day} {year}" for day in record.texts("PD") for year in years), *years, *record.texts("EA")],
        )


def read_endnote(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers of an EndNote file of tagged lines (ENW), in file order.

    A paper goes by its DOI, or else by its accession number or address. All keywords are taken as codes.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each record that has no title or is too large.

    Raises
    ------
    UnreadableFileError
        If the file is missing or holds no record, or a line is too long. Raised while iterating.
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
    """Yield the records of a file; too large ones go to `problems`."""
    record, after_blank, n_records = _Record(), False, 0
    with naming(path):
        for number, line in read_lines(path, problems, longest=LARGEST_RECORD):
            found = style.line.match(line)
            tag, value = (found[1], (found[2] or "").strip()) if found else ("", line.strip())
            # A blank line is part of an abstract in formats whose records have a first tag.
            if tag and (tag in (style.start, style.end) or (after_blank and style.start not in record.fields)):
                n_records += bool(record.fields)
                yield from _whole(path, record, problems)
                record = _Record()
            after_blank = not (tag or value)
            if not tag or tag != style.end:
                _add(record, number, tag if tag not in style.aside else "", value)
        n_records += bool(record.fields)
        yield from _whole(path, record, problems)
    if not n_records:
        raise UnreadableFileError(path, f"holds no record of {style.name}; one begins with a line {style.start}")


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
        reason = f"the record is longer than {LARGEST_RECORD:,} characters"
        problems.skip(UnreadableFileError(path, reason, line=record.start))
    elif record.fields:
        yield record


def _entry(
    path: Path, record: _Record, problems: Problems, *, ids: Iterable[str], dois: Iterable[str], **texts: Iterable[str]
) -> Iterator[Entry]:
    doi = first_doi(dois)
    try:
        paper = to_paper(path, record.start, ids=[doi, *ids], dois=[doi], **texts)
    except UnreadableFileError as error:
        problems.skip(error)
    else:
        yield Entry(paper, record.start)


def _keywords(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in BETWEEN_KEYWORDS.split(text)]
