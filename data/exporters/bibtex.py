r"""An editor's list as BibTeX.

Written here in a few lines: bibtexparser writes a lone brace of a text as ``\{``, which BibTeX counts as an open one
and reads on into the next entries, and leaves text between two dollar signs for TeX to run.
"""

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO
from urllib.parse import quote

from presort.data.exporters.references import keywords, one_line, remarks
from presort.data.records import ExportedPaper, Paper
from presort.data.records.paper_types import UNKNOWN, paper_type

# Braces by name, as BibTeX counts them also after a backslash.
LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        **{letter: rf"\{letter}" for letter in "$&%#_"},
    }
)
# The field that styles print for the series, by entry type.
SERIES = {
    "article": "journal",
    "incollection": "booktitle",
    "inproceedings": "booktitle",
    "techreport": "institution",
    "book": "series",
}
NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9.:/+-]+")
NOT_VERBATIM = re.compile(r"[{}\\\s]")
BETWEEN_KEYWORDS = re.compile("[,;]")
JOINS_NAMES = re.compile(r"(^|\s)(and|others)(\s|$)", re.IGNORECASE)


def write_bibtex(rows: Iterable[ExportedPaper], file: BinaryIO) -> None:
    """Write papers as BibTeX entries in UTF-8. Texts are written as plain text, even if they look like TeX.

    A paper's id is its key, as far as a key can hold it; an id that had to be changed is exported unchanged in
    `paper_id`. A comma or semicolon in a keyword would end it, and is left out.
    """
    used: set[str] = set()
    for row in rows:
        key = _new_key(row.paper.paper_id, used)
        fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _fields(row, key) if value)
        file.write(f"@{_entry_type(row.paper)}{{{key},\n{fields}}}\n\n".encode())


def _fields(row: ExportedPaper, key: str) -> Iterator[tuple[str, str]]:
    paper = row.paper
    if key != paper.paper_id or paper.doi not in ("", key):  # a reader takes the DOI rather than the key
        yield "paper_id", _escaped(paper.paper_id)
    yield "title", _escaped(paper.title)
    yield "author", " and ".join(_name(author) for author in paper.authors)
    yield "year", _escaped(paper.date[:4])
    yield "date", _escaped(paper.date) if len(paper.date) > 4 else ""  # biblatex reads it, older styles the year
    yield SERIES.get(_entry_type(paper), "howpublished"), _escaped(paper.series)
    yield "doi", _verbatim(paper.doi)
    yield "url", _verbatim(paper.url)
    yield "type", _escaped(paper.type) if _entry_type(paper) == UNKNOWN.bibtex[0] else ""
    yield "abstract", _escaped(paper.abstract)
    yield "keywords", ", ".join(_escaped(BETWEEN_KEYWORDS.sub(" ", word)) for word in keywords(row))
    yield "annote", _escaped("; ".join(remarks(row)))  # unlike a note it is not printed


def _entry_type(paper: Paper) -> str:
    return next(iter(paper_type(paper.type).bibtex or UNKNOWN.bibtex))


def _escaped(text: str) -> str:
    return one_line(text).translate(LATEX)


def _verbatim(address: str) -> str:
    """Write a DOI or an address as programs read these fields: without TeX, but with its special signs quoted."""
    return NOT_VERBATIM.sub(lambda found: quote(found[0], safe=""), one_line(address))


def _name(author: str) -> str:
    """Brace a name that BibTeX would take for several, or can't take apart."""
    is_one = not JOINS_NAMES.search(author) and author.count(",") <= 1
    return _escaped(author) if is_one else f"{{{_escaped(author)}}}"


def _new_key(paper_id: str, used: set[str]) -> str:
    """Make a key from a paper's id, unlike those used whichever way their letters are written."""
    stem = NOT_IN_KEYS.sub("-", paper_id).strip("-") or "paper"
    key, number = stem, 1
    while key.lower() in used:
        number += 1
        key = f"{stem}-{number}"
    used.add(key.lower())
    return key
