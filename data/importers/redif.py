"""Importer for ReDIF, the format in which RePEc archives describe their papers."""

import datetime
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers.fields import certain_date, drop_duplicate_names
from presort.data.importers.problems import SILENT, STRICT, Problems
from presort.data.importers.redif_templates import Template, read_templates
from presort.data.importers.references import first_doi, report_odd_date, web_address
from presort.data.records import Entry, Paper
from presort.data.records.paper_types import type_of
from presort.data.text.cleaning import clean
from presort.data.text.prose import plain_text, prose

PAPERS = frozenset({"paper", "article", "book", "chapter"})
NAMED = frozenset({"series", "archive"})
OTHERS = frozenset({"software", "person", "institution", "mirror"})

OUR_TYPE = "x-type"  # field that Presort's exports use for paper types without a ReDIF template
BETWEEN_JEL = re.compile(r"[\s,;.]+")
BETWEEN_CODES = re.compile(r"[\s,;]+")  # used for all schemes except JEL; their codes may contain full stops (cs.LG)
DATE = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?|(\d{2})(\d{2})?)?", re.ASCII)


def read_redif(path: Path, *, problems: Problems = STRICT, names: Mapping[str, str] | None = None) -> Iterator[Entry]:
    """Yield the papers, articles, books and chapters in a ReDIF file, in file order.

    Parameters
    ----------
    path : Path
        Path of the ReDIF file. Templates for software, people and institutions are ignored.
    problems : Problems
        Receives an error for each template of an unknown type, without a title or handle, with several handles, or with
        a space in its handle. The error names the template's first line. Unreadable dates are reported as repairs.
    names : mapping from str to str, optional
        Names of series and archives in other files, as returned by `read_names`. Names in this file take precedence.

    Yields
    ------
    Entry
        Paper with the line of its template. Its `series` is the name of the paper's series. If that name is unknown,
        `series` is the journal, series or book named in the template, or else the name of the archive, or else empty.
        If the date lacks a day or month, these are set to 1. An unreadable date becomes empty. If a template names no
        authors, its editors are used.

    Raises
    ------
    UnreadableFileError
        If the file is not ReDIF. The message names the line. The error is raised during iteration, so if iteration
        fails, discard the entries already yielded.
    """
    all_names = {**(names or {}), **read_names(path)}  # read first, because a series may be described after its papers
    for template in read_templates(path, problems):
        if template.kind in NAMED | OTHERS:
            continue
        try:
            entry = _entry(path, template, all_names)
        except UnreadableFileError as error:
            problems.skip(error)
        else:
            dates = (*_dates(template), *_nonempty_values(template, "year"))
            report_odd_date(problems, path, template.line, dates, entry.paper)
            yield entry


def read_names(path: Path) -> dict[str, str]:
    """Read the names of all series and archives described in a ReDIF file.

    Returns
    -------
    dict
        Mapping from handles to names. Handles are in lower case, because RePEc ignores case.

    Notes
    -----
    If the file is damaged, returns the names above the damage. `read_redif` will report the error.
    """
    names: dict[str, str] = {}
    with suppress(UnreadableFileError):
        for template in read_templates(path, SILENT):
            if template.kind in NAMED and (handle := _first(template, "handle")) and (name := _first(template, "name")):
                names[handle.lower()] = name
    return names


def _entry(path: Path, template: Template, names: Mapping[str, str]) -> Entry:
    _check_kind(path, template)
    handle = _handle(path, template)
    title = prose(_first(template, "title"))
    if not title:
        raise UnreadableFileError(path, "the template has no Title", line=template.line)
    paper = Paper(
        paper_id=handle,
        title=title,
        abstract=prose(_first(template, "abstract")),
        authors=drop_duplicate_names(
            map(plain_text, _nonempty_values(template, "author-name") or _nonempty_values(template, "editor-name"))
        ),
        codes=_codes(template),
        series=plain_text(_series(template, handle, names)),
        date=_date(template),
        doi=first_doi(_nonempty_values(template, "doi")),
        url=next(filter(None, map(web_address, _nonempty_values(template, "file-url"))), ""),
        type=type_of(_first(template, OUR_TYPE) or template.kind),
    )
    return Entry(paper, template.line)


def _check_kind(path: Path, template: Template) -> None:
    if not template.kind:
        reason = "the Template-Type line names no type. Write for example 'Template-Type: ReDIF-Paper 1.0'"
        raise UnreadableFileError(path, reason, line=template.line)
    if template.kind not in PAPERS:
        reason = f"unknown template type ReDIF-{template.kind.capitalize()}"
        raise UnreadableFileError(path, reason, line=template.line)


def _handle(path: Path, template: Template) -> str:
    handles = _nonempty_values(template, "handle")
    if not handles:
        raise UnreadableFileError(path, "the template has no Handle", line=template.line)
    if len(handles) > 1:
        reason = f"the template has two handles, {handles[0]} and {handles[1]}. Is a Template-Type line missing?"
        raise UnreadableFileError(path, reason, line=template.line)
    if " " in handles[0]:
        raise UnreadableFileError(path, f"the handle {handles[0][:80]!r} contains a space", line=template.line)
    return handles[0]


def _series(template: Template, handle: str, names: Mapping[str, str]) -> str:
    parts = handle.lower().split(":")  # a handle has the form RePEc:archive:series:paper
    series, archive = names.get(":".join(parts[:3])), names.get(":".join(parts[:2]))
    return series or _first(template, "journal", "series", "book-title") or archive or ""


def _codes(template: Template) -> tuple[str, ...]:
    codes: dict[str, None] = {}  # unlike a set, a dict preserves the order
    for name, lines in template.fields:
        if name.startswith("classification-"):
            between = BETWEEN_JEL if name == "classification-jel" else BETWEEN_CODES
            codes.update(dict.fromkeys(filter(None, between.split(clean("\n".join(lines))))))
    return tuple(codes)


def _date(template: Template) -> str:
    """Return the first valid date in a template, with any missing day or month set to 1."""
    year, month = _first(template, "year"), _first(template, "month")
    in_parts = certain_date(f"{month}/{year}" if month.isdecimal() else f"{month} {year}")
    return next(filter(None, map(_day, (*_dates(template), in_parts))), "")


def _dates(template: Template) -> tuple[str, ...]:
    return (*_nonempty_values(template, "creation-date"), *_nonempty_values(template, "publication-date"))


def _day(text: str) -> str:
    found = DATE.fullmatch(text)
    try:
        return str(datetime.date(*(int(part) for part in [*filter(None, found.groups()), 1, 1][:3]))) if found else ""
    except ValueError:  # the day doesn't exist, as in 2019-02-30
        return ""


def _first(template: Template, *names: str) -> str:
    """Return the first non-empty value among the given fields, tried in order."""
    return next((text for name in names for text in _nonempty_values(template, name)), "")


def _nonempty_values(template: Template, name: str) -> tuple[str, ...]:
    return tuple(text for value in template.values(name) if (text := clean(value)))
