"""Sentences about outcomes, in an editor's words."""

import math
import re
from decimal import Context, Decimal
from fractions import Fraction

from metrics import Outcome, copnori_gap

MARKDOWN = re.compile(r"[\\`*_\[\]()<>|~$]|:(?=\S)")
DIGITS = Context(prec=30)  # of a gap; exact sums over many issues would run to thousands of digits
GAP_SHOWN_BELOW = Decimal("0.00005")  # where four decimals would say 1.0000


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


def copnori_text(*outcomes: Outcome) -> str:
    """Write Copnori, the mean of several where there are several, so that only the best outcome reads as 1.

    Examples
    --------
    >>> copnori_text(Outcome([1, 2], 600)), copnori_text(Outcome([1, 3, 9], 600)), copnori_text(Outcome([300], 600))
    ('1', '1 - 3.2e-6', '0.0017')
    """
    defined = [outcome for outcome in outcomes if 0 < outcome.r < outcome.n]
    if not defined:
        return "not defined"
    gaps = [Fraction(copnori_gap(outcome)) for outcome in defined]
    total = sum((DIGITS.divide(Decimal(gap.numerator), Decimal(gap.denominator)) for gap in gaps), Decimal(0))
    mean = DIGITS.divide(total, Decimal(len(gaps)))
    if not mean:
        return "1"
    return f"1 - {mean:.1e}" if mean < GAP_SHOWN_BELOW else f"{1 - mean:.4f}"


def plain(text: str) -> str:
    r"""Escape what Streamlit would read as Markdown, for text that comes from a file or a person.

    Examples
    --------
    >>> print(plain("__a__ [b](http://c) $d$"))
    \_\_a\_\_ \[b\]\(http\://c\) \$d\$
    """
    return MARKDOWN.sub(r"\\\g<0>", text)
