"""What an editor tells the ranker beside decisions: terms that shall not count, and terms that shall count more.

A muted term is not read: papers are scored as if it did not stand there. Each boosted term lifts a paper that has it
by one standard deviation of the report's scores. A term is one or several words of title or abstract, an author, or a
code; words that no ranker reads may stand between the words of a term, as "rates of interest" has "rates interest".
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from data.records import Paper
from ranker.recipe import Table
from ranker.text import as_term, plain_text, single_names

# No two of these match the same text: if they did, a long row of them would be tried in every combination.
UNREAD = rf"(?:\d\w*|[^\W\d]|{'|'.join(sorted(word for word in ENGLISH_STOP_WORDS if len(word) > 1))})"
GAP = rf"\W+(?:{UNREAD}\W+)*"


def has(paper: Paper, term: str) -> bool:
    """Say whether a term stands in a paper.

    Examples
    --------
    >>> paper = Paper("p1", "Rates of interest", "A survey.", ("Zoë Núñez",), ("E51",))
    >>> [has(paper, term) for term in ("rates interest", "survey", "zoe nunez", "e5", "nun")]
    [True, True, True, True, False]
    """
    return _without(paper, term) != paper


def without(paper: Paper, terms: Sequence[str]) -> Paper:
    """Give a paper as if terms did not stand in it.

    Examples
    --------
    >>> without(Paper("p1", "Rates of interest", "The rates."), ["interest"])
    Paper(paper_id='p1', title='rates of  ', abstract='The rates.', authors=(), codes=(), series='', date='')
    """
    for term in terms:
        paper = _without(paper, term)
    return paper


def lifted(scores: Table, papers: Sequence[Paper], terms: Sequence[str]) -> Table:
    """Lift the scores of papers, shape (n_papers,), by one standard deviation for each of the terms they have."""
    n_terms = np.array([sum(has(paper, term) for term in terms) for paper in papers])
    raised: Table = scores + scores.std() * n_terms
    return raised


def _without(paper: Paper, term: str) -> Paper:
    plain = plain_text(term).strip()
    if not plain:  # accents alone: every code starts with nothing
        return paper
    names, codes = single_names(paper), [code for text in paper.codes for code in text.split()]
    other_names = tuple(name for name in names if as_term(name) != as_term(term))
    other_codes = tuple(code for code in codes if not plain_text(code).startswith(plain))
    return replace(
        paper,
        title=_cut(paper.title, plain),
        abstract=_cut(paper.abstract, plain),
        authors=paper.authors if len(other_names) == len(names) else other_names,
        codes=paper.codes if len(other_codes) == len(codes) else other_codes,
    )


def _cut(text: str, term: str) -> str:
    """Cut a term out of a text, which is given back in lower case if the term stood there and untouched if not."""
    pattern = _pattern(term)
    if not pattern.search(plain_text(text)):
        return text
    letters = text.lower()  # with their accents, which some rankers read
    plain = [plain_text(letter) for letter in letters]
    places = [place for place, as_read in enumerate(plain) for _ in as_read]
    kept, end = "", 0
    for found in pattern.finditer("".join(plain)):
        kept += letters[end : places[found.start()]] + " "
        end = places[found.end() - 1] + 1
    return kept + letters[end:]


@lru_cache(maxsize=1_000)
def _pattern(term: str) -> re.Pattern[str]:
    words = GAP.join(re.escape(word) for word in term.split())
    return re.compile(rf"(?<!\w){words}(?!\w)")
