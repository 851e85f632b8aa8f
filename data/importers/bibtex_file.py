"""Importer for BibTeX."""

import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from bibtexparser.model import Block, DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, ParsingFailedBlock, String
from bibtexparser.model import Entry as Reference
from bibtexparser.splitter import Splitter

from presort.data.errors import UnreadableFileError
from presort.data.importers.bibtex_values import MONTHS, fields_of, value_of, with_inherited
from presort.data.importers.fields import split
from presort.data.importers.problems import STRICT, Problems, Repair
from presort.data.importers.references import doi_of, naming, to_paper
from presort.data.importers.tex import plain
from presort.data.importers.text_file import read_lines
from presort.data.records import Entry

LARGEST_FILE = 50_000_000  # maximum size in bytes, because the parser holds several copies in memory
BETWEEN_KEYWORDS = re.compile("[,;]")
TEX_IN_ADDRESSES = re.compile(r"\\([_%&#$~])|(\\textasciitilde)|\\url(?=\{)|[{}]")
# Formula that contains only "<" or ">". Most of these are the brackets of an HTML tag, exported as formulas.
MATHS_SIGN = re.compile(r"(?<!\\)\$\s*(?:<|>|\\[lg]t|\\textless|\\textgreater)\s*(?:\{\})?\s*(?<!\\)\$")
# A line of text that looks like the start of an entry, but lacks the comma and equals sign of a real entry.
AT_IN_TEXT = re.compile(r"\n[ \t]*(@(?!comment|preamble|string)\w+[ \t]*\{[^{},=@\n]*\})", re.IGNORECASE)
NO_KEY = re.compile(r"(?m)^(\s*@(?!string|comment|preamble)[a-z]+\s*[{(])(?=\s*[a-z_-]+\s*=)", re.IGNORECASE)
BRACE_OR_AND = re.compile(r"\\.|[{}]|(?<=\s)and(?=\s)", re.IGNORECASE | re.DOTALL)

# Discard bibtexparser's log messages, because the importer reports errors to `Problems`.
logging.getLogger("bibtexparser").addHandler(logging.NullHandler())


