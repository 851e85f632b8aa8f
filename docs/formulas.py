"""Hook of mkdocs.yml that converts formulas in docstrings to MathML, which browsers render without scripts."""

import html
import re

from latex2mathml.converter import convert

INLINE = re.compile(r":math:<code>(.*?)</code>", re.DOTALL)
BLOCK = re.compile(r"<p>\.\. math::\n(.*?)</p>", re.DOTALL)
LINE_END = re.compile(r"\\$", re.MULTILINE)  # Markdown removes one of two backslashes


def on_page_content(content: str, **_: object) -> str:
    """Replace reStructuredText formulas, in the form that Markdown produces, with MathML."""
    content = BLOCK.sub(lambda found: f"<p>{_mathml(_lines(found[1]), 'block')}</p>", content)
    return INLINE.sub(lambda found: _mathml(found[1], "inline"), content)


def _lines(formula: str) -> str:
    lines = LINE_END.sub(r"\\\\", formula)
    return rf"\begin{{align*}}{lines}\end{{align*}}" if "&amp;" in lines else lines


def _mathml(formula: str, display: str) -> str:
    return convert(html.unescape(formula), display=display)
