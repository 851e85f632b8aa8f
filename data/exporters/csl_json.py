"""Exporter for CSL-JSON, a format that Zotero, Pandoc, citeproc and other programs can read."""

import json
import re
from collections.abc import Iterable
from typing import Any, BinaryIO

from presort.data.exporters.references import keywords, remarks
from presort.data.records import ExportedPaper
from presort.data.records.paper_types import paper_type

SOURCE = "Presort"
FAMILY_AND_GIVEN = re.compile(r"([^,\s](?:[^,]*[^,\s])?), ([^,\s][^,]*)")
DATE = re.compile(r"\d{4}(-\d\d){0,2}", re.ASCII)


def write_csl_json(rows: Iterable[ExportedPaper], file: BinaryIO) -> None:
    """Write papers as a list of CSL items, encoded in UTF-8.

    A name with exactly one comma, followed by a space, is split into a family name and a given name, which citation
    styles use to sort and abbreviate names. Any other name is written as a literal, because without a comma, "Ann Lee"
    can't be told apart from "World Bank", which has no family name.
    """
    items = [_item(row) for row in rows]
    file.write(json.dumps(items, ensure_ascii=False, indent=1).encode() + b"\n")


def _item(row: ExportedPaper) -> dict[str, Any]:
    paper = row.paper
    csl = paper_type(paper.type).csl
    item = {
        "id": paper.paper_id,
        "type": csl,
        "genre": "Preprint" if csl == "article" else "",  # in CSL, an "article" is any text published on its own
        "title": paper.title,
        "author": [_name(author) for author in paper.authors],
        "issued": _date(paper.date),
        "container-title": paper.series,
        "DOI": paper.doi,
        "URL": paper.url,
        "abstract": paper.abstract,
        "keyword": "; ".join(word.replace(";", ",") for word in keywords(row)),
        "note": "\n".join(remarks(row)),
        "source": SOURCE,
    }
    return {name: value for name, value in item.items() if value}


def _date(date: str) -> dict[str, Any]:
    if DATE.fullmatch(date):
        return {"date-parts": [list(map(int, date.split("-")))]}
    return {"literal": date} if date else {}


def _name(author: str) -> dict[str, str]:
    found = FAMILY_AND_GIVEN.fullmatch(author)
    return {"family": found[1], "given": found[2]} if found else {"literal": author}
