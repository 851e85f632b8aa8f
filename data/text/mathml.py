r"""Convert MathML in titles and abstracts to TeX, the format in which formulas are stored.

No library is used, because the available libraries need a browser engine or XSLT files and fail on invalid MathML.
"""

import html
import re
from xml.etree import ElementTree

from presort.data.text.cleaning import split_words

PREFIX = re.compile(r"(</?)[A-Za-z][\w-]*:")
ATTRIBUTES = re.compile(r"<([A-Za-z][\w-]*)\s[^<>]*?(/?)>")
ENTITY = re.compile(r"&(?!(?:lt|gt|amp|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);)([A-Za-z][A-Za-z0-9]*);")
TEX = re.compile(r"""<annotation[^<>]*encoding=["'](?:application/x-tex|LaTeX|TeX)["'][^<>]*>([^<]*)<""", re.IGNORECASE)
TAG = re.compile("<[^<>]*>")
MOST_DEPTH = 60  # maximum nesting depth of elements
UNWRITTEN = {ord(sign): None for sign in "\u2061\u2062\u2063\u2064\u200b\ufeff\n\r\t"}  # invisible operators and spaces
SIGNS = str.maketrans(
    {
        **{letter: f"\\{letter}" for letter in "$%&#_{}"},
        **{"<": r"\lt ", ">": r"\gt ", "\u2212": "-", "\\": r"\backslash ", "\u00a0": " ", "~": r"\sim "},
    }
)
FUNCTIONS = frozenset(split_words("arg cos cosh cot deg det dim exp inf lim ln log max min sec sin sinh sup tan tanh"))
OVER = {
    **dict.fromkeys("\u00af\u203e\u2015_", r"\bar"),
    **dict.fromkeys("^\u02c6\u0302", r"\hat"),
    **dict.fromkeys("~\u02dc\u223c\u0303", r"\tilde"),
    **{"\u2192": r"\vec", "\u02d9": r"\dot"},
}


def as_tex(mathml: str) -> str:
    r"""Convert a MathML formula to TeX between dollar signs. If it is invalid or too deeply nested, keep only its text.

    Examples
    --------
    >>> as_tex("<math><mfrac><mi>a</mi><mi>β</mi></mfrac><mo>&lt;</mo><msub><mi>x</mi><mn>1</mn></msub></math>")
    '$\\frac{a}{β}\\lt x_{1}$'
    """
    if written := TEX.search(PREFIX.sub(r"\1", mathml)):
        return _wrap_in_dollars(html.unescape(written[1]))
    plain = ENTITY.sub(
        lambda one: html.escape(html.unescape(one[0])), ATTRIBUTES.sub(r"<\1\2>", PREFIX.sub(r"\1", mathml))
    )
    try:
        root = ElementTree.fromstring(plain)  # noqa: S314 - it begins with <math>, so it can't declare entities
        return _wrap_in_dollars(_row(root, 0))
    except (ElementTree.ParseError, RecursionError, ValueError):
        return html.unescape(TAG.sub("", plain))


def _wrap_in_dollars(tex: str) -> str:
    tex = tex.strip().strip("$").strip()
    return f"${tex}$" if tex else ""


def _row(element: ElementTree.Element, depth: int) -> str:
    return "".join(_tex(child, depth + 1) for child in element)


def _tex(element: ElementTree.Element, depth: int) -> str:
    if depth > MOST_DEPTH:
        raise RecursionError
    name = element.tag
    if not isinstance(name, str) or name.startswith("annotation"):
        return ""
    if len(element) == 0:
        return _leaf(name, (element.text or "").translate(UNWRITTEN))
    if name == "mfenced":
        inner = ",".join(_tex(child, depth + 1) for child in element)
        return f"({inner})"
    if name == "mtable":
        return ", ".join(_row(child, depth + 1) for child in element)
    parts = [_tex(child, depth + 1) for child in element]
    return _script(name, parts) or "".join(parts)


def _leaf(name: str, text: str) -> str:
    written = text.strip().translate(SIGNS)
    if name == "mtext" and written:
        return rf"\text{{{text.translate(SIGNS)}}}"
    if name == "mi" and len(text.strip()) > 1:
        return f"\\{written} " if written in FUNCTIONS else rf"\mathrm{{{written}}}"
    return written if name != "mspace" else " "


def _script(name: str, parts: list[str]) -> str:
    """Return the TeX for an element with a layout, such as a fraction, or "" if the element only groups its parts."""
    match name, parts:
        case ("msup", [base, above]):
            return f"{base}^{{{above}}}"
        case ("msub", [base, below]):
            return f"{base}_{{{below}}}"
        case ("msubsup" | "munderover", [base, below, above]):
            return f"{base}_{{{below}}}^{{{above}}}"
        case ("mover", [base, above]):
            return f"{OVER[above.strip()]}{{{base}}}" if above.strip() in OVER else rf"\overset{{{above}}}{{{base}}}"
        case ("munder", [base, below]):
            return rf"\underset{{{below}}}{{{base}}}"
        case ("mfrac", [above, below]):
            return rf"\frac{{{above}}}{{{below}}}"
        case ("mroot", [base, root]):
            return rf"\sqrt[{root}]{{{base}}}"
        case ("msqrt", _):
            return rf"\sqrt{{{''.join(parts)}}}"
    return ""
