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


def all_fields(paper: Paper) -> str:
    """Join author names, title, abstract, classification codes and series, without punctuation.

    Examples
    --------
    >>> all_fields(Paper("p1", "Money", "We re-ask.", ("Zoë Núñez",), ("E51",), "Papers"))
    'zoë núñez money we reask e51 papers'
    """
    fields = [*paper.authors, paper.title, paper.abstract, *paper.codes, paper.series]
    return PUNCTUATION.sub("", " ".join(fields).lower())
