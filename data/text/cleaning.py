"""Text as it is kept: one line in composed form, nothing unseen in it."""

import re
import unicodedata

INVISIBLE = re.compile(
    "[\u00ad\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
)  # also those that turn text around
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters and halves of surrogate pairs
MOST_MARKS = 30  # in a row, as in Unicode's stream-safe text format
MAYBE_MARKS = re.compile(rf"[^\w\s\x00-\x7f]{{{MOST_MARKS + 1},}}")  # no mark is a letter, a digit, or space


def listed(words: str) -> tuple[str, ...]:
    """Return the words of a text that lists them, with spaces between."""
    return tuple(words.split())


def clean(text: str) -> str:
    r"""Make one line of plain text: Unicode in composed form, nothing unseen, single spaces.

    Of marks piled on one letter the first 30 stay: to compose them takes time with the square of their number.

    Examples
    --------
    >>> clean("  Minimum\twages\n and  jobs ")
    'Minimum wages and jobs'
    """
    if text.isascii() and text.isprintable():
        if "  " not in text:  # of most texts; a space is their only white space
            return text.strip()
    else:
        composed = unicodedata.normalize("NFC", MAYBE_MARKS.sub(_fewer_marks, INVISIBLE.sub("", text)))
        text = UNPRINTABLE.sub(" ", MAYBE_MARKS.sub(_fewer_marks, composed))  # some are composed to several
    return " ".join(text.split())


NOTHING = frozenset(  # texts that programs write where there is none
    [*listed("na n/a n.a n.d"), "no abstract available", "abstract not available", "no author name available"]
)


def says_nothing(text: str) -> bool:
    """Return whether a text means that the value is missing.

    Examples
    --------
    >>> says_nothing("N/A"), says_nothing("[No abstract available]"), says_nothing("Wages")
    (True, True, False)
    """
    return len(text) < 40 and (not (text := text.strip().lower()) or text.strip("[].") in NOTHING)


def _fewer_marks(found: re.Match[str]) -> str:
    kept, n_marks = [], 0
    for letter in found[0]:
        n_marks = n_marks + 1 if unicodedata.combining(letter) else 0
        if n_marks <= MOST_MARKS:
            kept.append(letter)
    return "".join(kept)
