"""Do two lists of authors name the same people, whatever way the names are written."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA

from data.plain_words import plain_words

BETWEEN = re.compile(r"\s+(?:and|&)\s+|\s*[;&]\s*")
SUFFIXES = frozenset(["jr", "sr", "ii", "iii", "iv"])
INITIALS = re.compile(r"(?:[A-Z]\.?-?){1,3}")
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
    """Take names apart; one string may hold several, with "and" or commas between."""
    return [name for text in authors for part in _parted(text) if (name := _name(part)).family]


def _parted(text: str) -> list[str]:
    parts = [part for part in BETWEEN.split(text) if part.strip()]
    if len(parts) == 1 and text.count(",") >= 1:
        pieces = text.split(",")
        return pieces if all(len(piece.split()) > 1 for piece in pieces) else parts
    return parts


@lru_cache(maxsize=100_000)
def _name(text: str) -> Name:
    before, comma, after = text.partition(",")
    if comma and not set(plain_words(after)) <= SUFFIXES:
        family, given = plain_words(before), plain_words(after)
    else:
        written = before.split()
        last = [word for word in written if word.strip(".").casefold() not in SUFFIXES]
        if len(last) > 1 and INITIALS.fullmatch(last[-1]) and not INITIALS.fullmatch(last[0]):  # "Ek B."
            last = [*last[-1:], *last[:-1]]
        words = [word for part in last for word in plain_words(part)]
        family, given = tuple(words[-1:]), tuple(words[:-1])
    family = tuple(word for word in family if word not in SUFFIXES)
    return Name(family[-1] if family else "", given[0][0] if given else "", frozenset((*family, *given)))


def _is_same(one: Name, other: Name) -> bool:
    if one.words == other.words:
        return True
    if one.initial and other.initial and one.initial != other.initial:
        return False
    if one.family == other.family:
        return True
    return min(len(one.family), len(other.family)) >= LONG and OSA.distance(one.family, other.family) <= 1
