"""Search the papers in memory or in the database for candidate duplicates, which share rare words with a new paper."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from presort.data.index.paper_index import Kind, Numbers, count_papers, keys_of, papers_with, split_into_batches
from presort.data.records import Paper
from presort.data.tables import PaperRow

TEXTS = select(PaperRow.id, PaperRow.paper_id, PaperRow.title, PaperRow.abstract, PaperRow.authors)
NO_DOIS: Mapping[str, str] = MappingProxyType({})


class Papers(Protocol):
    """Searchable collection of numbered papers, in which earlier papers have lower numbers.

    Attributes
    ----------
    n_papers : int
        Number of papers.
    end : int
        Exclusive upper bound on the paper numbers.
    """

    n_papers: int
    end: int

    def count(self, words: Sequence[str]) -> Mapping[str, int]:
        """Count the papers that contain each word. Words that occur in no paper may be missing from the result."""

    def numbers_with(self, kind: Kind, keys: Sequence[str]) -> Mapping[str, Numbers]:
        """Return the numbers of the papers with each key, in ascending order. Keys without papers may be missing."""

    def read(self, numbers: Iterable[int]) -> Mapping[int, Paper]:
        """Return papers by number."""


class PapersInMemory:
    """Papers in memory, numbered in order from 0.

    Parameters
    ----------
    papers : sequence of Paper
    dois : mapping from paper id to DOI
        DOIs of the papers whose ids aren't DOIs.
    """

    def __init__(self, papers: Sequence[Paper], *, dois: Mapping[str, str] = NO_DOIS) -> None:
        self.n_papers = self.end = len(papers)
        self.keys = [keys_of(one.paper_id, one.title, one.authors, dois.get(one.paper_id, "")) for one in papers]
        self._papers = papers
        self._numbers: dict[Kind, defaultdict[str, list[int]]] = {
            kind: defaultdict(list) for kind in ("word", "id", "doi")
        }
        for number, keys in enumerate(self.keys):
            for word in keys.words:
                self._numbers["word"][word].append(number)
            if keys.id:
                self._numbers["id"][keys.id].append(number)
            if keys.doi:
                self._numbers["doi"][keys.doi].append(number)

    def count(self, words: Sequence[str]) -> Mapping[str, int]:
        """Count the papers with each word."""
        of_words = self._numbers["word"]
        return {word: len(of_words[word]) for word in words if word in of_words}

    def numbers_with(self, kind: Kind, keys: Sequence[str]) -> Mapping[str, Numbers]:
        """Return the numbers of the papers with each key, in ascending order."""
        of_keys = self._numbers[kind]
        return {key: np.array(of_keys[key]) for key in keys if key in of_keys}

    def read(self, numbers: Iterable[int]) -> Mapping[int, Paper]:
        """Return papers by number."""
        return {number: self._papers[number] for number in numbers}


class ConcatenatedPapers:
    """Concatenation of two collections. Papers in the later collection are numbered after those in the earlier one."""

    def __init__(self, earlier: Papers, later: Papers) -> None:
        self.n_papers = earlier.n_papers + later.n_papers
        self.end = earlier.end + later.end
        self._earlier, self._later = earlier, later

    def count(self, words: Sequence[str]) -> Mapping[str, int]:
        """Count the papers with each word."""
        one, other = self._earlier.count(words), self._later.count(words)
        return {word: one.get(word, 0) + other.get(word, 0) for word in words}

    def numbers_with(self, kind: Kind, keys: Sequence[str]) -> Mapping[str, Numbers]:
        """Return the numbers of the papers with each key, in ascending order."""
        found = dict(self._earlier.numbers_with(kind, keys))
        for key, numbers in self._later.numbers_with(kind, keys).items():
            after = numbers + self._earlier.end
            found[key] = np.concatenate([found[key], after]) if key in found else after
        return found

    def read(self, numbers: Iterable[int]) -> Mapping[int, Paper]:
        """Return papers by number."""
        end, asked = self._earlier.end, sorted(numbers)
        after = self._later.read(number - end for number in asked if number >= end)
        before = self._earlier.read(number for number in asked if number < end)
        return {**before, **{number + end: paper for number, paper in after.items()}}


class StoredPapers:
    """All papers in the database, numbered by row id."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        size = select(func.count(PaperRow.id), func.coalesce(func.max(PaperRow.id), 0))
        self.n_papers, last = connection.execute(size).one()
        self.end = last + 1

    def count(self, words: Sequence[str]) -> Mapping[str, int]:
        """Count the papers with each word."""
        return count_papers(self._connection, words)

    def numbers_with(self, kind: Kind, keys: Sequence[str]) -> Mapping[str, Numbers]:
        """Return the numbers of the papers with each key, in ascending order."""
        return papers_with(self._connection, kind, keys)

    def read(self, numbers: Iterable[int]) -> Mapping[int, Paper]:
        """Load papers, by number, with only the fields needed to compare them."""
        found: dict[int, Paper] = {}
        for part in split_into_batches(list(numbers)):
            for number, paper_id, title, abstract, authors in self._connection.execute(
                TEXTS.where(PaperRow.id.in_(part))
            ):
                found[number] = Paper(paper_id, title, abstract, authors)
        return found


