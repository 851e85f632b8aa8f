"""Do two lists of authors name the same people, whatever way the names are written."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA

from presort.data.records.names import name_parts

BETWEEN = re.compile(r"\s+(?:and|&)\s+|\s*[;&]\s*")
INITIALS = re.compile(r"(?:[A-Z]\.?-?){1,3}")
LEAST_SHARE = 0.5  # of the shorter list's authors
LONG = 5  # letters of a family name in which one may be wrong


class Name(NamedTuple):
    """A name taken apart, folded."""

    family: str  # its last word
    initial: str  # of the first given name, or empty
    words: frozenset[str]


class Agreement(NamedTuple):
    """How many names two lists share.

    Attributes
    ----------
    share : float
        Of the shorter list, from 0 to 1; 0 if a list is empty.
    is_all : bool
        Both lists have the same names.
    """

    share: float
    is_all: bool


def same_authors(first: Sequence[str], second: Sequence[str]) -> Agreement:
    r"""Compare two lists of names; their order does not matter.

    Examples
    --------
    >>> same_authors(["Zoë M. Núñez", "Bo Ek"], [r"N\'u\~nez, Z.", "Ek, Bo"])
    Agreement(share=1.0, is_all=True)
    >>> same_authors(["Zoë Núñez"], ["Ana Núñez"])
    Agreement(share=0.0, is_all=False)
    """
    one, other = names_of(first), list(names_of(second))
    shorter, n_shared = min(len(one), len(other)), 0
    is_same_number = len(one) == len(other)
    for name in one:
        if found := next((found for found in other if _is_same(name, found)), None):
            other.remove(found)
            n_shared += 1
    return Agreement(n_shared / shorter if shorter else 0.0, is_same_number and bool(one) and not other)


def names_of(authors: Sequence[str]) -> list[Name]:
    """Take names apart; one string may hold several, with "and" or a semicolon between."""
    parts = (part for text in authors for part in BETWEEN.split(text) if part.strip())
    return [name for part in parts if (name := _name(part)).family]


@lru_cache(maxsize=100_000)
def _name(text: str) -> Name:
    written = text.split()
    if "," not in text and INITIALS.fullmatch(written[-1]) and not INITIALS.fullmatch(written[0]):  # "Ek BC"
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
