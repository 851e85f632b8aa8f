"""Batches of outcomes, stored in flat arrays so that measures are vectorised over all outcomes.

Every measure is implemented only once, for batches. For example, ``aselt_each`` returns one value per outcome, and the
scalar version ``aselt`` evaluates a batch with a single outcome. The public members of `Batch` may also be used by
measures in other packages.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from presort.metrics.outcome import Outcome, Outcomes, check_outcome, outcome_list

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Number = TypeVar("Number", np.int64, np.float64)
Result = TypeVar("Result")
LARGEST_TABLE = 1 << 20  # maximum number of values in a lookup table (8 MB); few lists have that many papers


@dataclass(frozen=True, eq=False)
class Batch:
    """Concatenated outcomes.

    Attributes
    ----------
    positions : ndarray of int64, shape (sum of r,)
        Positions of the relevant papers, concatenated over the outcomes.
    r, n : ndarray of int64, shape (n_outcomes,)
        Each outcome's number of relevant papers, and its number of papers.

    Notes
    -----
    Create a batch with `Batch.of`. Arrays have either one value per outcome or one value per relevant paper. `totals`
    sums the values of the relevant papers, for example ``positions <= 10``, within each outcome. `per_paper` repeats
    the value of each outcome for its relevant papers.

    Examples
    --------
    >>> batch = Batch.of([Outcome([1, 4], n=5), Outcome([], n=3), Outcome([2], n=9)])
    >>> batch.positions.tolist(), batch.r.tolist(), batch.n.tolist()
    ([1, 4, 2], [2, 0, 1], [5, 3, 9])
    >>> batch.totals(batch.positions <= batch.per_paper(batch.n) / 2).tolist()  # relevant in the upper half
    [1, 0, 1]
    >>> batch.last.tolist(), batch.numbers.tolist()
    ([4.0, nan, 2.0], [1, 2, 1])
    """

    positions: Ints
    r: Ints
    n: Ints

    @classmethod
    def of(cls, outcomes: Outcomes) -> Self:
        """Create a batch of the given outcomes, in the same order.

        If `outcomes` is a dict, its values are used. Raises ValueError if an element is not an `Outcome`.
        """
        outcomes = outcome_list(outcomes)
        if set(map(type, outcomes)) - {Outcome}:  # checking every element is slow, so do it only for other types
            for outcome in outcomes:
                check_outcome("outcome", outcome)
        # Joining bytes is twice as fast as np.concatenate. mypy accepts arrays here only for Python 3.12 and later.
        positions = b"".join([outcome.positions for outcome in outcomes])  # type: ignore[misc]
        return cls(
            np.frombuffer(positions, dtype=np.int64),
            np.array([outcome.positions.size for outcome in outcomes], dtype=np.int64),
            np.array([outcome.n for outcome in outcomes], dtype=np.int64),
        )

    @cached_property
    def starts(self) -> Ints:
        """Index of each outcome's first relevant paper in `positions`, shape (n_outcomes,)."""
        return np.cumsum(self.r) - self.r

    @cached_property
    def numbers(self) -> Ints:
        """Each relevant paper's 1-based number within its outcome, counted from the top, shape (sum of r,)."""
        return np.arange(1, self.positions.size + 1) - self.per_paper(self.starts)

    @cached_property
    def from_the_end(self) -> Ints:
        """Positions of the relevant papers, counted from the end of the list (n + 1 - p), shape (sum of r,)."""
        return self.per_paper(self.n + 1) - self.positions

    @cached_property
    def last(self) -> Floats:
        """Position of the last relevant paper, shape (n_outcomes,). NaN if no paper is relevant."""
        last = np.full(self.r.shape, np.nan)
        found = self.r > 0
        last[found] = self.positions[(self.starts + self.r - 1)[found]]
        return last

    @property
    def table_size(self) -> int:
        """Length of a lookup table for the integers from 0 to the largest n in the batch.

        The length is rounded up to a power of two, so that the caches hold few different tables.
        """
        return 1 << int(self.n.max(initial=1)).bit_length()

    def once(self, compute: Callable[[Self], Result]) -> Result:
        """Return ``compute(self)``, cached so that measures can share intermediate results."""
        if compute not in self._cache:
            self._cache[compute] = compute(self)
        result: Result = self._cache[compute]
        return result

    @cached_property
    def _cache(self) -> dict[Callable[[Self], Any], Any]:
        return {}

    def per_paper(self, values: NDArray[Number]) -> NDArray[Number]:
        """Repeat each outcome's value once for each of its relevant papers."""
        return np.repeat(values, self.r)

    @overload
    def totals(self, values: NDArray[Number]) -> NDArray[Number]: ...
    @overload
    def totals(self, values: NDArray[np.bool_]) -> Ints: ...
    def totals(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sum the relevant papers' values within each outcome, with True as 1. The sum is 0 if no paper is relevant."""
        sums = np.zeros(self.r.shape, dtype=np.result_type(values, np.int64))
        found = self.r > 0  # reduceat returns a wrong value, not 0, for an empty slice
        if found.any():  # reduceat sums pairwise, so the rounding error grows only with log r
            sums[found] = np.add.reduceat(values, self.starts[found], dtype=sums.dtype)
        return sums


class TabulatedFunction:
    """Function of integers whose values are computed once for 0 … n and then read from a lookup table.

    If the table would exceed `LARGEST_TABLE`, values are computed for the requested integers instead.

    Parameters
    ----------
    compute : callable
        Function of an integer array, shape (n,), and other hashable arguments. Returns values of shape (n,) or
        (n_rows, n).
    """

    def __init__(self, compute: Callable[..., Floats]) -> None:
        self.compute = compute
        self._table = lru_cache(maxsize=32)(lambda size, *arguments: compute(np.arange(size), *arguments))

    def __call__(self, batch: Batch, numbers: Ints, *arguments: object) -> Floats:
        """Return the function's values for `numbers`, integers from 0 to the largest n in the batch."""
        if batch.table_size > LARGEST_TABLE:
            return self.compute(numbers, *arguments)
        return self._table(batch.table_size, *arguments).take(numbers, axis=-1)


def ratio(numerator: NDArray[Any], denominator: NDArray[Any]) -> Floats:
    """Divide elementwise. Returns NaN if the denominator is 0, because the measure is then undefined."""
    quotients = np.full(denominator.shape, np.nan)
    np.divide(numerator, denominator, out=quotients, where=denominator != 0)
    return quotients


def log_ratio(batch: Batch, mantissas: Floats, exponents: NDArray[Any], denominator: Floats) -> Floats:
    """Return log10(sum / denominator) for each outcome. The sum has the term mantissa * 2**exponent per relevant paper.

    The result is correct even if the sum itself would underflow. It is -inf if the sum is 0, and NaN if the denominator
    is 0 or no paper is relevant.
    """
    found = batch.r > 0
    logs = np.full(batch.r.shape, np.nan)
    if not found.any():
        return logs
    is_some = mantissas > 0
    highest = np.zeros(batch.r.shape, dtype=np.int64)
    lowest = np.iinfo(np.int32).min
    highest[found] = np.maximum.reduceat(np.where(is_some, exponents, lowest), batch.starts[found])
    shifted = np.where(is_some, exponents - batch.per_paper(highest), 0)
    sums = batch.totals(np.ldexp(mantissas, shifted))
    with np.errstate(divide="ignore"):  # the sum is 0 for the best outcome, so its logarithm is -inf
        defined = found & (denominator > 0)
        logs[defined] = np.log10(sums[defined]) + highest[defined] * math.log10(2) - np.log10(denominator[defined])
    return logs


def evaluate_outcome(measure_each: Callable[[Batch], Floats], outcome: Outcome) -> float:
    """Evaluate a vectorised measure on a single outcome."""
    return float(measure_each(Batch.of([outcome]))[0])
