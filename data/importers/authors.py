"""Names of authors, where a source writes several of them in one text, or one of them twice."""

import re
from collections.abc import Iterable, Sequence

from presort.data.text.cleaning import clean, listed, says_nothing
from presort.data.text.prose import plain_text

SEMICOLON = re.compile(r"\s?;\s?")
AND = re.compile(r"(?:\s?,)?\s(?:and|&)\s", re.IGNORECASE)
COMMA = re.compile(r"\s?,\s?")
MORE = re.compile(r"(?:[,;]\s?|\s)(?:\.{3,}|…|et al\.?|(?:and|&) others),?$", re.IGNORECASE)
MORE_ALONE = re.compile(r"\.{3,}|…|et al\.?")
SCOPUS_NUMBER = re.compile(r" \([0-9]{6,}\)$")  # Lee, Ann (57200000000)
MOST_WORDS = 5  # of one person's name

WORD = re.compile(r"[^\W\d_][\w.'\u2019-]*")  # of a name
# Capitals of Latin, Greek and Cyrillic: `re` has no class of them, and "ü" must not pass for the "L" of "M Lee".
CAPITALS = "".join(filter(str.isupper, map(chr, range(0x250)))) + "\u0391-\u03a9\u0410-\u042f"
INITIALS = rf"(?:[{CAPITALS}]\.?[- ]?){{1,4}}"
FAMILY = rf"(?:[a-z]{{2,4}} )*[{CAPITALS}](?:[-' \u2019]?[^\W\d_])+"
ONLY_INITIALS = re.compile(INITIALS)
INITIALS_FIRST = re.compile(rf"{INITIALS} ?{FAMILY}(?: (?:Jr|Sr|II|III|IV)\.?)?")
INITIALS_LAST = re.compile(f"{FAMILY} {INITIALS}")

PLAIN_NAME = re.compile(  # "Lee, Ann" or "Ann Lee", without initials
    rf"[{CAPITALS}][^\W\d_{CAPITALS}][^;|,&\[]+(?:,[^;|,&\[]*[^\W\d_{CAPITALS}])?"
)
ENDS_A_LIST = ("...", "…", " al", " al.", "others")

# Words of institutions, whose names may have an "and" of their own: "Department of Health and Human Services".
OF_INSTITUTIONS = frozenset(
    listed(
        "of for the on in at to bank banks university institute institution ministry department group team committee "
        "council commission office center centre association society agency organization organisation fund foundation "
        "federation union consortium network company corporation corp co inc ltd llc plc gmbh collaboration project "
        "program programme school college academy academies laboratory laboratories research statistics economics "
        "finance services international national world european federal reserve study studies investigators trialists "
        "government board authority court parliament partners brothers sons associates bureau division survey "
        "initiative administration agriculture food drug affairs rights law development policy "
        "health education science sciences technology trade industry labour labor"
    )
)


def authors_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return authors one by one and once each, where a text may name several.

    Semicolons stand between names, "and" between what looks like names of persons, and commas where they can't stand
    within a name.

    Examples
    --------
    >>> authors_of(["Author, A. and Writer, B.; Scholar, C."])
    ('Author, A.', 'Writer, B.', 'Scholar, C.')
    >>> authors_of(["A Author, B Writer, ..."]), authors_of(["Ann Lee, Bo Ek, Cy Oz et al."])
    (('A Author', 'B Writer'), ('Ann Lee', 'Bo Ek', 'Cy Oz'))
    >>> authors_of(["García López, Ana María", "Bank of Town and Country", "Lee, Ann", "Ann Lee"])
    ('García López, Ana María', 'Bank of Town and Country', 'Lee, Ann')
    """
    return once_each(name for text in texts for name in split(clean(plain_text(text))))


def joined(text: str) -> list[str]:
    """Return the names in a text that holds all authors of a paper: commas stand between names of two words each.

    Examples
    --------
    >>> joined("Ann Lee, Bo Ek"), joined("Lee, Ann"), joined("Ann Lee")
    (['Ann Lee', 'Bo Ek'], ['Lee, Ann'], ['Ann Lee'])
    """
    return [name for one in split(clean(plain_text(text))) for name in _by_commas(one, is_list=True)]


def once_each(names: Iterable[str]) -> tuple[str, ...]:
    """Return names without those that an earlier one repeats, perhaps with the given names on the other side."""
    found = [SCOPUS_NUMBER.sub("", name) if name[-1:] == ")" else name for name in names]
    keys = [" ".join(sorted(name.replace(",", " ").replace(".", " ").casefold().split())) for name in found]
    if len(set(keys)) == len(keys):
        return tuple(found)
    kept: dict[str, str] = {}
    for number, (key, name) in enumerate(zip(keys, found, strict=True)):
        kept.setdefault(key if _is_person(name) else f"{number},", name)
    return tuple(kept.values())


def split(text: str) -> list[str]:
    """Return the names in one text, which is one line."""
    is_plain = PLAIN_NAME.fullmatch(text) and not text.endswith(ENDS_A_LIST)
    if is_plain and " and " not in text and " AND " not in text:  # most texts; all else takes ten times as long
        return [text]
    parts = [part for part in SEMICOLON.split(text) if part] if ";" in text else [text]
    return [name for part in parts if not _is_no_name(part) for name in _by_and(part)]


def _is_no_name(text: str) -> bool:
    return says_nothing(text) or MORE_ALONE.fullmatch(text) is not None


def _by_and(text: str) -> list[str]:
    """Split at each "and" if persons stand between."""
    short = MORE.sub("", text) if text[-1] in ".…,s" else text
    is_list = short != text
    parts = AND.split(short) if "and" in short.casefold() or "&" in short else [short]
    if len(parts) > 1:
        names = [name for part in parts for name in _by_commas(part, is_list="," not in parts[-1])]
        if all(map(_is_person, names)):
            return names
    return _by_commas(short, is_list=is_list)


def _by_commas(text: str, *, is_list: bool) -> list[str]:
    """Split at commas between names: initials, or several words on each side, show that none is within a name."""
    if "," not in text:
        return [text]
    parts = COMMA.split(text.strip(" ,"))
    if len(parts) < 2:
        return [text]
    if len(parts) > 2 and len(parts) % 2 == 0 and (_are_initials(parts[1::2]) or " " not in "".join(parts)):
        # Lee, A., Ek, B. or Lee, Ann, Ek, Bo
        return [f"{family}, {given}" for family, given in zip(parts[::2], parts[1::2], strict=True)]
    is_list = is_list or len(parts) > 2
    return parts if _have_initials(parts) or (is_list and all(map(_is_whole_name, parts))) else [text]


def _are_initials(texts: Sequence[str]) -> bool:
    return all(map(ONLY_INITIALS.fullmatch, texts))


def _have_initials(names: Sequence[str]) -> bool:
    """Return whether all names are written as "A. Lee", or all as "Lee A."."""
    return all(map(INITIALS_FIRST.fullmatch, names)) or all(map(INITIALS_LAST.fullmatch, names))


def _is_whole_name(name: str) -> bool:
    return " " in name and _is_person(name)


def _is_person(name: str) -> bool:
    """Return whether a text looks like the name of one person: two words or more, and none of an institution."""
    words = name.replace(",", " ").split()
    if not 2 <= len(words) <= MOST_WORDS or name.count(",") > 1:
        return False
    is_name = all(map(WORD.fullmatch, words)) and not all(word[0].islower() for word in words)
    return is_name and OF_INSTITUTIONS.isdisjoint(map(str.casefold, words))
