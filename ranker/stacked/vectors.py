"""Features from sentence vectors: nearness to each report's relevant papers, and the vectors' principal components.

One ridge regression per report predicts a paper's nearness to the report from its vector. Like the SVMs, it is trained
on each of two folds of the past papers. A past paper is scored by the other fold's regressions, and a new paper by the
regressions of both folds.

A paper without a vector (all zeros) is treated like the mean vector.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Rows, Vectors
from presort.ranker.recipe import NO_WORD, Labels, Table
from presort.ranker.stacked.cross_fit import folds
from presort.ranker.stacked.features import LENGTH, normalise_rows

N_FOLDS = 2
AT_ONCE = 5_000  # number of papers whose vectors are converted to double precision at once, to save memory


class CenteredVectors:
    """Centred sentence vectors, computed in batches. A paper without a vector is at the centre.

    Attributes
    ----------
    numbers : array of shape (n_papers, n_numbers)
        Sentence vectors. All zeros for a paper without a vector.
    center : array of shape (n_numbers,)
        Mean vector.
    """

    def __init__(self, numbers: NDArray[np.float16], center: Table) -> None:
        """Initialise from uncentred vectors."""
        self.numbers, self.center = numbers, center

    def parts(self) -> Iterator[tuple[slice, Table]]:
        """Yield batches of rows and their centred vectors."""
        for first in range(0, len(self.numbers), AT_ONCE):
            rows = slice(first, first + AT_ONCE)
            numbers = self.numbers[rows]
            yield rows, (numbers - self.center) * numbers.any(axis=1, keepdims=True)

    def __matmul__(self, weights: Table) -> Table:
        """Return the matrix product of the centred vectors and weights, shape (n_papers, n_weights)."""
        return np.vstack([np.empty((0, weights.shape[1])), *(part @ weights for _, part in self.parts())])


class Regressions(NamedTuple):
    """Ridge regressions that predict papers' nearness to each report.

    Attributes
    ----------
    weights : array of shape (2, n_numbers, n_reports)
        Coefficients fitted to each fold of the past papers.
    mean, spread : arrays of shape (n_reports,)
        Mean and standard deviation of the predictions for past papers.
    """

    weights: NDArray[np.float32]
    mean: Table
    spread: Table


def regressions(
    centered: CenteredVectors, y: Labels, folds_of_past: NDArray[np.int8], ridge: float
) -> tuple[Regressions, Table]:
    """Fit one regression per report and fold. Also return each past paper's nearness, predicted by the other fold.

    Parameters
    ----------
    centered : CenteredVectors
        Vectors of the past papers.
    y : array of shape (n_past, n_reports)
        Labels: 1 for relevant, 0 for not relevant, -1 for no decision. -1 is replaced by the report's mean label.
    folds_of_past : array of shape (n_past,)
        Fold of each past paper, 0 or 1.
    ridge : float
        Regularisation strength, relative to the mean eigenvalue of the vectors' scatter matrix.

    Returns
    -------
    regressions : Regressions
        Fitted regressions.
    nearness : array of shape (n_past, n_reports)
        Standardised predictions.
    """
    n_numbers, n_reports = centered.numbers.shape[1], y.shape[1]
    is_labelled = y != NO_WORD
    shares = (y == 1).sum(axis=0) / np.maximum(is_labelled.sum(axis=0), 1)
    squares, products = np.zeros((N_FOLDS, n_numbers, n_numbers)), np.zeros((N_FOLDS, n_numbers, n_reports))
    for rows, part in centered.parts():
        wanted = np.where(is_labelled[rows], y[rows] - shares, 0.0)
        for fold in range(N_FOLDS):
            is_in = folds_of_past[rows] == fold
            squares[fold] += part[is_in].T @ part[is_in]
            products[fold] += part[is_in].T @ wanted[is_in]
    weights = np.array([_solve_ridge(*sums, ridge) for sums in zip(squares, products, strict=True)], dtype=np.float32)
    raw = np.zeros(y.shape)
    for rows, part in centered.parts():
        for fold in range(N_FOLDS):
            others = np.flatnonzero(folds_of_past[rows] != fold)
            raw[rows.start + others] = part[others] @ weights[fold]
    mean, spread = raw.mean(axis=0), raw.std(axis=0)
    spread[spread == 0] = 1.0
    return Regressions(weights, mean, spread), (raw - mean) / spread


def directions(centered: CenteredVectors, n_directions: int) -> NDArray[np.float32]:
    """Return the principal components of vectors, shape (n_numbers, n_directions)."""
    squares = sum(part.T @ part for _, part in centered.parts())
    found = np.linalg.eigh(squares)[1][:, ::-1][:, :n_directions]
    largest = np.abs(found).argmax(axis=0)
    signs = np.sign(found[largest, np.arange(found.shape[1])])  # the sign of an eigenvector is arbitrary
    signed: NDArray[np.float32] = (found * signs).astype(np.float32)
    return signed


def project(centered: CenteredVectors, directions: Table) -> Table:
    """Project papers onto directions and scale each row to length `LENGTH`, shape (n_papers, n_directions)."""
    lengths: Table = LENGTH * normalise_rows(centered @ directions)
    return lengths


def _solve_ridge(squares: Table, products: Table, ridge: float) -> Table:
    """Solve one fold's ridge regressions. Returns zeros if no paper has a vector."""
    usual = np.trace(squares) / len(squares)
    if usual == 0:
        return np.zeros_like(products)
    weights: Table = np.linalg.solve(squares + ridge * usual * np.eye(len(squares)), products)
    return weights


