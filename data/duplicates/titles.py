"""Compare titles, tolerating misspellings, missing words and missing subtitles."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, takewhile
from operator import eq

from rapidfuzz.fuzz import ratio

from presort.data.duplicates.words import Slip, Words, base_form, is_slip
from presort.data.text.cleaning import split_words
from presort.data.text.markup import without_markup
from presort.data.text.words import plain, plain_words

Slips = tuple[Slip, ...]

SUBTITLE = re.compile(r"[:;?!.\u2013\u2014](?=\s)|\s-+\s|-{2,}")
LEAST_CUT = 2  # minimum number of content words in a missing subtitle, and of content words that two titles must share
MOST_SLIPS = 3  # maximum number of misspelled words per title
MOST_WORDS = 60  # longer titles are running text or errors, so they are not searched for subtitles


SMALL = frozenset(
    split_words(
        "a an and the of on in for to with by from at as is are its via de la le les el un une et und der die das"
    )
)
# A content word is a misspelling if the other title has a similarly spelled function word in its place: "hive" for
# "have".
FUNCTION_WORDS = SMALL | frozenset(
    split_words(
        "am be been being did do does had has have how if than that their them then there these they this those was "
        "were what when where whether which while who whose why would"
    )
)
ROMAN = split_words("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx")
SPELLED = split_words(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
ORDINAL = split_words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
ARE_MEANT = frozenset(split_words("a an no not"))  # never joined with the next word: "a symmetric" is not "asymmetric"
LETTERS = split_words("a b c d e f g h")  # letters used to number parts
NUMBER = {word: str(number) for words in (ROMAN, SPELLED, ORDINAL) for number, word in enumerate(words, start=1)}
PARTS = frozenset(split_words("part parts paper volume vol chapter number section book edition series"))
REPLIES = frozenset(
    split_words(
        "reply comment comments rejoinder response erratum errata corrigendum corrigenda correction addendum addenda "
        "discussion retraction retracted withdrawn supplement supplementary appendix revisited redux sequel continued "
        "rebuttal remark note replication reexamination reconsidered reappraisal"
    )
)
# Number and reply words that are long enough to be recognised even if they are misspelled. Negations are excluded,
# because "knot" is not a misspelled "not".
MISSPELLED_MARKS = frozenset(word for word in (*SPELLED, *ORDINAL, *REPLIES) if len(word) >= 4)
NEGATIONS = frozenset(
    split_words(
        "not no non without anti never neither nor nothing none cannot cant dont doesnt didnt isnt arent wasnt wont"
    )
)
# Words in version labels such as "(extended abstract)". A label contains a word in `VERSIONS`, often after one in
# `OF_VERSIONS`.
VERSIONS = frozenset(split_words("version report abstract draft preprint paper"))
EMPTY = frozenset(split_words("toward towards class classes"))  # may be missing, because they don't tell papers apart
OF_VERSIONS = frozenset(
    split_words(
        "full extended expanded long longer short abridged technical preliminary poster demo working revised updated "
        "conference journal arxiv"
    )
)
GENERIC = frozenset(
    split_words(
        "editorial editor editors introduction preface foreword conclusion conclusions review reviews book books note "
        "notes special issue guest overview summary contents abstract abstracts index obituary announcement author "
        "authors news annual quarterly monthly weekly bulletin newsletter letter letters proceedings acknowledgments "
        "acknowledgements correspondence commentary perspective perspectives interview dedication memoriam program "
        "programme call papers report reports"
    )
)


@dataclass(frozen=True, slots=True)
class Likeness:
    """Similarity of two titles that may belong to the same paper.

    Attributes
    ----------
    score : float
        Similarity from 0 to 1. It is 1 if the titles differ only in case, accents, punctuation or a missing subtitle.
    is_whole : bool
        True if no words are missing from either title, apart from short words such as "the" and version labels such as
        "(extended abstract)".
    n_missing : int
        Number of words missing from one of the titles, not counting a missing subtitle.
    slips : tuple of (words, words)
        Pairs of similarly spelled words, one from each title. The words of a pair may be different words, or one may be
        a misspelling of the other.
    is_far : bool
        True if so many words are missing that the titles alone don't suggest that the papers are the same.
    """

    score: float
    is_whole: bool
    n_missing: int = 0
    slips: Slips = ()
    is_far: bool = False


@dataclass(frozen=True, slots=True)
class _Title:
    words: Words
    heads: tuple[int, ...]  # for each subtitle, number of words that precede it


@dataclass(frozen=True, slots=True)
class _Comparison:
    is_whole: bool
    n_missing: int = 0
    slips: Slips = ()
    is_far: bool = False


def is_generic(title: str) -> bool:
    """Return True if a title is so generic that many papers share it.

    Examples
    --------
    >>> is_generic("Editorial"), is_generic("Comment"), is_generic("Comment on Wages")
    (True, True, False)
    """
    content_words = [word for word in plain_words(title) if len(word) > 1 and not word.isdecimal()]
    return all(word in GENERIC | REPLIES | PARTS | SMALL or word in NUMBER for word in content_words)


def compare_titles(first: str, second: str) -> Likeness | None:
    """Compare two titles. Returns None if they belong to different papers.

    Words may be misspelled, missing from one title, joined, or in a different order, and a subtitle may be missing.
    Numbers ("II", "two" and "2" are equal), reply words ("a comment") and negations must occur in both titles. If a
    word of one title is replaced with a different word in the other title, the papers are different.

    Examples
    --------
    >>> compare_titles("Minimum wages and jobs", "Minimun Wages & Jobs") is not None
    True
    >>> compare_titles("Minimum wages, Part I", "Minimum wages, Part II") is None
    True
    >>> compare_titles("Jobs in Spain", "Jobs in Italy"), compare_titles("Minimum wages: a reply", "Minimum wages")
    (None, None)
    >>> compare_titles("Minimum wages: Evidence from Spain in 2008", "Minimum wages").is_whole
    False
    """
    if first > second:  # sorted, so that the result doesn't depend on the order of the arguments
        found = compare_titles(second, first)
        return replace(found, slips=tuple((one, other) for other, one in found.slips)) if found else None
    one, other = _title(first), _title(second)
    whole = _compare(one.words, other.words)
    if whole and whole.is_whole:
        return Likeness(_ratio(one.words, other.words), True, slips=whole.slips)
    pairs = [(cut, other.words) for cut in _truncations(one)] + [(one.words, cut) for cut in _truncations(other)]
    same = [(_ratio(*pair), cut) for pair in pairs if (cut := _compare_truncated(*pair, one.words))]
    if whole:
        same.append((_ratio(one.words, other.words), whole))
    if not same:
        return None
    score, best = max(same, key=lambda one: one[0])
    return Likeness(score, False, best.n_missing, best.slips, best.is_far)


def _compare_truncated(one: Words, other: Words, whole_one: Words) -> _Comparison | None:
    """Compare two titles, one of which has been truncated before its subtitle.

    Returns None if the titles differ, or if the truncated title lacks words of the title that was not truncated.
    """
    found = _compare(one, other)
    cut, words = (other, one) if one == whole_one else (one, other)
    return found if found and (found.is_whole or len(words) < len(cut)) else None


def _ratio(one: Words, other: Words) -> float:
    return ratio(" ".join(one), " ".join(other)) / 100


@lru_cache(maxsize=20_000)
def _title(text: str) -> _Title:
    folded = plain(without_markup(text))
    words = _mark_part_letters(plain_words(folded))
    ends = [found.start() for found in SUBTITLE.finditer(folded)] if len(words) <= MOST_WORDS else []
    return _Title(words, tuple(len(plain_words(folded[:end])) for end in ends))


def _mark_part_letters(words: Words) -> Words:
    """Put ``#`` before letters that number parts, because the "A" in "Part A" is not an article."""
    return tuple(f"#{word}" if word in LETTERS and last in PARTS else word for last, word in pairwise(("", *words)))


