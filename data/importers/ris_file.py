"""References as RIS, which every reference manager writes: records of lines such as ``TI  - Wages``."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import rispy  # type: ignore[import-untyped]

from data.errors import UnreadableFileError
from data.importers.csv_file import NOT_UTF8, UNDECODED
from data.importers.problems import STRICT, Problems
from data.importers.references import doi_of, naming, to_paper
from data.records import Entry

LARGEST_RECORD = 10_000_000  # characters
OUR_DATABASE = "Presort"  # as our exports name it; the paper's id is the accession number there
ASIDE = ("NL", "C1")  # Ovid's own notes on a search, between records
TAG = re.compile(r"([A-Z][A-Z0-9])  -")


def read_ris(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers of a RIS file in UTF-8, in file order.

    A paper goes by the id that Presort wrote, else by its DOI, ID, accession number or address: many programs write an
    ID that means something in their own library only. One without any goes by its title, year and first author. All
    keywords are taken as codes.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each record that is cut off, has lost its beginning, or is without title.

    Raises
    ------
    UnreadableFileError
        If the file is missing, not UTF-8 or not RIS, or a record is too large; the message names the line, that where
        the record begins if it is about one. Raised while iterating.
    """
    with naming(path), path.open(encoding="utf-8-sig", errors="surrogateescape") as file:
        start = None
        for start, lines in _records(path, file, problems):
            (record,) = rispy.RisParser(delimiter_tags_mapping={}).parse_lines(iter(lines))
            try:
                entry = _entry(path, start, record)
            except UnreadableFileError as error:
                problems.skip(error)
            else:
                yield entry
        if start is None:
            raise UnreadableFileError(path, "holds no RIS record; one begins with a line 'TY  - '")


def _records(path: Path, file: TextIO, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of each record, from TY to ER, with the number of the first; what stands between is left out.

    A file may count its records there, but a field there has lost its record.
    """
    record: list[str] = []
    start = size = 0
    is_lost = False
    for number, line in _lines(path, file):
        tag = _tag(line)
        if tag == "TY":
            if record:
                reason = f"the record has no end: ER ends one, but another begins in line {number}"
                problems.skip(UnreadableFileError(path, reason, line=start))
            record, start, size, is_lost = [], number, 0, False
        elif tag and not record:
            if tag in ASIDE:
                continue
            if not is_lost:  # said once, not of each of its fields
                problems.skip(
                    UnreadableFileError(path, f"{tag} stands outside of any record; TY begins one", line=number)
                )
            is_lost = tag != "ER"
            continue
        if record or tag:
            record.append(line)
            size += len(line)
        if size > LARGEST_RECORD:
            raise UnreadableFileError(path, f"the record is longer than {LARGEST_RECORD:,} characters", line=start)
        if tag == "ER":
            yield start, record
            record = []
    if record:
        problems.skip(UnreadableFileError(path, "the record has no end; is the file cut off? ER ends one", line=start))


def _lines(path: Path, file: TextIO) -> Iterator[tuple[int, str]]:
    number = 0
    while line := file.readline(LARGEST_RECORD + 1):
        number += 1
        if len(line) > LARGEST_RECORD:
            raise UnreadableFileError(path, f"the line is longer than {LARGEST_RECORD:,} characters", line=number)
        if UNDECODED.search(line):
            raise UnreadableFileError(path, NOT_UTF8, line=number)
        yield number, line


def _tag(line: str) -> str:
    found = TAG.match(line)
    return found[1] if found else ""


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
