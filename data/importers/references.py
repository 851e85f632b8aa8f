"""From one reference, as managers of references write it, to a paper: what RIS, BibTeX and AMF share."""

import datetime
import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from data.errors import UnreadableFileError
from data.records import Paper, person_key
from data.records.paper_types import type_of
from data.text.cleaning import clean
from data.text.prose import prose
from data.text.web_addresses import is_web_address

FROM_WORDS = "title:"  # begins an id that is made of words
DOI_IN_FRONT = re.compile(r"(https?://(dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
DATE = re.compile(r"([0-9]{4})(?:[-/]([0-9]{1,2})(?:[-/]([0-9]{1,2}))?)?(?![0-9])")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file in errors of reading it."""
    try:
        yield
    except OSError as error:
        raise UnreadableFileError(path, f"can't be read: {error.strerror or error}") from error


def to_paper(
    path: Path,
    line: int | None,
    *,
    ids: Iterable[str],
    titles: Iterable[str],
    authors: Iterable[str] = (),
    abstracts: Iterable[str] = (),
    codes: Iterable[str] = (),
    series: Iterable[str] = (),
    dates: Iterable[str] = (),
    dois: Iterable[str] = (),
    urls: Iterable[str] = (),
    types: Iterable[str] = (),
) -> Paper:
    """Make a paper; where several texts could say the same thing, the first that says anything counts.

    One that says nothing to know it by goes by its title, year and first author.

    Parameters
    ----------
    path : Path
        Where the reference comes from, for messages.
    line : int or None
        Where it begins, from 1, if that is known.

    Raises
    ------
    UnreadableFileError
        If there is no title.
    """
    paper_id, title, names, date = _first(ids), prose(_first(titles)), _all(authors), _first(map(iso_date, dates))
    if not title:
        what = repr(paper_id) if paper_id else "the reference"
        raise UnreadableFileError(path, f"{what} has no title", line=line)
    return Paper(
        paper_id=paper_id or id_from_words(title, date[:4], names[0] if names else ""),
        title=title,
        abstract=prose(_first(abstracts)),
        authors=names,
        codes=_all(codes),
        series=_first(series),
        date=date,
        doi=first_doi(dois),
        url=_first(map(web_address, urls)),
        type=_first(map(type_of, types)),
    )


def id_from_words(title: str, year: str, first_author: str) -> str:
    """Return an id for a paper of which nothing else is known: the same in every file, however the words are written.

    Examples
    --------
    >>> id_from_words("Wages, and jobs", "2019", "Lee, Ann") == id_from_words("Wages and Jobs", "2019", "Ann Lee")
    True
    >>> id_from_words("Wages and jobs", "2020", "Lee, Ann") == id_from_words("Wages and Jobs", "2019", "Ann Lee")
    False
    """
    letters = "".join(filter(str.isalnum, title.casefold()))
    said = "\n".join((letters or title, year, person_key(first_author)))
    return f"{FROM_WORDS}{hashlib.sha256(said.encode()).hexdigest()[:16]}"


def doi_of(text: str) -> str:
    """Return a DOI in the one form that it is compared in.

    Examples
    --------
    >>> doi_of("https://doi.org/10.1257/AER.1")
    '10.1257/aer.1'
    """
    return DOI_IN_FRONT.sub("", text.strip(), count=1).lower()


def first_doi(texts: Iterable[str]) -> str:
    """Return the first DOI among texts, as `doi_of` writes it. Defaults to an empty text.

    Examples
    --------
    >>> first_doi(["in press", "doi:10.1257/AER.1"])
    '10.1257/aer.1'
    """
    return next((doi for doi in map(doi_of, texts) if doi.startswith("10.")), "")


def web_address(text: str) -> str:
    """Return an address of the web without spaces around it; empty if the text is none.

    Examples
    --------
    >>> web_address(" https://example.org/1 "), web_address("javascript:alert(1)"), web_address("page 3")
    ('https://example.org/1', '', '')
    """
    stripped = text.strip()
    return stripped if is_web_address(stripped) else ""


def iso_date(text: str) -> str:
    """Return the date that a text begins with, as exactly as it is said; nothing if it begins with none.

    Examples
    --------
    >>> iso_date("2026/11/2/Monday"), iso_date("2026/11//"), iso_date("2026"), iso_date("forthcoming")
    ('2026-11-02', '2026-11', '2026', '')
    """
    found = DATE.match(text.strip())
    if not found:
        return ""
    year, month, day = (int(part or 1) for part in found.groups())
    try:
        whole = datetime.date(year, month, day).isoformat()
    except ValueError:  # 2019-02-30: the year may still be right
        return found[1]
    return whole[: 10 if found[3] else 7 if found[2] else 4]


def _first(texts: Iterable[str]) -> str:
    return next(filter(None, map(clean, texts)), "")


def _all(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(filter(None, map(clean, texts)))
