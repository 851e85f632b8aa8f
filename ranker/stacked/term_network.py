"""Term network: a neural network that, unlike a linear SVM, learns interactions between terms.

Each term has a vector that all reports share. The sum of the vectors of a paper's terms is the input of the hidden
layer, which has one output per report. If sentence vectors are used, their principal components are further inputs. The
past papers are divided into four folds. For each fold, a network is trained on all papers outside it. A past paper is
scored by the network that was not trained on its fold, and a new paper by all four networks.

References
----------
Joulin, Grave, Bojanowski, Mikolov: Bag of tricks for efficient text classification. EACL 2017 (term vectors learned
from labels).
Duchi, Hazan, Singer: Adaptive subgradient methods for online learning and stochastic optimization. JMLR 2011 (AdaGrad,
here with one step size per term vector).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit

from presort.data.records import Rows
from presort.ranker.parallel import run_in_processes
from presort.ranker.recipe import Labels, Table
from presort.ranker.stacked.features import widespread_terms
from presort.ranker.stacked.network import importance

# NumPy dtype kind and axes of each array.
SHAPES = {
    "read terms": ("i", "read terms"),
    "term vectors": ("f", "folds read", "read terms", "term units"),
    "term biases": ("f", "folds read", "term units"),
    "out of term units": ("f", "folds read", "term units", "reports"),
    "term biases of reports": ("f", "folds read", "reports"),
    "directions into term units": ("f", "folds read", "read directions", "term units"),
}
N_FOLDS = 4  # with two folds, each network would be trained on only half of the papers, and would be less accurate
FIRST_SPREAD = 0.1  # standard deviation of the initial term vectors and of the initial weights of directions
AT_ONCE = 5_000  # papers per batch when scoring, to save memory
LEAST = 1e-8  # initial sum of squared gradients, to avoid division by 0


class FoldWeights(NamedTuple):
    """Weights of a network, trained on all past papers outside one fold.

    Attributes
    ----------
    vectors : array of shape (n_terms, n_units)
        Vector of each term.
    biases : array of shape (n_units,)
        Biases of the hidden units.
    out_of : array of shape (n_units, n_reports)
        Weights from the hidden units to the reports.
    biases_of_reports : array of shape (n_reports,)
        Biases of the outputs.
    into : array of shape (n_directions, n_units)
        Weights from the directions of sentence vectors to the hidden units.
    """

    vectors: Table
    biases: Table
    out_of: Table
    biases_of_reports: Table
    into: Table

    def outputs(self, X: Any, rows: Rows | slice, projected: Table) -> Table:
        """Return the log odds of papers. The columns of `X` are the terms whose vectors are in `rows`."""
        hidden = np.maximum(X @ self.vectors[rows].astype(np.float64) + projected @ self.into + self.biases, 0)
        outputs: Table = hidden @ self.out_of + self.biases_of_reports
        return outputs


@dataclass(frozen=True, eq=False)
class TermNetworks:
    """Trained term networks, one per fold of the past papers. Empty if they have no terms.

    Attributes
    ----------
    terms : array of shape (n_terms,)
        Columns of the terms that the networks use, in ascending order.
    folds : sequence of FoldWeights
        For each fold, the weights trained on all papers outside it.
    """

    terms: NDArray[np.intp]
    folds: Sequence[FoldWeights]

    def of_new(self, X: Any, projected: Table) -> Table:
        """Return the mean of all networks' log odds for new papers, shape (n_papers, n_reports).

        Parameters
        ----------
        X : CSR array of shape (n_papers, n_columns)
            Terms of the papers.
        projected : array of shape (n_papers, n_directions)
            Sentence vectors, projected onto the directions. There are no columns if vectors are not used.
        """
        read = np.intersect1d(self.terms, X.indices)  # if there are few papers, only a few vectors are needed
        places = np.searchsorted(self.terms, read)
        of_papers = X[:, read].astype(np.float64)
        outputs: Table = np.mean([fold.outputs(of_papers, places, projected) for fold in self.folds], axis=0)
        return outputs

    def of_past(self, X: Any, projected: Table, folds: NDArray[np.int8]) -> Table:
        """Return the log odds of past papers, each computed by the network that was not trained on its fold."""
        outputs = np.empty((X.shape[0], len(self.folds[0].biases_of_reports)), dtype=np.float32)
        for number, fold in enumerate(self.folds):
            papers = np.flatnonzero(folds == number)
            for first in range(0, len(papers), AT_ONCE):
                rows = papers[first : first + AT_ONCE]
                outputs[rows] = fold.outputs(X[rows][:, self.terms].astype(np.float64), slice(None), projected[rows])
        return outputs

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the networks as arrays, for storage."""
        of_folds = (np.array(weights) for weights in zip(*self.folds, strict=True))
        return dict(zip(SHAPES, (self.terms, *of_folds), strict=True))


