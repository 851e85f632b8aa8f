"""References as RIS, which every reference manager writes: records of lines such as ``TI  - Wages``."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers.fields import authors_of
from presort.data.importers.problems import STRICT, Problems, Repair
from presort.data.importers.references import first_doi, naming, report_odd_date, to_paper
from presort.data.importers.text_file import read_lines
from presort.data.records import Entry

LARGEST_RECORD = 10_000_000  # characters
OUR_DATABASE = "Presort"  # as our exports name it; the paper's id is the accession number there
ASIDE = ("NL", "C1")  # Ovid's own notes on a search, between records
TAG = re.compile(r"([A-Z][A-Z0-9])  -")
NARROW_START = re.compile(r"TY - [A-Z]+\s*$")  # some programs write one blank before all hyphens
NARROW_TAG = re.compile(r"^([A-Z][A-Z0-9]) -(?=\s)")
LISTS = frozenset(["AU", "A1", "A2", "ED", "KW"])  # EndNote writes each further text on a line of its own
TITLES = ("TI", "T1", "CT", "BT", "ST", "T2")  # the last ones are the book's or journal's, if there are others
SERIES = ("T3", "T2", "JO", "JF", "JA", "J2", "SO", "BT")
DOIS = ("DO", "DI", "L3", "M3", "UR", "LK", "L1", "L2")
NOTED_DOI = re.compile(r"(?:doi\b[:\s]|https?://(?:dx\.)?doi\.org/|10\.[0-9]{4,9}/)", re.IGNORECASE)
OF_ANOTHER = re.compile(r"\b(?:errat|corrig|correct|retract|comment|reply|cites|update)", re.IGNORECASE)
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
        has lost its ER line, or whose date is none.

    Raises
    ------
    UnreadableFileError
        If the file is missing or not RIS, or a line is too long; the message names the line, that where the record
        begins if it is about one. Raised while iterating.
    """
    with naming(path):
        start = None
        for start, lines in _records(path, problems):
            try:
                entry = _entry(path, start, _values(lines), problems)
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


def _values(lines: Sequence[str]) -> Mapping[str, list[str]]:
    """Return the texts of each tag.

    rispy keeps the first text of most tags, joins further lines to it wherever they are, and takes longer.
    """
    values: defaultdict[str, list[list[str]]] = defaultdict(list)
    tag = ""
    for line in lines:
        if found := TAG.match(line):
            tag = found[1]
            values[tag].append([line[found.end() :].strip()])
        elif tag in LISTS:
            values[tag].append([line.strip()])
        elif tag:
            values[tag][-1].append(line.strip())
    return {tag: [" ".join(parts) for parts in texts] for tag, texts in values.items()}


def _entry(path: Path, line: int, values: Mapping[str, list[str]], problems: Problems) -> Entry:
    def texts(*tags: str) -> list[str]:
        return [text for tag in tags for text in values.get(tag, ())]

    is_ours = OUR_DATABASE in texts("DB")
    title = next(filter(None, texts(*TITLES)), "")
    names = next(filter(any, (texts("AU", "A1"), texts("A2", "ED"))), [])
    doi = first_doi([*texts(*DOIS), *filter(_is_of_paper, texts("N1"))] if not is_ours else texts("DO"))
    dates = texts("DA", "PY", "Y1")
    paper = to_paper(
        path,
        line,
        ids=[*(texts("AN") if is_ours else ()), doi, *texts("ID", "AN", "UR")],
        titles=[title],
        authors=names if is_ours else authors_of(names),
        abstracts=texts("AB", "N2"),
        codes=texts("KW"),
        series=[text for text in texts(*SERIES) if text != title or is_ours],
        dates=dates,
        dois=[doi],
        urls=texts("UR"),
        types=[text.split()[0] for text in texts("TY") if text],
    )
    report_odd_date(problems, path, line, dates, paper)
    return Entry(paper, line)


def _is_of_paper(note: str) -> bool:
    """Return whether the DOI that a note names is that of the paper, not of one that it corrects or comments on."""
    return NOTED_DOI.search(note) is not None and OF_ANOTHER.search(note) is None
