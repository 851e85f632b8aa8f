"""Fill in sentence patterns with phrases, choosing the correct articles, verb forms and capital letters.

A pattern is a string with slots: ``{cause}`` inserts a phrase, ``{cause:does|do}`` inserts the verb form that agrees
with the phrase, and ``{a nation}`` inserts the phrase preceded by "a" or "an". In word lists, a trailing ``+`` marks a
plural phrase.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

SMALL_WORDS = frozenset(
    {"a", "an", "and", "as", "at", "between", "but", "by", "during", "for", "from", "in", "into", "of", "on", "or"}
    | {"over", "per", "the", "to", "under", "up", "with"}
)
VOWEL_SOUND = re.compile(r"[aio]|e(?!u)|u(?!ni|s[aei]|k)|hour|8|11\b|18\b", re.IGNORECASE)
SLOT = re.compile(r"\{([^{}]+)\}")


class Phrase(NamedTuple):
    """Noun phrase. `plural` is True if it takes a plural verb."""

    text: str
    plural: bool = False


def phrases(listed: str) -> tuple[Phrase, ...]:
    """Parse a list of phrases written as ``"one; many+"``.

    Examples
    --------
    >>> phrases("inflation; house prices+")
    (Phrase(text='inflation', plural=False), Phrase(text='house prices', plural=True))
    """
    items = (" ".join(item.split()) for item in listed.split(";"))
    return tuple(Phrase(item.removesuffix("+"), item.endswith("+")) for item in items)


def with_article(text: str) -> str:
    """Put "a" or "an" before a phrase, depending on its first sound.

    Examples
    --------
    >>> [with_article(text) for text in ("Italian reform", "union", "8 percent rise", "British tax")]
    ['an Italian reform', 'a union', 'an 8 percent rise', 'a British tax']
    """
    return f"{'an' if VOWEL_SOUND.match(text) else 'a'} {text}"


def fill(pattern: str, words: Mapping[str, Phrase]) -> str:
    """Fill in the slots of a pattern, and capitalise its first letter and each letter after a question mark.

    Examples
    --------
    >>> words = {"cause": Phrase("tariffs", plural=True), "nation": Phrase("Italian")}
    >>> fill("{cause:does|do} {cause} pay? {a nation} answer", words)
    'Do tariffs pay? An Italian answer'
    """
    parts = [text if slot is None else _fill_slot(slot, words) for text, slot in _split_slots(pattern)]
    return _capitalise_sentences("".join(parts))


@cache
def title_case(word: str) -> str:
    """Capitalise a word for use in a title, unless it is a short function word or already contains capitals.

    Examples
    --------
    >>> " ".join(title_case(word) for word in "gains from employer-led training in the EU".split())
    'Gains from Employer-Led Training in the EU'
    """
    if "-" in word:
        return "-".join(title_case(part) for part in word.split("-"))
    return word if word in SMALL_WORDS or word != word.lower() else word[:1].upper() + word[1:]


@cache
def _split_slots(pattern: str) -> tuple[tuple[str, str | None], ...]:
    pieces = SLOT.split(pattern)  # literal strings and slots alternate
    return tuple((piece, piece if number % 2 else None) for number, piece in enumerate(pieces) if piece)


def _fill_slot(slot: str, words: Mapping[str, Phrase]) -> str:
    if ":" in slot:
        name, forms = slot.split(":")
        singular, plural = forms.split("|")
        return plural if words[name].plural else singular
    if slot.startswith("a "):
        return with_article(words[slot[2:]].text)
    return words[slot].text


def _capitalise_sentences(text: str) -> str:
    text = text[:1].upper() + text[1:]
    if "? " not in text:
        return text
    return re.sub(r"\? [a-z]", lambda match: match.group().upper(), text)
