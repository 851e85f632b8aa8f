"""Texts that rankers read from papers: joined fields, normalised text, and stop words by language."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from presort.data.records import Paper, person_key, split_unspaced, without_accents

PUNCTUATION = re.compile(r"[^\w\s]|_")


def title_abstract(paper: Paper) -> str:
    """Join title and abstract in lower case.

    Examples
    --------
    >>> title_abstract(Paper("p1", "Money and Trust", "We ask."))
    'money and trust we ask.'
    """
    return split_unspaced(f"{paper.title} {paper.abstract}".lower())


def title_abstract_authors(paper: Paper) -> str:
    """Join title, abstract and author names, in lower case and without accents.

    Examples
    --------
    >>> title_abstract_authors(Paper("p1", "Money", "We ask.", ("Zoë Núñez",)))
    'money we ask. zoe nunez'
    """
    return split_unspaced(plain_text(" ".join([paper.title, paper.abstract, *paper.authors])))


def author_keys(paper: Paper) -> list[str]:
    """Return each author's key, as defined by `presort.data.records.person_key`.

    Examples
    --------
    >>> author_keys(Paper("p1", "Money", authors=("Zoë M. Núñez", "Ek, Bo", "Bo Ek", "-")))
    ['zoe_m_nunez', 'bo_ek', 'bo_ek']
    """
    return [key for name in paper.authors if (key := person_key(name))]


def code_groups(paper: Paper) -> str:
    """Join a paper's classification codes and their groups. A code's groups are its first one and two characters.

    Examples
    --------
    >>> code_groups(Paper("p1", "Money", codes=("E51", "L1")))
    'E E5 E51 L L1'
    """
    codes = [code.upper() for text in paper.codes for code in text.split()]
    return " ".join(dict.fromkeys(group for code in codes for group in (code[:1], code[:2], code)))


def plain_text(text: str) -> str:
    """Convert text to lower case and remove accents."""
    return without_accents(text.lower())


def join_fields(paper: Paper) -> str:
    """Join author names, title, abstract, codes and series, in lower case and without punctuation.

    Examples
    --------
    >>> join_fields(Paper("p1", "Money", "We re-ask.", ("Zoë Núñez",), ("E51",), "Papers"))
    'zoë núñez money we reask e51 papers'
    """
    fields = [*paper.authors, paper.title, paper.abstract, *paper.codes, paper.series]
    return PUNCTUATION.sub("", split_unspaced(" ".join(fields).lower()))


# minimum share of English stop words in English texts; usually 0.4, and below 0.1 in other languages
ENGLISH_SHARE = 0.2
NONE: frozenset[str] = frozenset()
LEAST = 2  # distinct stop words needed to identify a language, because a single stop word may be a name or a loanword


def remove_stop_words(*texts: Sequence[str]) -> list[list[str]]:
    """Remove English stop words, and stop words in the texts' own language, from the words in a paper's texts.

    Examples
    --------
    >>> remove_stop_words(["wages", "and", "jobs"], "die frage ist offen und bleibt es".split())
    [['wages', 'jobs'], ['frage', 'offen', 'bleibt']]
    """
    kept = [[word for word in words if word not in ENGLISH_STOP_WORDS] for words in texts]
    others = _other_stop_words(kept, sum(map(len, texts)))
    return [[word for word in words if word not in others] for words in kept] if others else kept


def stop_words(words: Sequence[str]) -> frozenset[str]:
    """Return the stop words that `remove_stop_words` removes.

    These are the English stop words and, if the text is in another language, the stop words of that language. The
    language is the one with the most distinct stop words among `words`, at least two. The text counts as English if no
    other language has more, or if at least 20 % of the words are English stop words. If several languages are tied, the
    stop words of all of them are returned.

    Parameters
    ----------
    words : sequence of str
        Words in a text, in lower case and without accents.

    Examples
    --------
    >>> "nicht" in stop_words("die frage ist nicht leicht".split()), "nicht" in stop_words("the question".split())
    (True, False)
    """
    others = _other_stop_words([[word for word in words if word not in ENGLISH_STOP_WORDS]], len(words))
    return frozenset(ENGLISH_STOP_WORDS) | others


def _other_stop_words(kept: Sequence[Sequence[str]], n_words: int) -> frozenset[str]:
    """Return the stop words of the texts' language, or none for English. `kept` excludes English stop words."""
    n_english = n_words - sum(map(len, kept))
    if n_english >= ENGLISH_SHARE * n_words:
        return NONE
    languages, different = _languages(), {word for words in kept for word in words}
    counts = Counter(language for word in different for language in languages.get(word, ()))
    most = max(counts.values(), default=0)
    if most < LEAST or most <= n_english:
        return NONE
    return _stop_words_of(frozenset(language for language, n_found in counts.items() if n_found == most))


@cache
def _stop_words_of(languages: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word, known in _languages().items() if not languages.isdisjoint(known))


@cache
def _languages() -> Mapping[str, Sequence[str]]:
    """Return the languages in which each word is a stop word. They are loaded only when a text isn't English."""
    from stop_words import LANGUAGE_MAPPING, get_stop_words  # type: ignore[import-untyped]

    found = defaultdict(list)
    for language in LANGUAGE_MAPPING:
        for word in {plain_text(word) for word in get_stop_words(language)}:
            found[word].append(language)
    return found
