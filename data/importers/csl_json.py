"""Importer for CSL-JSON, which Zotero and other reference managers export, and which Crossref's API returns."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from presort.data.errors import UnreadableFileError
from presort.data.importers.fields import authors_of
from presort.data.importers.problems import STRICT, Problems
from presort.data.importers.references import first_doi, naming, to_paper
from presort.data.importers.text_file import read_lines
from presort.data.records import Entry
from presort.data.records.paper_types import BY_CSL

LARGEST_FILE = 50_000_000  # maximum size in bytes, because the whole file is read into memory
LISTS = re.compile(r"\s*(?:\{.*?\"(?:items|references)\"\s*:\s*)?\[", re.DOTALL)  # a bare list, or a list in an object
EMPTY = re.compile(r"\s*\[\s*\]\s*")
NEXT_ITEM = re.compile(r"\}\s*,\s*(?=\{)")
BETWEEN = re.compile(r"[\s,]*")
OUR_SOURCE, OUR_SEPARATOR = "Presort", re.compile(";")  # `source` field and keyword separator in Presort's exports
BETWEEN_KEYWORDS = re.compile(r"[,;]")
DECODER = json.JSONDecoder(strict=False)  # accepts control characters in strings
NO_LIST = "contains no list of references in CSL-JSON"


def read_csl_json(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers in a CSL-JSON file, in file order.

    The file must contain a list, or an object with a list named ``items`` or ``references``. The paper id is the id
    that Presort exported, or else the item's DOI, id or URL. All keywords are imported as codes.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each repair, and each item that has no title or is malformed JSON.

    Raises
    ------
    UnreadableFileError
        If the file is missing or too large, or contains no list of references. The error is raised during iteration.
    """
    text = _text(path, problems)
    n_items = 0
    for line, item in _items(path, text, problems):
        n_items += 1
        try:
            entry = _entry(path, line, item, problems)
        except UnreadableFileError as error:
            problems.skip(error)
        else:
            yield entry
    if not n_items and not EMPTY.fullmatch(text):
        raise UnreadableFileError(path, NO_LIST)


def _text(path: Path, problems: Problems) -> str:
    with naming(path):
        if path.stat().st_size > LARGEST_FILE:
            raise UnreadableFileError(path, f"is larger than {LARGEST_FILE:,} bytes. Split it into several files")
        return "".join(line for _, line in read_lines(path, problems, longest=LARGEST_FILE))


def _items(path: Path, text: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each item in the list, with its line number. Malformed items are reported and skipped."""
    found = LISTS.match(text)
    if found is None and not text.lstrip().startswith("{"):
        raise UnreadableFileError(path, NO_LIST)
    place = found.end() if found else 0
    # `is_sure` is True if an item certainly begins at `place`. After a malformed item, this is uncertain, because a
    # nested object looks like an item.
    line, before, is_sure = 1, 0, True
    while (place := BETWEEN.match(text, place).end()) < len(text):  # type: ignore[union-attr]
        line, before = line + text.count("\n", before, place), place
        try:
            item, place = DECODER.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            if is_sure and text[place] == "]":
                return
            if is_sure:
                reason = f"the item is malformed JSON: {getattr(error, 'msg', 'nested too deeply')}"
                problems.skip(UnreadableFileError(path, reason, line=line))
            following = NEXT_ITEM.search(text, max(place, getattr(error, "pos", place)))
            if following is None:
                return
            place, is_sure = following.end(), False
            continue
        if isinstance(item, dict) and (is_sure or "title" in item):
            yield line, item
            is_sure = True


def _entry(path: Path, line: int, item: dict[str, Any], problems: Problems) -> Entry:
    doi = first_doi(_texts(item, "DOI", "doi"))
    is_ours = item.get("source") == OUR_SOURCE
    between = OUR_SEPARATOR if is_ours else BETWEEN_KEYWORDS
    paper = to_paper(
        path,
        line,
        problems,
        ids=[*(_texts(item, "id") if is_ours else ()), doi, *_texts(item, "id", "URL")],
        titles=_texts(item, "title"),
        authors=_names(item.get("author") or item.get("editor")),
        abstracts=_texts(item, "abstract"),
        codes=[word for text in _texts(item, "keyword", "subject") for word in between.split(text)],
        series=_texts(item, "container-title", "collection-title", "publisher"),
        dates=[date for name in ("issued", "published", "submitted") for date in _dates(item.get(name))],
        dois=[doi],
        urls=_texts(item, "URL"),
        types=[BY_CSL.get(text, text) for text in _texts(item, "type")],
    )
    return Entry(paper, line)


def _texts(item: dict[str, Any], *names: str) -> list[str]:
    """Return all values of the given fields as strings.

    In Crossref's data, fields that CSL defines as strings may be lists.
    """
    values = [item.get(name) for name in names]
    flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return [str(one) for one in flat if isinstance(one, str | int)]


def _names(people: Any) -> list[str]:
    """Return the names in a field. CSL defines it as a list, but some programs write a single name or a string."""
    if isinstance(people, str):
        return list(authors_of([people]))
    return [_name(one) for one in _list(people)]


def _list(value: Any) -> list[Any]:
    """Return a list unchanged, None as an empty list, and any other value as a list that contains only this value."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _name(person: Any) -> str:
    if not isinstance(person, dict):
        return str(person)
    particles = [str(person.get(part) or "") for part in ("dropping-particle", "non-dropping-particle", "family")]
    parts = [" ".join(filter(None, particles)), person.get("given"), person.get("suffix")]
    return ", ".join(str(part) for part in parts if part) or str(person.get("literal") or person.get("name") or "")


def _dates(date: Any) -> Iterable[str]:
    """Return a CSL date in each available form, the most precise first."""
    if not isinstance(date, dict):
        return [str(date)] if isinstance(date, str | int) else []
    # A range of dates is a list of two lists. Some programs write a single date without the outer list.
    dates = _list(date.get("date-parts"))
    first = dates[0] if dates and isinstance(dates[0], list) else dates
    parts = [int(part) for part in takewhile(str.isdecimal, map(str, first))]
    exact = (
        ["-".join([f"{parts[0]:04}", *(f"{part:02}" for part in parts[1:3])])]
        if parts
        else [" ".join(map(str, filter(None, first)))]
    )
    return [*exact, *(str(date[name]) for name in ("raw", "literal") if date.get(name))]
