"""Which fields of a paper a ranker reads, as one string in lower case."""

import re

from presort.data.records import Paper, in_pairs, person_key, without_accents

PUNCTUATION = re.compile(r"[^\w\s]|_")


def title_abstract(paper: Paper) -> str:
    """Join title and abstract.

    Examples
    --------
    >>> title_abstract(Paper("p1", "Money and Trust", "We ask."))
    'money and trust we ask.'
    """
    return in_pairs(f"{paper.title} {paper.abstract}".lower())


def title_abstract_authors(paper: Paper) -> str:
    """Join title, abstract and author names, without accents.

    Examples
    --------
    >>> title_abstract_authors(Paper("p1", "Money", "We ask.", ("Zoë Núñez",)))
    'money we ask. zoe nunez'
    """
    return in_pairs(plain_text(" ".join([paper.title, paper.abstract, *paper.authors])))


def author_keys(paper: Paper) -> list[str]:
    """Return the key of each author, as `presort.data.records.person_key` makes it.

    Examples
    --------
    >>> author_keys(Paper("p1", "Money", authors=("Zoë M. Núñez", "Ek, Bo", "Bo Ek", "-")))
    ['zoe_m_nunez', 'bo_ek', 'bo_ek']
    """
    return [key for name in paper.authors if (key := person_key(name))]


def code_groups(paper: Paper) -> str:
    """Join the classification codes with the groups they belong to, their first one and two characters.

    Examples
    --------
    >>> code_groups(Paper("p1", "Money", codes=("E51", "L1")))
    'E E5 E51 L L1'
    """
    codes = [code.upper() for text in paper.codes for code in text.split()]
    return " ".join(dict.fromkeys(group for code in codes for group in (code[:1], code[:2], code)))


def plain_text(text: str) -> str:
    """Return a text in lower case without accents."""
    return without_accents(text.lower())


def all_fields(paper: Paper) -> str:
    """Join author names, title, abstract, classification codes and series, without punctuation.

    Examples
    --------
    >>> all_fields(Paper("p1", "Money", "We re-ask.", ("Zoë Núñez",), ("E51",), "Papers"))
    'zoë núñez money we reask e51 papers'
    """
    fields = [*paper.authors, paper.title, paper.abstract, *paper.codes, paper.series]
    return PUNCTUATION.sub("", in_pairs(" ".join(fields).lower()))
