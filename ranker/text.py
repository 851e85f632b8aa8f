"""Which fields of a paper a ranker reads, as one string in lower case."""

import re

from sklearn.feature_extraction.text import strip_accents_unicode

from data.records import Paper

PUNCTUATION = re.compile(r"[^\w\s]|_")


def title_abstract(paper: Paper) -> str:
    """Join title and abstract.

    Examples
    --------
    >>> title_abstract(Paper("p1", "Money and Trust", "We ask."))
    'money and trust we ask.'
    """
    return f"{paper.title} {paper.abstract}".lower()


def title_abstract_authors(paper: Paper) -> str:
    """Join title, abstract and author names, without accents.

    Examples
    --------
    >>> title_abstract_authors(Paper("p1", "Money", "We ask.", ("Zoë Núñez",)))
    'money we ask. zoe nunez'
    """
    return str(strip_accents_unicode(" ".join([title_abstract(paper), *paper.authors]).lower()))


def author_names(paper: Paper) -> str:
    """Join the names of the authors, each as one word without accents.

    Sources that put all authors in one string part them by commas; a comma before a given name alone parts nothing.

    Examples
    --------
    >>> author_names(Paper("p1", "Money", authors=("Zoë M. Núñez", "Ada Low, Bo Ek", "Ek, Bo")))
    'zoe_m._nunez ada_low bo_ek ek,_bo'
    """
    return " ".join(as_term(name) for name in single_names(paper))


def single_names(paper: Paper) -> list[str]:
    """Give the names of the authors one by one, as they are spelled."""
    return [name.strip() for text in paper.authors for name in _parted(text)]


def as_term(name: str) -> str:
    """Give a name as one word without accents."""
    return "_".join(plain_text(name).split())


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
    """Give a text in lower case without accents."""
    return str(strip_accents_unicode(text.lower()))


def _parted(names: str) -> list[str]:
    parts = [part for part in names.split(",") if part.strip()]
    return parts if all(len(part.split()) > 1 for part in parts) else [names]


def all_fields(paper: Paper) -> str:
    """Join author names, title, abstract, classification codes and series, without punctuation.

    Examples
    --------
    >>> all_fields(Paper("p1", "Money", "We re-ask.", ("Zoë Núñez",), ("E51",), "Papers"))
    'zoë núñez money we reask e51 papers'
    """
    fields = [*paper.authors, paper.title, paper.abstract, *paper.codes, paper.series]
    return PUNCTUATION.sub("", " ".join(fields).lower())
