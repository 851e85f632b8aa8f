"""What papers are about, in a few numbers each: truncated singular value decomposition."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.extmath import randomized_svd

from presort.ranker.recipe import Table

N_TOPICS = 64
N_PAPERS = 25_000  # the newest ones, from which topics are learned
N_TERMS = 20_000  # the most widespread terms, from which topics are made


@dataclass(frozen=True, eq=False)
class Topics:
    """The directions in which past papers differ most.

    Attributes
    ----------
    terms : array of shape (n_terms,)
        Columns that are looked at, ascending.
    directions : array of shape (n_terms, n_topics)
    """

    terms: NDArray[np.intp]
    directions: NDArray[np.float32]

    def of(self, X: Any) -> Table:
        """Return the topics of papers, shape (n_papers, n_topics), at length 1."""
        return of_length_1(X[:, self.terms].astype(np.float64) @ self.directions.astype(np.float64))


def learn_topics(X: Any) -> Topics:
    """Find the directions in past papers, a CSR array of shape (n_papers, n_terms)."""
    X = X[-N_PAPERS:]
    terms = widespread_terms(X, N_TERMS)
    X = X[:, terms].astype(np.float64)
    n_topics = min(N_TOPICS, *X.shape)
    *_, directions = randomized_svd(X, n_topics, n_iter=2, power_iteration_normalizer="QR", random_state=0)
    return Topics(terms, directions.T.astype(np.float32))


def widespread_terms(X: Any, n_terms: int) -> NDArray[np.intp]:
    """Return the columns of the terms that stand in most papers, a CSR array of shape (n_papers, n_columns); ascending.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> widespread_terms(csr_array([[1, 0, 1], [0, 0, 1], [1, 1, 0]]), 2).tolist()
    [0, 2]
    """
    spread = np.bincount(X.indices, minlength=X.shape[1])
    return np.sort(np.argsort(-spread, kind="stable")[:n_terms])


def of_length_1(rows: Table) -> Table:
    """Scale rows to length 1; what is next to nothing stays so."""
    scaled: Table = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-6)
    return scaled
