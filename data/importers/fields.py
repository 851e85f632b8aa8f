"""Names of authors and dates, however a source writes them.

Dates are as exact as they are certain. `dateutil` and `dateparser` are no help here, because they guess: of "2024" they
make a day, of "4/3/2024" one of two.
"""

import datetime
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

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

    Semicolons separate names, "and" separates names of persons, and commas do if they can't be
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
    """Return the names in a text with all authors of a paper. Commas separate names of two words each.

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
    """Split at each "and" that separates names of persons."""
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


YEAR = r"(?<![0-9])(1[5-9][0-9]{2}|20[0-9]{2})(?![0-9])"
ISO = re.compile(r"([0-9]{4})(?:[-/]([0-9]{1,2})(?:[-/]([0-9]{1,2}))?)?(?![0-9])")
DOTTED = re.compile(r"([0-9]{4})\.([0-9]{1,2})\.([0-9]{1,2})(?![0-9])")
COMPACT = re.compile(r"((?:1[5-9]|20)[0-9]{2})([01][0-9])([0-3][0-9])?")
OTHER_WAY = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4})(?![0-9])")
MONTH_AND_YEAR = re.compile(r"([0-9]{1,2})[-/.]([0-9]{4})")
YEARS = re.compile(YEAR)
TIME = re.compile(r"[T\s]*[0-9]{1,2}:[0-9]{2}.*")
NUMBER = re.compile(r"(?<![0-9.])([0-9]{1,2})(?:st|nd|rd|th)?(?![0-9.:]*[0-9])")
LATIN_WORD = re.compile(r"[A-Za-z]{3,}")
MONTHS = listed("january february march april may june july august september october november december")
LONGEST = 100  # characters; anything longer is no date


@lru_cache(10_000)  # of a file, most papers share their date with others
def certain_date(text: str) -> str:
    """Return the certain part of a date: a day, a month, a year, or nothing.

    Of two numbers before a year, either may be the month, unless one is above 12 or they are separated by full stops.

    Returns
    -------
    str
        ``2019-03-05``, ``2019-03``, ``2019`` or empty.

    Examples
    --------
    >>> [certain_date(text) for text in ("2026/11/2/Monday", "2026/11//", "2019.0", "20020817", "200208")]
    ['2026-11-02', '2026-11', '2019', '2002-08-17', '2002-08']
    >>> [certain_date(text) for text in ("4/3/2024", "4/30/2024", "4.3.2024", "2024 Jan-Feb", "5 Mar 2024", "May 2024")]
    ['2024', '2024-04-30', '2024-03-04', '2024', '2024-03-05', '2024-05']
    >>> certain_date("in press"), certain_date('="2019"'), certain_date("2024-05-01T00:00:00Z")
    ('', '2019', '2024-05-01')
    """
    text = text.strip().removeprefix("=").strip(" \"'[]()")[:LONGEST]
    if found := COMPACT.fullmatch(text):
        return _exact(*found.groups())
    if found := DOTTED.match(text):
        return _exact(*found.groups())
    if found := ISO.match(text):
        rest = text[found.end() :]
        return _exact(*found.groups()) if found[2] or not LATIN_WORD.search(rest) else _of_words(text, found[1])
    if found := OTHER_WAY.match(text):
        return _other_way(*found.groups())
    if found := MONTH_AND_YEAR.fullmatch(text):
        return _exact(found[2], found[1])
    years = set(YEARS.findall(text))
    return _of_words(text, years.pop()) if len(years) == 1 else ""


def most_exact(texts: Iterable[str]) -> str:
    """Return the first certain date of several texts, or a later one that says the same and more.

    Examples
    --------
    >>> most_exact(["in press", "2019", "2019/05", "2020-01-01"])
    '2019-05'
    """
    dates = [date for text in texts if (date := certain_date(text))]
    return max((date for date in dates if date.startswith(dates[0])), key=len, default="")


def _exact(year: str, month: str | None = None, day: str | None = None) -> str:
    """Return a date as exact as it is valid: of 2019-02-30 the year may still be right, and 2019-02-00 is a month."""
    day = day if day and int(day) else None
    month = month if month and int(month) else None
    if month is None:
        day = None
    try:
        whole = datetime.date(int(year), int(month or 1), int(day or 1)).isoformat()
    except ValueError:
        return year if int(year) else ""
    return whole[: 10 if day else 7 if month else 4]


def _other_way(one: str, sign: str, other: str, year: str) -> str:
    """Return a date that ends with the year. Only those who begin with the day write full stops."""
    is_day_first = sign == "." or int(one) > 12 or one == other
    if is_day_first or int(other) > 12:
        return _exact(year, other, one) if is_day_first else _exact(year, one, other)
    return year


def _of_words(text: str, year: str) -> str:
    """Return a date of a year and the name of a month, if it names one."""
    rest = TIME.sub("", text.replace(year, " ", 1))
    months = [number for word in LATIN_WORD.findall(rest) if (number := _month(word.lower()))]
    if len(months) != 1:
        return year
    days = NUMBER.findall(rest)
    return _exact(year, str(months[0]), days[0]) if len(days) == 1 else f"{year}-{months[0]:02}"


def _month(word: str) -> int:
    """Return the number of a month by its English name or the beginning of it, 0 for any other word."""
    return next((number for number, name in enumerate(MONTHS, start=1) if name.startswith(word)), 0) or (
        9 if word == "sept" else 0
    )
