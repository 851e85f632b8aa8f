"""Scikit-learn transformer that counts words and pairs of neighbouring words in papers.

It returns the same counts as scikit-learn's ``CountVectorizer``, but is several times faster.
"""

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from itertools import count
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin

from presort.data.records import Paper, TokenLists
from presort.ranker.terms import Limits, learn_terms
from presort.ranker.tokens import token_lists

ALL = Limits()


class TermCounts(TransformerMixin, BaseEstimator):
    """Transformer that converts papers to term counts. A term is a word or, optionally, a pair of neighbouring words.

    Parameters
    ----------
    text : callable
        Function that returns a paper's text.
    word : str
        Regular expression that matches a word.
    stop_words : collection of str
        Words to remove before pairs are formed.
    limits : Limits
        Limits on the document frequency of terms.

    Notes
    -----
    A paper without words has a row of zeros.

    Examples
    --------
    >>> from presort.ranker.text import title_abstract
    >>> counts = TermCounts(title_abstract, limits=Limits(pairs=True))
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
        limits: Limits = ALL,
    ) -> None:
        self.text = text
        self.word = word
        self.stop_words = stop_words
        self.limits = limits

    def fit(self, papers: Sequence[Paper], y: None = None) -> Self:
        """Learn the terms."""
        self.fit_transform(papers)
        return self

    def fit_transform(self, papers: Sequence[Paper], y: None = None, **_: Any) -> csr_array:
        """Learn the terms, and return counts of shape (n_papers, n_terms)."""
        self.terms_, counts = learn_terms(*self._number_words(papers), self.limits)
        return counts.astype(np.float64)

    def transform(self, papers: Sequence[Paper]) -> csr_array:
        """Return counts of shape (n_papers, n_terms). Unknown terms are ignored."""
        return self.terms_.counts(*self._number_words(papers)).astype(np.float64)

    def get_feature_names_out(self, input_features: None = None) -> NDArray[np.object_]:
        """Return the terms in column order. Pairs contain a space. Without terms, returns a single name, ""."""
        return np.array(self.terms_.names() or [""], dtype=object)

    def _number_words(self, papers: Sequence[Paper]) -> tuple[TokenLists, list[str]]:
        """Return each paper's words as indexes into a vocabulary, and this vocabulary."""
        find_words = re.compile(self.word).findall
        stop_words = frozenset(self.stop_words)
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        words, lengths = array("i"), array("i")
        for paper in papers:
            found = [numbers[word] for word in find_words(self.text(paper)) if word not in stop_words]
            words.extend(found)
            lengths.append(len(found))
        return token_lists(words, lengths), list(numbers)
