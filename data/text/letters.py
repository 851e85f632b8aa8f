"""Letters of any script: accents left out, and runs of Chinese, Japanese and Korean, in pairs."""

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