# NumPy dtype kind and axes of each array.
SHAPES = {
    "meaning made by": ("u", "letters of the maker"),
    "meaning ridge": ("f", "one number"),
    "meaning center": ("f", "numbers"),
    "meaning weights": ("f", "meaning folds", "numbers", "reports"),
    "meaning mean": ("f", "reports"),
    "meaning spread": ("f", "reports"),
    "meaning directions": ("f", "numbers", "directions"),
    "meaning folds of past": ("i", "papers"),
}


@dataclass(frozen=True, eq=False)
class VectorModel:
    """Model trained on sentence vectors. If vectors aren't used, it has no columns.

    Attributes
    ----------
    made_by : array of shape (n_letters,)
        Identifier of the sentence model, as UTF-8 bytes. Vectors from different models aren't comparable.
    ridge : array of shape (1,)
        Regularisation strength of the regressions.
    center : array of shape (n_numbers,)
        Mean vector.
    weights : array of shape (2, n_numbers, n_read)
        Coefficients of each fold's regressions.
    mean, spread : arrays of shape (n_read,)
        Mean and standard deviation of the predictions for the training papers.
    directions : array of shape (n_numbers, n_directions)
        Principal components of the training papers' vectors.
    folds_of_past : array of shape (n_past,)
        Fold of each training paper, 0 or 1.
    """

    made_by: NDArray[np.uint8]
    ridge: Table
    center: Table
    weights: NDArray[np.float32]
    mean: Table
    spread: Table
    directions: NDArray[np.float32]
    folds_of_past: NDArray[np.int8]

    def __len__(self) -> int:
        """Return the number of columns per paper: nearness to each report, followed by the directions."""
        return len(self.mean) + int(self.directions.shape[1])

    def is_of(self, vectors: Vectors | None) -> bool:
        """Return True if the vectors come from the sentence model used in training, or if vectors aren't used."""
        return not len(self) or (vectors is not None and _letters(vectors.made_by).tobytes() == self.made_by.tobytes())

    def of_new(self, vectors: Vectors | None, rows: Rows | slice) -> Table:
        """Return the model's columns for new papers, shape (n_rows, n_columns)."""
        return self._columns(vectors, rows, self.weights.mean(axis=0)) if len(self) else _no_columns(rows)

    def of_past(self, vectors: Vectors | None, rows: Rows, places: Rows) -> Table:
        """Return columns for past papers, shape (n_rows, n_columns), from regressions not trained on the same paper.

        Parameters
        ----------
        vectors : Vectors or None
            Sentence vectors.
        rows : array of shape (n_rows,)
            Rows of the papers in `vectors`.
        places : array of shape (n_rows,)
            Indexes of the papers in the training papers. -1 for a paper that is not a training paper.
        """
        if not len(self):
            return _no_columns(rows)
        columns = self.of_new(vectors, rows)
        for fold in range(N_FOLDS):
            is_in = (places >= 0) & (self.folds_of_past[places] == fold)
            columns[is_in] = self._columns(vectors, rows[is_in], self.weights[1 - fold])
        return columns

    def with_reports_retrained(
        self, vectors: Vectors | None, rows: Rows, y: Labels, papers: Rows, columns: Rows
    ) -> "VectorModel":
        """Return a copy in which some reports are retrained from scratch, so that withdrawn decisions have no effect.

        Parameters
        ----------
        vectors : Vectors or None
            Sentence vectors.
        rows : array of shape (n_rows,)
            Rows of the training papers in `vectors`.
        y : array of shape (n_rows, n_columns)
            Labels of the reports to retrain.
        papers : array of shape (n_rows,)
            Number of the paper in each row, as in `presort.ranker.stacked.cross_fit.folds`.
        columns : array of shape (n_columns,)
            Columns of the reports to retrain.
        """
        if not len(self) or vectors is None:
            return self
        weights, mean, spread = self.weights.copy(), self.mean.copy(), self.spread.copy()
        centered = CenteredVectors(vectors.numbers[rows], self.center)
        retrained, _ = regressions(centered, y, folds(y, papers), float(self.ridge[0]))
        weights[:, :, columns], mean[columns], spread[columns] = retrained
        return replace(self, weights=weights, mean=mean, spread=spread)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the model as arrays, for storage. There are none if vectors aren't used."""
        return dict(zip(SHAPES, (getattr(self, one.name) for one in fields(self)), strict=True)) if len(self) else {}

    def _columns(self, vectors: Vectors | None, rows: Rows | slice, weights: Table) -> Table:
        if vectors is None:
            raise ValueError("vectors must not be None, because the model was trained with sentence vectors")
        centered = CenteredVectors(vectors.numbers[rows], self.center)
        nearness = (centered @ weights - self.mean) / self.spread
        return np.hstack([nearness, project(centered, self.directions)])


