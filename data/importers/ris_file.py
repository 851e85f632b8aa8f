"""References as RIS, which every reference manager writes: records of lines such as ``TI  - Wages``."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rispy  # type: ignore[import-untyped]

from data.errors import UnreadableFileError
from data.importers.problems import STRICT, Problems, Repair
from data.importers.references import doi_of, naming, to_paper
from data.importers.text_file import read_lines
from data.records import Entry

LARGEST_RECORD = 10_000_000  # characters
OUR_DATABASE = "Presort"  # as our exports name it; the paper's id is the accession number there
ASIDE = ("NL", "C1")  # Ovid's own notes on a search, between records
TAG = re.compile(r"([A-Z][A-Z0-9])  -")
NARROW_START = re.compile(r"TY - [A-Z]+\s*$")  # some programs write one blank before all hyphens
NARROW_TAG = re.compile(r"^([A-Z][A-Z0-9]) -(?=\s)")
NO_END = "the record has no ER line; it ends where the next one begins"
CUT_OFF = "the record has no ER line; read to the end of the file, which may be cut off"


def read_ris(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers of a RIS file, in file order.

    A paper goes by the id that Presort wrote, else by its DOI, ID, accession number or address: many programs write an
    ID that means something in their own library only. One without any goes by its title, year and first author. All
    keywords are taken as codes.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each record that has lost its TY line, is too large, or has no title; and as a repair, each one that
        has lost its ER line.

    Raises
    ------
    UnreadableFileError
        If the file is missing or not RIS, or a line is too long; the message names the line, that where the record
        begins if it is about one. Raised while iterating.
    """
    with naming(path):
        start = None
        for start, lines in _records(path, problems):
            (record,) = rispy.RisParser(delimiter_tags_mapping={}).parse_lines(iter(lines))
            try:
                entry = _entry(path, start, record)
            except UnreadableFileError as error:
                problems.skip(error)
            else:
                yield entry
        if start is None:
            raise UnreadableFileError(path, "holds no RIS record; one begins with a line 'TY  - '")


class _Record:
    """Lines of a record: TY, which some programs write in the middle, comes first."""

    def __init__(self) -> None:
        self.start, self.size, self.first_tag, self.kind = 0, 0, "", ""
        self._lines: list[str] = []

    def add(self, number: int, tag: str, line: str) -> None:
        self.start = self.start or number
        self.first_tag = self.first_tag or tag
        self.size += len(line)
        if tag == "TY":
            self.kind = line
        elif self.size <= LARGEST_RECORD:
            self._lines.append(line)

    def lines(self) -> list[str]:
        return [self.kind, *self._lines, "ER  - \n"]


def _records(path: Path, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of each record with the number of the first; text between records is left out."""
    record, is_narrow = _Record(), False

    def ended(note: str = "") -> Iterator[tuple[int, list[str]]]:
        nonlocal record
        if record.size > LARGEST_RECORD:
            reason = f"the record is longer than {LARGEST_RECORD:,} characters"
            problems.skip(UnreadableFileError(path, reason, line=record.start))
        elif record.kind:
            if note:
                problems.repair(Repair(path.name, note, line=record.start))
            yield record.start, record.lines()
        elif record.start:
            reason = f"{record.first_tag} is outside of any record; a line TY begins one"
            problems.skip(UnreadableFileError(path, reason, line=record.start))
        record = _Record()

    for number, line in read_lines(path, problems, longest=LARGEST_RECORD):
        if line.startswith("TY"):
            is_narrow = NARROW_START.match(line) is not None
        if is_narrow:
            line = NARROW_TAG.sub(r"\1  -", line)
        tag = found[1] if (found := TAG.match(line)) else ""
        if tag == "ER":
            yield from ended()
        elif tag == "TY" and record.kind:
            yield from ended(NO_END)
        elif not record.kind and line.isspace():  # a blank line parts fields that lost their TY from the next record
            yield from ended()
        if tag != "ER" and (record.start or (tag and tag not in ASIDE)):
            record.add(number, tag, line)
    yield from ended(CUT_OFF)


def _entry(path: Path, line: int, record: dict[str, Any]) -> Entry:
    def texts(*names: str) -> list[str]:
        return [record[name] for name in names if name in record]

    is_ours = record.get("name_of_database") == OUR_DATABASE
    paper = to_paper(
        path,
        line,
        ids=[
            *(texts("accession_number") if is_ours else ()),
            *map(doi_of, texts("doi")),
            *texts("id", "accession_number"),
            *record.get("urls", []),
        ],
        titles=texts("title", "primary_title"),
        authors=[*record.get("authors", []), *record.get("first_authors", [])],
        abstracts=texts("abstract", "notes_abstract"),
        codes=record.get("keywords", []),
        series=texts("tertiary_title", "secondary_title", "journal_name", "alternate_title3", "alternate_title2"),
        dates=texts("date", "year", "publication_year"),
        dois=texts("doi"),
        urls=record.get("urls", []),
        types=texts("type_of_reference"),
    )
    return Entry(paper, line)
