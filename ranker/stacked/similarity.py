"""Similarity between papers and new reports' relevant papers, based on hidden units, margins and sentence vectors.

The networks' hidden layers distinguish reports, so papers on one subject have similar hidden outputs, even if they
share no word. They also have similar margins for other reports and similar sentence vectors. A new report benefits from
all three similarities before it has enough decisions for its own SVM.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from presort.ranker.recipe import Table
from presort.ranker.stacked.features import LENGTH, normalise_rows

FARTHEST = 3.0  # standard deviations at which features are clipped, so that rare large values don't dominate


class Scale(NamedTuple):
    """Mean and standard deviation of each feature."""

    mean: Table
    spread: Table

    def directions(self, table: Table) -> Table:
        """Return each paper's features as a vector of length 1, standardised and clipped."""
        return normalise_rows(np.clip((table - self.mean) / self.spread, -FARTHEST, FARTHEST))

    def slopes(self, row: Table, weights: Table) -> Table:
        """Return the derivatives of ``directions(row) @ weights`` with respect to the features.

        The norm by which `directions` divides is treated as a constant.
        """
        standard = (row - self.mean) / self.spread
        length = np.linalg.norm(np.clip(standard, -FARTHEST, FARTHEST)) + 1e-6
        slopes: Table = weights * (np.abs(standard) < FARTHEST) / (self.spread * length)
        return slopes


def scale_of(table: Table) -> Scale:
    """Return the scale of features, from their values for many papers."""
    return Scale(table.mean(axis=0), table.std(axis=0) + 1e-6)


def identity_scale(table: Table) -> Scale:
    """Return a scale that doesn't change the directions of rows, if no row is longer than `LENGTH`."""
    return Scale(np.zeros(table.shape[1]), np.full(table.shape[1], LENGTH))


class Part(NamedTuple):
    """Similarity to each new report's relevant papers, as measured by one group of features.

    Attributes
    ----------
    scale : Scale
        Scale of the features.
    weights : array of shape (n_features, n_new)
        Weights of the papers' directions for each new report.
    """

    scale: Scale
    weights: Table

    def of(self, table: Table) -> Table:
        """Return the similarity of papers to each new report, shape (n_papers, n_new)."""
        similarity: Table = self.scale.directions(table) @ self.weights
        return similarity

    def times(self, factors: Table) -> "Part":
        """Return a copy in which each new report's similarity is multiplied by a factor."""
        return self._replace(weights=self.weights * factors)


class Similarity(NamedTuple):
    """Similarity to the relevant papers of each new report.

    Attributes
    ----------
    columns : sequence of int
        Columns of the new reports in the model's outputs.
    hidden : Part
        Similarity as measured by the hidden units of all networks.
    inputs : sequence of (slice, Part)
        Similarity as measured by the given columns of the networks' inputs: margins and, if used, sentence vectors.
    """

    columns: Sequence[int]
    hidden: Part
    inputs: Sequence[tuple[slice, Part]]

    def of(self, hidden: Table, inputs: Table) -> Table:
        """Return the similarity of papers to each new report, shape (n_papers, n_new)."""
        similarity = self.hidden.of(hidden)
        for columns, part in self.inputs:
            similarity = similarity + part.of(inputs[:, columns])
        return similarity

    def times(self, factors: Table) -> "Similarity":
        """Return a copy in which each new report's similarity is multiplied by a factor."""
        of_inputs = [(columns, part.times(factors)) for columns, part in self.inputs]
        return Similarity(self.columns, self.hidden.times(factors), of_inputs)

    def slopes(self, hidden: Table, inputs: Table, column: int) -> tuple[Table, Table]:
        """Return the derivatives of a paper's similarity with respect to its hidden units and its inputs.

        All derivatives are 0 if the column doesn't belong to a new report.
        """
        of_inputs = np.zeros_like(inputs)
        if column not in self.columns:
            return np.zeros_like(hidden), of_inputs
        new = list(self.columns).index(column)
        for columns, part in self.inputs:
            of_inputs[columns] = part.scale.slopes(inputs[columns], part.weights[:, new])
        return self.hidden.scale.slopes(hidden, self.hidden.weights[:, new]), of_inputs
