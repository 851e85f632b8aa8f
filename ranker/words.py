"""Words in an issue that have the highest weights for a report, for highlighting on a page."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from presort.data.records import RUN, Paper, Rows, pairs
from presort.ranker.recipe import Table
from presort.ranker.text import plain_text, stop_words
from presort.ranker.tokens import WORD

MOST = 30  # maximum number of words per report
# Maximum number of words per relevant training paper, because some weights are high by chance if there are few papers.
OF_A_RELEVANT_PAPER = 3
RARE = 0.01  # share of papers below which a term's inverse document frequency no longer increases
WRITTEN = re.compile(rf"(?<!\\){WORD.pattern}")  # excludes LaTeX commands
ASCII_WRITTEN = re.compile(WRITTEN.pattern, re.ASCII)  # used for ASCII texts, because it is faster
ONE_PHRASE = re.compile(r"[\w\s'-]+")  # allows "value-at-risk", but no full stop or comma between words

Word = tuple[str, int, int]  # a word, with its start and end in the text


@dataclass(frozen=True, eq=False)
class _Text:
    """Title or abstract without accents, with its words except stop words, and the indexes of each distinct word."""

    plain: str
    words: Sequence[Word]
    places: Mapping[str, Sequence[int]]

    def phrases(self, parts: Sequence[str]) -> Iterator[str]:
        """Yield each occurrence of a phrase, spelled as in the text. `parts` are its words without stop words."""
        for first in self.places.get(parts[0], ()):
            found = self.words[first : first + len(parts)]
            if [word for word, *_ in found] == parts:
                phrase = self.plain[found[0][1] : found[-1][2]]
                if ONE_PHRASE.fullmatch(phrase):
                    yield " ".join(phrase.split())


@dataclass(frozen=True, eq=False)
class IssueTerms:
    """Terms that occur in an issue's papers.

    Attributes
    ----------
    papers : sequence of Paper
        Papers of the issue.
    X : CSC array of shape (n_papers, n_terms)
        Nonzero if a paper contains a term.
    columns : array of shape (n_terms,)
        Ascending columns of the terms in the ranker's vocabulary.
    names : sequence of str
        The terms, spelled as in the ranker's vocabulary.
    texts, spelled : dict
        Caches of each paper's texts and each term's spelling, because reports have many words in common.
    """

    papers: Sequence[Paper]
    X: Any
    columns: Rows
    names: Sequence[str]
    texts: dict[int, list[_Text]] = field(default_factory=dict)
    spelled: dict[int, str] = field(default_factory=dict)

    def words(self, weights: Table, n_relevant: int) -> tuple[str, ...]:
        """Return the words in titles and abstracts that have the highest weights for a report, best first.

        Words are spelled as in the issue. Terms are sorted by weight times inverse document frequency in the issue. A
        phrase is omitted if all of its words are already included.

        Parameters
        ----------
        weights : array of shape (n_terms,)
            Weights of the terms in the report's classifier.
        n_relevant : int
            Number of relevant papers on which the classifier was trained.
        """
        worth = weights * self.idf
        speaking = np.flatnonzero(worth > 0)
        found: dict[str, str] = {}
        for term in speaking[np.argsort(-worth[speaking], kind="stable")].tolist():
            if len(found) == min(MOST, OF_A_RELEVANT_PAPER * n_relevant):
                break
            parts = self.names[term].split()
            if not found.keys() >= set(parts) and (word := self._find_spelling(term, parts)):
                found[self.names[term]] = word
        return tuple(found.values())

    @cached_property
    def idf(self) -> Table:
        """Inverse document frequency of each term in the issue, shape (n_terms,)."""
        n_papers = len(self.papers)
        df = np.maximum(np.diff(self.X.indptr), RARE * n_papers)
        idf: Table = np.log((1 + n_papers) / (1 + df)) + 1
        return idf

    def _find_spelling(self, term: int, parts: list[str]) -> str:
        """Return the most frequent spelling of a term in titles and abstracts, or "" if none of them contains it."""
        if term not in self.spelled:
            papers = self.X.indices[self.X.indptr[term] : self.X.indptr[term + 1]].tolist()
            written = (phrase for paper in papers for text in self._texts(paper) for phrase in text.phrases(parts))
            some = written if len(parts) > 1 else islice(written, 1)  # a single word has only one spelling
            self.spelled[term] = next((phrase for phrase, _ in Counter(some).most_common(1)), "")
        return self.spelled[term]

    def _texts(self, paper: int) -> list[_Text]:
        if paper not in self.texts:
            texts = [_find_words(text) for text in (self.papers[paper].title, self.papers[paper].abstract)]
            left_out = stop_words([word for _, found in texts for word, *_ in found])
            self.texts[paper] = [
                _text(plain, [word for word in found if word[0] not in left_out]) for plain, found in texts
            ]
        return self.texts[paper]


def terms_of_issue(papers: Sequence[Paper], X: Any, names: Callable[[Rows], Sequence[str]]) -> IssueTerms:
    """Find the terms that occur in an issue's papers.

    Parameters
    ----------
    papers : sequence of Paper
        Papers of the issue.
    X : CSR array of shape (n_papers, n_all_terms)
        Nonzero if a paper contains a term.
    names : callable
        Function that returns the terms of given columns of `X`.

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


def _find_words(text: str) -> tuple[str, list[Word]]:
    """Return a text without accents, and all of its words, including stop words."""
    plain = plain_text(text)
    if plain.isascii():  # only scripts without spaces are split into character pairs, and ASCII contains none of them
        return plain, [(word.group(), *word.span()) for word in ASCII_WRITTEN.finditer(plain)]
    found = [(word.group(), *word.span()) for word in WRITTEN.finditer(RUN.sub(_blank, plain))]
    runs = (pair for run in RUN.finditer(plain) for pair in enumerate(pairs(run[0]), start=run.start()))
    found += [(pair, start, start + len(pair)) for start, pair in runs if len(pair) > 1]
    return plain, sorted(found, key=lambda word: word[1])


def _text(plain: str, words: Sequence[Word]) -> _Text:
    places = defaultdict[str, list[int]](list)
    for place, (word, *_) in enumerate(words):
        places[word].append(place)
    return _Text(plain, words, dict(places))


def _blank(run: re.Match[str]) -> str:
    return " " * len(run[0])
