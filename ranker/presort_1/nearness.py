"""How near papers are to what reports picked: ridge regressions on sentence vectors, and where vectors differ most."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from presort.ranker.presort_1.evidence import LENGTH
from presort.ranker.presort_1.topics import of_length_1
from presort.ranker.recipe import NO_WORD, Labels, Table

N_HALVES = 2
AT_ONCE = 5_000  # papers whose vectors are laid out in double precision together, to save memory


class Centered:
    """Vectors around their center, laid out a part at a time; a paper without one stands at the center.

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
    """What tells papers' nearness to each report.

    Attributes
    ----------
    weights : array of shape (2, n_numbers, n_reports)
        Learned from either half of the past papers.
    mean, spread : arrays of shape (n_reports,)
        Of what they make of past papers.
    """

    weights: NDArray[np.float32]
    mean: Table
    spread: Table


def regressions(
    centered: Centered, y: Labels, halves_of_past: NDArray[np.int8], ridge: float
) -> tuple[Regressions, Table]:
    """Learn a regression a report on either half of past papers; give also how near each paper is, by the other half.

    Parameters
    ----------
    centered : Centered
        Of the past papers.
    y : array of shape (n_past, n_reports)
        1 for relevant, 0 for not, -1 where the report says nothing: there a paper stands at the report's mean.
    halves_of_past : array of shape (n_past,)
    ridge : float
        How strongly the regressions are drawn to 0, as a share of what the papers say along a mean direction.

    Returns
    -------
    regressions : Regressions
    nearness : array of shape (n_past, n_reports)
        At mean 0 and spread 1.
    """
    n_numbers, n_reports = centered.numbers.shape[1], y.shape[1]
    said = y != NO_WORD
    shares = (y == 1).sum(axis=0) / np.maximum(said.sum(axis=0), 1)
    squares, products = np.zeros((N_HALVES, n_numbers, n_numbers)), np.zeros((N_HALVES, n_numbers, n_reports))
    for rows, part in centered.parts():
        wanted = np.where(said[rows], y[rows] - shares, 0.0)
        for half in range(N_HALVES):
            is_in = halves_of_past[rows] == half
            squares[half] += part[is_in].T @ part[is_in]
            products[half] += part[is_in].T @ wanted[is_in]
    weights = np.array([_solved(*sums, ridge) for sums in zip(squares, products, strict=True)], dtype=np.float32)
    raw = np.zeros(y.shape)
    for rows, part in centered.parts():
        for half in range(N_HALVES):
            others = np.flatnonzero(halves_of_past[rows] != half)
            raw[rows.start + others] = part[others] @ weights[half]
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
    """Return how far papers lie along directions, shape (n_papers, n_directions), each paper at one length."""
    lengths: Table = LENGTH * of_length_1(centered @ directions)
    return lengths


def _solved(squares: Table, products: Table, ridge: float) -> Table:
    """Return the weights of one half; none where no paper has a vector."""
    usual = np.trace(squares) / len(squares)
    if usual == 0:
        return np.zeros_like(products)
    weights: Table = np.linalg.solve(squares + ridge * usual * np.eye(len(squares)), products)
    return weights
