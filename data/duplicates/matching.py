"""Detect papers that are imported again with a different id, spelling or version."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from rapidfuzz.fuzz import ratio

from presort.data.duplicates.agreement import LEAST_SHARE, Agreement, agreement, compare_authors, relation
from presort.data.duplicates.candidates import NO_DOIS, ConcatenatedPapers, Papers, PapersInMemory, find_candidates
from presort.data.duplicates.titles import Likeness, compare_titles, is_generic
from presort.data.duplicates.words import TitleWords, differ_in_words
from presort.data.index.paper_index import Keys, is_global_id, is_record_id
from presort.data.records import Paper
from presort.data.text.words import plain_words

AT_ONCE = 2_000  # number of new papers per batch
LEAST_WORDS = 4  # minimum number of words in a title that identifies a paper without authors
MOST_SHARING = 20  # maximum number of papers with the same id or DOI to compare with a new paper
NEAR = 0.05  # two candidates match equally well if their scores differ by less than this

How = Literal["id", "doi", "title and authors"]


@dataclass(frozen=True, slots=True)
class Match:
    """Earlier paper that a new paper duplicates, or may duplicate.

    Attributes
    ----------
    paper_id : str
        Id of the earlier paper.
    how : str
        What the two papers have in common: "id" (ignoring case and version), "doi" or "title and authors".
    score : float
        Similarity of the titles, from 0 to 1. It is 1 if the papers have the same id or DOI.
    """

    paper_id: str
    how: How
    score: float


class Duplicates(NamedTuple):
    """Result of searching for duplicates of a new paper.

    Attributes
    ----------
    same : Match or None
        Original of the new paper. None if the new paper is not a certain duplicate.
    possible : Match or None
        Paper that the new paper may duplicate. A user has to decide whether it does. None if `same` is set.
    shared : Match or None
        Paper that has the same id or DOI but is a different paper.
    """

    same: Match | None = None
    possible: Match | None = None
    shared: Match | None = None


class _Pair(NamedTuple):
    """Similarity of two papers that, judging by their titles and authors, may be duplicates."""

    titles: Likeness
    are_all_authors: bool  # True if both papers have the same authors
    abstracts: Agreement | None  # None if either abstract is missing

    @property
    def least_agreement(self) -> Agreement:
        """Minimum agreement between the abstracts for the papers to count as duplicates.

        The less the titles agree, the higher the minimum is.
        """
        if self.titles.n_missing:
            return Agreement.VERBATIM
        if not self.titles.is_whole or self.titles.slips:
            return Agreement.CLOSE
        is_exact = self.titles.score == 1 and self.are_all_authors
        return Agreement.ALIKE if is_exact else Agreement.SIMILAR

    def verdict(self, *, are_other_words: bool) -> Literal["same", "possible", "different"]:
        """Return whether the papers are the "same", a "possible" match, or "different".

        Parameters
        ----------
        are_other_words : bool
            True if the titles differ in real words, not only in misspellings.
        """
        if self.titles.is_far:
            return "same" if self.abstracts is Agreement.VERBATIM and not are_other_words else "different"
        if self.abstracts is None:
            return "possible" if are_other_words else "same"
        if are_other_words:
            return "possible" if self.abstracts >= Agreement.CLOSE else "different"
        if self.abstracts >= self.least_agreement:
            return "same"
        return "possible" if self.titles.is_whole or self.abstracts >= Agreement.ALIKE else "different"


class _Candidate(NamedTuple):
    """Earlier paper to compare with a new paper."""

    number: int
    paper: Paper
    pair: _Pair


def match(
    known: Papers, new: Sequence[Paper], n_apart: int = 0, *, dois: Mapping[str, str] = NO_DOIS
) -> list[Match | None]:
    """Return the original of each new paper that is certainly a duplicate, and None for every other new paper.

    See `find_duplicates` for the parameters.

    Examples
    --------
    >>> known = PapersInMemory([Paper("p1", "Minimum wages and jobs in Spain", authors=("Ann Lee", "Bo Ek"))])
    >>> match(known, [Paper("q1", "Minimun Wages and Jobs in Spain", authors=("Lee, A.", "Ek, B."))])
    [Match(paper_id='p1', how='title and authors', score=0.967741935483871)]
    >>> known = PapersInMemory([Paper("RePEc:x:y:1", "Minimum wages")])
    >>> match(known, [Paper("repec:x:y:1", "Jobs"), Paper("q2", "Minimum wages in Italy", authors=("Ann Lee",))])
    [Match(paper_id='RePEc:x:y:1', how='id', score=1.0), None]
    """
    return [found.same for found in find_duplicates(known, new, n_apart, dois=dois)]


def find_duplicates(
    known: Papers, new: Sequence[Paper], n_apart: int = 0, *, dois: Mapping[str, str] = NO_DOIS
) -> list[Duplicates]:
    """Find duplicates among new papers. The original may be an existing paper or an earlier new paper.

    Papers match by id, by DOI, or by title and authors. To match by title and authors, the abstracts must agree if both
    papers have one, and any words that differ between the titles must be misspellings rather than different words.
    Papers that share an id or DOI but have different titles and authors don't match. Doubtful cases are returned as
    possible duplicates.

    Parameters
    ----------
    known : Papers
        Existing papers. If several papers match equally well, the first is taken as the original.
    new : sequence of Paper
        New papers. Their ids must be unique, and no existing paper may have the same id.
    n_apart : int
        Number of papers at the start of `new` that are not checked, but can be the originals of later papers.
    dois : mapping from paper id to DOI
        DOIs of the new papers whose ids aren't DOIs.

    Returns
    -------
    list of Duplicates
        Result for each new paper after the first `n_apart` papers, in order. A duplicate's original may itself be a
        duplicate.

    Examples
    --------
    >>> known = PapersInMemory([Paper("p1", "Growth in Gambia", "Peanuts grow.", ("Ann Lee",))])
    >>> (found,) = find_duplicates(known, [Paper("q1", "Growth in Zambia", authors=("Ann Lee",))])
    >>> found.same, found.possible.paper_id
    (None, 'p1')
    """
    later = PapersInMemory(new, dois=dois)
    papers = ConcatenatedPapers(known, later)
    found: list[Duplicates] = []
    for first in range(n_apart, len(new), AT_ONCE):
        some = range(first, min(first + AT_ONCE, len(new)))
        found += _find_in_batch(papers, {known.end + row: (new[row], later.keys[row]) for row in some})
    return found


def _find_in_batch(papers: Papers, new: Mapping[int, tuple[Paper, Keys]]) -> list[Duplicates]:
    """Find duplicates for a batch of papers. All candidates of the batch are loaded, so its size limits memory use."""
    by_id = _match_all_by_id(papers, new)
    words = {number: keys.words for number, (_, keys) in new.items() if not by_id[number].same}
    likely = find_candidates(papers, words)
    at_hand = papers.read(set().union(*likely.values()))
    candidates = {
        number: list(_candidates(new[number][0], {earlier: at_hand[earlier] for earlier in found}))
        for number, found in likely.items()
    }
    titles = TitleWords(papers, _replaced_words(candidates))
    return [
        by_id[number]
        if by_id[number].same
        else _match_by_words(number, paper, candidates[number], titles, by_id[number])
        for number, (paper, _) in new.items()
    ]


def _match_all_by_id(papers: Papers, new: Mapping[int, tuple[Paper, Keys]]) -> dict[int, Duplicates]:
    """Compare each paper with the earlier papers that have the same id or DOI."""
    same_id = papers.numbers_with("id", sorted({keys.id for _, keys in new.values() if is_global_id(keys.id)}))
    same_doi = papers.numbers_with("doi", sorted({keys.doi for _, keys in new.values() if keys.doi}))
    sharing: dict[int, list[tuple[How, int]]] = {}
    for number, (_, keys) in new.items():
        ids = same_id[keys.id] if is_global_id(keys.id) else ()
        dois = same_doi[keys.doi] if keys.doi else ()
        earlier: list[tuple[How, int]] = [("id", int(one)) for one in ids if one < number][:MOST_SHARING]
        sharing[number] = earlier + [("doi", int(one)) for one in dois if one < number][:MOST_SHARING]
    at_hand = papers.read({earlier for found in sharing.values() for _, earlier in found})
    return {
        number: _match_by_id(new[number][0], [(how, at_hand[earlier]) for how, earlier in found])
        for number, found in sharing.items()
    }


def _match_by_id(paper: Paper, others: Sequence[tuple[How, Paper]]) -> Duplicates:
    """Compare a paper with other papers that have the same id or DOI.

    Returns the first certain duplicate. If there is none, returns the first possible duplicate and the first paper that
    is different.
    """
    possible, shared = None, None
    for how, other in others:
        found = Match(other.paper_id, how, 1.0)
        related = relation(paper, other, is_of_record=how == "id" and is_record_id(paper.paper_id))
        if related == "same":
            return Duplicates(same=found)
        if related == "possible":
            possible = possible or found
        else:
            shared = shared or found
    return Duplicates(possible=possible, shared=shared)


def _candidates(paper: Paper, others: Mapping[int, Paper]) -> Iterator[_Candidate]:
    for number, other in others.items():
        if pair := _compare_pair(paper, other):
            yield _Candidate(number, other, pair)


def _replaced_words(candidates: Mapping[int, Sequence[_Candidate]]) -> set[str]:
    """Return all words that may be misspelled in a new paper's title or in a candidate's title."""
    return {
        word
        for found in candidates.values()
        for candidate in found
        for words in candidate.pair.titles.slips
        for part in words
        for word in part
    }


def _match_by_words(
    number: int, paper: Paper, candidates: Sequence[_Candidate], titles: TitleWords, by_id: Duplicates
) -> Duplicates:
    """Choose a paper's original by title, authors and abstract. An ambiguous match is only a possible duplicate."""
    found: dict[str, list[_Candidate]] = {"same": [], "possible": [], "different": []}
    for one in candidates:
        are_other = differ_in_words(one.pair.titles.slips, paper, one.paper, titles, (number, one.number))
        found[one.pair.verdict(are_other_words=are_other)].append(one)
    best = _best_candidate(paper, found["same"] or found["possible"])
    if best is None:
        return by_id
    chosen = Match(best.paper.paper_id, "title and authors", best.pair.titles.score)
    if found["same"] and _is_unambiguous(paper, best, found["same"]):
        return Duplicates(same=chosen, shared=by_id.shared)
    return Duplicates(possible=by_id.possible or chosen, shared=by_id.shared)


