"""Similarity of papers to the relevant papers of new reports, by hidden units and by the margins for other reports.

A network's hidden layers distinguish reports, so papers on one subject have similar hidden outputs, even if they share
no word. The same holds for the margins. A new report benefits from both before it has enough decisions for its own SVM.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from presort.ranker.recipe import Table
from presort.ranker.stacked.features import of_length_1

FARTHEST = 3.0  # standard deviations at which features are clipped, so that rare large values don't dominate


class Scale(NamedTuple):
    """Mean and standard deviation of each feature."""

    mean: Table
    spread: Table

    def directions(self, table: Table) -> Table:
        """Return each paper's features as a vector of length 1, standardised and clipped."""
        return of_length_1(np.clip((table - self.mean) / self.spread, -FARTHEST, FARTHEST))

    def slopes(self, row: Table, weights: Table) -> Table:
        """Return the derivatives of ``directions(row) @ weights`` with respect to the features, at constant length."""
        standard = (row - self.mean) / self.spread
        length = np.linalg.norm(np.clip(standard, -FARTHEST, FARTHEST)) + 1e-6
        slopes: Table = weights * (np.abs(standard) < FARTHEST) / (self.spread * length)
        return slopes


def scale_of(table: Table) -> Scale:
    """Return the scale of features, from their values for many papers."""
    return Scale(table.mean(axis=0), table.std(axis=0) + 1e-6)


class Similarity(NamedTuple):
    """Similarity to the relevant papers of each new report.

    Attributes
    ----------
    columns : sequence of int
        Columns of the new reports in the model's outputs.
    hidden, margins : Scale
        Scales of the hidden units of all networks, and of the margins that the networks read.
    of_hidden, of_margins : arrays of shape (n_hidden, n_new) and (n_read, n_new)
        Weights of the papers' directions for each new report.
    """

    columns: Sequence[int]
    hidden: Scale
    margins: Scale
    of_hidden: Table
    of_margins: Table

    def of(self, hidden: Table, margins: Table) -> Table:
        """Return the similarity of papers to each new report, shape (n_papers, n_new)."""
        of_hidden, of_margins = self.hidden.directions(hidden), self.margins.directions(margins)
        similarity: Table = of_hidden @ self.of_hidden + of_margins @ self.of_margins
        return similarity

    def slopes(self, hidden: Table, margins: Table, column: int) -> tuple[Table, Table]:
        """Return the derivatives of a paper's similarity with respect to its hidden units and its margins.

        All are 0 if the column belongs to no new report.
        """
        if column not in self.columns:
            return np.zeros_like(hidden), np.zeros_like(margins)
        new = list(self.columns).index(column)
        of_hidden, of_margins = self.of_hidden[:, new], self.of_margins[:, new]
        return self.hidden.slopes(hidden, of_hidden), self.margins.slopes(margins, of_margins)
