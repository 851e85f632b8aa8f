"""Sentences about outcomes, in an editor's words."""

import math
import re
from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction

from metrics import Outcome

MARKDOWN = re.compile(r"[\\`*_\[\]()<>|~$]|:(?=\S)")
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
    >>> print(plain("__a__ [b](http://c) $d$"))
    \_\_a\_\_ \[b\]\(http\://c\) \$d\$
    """
    return MARKDOWN.sub(r"\\\g<0>", text)
