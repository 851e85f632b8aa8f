r"""Find LaTeX formulas in titles and abstracts, and convert them to plain text."""

import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

LONGEST = 500  # maximum number of characters in a formula
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
PROSE = re.compile(r"\s[^\W\d_]{2,}")  # a word between dollar signs suggests that they are currency signs


class Formula(NamedTuple):
    """Formula in a text: its LaTeX code without delimiters, and its start and end in the text including delimiters."""

    latex: str
    start: int
    end: int


def formulas(text: str) -> list[Formula]:
    r"""Return the formulas in a text, in order of occurrence. Dollar amounts are not formulas.

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


def formulas_to_unicode(text: str) -> str:
    r"""Convert the formulas in a text to Unicode, for email and other output that can't render LaTeX.

    A formula that can't be parsed is replaced with its LaTeX code, without the delimiters.

    Examples
    --------
    >>> formulas_to_unicode(r"Pseudo-$R^2$ under $\chi_1$ at $5")
    'Pseudo-R^2 under χ_1 at $5'
    """
    for latex, start, end in reversed(formulas(text)):
        text = f"{text[:start]}{_to_unicode(latex)}{text[end:]}"
    return text


@lru_cache(10_000)
def _to_unicode(latex: str) -> str:
    converter = _converter()
    try:
        return str(converter.latex_to_text(f"${latex}$")).strip() or latex
    except Exception:  # noqa: BLE001 - pylatexenc raises many types of exceptions for malformed TeX
        return latex


@cache
def _converter() -> Any:
    """Return pylatexenc's converter, which is imported here because pylatexenc is an optional dependency."""
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="text", strict_latex_spaces=False)
