"""References as RIS, which every reference manager writes: records of lines such as ``TI  - Wages``."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import rispy  # type: ignore[import-untyped]

from data.errors import UnreadableFileError
from data.importers.csv_file import NOT_UTF8, UNDECODED
from data.importers.references import doi_of, naming, to_paper
from data.records import Paper

LARGEST_RECORD = 10_000_000  # characters
TAG = re.compile(r"([A-Z][A-Z0-9])  -")


def read_ris(path: Path) -> Iterator[Paper]:
    """Yield the papers of a RIS file in UTF-8, in file order.

    A paper goes by its DOI where it has one, else by its ID, accession number or address: many programs write an ID
    that means something in their own library only. All keywords are taken as codes.

    Raises
    ------
    UnreadableFileError
        If the file is missing, not UTF-8 or not RIS, or a record is cut off, too large, or without title or anything
        to know it by; the message names the line where the record begins. Raised while iterating.
    """
    with naming(path), path.open(encoding="utf-8-sig", errors="surrogateescape") as file:
        row = None
        for row, lines in _records(path, file):
            (record,) = rispy.RisParser().parse_lines(iter(lines))
            yield _paper(path, row, record)
        if row is None:
            raise UnreadableFileError(path, "holds no RIS record; one begins with a line 'TY  - '")


def _records(path: Path, file: TextIO) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of each record, from TY to ER, with the number of the first; what stands between is left out.

    A file may count its records there, but a field there has lost its record.
    """
    record: list[str] = []
    start = size = 0
    for row, line in _lines(path, file):
        tag = _tag(line)
        if not record:
            if tag and tag != "TY":
                raise UnreadableFileError(path, f"{tag} stands outside of any record; TY begins one", row=row)
            start, size = row, 0
        elif tag == "TY":
            raise UnreadableFileError(path, f"TY begins a record, but that of row {start} has no ER yet", row=row)
        if record or tag:
            record.append(line)
            size += len(line)
        if size > LARGEST_RECORD:
            raise UnreadableFileError(path, f"the record is longer than {LARGEST_RECORD:,} characters", row=start)
        if tag == "ER":
            yield start, record
            record = []
    if record:
        raise UnreadableFileError(path, "the record has no end; is the file cut off? ER ends one", row=start)


def _lines(path: Path, file: TextIO) -> Iterator[tuple[int, str]]:
    row = 0
    while line := file.readline(LARGEST_RECORD + 1):
        row += 1
        if len(line) > LARGEST_RECORD:
            raise UnreadableFileError(path, f"the line is longer than {LARGEST_RECORD:,} characters", row=row)
        if UNDECODED.search(line):
            raise UnreadableFileError(path, NOT_UTF8, row=row)
        yield row, line


def _tag(line: str) -> str:
    found = TAG.match(line)
    return found[1] if found else ""


def _paper(path: Path, row: int, record: dict[str, Any]) -> Paper:
    def texts(*names: str) -> list[str]:
        return [record[name] for name in names if name in record]

    return to_paper(
        path,
        row,
        ids=[*map(doi_of, texts("doi")), *texts("id", "accession_number"), *record.get("urls", [])],
        titles=texts("title", "primary_title"),
        authors=[*record.get("authors", []), *record.get("first_authors", [])],
        abstracts=texts("abstract", "notes_abstract"),
        codes=record.get("keywords", []),
        series=texts("tertiary_title", "secondary_title", "journal_name", "alternate_title3", "alternate_title2"),
        dates=texts("date", "year", "publication_year"),
    )
