"""Find the paper that is there already, when a copy of it comes in under another id, spelling or version."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.fuzz import ratio

from data.copies.same_authors import same_authors
from data.copies.same_title import Likeness, is_generic, same_title
from data.records import Paper
from data.text.plain_words import plain_words

ARXIV = re.compile(r"(?:oai:)?(?:https?://)?(?:export\.)?arxiv(?:\.org)?(?:/abs/|/pdf/|:)(.+?)(?:v\d+)?(?:\.pdf)?")
DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)")
ARXIV_DOI = "10.48550/arxiv."
RAREST = 10  # words of a paper by which others are looked for
COMPARED = 10  # papers looked at closely for each new one
LEAST_WORDS = 4  # of a title that speaks for itself where the authors aren't known
LEAST_SHARE = 0.5  # of the shorter list's authors
LEAST_SHARED = 0.5  # of the shorter abstract's words, where the titles differ by more than spelling
NEAR = 0.05  # difference of scores that tells nothing
NO_DOIS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Match:
    """A known paper that a new one is a copy of.

    Attributes
    ----------
    paper_id : str
        Of the known paper.
    how : str
        What both have: the id (but for capitals and version), the DOI, or title and authors.
    score : float
        Likeness of the titles, from 0 to 1; 1 for an id or DOI.
    """

    paper_id: str
    how: Literal["id", "doi", "title and authors"]
    score: float


class Known:
    """Papers that are known, and an index of them: 100,000 take some seconds, so make it once.

    Parameters
    ----------
    papers : sequence of Paper
        Where several copies fit a new paper equally well, the first is taken.
    dois : mapping from paper id to DOI
        Those that are known; an id that is a DOI itself need not be there.
    """

    def __init__(self, papers: Sequence[Paper], *, dois: Mapping[str, str] = NO_DOIS) -> None:
        self.papers = papers
        self.rows = _first_rows(paper.paper_id for paper in papers)
        self.rows_of_ids = _first_rows(id_key(paper.paper_id) for paper in papers)
        self.rows_of_dois = _first_rows(doi_of(paper, dois) for paper in papers)
        self._index = _Index(papers)

    def alike(self, paper: Paper, before: int) -> list[int]:
        """Return rows, below `before`, of papers that share rare words and authors with this one, likeliest first."""
        return self._index.alike(paper, before)


def match(known: Known, new: Sequence[Paper], *, dois: Mapping[str, str] = NO_DOIS) -> list[Match | None]:
    """Find for each new paper the known one that it is a copy of, by id, then DOI, then title and authors.

    New papers are not compared with each other.

    Parameters
    ----------
    known : Known
    new : sequence of Paper
    dois : mapping from paper id to DOI
        Of the new papers.

    Returns
    -------
    list of Match or None
        In the order of `new`; None where no known paper is the same, or where two different ones fit equally well.

    Examples
    --------
    >>> known = Known([Paper("p1", "Minimum wages and jobs in Spain", authors=("Ann Lee", "Bo Ek"))])
    >>> match(known, [Paper("q1", "Minimun Wages and Jobs in Spain", authors=("Lee, A.", "Ek, B."))])
    [Match(paper_id='p1', how='title and authors', score=0.967741935483871)]
    >>> match(known, [Paper("P1", "Wages"), Paper("q2", "Minimum wages and jobs in Italy", authors=("Ann Lee",))])
    [Match(paper_id='p1', how='id', score=1.0), None]
    """
    return [_match(known, paper, dois, len(known.papers)) for paper in new]


def match_earlier(papers: Sequence[Paper], n_known: int, *, dois: Mapping[str, str] = NO_DOIS) -> list[Match | None]:
    """Find for each paper after the first `n_known` an earlier one, known or new, that it is a copy of.

    Parameters
    ----------
    papers : sequence of Paper
        Those that are known, then the new ones; no two with the same id.
    n_known : int
        How many of them are known.
    dois : mapping from paper id to DOI
        Of any of them.

    Returns
    -------
    list of Match or None
        One for each new paper, as `match` gives them. A copy may be named as the paper of which another is a copy.

    Examples
    --------
    >>> papers = [Paper("arXiv:1701.1", "Wages"), Paper("p", "Jobs"), Paper("arXiv:1701.1v2", ""), Paper("P", "")]
    >>> [found and found.paper_id for found in match_earlier(papers, 1)]
    [None, 'arXiv:1701.1', 'p']
    """
    known = Known(papers, dois=dois)
    return [_match(known, papers[row], dois, row) for row in range(n_known, len(papers))]


def id_key(paper_id: str) -> str:
    """Return what the ids of all versions of a paper have in common.

    Examples
    --------
    >>> id_key("http://arxiv.org/abs/1701.00317v2"), id_key("oai:arXiv.org:1701.00317"), id_key("RePEc:nbr:nberwo:1")
    ('arxiv:1701.00317', 'arxiv:1701.00317', 'repec:nbr:nberwo:1')
    """
    key = paper_id.strip().casefold()
    if doi := DOI.fullmatch(key):
        key = doi[1].replace(ARXIV_DOI, "arxiv:")
    found = ARXIV.fullmatch(key)
    return f"arxiv:{found[1]}" if found else key


def doi_of(paper: Paper, dois: Mapping[str, str]) -> str:
    """Return a paper's DOI in lower case, from the mapping or its id; empty if it has none.

    Examples
    --------
    >>> doi_of(Paper("https://doi.org/10.1257/AER.1", "Wages"), {}), doi_of(Paper("p1", "Wages"), {})
    ('10.1257/aer.1', '')
    """
    return plain_doi(dois.get(paper.paper_id, paper.paper_id))


def plain_doi(text: str) -> str:
    """Return a DOI in lower case, without what may stand before it; empty if the text is none.

    Examples
    --------
    >>> plain_doi("doi: 10.1257/AER.1"), plain_doi("none")
    ('10.1257/aer.1', '')
    """
    found = DOI.fullmatch(text.strip().casefold())
    return found[1] if found else ""


def _match(known: Known, paper: Paper, dois: Mapping[str, str], before: int) -> Match | None:
    """Find the copy among the known papers of the rows below `before`."""
    places: tuple[tuple[Literal["id", "doi"], int | None], ...] = (
        ("id", known.rows.get(paper.paper_id)),
        ("id", known.rows_of_ids.get(id_key(paper.paper_id))),
        ("doi", known.rows_of_dois.get(doi_of(paper, dois))),
    )
    for how, row in places:
        if row is not None and row < before:
            return Match(known.papers[row].paper_id, how, 1.0)
    found = _best(paper, [known.papers[row] for row in known.alike(paper, before)])
    return Match(found[1].paper_id, "title and authors", found[0]) if found else None


def _best(paper: Paper, others: Sequence[Paper]) -> tuple[float, Paper] | None:
    """Return the best of those that are the same paper, unless different papers are about as good."""
    same = [(score, other) for other in others if (score := likeness(paper, other))]
    if not same:
        return None
    best = max(same, key=lambda found: (found[0], ratio(paper.abstract, found[1].abstract)))
    near = [other for score, other in same if score > best[0] - NEAR and other is not best[1]]
    is_sure = same_title(paper.title, best[1].title) == Likeness(1.0, True)
    return best if is_sure or all(likeness(best[1], other) for other in near) else None


def likeness(one: Paper, other: Paper) -> float:
    """Compare two papers by title and authors.

    Returns
    -------
    float
        Likeness of the titles, from 0 to 1; 0 if the papers are not the same.
    """
    titles = same_title(one.title, other.title)
    if titles is None or is_generic(one.title) or is_generic(other.title):
        return 0.0
    if not one.authors or not other.authors:
        speaks = min(len(plain_words(one.title)), len(plain_words(other.title))) >= LEAST_WORDS
        return titles.score if titles.is_whole and speaks else 0.0
    authors = same_authors(one.authors, other.authors)
    if titles.is_whole:
        return titles.score if authors.share >= LEAST_SHARE else 0.0
    return titles.score if authors.is_all and _same_abstract(one.abstract, other.abstract) else 0.0


def _same_abstract(one: str, other: str) -> bool:
    """Return whether nothing speaks against two abstracts being versions of one."""
    short, long = sorted((set(plain_words(one)), set(plain_words(other))), key=len)
    return len(short & long) >= LEAST_SHARED * len(short)


def _first_rows(keys: Iterator[str]) -> dict[str, int]:
    rows: dict[str, int] = {}
    for row, key in enumerate(keys):
        if key:
            rows.setdefault(key, row)
    return rows


class _Entries(NamedTuple):
    rows: NDArray[np.int32]
    starts: NDArray[np.int64]  # `rows[starts[t]:starts[t + 1]]` are the papers that have the word of number t


class _Index:
    """Which papers have which words in the title or in a name of an author."""

    def __init__(self, papers: Sequence[Paper]) -> None:
        self._numbers: dict[str, int] = {}
        words = [[self._numbers.setdefault(word, len(self._numbers)) for word in _words(paper)] for paper in papers]
        lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        numbers = np.fromiter(chain.from_iterable(words), dtype=np.int64, count=int(lengths.sum()))
        rows = np.repeat(np.arange(len(papers), dtype=np.int32), lengths)
        counts = np.bincount(numbers, minlength=len(self._numbers))
        starts = np.concatenate([[0], np.cumsum(counts)])
        self._entries = _Entries(rows[np.argsort(numbers, kind="stable")], starts)
        self._weights = np.log(1 + len(papers) / np.maximum(counts, 1))

    def alike(self, paper: Paper, before: int) -> list[int]:
        known = [self._numbers[word] for word in _words(paper) if word in self._numbers]
        rarest = sorted(known, key=lambda number: (-self._weights[number], number))[:RAREST]
        if not rarest:
            return []
        starts = self._entries.starts
        with_word = [self._entries.rows[starts[number] : starts[number + 1]] for number in rarest]
        entries = [rows[: np.searchsorted(rows, before)] for rows in with_word]  # ascending
        weights = np.repeat(self._weights[rarest], [len(found) for found in entries])
        rows, places = np.unique(np.concatenate(entries), return_inverse=True)
        sums = np.bincount(places, weights)
        first = np.lexsort((rows, -sums))[:COMPARED]
        return [int(row) for row in rows[first]]


def _words(paper: Paper) -> dict[str, None]:
    """Return the words of the title and the authors' names, once each, in order."""
    return dict.fromkeys(plain_words(" ".join([paper.title, *paper.authors])))