NO_VECTOR_MODEL = VectorModel(
    made_by=np.empty(0, dtype=np.uint8),
    ridge=np.zeros(1),
    center=np.empty(0),
    weights=np.empty((N_FOLDS, 0, 0), dtype=np.float32),
    mean=np.empty(0),
    spread=np.empty(0),
    directions=np.empty((0, 0), dtype=np.float32),
    folds_of_past=np.empty(0, dtype=np.int8),
)


@dataclass(frozen=True)
class VectorSettings:
    """Settings for sentence vectors. The vectors are not used if the number of directions is 0.

    Attributes
    ----------
    ridge : float
        Regularisation strength, as in `regressions`.
    n_directions : int
        Maximum number of principal components.
    """

    ridge: float = 0.0
    n_directions: int = 0

    def fit(self, vectors: Vectors | None, y: Labels, folds_of_past: NDArray[np.int8]) -> tuple[VectorModel, Table]:
        """Train on the past papers' vectors. Also return the papers' columns, as predicted by the other fold.

        Parameters
        ----------
        vectors : Vectors or None
            Sentence vectors of the past papers. If None, the model is empty.
        y : array of shape (n_past, n_reports)
            Labels: 1 for relevant, 0 for not relevant, -1 for no decision.
        folds_of_past : array of shape (n_past,)
            Fold of each past paper, 0 or 1.
        """
        if vectors is None or not self.n_directions or not vectors.numbers.any():
            return NO_VECTOR_MODEL, np.empty((len(y), 0))
        is_there = vectors.numbers.any(axis=1)
        centered = CenteredVectors(vectors.numbers, vectors.numbers[is_there].mean(axis=0, dtype=np.float64))
        learned, nearness = regressions(centered, y, folds_of_past, self.ridge)
        found = directions(centered, self.n_directions)
        vector_model = VectorModel(
            made_by=_letters(vectors.made_by),
            ridge=np.array([self.ridge]),
            center=centered.center,
            **learned._asdict(),
            directions=found,
            folds_of_past=folds_of_past,
        )
        return vector_model, np.hstack([nearness, project(centered, found)], dtype=np.float32)


NO_VECTORS_READ = VectorSettings()


def _letters(made_by: str) -> NDArray[np.uint8]:
    return np.frombuffer(made_by.encode(), dtype=np.uint8)


def _no_columns(rows: Rows | slice) -> Table:
    return np.empty((rows.stop - (rows.start or 0) if isinstance(rows, slice) else len(rows), 0))


def vector_model_from(arrays: Mapping[str, NDArray[Any]]) -> VectorModel:
    """Restore a model from the arrays returned by `VectorModel.arrays`."""
    return VectorModel(*(arrays[name] for name in SHAPES)) if "meaning made by" in arrays else NO_VECTOR_MODEL