def no_term_networks(n_reports: int) -> TermNetworks:
    """Return empty networks, for use when there is too little training data."""
    vectors = np.empty((0, 1), dtype=np.float32)
    nothing = FoldWeights(vectors, np.zeros(1), np.zeros((1, n_reports)), np.zeros(n_reports), np.zeros((0, 1)))
    return TermNetworks(np.empty(0, dtype=np.intp), [nothing] * N_FOLDS)


@dataclass(frozen=True)
class TermNetwork:
    """Settings for the network. The trained weights are a `TermNetworks`.

    Attributes
    ----------
    n_terms : int
        Number of terms. The most frequent terms are used.
    n_units : int
        Number of hidden units.
    n_epochs, n_batch : int
        Number of passes over the papers, and number of papers per batch.
    rate, rate_out : float
        Initial learning rates of the term vectors and of all other weights. Both fall linearly to 0.
    dropout, dropout_terms : float
        Shares of the hidden units and of the papers' terms that are dropped at random in each step.
    """

    n_terms: int = 50_000
    n_units: int = 128
    n_epochs: int = 8
    n_batch: int = 256
    rate: float = 0.3
    rate_out: float = 0.05
    dropout: float = 0.5
    dropout_terms: float = 0.5

    def fit(self, X: Any, projected: Table, y: Labels, folds: NDArray[np.int8], n_jobs: int = 1) -> TermNetworks:
        """For each fold of the past papers, train a network on all papers outside it.

        Parameters
        ----------
        X : CSR array of shape (n_papers, n_columns)
            Terms of the papers.
        projected : array of shape (n_papers, n_directions)
            Sentence vectors, projected onto the directions. There are no columns if vectors are not used.
        y : array of shape (n_papers, n_reports)
            Labels: 1 for relevant, 0 for not relevant, -1 for no decision.
        folds : array of shape (n_papers,)
            Fold of each paper, from 0 to 3.
        n_jobs : int
            Number of processes. More than four processes don't help.
        """
        terms = widespread_terms(X, self.n_terms)
        calls = ((number,) for number in range(N_FOLDS))
        with closing(run_in_processes(self._fit, (X, terms, projected, y, folds), calls, n_jobs)) as ready:
            learned = dict(ready)
        return TermNetworks(terms, [learned[number] for number in range(N_FOLDS)])

    def _fit(
        self, X: Any, terms: Rows, projected: Table, y: Labels, folds: NDArray[np.int8], number: int
    ) -> tuple[int, FoldWeights]:
        is_outside = folds != number
        X, y, projected = X[is_outside][:, terms], y[is_outside], projected[is_outside].astype(np.float64)
        weigh, rng = importance(y), np.random.default_rng(number)
        fold = self._initialise(X.shape[1], projected.shape[1], y, weigh, rng)
        squares_of_terms = np.full((X.shape[1], 1), LEAST)
        squares = [np.full_like(weights, LEAST) for weights in fold[1:]]
        gathered = np.empty_like(fold.vectors)  # buffer for reuse, because half of the time is spent on copying vectors
        for rows, left in self._steps(len(y), rng):
            drawn, of_papers = self._drop_terms(X[rows], rng)
            # "clip" avoids a copy. It changes no index, because no term is out of range.
            vectors = np.take(fold.vectors, drawn, axis=0, out=gathered[: len(drawn)], mode="clip")
            of_batch = fold._replace(vectors=vectors)
            of_terms, *slopes = self._slopes(of_batch, of_papers, projected[rows], y[rows], weigh, rng)
            squares_of_terms[drawn, 0] += np.einsum("ij,ij->i", of_terms, of_terms) / self.n_units
            of_terms *= self.rate * left / np.sqrt(squares_of_terms[drawn])
            vectors -= of_terms
            fold.vectors[drawn] = vectors
            for weights, square, slope in zip(fold[1:], squares, slopes, strict=True):
                square += slope**2
                weights -= self.rate_out * left * slope / np.sqrt(square)
        return number, fold._replace(vectors=fold.vectors.astype(np.float32))

    def _initialise(
        self, n_terms: int, n_directions: int, y: Labels, weigh: Table, rng: np.random.Generator
    ) -> FoldWeights:
        """Initialise a network with random weights, and biases that match each report's share of relevant papers."""
        n_relevant, n_others = (y == 1).sum(axis=0) + 1.0, (y == 0).sum(axis=0) + 1.0
        return FoldWeights(
            vectors=rng.normal(size=(n_terms, self.n_units)) * FIRST_SPREAD,
            biases=np.zeros(self.n_units),
            out_of=rng.normal(size=(self.n_units, y.shape[1])) * np.sqrt(0.25 / self.n_units),
            biases_of_reports=np.log(weigh[1] * n_relevant / (weigh[0] * n_others)),
            into=rng.normal(size=(n_directions, self.n_units)) * FIRST_SPREAD,
        )

    def _slopes(
        self,
        fold: FoldWeights,
        of_papers: Any,
        projected: Table,
        words: Labels,
        weigh: Table,
        rng: np.random.Generator,
    ) -> FoldWeights:
        """Return the gradients of a batch's loss. The term vectors in `fold` are only those of the batch's terms.

        All papers in the batch share one dropout mask for the hidden units.
        """
        share_left = 1 - self.dropout
        inputs = of_papers @ fold.vectors + projected @ fold.into + fold.biases
        is_on = (inputs > 0) * ((rng.random(self.n_units) >= self.dropout) / share_left)
        hidden = inputs * is_on
        chances = expit(hidden @ fold.out_of + fold.biases_of_reports)
        error = weigh[words, np.arange(words.shape[1])] * (chances - words) / len(words)
        hidden_error = (error @ fold.out_of.T) * is_on
        return FoldWeights(
            vectors=of_papers.T @ hidden_error,
            biases=hidden_error.sum(axis=0),
            out_of=hidden.T @ error,
            biases_of_reports=error.sum(axis=0),
            into=projected.T @ hidden_error,
        )

    def _steps(self, n_papers: int, rng: np.random.Generator) -> Iterator[tuple[Rows, float]]:
        """Yield the papers in each batch, and the factor by which to multiply the initial learning rate."""
        n_batches = n_papers // self.n_batch + 1
        n_steps = self.n_epochs * n_batches
        for epoch in range(self.n_epochs):
            for batch, rows in enumerate(np.array_split(rng.permutation(n_papers), n_batches), start=1):
                yield rows, 1 - (epoch * n_batches + batch) / n_steps

    def _drop_terms(self, X: Any, rng: np.random.Generator) -> tuple[Rows, Any]:
        """Apply dropout to the papers' terms. Return the remaining terms and their values in the papers."""
        is_left = rng.random(X.nnz) >= self.dropout_terms
        columns = X.indices[is_left]
        is_drawn = np.zeros(X.shape[1], dtype=bool)
        is_drawn[columns] = True
        terms = np.flatnonzero(is_drawn)
        places = (np.cumsum(is_drawn, dtype=np.int32) - 1)[columns]  # faster than np.unique, which sorts
        values = X.data[is_left] / np.float64(1 - self.dropout_terms)
        starts = np.concatenate([[0], np.cumsum(is_left)])[X.indptr]
        return terms, csr_array((values, places, starts), shape=(X.shape[0], len(terms)))


def term_networks_from(arrays: Mapping[str, NDArray[Any]]) -> TermNetworks:
    """Restore the networks from the arrays returned by `TermNetworks.arrays`."""
    terms, *of_folds = (arrays[name] for name in SHAPES)
    return TermNetworks(terms, [FoldWeights(*weights) for weights in zip(*of_folds, strict=True)])


def fault_of_term_networks(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the reason why arrays are not valid term networks, or "" if they are valid."""
    terms, n_terms = arrays["read terms"], len(arrays["weights"]) - 1
    are_there = not len(terms) or (terms[0] >= 0 and terms[-1] < n_terms and (np.diff(terms) > 0).all())
    if len(arrays["term vectors"]) != N_FOLDS or not are_there:
        return "has invalid term networks"
    # Networks without terms were not trained, so they don't read directions either.
    n_directions = arrays["meaning directions"].shape[1] if "meaning directions" in arrays and len(terms) else 0
    is_whole = arrays["directions into term units"].shape[1] == n_directions
    return "" if is_whole else "has term networks for other sentence vectors"
