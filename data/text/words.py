"""Split texts in any script into normalised words without accents or LaTeX, and create lookup keys for texts."""

import hashlib
import re
import unicodedata

# Optional diacritics. This excludes diacritics that form a different letter (Cyrillic й, ї and ў), and all diacritics
# in scripts that use them to mark vowels or voiced sounds.
ACCENTS = re.compile(
    "(?<![ИиУу])\u0306|(?<![Іі])\u0308|[\u0300-\u0305\u0307\u0309-\u036f\u0591-\u05c7\u064b-\u065f\u0670]"  # noqa: RUF001
)
SIGNS = "\u0900-\u0963\u0970-\u0dff\u0e31-\u0e4e"  # Indic and Thai vowel signs, which \w doesn't match
UNSPACED = (  # Chinese, Japanese, Korean
    "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
RUN = re.compile(f"[{UNSPACED}]+")


def without_accents(text: str) -> str:
    """Remove accents from a text, and replace letter variants such as ligatures.

    Examples
    --------
    >>> without_accents("Zoë Łoś, ﬁne; ещё мой")
    'Zoe Łos, fine; еще мой'
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", ACCENTS.sub("", unicodedata.normalize("NFKD", text)))


def split_unspaced(text: str) -> str:
    """Split Chinese, Japanese and Korean text into overlapping character pairs, separated by spaces.

    Chinese and Japanese have no spaces between words, and Korean attaches particles to words. Most words have two
    characters.

    Examples
    --------
    >>> split_unspaced("GDP与经济学")
    'GDP 与经 经济 济学 '
    """
    return text if text.isascii() else RUN.sub(lambda run: f" {' '.join(pairs(run[0]))} ", text)


def pairs(run: str) -> list[str]:
    """Return the overlapping character pairs in a string. For a single character, return only that character.

    Examples
    --------
    >>> pairs("经济学"), pairs("学")
    (['经济', '济学'], ['学'])
    """
    return [run[place : place + 2] for place in range(max(1, len(run) - 1))]


# Letters and digits are separate words, so that "P_6", "P6" and "P 6" are equivalent.
WORD = re.compile(rf"\d+|[^\W\d_]+(?:[{SIGNS}]+[^\W\d_]*)*")
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
GREEK["\N{GREEK SMALL LETTER LAMDA}"] = "lambda"  # Unicode spells it "lamda"
SPELLED_OUT = str.maketrans({letter: f" {name} " for letter, name in GREEK.items()})
GREEK_WORD = re.compile("[α-ω]{4}")  # noqa: RUF001 - marks a text in Greek, whose letters are not spelled out


def plain_words(text: str) -> tuple[str, ...]:
    r"""Split a text into lower-case words without accents or LaTeX markup.

    Examples
    --------
    >>> plain_words(r"The G{\"o}del--Łoś $\alpha_1$-Theorem") == plain_words("the Godel-Los α₁ theorem")
    True
    >>> plain_words(r"Stein's $P_6$-free \emph{graphs}")
    ('steins', 'p', '6', 'free', 'graphs')
    """
    return tuple(WORD.findall(split_unspaced(plain(text))))


def plain(text: str) -> str:
    r"""Convert a text to lower case, and remove accents, LaTeX markup and single quotes.

    Other punctuation is retained. Commands for symbols, such as ``\alpha``, are replaced with their names, as are Greek
    letters in texts that are not in Greek.

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


LONGEST, HEAD = 200, 100  # maximum key length in characters, and length of a shortened key's prefix


def short_key(text: str) -> str:
    """Return a short string unchanged. Shorten a long string to its first characters and a hash of the whole string.

    Examples
    --------
    >>> short_key("wages"), len(short_key("wages" * 1_000))
    ('wages', 164)
    """
    if len(text) <= LONGEST:
        return text
    return text[:HEAD] + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
