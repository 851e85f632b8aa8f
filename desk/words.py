"""Sentences about outcomes, in an editor's words."""

import math
import re
from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction

from desk.reading import Reading
from metrics import Outcome
from ranker.light import ENOUGH, Light
from ranker.tail_sample import Remaining

MARKDOWN = re.compile(r"[\\`*_\[\]()<>|~$&]|:(?=\S)")
LINK = re.compile(r"(?<=www)(?=\.)|(?<=http)(?=s?:)|(?=@)", re.IGNORECASE)  # made of bare text, escaped or not
DIGITS = Context(prec=30, Emin=MIN_EMIN, Emax=MAX_EMAX)  # exact sums would be too long; but nothing small becomes 0
BITS = 128  # of a long whole number: more than those digits, and all of its bits may take minutes


def how_good(outcome: Outcome) -> str:
    """Say how far an editor had to read.

    Examples
    --------
    >>> how_good(Outcome([1, 3, 12], 300))
    'Your last relevant paper stood at 12 of 300: all 3 were in the first 4 % of the list.'
    """
    if not outcome.r:
        return f"Nothing in these {outcome.n} papers was relevant, so there is no order to judge."
    last = int(outcome.last)
    share = math.ceil(100 * last / outcome.n)
    them = "it was" if outcome.r == 1 else f"all {outcome.r} were"
    return f"Your last relevant paper stood at {last} of {outcome.n}: {them} in the first {share} % of the list."


def chance_text(chance: float) -> str:
    """Write a chance, rounded down: only what is certain reads as 100 %.

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


def light_says(reading: Reading, light: Light, ranker: str) -> str:
    """Say whether to read on, and how far.

    Parameters
    ----------
    reading : Reading
        How far the editor has come.
    light : Light
        Of the report; a reason why nothing is known yet is found there.
    ranker : str
        Name of the ranker that sorted the list.
    """
    if reading.chance == 1:
        return "every paper was read."
    if reading.is_red:
        return f"you may stop; the chance of a missed paper is below {100 - reading.level} %."
    if light.n_issues < ENOUGH:
        gone_out = f"{light.n_issues} of the {ENOUGH} issues needed, sorted by {ranker}, have gone out"
        return f"this report is too young to say how far: {gone_out}."
    if not light.is_ready:
        return f"too few issues sorted by {ranker} have gone out yet, of all reports, to say how far."
    doubt = "probably remains" if reading.chance < 0.5 else "may remain"
    end = f"expected near paper {reading.red_at}" if reading.red_at < reading.n_papers else "only at the end"
    return f"a relevant paper {doubt}; red {end}."


def draw_says(n_drawn: int, n_found: int, remaining: Remaining) -> str:
    """Say what papers drawn at random tell of those that were neither read nor drawn.

    Examples
    --------
    >>> draw_says(10, 0, Remaining(0.0, 131))
    '0 of 10 relevant: by these alone, the rest holds at most 131 relevant papers, with 95 % confidence.'
    >>> draw_says(10, 1, Remaining(51.8, 203))
    '1 of 10 relevant: by these alone, the rest holds about 52, at most 203 relevant papers, with 95 % confidence.'
    """
    about = f"about {round(remaining.estimate)}, " if n_found else ""
    at_most = f"at most {counted(remaining.at_most, 'relevant paper')}"
    return f"{n_found} of {n_drawn} relevant: by these alone, the rest holds {about}{at_most}, with 95 % confidence."


def counted(n: int, noun: str) -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> counted(1, "paper"), counted(1200, "paper")
    ('1 paper', '1,200 papers')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def exact_text(gaps: Iterable[Fraction | float]) -> str:
    """Write a measure that good outcomes bring very near to 1, or its mean; only the best outcome reads as 100 %.

    Parameters
    ----------
    gaps : iterable of Fraction or float
        Exact distances from 1; those that are NaN are left out.

    Examples
    --------
    >>> exact_text([Fraction(0)]), exact_text([Fraction(1, 300_000)]), exact_text([Fraction(3, 2)])
    ('100 %', '100 % − 3.3e-4', '-50.00 %')
    """  # noqa: RUF002
    defined = [Fraction(gap) for gap in gaps if not math.isnan(gap)]
    if not defined:
        return "not defined"
    with localcontext(DIGITS):
        total = sum((_decimal(gap.numerator) / _decimal(gap.denominator) for gap in defined), Decimal(0))
        percent = 100 * total / len(defined)
        rounded = f"{100 - percent:,.2f} %"
        if rounded != "100.00 %":
            return rounded
        return f"100 % − {percent:.1e}" if percent else "100 %"  # noqa: RUF001


def _decimal(number: int) -> Decimal:
    surplus = max(number.bit_length() - BITS, 0)
    return Decimal(number >> surplus) * Decimal(2) ** surplus


def plain(text: str) -> str:
    r"""Escape what Streamlit would read as Markdown, for text that comes from a file or a person.

    Examples
    --------
    >>> print(plain("__a__ [b](c) $d$ :e: &amp;"))
    \_\_a\_\_ \[b\]\(c\) \$d\$ \:e: \&amp;
    """
    return MARKDOWN.sub(r"\\\g<0>", LINK.sub("\N{WORD JOINER}", text))