def read_bibtex(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers in a BibTeX file, in file order. TeX is converted to plain text.

    The paper id is the field `paper_id`, which Presort's exports may contain, or else the DOI, or else the entry's key.
    The key comes last, because keys such as ``lee2019`` are unique only within the library that generated them. All
    keywords are imported as codes. As in BibTeX, text outside entries is a comment. An entry that exactly repeats an
    earlier one is skipped.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each entry that is malformed, has no title, or has the key of an earlier entry but no id or DOI.
        Each error names the entry's first line. Repeated fields and unreadable dates are reported as repairs.

    Raises
    ------
    UnreadableFileError
        If the file is missing or too large, or has no entries. The error is raised during iteration.
    """
    blocks = Splitter(_text(path, problems)).split().blocks
    references = [_Reference(path, block) for block in blocks if isinstance(block, Reference | ParsingFailedBlock)]
    strings = dict(MONTHS)
    for block in blocks:
        if isinstance(block, String):
            strings[block.key.lower()] = value_of(str(block.value), strings)
    parents = _read_fields(references, strings, problems)
    seen: dict[str, tuple[int, Mapping[str, str]]] = {}
    for reference in references:
        try:
            entry = _entry(reference, parents, seen, problems)
        except UnreadableFileError as error:
            problems.skip(error)
        else:
            if entry:
                yield entry
    if not references:
        raise UnreadableFileError(path, "contains no BibTeX entry. An entry looks like @misc{key, title = {Wages}}")


def _text(path: Path, problems: Problems) -> str:
    with naming(path):
        if path.stat().st_size > LARGEST_FILE:
            raise UnreadableFileError(path, f"is larger than {LARGEST_FILE:,} bytes. Split it into several files")
        text = "".join(line for _, line in read_lines(path, problems, longest=LARGEST_FILE))
    text = NO_KEY.sub(r"\1,", text)
    return AT_IN_TEXT.sub(r" \1\n", text)  # the line break is moved rather than deleted, to preserve line numbers


class _Reference:
    """Entry in a BibTeX file. It may repeat a field, or another entry's key. `entry` is None if it is malformed."""

    def __init__(self, path: Path, block: Block) -> None:
        self.entry: Reference | None = block if isinstance(block, Reference) else None
        if isinstance(block, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock):
            self.entry = cast("Reference", block.ignore_error_block)
        self.path, self.line, self.fields = path, (block.start_line or 0) + 1, dict[str, str]()
        self.fault = getattr(block.error, "abort_reason", block.error) if isinstance(block, ParsingFailedBlock) else ""

    def error(self, reason: str) -> UnreadableFileError:
        return UnreadableFileError(self.path, reason, line=self.line)


def _read_fields(
    references: list[_Reference], strings: Mapping[str, str], problems: Problems
) -> Mapping[str, Mapping[str, str]]:
    """Read the fields of all entries and return them by key.

    All entries are read before any is converted, because `crossref` may refer to a later entry.
    """
    parents: dict[str, Mapping[str, str]] = {}
    for reference in references:
        if reference.entry is not None:
            reference.fields, twice = fields_of(reference.entry, strings)
            if reference.entry.key:
                parents.setdefault(reference.entry.key.lower(), reference.fields)
            if twice:
                reason = f"the entry contains {' and '.join(twice)} twice, so the first value was used"
                problems.repair(Repair(reference.path.name, reason, line=reference.line))
    return parents


def _entry(
    reference: _Reference,
    parents: Mapping[str, Mapping[str, str]],
    seen: dict[str, tuple[int, Mapping[str, str]]],
    problems: Problems,
) -> Entry | None:
    """Convert an entry to a paper. Returns None if an earlier entry has the same key and fields."""
    block = reference.entry
    if block is None:
        raise reference.error(f"the entry is malformed: {reference.fault}")
    fields = with_inherited(reference.fields, parents)

    def texts(*names: str) -> list[str]:
        return [plain(MATHS_SIGN.sub(_sign, fields[name])) for name in names if name in fields]

    doi = _verbatim(fields.get("doi", ""))
    ids = [*texts("paper_id"), doi_of(doi)]
    line, earlier = seen.setdefault(block.key, (reference.line, fields))
    if block.key and line != reference.line:
        if earlier == fields:
            return None
        if not any(ids):
            raise reference.error(f"the key {block.key!r} is already used by the entry in line {line}")
    paper = to_paper(
        reference.path,
        reference.line,
        problems,
        ids=[*ids, block.key],
        titles=texts("title"),
        authors=_authors(fields.get("author") or fields.get("editor", "")),
        abstracts=texts("abstract"),
        codes=[code for keywords in texts("keywords") for code in BETWEEN_KEYWORDS.split(keywords)],
        series=texts("journal", "journaltitle", "booktitle", "series", "howpublished", "institution"),
        dates=[*texts("date"), *_date_in_parts(*texts("year", "month")[:2]), *texts("year")],
        dois=[doi],
        urls=[_verbatim(fields.get("url", ""))],
        types=[block.entry_type, *texts("type")],
    )
    return Entry(paper, reference.line)


def _date_in_parts(year: str = "", month: str = "") -> list[str]:
    """Combine the fields `year` and `month`. The month may include a day, as in ``jan # "~15"``."""
    return [f"{year}-{month}" if month.isdecimal() else f"{month} {year}"] if year and month else []


def _sign(found: re.Match[str]) -> str:
    return ">" if "g" in found[0] or ">" in found[0] else "<"


def _authors(text: str) -> list[str]:
    names: list[str] = []
    for name in _names(text):
        if name != "others":
            # If a name has several commas, Presort's exports enclose it in braces.
            is_one = name.count(",") < 2 or name.startswith("{")
            names += [plain(name)] if is_one else split(plain(name).removesuffix(","))  # "Lee, A.," and "Ek, B."
    return names


def _verbatim(text: str) -> str:
    """Remove braces and backslashes from a URL or DOI, in which tildes and dollar signs are literal characters."""
    return TEX_IN_ADDRESSES.sub(lambda found: found[1] or ("~" if found[2] else ""), text)


def _names(authors: str) -> list[str]:
    """Split a list of authors at each "and" that is outside braces.

    bibtexparser is not used, because it corrupts names that begin with a backslash.
    """
    names, start, depth = [], 0, 0
    for found in BRACE_OR_AND.finditer(authors):
        depth = max(0, depth + {"{": 1, "}": -1}.get(found[0], 0))
        if depth == 0 and found[0].lower() == "and":
            names.append(authors[start : found.start()].strip())
            start = found.end()
    return [*names, authors[start:].strip()]
