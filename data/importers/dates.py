"""Dates of papers, however a source writes them: as exact as they are certain.

`dateutil` and `dateparser` are no help here, because they guess: of "2024" they make a day, of "4/3/2024" one of two.
"""

import datetime
import re
from collections.abc import Iterable
from functools import lru_cache

from presort.data.text.cleaning import listed

YEAR = r"(?<![0-9])(1[5-9][0-9]{2}|20[0-9]{2})(?![0-9])"
ISO = re.compile(r"([0-9]{4})(?:[-/]([0-9]{1,2})(?:[-/]([0-9]{1,2}))?)?(?![0-9])")
DOTTED = re.compile(r"([0-9]{4})\.([0-9]{1,2})\.([0-9]{1,2})(?![0-9])")
COMPACT = re.compile(r"((?:1[5-9]|20)[0-9]{2})([01][0-9])([0-3][0-9])?")
OTHER_WAY = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4})(?![0-9])")
MONTH_AND_YEAR = re.compile(r"([0-9]{1,2})[-/.]([0-9]{4})")
YEARS = re.compile(YEAR)
TIME = re.compile(r"[T\s]*[0-9]{1,2}:[0-9]{2}.*")
NUMBER = re.compile(r"(?<![0-9.])([0-9]{1,2})(?:st|nd|rd|th)?(?![0-9.:]*[0-9])")
WORD = re.compile(r"[A-Za-z]{3,}")
MONTHS = listed("january february march april may june july august september october november december")
LONGEST = 100  # characters; anything longer is no date


@lru_cache(10_000)  # of a file, most papers share their date with others
def certain_date(text: str) -> str:
    """Return the certain part of a date: a day, a month, a year, or nothing.

    Of two numbers before a year either may be the month, unless one is above 12 or full stops stand between.

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
        return _exact(*found.groups()) if found[2] or not WORD.search(rest) else _of_words(text, found[1])
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
    months = [number for word in WORD.findall(rest) if (number := _month(word.lower()))]
    if len(months) != 1:
        return year
    days = NUMBER.findall(rest)
    return _exact(year, str(months[0]), days[0]) if len(days) == 1 else f"{year}-{months[0]:02}"


def _month(word: str) -> int:
    """Return the number of a month by its English name or the beginning of it, 0 for any other word."""
    return next((number for number, name in enumerate(MONTHS, start=1) if name.startswith(word)), 0) or (
        9 if word == "sept" else 0
    )
