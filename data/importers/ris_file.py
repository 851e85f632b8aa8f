"""Importer for RIS, a format that all reference managers export. A record consists of lines such as ``TI  - Wages``."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers.fields import authors_of
from presort.data.importers.problems import STRICT, Problems, Repair
from presort.data.importers.references import first_doi, naming, to_paper
from presort.data.importers.text_file import read_lines
from presort.data.records import Entry

LARGEST_RECORD = 10_000_000  # maximum number of characters in a record or a line
OUR_DATABASE = "Presort"  # DB field in Presort's exports, whose accession numbers are paper ids
ASIDE = ("NL", "C1")  # tags of the notes on the search that Ovid writes between records
TAG = re.compile(r"([A-Z][A-Z0-9])  -")
NARROW_START = re.compile(r"TY - [A-Z]+\s*$")  # some programs write one space before the hyphen instead of two
NARROW_TAG = re.compile(r"^([A-Z][A-Z0-9]) -(?=\s)")
LISTS = frozenset(["AU", "A1", "A2", "ED", "KW"])  # EndNote writes further values on separate lines without a tag
TITLES = ("TI", "T1", "CT", "BT", "ST", "T2")  # best tag first; the last ones usually contain a book or journal title
SERIES = ("T3", "T2", "JO", "JF", "JA", "J2", "SO", "BT")
DOIS = ("DO", "DI", "L3", "M3", "UR", "LK", "L1", "L2")
NOTED_DOI = re.compile(r"(?:doi\b[:\s]|https?://(?:dx\.)?doi\.org/|10\.[0-9]{4,9}/)", re.IGNORECASE)
OF_ANOTHER = re.compile(r"\b(?:errat|corrig|correct|retract|comment|reply|cites|update)", re.IGNORECASE)
NO_END = "the record has no ER line, so it was read up to the next record"
CUT_OFF = "the record has no ER line, so it was read to the end of the file, which may be truncated"


def read_ris(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers in a RIS file, in file order.

    The paper id is the id that Presort exported, or else the DOI, ID, accession number or URL. The DOI comes before the
    ID, because many programs write an ID that is unique only within their own library. If there is no id, one is
    derived from the title, date, first author and series. All keywords are imported as codes.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each record that has no TY line, has no title, or is too large. Missing ER lines and unreadable dates
        are reported as repairs.

    Raises
    ------
    UnreadableFileError
        If the file is missing or isn't RIS, or a line is too long. The message names the line, or the record's first
        line. The error is raised during iteration.
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
            raise UnreadableFileError(path, "contains no RIS record. A record begins with a line such as 'TY  - JOUR'")


class _Record:
    """Lines of a record, with the TY line moved to the top, because some programs write it further down."""

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
    """Yield the lines of each record, with the number of the record's first line. Text between records is ignored."""
    record, is_narrow = _Record(), False

    def end_record(note: str = "") -> Iterator[tuple[int, list[str]]]:
        nonlocal record
        if record.size > LARGEST_RECORD:
            reason = f"the record has more than {LARGEST_RECORD:,} characters"
            problems.skip(UnreadableFileError(path, reason, line=record.start))
        elif record.kind:
            if note:
                problems.repair(Repair(path.name, note, line=record.start))
            yield record.start, record.lines()
        elif record.start:
            reason = f"{record.first_tag} is outside of a record. A record begins with a TY line"
            problems.skip(UnreadableFileError(path, reason, line=record.start))
        record = _Record()

    for number, line in read_lines(path, problems, longest=LARGEST_RECORD):
        if line.startswith("TY"):
            is_narrow = NARROW_START.match(line) is not None
        if is_narrow:
            line = NARROW_TAG.sub(r"\1  -", line)
        tag = found[1] if (found := TAG.match(line)) else ""
        if tag == "ER":
            yield from end_record()
        elif tag == "TY" and record.kind:
            yield from end_record(NO_END)
        elif not record.kind and line.isspace():  # a blank line ends a record whose TY line is missing
            yield from end_record()
        if tag != "ER" and (record.start or (tag and tag not in ASIDE)):
            record.add(number, tag, line)
    yield from end_record(CUT_OFF)


def _values(lines: Sequence[str]) -> Mapping[str, list[str]]:
    """Return the values for each tag.

    rispy is not used, because it returns only the first value of most tags, joins unrelated lines to it, and is slower.
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
    paper = to_paper(
        path,
        line,
        problems,
        ids=[*(texts("AN") if is_ours else ()), doi, *texts("ID", "AN", "UR")],
        titles=[title],
        authors=names if is_ours else authors_of(names),
        abstracts=texts("AB", "N2"),
        codes=texts("KW"),
        series=[text for text in texts(*SERIES) if text != title or is_ours],
        dates=texts("DA", "PY", "Y1"),
        dois=[doi],
        urls=texts("UR"),
        types=[text.split()[0] for text in texts("TY") if text],
    )
    return Entry(paper, line)


def _is_of_paper(note: str) -> bool:
    """Return True if a note contains the paper's own DOI, not that of a paper that it corrects or comments on."""
    return NOTED_DOI.search(note) is not None and OF_ANOTHER.search(note) is None
