"""Editors' hints, which are muted and boosted terms, and the search for papers that contain these terms.

Papers are scored as if they did not contain a muted term. Each boosted term raises the score of a paper that contains
it by one standard deviation of the report's scores. A term is an author, a code, or one or more words from the title or
abstract. Words that rankers ignore may separate the words of a term: "rates of interest" contains "rates interest".
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from presort.data.records import RUN, UNSPACED, Paper, person_key
from presort.ranker.text import plain_text

# A word that rankers ignore. The alternatives are mutually exclusive. If they overlapped, matching a long series of
# ignored words would take exponential time.
UNREAD = rf"(?:\d\w*|[^\W\d]|{'|'.join(sorted(word for word in ENGLISH_STOP_WORDS if len(word) > 1))})"
SPACED = rf"[^\W{UNSPACED}]"  # a character from a script that separates words with spaces
GAP = rf"\W+(?:{UNREAD}\W+)*"


def has(paper: Paper, term: str) -> bool:
    """Return True if a paper contains a term.

    Examples
    --------
    >>> paper = Paper("p1", "Rates of interest", "A survey.", ("Zoë Núñez",), ("E51",))
    >>> [has(paper, term) for term in ("rates interest", "survey", "zoe nunez", "e5", "nun")]
    [True, True, True, True, False]
    """
    plain = plain_text(term).strip()
    if not plain:  # the term consisted only of accents; an empty term would match every code
        return False
    name_of_term = person_key(term)
    return (
        any(_stands_in(plain_text(text), plain) for text in (paper.title, paper.abstract))
        or any(person_key(name) == name_of_term for name in paper.authors)
        or any(code.startswith(plain) for text in paper.codes for code in plain_text(text).split())
    )


def remove_terms(paper: Paper, terms: Sequence[str]) -> Paper:
    """Return a copy of a paper from which the given terms have been removed.

    Examples
    --------
    >>> paper = remove_terms(Paper("p1", "Rates of interest", "The rates."), ["interest"])
    >>> paper.title, paper.abstract
    ('rates of  ', 'The rates.')
    """
    for term in terms:
        paper = _remove_term(paper, term)
    return paper


def _remove_term(paper: Paper, term: str) -> Paper:
    plain = plain_text(term).strip()
    if not plain:
        return paper
    codes = [code for text in paper.codes for code in text.split()]
    name_of_term = person_key(term)
    other_names = tuple(name for name in paper.authors if person_key(name) != name_of_term)
    other_codes = tuple(code for code in codes if not plain_text(code).startswith(plain))
    return replace(
        paper,
        title=_cut(paper.title, plain),
        abstract=_cut(paper.abstract, plain),
        authors=other_names,
        codes=paper.codes if len(other_codes) == len(codes) else other_codes,
    )


def _cut(text: str, term: str) -> str:
    """Remove a term from a text. The result is in lower case if the term occurred, and otherwise unchanged."""
    if not _stands_in(plain_text(text), term):
        return text
    letters = text.lower()  # keep the accents, because some rankers use them
    plain = [letters] if letters.isascii() else [plain_text(letter) for letter in letters]
    places = range(len(letters)) if letters.isascii() else [at for at, as_read in enumerate(plain) for _ in as_read]
    kept, end = "", 0
    for found in _pattern(term).finditer("".join(plain)):
        kept += letters[end : places[found.start()]] + " "
        end = places[found.end() - 1] + 1
    return kept + letters[end:]


def _stands_in(text: str, term: str) -> bool:
    """Return True if a text contains a term. Both must be plain text."""
    # The first condition is fast and rules out most texts.
    return all(word in text for word in term.split()) and _pattern(term).search(text) is not None


@lru_cache(maxsize=1_000)
def _pattern(term: str) -> re.Pattern[str]:
    words = GAP.join(re.escape(word) for word in term.split())
    before = "" if RUN.match(term) else rf"(?<!{SPACED})"
    after = "" if RUN.match(term[-1]) else rf"(?!{SPACED})"
    return re.compile(f"{before}{words}{after}")


# a word or, in scripts that don't separate words with spaces, a single character
PIECE = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
Places = set[int]


class TermIndex:
    """Inverted index from words, names and codes to papers.

    In texts, a term only matches whole words, so only papers whose texts contain all of its words are searched.

    Parameters
    ----------
    papers : sequence of Paper
        Papers to index.

    Examples
    --------
    >>> papers = [Paper("p1", "Rates of interest"), Paper("p2", "Interest"), Paper("p3", "Old money", codes=("E51",))]
    >>> index = TermIndex(papers)
    >>> index.find("interest"), index.find("rates interest"), index.find("e5"), index.find("trust")
    ([0, 1], [0], [2], [])
    """

    def __init__(self, papers: Sequence[Paper]) -> None:
        self.papers = papers

    def find(self, term: str) -> list[int]:
        """Return the ascending indexes of the papers that contain a term, as defined by `ranker.hints.has`.

        The first call builds the index.
        """
        plain = plain_text(term).strip()
        if not plain:
            return []
        runs = PIECE.findall(plain)
        if runs == [plain]:
            found = self._words.get(plain, set())
        else:
            in_all = [self._words.get(run, set()) for run in runs]
            candidates = set.intersection(*in_all) if in_all else set(range(len(self.papers)))
            found = {place for place in candidates if has(self.papers[place], term)}
        return sorted(found | self._names.get(person_key(term), set()) | self._codes.get(plain, set()))

    @cached_property
    def _words(self) -> dict[str, Places]:
        found: defaultdict[str, Places] = defaultdict(set)
        for place, paper in enumerate(self.papers):
            for run in {*PIECE.findall(plain_text(paper.title)), *PIECE.findall(plain_text(paper.abstract))}:
                found[run].add(place)
        return dict(found)

    @cached_property
    def _names(self) -> dict[str, Places]:
        found: defaultdict[str, Places] = defaultdict(set)
        for place, paper in enumerate(self.papers):
            for name in paper.authors:
                found[person_key(name)].add(place)
        return dict(found)

    @cached_property
    def _codes(self) -> dict[str, Places]:
        """Indexes of papers, keyed by every prefix of their codes."""
        found: defaultdict[str, Places] = defaultdict(set)
        for place, paper in enumerate(self.papers):
            for code in (code for text in paper.codes for code in plain_text(text).split()):
                for end in range(1, len(code) + 1):
                    found[code[:end]].add(place)
        return dict(found)
