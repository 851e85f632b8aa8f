"""Many outcomes laid end to end, so that one NumPy call serves them all.

Every measure is written once, for a batch: ``aselt_each`` gives one value per outcome. The measure of a single
outcome, ``aselt``, is that of a batch of one. Measures from elsewhere may do the same: all of `Batch` without an
underscore is for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from presort.metrics.outcome import Outcome, Outcomes, check_outcome, outcome_list

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Number = TypeVar("Number", np.int64, np.float64)
Kept = TypeVar("Kept")


@dataclass(frozen=True, eq=False)
class Batch:
    """Outcomes laid end to end; the arrays are either one value per outcome or one per relevant paper.

    Attributes
    ----------
    positions : ndarray of int64, shape (sum of r,)
        Positions of the relevant papers, outcome after outcome.
    r, n : ndarray of int64, shape (n_outcomes,)
        Relevant papers, and papers, of each outcome.

    Notes
    -----
    `Batch.of` makes one. What is laid out per relevant paper, such as ``positions <= 10``, `totals` sums within each
    outcome; what there is one of per outcome, `per_paper` repeats for each relevant paper.

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
        """Lay outcomes end to end, in their order, of a dict its values; anything else is refused."""
        outcomes = outcome_list(outcomes)
        if set(map(type, outcomes)) - {Outcome}:  # a look at each takes longer, and is needed for subclasses only
            for outcome in outcomes:
                check_outcome("outcome", outcome)
        # Half the time of np.concatenate; arrays are buffers, but say so to mypy from Python 3.12 on only.
        positions = b"".join([outcome.positions for outcome in outcomes])  # type: ignore[misc]
        return cls(
            np.frombuffer(positions, dtype=np.int64),
            np.array([outcome.positions.size for outcome in outcomes], dtype=np.int64),
            np.array([outcome.n for outcome in outcomes], dtype=np.int64),
        )

    @cached_property
    def starts(self) -> Ints:
        """Index in `positions` at which each outcome starts, shape (n_outcomes,)."""
        return np.cumsum(self.r) - self.r

    @cached_property
    def numbers(self) -> Ints:
        """1 … r within each outcome, shape (sum of r,): which relevant paper it is, counted from the top."""
        return np.arange(1, self.positions.size + 1) - self.per_paper(self.starts)

    @cached_property
    def from_the_end(self) -> Ints:
        """Positions counted from the end of the list, n + 1 - p, shape (sum of r,)."""
        return self.per_paper(self.n + 1) - self.positions

    @cached_property
    def last(self) -> Floats:
        """Position of the last relevant paper, shape (n_outcomes,); NaN if no paper is relevant."""
        last = np.full(self.r.shape, np.nan)
        found = self.r > 0
        last[found] = self.positions[(self.starts + self.r - 1)[found]]
        return last

    @property
    def table_size(self) -> int:
        """Length of a table with places 0 … n for every n here: a power of two, so that few tables serve all."""
        return 1 << int(self.n.max(initial=1)).bit_length()

    def once(self, compute: Callable[[Self], Kept]) -> Kept:
        """Compute something the first time it is asked for, so that measures which build on it share the work."""
        if compute not in self._kept:
            self._kept[compute] = compute(self)
        kept: Kept = self._kept[compute]
        return kept

    @cached_property
    def _kept(self) -> dict[Callable[[Self], Any], Any]:
        return {}

    def per_paper(self, values: NDArray[Number]) -> NDArray[Number]:
        """Repeat one value per outcome for each of its relevant papers."""
        return np.repeat(values, self.r)

    @overload
    def totals(self, values: NDArray[Number]) -> NDArray[Number]: ...
    @overload
    def totals(self, values: NDArray[np.bool_]) -> Ints: ...
    def totals(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sum one value per relevant paper within each outcome; True counts as 1. 0 if no paper is relevant."""
        sums = np.zeros(self.r.shape, dtype=np.result_type(values, np.int64))
        found = self.r > 0  # reduceat cannot sum nothing
        if found.any():  # pairwise sums: rounding grows with log r only
            sums[found] = np.add.reduceat(values, self.starts[found], dtype=sums.dtype)
        return sums


def ratio(numerator: NDArray[Any], denominator: NDArray[Any]) -> Floats:
    """Divide outcome by outcome; NaN where the denominator is 0: there the measure is undefined."""
    quotients = np.full(denominator.shape, np.nan)
    np.divide(numerator, denominator, out=quotients, where=denominator != 0)
    return quotients


def log_ratio(batch: Batch, mantissas: Floats, exponents: NDArray[Any], denominator: Floats) -> Floats:
    """Return log10 of each outcome's sum of mantissa * 2**exponent, over papers, divided by its denominator.

    The sum may be too small for a float. -inf if it is 0; NaN if the denominator is 0, or no paper is relevant.
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
    with np.errstate(divide="ignore"):  # of the best outcome, whose sum is 0
        defined = found & (denominator > 0)
        logs[defined] = np.log10(sums[defined]) + highest[defined] * math.log10(2) - np.log10(denominator[defined])
    return logs


def alone(measure_each: Callable[[Batch], Floats], outcome: Outcome) -> float:
    """Measure one outcome as a batch of one."""
    return float(measure_each(Batch.of([outcome]))[0])
