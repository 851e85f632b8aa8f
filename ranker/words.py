"""Which words of an issue speak most for a report, so that a page can mark them where they stand."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from data.records import Paper, Rows
from ranker.recipe import Table
from ranker.text import plain_text
from ranker.tokens import WORD

MOST = 30
OF_A_RELEVANT_PAPER = 3  # words at most: who has learned from few papers takes chance words for telling ones
RARE = 0.01  # share of the papers; below it, a term is no more telling for being rarer still
WRITTEN = re.compile(rf"(?<!\\){WORD.pattern}")  # a command of LaTeX is no word
ONE_PHRASE = re.compile(r"[\w\s'-]+")  # "value-at-risk" is one; not so words with a full stop or a comma between

Word = tuple[str, int, int]  # and where it begins and ends in its text


@dataclass(frozen=True, eq=False)
class IssueTerms:
    """The terms that stand in the papers of an issue.

    Attributes
    ----------
    papers : sequence of Paper
        Those of the issue.
    X : CSC array of shape (n_papers, n_terms)
        Not 0 where a term stands in a paper.
    columns : array of shape (n_terms,)
        The terms' columns among all that the ranker knows, ascending.
    names : sequence of str
        The terms as the ranker has them.
    texts, spelled : dict
        By paper and by term, what was looked at already, as reports have many words in common.
    """

    papers: Sequence[Paper]
    X: Any
    columns: Rows
    names: Sequence[str]
    texts: dict[int, list[tuple[str, list[Word]]]] = field(default_factory=dict)
    spelled: dict[int, str] = field(default_factory=dict)

    def words(self, weights: Table, n_relevant: int) -> tuple[str, ...]:
        """Give the words of title and abstract that speak most for a report, as they are written there, best first.

        A term speaks by its weight, times how telling it is in the issue. A phrase is left out if all its words are
        there already.

        Parameters
        ----------
        weights : array of shape (n_terms,)
            What the report's machine gives to each of the terms.
        n_relevant : int
            Relevant papers that it was trained on.
        """
        worth = weights * self.telling
        speaking = np.flatnonzero(worth > 0)
        found: dict[str, str] = {}
        for term in speaking[np.argsort(-worth[speaking], kind="stable")].tolist():
            if len(found) == min(MOST, OF_A_RELEVANT_PAPER * n_relevant):
                break
            parts = self.names[term].split()
            if not found.keys() >= set(parts) and (word := self._as_written(term, parts)):
                found[self.names[term]] = word
        return tuple(found.values())

    @cached_property
    def telling(self) -> Table:
        """How telling each term is: its inverse document frequency in the issue, shape (n_terms,)."""
        n_papers = len(self.papers)
        df = np.maximum(np.diff(self.X.indptr), RARE * n_papers)
        idf: Table = np.log((1 + n_papers) / (1 + df)) + 1
        return idf

    def _as_written(self, term: int, parts: list[str]) -> str:
        """Spell a term as most titles and abstracts do; give nothing if it stands in none."""
        if term not in self.spelled:
            papers = self.X.indices[self.X.indptr[term] : self.X.indptr[term + 1]].tolist()
            written = (phrase for paper in papers for text in self._texts(paper) for phrase in _phrases(*text, parts))
            some = written if len(parts) > 1 else islice(written, 1)  # a single word is written in one way
            self.spelled[term] = next((phrase for phrase, _ in Counter(some).most_common(1)), "")
        return self.spelled[term]

    def _texts(self, paper: int) -> list[tuple[str, list[Word]]]:
        if paper not in self.texts:
            self.texts[paper] = [_read(text) for text in (self.papers[paper].title, self.papers[paper].abstract)]
        return self.texts[paper]


def terms_of_issue(papers: Sequence[Paper], X: Any, names: Callable[[Rows], Sequence[str]]) -> IssueTerms:
    """Find the terms that stand in papers.

    Parameters
    ----------
    papers : sequence of Paper
        Those of the issue.
    X : CSR array of shape (n_papers, n_all_terms)
        Not 0 where a term stands in a paper.
    names : callable
        From columns of `X` to the names of their terms.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> papers = [Paper("p1", "Value at risk", "Banks, value and the state of the art.", ("Art Low",))]
    >>> terms = ["value", "value risk", "state art", "banks value", "low"]
    >>> of_issue = terms_of_issue(papers, csr_array([[1, 1, 1, 1, 1]]), lambda columns: [terms[i] for i in columns])
    >>> of_issue.words(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), n_relevant=9)
    ('state of the art', 'value at risk', 'value')
    """
    columns = np.unique(X.indices)
    return IssueTerms(papers, X[:, columns].tocsc(), columns, names(columns))


def _read(text: str) -> tuple[str, list[Word]]:
    """Give a text without accents, and its words."""
    plain = plain_text(text)
    found = [(word.group(), word.start(), word.end()) for word in WRITTEN.finditer(plain)]
    return plain, [word for word in found if word[0] not in ENGLISH_STOP_WORDS]


def _phrases(plain: str, words: list[Word], parts: list[str]) -> Iterator[str]:
    """Give what stands in a text, as `_read` gives it, where the words of a phrase follow each other."""
    for first in range(len(words) - len(parts) + 1):
        if all(words[first + place][0] == part for place, part in enumerate(parts)):
            phrase = plain[words[first][1] : words[first + len(parts) - 1][2]]
            if ONE_PHRASE.fullmatch(phrase):
                yield " ".join(phrase.split())
