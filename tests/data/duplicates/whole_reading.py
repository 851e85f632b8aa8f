"""Slow reference implementation of the duplicate search, which reads all papers."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.fuzz import ratio

from presort.data.duplicates.agreement import relation
from presort.data.duplicates.matching import MOST_SHARING, NEAR, Match, _compare_pair, likeness
from presort.data.duplicates.titles import Likeness, compare_titles
from presort.data.duplicates.words import RARE, differ_in_words
from presort.data.index.paper_index import id_key, is_global_id, is_record_id, plain_doi
from presort.data.records import Paper
from presort.data.text.words import plain_words

RAREST, COMPARED = 10, 10


class KnownPapers:
    """Papers and an index of their ids, DOIs and words."""

    def __init__(self, papers: Sequence[Paper], dois: Mapping[str, str]) -> None:
        self.papers = papers
        self.rows_of_ids = _rows(id_key(paper.paper_id) for paper in papers)
        self.rows_of_dois = _rows(doi_of(paper, dois) for paper in papers)
        self._index = _Index(papers)

    def candidates(self, paper: Paper, before: int) -> list[int]:
        """Return the rows below `before` of papers that share rare words and authors with it, likeliest first."""
        return self._index.candidates(paper, before)


def _rows(keys: Iterator[str]) -> defaultdict[str, list[int]]:
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        rows[key].append(row)
    return rows


class _Entries(NamedTuple):
    rows: NDArray[np.int32]
    starts: NDArray[np.int64]  # `rows[starts[t]:starts[t + 1]]` are the papers with word number t


class _Index:
    """Index of the papers with each word in the title or in an author's name."""

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

    def candidates(self, paper: Paper, before: int) -> list[int]:
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
    """Return the distinct words of the title and the authors' names, in order."""
    return dict.fromkeys(plain_words(" ".join([paper.title, *paper.authors])))


class _TitleWords:
    """Words that occur in titles, found by reading all titles."""

    def __init__(self, papers: Sequence[Paper]) -> None:
        self._words = [(plain_words(paper.title), frozenset(_words(paper))) for paper in papers]

    def has_word(self, word: str, instead_of: str, but: Collection[int]) -> bool:
        n_other = sum(instead_of in words for _, words in self._words)
        having = [title for row, (title, words) in enumerate(self._words) if row not in but and word in words]
        return len(having) * RARE > n_other and any(word in title for title in having)


def match_by_reading(papers: Sequence[Paper], n_known: int, dois: Mapping[str, str]) -> list[Match | None]:
    """Find the earlier paper that each paper after the first `n_known` duplicates, if any."""
    known, titles = KnownPapers(papers, dois), _TitleWords(papers)
    return [_match(known, titles, papers[row], dois, row) for row in range(n_known, len(papers))]


def doi_of(paper: Paper, dois: Mapping[str, str]) -> str:
    return plain_doi(dois.get(paper.paper_id, paper.paper_id))


def _match(known: KnownPapers, titles: _TitleWords, paper: Paper, dois: Mapping[str, str], before: int) -> Match | None:
    """Find the duplicate among the known papers in rows below `before`."""
    places: tuple[tuple[Literal["id", "doi"], list[int]], ...] = (
        ("id", known.rows_of_ids[id_key(paper.paper_id)] if is_global_id(paper.paper_id) else []),
        ("doi", known.rows_of_dois[doi_of(paper, dois)] if doi_of(paper, dois) else []),
    )
    for how, rows in places:
        for row in [row for row in rows if row < before][:MOST_SHARING]:
            is_record = how == "id" and is_record_id(paper.paper_id)
            if relation(paper, known.papers[row], is_of_record=is_record) == "same":
                return Match(known.papers[row].paper_id, how, 1.0)
    found = _best(known, titles, paper, before)
    return Match(found[1].paper_id, "title and authors", found[0]) if found else None


def _best(known: KnownPapers, titles: _TitleWords, paper: Paper, before: int) -> tuple[float, Paper] | None:
    """Return the best match. None if a different paper fits about as well."""
    same = []
    for row in known.candidates(paper, before):
        other = known.papers[row]
        pair = _compare_pair(paper, other)
        if pair is None:
            continue
        are_other = differ_in_words(pair.titles.slips, paper, other, titles, (before, row))
        if pair.verdict(are_other_words=are_other) == "same":
            same.append((pair.titles.score, other))
    if not same:
        return None
    best = max(same, key=lambda found: (found[0], ratio(paper.abstract, found[1].abstract)))
    near = [other for score, other in same if score > best[0] - NEAR and other is not best[1]]
    is_sure = compare_titles(paper.title, best[1].title) == Likeness(1.0, True)
    return best if is_sure or all(likeness(best[1], other) for other in near) else None
