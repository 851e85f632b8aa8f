"""Whether two words of titles are one: in British or American spelling, singular or plural, or misspelled."""

import re
from functools import lru_cache

from rapidfuzz.distance import OSA

from presort.data.text.cleaning import listed

Words = tuple[str, ...]

LEAST_REST = 4  # letters that two words share after their prefixes


# Prefixes that change the meaning of a word, as in "inflation" and "deflation".
PREFIXES = frozenset(
    listed(
        "ante anti bi co contra counter de dis down endo end ex exo extra fore homo hetero hyper hypo im in infra "
        "inter intra ir il iso macro mal mega mero meso meta micro mid mini mis mono multi nano non off on out over "
        "para per peri pico poly post pre pro pseudo quasi re semi sub super supra sur syn tele trans tri ultra un "
        "under uni up"
    )
)
TURNED = ("asy", "aty", "ape", "aso", "acy")  # asymmetric, atypical, aperiodic, asocial, acyclic

# Endings of British spelling, and their American form. Both sides of a comparison are rewritten, so it is harmless that
# some words become none.
AMERICAN = (
    (re.compile(r"(?<=\w{3})our"), "or"),  # labour, behavioural
    (re.compile(r"(?<=\w{2})s(?=ations?$|ational$)"), "z"),
    (re.compile(r"(?<=\w{3}[iy])s(?=(?:e|ed|es|ing|ers?|able)$)"), "z"),  # organise, analyse
    (re.compile(r"(?<=\w{2}[bt])re(?=s?$)"), "er"),  # centre
    (re.compile(r"(?<=\w{2})ogue(?=s?$)"), "og"),
    (re.compile(r"(?<=\w{3})ll(?=(?:ed|ing|ers?|ation)$)"), "l"),  # modelling
    (re.compile(r"^(def|off|lic|pret)ence"), r"\1ense"),
    (re.compile(r"(?<=\w)ae(?=\w)"), "e"),
    (re.compile(r"(?<=\w\wdg)e(?=ment)"), ""),  # judgement
    (re.compile(r"(?<=ag)e(?=ing$)"), ""),
    (re.compile(r"^sceptic"), "skeptic"),
    (re.compile(r"^programme"), "program"),
    (re.compile(r"^(en|ful|in)(rol|fil|stal)(?=ments?$|s?$)"), r"\1\2l"),
    (re.compile(r"^grey"), "gray"),
)
SINGULAR = (
    (re.compile(r"(?<=\w{2})ies$"), "y"),
    (re.compile(r"(?<=ss|.x)es$|(?<=[cs]h)es$"), ""),
    (re.compile(r"(?<=\w{2})s[ei]s$"), "se"),  # crises and crisis
    (re.compile(r"(?<=\w{2})i(?:ces|x)$|(?<=nd)ex$|(?<=rt)ex$"), "ice"),  # matrices and matrix, indices and index
    (re.compile(r"(?<=\w\w[^su])s$"), ""),
    (re.compile(r"men$"), "man"),
    (re.compile(r"^children$"), "child"),
)


@lru_cache(maxsize=50_000)
def base_form(word: str) -> str:
    """Return a base form shared by the British, American, singular and plural forms of a word. It may be no word.

    Examples
    --------
    >>> base_form("organisations") == base_form("organization"), base_form("crises") == base_form("crisis")
    (True, True)
    >>> base_form("banks") == base_form("banking")
    False
    """
    for pattern, form in SINGULAR + AMERICAN:
        word = pattern.sub(form, word)
    return word


def is_slip(word: str, other: str) -> bool:
    """Return whether a word may be a misspelling of another one: one slip, or two in words of nine letters and more.

    Different words can be as similar: "zambia" and "gambia". `title_words.other_words` distinguishes them.

    Examples
    --------
    >>> is_slip("minimum", "minimun"), is_slip("zambia", "gambia"), is_slip("inflation", "deflation")
    (True, True, False)
    """
    if {word, other} <= PREFIXES:  # "micro" and "macro"
        return False
    short, long = sorted((word, other), key=len)
    if len(long) <= 3:  # "cnn" and "rnn" are two words
        is_shorter = len(long) == 3 and len(short) == 2
        return (is_shorter or sorted(short) == sorted(long)) and OSA.distance(short, long) == 1
    slips = (len(long) >= 4) + (len(long) >= 9)
    is_near = OSA.distance(word, other, score_cutoff=slips) <= slips
    return is_near and not _has_another_prefix(word, other)


def _has_another_prefix(word: str, other: str) -> bool:
    """Return whether two words differ only in their prefixes: "stable" and "unstable"."""
    short, long = sorted((word, other), key=len)
    if long.startswith(TURNED) and long[1:] == short:
        return True
    for end in range(len(short) - LEAST_REST + 1):
        rest = short[end:]
        if long.endswith(rest) and _are_opposed(short[:end], long[: len(long) - len(rest)]):
            return True
    return False


def _are_opposed(prefix: str, other: str) -> bool:
    """Return whether two prefixes give a word different meanings. One may be empty."""
    if sorted(prefix) == sorted(other) or {prefix, other} <= {"im", "in", "il", "ir"}:
        return False  # "preformance" and "imcome" are misspelled
    return {prefix, other} <= PREFIXES | {""}
