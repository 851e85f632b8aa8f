"""What papers are about, by sentence vectors: how near each report's picks they are, and the directions they differ in.

A ridge regression a report tells a paper's nearness from its vector. It is learned twice, on either half of the past
papers, as the machines are: a past paper is judged by the half that it is not in, a new one by both.

A paper without a vector, all zeros, tells nothing: it stands at the mean of everything.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Rows, Vectors
from presort.ranker.presort_1.halves import halves
from presort.ranker.presort_1.nearness import N_HALVES, Centered, along, directions, regressions
from presort.ranker.recipe import Labels, Table

# Of each array: its kind, as NumPy has them, and its axes.
SHAPES = {
    "meaning made by": ("u", "letters of the maker"),
    "meaning ridge": ("f", "one number"),
    "meaning center": ("f", "numbers"),
    "meaning weights": ("f", "meaning halves", "numbers", "reports"),
    "meaning mean": ("f", "reports"),
    "meaning spread": ("f", "reports"),
    "meaning directions": ("f", "numbers", "directions"),
    "meaning halves of past": ("i", "papers"),
}


@dataclass(frozen=True, eq=False)
class Meaning:
    """What was learned of sentence vectors; nothing, with no column, where none are read.

    Attributes
    ----------
    made_by : array of shape (n_letters,)
        What made the vectors, as letters in UTF-8: those of another model mean something else.
    ridge : array of shape (1,)
        How strongly the regressions are drawn to 0.
    center : array of shape (n_numbers,)
        The mean vector.
    weights : array of shape (2, n_numbers, n_read)
        The regressions of either half.
    mean, spread : arrays of shape (n_read,)
        Of what they make of past papers.
    directions : array of shape (n_numbers, n_directions)
        In which past papers differ most.
    halves_of_past : array of shape (n_past,)
        The half, 0 or 1, that each paper that was learned from is in.
    """

    made_by: NDArray[np.uint8]
    ridge: Table
    center: Table
    weights: NDArray[np.float32]
    mean: Table
    spread: Table
    directions: NDArray[np.float32]
    halves_of_past: NDArray[np.int8]

    def __len__(self) -> int:
        """Return how many columns this gives of a paper: how near it is to each report, and then the directions."""
        return len(self.mean) + int(self.directions.shape[1])

    def is_of(self, vectors: Vectors | None) -> bool:
        """Return whether this was learned from vectors of the same making; where nothing was, any will do."""
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
        for half in range(N_HALVES):
            is_in = (places >= 0) & (self.halves_of_past[places] == half)
            columns[is_in] = self._columns(vectors, rows[is_in], self.weights[1 - half])
        return columns

    def with_reports_anew(
        self, vectors: Vectors | None, rows: Rows, y: Labels, papers: Rows, columns: Rows
    ) -> "Meaning":
        """Learn some of the reports by themselves, so that nothing is left of what they took back.

        Parameters
        ----------
        rows : array of shape (n_rows,)
            The past papers to learn from.
        y : array of shape (n_rows, n_columns)
            What these reports say of them.
        papers : array of shape (n_rows,)
            As in `presort.ranker.presort_1.halves.halves`.
        columns : array of shape (n_columns,)
            Which of the reports they are.
        """
        if not len(self) or vectors is None:
            return self
        weights, mean, spread = self.weights.copy(), self.mean.copy(), self.spread.copy()
        centered = Centered(vectors.numbers[rows], self.center)
        anew, _ = regressions(centered, y, halves(y, papers), float(self.ridge[0]))
        weights[:, :, columns], mean[columns], spread[columns] = anew
        return replace(self, weights=weights, mean=mean, spread=spread)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that was learned, as arrays of numbers; none where nothing was."""
        return dict(zip(SHAPES, (getattr(self, one.name) for one in fields(self)), strict=True)) if len(self) else {}

    def _columns(self, vectors: Vectors | None, rows: Rows | slice, weights: Table) -> Table:
        if vectors is None:
            raise ValueError("vectors must be given to what has learned from some, got None")
        centered = Centered(vectors.numbers[rows], self.center)
        nearness = (centered @ weights - self.mean) / self.spread
        return np.hstack([nearness, along(centered, self.directions)])


NO_MEANING = Meaning(
    made_by=np.empty(0, dtype=np.uint8),
    ridge=np.zeros(1),
    center=np.empty(0),
    weights=np.empty((N_HALVES, 0, 0), dtype=np.float32),
    mean=np.empty(0),
    spread=np.empty(0),
    directions=np.empty((0, 0), dtype=np.float32),
    halves_of_past=np.empty(0, dtype=np.int8),
)


@dataclass(frozen=True)
class Vectored:
    """Settings of what is learned from sentence vectors; where there are no directions, none are read.

    Attributes
    ----------
    ridge : float
        How strongly the regressions are drawn to 0, as a share of what the papers say along a mean direction.
    n_directions : int
        At most so many.
    """

    ridge: float = 0.0
    n_directions: int = 0

    def learned(self, vectors: Vectors | None, y: Labels, halves_of_past: NDArray[np.int8]) -> tuple[Meaning, Table]:
        """Learn from the vectors of past papers; give also their columns, each as if the paper were new.

        Parameters
        ----------
        vectors : Vectors or None
            Of the past papers; without any, nothing is learned.
        y : array of shape (n_past, n_reports)
            1 for relevant, 0 for not, -1 where the report says nothing.
        halves_of_past : array of shape (n_past,)
        """
        if vectors is None or not self.n_directions or not vectors.numbers.any():
            return NO_MEANING, np.empty((len(y), 0))
        is_there = vectors.numbers.any(axis=1)
        centered = Centered(vectors.numbers, vectors.numbers[is_there].mean(axis=0, dtype=np.float64))
        learned, nearness = regressions(centered, y, halves_of_past, self.ridge)
        found = directions(centered, self.n_directions)
        meaning = Meaning(
            made_by=_letters(vectors.made_by),
            ridge=np.array([self.ridge]),
            center=centered.center,
            **learned._asdict(),
            directions=found,
            halves_of_past=halves_of_past,
        )
        return meaning, np.hstack([nearness, along(centered, found)], dtype=np.float32)


NO_VECTORS_READ = Vectored()


def _letters(made_by: str) -> NDArray[np.uint8]:
    return np.frombuffer(made_by.encode(), dtype=np.uint8)


def _no_columns(rows: Rows | slice) -> Table:
    return np.empty((rows.stop - (rows.start or 0) if isinstance(rows, slice) else len(rows), 0))


def meaning_from(arrays: Mapping[str, NDArray[Any]]) -> Meaning:
    """Take what `Meaning.arrays` gave."""
    return Meaning(*(arrays[name] for name in SHAPES)) if "meaning made by" in arrays else NO_MEANING
