r"""The words of a title or name whatever way they are written: LaTeX or Unicode, accents or none, capitals or none."""

import re
import unicodedata

from presort.data.text.letters import SIGNS, in_pairs, without_accents

WORD = re.compile(rf"\d+|[^\W\d_]+(?:[{SIGNS}]+[^\W\d_]*)*")  # "P_6", "P6" and "P 6" are the same two words
ACCENT = re.compile(r"\\(?:[\"'`^~=.]|[cvuHkrbd](?![A-Za-z]))\s*\{?\s*\\?([A-Za-z])\}?")
LETTER = re.compile(r"\\(o|l|ss|ae|oe|aa|i|j|O|L|AE|OE|AA)(?![A-Za-z])\s*")
FONT = re.compile(r"\\(?:emph|operatorname|(?:text|math)[a-z]*)(?![A-Za-z])\s*")
COMMAND = re.compile(r"\\(?:var)?([A-Za-z]+)\s*")
UNWRITTEN = re.compile("[{}$^_'`\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\N{ACUTE ACCENT}]")
NO_ACCENT = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "æ": "ae",
        "œ": "oe",
        "ð": "d",
        "þ": "th",
        "\N{LATIN SMALL LETTER DOTLESS I}": "i",
    }
)
GREEK = {chr(code): unicodedata.name(chr(code)).split()[-1].lower() for code in range(0x3B1, 0x3CA)}  # alpha to omega
GREEK["\N{GREEK SMALL LETTER LAMDA}"] = "lambda"  # Unicode's spelling, not LaTeX's
SPELLED_OUT = str.maketrans({letter: f" {name} " for letter, name in GREEK.items()})
GREEK_WORD = re.compile("[α-ω]{4}")  # noqa: RUF001 - no formula: letters of a Greek text stay


def plain_words(text: str) -> tuple[str, ...]:
    r"""Return the words of a text, folded: no accent, no capital, no command of LaTeX.

    Examples
    --------
    >>> plain_words(r"The G{\"o}del--Łoś $\alpha_1$-Theorem") == plain_words("the Godel-Los α₁ theorem")
    True
    >>> plain_words(r"Stein's $P_6$-free \emph{graphs}")
    ('steins', 'p', '6', 'free', 'graphs')
    """
    return tuple(WORD.findall(in_pairs(plain(text))))


def plain(text: str) -> str:
    r"""Fold a text and leave its punctuation, but for quotes.

    Examples
    --------
    >>> plain(r"N\'u\~nez: J{\o}rgensen")
    'nunez: jorgensen'
    """
    if "\\" in text:
        text = FONT.sub("", LETTER.sub(r"\1", ACCENT.sub(r"\1", text)))
        text = COMMAND.sub(r" \1 ", text)
    text = UNWRITTEN.sub("", text)
    if not text.isascii():
        text = without_accents(text).casefold().translate(NO_ACCENT)
        if not GREEK_WORD.search(text):
            text = text.translate(SPELLED_OUT)
    return text.casefold()
