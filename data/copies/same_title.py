"""Do two titles name the same paper: spelled differently, a word dropped, without the subtitle."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rapidfuzz.distance import OSA
from rapidfuzz.fuzz import ratio

from data.text.plain_words import plain, plain_words

Words = tuple[str, ...]

SUBTITLE = re.compile(r"[:;?!.\u2013\u2014](?=\s)|\s-+\s|-{2,}")
LEAST_CUT = 2  # words of its own that a subtitle has, and that the title has without it
MOST_SLIPS = 3  # words of a title misspelled
MOST_WORDS = 60  # of a title; what is longer is a text, or a file gone wrong, and is not looked at for subtitles


def _listed(words: str) -> Words:
    return tuple(words.split())


SMALL = frozenset(
    _listed("a an and the of on in for to with by from at as is are its via de la le les el un une et und der die das")
)
ROMAN = _listed("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx")
SPELLED = _listed("one two three four five six seven eight nine ten")
ORDINAL = _listed("first second third fourth fifth")
NUMBER = {word: str(number) for words in (ROMAN, SPELLED, ORDINAL) for number, word in enumerate(words, start=1)}
PARTS = frozenset(_listed("part paper volume vol chapter number"))
REPLIES = frozenset(
    _listed(
        "reply comment comments rejoinder response erratum errata corrigendum correction addendum discussion "
        "retraction supplement supplementary appendix revisited"
    )
)
NEGATIONS = frozenset(_listed("not no non without anti"))
GENERIC = frozenset(
    _listed(
        "editorial editor editors introduction preface foreword conclusion conclusions review reviews book books note "
        "notes special issue guest overview summary contents abstract abstracts index obituary announcement author "
        "authors news"
    )
)
PREFIXES = frozenset(_listed("un in im ir il non anti dis de re co sub bi pre under over"))  # of another word
TURNED = ("asy", "aty", "ape", "aso", "acy")  # asymmetric, atypical, aperiodic, asocial, acyclic


@dataclass(frozen=True, slots=True)
class Likeness:
    """How two titles name the same paper.

    Attributes
    ----------
    score : float
        From 0 to 1, which means letter by letter: capitals, accents, punctuation and a missing subtitle apart.
    is_whole : bool
        No word of either is missing from the other, but for small ones such as "the".
    """

    score: float
    is_whole: bool


@dataclass(frozen=True, slots=True)
class _Title:
    words: Words
    heads: tuple[int, ...]  # numbers of words in front of each subtitle


def is_generic(title: str) -> bool:
    """Return whether a title tells nothing of the paper, so that many have it.

    Examples
    --------
    >>> is_generic("Editorial"), is_generic("Comment"), is_generic("Comment on Wages")
    (True, True, False)
    """
    telling = [word for word in plain_words(title) if len(word) > 1 and not word.isdecimal()]
    return all(word in GENERIC | REPLIES | PARTS | SMALL or word in NUMBER for word in telling)


def same_title(first: str, second: str) -> Likeness | None:
    """Compare two titles; None if they name different papers.

    A word may be misspelled, missing on one side, joined or in another order; a subtitle may be missing. Numbers
    ("II", "two" and "2" are the same), replies ("a comment") and negations must be there on both sides. A word in place
    of another is another paper.

    Examples
    --------
    >>> same_title("Minimum wages and jobs", "Minimun Wages & Jobs") is not None
    True
    >>> same_title("Minimum wages, Part I", "Minimum wages, Part II"), same_title("Jobs in Spain", "Jobs in Italy")
    (None, None)
    >>> same_title("Minimum wages: a reply", "Minimum wages") is None
    True
    >>> same_title("Minimum wages: Evidence from Spain in 2008", "Minimum wages").is_whole
    False
    """
    one, other = map(_title, sorted([first, second]))  # who is compared with whom must not matter
    if is_whole := _is_same(one.words, other.words):
        return Likeness(_ratio(one.words, other.words), True)
    pairs = [(cut, other.words) for cut in _cuts(one)] + [(cut, one.words) for cut in _cuts(other)]
    same = [pair for pair in pairs if _is_cut(*pair)] + [(one.words, other.words)] * (is_whole is False)
    return Likeness(max(_ratio(*pair) for pair in same), False) if same else None


def _is_cut(cut: Words, words: Words) -> bool:
    """Return whether words are those of a title cut short, without any that it never had."""
    is_whole = _is_same(cut, words)
    return bool(is_whole) or (is_whole is False and len(words) < len(cut))


def _ratio(one: Words, other: Words) -> float:
    return ratio(" ".join(one), " ".join(other)) / 100


@lru_cache(maxsize=20_000)
def _title(text: str) -> _Title:
    folded = plain(text)
    words = plain_words(folded)
    ends = [found.start() for found in SUBTITLE.finditer(folded)] if len(words) <= MOST_WORDS else []
    return _Title(words, tuple(len(plain_words(folded[:end])) for end in ends))


def _cuts(title: _Title) -> Iterator[Words]:
    """Yield the title without each subtitle that is not what tells one part of a series from the next."""
    for end in title.heads:
        head, tail = title.words[:end], title.words[end:]
        telling = _telling(_unmarked(Counter(tail)))
        if head and len(telling) >= LEAST_CUT and not _is_of_a_series(tail):
            yield head


def _is_of_a_series(tail: Words) -> bool:
    """Return whether a subtitle is as "II", "Part 2: ..." or "A reply"."""
    parts = any(word in PARTS and _mark(after) for word, after in pairwise(tail))
    return parts or not REPLIES.isdisjoint(tail[:3]) or tail[0].isdecimal() or tail[0] in ROMAN


def _mark(word: str) -> str:
    """Return what a word that tells apart stands for: a number, a reply or a negation."""
    if word.isdecimal():
        return word
    return NUMBER.get(word) or (word.removesuffix("s") if word in REPLIES else word if word in NEGATIONS else "")


def _is_same(one: Words, other: Words) -> bool | None:
    """Return whether the words are those of one title: True if all are there, False if some are missing."""
    if one == other:
        return True
    n_different = min(len(set(one).difference(other)), len(set(other).difference(one)))
    if n_different > MOST_SLIPS + 1:  # most titles; counting the words takes longer
        return None
    only_one, only_other = Counter(one) - Counter(other), Counter(other) - Counter(one)
    if min(len(only_one), len(only_other)) > MOST_SLIPS + 1 or _marks(only_one) != _marks(only_other):
        return None
    left, right = map(_telling, _unpaired(_unmarked(only_one), _unmarked(only_other)))
    if not left and not right:
        return True
    if left and right:
        return True if _is_misspelled("".join(left), "".join(right)) else None  # joined or parted
    n_words = max(len(_telling(_unmarked(Counter(words)))) for words in (one, other))
    n_missing = len(left) + len(right)
    return False if n_missing <= _most_missing(n_words) and n_words - n_missing >= LEAST_CUT else None


def _most_missing(n_words: int) -> float:
    """Return how many words a copy may lack: a word with a hyphen counts as two."""
    return max(1, min(2, 0.4 * n_words), 0.25 * n_words)


def _marks(words: Counter[str]) -> Counter[str]:
    return Counter(mark for word in words.elements() if (mark := _mark(word)))


def _unmarked(words: Counter[str]) -> list[str]:
    return [word for word in words.elements() if not _mark(word)]


def _telling(words: Iterable[str]) -> list[str]:
    return [word for word in words if word not in SMALL]


def _unpaired(left: list[str], right: list[str]) -> tuple[list[str], list[str]]:
    """Take away words that are spellings of each other."""
    alone = []
    for word in left:
        spelling = next((found for found in right if _is_misspelled(word, found)), None)
        if spelling is None:
            alone.append(word)
        else:
            right = [*right]
            right.remove(spelling)
    return alone, right


def _is_misspelled(word: str, other: str) -> bool:
    """Return whether two words are one: a slip in words of four letters and more, two in long ones."""
    short, long = sorted((word, other), key=len)
    added = long[: len(long) - len(short)]
    if added and long.endswith(short) and short[0] != long[0] and (added in PREFIXES or long.startswith(TURNED)):
        return False  # "stable" and "unstable"
    if len(long) == 3:  # "cnn" and "rnn" are two words
        return (len(short) == 2 or sorted(short) == sorted(long)) and OSA.distance(short, long) == 1
    slips = (len(long) >= 4) + (len(long) >= 9)
    return OSA.distance(word, other, score_cutoff=slips) <= slips
