"""Parse author names and dates, in the notations used by all supported sources.

Only the part of a date that is certain is used. `dateutil` and `dateparser` are not used, because they guess: they turn
"2024" into a specific day, and "4/3/2024" into one of two possible days.
"""

import datetime
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from presort.data.text.cleaning import clean, is_placeholder, split_words
from presort.data.text.prose import plain_text

SEMICOLON = re.compile(r"\s?;\s?")
AND = re.compile(r"(?:\s?,)?\s(?:and|&)\s", re.IGNORECASE)
COMMA = re.compile(r"\s?,\s?")
MORE = re.compile(r"(?:[,;]\s?|\s)(?:\.{3,}|…|et al\.?|(?:and|&) others),?$", re.IGNORECASE)
MORE_ALONE = re.compile(r"\.{3,}|…|et al\.?")
SCOPUS_NUMBER = re.compile(r" \([0-9]{6,}\)$")  # as in "Lee, Ann (57200000000)"
MOST_WORDS = 5  # maximum number of words in a person's name

WORD = re.compile(r"[^\W\d_][\w.'\u2019-]*")  # word in a name
# Latin, Greek and Cyrillic capital letters, because `re` has no character class for capital letters. [^\W\d_] also
# matches lower-case letters, which would make the "Mü" in "Mü Lee" look like initials.
CAPITALS = "".join(filter(str.isupper, map(chr, range(0x250)))) + "\u0391-\u03a9\u0410-\u042f"
INITIALS = rf"(?:[{CAPITALS}]\.?[- ]?){{1,4}}"
FAMILY = rf"(?:[a-z]{{2,4}} )*[{CAPITALS}](?:[-' \u2019]?[^\W\d_])+"
ONLY_INITIALS = re.compile(INITIALS)
INITIALS_FIRST = re.compile(rf"{INITIALS}(?<=[. -]){FAMILY}(?: (?:Jr|Sr|II|III|IV)\.?)?")
INITIALS_LAST = re.compile(f"{FAMILY} {INITIALS}")
SINGLE_LETTER = re.compile(r"\b[^\W\d_]\b")

PLAIN_NAME = re.compile(  # "Lee, Ann" or "Ann Lee", without initials
    rf"[{CAPITALS}][^\W\d_{CAPITALS}][^;|,&\[]+(?:,[^;|,&\[]*[^\W\d_{CAPITALS}])?"
)
ENDS_A_LIST = ("...", "…", " al", " al.", "others")

