"""Convert references to papers, and parse DOIs and ids. Used by the importers for RIS, BibTeX, AMF and others."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from presort.data.errors import UnreadableFileError
from presort.data.importers.fields import drop_duplicate_names, most_precise_date
from presort.data.importers.problems import Problems, Repair
from presort.data.records import Paper, person_key
from presort.data.records.paper_types import type_of
from presort.data.text.cleaning import clean, is_placeholder
from presort.data.text.prose import plain_text, prose
from presort.data.text.web_addresses import is_web_address
from presort.data.text.words import plain_words

NO_DATE = "{!r} is not a date, so the paper was imported without a date"
LONGEST_SHOWN = 40  # maximum number of characters to quote in a message
FROM_WORDS = "title:"  # prefix of ids derived from the title
DOI_IN_FRONT = re.compile(r"(https?://(dx\.)?doi\.org/|doi:\s*)+", re.IGNORECASE)
DOI = re.compile(r"(?<![0-9.])10\.[0-9]{4,9}(?:\.[0-9]+)*(?:/|%2F)\S+", re.IGNORECASE)
PLAIN_DOI = re.compile(r"10\.[0-9]{4,9}/[\w./:-]*[A-Za-z0-9]")  # most common form, matched first for speed
SHORT_DOI = re.compile(r"10\.[0-9]{1,9}/\S+")  # accepted only at the start of a string; elsewhere, it may be a number
NEXT_DOI = re.compile(r"[,;|](?=https?:|doi:|10\.[0-9]{4,9}/)")
AFTER_PATH = re.compile(r"[?#&].*|(?<=.)/(?:abstract|full|fulltext|pdf|epdf|html|meta|summary|references)/?$")
NOT_LAST = ".,;:'\""  # punctuation that may follow a DOI but is not part of it
BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Convert an OSError to an UnreadableFileError that names the file."""
    try:
        yield
    except OSError as error:
        raise UnreadableFileError(path, f"can't be read: {error.strerror or error}") from error


def to_paper(
    path: Path,
    line: int | None,
    problems: Problems,
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
    """Create a paper from the field values in a reference.

    For each single-valued field, the first non-empty value is used, except that another date is used if it agrees
    with the first and is more precise. If there is no id, one is derived from the title, date, first author and series.

    Parameters
    ----------
    path : Path
        Path of the file that contains the reference, used in messages.
    line : int or None
        1-based number of the reference's first line. None if it is unknown.
    problems : Problems
        Receives a repair if the paper has no date because its date is unreadable.

    Raises
    ------
    UnreadableFileError
        If there is no title.
    """
    dates = tuple(dates)  # may be an iterator, but is used twice
    paper_id = _first(text for text in ids if not is_placeholder(text))
    title, names = prose(_first(titles)), drop_duplicate_names(_nonempty_values(authors))
    if not title:
        what = repr(paper_id) if paper_id else "the record"
        raise UnreadableFileError(path, f"{what} has no title", line=line)
    paper = Paper(
        paper_id=paper_id,
        title=title,
        abstract=prose(_first(text for text in abstracts if not is_placeholder(text))),
        authors=names,
        codes=_nonempty_values(codes),
        series=plain_text(_first(text for text in series if not is_placeholder(text))),
        date=most_precise_date(dates),
        doi=first_doi(dois),
        url=_first(map(web_address, urls)),
        type=_first(map(type_of, types)),
    )
    report_odd_date(problems, path, line, dates, paper)
    return paper if paper_id else with_id_from_words(paper)


def report_odd_date(problems: Problems, path: Path, line: int | None, dates: Iterable[str], paper: Paper) -> None:
    """Report a repair if the paper has no date because its date is unreadable."""
    if not paper.date and (odd := next((text for text in dates if is_odd_date(text)), "")):
        problems.repair(Repair(path.name, NO_DATE.format(odd[:LONGEST_SHOWN]), line=line))


def is_odd_date(text: str) -> bool:
    """Return True if an unreadable date is worth reporting because it has letters or digits and isn't a placeholder."""
    return any(map(str.isalnum, text)) and not is_placeholder(text)


def id_from_words(title: str, date: str, first_author: str, series: str = "") -> str:
    """Derive an id from title, date, first author and series, for a paper that has no other id.

    The id doesn't depend on the file, or on case and punctuation. It includes the series and the date, because many
    papers are called "Editorial", and because a preprint and the article based on it are different papers.

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
    """Return a copy of a paper with an id derived from its title, date, first author and series."""
    return replace(paper, paper_id=id_from_words(paper.title, paper.date, _first_author(paper), paper.series))


def _first_author(paper: Paper) -> str:
    return paper.authors[0] if paper.authors else ""


def doi_of(text: str) -> str:
    """Return the first DOI in a string, in lower case and without a prefix, or an empty string if there is none.

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
    if "://" in text[: found.start()] and bare is text:  # the DOI is part of a publisher's URL
        doi = AFTER_PATH.sub("", AFTER_PATH.sub("", doi))
    elif "://" in text:
        doi = doi.split("?")[0]
    return _without_punctuation(unquote(doi) if "%" in doi else doi).lower()


def first_doi(texts: Iterable[str]) -> str:
    """Return the first DOI in several strings, in the form returned by `doi_of`, or an empty string if there is none.

    Examples
    --------
    >>> first_doi(["in press", "doi:10.1257/AER.1"])
    '10.1257/aer.1'
    """
    return next(filter(None, map(doi_of, texts)), "")


def web_address(text: str) -> str:
    """Return a web address without surrounding spaces, or an empty string if the text isn't a web address.

    Examples
    --------
    >>> web_address(" https://example.org/1 "), web_address("javascript:alert(1)"), web_address("page 3")
    ('https://example.org/1', '', '')
    """
    stripped = text.strip()
    return stripped if is_web_address(stripped) else ""


def _without_punctuation(doi: str) -> str:
    """Remove punctuation from the end of a DOI, but leave closing brackets that match an opening bracket."""
    while doi and (doi[-1] in NOT_LAST or (doi[-1] in BRACKETS and doi.count(doi[-1]) > doi.count(BRACKETS[doi[-1]]))):
        doi = doi[:-1]
    return doi


def _first(texts: Iterable[str]) -> str:
    return next(filter(None, map(clean, texts)), "")


def _nonempty_values(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(filter(None, (plain_text(clean(text)) for text in texts)))
