"""Features from sentence vectors: nearness to each report's relevant papers, and principal directions.

One ridge regression per report predicts a paper's nearness from its vector. Like the SVMs, it is trained twice, on each
fold of the past papers. A past paper is scored by the fold that it is not in, a new one by both.

A paper without a vector, all zeros, has the mean of all values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Rows, Vectors
from presort.ranker.recipe import NO_WORD, Labels, Table
from presort.ranker.stacked.cross_fit import folds
from presort.ranker.stacked.features import LENGTH, of_length_1

N_FOLDS = 2
AT_ONCE = 5_000  # papers whose vectors are laid out in double precision together, to save memory


class Centered:
    """Centred vectors, computed in parts. A paper without a vector is at the centre.

    Attributes
    ----------
    numbers : array of shape (n_papers, n_numbers)
    center : array of shape (n_numbers,)
    """

    def __init__(self, numbers: NDArray[np.float16], center: Table) -> None:
        """Take vectors, all zeros for a paper without one."""
        self.numbers, self.center = numbers, center

    def parts(self) -> Iterator[tuple[slice, Table]]:
        """Yield some rows after others, and their vectors around the center."""
        for first in range(0, len(self.numbers), AT_ONCE):
            rows = slice(first, first + AT_ONCE)
            numbers = self.numbers[rows]
            yield rows, (numbers - self.center) * numbers.any(axis=1, keepdims=True)

    def __matmul__(self, weights: Table) -> Table:
        """Return the vectors times weights, shape (n_papers, n_weights)."""
        return np.vstack([np.empty((0, weights.shape[1])), *(part @ weights for _, part in self.parts())])


class Regressions(NamedTuple):
    """Ridge regressions that predict the nearness of papers to each report.

    Attributes
    ----------
    weights : array of shape (2, n_numbers, n_reports)
        Learned from either fold of the past papers.
    mean, spread : arrays of shape (n_reports,)
        Of what they make of past papers.
    """

    weights: NDArray[np.float32]
    mean: Table
    spread: Table


def regressions(
    centered: Centered, y: Labels, folds_of_past: NDArray[np.int8], ridge: float
) -> tuple[Regressions, Table]:
    """Learn a regression a report on either fold of past papers; give also how near each paper is, by the other fold.

    Parameters
    ----------
    centered : Centered
        Of the past papers.
    y : array of shape (n_past, n_reports)
        Labels: 1 for relevant, 0 for not, -1 for no decision. No decision counts as the report's mean.
    folds_of_past : array of shape (n_past,)
    ridge : float
        How strongly the regressions are drawn to 0, as a share of what the papers say along a mean direction.

    Returns
    -------
    regressions : Regressions
    nearness : array of shape (n_past, n_reports)
        At mean 0 and spread 1.
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
    weights = np.array([_solved(*sums, ridge) for sums in zip(squares, products, strict=True)], dtype=np.float32)
    raw = np.zeros(y.shape)
    for rows, part in centered.parts():
        for fold in range(N_FOLDS):
            others = np.flatnonzero(folds_of_past[rows] != fold)
            raw[rows.start + others] = part[others] @ weights[fold]
    mean, spread = raw.mean(axis=0), raw.std(axis=0)
    spread[spread == 0] = 1.0
    return Regressions(weights, mean, spread), (raw - mean) / spread


def directions(centered: Centered, n_directions: int) -> NDArray[np.float32]:
    """Return the directions in which papers differ most, shape (n_numbers, n_directions)."""
    squares = sum(part.T @ part for _, part in centered.parts())
    found = np.linalg.eigh(squares)[1][:, ::-1][:, :n_directions]
    largest = np.abs(found).argmax(axis=0)
    signs = np.sign(found[largest, np.arange(found.shape[1])])  # a direction may as well point the other way
    signed: NDArray[np.float32] = (found * signs).astype(np.float32)
    return signed


def along(centered: Centered, directions: Table) -> Table:
    """Return the coordinates of papers along directions, shape (n_papers, n_directions), for vectors of length 1."""
    lengths: Table = LENGTH * of_length_1(centered @ directions)
    return lengths


def _solved(squares: Table, products: Table, ridge: float) -> Table:
    """Return the weights of one fold. Zeros if no paper has a vector."""
    usual = np.trace(squares) / len(squares)
    if usual == 0:
        return np.zeros_like(products)
    weights: Table = np.linalg.solve(squares + ridge * usual * np.eye(len(squares)), products)
    return weights


