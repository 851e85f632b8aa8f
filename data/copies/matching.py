"""Find the paper that is there already, when a copy of it comes in under another id, spelling or version."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.fuzz import ratio

from data.copies.papers import NO_DOIS, Papers, PapersInMemory, Together
from data.copies.rare_words import alike
from data.copies.same_authors import same_authors
from data.copies.same_title import Likeness, is_generic, same_title
from data.index.keys import Keys, means_one_paper
from data.records import Paper
from data.text.plain_words import plain_words

AT_ONCE = 2_000  # new papers
LEAST_WORDS = 4  # of a title that speaks for itself where the authors aren't known
LEAST_SHARE = 0.5  # of the shorter list's authors
LEAST_SHARED = 0.5  # of the shorter abstract's words, where the titles differ by more than spelling
NEAR = 0.05  # difference of scores that tells nothing


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


def match(
    known: Papers, new: Sequence[Paper], n_apart: int = 0, *, dois: Mapping[str, str] = NO_DOIS
) -> list[Match | None]:
    """Find for each new paper the one that it is a copy of, known or new but earlier: by id, DOI, or title and authors.

    Parameters
    ----------
    known : Papers
        Where several fit a new paper equally well, the first is taken.
    new : sequence of Paper
        No two with the same id, and none with that of a known paper.
    n_apart : int
        How many of them, from the first, are copies of none.
    dois : mapping from paper id to DOI
        Of the new papers; an id that is a DOI itself need not be there.

    Returns
    -------
    list of Match or None
        One for each new paper but the first `n_apart`, in their order; None where no known paper is the same, or where
        two different ones fit equally well. A copy may be named as the paper of which another is a copy.

    Examples
    --------
    >>> known = PapersInMemory([Paper("p1", "Minimum wages and jobs in Spain", authors=("Ann Lee", "Bo Ek"))])
    >>> match(known, [Paper("q1", "Minimun Wages and Jobs in Spain", authors=("Lee, A.", "Ek, B."))])
    [Match(paper_id='p1', how='title and authors', score=0.967741935483871)]
    >>> known = PapersInMemory([Paper("RePEc:x:y:1", "Minimum wages")])
    >>> match(known, [Paper("repec:x:y:1", "Jobs"), Paper("q2", "Minimum wages in Italy", authors=("Ann Lee",))])
    [Match(paper_id='RePEc:x:y:1', how='id', score=1.0), None]
    """
    later = PapersInMemory(new, dois=dois)
    papers = Together(known, later)
    matches: list[Match | None] = []
    for first in range(n_apart, len(new), AT_ONCE):
        some = range(first, min(first + AT_ONCE, len(new)))
        matches += _match(papers, {known.end + row: (new[row], later.keys[row]) for row in some})
    return matches


def _match(papers: Papers, new: Mapping[int, tuple[Paper, Keys]]) -> list[Match | None]:
    """Find copies for so many of the papers, by their numbers, that all that they are compared with is at hand."""
    certain = dict(_with_same_ids(papers, new))
    likely = alike(papers, {number: keys.words for number, (_, keys) in new.items() if number not in certain})
    at_hand = papers.read({earlier for _, earlier in certain.values()}.union(*likely.values()))
    matches: list[Match | None] = []
    for number, (paper, _) in new.items():
        if number in certain:
            how, earlier = certain[number]
            matches.append(Match(at_hand[earlier].paper_id, how, 1.0))
        else:
            found = _best(paper, [at_hand[earlier] for earlier in likely[number]])
            matches.append(Match(found[1].paper_id, "title and authors", found[0]) if found else None)
    return matches


def _with_same_ids(
    papers: Papers, new: Mapping[int, tuple[Paper, Keys]]
) -> Iterator[tuple[int, tuple[Literal["id", "doi"], int]]]:
    """Yield the papers for which there is an earlier one of the same id or DOI, and the first such."""
    same_id = papers.having("id", sorted({keys.id for _, keys in new.values() if means_one_paper(keys.id)}))
    same_doi = papers.having("doi", sorted({keys.doi for _, keys in new.values() if keys.doi}))
    for number, (_, keys) in new.items():
        if means_one_paper(keys.id) and same_id[keys.id][0] < number:
            yield number, ("id", int(same_id[keys.id][0]))
        elif keys.doi and same_doi[keys.doi][0] < number:
            yield number, ("doi", int(same_doi[keys.doi][0]))


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
    has_authors = bool(one.authors and other.authors)
    authors = same_authors(one.authors, other.authors)
    if has_authors and authors.share < LEAST_SHARE:  # of most papers that are compared, and told sooner than by titles
        return 0.0
    titles = same_title(one.title, other.title)
    if titles is None or is_generic(one.title) or is_generic(other.title):
        return 0.0
    if not has_authors:
        speaks = min(len(plain_words(one.title)), len(plain_words(other.title))) >= LEAST_WORDS
        return titles.score if titles.is_whole and speaks else 0.0
    is_cut_copy = authors.is_all and _same_abstract(one.abstract, other.abstract)
    return titles.score if titles.is_whole or is_cut_copy else 0.0


def may_be_one(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return whether two descriptions, each a title and an abstract, may be of one paper, which has a new title maybe.

    Examples
    --------
    >>> may_be_one(("Wages and jobs", ""), ("Wages & Jobs", "")), may_be_one(("Wages and jobs", ""), ("Trade", ""))
    (True, False)
    >>> may_be_one(("Wages and jobs", "We look at wages."), ("Pay and work", "We look at wages in Spain."))
    True
    """
    (title, abstract), (other_title, other_abstract) = one, other
    has_abstracts = bool(abstract and other_abstract)
    return same_title(title, other_title) is not None or (has_abstracts and _same_abstract(abstract, other_abstract))


def _same_abstract(one: str, other: str) -> bool:
    """Return whether nothing speaks against two abstracts being versions of one."""
    short, long = sorted((set(plain_words(one)), set(plain_words(other))), key=len)
    return len(short & long) >= LEAST_SHARED * len(short)
