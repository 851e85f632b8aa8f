"""Count the words of papers, and the pairs of neighbouring words.

The counts are those of scikit-learn's ``CountVectorizer``, made several times faster: only words are ever held
as strings. A word is its number ``i`` among the ``V`` words met while fitting; the pair ``(i, j)`` is the number
``V + i * V + j``, so that pairs are made and counted by NumPy.
"""

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from itertools import count
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin

from data.records import Paper

UNKNOWN = -1
FEW_PAPERS = 1_000

Numbers = NDArray[np.int64]


class TermCounts(TransformerMixin, BaseEstimator):
    """Turn papers into rows of term counts; a term is a word or, if asked for, a pair of neighbouring words.

    Parameters
    ----------
    text : callable
        Gives the string of a paper.
    word : str
        Regular expression of a word.
    stop_words : collection of str
        Words left out before pairs are made.
    pairs : bool
        Whether pairs of neighbouring words are terms too.
    min_df : int
        Terms in fewer papers than this are left out.
    max_df : float
        Terms in more than this share of the papers are left out, 0 to 1.
    max_features : int or None
        Keep this many terms, the most frequent ones.

    Notes
    -----
    Among fewer than 1,000 papers shares say little and the limits could leave no term at all: then `min_df` and
    `max_df` are not applied. Nor are they where no term would pass them. Papers without any word are rows of zeros.

    Examples
    --------
    >>> from ranker.text import title_abstract
    >>> counts = TermCounts(title_abstract, pairs=True)
    >>> counts.fit_transform([Paper("p1", "Old money, old trust")]).toarray()
    array([[2., 1., 1., 1., 1., 1.]])
    >>> counts.get_feature_names_out().tolist()
    ['old', 'money', 'trust', 'old money', 'money old', 'old trust']
    """

    def __init__(
        self,
        text: Callable[[Paper], str],
        *,
        word: str = r"\b\w\w+\b",
        stop_words: Collection[str] = (),
        pairs: bool = False,
        min_df: int = 1,
        max_df: float = 1.0,
        max_features: int | None = None,
    ) -> None:
        self.text = text
        self.word = word
        self.stop_words = stop_words
        self.pairs = pairs
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features

    def fit(self, papers: Sequence[Paper], y: None = None) -> Self:
        """Learn which terms there are."""
        self.fit_transform(papers)
        return self

    def fit_transform(self, papers: Sequence[Paper], y: None = None, **_: Any) -> csr_array:
        """Learn which terms there are; give counts of shape (n_papers, n_terms)."""
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        words, lengths = self._read(papers, numbers.__getitem__)
        self.word_numbers_ = dict(numbers)
        rows, terms = self._terms(words, lengths)
        columns, all_terms = pd.factorize(terms)  # hashes: ten times faster than sorting as np.unique does
        counts = _count(rows, columns, (len(papers), len(all_terms)))
        kept = self._kept(counts)
        self.terms_ = all_terms[kept]
        # scikit-learn refuses a matrix without columns
        return counts[:, kept] if kept.size else csr_array((len(papers), 1))

    def transform(self, papers: Sequence[Paper]) -> csr_array:
        """Give counts of shape (n_papers, n_terms); terms not met while fitting are left out."""
        words, lengths = self._read(papers, lambda word: self.word_numbers_.get(word, UNKNOWN))
        rows, terms = self._terms(words, lengths)
        columns = pd.Index(self.terms_).get_indexer(pd.Index(terms))
        is_known = columns >= 0
        return _count(rows[is_known], columns[is_known], (len(papers), max(1, len(self.terms_))))

    def get_feature_names_out(self, input_features: None = None) -> NDArray[np.object_]:
        """Give the terms as strings, in column order; a pair has a space between."""
        words = list(self.word_numbers_)
        first, second = np.divmod(self.terms_, len(words) or 1)  # a word w is 0 * V + w
        names = [words[j] if i == 0 else f"{words[i - 1]} {words[j]}" for i, j in zip(first, second, strict=True)]
        return np.array(names, dtype=object)

    def _read(self, papers: Sequence[Paper], number_of: Callable[[str], int]) -> tuple[Numbers, Numbers]:
        """Give the numbers of all words, paper after paper, and how many words each paper has."""
        find_words = re.compile(self.word).findall
        stop_words = frozenset(self.stop_words)
        words = array("q")
        lengths = array("q")
        for paper in papers:
            found = [number_of(word) for word in find_words(self.text(paper)) if word not in stop_words]
            words.extend(found)
            lengths.append(len(found))
        return np.array(words, dtype=np.int64), np.array(lengths, dtype=np.int64)

    def _terms(self, words: Numbers, lengths: Numbers) -> tuple[Numbers, Numbers]:
        """Give the row and the number of every term that occurs, repeats and all."""
        rows = np.repeat(np.arange(len(lengths)), lengths)
        terms, is_known = words, words != UNKNOWN
        if self.pairs:
            n_words = len(self.word_numbers_)
            is_pair = (rows[:-1] == rows[1:]) & is_known[:-1] & is_known[1:]
            terms = np.concatenate([words, (n_words * (1 + words[:-1]) + words[1:])])
            rows, is_known = np.concatenate([rows, rows[:-1]]), np.concatenate([is_known, is_pair])
        return rows[is_known], terms[is_known]

    def _kept(self, counts: csr_array) -> NDArray[np.intp]:
        """Give the columns that pass the limits, ascending."""
        n_papers = counts.shape[0]
        df = np.bincount(counts.indices, minlength=counts.shape[1])
        passes = (df >= self.min_df) & (df <= self.max_df * n_papers)
        kept = np.flatnonzero(passes if n_papers >= FEW_PAPERS and passes.any() else df)
        if self.max_features is not None:
            most_frequent = np.argsort(-counts.sum(axis=0)[kept], kind="stable")[: self.max_features]
            kept = np.sort(kept[most_frequent])
        return kept


def _count(rows: Numbers, columns: Numbers, shape: tuple[int, int]) -> csr_array:
    """Count how often each cell is named; indices of 32 bits, as liblinear wants them."""
    cells = (rows.astype(np.int32), columns.astype(np.int32))
    return csr_array((np.ones(len(rows)), cells), shape=shape)
