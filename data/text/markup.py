r"""Remove HTML and JATS markup from texts, decode entities, and convert MathML to TeX.

This module uses regular expressions instead of an HTML parser, because parsers interpret ``a<b>c`` as a tag and lose
text. All steps take linear time for any input.
"""

import html
import re
from collections.abc import Callable, Iterator

from presort.data.text.cleaning import split_words
from presort.data.text.mathml import as_tex

TAG = re.compile(r"<(?P<end>/?)(?P<space>[A-Za-z][\w-]*:)?(?P<name>[A-Za-z][\w-]*)(?P<rest>(?:\s[^<>]*)?)/?>")
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
DECLARATION = re.compile(r"<!doctype\s+html[^<>]*>|<\?xml\s[^<>]*\?>", re.IGNORECASE)
MOST_TAGS = 100_000  # limits memory use: a text with more tags can't be an abstract and is left unchanged
MOST_LAYERS = 3  # maximum levels of escaping; some sources escape repeatedly, as in &amp;amp;

MATHS = re.compile(r"<(?:[A-Za-z][\w-]*:)?math(?:\s[^<>]*)?>")
ALTERNATIVES = re.compile(r"<(?:jats:)?alternatives>")
TEX_MATHS = re.compile(r"<(?:jats:)?tex-math(?:\s[^<>]*)?>([^<]*)<")
PREAMBLE = re.compile(r"\\documentclass")
UNSEEN = re.compile(r"<(script|style)(?:\s[^<>]*)?>", re.IGNORECASE)
COMMENT = re.compile("<!--")
CDATA = re.compile(r"<!\[CDATA\[")

# Elements that end a word. Names such as "paragraph" are from JATS and publishers' XML.
BLOCKS = frozenset(
    split_words(
        "abstract blockquote body br caption center dd div dl dt fig figure footer h1 h2 h3 h4 h5 h6 head header hr "
        "html li list list-item ol p para paragraph pre sec section simple-para table tbody td th thead title tr ul"
    )
)
INLINE = frozenset(
    split_words(
        "a abbr acronym alternatives b bdi bdo bold big cite code del dfn disp-formula em ext-link font graphic i "
        "img inf inline-formula inline-graphic ins italic kbd label link mark meta monospace named-content nobr "
        "overline q roman s samp sans-serif sc small span strike strong styled-content sub sup tex-math tt u underline "
        "var xref"
    )
)
EMPTY = frozenset(split_words("br hr img graphic inline-graphic link meta"))  # elements without an end tag
LOOSE = frozenset(split_words("li p dd dt td th tr div"))  # elements that often lack their start or end tag


def without_markup(text: str) -> str:
    r"""Remove tags and comments from a text, decode entities, and convert MathML to TeX.

    A tag is removed only if it is paired or unmistakably a tag, because a text may contain ``a<b>c``.

    Examples
    --------
    >>> without_markup("<p>Whales (<i>P. crassidens</i>) &amp; CO<sub>2</sub>, p &lt; .05 and a<b>c</p>").strip()
    'Whales (P. crassidens) & CO2, p < .05 and a<b>c'
    >>> without_markup("Growth of <mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math>")
    'Growth of $x^{2}$'
    """
    for _ in range(MOST_LAYERS):
        if "<" in text and text.count("<") <= MOST_TAGS:
            text = _without_tags(_without_elements(text))
        if "&" not in text or (decoded := ENTITY.sub(lambda one: html.unescape(one[0]), text)) == text:
            break
        text = decoded
    return text


def _without_elements(text: str) -> str:
    """Remove comments, scripts and styles, and convert formulas to TeX."""
    text = _replace_spans(text, COMMENT, "-->", lambda _: " ")
    text = _replace_spans(text, CDATA, "]]>", lambda whole: whole[len("<![CDATA[") : -len("]]>")])
    text = _replace_spans(text, UNSEEN, "", lambda _: " ")
    text = _replace_spans(
        text, ALTERNATIVES, "", lambda whole: found[1] if (found := TEX_MATHS.search(whole)) else whole
    )
    text = _replace_spans(text, PREAMBLE, r"\begin{document}", lambda _: "").replace(r"\end{document}", "")
    text = _replace_spans(text, MATHS, "", as_tex)
    return DECLARATION.sub(" ", text)


def _replace_spans(text: str, begins: re.Pattern[str], ends: str, by: Callable[[str], str]) -> str:
    """Replace each span from a match of `begins` to `ends`. If `ends` is empty, spans end at the matching end tag."""
    parts, place = [], 0
    while found := begins.search(text, place):
        end = ends or f"</{found[0].split()[0].strip('<>')}>"
        if (last := text.find(end, found.end())) < 0:
            break
        parts += [text[place : found.start()], by(text[found.start() : last + len(end)])]
        place = last + len(end)
    return "".join([*parts, text[place:]]) if parts else text


def _without_tags(text: str) -> str:
    tags = list(TAG.finditer(text))
    if not tags:
        return text
    paired = set(_find_pairs(tags))
    parts, place = [], 0
    for number, tag in enumerate(tags):
        if number in paired or _is_unpaired_markup(tag, text):
            parts += [text[place : tag.start()], " " if tag["name"].lower() in BLOCKS else ""]
            place = tag.end()
    return "".join([*parts, text[place:]])


def _find_pairs(tags: list[re.Match[str]]) -> Iterator[int]:
    """Yield the index in `tags` of every start tag and end tag that is part of a pair."""
    began: dict[str, list[int]] = {}
    for number, tag in enumerate(tags):
        name = tag["name"].lower()
        if not tag["end"]:
            began.setdefault(name, []).append(number)
        elif began.get(name):
            yield began[name].pop()
            yield number


def _is_known(tag: re.Match[str]) -> bool:
    return tag["space"] is not None or tag["name"].lower() in BLOCKS | INLINE


def _is_unpaired_markup(tag: re.Match[str], text: str) -> bool:
    """Return True if an unpaired tag is markup.

    A tag without a prefix is not markup if its element is unknown. Otherwise, a tag is markup if it has a prefix or
    attributes, is self-closing, or belongs to an empty element. An end tag is also markup if its element is in `LOOSE`.
    A start tag directly after a word or before a space is not markup, because its ``<`` may mean "less than".
    """
    name = tag["name"].lower()
    if not _is_known(tag):
        return False
    if tag["space"] or name in EMPTY or "=" in tag["rest"] or tag[0].endswith("/>"):
        return True
    if tag["end"]:
        return name in LOOSE
    before, after = text[tag.start() - 1 : tag.start()], text[tag.end() : tag.end() + 1]
    is_apart = not before or before.isspace() or before in ">(" or (name in LOOSE and before in ".?!:;")
    return is_apart and not after.isspace()