def _best_candidate(paper: Paper, candidates: Sequence[_Candidate]) -> _Candidate | None:
    if not candidates:
        return None
    return max(candidates, key=lambda one: (one.pair.titles.score, ratio(paper.abstract, one.paper.abstract)))


def _is_unambiguous(paper: Paper, best: _Candidate, same: Sequence[_Candidate]) -> bool:
    """Return True if all papers that match about as well as the best candidate are duplicates of it.

    A best candidate with the same title is always unambiguous.
    """
    if compare_titles(paper.title, best.paper.title) == Likeness(1.0, True):
        return True
    near = [one.paper for one in same if one.pair.titles.score > best.pair.titles.score - NEAR and one is not best]
    return all(likeness(best.paper, other) for other in near)


def likeness(one: Paper, other: Paper) -> float:
    """Compare two papers by title, authors and abstract.

    Returns
    -------
    float
        Similarity of the titles, from 0 to 1, if the papers are certain duplicates, or else 0.
    """
    pair = _compare_pair(one, other)
    if pair is None or pair.verdict(are_other_words=differ_in_words(pair.titles.slips, one, other)) != "same":
        return 0.0
    return pair.titles.score


def _compare_pair(one: Paper, other: Paper) -> _Pair | None:
    """Compare two papers by authors, title and abstract. Returns None if they are unlikely to be duplicates."""
    has_authors = bool(one.authors and other.authors)
    authors = compare_authors(one.authors, other.authors)
    # Compare the authors first, because this is faster than comparing the titles and rules out most pairs.
    if has_authors and authors.share < LEAST_SHARE:
        return None
    titles = compare_titles(one.title, other.title)
    if titles is None or is_generic(one.title) or is_generic(other.title):
        return None
    abstracts = agreement(one.abstract, other.abstract)
    if has_authors:
        is_likely = titles.is_whole or authors.is_all or abstracts is Agreement.VERBATIM
    else:
        is_likely = titles.is_whole and min(len(plain_words(paper.title)) for paper in (one, other)) >= LEAST_WORDS
    return _Pair(titles, authors.is_all, abstracts) if is_likely else None
