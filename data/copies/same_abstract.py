"""Agreement of two abstracts: the same text (perhaps shortened), a revised text, or a text on another subject."""

from enum import IntEnum
from functools import lru_cache

from presort.data.copies.word_forms import base_form
from presort.data.text.cleaning import listed
from presort.data.text.markup import without_markup
from presort.data.text.plain_words import plain_words

LEAST_LETTERS = 3  # of a content word
PHRASE = 3  # words

# Words that most abstracts have.
COMMON = frozenset(
    listed(
        "about above across after all also among analysis and approach are based been before being between both but "
        "can could data different does each effect even evidence few find finding first for from has have how however "
        "important into its large less main many may method model more most much new not number obtain obtained one "
        "only other our over paper problem proof propose proposed prove provide result same several show shown "
        "significant some study such than that the their then there these they this those three through two under "
        "used using very via was well were what when where whether which while who will with within without would"
    )
)


class Agreement(IntEnum):
    """Degree of agreement of two abstracts. Each value includes the lower ones."""

    UNLIKE = 0
    ALIKE = 1  # on one subject: revised by its authors, or of a related paper
    SIMILAR = 2
    CLOSE = 3  # revised a little
    VERBATIM = 4  # the same text; a part may be missing


# Least share of the shorter abstract's content words, and of its phrases, that the other one has. Chosen on pairs of
# papers that were labelled by hand; `benchmarks/duplicates.py` measures them.
LEAST = (
    (Agreement.VERBATIM, 0.9, 0.9),
    (Agreement.CLOSE, 0.8, 0.62),
    (Agreement.SIMILAR, 0.6, 0.3),
    (Agreement.ALIKE, 0.5, 0.1),
)


def agreement(one: str, other: str) -> Agreement | None:
    """Compare two abstracts. Returns None if either has no words.

    Examples
    --------
    >>> agreement("We count the jobs of young people.", "We count the jobs of young people. They are few.").name
    'VERBATIM'
    >>> agreement("We count the jobs of young people.", "Trees grow near rivers.").name, agreement("", "Trees grow.")
    ('UNLIKE', None)
    """
    (words, phrases), (other_words, other_phrases) = _parts(one), _parts(other)
    if not words or not other_words:
        return None
    of_words, of_phrases = _shared(words, other_words), _shared(phrases, other_phrases)
    found = (level for level, least, of_least in LEAST if of_words >= least and of_phrases >= of_least)
    return next(found, Agreement.UNLIKE)


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the smaller set that the other one has; 1 if that is empty."""
    n_least = min(len(one), len(other))
    return len(one & other) / n_least if n_least else 1.0


@lru_cache(maxsize=5_000)
def _parts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the content words and the phrases of an abstract."""
    words = tuple(map(base_form, plain_words(without_markup(text))))
    content = frozenset(word for word in words if len(word) >= LEAST_LETTERS and word not in COMMON)
    phrases = zip(*(words[place:] for place in range(PHRASE)), strict=False)
    return content or frozenset(words), frozenset(map(" ".join, phrases))
