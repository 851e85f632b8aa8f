r"""Exporter for BibTeX.

bibtexparser is not used for two reasons. First, it writes an unmatched brace as ``\{``, which BibTeX treats as an
opening brace, so the entry would swallow the entries below it. Second, it doesn't escape dollar signs, so TeX would
typeset any text between two dollar signs as a formula.
"""

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO
from urllib.parse import quote

from presort.data.exporters.references import keywords, one_line, remarks
from presort.data.records import ExportedPaper, Paper
from presort.data.records.paper_types import UNKNOWN, paper_type

# Braces are written as commands, because BibTeX counts braces even after a backslash.
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
# For each entry type, the field that bibliography styles print as the name of the series or journal.
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
    """Write papers as BibTeX entries, encoded in UTF-8. Values are escaped, so that TeX shows them literally.

    The paper id is used as the entry's key. If it isn't a valid key, a key is derived from it, and the field `paper_id`
    contains the original id. Commas and semicolons within a keyword are replaced with spaces, because they would split
    the keyword.
    """
    used: set[str] = set()
    for row in rows:
        key = _unique_key(row.paper.paper_id, used)
        fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _entry_fields(row, key) if value)
        file.write(f"@{_entry_type(row.paper)}{{{key},\n{fields}}}\n\n".encode())


def _entry_fields(row: ExportedPaper, key: str) -> Iterator[tuple[str, str]]:
    paper = row.paper
    if key != paper.paper_id or paper.doi not in ("", key):  # Presort's importer prefers the DOI to the key
        yield "paper_id", _escape(paper.paper_id)
    yield "title", _escape(paper.title)
    yield "author", " and ".join(_escape_name(author) for author in paper.authors)
    yield "year", _escape(paper.date[:4])
    # biblatex reads the date; older styles read only the year.
    yield "date", _escape(paper.date) if len(paper.date) > 4 else ""
    yield SERIES.get(_entry_type(paper), "howpublished"), _escape(paper.series)
    yield "doi", _percent_encode(paper.doi)
    yield "url", _percent_encode(paper.url)
    yield "type", _escape(paper.type) if _entry_type(paper) == UNKNOWN.bibtex[0] else ""
    yield "abstract", _escape(paper.abstract)
    yield "keywords", ", ".join(_escape(BETWEEN_KEYWORDS.sub(" ", word)) for word in keywords(row))
    yield "annote", _escape("; ".join(remarks(row)))  # bibliography styles don't print this field, unlike `note`


def _entry_type(paper: Paper) -> str:
    return next(iter(paper_type(paper.type).bibtex or UNKNOWN.bibtex))


def _escape(text: str) -> str:
    return one_line(text).translate(LATEX)


def _percent_encode(address: str) -> str:
    """Percent-encode special characters in a DOI or URL, because programs don't interpret TeX in these fields."""
    return NOT_VERBATIM.sub(lambda found: quote(found[0], safe=""), one_line(address))


def _escape_name(author: str) -> str:
    """Escape a name. If BibTeX would split it into several names or couldn't parse it, enclose it in braces."""
    is_one = not JOINS_NAMES.search(author) and author.count(",") <= 1
    return _escape(author) if is_one else f"{{{_escape(author)}}}"


def _unique_key(paper_id: str, used: set[str]) -> str:
    """Derive a key from a paper id. Add a number if the key is already in use, ignoring case."""
    stem = NOT_IN_KEYS.sub("-", paper_id).strip("-") or "paper"
    key, number = stem, 1
    while key.lower() in used:
        number += 1
        key = f"{stem}-{number}"
    used.add(key.lower())
    return key