def _truncations(title: _Title) -> Iterator[Words]:
    """Yield the title truncated before each subtitle in turn, except subtitles that distinguish parts of a series."""
    for end in title.heads:
        head, tail = title.words[:end], title.words[end:]
        content_words = _content_words(_drop_marks(Counter(tail)))
        if head and len(content_words) >= LEAST_CUT and not _is_of_a_series(tail):
            yield head


def _is_of_a_series(tail: Words) -> bool:
    """Return True for a subtitle such as "II", "Part 2: ..." or "A reply"."""
    parts = any(word in PARTS and _mark(after) for word, after in pairwise(tail))
    return parts or not REPLIES.isdisjoint(tail[:3]) or tail[0].isdecimal() or tail[0] in ROMAN


def _mark(word: str) -> str:
    """Return the normalised form of a number, reply word or negation, or an empty string for any other word.

    If two titles differ in one of these words, their papers are different.
    """
    if word.isdecimal():
        return word.lstrip("0") or "0"
    if word.startswith("#"):
        return word
    if word in NEGATIONS:
        return "not" if word.endswith("nt") else word
    return NUMBER.get(word) or (word.removesuffix("s") if word in REPLIES else "")


def _compare(one: Words, other: Words) -> _Comparison | None:
    """Compare the words of two titles. Returns None if the titles are different."""
    if one == other or _differ_only_in_spaces(one, other):
        return _Comparison(True)
    n_different = min(len(set(one).difference(other)), len(set(other).difference(one)))
    if n_different > MOST_SLIPS + 1:  # quickly rejects most pairs, because counting the words is slower
        return None
    only_one, only_other = Counter(one) - Counter(other), Counter(other) - Counter(one)
    if min(len(only_one), len(only_other)) > MOST_SLIPS + 1:
        return None
    of_marks: Slips = ()
    if _marks(only_one) != _marks(only_other):
        only_one, only_other, of_marks = _without_misspelled_marks(only_one, only_other)
        if _marks(only_one) != _marks(only_other):
            return None
    left, right, slips = _drop_matching_words(_drop_marks(only_one), _drop_marks(only_other))
    slips += of_marks
    if left and right:
        return None
    missing = [word for word in left + right if word not in EMPTY]
    is_version = not VERSIONS.isdisjoint(missing) and set(missing) <= VERSIONS | OF_VERSIONS
    if not missing or is_version:
        return _Comparison(True, slips=slips)
    n_words = max(len(_content_words(_drop_marks(Counter(words)))) for words in (one, other))
    if len(missing) > n_words / 2 or n_words - len(missing) < LEAST_CUT:
        return None
    return _Comparison(False, len(missing), slips, is_far=len(missing) > _max_missing(n_words))


