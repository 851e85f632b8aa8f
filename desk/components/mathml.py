"""Convert LaTeX formulas to MathML trees that contain only safe elements and attributes."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import cast
from xml.etree.ElementTree import Element

from latex2mathml import exceptions
from latex2mathml.converter import convert_to_element

from presort.data.records import Paper
from presort.data.text.formulas import formulas

Tree = Sequence["str | Mapping[str, str] | Tree"]  # element name, attributes and children
Span = tuple[int, int]  # start and end of a formula in UTF-16 code units, the units of JavaScript strings

# Allowed elements and attributes. They must match those in mathml.js.
ELEMENT = re.compile(
    "math|m(row|i|o|n|text|s|space|frac|sqrt|root|style|padded|phantom|sub|sup|subsup|under|over|underover|table|tr|td)"
)
ATTRIBUTE = re.compile(
    "display|stretchy|fence|form|mathvariant|accent|accentunder|minsize|maxsize|linethickness|width|height|depth|lspace|"
    "rspace|scriptlevel|displaystyle|movablelimits|largeop|separator|symmetric|columnalign|rowspacing|columnspacing"
)
VALUE = re.compile(r"-?0?\.\d{1,4}em|\d(?:\.\d{1,4})?(?:em|ex|px)?|[a-z -]{1,40}")  # values: lengths and keywords
NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
# All errors that latex2mathml raises. They have no common base class.
UNREADABLE: tuple[type[Exception], ...] = (
    *(one for one in vars(exceptions).values() if isinstance(one, type) and issubclass(one, Exception)),
    *(StopIteration, LookupError, ValueError, TypeError, AttributeError, RecursionError),
)


def formulas_of_papers(papers: Iterable[Paper]) -> tuple[dict[str, dict[str, list[Span]]], dict[str, Tree]]:
    """Return the spans of formulas in titles and abstracts by paper id and field, and their trees by formula source.

    Formulas that can't be parsed are omitted. The browser then shows their source.
    """
    places: dict[str, dict[str, list[Span]]] = {}
    trees: dict[str, Tree] = {}
    for paper in papers:
        for field, text in (("title", paper.title), ("abstract", paper.abstract)):
            for latex, start, end in formulas(text):
                if (tree := tree_of(latex)) is not None:
                    trees[text[start:end]] = tree
                    span = (_utf16_length(text[:start]), _utf16_length(text[:end]))
                    places.setdefault(paper.paper_id, {}).setdefault(field, []).append(span)
    return places, trees


def replace_formulas(text: str) -> str:
    r"""Replace the source of each formula in a string by the characters of the rendered formula.

    Examples
    --------
    >>> replace_formulas(r"Pseudo-$R^2$ at \$5")
    'Pseudo-R2 at \\$5'
    """
    for latex, start, end in reversed(formulas(text)):
        if (tree := tree_of(latex)) is not None:
            text = f"{text[:start]}{_tree_text(tree)}{text[end:]}"
    return text


def _tree_text(tree: Tree) -> str:
    return "".join(part if isinstance(part, str) else _tree_text(cast("Tree", part)) for part in tree[2:])


@lru_cache(20_000)
def tree_of(latex: str) -> Tree | None:
    r"""Convert a formula to a tree. Return None if it can't be parsed or contains a disallowed element or attribute.

    Examples
    --------
    >>> tree_of("k")
    ('math', {'display': 'inline'}, ('mrow', {}, ('mi', {}, 'k')))
    >>> tree_of(r"\href{javascript:alert(1)}{k}"), tree_of(r"\unknown"), tree_of(r"\frac")
    (None, None, None)
    """
    try:
        return _element_tree(convert_to_element(latex))
    except UNREADABLE:
        return None


def _element_tree(element: Element) -> Tree:
    name = element.tag.removeprefix(NAMESPACE)
    attributes = {key: value for key, value in element.attrib.items() if key != "xmlns"}
    text = html.unescape(element.text or "")  # latex2mathml escapes characters in the same way as HTML
    if not ELEMENT.fullmatch(name) or not all(ATTRIBUTE.fullmatch(one) for one in attributes):
        raise ValueError(f"element {name} with attributes {', '.join(attributes)} is not allowed")
    if not all(VALUE.fullmatch(value) for value in attributes.values()) or "\\" in text:
        raise ValueError(f"{name} contains a disallowed attribute value or text")
    inside = [text] if text else []
    return (name, attributes, *inside, *map(_element_tree, element))


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
