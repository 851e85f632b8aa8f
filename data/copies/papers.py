"""Papers that others are compared with, and what is looked up of them; wherever they are kept."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

import numpy as np

from presort.data.index.keys import Kind, keys_of
from presort.data.index.paper_index import Numbers
from presort.data.records import Paper

NO_DOIS: Mapping[str, str] = MappingProxyType({})


class Papers(Protocol):
    """Papers by their numbers, of which an earlier one has a lower.

    Attributes
    ----------
    n_papers : int
    end : int
        All numbers are below it.
    """

    n_papers: int
    end: int

    def count(self, words: Sequence[str]) -> Mapping[str, int]:
        """Count the papers that have each of some words; words that none has may be left out."""

    def having(self, kind: Kind, keys: Sequence[str]) -> Mapping[str, Numbers]:
        """Return the numbers, ascending, of the papers that have each of some keys; keys of none may be left out."""

    def read(self, numbers: Iterable[int]) -> Mapping[int, Paper]:
        """Return papers by their numbers."""


class PapersInMemory:
    """Papers at hand, numbered from 0; with the DOIs of those whose id is none itself."""

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
        """Count the papers that have each word."""
        of_words = self._numbers["word"]
        return {word: len(of_words[word]) for word in words if word in of_words}

    def having(self, kind: Kind, keys: Sequence[str]) -> Mapping[str, Numbers]:
        """Return the numbers of the papers that have each key."""
        of_keys = self._numbers[kind]
        return {key: np.array(of_keys[key]) for key in keys if key in of_keys}

    def read(self, numbers: Iterable[int]) -> Mapping[int, Paper]:
        """Return papers by their numbers."""
        return {number: self._papers[number] for number in numbers}


class Together:
    """Papers, and later ones, whose numbers come after theirs."""

    def __init__(self, earlier: Papers, later: Papers) -> None:
        self.n_papers = earlier.n_papers + later.n_papers
        self.end = earlier.end + later.end
        self._earlier, self._later = earlier, later

    def count(self, words: Sequence[str]) -> Mapping[str, int]:
        """Count the papers that have each word."""
        one, other = self._earlier.count(words), self._later.count(words)
        return {word: one.get(word, 0) + other.get(word, 0) for word in words}

    def having(self, kind: Kind, keys: Sequence[str]) -> Mapping[str, Numbers]:
        """Return the numbers of the papers that have each key."""
        found = dict(self._earlier.having(kind, keys))
        for key, numbers in self._later.having(kind, keys).items():
            after = numbers + self._earlier.end
            found[key] = np.concatenate([found[key], after]) if key in found else after
        return found

    def read(self, numbers: Iterable[int]) -> Mapping[int, Paper]:
        """Return papers by their numbers."""
        end, asked = self._earlier.end, sorted(numbers)
        after = self._later.read(number - end for number in asked if number >= end)
        before = self._earlier.read(number for number in asked if number < end)
        return {**before, **{number + end: paper for number, paper in after.items()}}
