r"""Convert the TeX used in titles, names and abstracts to plain text.

bibtexparser's decoder is not used, because it lacks some commands that Presort's exporter writes, converts ``--`` to a
dash, and fails on thousands of nested braces.
"""

import re

from presort.data.text.prose import LETTERS, with_accent

FORMATTING = (
    *("emph", "textit", "textbf", "textsc", "textrm", "texttt", "textsf", "textsl", "textup", "textnormal"),
    *("textsuperscript", "textsubscript", "underline"),
    *("em", "it", "bf", "sc", "rm", "tt", "sf", "sl", "url", "href", "mbox"),
)
NAMES = {
    **{"textbackslash": "\\", "textbraceleft": "{", "textbraceright": "}", "textasciitilde": "~"},
    **{"textasciicircum": "^", "textless": "<", "textgreater": ">", "textbar": "|", "textquotedbl": '"'},
    **{"textendash": "\u2013", "textemdash": "\u2014", "textquoteleft": "\u2018", "textquoteright": "\u2019"},
    **{"textquotedblleft": "\u201c", "textquotedblright": "\u201d", "ldots": "…", "dots": "…", "texteuro": "€"},
    **{"quotesinglbase": "\u201a", "quotedblbase": "\u201e", "guillemotleft": "«", "guillemotright": "»"},
    **{"textquotesingle": "'", "textperiodcentered": "·", "textbullet": "•", "textunderscore": "_"},
    **{"textdegree": "°", "texttimes": "\u00d7", "textpm": "±", "textmu": "µ", "textregistered": "®"},
    **{"texttrademark": "™", "textdollar": "$", "textsterling": "£", "pounds": "£", "euro": "€"},
    **{"dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ"},
    **{"S": "§", "copyright": "©", "i": "i", "j": "j", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ"},
    **LETTERS,
    **dict.fromkeys(FORMATTING, ""),
}
SIGNS = {**{sign: sign for sign in "$&%#_{}"}, **dict.fromkeys("\\ ,;:\n\t", " "), **dict.fromkeys("-/!@", "")}
TOKEN = re.compile(
    r"""
    (?P<maths> \$ (?: \\. | [^$\\] )* \$ )
    | \\ (?: (?P<sign> [`'^~"=.] ) | (?P<letter> [cvuHrkdb] ) (?![A-Za-z]) )
      \s* (?: \{ \s*+ (?P<braced> \\?[^\W\d_] )? \s* \} | (?P<bare> \\[ij](?![A-Za-z]) | [^\W\d_] ) )
    | \\ (?P<name> [A-Za-z]+ ) (?: \{\} | \s+ )?
    | \\ (?P<escaped> [^A-Za-z] )
    | (?P<tie> ~ )
    | [{}]
    """,
    re.VERBOSE | re.DOTALL,
)


def plain(text: str) -> str:
    r"""Convert TeX to plain text. Formulas and unknown commands remain unchanged.

    Examples
    --------
    >>> plain(r"{M}\"uller \& {\O}re on \emph{wages} in $\beta$-models: 5\,\%")
    'Müller & Øre on wages in $\\beta$-models: 5 %'
    """
    return TOKEN.sub(_plain, text)


def _plain(found: re.Match[str]) -> str:
    if found["maths"]:
        return found["maths"]
    if accent := found["sign"] or found["letter"]:
        letter = found["braced"] or found["bare"]
        return with_accent(accent, letter) if letter else accent
    if found["name"]:
        return NAMES.get(found["name"], found[0])
    if found["escaped"]:
        return SIGNS.get(found["escaped"], found[0])
    return " " if found["tie"] else ""
