"""Exporter for ReDIF, the format used by RePEc archives."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import BinaryIO

from presort.data.exporters.references import one_line
from presort.data.records import Paper
from presort.data.records.paper_types import TYPES, paper_type

JEL = re.compile("[A-Z][0-9]{1,2}")
SERIES = {"journal article": "Journal", "chapter": "Book-Title"}
OF_TEMPLATES = {one.redif: one.name for one in reversed(TYPES)}.values()
ENDS_A_CODE = re.compile(r"[\s,;]")
OF_SCHEME = {"jel": "Classification-JEL", "other": "Classification-Other", "none": "Keywords"}


def write_redif(papers: Iterable[Paper], file: BinaryIO) -> None:
    """Write papers as ReDIF templates, encoded in UTF-8, with each value on a single line.

    If a paper's type has no ReDIF template, the type is written to the field `X-Type`, which other programs ignore.

    Importing the file doesn't restore two kinds of values. Spaces in handles are written as ``%20``. Codes that contain
    a space, comma or semicolon are written as keywords, because these characters separate codes, and keywords are not
    imported.
    """
    for paper in papers:
        template = f"ReDIF-{paper_type(paper.type).redif} 1.0"
        fields = [("Template-Type", template), *_fields(paper), ("Handle", _handle(paper))]
        lines = [f"{name}: {one_line(value)}\n" for name, value in fields if value]
        file.write("".join([*lines, "\n"]).encode())


def _fields(paper: Paper) -> Iterator[tuple[str, str]]:
    yield from (("Author-Name", author) for author in paper.authors)
    yield "Title", paper.title
    yield "Abstract", paper.abstract
    # To preserve the order of the codes, each run of codes from the same scheme is written to its own field.
    for scheme, codes in groupby(paper.codes, _scheme):
        yield OF_SCHEME[scheme], "; ".join(codes)
    yield SERIES.get(paper.type, "Series"), paper.series
    yield "Creation-Date", paper.date
    yield "DOI", paper.doi
    yield "File-URL", paper.url
    yield "X-Type", "" if paper.type in OF_TEMPLATES else paper.type or "unknown"


def _scheme(code: str) -> str:
    if ENDS_A_CODE.search(code):
        return "none"
    return "jel" if JEL.fullmatch(code) else "other"


def _handle(paper: Paper) -> str:
    return one_line(paper.paper_id).replace(" ", "%20")
