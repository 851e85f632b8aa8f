"""References as BibTeX."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path

from bibtexparser.entrypoint import parse_string
from bibtexparser.model import Block, DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, ParsingFailedBlock
from bibtexparser.model import Entry as Reference

from data.errors import UnreadableFileError
from data.importers.problems import STRICT, Problems
from data.importers.references import doi_of, naming, to_paper
from data.importers.tex import plain
from data.importers.text_file import read_lines
from data.records import Entry

LARGEST_FILE = 50_000_000  # bytes; all of it is in memory, some times over
BETWEEN_KEYWORDS = re.compile("[,;]")
TEX_IN_ADDRESSES = re.compile(r"\\([_%&#$~])|(\\textasciitilde)|\\url(?=\{)|[{}]")
BRACE_OR_AND = re.compile(r"\\.|[{}]|(?<=\s)and(?=\s)", re.IGNORECASE | re.DOTALL)

logging.getLogger("bibtexparser").addHandler(logging.NullHandler())  # what it logs is raised here, once


def read_bibtex(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers of a BibTeX file, in file order, their texts free of TeX.

    A paper goes by its `paper_id`, which Presort itself writes, else by its DOI, else by the entry's key: many programs
    make keys such as ``lee2019``, which mean something in their own library only. All keywords are taken as codes. As
    BibTeX has it, what stands outside of entries is a comment.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each entry that is not well-formed, has the key of another, or no title, by the line where it begins.

    Raises
    ------
    UnreadableFileError
        If the file is missing, too large or without any entry. Raised while iterating.
    """
    blocks = parse_string(_text(path, problems)).blocks
    references = [block for block in blocks if isinstance(block, Reference | ParsingFailedBlock)]
    for block in references:
        try:
            entry = _entry(path, block)
        except UnreadableFileError as error:
            problems.skip(error)
        else:
            yield entry
    if not references:
        raise UnreadableFileError(path, "holds no BibTeX entry; one looks like @misc{key, title = {Wages}}")


def _text(path: Path, problems: Problems) -> str:
    with naming(path):
        if path.stat().st_size > LARGEST_FILE:
            raise UnreadableFileError(path, f"is larger than {LARGEST_FILE:,} bytes; cut it into several files")
        return "".join(line for _, line in read_lines(path, problems, longest=LARGEST_FILE))


def _what_failed(block: ParsingFailedBlock) -> str:
    if isinstance(block, DuplicateBlockKeyBlock):
        return f"{block.key!r} is the key of the entry of line {_line(block.previous_block)} already"
    if isinstance(block, DuplicateFieldKeyBlock):
        return f"the entry has {' and '.join(sorted(block.duplicate_keys))} twice"
    return f"the entry is not well-formed: {getattr(block.error, 'abort_reason', block.error)}"


def _line(block: Block) -> int:
    return (block.start_line or 0) + 1


def _entry(path: Path, block: Reference | ParsingFailedBlock) -> Entry:
    if isinstance(block, ParsingFailedBlock):
        raise UnreadableFileError(path, _what_failed(block), line=_line(block))
    fields = {field.key.lower(): str(field.value) for field in block.fields}

    def texts(*names: str) -> list[str]:
        return [plain(fields[name]) for name in names if name in fields]

    doi = _verbatim(fields.get("doi", ""))
    paper = to_paper(
        path,
        _line(block),
        ids=[*texts("paper_id"), doi_of(doi), block.key],
        titles=texts("title"),
        authors=[plain(name) for name in _names(fields.get("author", "")) if name != "others"],
        abstracts=texts("abstract"),
        codes=[code for keywords in texts("keywords") for code in BETWEEN_KEYWORDS.split(keywords)],
        series=texts("journal", "journaltitle", "booktitle", "series", "howpublished", "institution"),
        dates=texts("date", "year"),
        dois=[doi],
        urls=[_verbatim(fields.get("url", ""))],
        types=[block.entry_type, *texts("type")],
    )
    return Entry(paper, _line(block))


def _verbatim(text: str) -> str:
    """Take braces and backslashes out of an address: in it, a tilde or a dollar sign is no TeX."""
    return TEX_IN_ADDRESSES.sub(lambda found: found[1] or ("~" if found[2] else ""), text)


def _names(authors: str) -> list[str]:
    """Split at each "and" outside of braces; bibtexparser spoils a name that begins with a backslash."""
    names, start, depth = [], 0, 0
    for found in BRACE_OR_AND.finditer(authors):
        depth = max(0, depth + {"{": 1, "}": -1}.get(found[0], 0))
        if depth == 0 and found[0].lower() == "and":
            names.append(authors[start : found.start()].strip())
            start = found.end()
    return [*names, authors[start:].strip()]