# Words that identify institutions, whose names may contain "and": "Department of Health and Human Services".
OF_INSTITUTIONS = frozenset(
    split_words(
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
    """Split strings into author names, and remove duplicate names.

    The strings are split at semicolons, at "and" between people's names, and at commas that can't be part of a name.

    Examples
    --------
    >>> authors_of(["Author, A. and Writer, B.; Scholar, C."])
    ('Author, A.', 'Writer, B.', 'Scholar, C.')
    >>> authors_of(["A Author, B Writer, ..."]), authors_of(["Ann Lee, Bo Ek, Cy Oz et al."])
    (('A Author', 'B Writer'), ('Ann Lee', 'Bo Ek', 'Cy Oz'))
    >>> authors_of(["García López, Ana María", "Bank of Town and Country", "Lee, Ann", "Ann Lee"])
    ('García López, Ana María', 'Bank of Town and Country', 'Lee, Ann')
    """
    return drop_duplicate_names(name for text in texts for name in split(clean(plain_text(text))))


def split_names(text: str) -> list[str]:
    """Split a string with all of a paper's authors into names. Commas separate names if each name has several words.

    Examples
    --------
    >>> split_names("Ann Lee, Bo Ek"), split_names("Lee, Ann"), split_names("Ann Lee")
    (['Ann Lee', 'Bo Ek'], ['Lee, Ann'], ['Ann Lee'])
    """
    return [name for one in split(clean(plain_text(text))) for name in _split_at_commas(one, is_list=True)]


def drop_duplicate_names(names: Iterable[str]) -> tuple[str, ...]:
    """Remove duplicate names of people, retaining the first form of each. "Lee, Ann" and "Ann Lee" are duplicates.

    Repeated names of institutions are retained. The author numbers that Scopus appends to names are removed.
    """
    found = [SCOPUS_NUMBER.sub("", name) if name[-1:] == ")" else name for name in names]
    keys = [" ".join(sorted(name.replace(",", " ").replace(".", " ").casefold().split())) for name in found]
    if len(set(keys)) == len(keys):
        return tuple(found)
    kept: dict[str, str] = {}
    for number, (key, name) in enumerate(zip(keys, found, strict=True)):
        kept.setdefault(key if _is_person(name) else f"{number},", name)
    return tuple(kept.values())


def split(text: str) -> list[str]:
    """Split a string without line breaks into names."""
    is_plain = PLAIN_NAME.fullmatch(text) and not text.endswith(ENDS_A_LIST)
    # This is a shortcut for most strings, because the full parser takes ten times as long.
    if is_plain and " and " not in text and " AND " not in text:
        return [text]
    parts = [part for part in SEMICOLON.split(text) if part] if ";" in text else [text]
    return [name for part in parts if not _is_no_name(part) for name in _split_at_and(part)]


def _is_no_name(text: str) -> bool:
    return is_placeholder(text) or MORE_ALONE.fullmatch(text) is not None


def _split_at_and(text: str) -> list[str]:
    """Split a string at each "and" that is between people's names."""
    short = MORE.sub("", text) if text[-1] in ".…,s" else text
    is_list = short != text
    parts = AND.split(short) if "and" in short.casefold() or "&" in short else [short]
    if len(parts) > 1:
        names = [name for part in parts for name in _split_at_commas(part, is_list="," not in parts[-1])]
        if all(map(_is_person, names)):
            return names
    return _split_at_commas(short, is_list=is_list)


def _split_at_commas(text: str, *, is_list: bool) -> list[str]:
    """Split a string at its commas if they separate names, as shown by initials or several words in each part."""
    if "," not in text:
        return [text]
    parts = COMMA.split(text.strip(" ,"))
    if len(parts) < 2:
        return [text]
    if len(parts) > 2 and len(parts) % 2 == 0 and (_are_initials(parts[1::2]) or " " not in "".join(parts)):
        # such as "Lee, A., Ek, B." or "Lee, Ann, Ek, Bo"
        return [f"{family}, {given}" for family, given in zip(parts[::2], parts[1::2], strict=True)]
    is_list = is_list or len(parts) > 2
    return parts if _have_initials(parts) or (is_list and all(map(_is_whole_name, parts))) else [text]


def _are_initials(texts: Sequence[str]) -> bool:
    return all(map(ONLY_INITIALS.fullmatch, texts))


def _have_initials(names: Sequence[str]) -> bool:
    """Return True if all names are written like "A. Lee", or all like "Lee A.".

    If all letters are capitals, only single letters count as initials, because any short word looks like several
    initials, such as "ANN" in "LEE KIM, ANN".
    """
    if "".join(names).isupper() and not all(map(SINGLE_LETTER.search, names)):
        return False
    return all(map(INITIALS_FIRST.fullmatch, names)) or all(map(INITIALS_LAST.fullmatch, names))


def _is_whole_name(name: str) -> bool:
    return " " in name and _is_person(name)


def _is_person(name: str) -> bool:
    """Return True if a string looks like a person's name: two to five words, none of them typical of institutions."""
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
MONTHS = split_words("january february march april may june july august september october november december")
LONGEST = 100  # maximum number of characters to parse as a date; any further characters are ignored


@lru_cache(10_000)  # cached because many papers in a file have the same date
def certain_date(text: str) -> str:
    """Return the part of a date that is certain: a day, a month or a year, or an empty string if nothing is certain.

    If two numbers precede the year, the month is certain only if one number is above 12, if the numbers are equal, or
    if full stops separate them. In dates with full stops, the day comes first.

    Returns
    -------
    str
        Date such as ``2019-03-05``, ``2019-03`` or ``2019``, or an empty string.

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
        return _valid_part(*found.groups())
    if found := DOTTED.match(text):
        return _valid_part(*found.groups())
    if found := ISO.match(text):
        rest = text[found.end() :]
        return _valid_part(*found.groups()) if found[2] or not LATIN_WORD.search(rest) else _parse_words(text, found[1])
    if found := OTHER_WAY.match(text):
        return _parse_year_last(*found.groups())
    if found := MONTH_AND_YEAR.fullmatch(text):
        return _valid_part(found[2], found[1])
    years = set(YEARS.findall(text))
    return _parse_words(text, years.pop()) if len(years) == 1 else ""


def most_precise_date(texts: Iterable[str]) -> str:
    """Return the first certain date in several strings, or a more precise date among them that agrees with it.

    Examples
    --------
    >>> most_precise_date(["in press", "2019", "2019/05", "2020-01-01"])
    '2019-05'
    """
    dates = [date for text in texts if (date := certain_date(text))]
    return max((date for date in dates if date.startswith(dates[0])), key=len, default="")


def _valid_part(year: str, month: str | None = None, day: str | None = None) -> str:
    """Return the valid part of a date.

    A day or month of 0 is dropped: 2019-02-00 becomes 2019-02. Any other invalid day or month leaves only the year.
    """
    day = day if day and int(day) else None
    month = month if month and int(month) else None
    if month is None:
        day = None
    try:
        whole = datetime.date(int(year), int(month or 1), int(day or 1)).isoformat()
    except ValueError:
        return year if int(year) else ""
    return whole[: 10 if day else 7 if month else 4]


def _parse_year_last(one: str, sign: str, other: str, year: str) -> str:
    """Parse a date that ends with the year. If its separators are full stops, the day comes first."""
    is_day_first = sign == "." or int(one) > 12 or one == other
    if is_day_first or int(other) > 12:
        return _valid_part(year, other, one) if is_day_first else _valid_part(year, one, other)
    return year


def _parse_words(text: str, year: str) -> str:
    """Return the year and, if the text names exactly one month, the month and any day."""
    rest = TIME.sub("", text.replace(year, " ", 1))
    months = [number for word in LATIN_WORD.findall(rest) if (number := _month(word.lower()))]
    if len(months) != 1:
        return year
    days = NUMBER.findall(rest)
    return _valid_part(year, str(months[0]), days[0]) if len(days) == 1 else f"{year}-{months[0]:02}"


def _month(word: str) -> int:
    """Return the number of the month with this English name or abbreviation, or 0 for any other word."""
    return next((number for number, name in enumerate(MONTHS, start=1) if name.startswith(word)), 0) or (
        9 if word == "sept" else 0
    )
