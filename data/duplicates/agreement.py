"""Compare the abstracts, authors and ids of two papers."""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Literal, NamedTuple

from rapidfuzz.distance import OSA

from presort.data.duplicates.titles import compare_titles, is_generic
from presort.data.duplicates.words import base_form, differ_in_words
from presort.data.records import Paper
from presort.data.records.names import name_parts
from presort.data.text.cleaning import split_words
from presort.data.text.markup import without_markup
from presort.data.text.words import plain_words

LEAST_LETTERS = 3  # minimum number of letters in a content word
PHRASE = 3  # number of words in a phrase

# These words occur in most abstracts, so they don't help to tell papers apart.
COMMON = frozenset(
    split_words(
        "about above across after all also among analysis and approach are based been before being between both but "
        "can could data different does each effect even evidence few find finding first for from has have how however "
        "important into its large less main many may method model more most much new not number obtain obtained one "
        "only other our over paper problem proof propose proposed prove provide result same several show shown "
        "significant some study such than that the their then there these they this those three through two under "
        "used using very via was well were what when where whether which while who will with within without would"
    )
)


class Agreement(IntEnum):
    """Degree to which two abstracts agree, from the lowest to the highest."""

    UNLIKE = 0
    ALIKE = 1  # same subject: either the abstract was heavily revised, or the papers are only related
    SIMILAR = 2
    CLOSE = 3  # same abstract with slight revisions
    VERBATIM = 4  # same abstract word for word, but part of it may be missing


# Minimum shares of the shorter abstract's content words and phrases that the other abstract must contain. The values
# were chosen using hand-labelled pairs of papers. `benchmarks/duplicates.py` measures the error rates.
LEAST = (
    (Agreement.VERBATIM, 0.9, 0.9),
    (Agreement.CLOSE, 0.8, 0.62),
    (Agreement.SIMILAR, 0.6, 0.3),
    (Agreement.ALIKE, 0.5, 0.1),
)


def agreement(one: str, other: str) -> Agreement | None:
    """Return how closely two abstracts agree, or None if either contains no words.

    Examples
    --------
    >>> agreement("We count the jobs of young people.", "We count the jobs of young people. They are few.").name
    'VERBATIM'
    >>> agreement("We count the jobs of young people.", "Trees grow near rivers.").name, agreement("", "Trees grow.")
    ('UNLIKE', None)
    """
    (words, phrases), (other_words, other_phrases) = _words_and_phrases(one), _words_and_phrases(other)
    if not words or not other_words:
        return None
    of_words, of_phrases = _overlap(words, other_words), _overlap(phrases, other_phrases)
    found = (level for level, least, of_least in LEAST if of_words >= least and of_phrases >= of_least)
    return next(found, Agreement.UNLIKE)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the smaller set's elements that the larger set also contains, or 1 if either set is empty."""
    n_least = min(len(one), len(other))
    return len(one & other) / n_least if n_least else 1.0


