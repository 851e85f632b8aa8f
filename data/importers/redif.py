"""Papers as RePEc archives describe them, in ReDIF."""

import datetime
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from data.errors import UnreadableFileError
from data.importers.redif_templates import Template, read_templates
from data.importers.rows import clean
from data.records import Paper

PAPERS = frozenset({"paper", "article", "book", "chapter"})
NAMED = frozenset({"series", "archive"})
OTHERS = frozenset({"software", "person", "institution", "mirror"})

BETWEEN_JEL = re.compile(r"[\s,;.]+")
BETWEEN_CODES = re.compile(r"[\s,;]+")  # of other schemes, where periods are part of a code: cs.LG
DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", re.ASCII)


def read_redif(path: Path, *, names: Mapping[str, str] | None = None) -> Iterator[Paper]:
    """Yield the papers, articles, books and chapters of a ReDIF file, in file order.

    Parameters
    ----------
    path : Path
        The file; templates of software, persons and institutions in it are passed over.
    names : mapping from str to str, optional
        Names of series and archives as `read_names` gives them, from other files; the file's own go before them.

    Yields
    ------
    Paper
        Cleaned and checked. The series is the name of the paper's series, else the journal, series or book that the
        template names, else the name of the archive, else empty. A date that says no day or month, as most do, stands
        for the first one; one that can't be read is left empty. A book without authors has its editors in their place.

    Raises
    ------
    UnreadableFileError
        If the file is no ReDIF or a template has no title, not one handle, or an unknown kind; the message names the
        line that opens the template as row. Raised while iterating: take nothing before the end was reached.
    """
    all_names = {**(names or {}), **read_names(path)}  # the series may stand below its papers
    for template in read_templates(path):
        if template.kind in PAPERS:
            yield _paper(path, template, all_names)
        elif template.kind not in NAMED | OTHERS:
            reason = f"ReDIF-{template.kind.capitalize()} is not a kind of template that is known"
            raise UnreadableFileError(path, reason, row=template.row)


def read_names(path: Path) -> dict[str, str]:
    """Read the names of the series and archives that a ReDIF file describes.

    Returns
    -------
    dict
        Name of each handle, handles in lower case: RePEc does not tell the cases apart.

    Raises
    ------
    UnreadableFileError
        If the file is no ReDIF; the message names the line as row.
    """
    named = (template for template in read_templates(path) if template.kind in NAMED)
    pairs = ((_first(template, "handle").lower(), _first(template, "name")) for template in named)
    return {handle: name for handle, name in pairs if handle and name}


def _paper(path: Path, template: Template, names: Mapping[str, str]) -> Paper:
    handle = _handle(path, template)
    title = _first(template, "title")
    if not title:
        raise UnreadableFileError(path, "no Title in this template", row=template.row)
    return Paper(
        paper_id=handle,
        title=title,
        abstract=_first(template, "abstract"),
        authors=_all(template, "author-name") or _all(template, "editor-name"),
        codes=_codes(template),
        series=_series(template, handle, names),
        date=_date(_first(template, "creation-date", "publication-date", "year")),
    )


def _handle(path: Path, template: Template) -> str:
    handles = _all(template, "handle")
    if not handles:
        raise UnreadableFileError(path, "no Handle in this template", row=template.row)
    if len(handles) > 1:
        reason = f"this template has two handles, {handles[0]} and {handles[1]}; is a Template-Type line missing?"
        raise UnreadableFileError(path, reason, row=template.row)
    if " " in handles[0]:
        raise UnreadableFileError(path, f"the handle {handles[0][:80]!r} holds a space", row=template.row)
    return handles[0]


def _series(template: Template, handle: str, names: Mapping[str, str]) -> str:
    parts = handle.lower().split(":")  # RePEc:archive:series:paper
    series, archive = names.get(":".join(parts[:3])), names.get(":".join(parts[:2]))
    return series or _first(template, "journal", "series", "book-title") or archive or ""


def _codes(template: Template) -> tuple[str, ...]:
    codes: dict[str, None] = {}  # once each, in order
    for name, lines in template.fields:
        if name.startswith("classification-"):
            between = BETWEEN_JEL if name == "classification-jel" else BETWEEN_CODES
            codes.update(dict.fromkeys(filter(None, between.split(clean("\n".join(lines))))))
    return tuple(codes)


def _date(text: str) -> str:
    found = DATE.fullmatch(text)
    try:
        return str(datetime.date(*(int(part or 1) for part in found.groups()))) if found else ""
    except ValueError:  # 2019-02-30
        return ""


def _first(template: Template, *names: str) -> str:
    """Give the first value that is not empty, of the first name that has one."""
    return next((text for name in names for text in _all(template, name)), "")


def _all(template: Template, name: str) -> tuple[str, ...]:
    return tuple(text for value in template.values(name) if (text := clean(value)))
