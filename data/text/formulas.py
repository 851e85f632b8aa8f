r"""Formulas in titles and abstracts in LaTeX: find them in a text and convert them to plain text."""

import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

LONGEST = 500  # characters of a formula
FORMULA = re.compile(
    rf"""
    (?<![\\$])\$\$(?P<double>(?:[^$\\]|\\.){{1,{LONGEST}}})\$\$
    | (?<![\\$])\$(?![\s$])(?P<single>(?:[^$\\]|\\.){{1,{LONGEST}}}?)(?<![\s\\])\$(?![\d$])
    | \\\((?P<round>.{{1,{LONGEST}}}?)\\\)
    | \\\[(?P<square>.{{1,{LONGEST}}}?)\\\]
    """,
    re.VERBOSE | re.DOTALL,
)
MATHS = re.compile(r"[\\^_={}<>]")
PROSE = re.compile(r"\s[^\W\d_]{2,}")  # of an amount of money and what follows it


class Formula(NamedTuple):
    """Source of a formula between its delimiters, and where it starts and ends in the text with them."""

    latex: str
    start: int
    end: int


def formulas(text: str) -> list[Formula]:
    r"""Return the formulas of a text, in their order; amounts in dollars are none.

    Examples
    --------
    >>> formulas(r"An $N \log N$ solver")
    [Formula(latex='N \\log N', start=3, end=13)]
    >>> formulas("costs of $5 and $10, US$3 or 4 A$")
    []
    """
    if "$" not in text and "\\" not in text:
        return []
    found = [(one, next(filter(None, one.groups()))) for one in FORMULA.finditer(text)]
    return [Formula(latex, *one.span()) for one, latex in found if MATHS.search(latex) or not PROSE.search(latex)]


def spelled_out(text: str) -> str:
    r"""Write the formulas of a text in letters and signs, for mails and wherever else nothing can draw them.

    One that can't be read stays in its LaTeX.

    Examples
    --------
    >>> spelled_out(r"Pseudo-$R^2$ under $\chi_1$ at $5")
    'Pseudo-R^2 under χ_1 at $5'
    """
    for latex, start, end in reversed(formulas(text)):
        text = f"{text[:start]}{_in_letters(latex)}{text[end:]}"
    return text


@lru_cache(10_000)
def _in_letters(latex: str) -> str:
    converter = _converter()
    try:
        return str(converter.latex_to_text(f"${latex}$")).strip() or latex
    except Exception:  # noqa: BLE001 - pylatexenc isn't ours, and breaks in many ways on odd TeX
        return latex


@cache
def _converter() -> Any:
    """Return the converter of LaTeX. It is imported here because a base install finds formulas but converts none."""
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="text", strict_latex_spaces=False)