@lru_cache(maxsize=5_000)
def _words_and_phrases(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the content words and the phrases of an abstract."""
    words = tuple(map(base_form, plain_words(without_markup(text))))
    content = frozenset(word for word in words if len(word) >= LEAST_LETTERS and word not in COMMON)
    phrases = zip(*(words[place:] for place in range(PHRASE)), strict=False)
    return content or frozenset(words), frozenset(map(" ".join, phrases))


BETWEEN = re.compile(r"\s+(?:and|&)\s+|\s*[;&]\s*")
INITIALS = re.compile(r"(?:[A-Z]\.?-?){1,3}")
LEAST_SHARE = 0.5  # two duplicates must share at least this fraction of the shorter author list
LONG = 5  # minimum length of a family name for which a misspelling is tolerated


class Name(NamedTuple):
    """Parsed author name, in lower case and without accents."""

    family: str  # last word of the family name
    initial: str  # initial of the first given name; empty if there is no given name
    words: frozenset[str]


class SharedAuthors(NamedTuple):
    """Overlap of two author lists.

    Attributes
    ----------
    share : float
        Fraction of the shorter list's names that are also in the other list, or 0 if either list is empty.
    is_all : bool
        True if both lists contain the same names and are not empty.
    """

    share: float
    is_all: bool


def compare_authors(first: Sequence[str], second: Sequence[str]) -> SharedAuthors:
    r"""Compare two lists of author names, ignoring the order of the names.

    Examples
    --------
    >>> compare_authors(["Zoë M. Núñez", "Bo Ek"], [r"N\'u\~nez, Z.", "Ek, Bo"])
    SharedAuthors(share=1.0, is_all=True)
    >>> compare_authors(["Zoë Núñez"], ["Ana Núñez"])
    SharedAuthors(share=0.0, is_all=False)
    """
    one, other = names_of(first), list(names_of(second))
    shorter, n_shared = min(len(one), len(other)), 0
    is_same_number = len(one) == len(other)
    for name in one:
        if found := next((found for found in other if _is_same(name, found)), None):
            other.remove(found)
            n_shared += 1
    return SharedAuthors(n_shared / shorter if shorter else 0.0, is_same_number and bool(one) and not other)


def names_of(authors: Sequence[str]) -> list[Name]:
    """Parse author names. Each string may contain several names, separated by "and", "&" or a semicolon."""
    parts = (part for text in authors for part in BETWEEN.split(text) if part.strip())
    return [name for part in parts if (name := _parse_name(part)).family]


@lru_cache(maxsize=100_000)
def _parse_name(text: str) -> Name:
    written = text.split()
    if "," not in text and INITIALS.fullmatch(written[-1]) and not INITIALS.fullmatch(written[0]):  # as in "Ek BC"
        text = f"{' '.join(written[:-1])}, {written[-1]}"
    given, family, _ = name_parts(text)
    return Name(family[-1] if family else "", given[0][0] if given else "", frozenset((*family, *given)))


def _is_same(one: Name, other: Name) -> bool:
    if one.words == other.words:
        return True
    if one.initial and other.initial and one.initial != other.initial:
        return False
    if one.family == other.family:
        return True
    return min(len(one.family), len(other.family)) >= LONG and OSA.distance(one.family, other.family) <= 1


Relation = Literal["same", "possible", "different"]


def relation(one: Paper, other: Paper, *, is_of_record: bool) -> Relation:
    """Return whether two papers with the same identifier are the "same", a "possible" match, or "different".

    Parameters
    ----------
    is_of_record : bool
        True if the identifier belongs to a record in an archive (a RePEc handle, or an arXiv or OAI id), whose title,
        authors and abstract may all be revised. False for a DOI or a URL, which may belong to a whole book, a
        supplement or a page that lists many papers.

    Examples
    --------
    >>> wages, trade = Paper("", "Wages in towns", authors=("Ann Lee",)), Paper("", "Trade", authors=("Cy Oz",))
    >>> relation(wages, trade, is_of_record=False), relation(wages, trade, is_of_record=True)
    ('different', 'different')
    >>> retitled = Paper("", "Pay and work", authors=("Ann Lee",))
    >>> relation(wages, retitled, is_of_record=False), relation(wages, retitled, is_of_record=True)
    ('possible', 'same')
    """
    texts, other_texts = ((paper.title, paper.authors, paper.abstract) for paper in (one, other))
    if texts == other_texts and not is_generic(one.title):  # shortcut: most reimported papers are unchanged
        return "same"
    authors, abstracts = _have_same_authors(one, other), agreement(one.abstract, other.abstract)
    if _titles_agree(one, other, authors, abstracts):
        return "same"
    if is_of_record:
        is_another = not abstracts if authors is False else authors is None and abstracts is Agreement.UNLIKE
        return "different" if is_another else "same"
    if abstracts is not None and abstracts >= Agreement.CLOSE and authors is not False:
        return "same"
    return "possible" if authors or abstracts else "different"


def _have_same_authors(one: Paper, other: Paper) -> bool | None:
    if not names_of(one.authors) or not names_of(other.authors):
        return None
    return compare_authors(one.authors, other.authors).share >= LEAST_SHARE


def _titles_agree(one: Paper, other: Paper, authors: bool | None, abstracts: Agreement | None) -> bool:
    """Return True if the titles agree, and the authors and abstracts don't show that the papers are different.

    Papers are different if both their authors and their abstracts differ. If words are missing from a title, papers
    with different abstracts are different. If a title is generic, papers are different if any of their titles, series,
    authors and abstracts differ.
    """
    if authors is False and abstracts is Agreement.UNLIKE:
        return False
    if is_generic(one.title) or is_generic(other.title):
        is_one_title = plain_words(one.title) == plain_words(other.title)
        return (
            is_one_title and _is_same_series(one, other) and authors is not False and abstracts is not Agreement.UNLIKE
        )
    titles = compare_titles(one.title, other.title)
    if titles is None or titles.is_far or differ_in_words(titles.slips, one, other):
        return False
    return titles.is_whole or abstracts is not Agreement.UNLIKE


def _is_same_series(one: Paper, other: Paper) -> bool:
    return not one.series or not other.series or plain_words(one.series) == plain_words(other.series)
