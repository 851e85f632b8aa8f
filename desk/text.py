"""Formatting of numbers, dates and strings for display."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import datetime
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from presort.data.records import About, Label, Report

MARKDOWN = re.compile(r"[\\`*_\[\]()<>|~$&]|:(?=\S)")
# Streamlit turns parts of plain text into links, emoji and arrows, even if escaped. A word joiner at these positions
# prevents that.
REPLACED = re.compile(r"(?<=www)(?=\.)|(?<=http)(?=s?:)|(?=@)|(?<=:)(?=[\w+/-]+:)|(?<=[-<>~])(?=[-=>])", re.IGNORECASE)
DECIDED: dict[tuple[About, Label], str] = {  # description of a decision, by its subject and label
    ("relevant", "yes"): "relevant",
    ("relevant", "no"): "not relevant",
    ("relevant", "maybe"): "maybe",
    ("relevant", "undecided"): "undecided again",
    ("publish", "yes"): "to be published",
    ("publish", "no"): "not to be published",
}
DIGITS = Context(prec=30, Emin=MIN_EMIN, Emax=MAX_EMAX)  # bounded precision, but small losses don't underflow to 0
LONGEST = 300  # maximum length in characters of a title or an author list in a list of papers


def chance_text(chance: float) -> str:
    """Format a probability, rounded down. Only certainty is formatted as 100 %.

    Examples
    --------
    >>> chance_text(0.719), chance_text(0.9999), chance_text(0.004), chance_text(1), chance_text(math.nan)
    ('71 %', '99.9 %', 'under 1 %', '100 %', 'not known yet')
    """
    if math.isnan(chance):
        return "not known yet"
    if chance < 0.01:
        return "under 1 %"
    return f"{math.floor(chance * 100) if chance < 0.99 else math.floor(chance * 1000) / 10:g} %"


def estimate_text(expected: float) -> str:
    """Format an expected count, with one decimal if it is below 1.

    Examples
    --------
    >>> estimate_text(1234.4), estimate_text(0.3), estimate_text(2.5)
    ('about 1,234', 'about 0.3', 'about 3')
    """
    return f"about {math.floor(expected + 0.5):,}" if expected >= 1 else f"about {expected:.1f}"


def count_text(n: int, noun: str) -> str:
    """Format a count and its noun, in the singular or the plural.

    Examples
    --------
    >>> count_text(1, "paper"), count_text(1200, "paper")
    ('1 paper', '1,200 papers')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def minutes_text(minutes: float) -> str:
    """Format a duration, given in minutes.

    Examples
    --------
    >>> minutes_text(0.2), minutes_text(14.5)
    ('under a minute', '15 min')
    """
    return "under a minute" if minutes < 1 else f"{math.floor(minutes + 0.5)} min"


def exact_text(losses: Iterable[Decimal | float]) -> str:
    """Format the mean of a measure whose values can be very close to 1. Only a perfect result is formatted as 100 %.

    `losses` are the distances of the values from 1, as returned by `metrics.loss`. NaN values are skipped.

    Examples
    --------
    >>> exact_text([0.0]), exact_text([Decimal("3.333e-6")]), exact_text([1.5])
    ('100 %', '100 % − 3.3e-4', '-50.00 %')
    """  # noqa: RUF002
    defined = [Decimal(loss) for loss in losses if not math.isnan(loss)]
    if not defined:
        return "not defined"
    with localcontext(DIGITS):
        total = sum(defined, Decimal(0))
        percent = 100 * total / len(defined)
        rounded = f"{100 - percent:,.2f} %"
        if rounded != "100.00 %":
            return rounded
        return f"100 % − {percent:.1e}" if percent else "100 %"  # noqa: RUF001


def screen_text(exact: str) -> str:
    """Shorten a figure from `exact_text` for the screen: any value just below 100 % becomes "> 99.99 %".

    Most readers can't interpret powers of ten, and a narrow column could cut off the exponent. Exported files contain
    the exact values.

    Examples
    --------
    >>> screen_text("100 % − 1.4e-18"), screen_text("100 %"), screen_text("99.98 %")
    ('> 99.99 %', '100 %', '99.98 %')
    """  # noqa: RUF002
    return "> 99.99 %" if exact.startswith("100 % ") else exact


def points_text(difference: float) -> str:
    """Format a difference between two shares in percentage points. Only an exact 0 is formatted as 0.

    Examples
    --------
    >>> points_text(-0.0326), points_text(0.0), points_text(-9.1e-213), points_text(3e-5), points_text(15.375)
    ('-3.26', '+0.00', '> -0.01', '< +0.01', '+1,537.50')
    """
    written = f"{100 * difference:+,.2f}"
    if difference and not round(100 * difference, 2):
        return "< +0.01" if difference > 0 else "> -0.01"
    return written


def report_label(code: str, name: str) -> str:
    """Return the display name of a report: code and name, or only the code if they are equal.

    Examples
    --------
    >>> report_label("lab", "Labour"), report_label("lab", "lab")
    ('lab · Labour', 'lab')
    """
    return code if name == code else f"{code} · {name}"


def report_option(report: Report) -> str:
    """Return the display name of a report for a selection list. Retired reports are marked.

    Examples
    --------
    >>> from presort.data.records import Report
    >>> report_option(Report("lab", "Labour")), report_option(Report("his", "his", is_retired=True))
    ('lab · Labour', 'his (retired)')
    """
    named = report_label(report.code, report.name)
    return f"{named} (retired)" if report.is_retired else named


def escape(text: str) -> str:
    r"""Escape Streamlit's Markdown in a string that comes from a file or a user.

    Examples
    --------
    >>> print(escape("__a__ [b](c) $d$ &amp;"))
    \_\_a\_\_ \[b\]\(c\) \$d\$ \&amp;
    """
    return MARKDOWN.sub(r"\\\g<0>", REPLACED.sub("\N{WORD JOINER}", text))


def shorten(text: str, longest: int = LONGEST) -> str:
    r"""Put a string on one line, and shorten it to at most `longest` characters.

    Examples
    --------
    >>> shorten("Wages\nWe show."), len(shorten("wages " * 100)), shorten("Minimum wages", 8)
    ('Wages We show.', 300, 'Minimum…')
    """
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def age_text(days: int) -> str:
    """Format an issue's age, given in days. The age is negative if the issue is dated in the future.

    Examples
    --------
    >>> [age_text(days) for days in (-1, 0, 1, 6, 7, 13, 62)]
    ['dated in the future', 'today', '1 day old', '6 days old', '1 week old', '1 week old', '8 weeks old']
    >>> age_text(63), age_text(729), age_text(730)
    ('2 months old', '23 months old', '2 years old')
    """
    if days < 1:
        return "dated in the future" if days else "today"
    if days < 7:
        return f"{count_text(days, 'day')} old"
    if days < 63:
        return f"{count_text(days // 7, 'week')} old"
    if days < 730:
        return f"{count_text(int(days / 30.44), 'month')} old"
    return f"{count_text(days // 365, 'year')} old"


def time_text(time: datetime) -> str:
    """Format a date and time to the minute."""
    return f"{time:%Y-%m-%d %H:%M}"