RAREST = 10  # number of a paper's rarest words that are used to search for candidates
COMPARED = 10  # maximum number of candidates to compare with each new paper


def find_candidates(papers: Papers, words: Mapping[int, Sequence[str]]) -> dict[int, list[int]]:
    """Find the earlier papers that share rare words with each paper.

    Parameters
    ----------
    papers : Papers
        All papers, including those in `words`.
    words : mapping from number to words
        Words of each paper for which to find candidates.

    Returns
    -------
    dict from number to list of int
        At most `COMPARED` earlier papers for each paper, with the likeliest duplicates first.
    """
    asked = sorted({word for of_paper in words.values() for word in of_paper})
    counts = papers.count(asked)
    wanted = {number: _rarest_words(of_paper, counts) for number, of_paper in words.items()}
    having = papers.numbers_with("word", sorted({word for rare in wanted.values() for word in rare}))
    places = _first_places(papers, having, (rare for rare in wanted.values() if len(rare) > RAREST))
    weights = dict(zip(asked, _weights(papers.n_papers, [counts[word] for word in asked]), strict=True))
    sums = np.zeros(papers.end)
    found = {}
    for number, rare in wanted.items():
        rarest = sorted(rare, key=lambda word: (counts[word], places.get(word, (0, 0))))[:RAREST]
        found[number] = _likeliest_candidates(sums, [(having[word], weights[word]) for word in rarest], number)
    return found


def _rarest_words(words: Sequence[str], counts: Mapping[str, int]) -> list[str]:
    """Return a paper's `RAREST` rarest words, plus any others that are exactly as rare as the last of them."""
    if len(words) <= RAREST:
        return list(words)
    most = sorted(counts[word] for word in words)[RAREST - 1]
    return [word for word in words if counts[word] <= most]


def _first_places(
    papers: Papers, having: Mapping[str, Numbers], lists: Iterable[Sequence[str]]
) -> dict[str, tuple[int, int]]:
    """Return, for each word, the number of the first paper that contains it, and the word's position in that paper.

    These pairs determine the order of equally rare words.
    """
    first = {word: int(having[word][0]) for of_paper in lists for word in of_paper}
    at_hand = papers.read(set(first.values()))
    order = {number: keys_of(one.paper_id, one.title, one.authors).words for number, one in at_hand.items()}
    return {word: (number, order[number].index(word)) for word, number in first.items()}


def _weights(n_papers: int, counts: Sequence[int]) -> list[float]:
    found: list[float] = np.log(1 + n_papers / np.array(counts)).tolist()
    return found


def _likeliest_candidates(
    sums: NDArray[np.float64], of_words: Sequence[tuple[Numbers, float]], before: int
) -> list[int]:
    """Return the papers with the largest sums of word weights among those with numbers below `before`.

    `sums` is a scratch array that contains only zeros before and after the call. A paper occurs in `papers` once for
    each of its words in `of_words`, so at most `RAREST` times. Therefore, the `RAREST * COMPARED` highest entries
    include the `COMPARED` best papers.
    """
    touched = []
    for numbers, weight in of_words:
        earlier = numbers[: np.searchsorted(numbers, before)]
        sums[earlier] += weight
        touched.append(earlier)
    papers = np.concatenate(touched) if touched else np.empty(0, np.int64)
    weighed = sums[papers]
    sums[papers] = 0.0
    n = RAREST * COMPARED
    if len(papers) > n:
        is_high = weighed >= np.partition(weighed, -n)[-n]
        papers, weighed = papers[is_high], weighed[is_high]
    papers, at = np.unique(papers, return_index=True)
    best = np.lexsort((papers, -weighed[at]))[:COMPARED]
    likeliest: list[int] = papers[best].tolist()
    return likeliest
