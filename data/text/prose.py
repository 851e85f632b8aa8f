r"""Convert titles and abstracts to readable text, without HTML and without TeX outside formulas.

Only unambiguous markup is removed: a path such as ``C:\new`` and an amount such as ``$5`` are left unchanged.
"""

import re
import unicodedata

from presort.data.text.cleaning import clean
from presort.data.text.formulas import formulas
from presort.data.text.markup import without_markup

ACCENTS = {
    **{"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304", ".": "\u0307"},
    **{"u": "\u0306", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328"},
    "b": "\u0331",
}
LETTERS = {
    **{"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å"},
    **{"o": "ø", "O": "Ø", "l": "ł", "L": "Ł"},
}
QUOTES = re.compile(r"``([^`]*?)''")
FONT_COMMAND = re.compile(
    r"""
    \\(?:emph|text(?:it|bf|sc|rm|tt|sf|sl|up|normal)|underline|mbox)\s*\{([^{}]*)\}
    | \{\\(?:em|it|bf|sc|rm|tt|sf|sl)\s+([^{}]*)\}
    """,
    re.VERBOSE,
)
SIGNS = re.compile(
    rf"""
    \\(?: (?P<sign>["'`^~]) (?: \{{\s*(?P<held>\\?[A-Za-z])\s*\}} | (?P<bare>\\[ij](?![A-Za-z]) | [A-Za-z]) )
        | (?P<mark>[=.cvuHrkdb])\{{\s*(?P<marked>\\?[A-Za-z])\s*\}}
        | (?P<letter>{"|".join(LETTERS)})(?:\{{\}}|(?![A-Za-z]))
        | (?P<escaped>[%&\#_]|\$(?=\d)) )
    | (?<=[\w.,)])(?P<tie>~)(?=[\w(])
    """,
    re.VERBOSE,
)


def prose(text: str) -> str:
    r"""Remove HTML from a title or abstract, decode entities, and convert TeX outside formulas to plain text.

    Examples
    --------
    >>> prose(r"A ``fair'' \emph{minimum} wage after Erd\H{o}s \& K\"onig, Sec.~2: 5\% of $\frac{\emph{a}}{b}$")
    'A “fair” minimum wage after Erdős & König, Sec. 2: 5% of $\\frac{\\emph{a}}{b}$'
    >>> prose(r"C:\new, f'' and ~5 of $5 & more")
    "C:\\new, f'' and ~5 of $5 & more"
    >>> prose("Wages &amp; <i>jobs</i> at p &lt; .05")
    'Wages & jobs at p < .05'
    """
    text = plain_text(text)
    text = QUOTES.sub("\u201c\\1\u201d", text)
    if "\\" not in text and "~" not in text:
        return text
    parts, end = [], 0
    for formula in formulas(text):
        parts += [_convert_tex(text[end : formula.start]), text[formula.start : formula.end]]
        end = formula.end
    return "".join([*parts, _convert_tex(text[end:])])


def plain_text(text: str) -> str:
    """Remove HTML from a text, decode entities, and clean the result. Text without HTML and entities is not cleaned.

    Examples
    --------
    >>> plain_text("M&#252;ller, Andr&eacute;<sup>1</sup>")
    'Müller, André1'
    """
    return clean(without_markup(text)) if "<" in text or "&" in text else text


def with_accent(accent: str, letter: str) -> str:
    """Return a letter with an accent as a single composed character. `accent` is the accent's name in TeX."""
    return unicodedata.normalize("NFC", letter.removeprefix("\\") + ACCENTS[accent])


def _convert_tex(text: str) -> str:
    return FONT_COMMAND.sub(lambda found: found[1] or found[2] or "", SIGNS.sub(_convert_sign, text))


def _convert_sign(found: re.Match[str]) -> str:
    if accent := found["sign"] or found["mark"]:
        return with_accent(accent, found["held"] or found["bare"] or found["marked"])
    if found["letter"]:
        return LETTERS[found["letter"]]
    return " " if found["tie"] else found["escaped"]
