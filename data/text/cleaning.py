"""Clean text for storage: a single line in composed Unicode, without invisible characters."""

import re
import unicodedata

# Also matches characters that change the text direction.
INVISIBLE = re.compile("[\u00ad\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters and halves of surrogate pairs
MOST_MARKS = 30  # maximum number of consecutive combining marks, as in Unicode's stream-safe text format
MAYBE_MARKS = re.compile(rf"[^\w\s\x00-\x7f]{{{MOST_MARKS + 1},}}")  # a run that may have too many combining marks


def split_words(words: str) -> tuple[str, ...]:
    """Split a string of words separated by spaces."""
    return tuple(words.split())


def clean(text: str) -> str:
    r"""Convert text to a single line in composed Unicode, with single spaces and without invisible characters.

    At most 30 combining marks per letter are retained, because composition takes quadratic time in their number.

    Examples
    --------
    >>> clean("  Minimum\twages\n and  jobs ")
    'Minimum wages and jobs'
    """
    if text.isascii() and text.isprintable():
        if "  " not in text:  # shortcut for most texts: a space is the only white space in printable ASCII
            return text.strip()
    else:
        composed = unicodedata.normalize("NFC", MAYBE_MARKS.sub(_limit_marks, INVISIBLE.sub("", text)))
        # Limit the marks again, because NFC can convert one mark to several.
        text = UNPRINTABLE.sub(" ", MAYBE_MARKS.sub(_limit_marks, composed))
    return " ".join(text.split())


NOTHING = frozenset(  # placeholders that programs write for missing values
    [*split_words("na n/a n.a n.d"), "no abstract available", "abstract not available", "no author name available"]
)


def is_placeholder(text: str) -> bool:
    """Return True if a string is empty or a placeholder for a missing value.

    Examples
    --------
    >>> is_placeholder("N/A"), is_placeholder("[No abstract available]"), is_placeholder("Wages")
    (True, True, False)
    """
    return len(text) < 40 and (not (text := text.strip().lower()) or text.strip("[].") in NOTHING)


def _limit_marks(found: re.Match[str]) -> str:
    kept, n_marks = [], 0
    for letter in found[0]:
        n_marks = n_marks + 1 if unicodedata.combining(letter) else 0
        if n_marks <= MOST_MARKS:
            kept.append(letter)
    return "".join(kept)