# Of each array: its kind, as NumPy has them, and its axes.
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
    """Model trained on sentence vectors. It has no columns if vectors aren't used.

    Attributes
    ----------
    made_by : array of shape (n_letters,)
        Identifier of the sentence model, as bytes in UTF-8. Vectors of different models aren't comparable.
    ridge : array of shape (1,)
        How strongly the regressions are drawn to 0.
    center : array of shape (n_numbers,)
        The mean vector.
    weights : array of shape (2, n_numbers, n_read)
        The regressions of either fold.
    mean, spread : arrays of shape (n_read,)
        Of what they make of past papers.
    directions : array of shape (n_numbers, n_directions)
        In which past papers differ most.
    folds_of_past : array of shape (n_past,)
        The fold, 0 or 1, that each paper that was learned from is in.
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
        """Return the number of columns per paper: nearness to each report, then the directions."""
        return len(self.mean) + int(self.directions.shape[1])

    def is_of(self, vectors: Vectors | None) -> bool:
        """Return whether this was trained on vectors of the same sentence model. True if it has no columns."""
        return not len(self) or (vectors is not None and _letters(vectors.made_by).tobytes() == self.made_by.tobytes())

    def of_new(self, vectors: Vectors | None, rows: Rows | slice) -> Table:
        """Return the columns of papers that were not learned from, shape (n_rows, n_columns)."""
        return self._columns(vectors, rows, self.weights.mean(axis=0)) if len(self) else _no_columns(rows)

    def of_past(self, vectors: Vectors | None, rows: Rows, places: Rows) -> Table:
        """Return the columns of past papers, each as if it were new, shape (n_rows, n_columns).

        Parameters
        ----------
        rows : array of shape (n_rows,)
            Of `vectors`.
        places : array of shape (n_rows,)
            Of each among the papers that were learned from; -1 for one that was not.
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
        """Retrain some of the reports from scratch, so that their undone decisions have no effect.

        Parameters
        ----------
        rows : array of shape (n_rows,)
            The past papers to learn from.
        y : array of shape (n_rows, n_columns)
            Labels of these reports.
        papers : array of shape (n_rows,)
            As in `presort.ranker.stacked.cross_fit.folds`.
        columns : array of shape (n_columns,)
            Columns of these reports.
        """
        if not len(self) or vectors is None:
            return self
        weights, mean, spread = self.weights.copy(), self.mean.copy(), self.spread.copy()
        centered = Centered(vectors.numbers[rows], self.center)
        retrained, _ = regressions(centered, y, folds(y, papers), float(self.ridge[0]))
        weights[:, :, columns], mean[columns], spread[columns] = retrained
        return replace(self, weights=weights, mean=mean, spread=spread)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the model as arrays of numbers. Empty if nothing was learned."""
        return dict(zip(SHAPES, (getattr(self, one.name) for one in fields(self)), strict=True)) if len(self) else {}

    def _columns(self, vectors: Vectors | None, rows: Rows | slice, weights: Table) -> Table:
        if vectors is None:
            raise ValueError("vectors must be given to what has learned from some, got None")
        centered = Centered(vectors.numbers[rows], self.center)
        nearness = (centered @ weights - self.mean) / self.spread
        return np.hstack([nearness, along(centered, self.directions)])


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
class Vectored:
    """Settings of learning from sentence vectors. Without directions, vectors aren't used.

    Attributes
    ----------
    ridge : float
        How strongly the regressions are drawn to 0, as a share of what the papers say along a mean direction.
    n_directions : int
        At most so many.
    """

    ridge: float = 0.0
    n_directions: int = 0

    def fit(self, vectors: Vectors | None, y: Labels, folds_of_past: NDArray[np.int8]) -> tuple[VectorModel, Table]:
        """Train on the vectors of past papers. Also return their columns, each as if the paper were new.

        Parameters
        ----------
        vectors : Vectors or None
            Of the past papers; without any, nothing is learned.
        y : array of shape (n_past, n_reports)
            Labels: 1 for relevant, 0 for not, -1 for no decision.
        folds_of_past : array of shape (n_past,)
        """
        if vectors is None or not self.n_directions or not vectors.numbers.any():
            return NO_VECTOR_MODEL, np.empty((len(y), 0))
        is_there = vectors.numbers.any(axis=1)
        centered = Centered(vectors.numbers, vectors.numbers[is_there].mean(axis=0, dtype=np.float64))
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
        return vector_model, np.hstack([nearness, along(centered, found)], dtype=np.float32)


NO_VECTORS_READ = Vectored()


def _letters(made_by: str) -> NDArray[np.uint8]:
    return np.frombuffer(made_by.encode(), dtype=np.uint8)


def _no_columns(rows: Rows | slice) -> Table:
    return np.empty((rows.stop - (rows.start or 0) if isinstance(rows, slice) else len(rows), 0))


def vector_model_from(arrays: Mapping[str, NDArray[Any]]) -> VectorModel:
    """Build a model from the arrays of `VectorModel.arrays`."""
    return VectorModel(*(arrays[name] for name in SHAPES)) if "meaning made by" in arrays else NO_VECTOR_MODEL
