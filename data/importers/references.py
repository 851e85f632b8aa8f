"""From one reference, as managers of references write it, to a paper: what RIS, BibTeX and AMF share."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from presort.data.errors import UnreadableFileError
from presort.data.importers.fields import most_exact, once_each
from presort.data.importers.problems import Problems, Repair
from presort.data.records import Paper, person_key
from presort.data.records.paper_types import type_of
from presort.data.text.cleaning import clean, says_nothing
from presort.data.text.prose import plain_text, prose
from presort.data.text.web_addresses import is_web_address
from presort.data.text.words import plain_words

NO_DATE = "{!r} is no date; the paper has none"
LONGEST_SHOWN = 40  # characters of a text in a message
FROM_WORDS = "title:"  # begins an id that is made of words
DOI_IN_FRONT = re.compile(r"(https?://(dx\.)?doi\.org/|doi:\s*)+", re.IGNORECASE)
DOI = re.compile(r"(?<![0-9.])10\.[0-9]{4,9}(?:\.[0-9]+)*(?:/|%2F)\S+", re.IGNORECASE)
PLAIN_DOI = re.compile(r"10\.[0-9]{4,9}/[\w./:-]*[A-Za-z0-9]")  # as most sources write it
SHORT_DOI = re.compile(r"10\.[0-9]{1,9}/\S+")  # a whole text, in which no number is taken for one
NEXT_DOI = re.compile(r"[,;|](?=https?:|doi:|10\.[0-9]{4,9}/)")
AFTER_PATH = re.compile(r"[?#&].*|(?<=.)/(?:abstract|full|fulltext|pdf|epdf|html|meta|summary|references)/?$")
NOT_LAST = ".,;:'\""  # punctuation of the text around a DOI
BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}


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

    A paper without any id goes by its title, date, first author and series.

    Parameters
    ----------
    path : Path
        Source of the reference, for messages.
    line : int or None
        First line or row, from 1, if known.

    Raises
    ------
    UnreadableFileError
        If there is no title.
    """
    paper_id, title, names = _first(ids), prose(_first(titles)), once_each(_all(authors))
    if not title:
        what = repr(paper_id) if paper_id else "the reference"
        raise UnreadableFileError(path, f"{what} has no title", line=line)
    paper = Paper(
        paper_id=paper_id,
        title=title,
        abstract=prose(_first(text for text in abstracts if not says_nothing(text))),
        authors=names,
        codes=_all(codes),
        series=plain_text(_first(text for text in series if not says_nothing(text))),
        date=most_exact(dates),
        doi=first_doi(dois),
        url=_first(map(web_address, urls)),
        type=_first(map(type_of, types)),
    )
    return paper if paper_id else with_id_from_words(paper)


def report_odd_date(problems: Problems, path: Path, line: int | None, dates: Iterable[str], paper: Paper) -> None:
    """Report a date of which nothing is certain, so that the paper has none."""
    if not paper.date and (odd := next((text for text in dates if is_odd_date(text)), "")):
        problems.repair(Repair(path.name, NO_DATE.format(odd[:LONGEST_SHOWN]), line=line))


def is_odd_date(text: str) -> bool:
    """Return whether a text says anything, where only a date should be."""
    return any(map(str.isalnum, text)) and not says_nothing(text)


def id_from_words(title: str, date: str, first_author: str, series: str = "") -> str:
    """Return an id for a paper of which nothing else is known: the same in every file, however the words are written.

    Series and date are part of it, because many papers are called "Editorial", and a preprint and its article are two
    papers.

    Examples
    --------
    >>> lee = id_from_words("Wages, and jobs", "2019", "Lee, Ann", "Labour")
    >>> lee == id_from_words("Wages and Jobs", "2019", "Ann Lee", "LABOUR")
    True
    >>> lee == id_from_words("Wages and Jobs", "2020", "Lee, Ann", "Labour")
    False
    """
    letters = "".join(filter(str.isalnum, title.casefold()))
    words = " ".join(plain_words(series))
    key = "\n".join((letters or title, date, person_key(first_author), *([words] if words else [])))
    return f"{FROM_WORDS}{hashlib.sha256(key.encode()).hexdigest()[:16]}"


def with_id_from_words(paper: Paper) -> Paper:
    """Return a paper with an id that is made of its words."""
    return replace(paper, paper_id=id_from_words(paper.title, paper.date, _first_author(paper), paper.series))


def _first_author(paper: Paper) -> str:
    return paper.authors[0] if paper.authors else ""


def doi_of(text: str) -> str:
    """Return the first DOI of a text in the form in which DOIs are compared; empty if there is none.

    Examples
    --------
    >>> doi_of("https://doi.org/10.1257/AER.1"), doi_of("10.1000/ex.3 LK - https://links.example.org"), doi_of("n/a")
    ('10.1257/aer.1', '10.1000/ex.3', '')
    >>> doi_of("https://publisher.example.com/doi/10.1000/(tax)1/full?af=R"), doi_of("(doi:10.1000%2Fex.1).")
    ('10.1000/(tax)1', '10.1000/ex.1')
    """
    if PLAIN_DOI.fullmatch(text):
        return text.lower()
    text = plain_text(text.strip())
    bare = DOI_IN_FRONT.sub("", text, count=1) if DOI_IN_FRONT.match(text) else text
    found = SHORT_DOI.match(bare) or DOI.search(text)
    if not found:
        return ""
    doi = NEXT_DOI.split(found[0])[0]
    if "://" in text[: found.start()] and bare is text:  # part of a longer address
        doi = AFTER_PATH.sub("", AFTER_PATH.sub("", doi))
    elif "://" in text:
        doi = doi.split("?")[0]
    return _without_punctuation(unquote(doi) if "%" in doi else doi).lower()


def first_doi(texts: Iterable[str]) -> str:
    """Return the first DOI among texts, as `doi_of` writes it. Defaults to an empty text.

    Examples
    --------
    >>> first_doi(["in press", "doi:10.1257/AER.1"])
    '10.1257/aer.1'
    """
    return next(filter(None, map(doi_of, texts)), "")


def web_address(text: str) -> str:
    """Return an address of the web without spaces around it; empty if the text is none.

    Examples
    --------
    >>> web_address(" https://example.org/1 "), web_address("javascript:alert(1)"), web_address("page 3")
    ('https://example.org/1', '', '')
    """
    stripped = text.strip()
    return stripped if is_web_address(stripped) else ""


def _without_punctuation(doi: str) -> str:
    """Return a DOI without punctuation at its end, but with brackets that it opens itself."""
    while doi and (doi[-1] in NOT_LAST or (doi[-1] in BRACKETS and doi.count(doi[-1]) > doi.count(BRACKETS[doi[-1]]))):
        doi = doi[:-1]
    return doi


def _first(texts: Iterable[str]) -> str:
    return next(filter(None, map(clean, texts)), "")


def _all(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(filter(None, (plain_text(clean(text)) for text in texts)))
