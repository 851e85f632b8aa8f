"""Parse personal names and match their spellings."""

from functools import lru_cache
from typing import NamedTuple

from presort.data.text.words import plain_words

SUFFIXES = frozenset(["jr", "sr", "ii", "iii", "iv"])


class NameParts(NamedTuple):
    """Words of a name, in lower case and without accents.

    Attributes
    ----------
    given, family, suffix : tuple of str
        Words of each part. In a name without a comma, the last word is the family name.
    """

    given: tuple[str, ...]
    family: tuple[str, ...]
    suffix: tuple[str, ...]


def person_key(name: str) -> str:
    """Return a key that is the same for all spellings of a personal name.

    The key consists of the given names, the family name and the suffix. "López, Ana" and "Ana Lopez" get the same key.
    "J. Smith" and "John Smith" get different keys, because J. Smith may also be Jane. A name with a suffix or a given
    name gets a different key from the same name without it.

    Returns
    -------
    str
        Key of the name. Empty if the name has no letters or digits.

    Examples
    --------
    >>> person_key("García López, Ana María"), person_key("ANA MARIA GARCIA LOPEZ")
    ('ana_maria_garcia_lopez', 'ana_maria_garcia_lopez')
    >>> [person_key(name) for name in ("Smith, John", "Smith J.", "J. Smith", "Smith Jr., John", "John Smith, Jr.")]
    ['john_smith', 'j_smith', 'j_smith', 'john_smith_jr', 'john_smith_jr']
    """
    given, family, suffix = name_parts(name)
    return "_".join((*given, *family, *suffix))


@lru_cache(maxsize=100_000)
def name_parts(name: str) -> NameParts:
    """Split a personal name into given names, family name and suffix.

    Examples
    --------
    >>> name_parts("van der Ek, Bo")
    NameParts(given=('bo',), family=('van', 'der', 'ek'), suffix=())
    """
    before, _, after = name.partition(",")
    words, others = plain_words(before), plain_words(after) if after else ()
    suffix: tuple[str, ...] = ()
    if not SUFFIXES.isdisjoint(words[1:]) or not SUFFIXES.isdisjoint(others):
        words, in_front = _separate_suffixes(words, 1)
        others, behind = _separate_suffixes(others, 0)
        suffix = (*in_front, *behind)
    if others:
        return NameParts(others, words, suffix)
    if len(words) > 1 and len(words[-1]) == 1 < len(words[0]):  # as in "Ek B.": an initial is never a family name
        n_family = max(place for place, word in enumerate(words, start=1) if len(word) > 1)
        return NameParts(words[n_family:], words[:n_family], suffix)
    return NameParts(words[:-1], words[-1:], suffix)


def _separate_suffixes(words: tuple[str, ...], first: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Separate the suffixes at index `first` or later from the other words."""
    suffix = tuple(word for word in words[first:] if word in SUFFIXES)
    return (*words[:first], *(word for word in words[first:] if word not in SUFFIXES)), suffix
