"""Words of any text, folded: accents, LaTeX, scripts without spaces; and keys by which texts are looked up."""

import hashlib
import re
import unicodedata

# Signs on letters that a text may have or lack. Not those that make another letter: Cyrillic й, ї and ў, and all
# signs of scripts in which they are vowels, or voice a sound.
ACCENTS = re.compile(
    "(?<![ИиУу])\u0306|(?<![Іі])\u0308|[\u0300-\u0305\u0307\u0309-\u036f\u0591-\u05c7\u064b-\u065f\u0670]"  # noqa: RUF001
)
SIGNS = (
    "\u0900-\u0963\u0970-\u0dff\u0e31-\u0e4e"  # vowels of India and Thailand, which `re` takes for no part of a word
)
UNSPACED = (  # Chinese, Japanese, Korean
    "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
RUN = re.compile(f"[{UNSPACED}]+")


def without_accents(text: str) -> str:
    """Return a text without accents, each letter in its usual form.

    Examples
    --------
    >>> without_accents("Zoë Łoś, ﬁne; ещё мой")
    'Zoe Łos, fine; еще мой'
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", ACCENTS.sub("", unicodedata.normalize("NFKD", text)))


def in_pairs(text: str) -> str:
    """Return a text in which each pair of neighbouring letters of Chinese, Japanese or Korean is a word.

    Such a text has no spaces between words, or joins to a word what others write apart; of its words most have two
    letters.

    Examples
    --------
    >>> in_pairs("GDP与经济学")
    'GDP 与经 经济 济学 '
    """
    return text if text.isascii() else RUN.sub(lambda run: f" {' '.join(pairs(run[0]))} ", text)


def pairs(run: str) -> list[str]:
    """Return the pairs of neighbouring letters; of one letter itself.

    Examples
    --------
    >>> pairs("经济学"), pairs("学")
    (['经济', '济学'], ['学'])
    """
    return [run[place : place + 2] for place in range(max(1, len(run) - 1))]


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


LONGEST, HEAD = 200, 100  # letters


def short_key(text: str) -> str:
    """Return a text, or of a long one its beginning and a digest of all of it.

    Examples
    --------
    >>> short_key("wages"), len(short_key("wages" * 1_000))
    ('wages', 164)
    """
    if len(text) <= LONGEST:
        return text
    return text[:HEAD] + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
