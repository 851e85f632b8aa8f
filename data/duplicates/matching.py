"""Detection of known papers that are imported again with another id, spelling or version."""

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

AT_ONCE = 2_000  # new papers per batch
LEAST_WORDS = 4  # words of a title that identifies a paper without authors
MOST_SHARING = 20  # maximum number of papers with the same id or DOI that a new paper is compared with
NEAR = 0.05  # difference of scores below which two candidates fit equally well

How = Literal["id", "doi", "title and authors"]


@dataclass(frozen=True, slots=True)
class Match:
    """Known paper that a new paper duplicates or may duplicate.

    Attributes
    ----------
    paper_id : str
        Id of the known paper.
    how : str
        Property that the papers share: "id" (ignoring case and version), "doi" or "title and authors".
    score : float
        Similarity of the titles, from 0 to 1. 1 for the same id or DOI.
    """

    paper_id: str
    how: How
    score: float


class Duplicates(NamedTuple):
    """Result of the duplicate search for a new paper.

    Attributes
    ----------
    same : Match or None
        Original of the new paper. None if the new paper is not a certain duplicate.
    possible : Match or None
        Paper that the new paper may duplicate. A user decides whether it does. None if `same` is set.
    shared : Match or None
        Different paper with the same id or DOI.
    """

    same: Match | None = None
    possible: Match | None = None
    shared: Match | None = None


class _Pair(NamedTuple):
    """Similarity of two papers whose titles and authors don't rule out a duplicate."""

    titles: Likeness
    are_all_authors: bool  # both papers have the same authors
    abstracts: Agreement | None  # None if either abstract is missing

    @property
    def least_agreement(self) -> Agreement:
        """Agreement of the abstracts required for a duplicate. It is higher if the titles agree less."""
        if self.titles.n_missing:
            return Agreement.VERBATIM
        if not self.titles.is_whole or self.titles.slips:
            return Agreement.CLOSE
        is_exact = self.titles.score == 1 and self.are_all_authors
        return Agreement.ALIKE if is_exact else Agreement.SIMILAR

    def verdict(self, *, are_other_words: bool) -> Literal["same", "possible", "different"]:
        """Return "same", "possible" (perhaps the same) or "different".

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
    """Known paper that a new paper is compared with."""

    number: int
    paper: Paper
    pair: _Pair


def match(
    known: Papers, new: Sequence[Paper], n_apart: int = 0, *, dois: Mapping[str, str] = NO_DOIS
) -> list[Match | None]:
    """Find certain duplicates among new papers. Returns None for each paper that is not a certain duplicate.

    The parameters are those of `find_duplicates`.

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
    """Find duplicates among new papers. The original is a known paper or an earlier new paper.

    Papers match by id, DOI, or title and authors. A match by title and authors requires that the abstracts agree if
    both papers have an abstract, and that words in which the titles differ are misspellings, not real words. Papers
    with the same id or DOI but different titles and authors don't match. Doubtful cases are returned as possible
    duplicates.

    Parameters
    ----------
    known : Papers
        Known papers. If several papers match equally well, the first one is the original.
    new : sequence of Paper
        New papers. Their ids must be unique and different from those of the known papers.
    n_apart : int
        Number of papers at the start of `new` that are not checked themselves. They can be originals of later papers.
    dois : mapping from paper id to DOI
        DOIs of new papers whose id is not a DOI.

    Returns
    -------
    list of Duplicates
        Result for each new paper after the first `n_apart`, in order. The original of a duplicate may itself be a
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
    """Find duplicates for a batch of papers. Batches limit the memory used, because all candidates are read into it."""
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
    """Compare each paper with earlier papers that have the same id or DOI."""
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
    """Compare a paper with the papers that share its id or DOI.

    Returns the first duplicate. If there is none, returns the first possible duplicate and the first different paper.
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
    """Return the words that may be misspelled in one of two titles."""
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
    """Choose the original of a paper by title, authors and abstract. It is only possible if the match is ambiguous."""
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
    """Return True if no other paper fits about as well as the best candidate, except duplicates of that candidate."""
    if compare_titles(paper.title, best.paper.title) == Likeness(1.0, True):
        return True
    near = [one.paper for one in same if one.pair.titles.score > best.pair.titles.score - NEAR and one is not best]
    return all(likeness(best.paper, other) for other in near)


def likeness(one: Paper, other: Paper) -> float:
    """Compare two papers by title, authors and abstract.

    Returns
    -------
    float
        Similarity of the titles, from 0 to 1. It is 0 unless the papers are certain duplicates.
    """
    pair = _compare_pair(one, other)
    if pair is None or pair.verdict(are_other_words=differ_in_words(pair.titles.slips, one, other)) != "same":
        return 0.0
    return pair.titles.score


def _compare_pair(one: Paper, other: Paper) -> _Pair | None:
    """Compare two papers by authors, title and abstract. Returns None if they are different."""
    has_authors = bool(one.authors and other.authors)
    authors = compare_authors(one.authors, other.authors)
    # Authors are compared first, because this is faster than comparing titles and excludes most pairs.
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