def _differ_only_in_spaces(one: Words, other: Words) -> bool:
    """Return True if two titles differ only in spaces and hyphens, like "non-linear" and "nonlinear"."""
    if len(one) == len(other) or "".join(one) != "".join(other):
        return False
    n_before = _n_common(one, other)
    left, right = one[n_before:], other[n_before:]
    n_after = _n_common(left[::-1], right[::-1])
    different = {*left[: len(left) - n_after], *right[: len(right) - n_after]}
    return ARE_MEANT.isdisjoint(different) and not any(word.isdecimal() for word in different)


def _n_common(one: Words, other: Words) -> int:
    """Count the words in the common prefix of two titles."""
    return sum(takewhile(bool, map(eq, one, other)))


def _max_missing(n_words: int) -> float:
    """Return the maximum number of words that may be missing from a duplicate's title.

    For titles of five words or more, it is at least 2, because a hyphenated word is counted as two words.
    """
    return max(1, min(2, 0.4 * n_words), 0.25 * n_words)


def _without_misspelled_marks(one: Counter[str], other: Counter[str]) -> tuple[Counter[str], Counter[str], Slips]:
    """Remove number and reply words that are misspelled in one title ("frist"). Also return the pairs of spellings."""
    left, right, slips = _without_pairs([*one.elements()], [*other.elements()], _is_misspelled_mark)
    slips = tuple(slip for slip in slips if not _are_forms(slip[0][0], slip[1][0]))
    return Counter(left), Counter(right), slips


def _is_misspelled_mark(word: str, other: str) -> bool:
    marks = {word, other} & MISSPELLED_MARKS
    return len(marks) == 1 and bool(_mark(word)) != bool(_mark(other)) and is_slip(word, other)


def _marks(words: Counter[str]) -> Counter[str]:
    return Counter(mark for word in words.elements() if (mark := _mark(word)))


def _drop_marks(words: Counter[str]) -> list[str]:
    return [word for word in words.elements() if not _mark(word)]


def _content_words(words: Iterable[str]) -> list[str]:
    return [word for word in words if word not in SMALL]


def _drop_matching_words(left: list[str], right: list[str]) -> tuple[list[str], list[str], Slips]:
    """Remove words that the other title contains in another form: inflected, joined, split or misspelled.

    Returns the remaining words of both titles, and the pairs of similarly spelled words.
    """
    left, right, _ = _without_pairs(left, right, _are_forms)
    if "".join(_content_words(left)) == "".join(_content_words(right)):
        return [], [], ()
    left, right, slips = _without_pairs(left, right, is_slip)
    slips = tuple(slip for slip in slips if FUNCTION_WORDS.isdisjoint(slip[0] + slip[1]))
    left, right = _content_words(left), _content_words(right)
    if left and right and is_slip("".join(left), "".join(right)):
        return [], [], (*slips, (tuple(left), tuple(right)))
    return left, right, slips


def _are_forms(word: str, other: str) -> bool:
    return base_form(word) == base_form(other)


def _without_pairs(
    left: list[str], right: list[str], is_pair: Callable[[str, str], bool]
) -> tuple[list[str], list[str], Slips]:
    left, right, pairs = [*left], [*right], list[Slip]()
    for word in [*left]:
        if (other := next((found for found in right if is_pair(word, found)), None)) is not None:
            left.remove(word)
            right.remove(other)
            pairs.append(((word,), (other,)))
    return left, right, tuple(pairs)
