"""Vocabulary of terms, which are words and pairs of neighbouring words, and counts of these terms in papers.

Only single words are stored as strings. In a vocabulary of ``n`` words, word ``i`` has the code ``i``, and the pair
``(i, j)`` has the code ``n * (1 + i) + j``, so that NumPy can form and count pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from presort.data.records import TokenLists

UNKNOWN = -1
FEW_PAPERS = 1_000
ALL = slice(None)

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Limits:
    """Limits on the document frequency of terms.

    `min_df` and `max_df` are ignored if there are fewer than 1,000 papers, because document frequencies are then
    unreliable. They are also ignored if no term would satisfy them.

    Attributes
    ----------
    pairs : bool
        True if pairs of neighbouring words are also terms.
    min_df : int
        Minimum number of papers that contain a term.
    max_df : float
        Maximum share of papers that contain a term, from 0 to 1.
    max_features : int or None
        Maximum number of terms. The most frequent terms are chosen and, of equally frequent terms, those seen first.
    """

    pairs: bool = False
    min_df: int = 1
    max_df: float = 1.0
    max_features: int | None = None

    def columns_within(self, counts: csr_array) -> NDArray[np.intp]:
        """Return the columns of terms that are within the limits, in ascending order."""
        n_papers = counts.shape[0]
        df = np.bincount(counts.indices, minlength=counts.shape[1])
        passes = (df >= self.min_df) & (df <= self.max_df * n_papers)
        kept = np.flatnonzero(passes if n_papers >= FEW_PAPERS and passes.any() else df)
        if self.max_features is not None:
            most_frequent = np.argsort(-counts.sum(axis=0)[kept], kind="stable")[: self.max_features]
            kept = np.sort(kept[most_frequent])
        return kept


@dataclass(frozen=True, eq=False)
class Terms:
    """Vocabulary of terms, in column order.

    Attributes
    ----------
    words : sequence of str
        All words that occur in terms.
    codes : array of shape (n_terms,)
        Code of each term.
    """

    words: Sequence[str]
    codes: Numbers

    def __len__(self) -> int:
        return len(self.codes)

    def names(self, columns: slice | NDArray[np.intp] = ALL) -> list[str]:
        """Return the terms of some columns, by default all, as strings. A space separates the words of a pair."""
        first, last = np.divmod(self.codes[columns], len(self.words) or 1)  # `first` is 0 for a single word
        pairs = zip(first.tolist(), last.tolist(), strict=True)
        return [self.words[j] if i == 0 else f"{self.words[i - 1]} {self.words[j]}" for i, j in pairs]

    def counts(self, lists: TokenLists, vocabulary: Sequence[str]) -> csr_array:
        """Count the terms in papers, shape (n_papers, n_terms). `vocabulary` contains the words that `lists` refers to.

        If there are no terms, the result has one column of zeros.
        """
        numbers = self._numbers
        known = np.full(len(vocabulary), UNKNOWN, dtype=np.int64)
        tokens = lists.values  # noqa: PD011
        known[tokens] = 0
        used = np.flatnonzero(known == 0)  # faster than np.unique, which sorts
        known[used] = [numbers.get(vocabulary[token], UNKNOWN) for token in used.tolist()]
        words = known[tokens]
        rows, codes = _codes(words, lists.starts, len(self.words), pairs=bool((self.codes >= len(self.words)).any()))
        columns = self._columns.get_indexer(pd.Index(codes))
        is_known = columns >= 0
        return _count(rows[is_known], columns[is_known], (len(lists), max(1, len(self))))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def _columns(self) -> "pd.Index[int]":
        return pd.Index(self.codes)


def learn_terms(lists: TokenLists, vocabulary: Sequence[str], limits: Limits) -> tuple[Terms, csr_array]:
    """Choose terms from past papers. Return the terms and their counts, shape (n_papers, n_terms).

    Examples
    --------
    >>> lists = TokenLists(np.array([0, 1, 0, 2], dtype=np.int32), np.array([0, 4]))
    >>> terms, counts = learn_terms(lists, ["old", "money", "trust"], Limits(pairs=True))
    >>> terms.names(), counts.toarray().tolist()
    (['old', 'money', 'trust', 'old money', 'money old', 'old trust'], [[2.0, 1.0, 1.0, 1.0, 1.0, 1.0]])
    """
    words = lists.values.astype(np.int64)  # noqa: PD011
    rows, met = _codes(words, lists.starts, len(vocabulary), pairs=limits.pairs)
    del words
    columns, codes = pd.factorize(met)  # uses hashing: ten times faster than np.unique, which sorts
    del met
    counts = _count(rows, columns, (len(lists), len(codes)))
    del rows, columns
    kept = limits.columns_within(counts)
    # scikit-learn rejects a matrix without columns, so an empty vocabulary has one.
    return _drop_unused_words(codes[kept], vocabulary), counts[:, kept] if kept.size else csr_array((len(lists), 1))


def _codes(words: Numbers, starts: Numbers, n_words: int, *, pairs: bool) -> tuple[NDArray[np.int32], Numbers]:
    """Return the row and the code of each occurrence of a term."""
    rows = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    is_known = words != UNKNOWN
    if not pairs:
        return rows[is_known], words[is_known]
    is_pair = (rows[:-1] == rows[1:]) & is_known[:-1] & is_known[1:]
    of_pairs = words[:-1][is_pair]
    of_pairs += 1
    of_pairs *= n_words  # in place, to save memory, because there may be millions of pairs
    of_pairs += words[1:][is_pair]
    return np.concatenate([rows[is_known], rows[:-1][is_pair]]), np.concatenate([words[is_known], of_pairs])


def _drop_unused_words(codes: Numbers, vocabulary: Sequence[str]) -> Terms:
    """Drop words that don't occur in any term, and renumber the remaining words."""
    first, last = np.divmod(codes, len(vocabulary) or 1)
    used, numbers = np.unique(np.concatenate([first[first > 0] - 1, last]), return_inverse=True)
    last, of_first = numbers[np.count_nonzero(first) :], numbers[: np.count_nonzero(first)]
    positions = last.astype(np.int64)
    positions[first > 0] += len(used) * (1 + of_first)
    return Terms([vocabulary[number] for number in used.tolist()], positions)


def _count(rows: NDArray[np.int32], columns: NDArray[np.intp], shape: tuple[int, int]) -> csr_array:
    """Count how often each pair of row and column occurs. Indexes are 32-bit, as liblinear requires."""
    ones = np.ones(len(rows), dtype=np.float32)  # counts are exact in single precision
    return csr_array((ones, (rows, columns.astype(np.int32))), shape=shape)
