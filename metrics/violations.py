"""Find violations: pairs of outcomes for which a measure contradicts the natural order."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from presort.metrics.arguments import short_repr
from presort.metrics.batch import Batch, Ints
from presort.metrics.outcome import Outcomes

Value = int | float | Fraction
Values = Iterable[Value] | Mapping[Any, Value]


@dataclass(frozen=True)
class Violation:
    """Pair of outcomes for which a measure contradicts the natural order.

    Attributes
    ----------
    better, worse : int
        0-based indices of the better and the worse outcome by the natural order.
    better_value, worse_value : int, float or Fraction
        The measure's values for these outcomes. The measure prefers `worse_value`.
    difference : int, float or Fraction
        Absolute difference of the values. A Fraction if their types differ or if the difference overflows a float.
    """

    better: int
    worse: int
    better_value: Value
    worse_value: Value
    difference: Value


@dataclass(frozen=True)
class Violations:
    """Number of violations of the natural order, and the largest ones.

    Attributes
    ----------
    n_pairs : int
        Number of pairs of different outcomes.
    n_strict : int
        Number of pairs in which the worse outcome has the better value.
    n_ties : int
        Number of pairs with equal values.
    n_left_out : int
        Number of outcomes (not pairs) ignored because their value is NaN.
    largest : tuple of Violation
        Strict violations with the largest differences, in descending order.
    """

    n_pairs: int
    n_strict: int
    n_ties: int
    n_left_out: int
    largest: tuple[Violation, ...]


def violations(
    outcomes: Outcomes,
    values: Values,
    limit: int = 100,
    *,
    higher_is_better: bool = True,
) -> Violations:
    """Count a measure's violations of the natural order and return the largest ones.

    Parameters
    ----------
    outcomes : sequence, dict or Series of Outcome, length n_outcomes
        Outcomes with the same r and n. Pairs of equal outcomes are ignored, whatever their values.
    values : iterable or dict of int, float or Fraction, length n_outcomes
        Value of each outcome, in the same order. If outcomes is a dict, values may be a dict with the same keys.
        Values are compared exactly, so pass exact values such as `copnori_loss` if floats would round to the same
        number. Outcomes with the value NaN are ignored.
    limit : int, optional
        Maximum number of violations to return, at least 0. Defaults to 100.
    higher_is_better : bool, optional
        True if higher values are better. Defaults to True.

    Returns
    -------
    Violations
        Counts, and the strict violations with the largest differences. Of violations with equal differences, those
        whose worse outcome has a better value come first. Remaining ties are broken by the natural order of the worse
        outcome, then by that of the better outcome, then by index.

    Raises
    ------
    ValueError
        If outcomes differ in r or n, if outcomes and values differ in length or keys, if a value is neither a finite
        number nor NaN, or if limit is not an integer of at least 0.

    Notes
    -----
    Counting takes O(N log N) time for N outcomes. Finding the largest violations takes at most O(N limit).

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> from presort.metrics import Outcome
    >>> found = violations([Outcome([2, 3], n=5), Outcome([3, 4], n=5), Outcome([1, 5], n=5)], [1 / 3, -1 / 3, 0.0])
    >>> found.n_pairs, found.n_strict, found.n_ties
    (3, 1, 0)
    >>> found.largest[0].better, found.largest[0].worse
    (1, 2)
    """
    batch = _equal_size_batch(outcomes)
    if isinstance(values, Mapping):
        values = _values_of(outcomes, values)
    given = _validate_values(values, batch.r.size)
    if not isinstance(limit, int | np.integer) or isinstance(limit, bool) or limit < 0:
        raise ValueError(f"limit must be an integer of at least 0, got {short_repr(limit)}")
    kept = np.flatnonzero([not (isinstance(value, float) and math.isnan(value)) for value in given])
    places, ranks = _places(batch)[kept], _ranks([given[index] for index in kept.tolist()])
    if not higher_is_better:
        ranks = -ranks
    # Best outcome first. Equal outcomes are sorted by value, best first, so that they never count as a violation.
    sequence = np.lexsort((-ranks, places))
    kept, places, ranks = kept[sequence], places[sequence], ranks[sequence]
    indices = kept.tolist()
    pairs = [(indices[earlier], indices[later]) for earlier, later in _largest(given, indices, ranks, limit)]
    return Violations(
        n_pairs=kept.size * (kept.size - 1) // 2 - _n_equal(places),
        n_strict=_n_inversions(np.argsort(-ranks, kind="stable")),
        n_ties=_n_equal(ranks) - _n_equal(places * kept.size + ranks),
        n_left_out=len(given) - kept.size,
        largest=tuple(_violation(better, worse, given) for better, worse in pairs),
    )


def _values_of(outcomes: Outcomes, values: Mapping[Any, Value]) -> list[Value]:
    if not isinstance(outcomes, Mapping) or outcomes.keys() != values.keys():
        raise ValueError("values given as a dict must have the same keys as outcomes")
    return [values[key] for key in outcomes]


def _equal_size_batch(outcomes: Outcomes) -> Batch:
    batch = Batch.of(outcomes)
    r, n = batch.r, batch.n
    other = np.flatnonzero((r != r[:1]) | (n != n[:1]))
    if other.size:
        odd = other[0]
        raise ValueError(
            f"outcomes must have the same r and n, got r={r[0]}, n={n[0]} at index 0 "
            f"and r={r[odd]}, n={n[odd]} at index {odd}"
        )
    return batch


def _validate_values(values: Iterable[Value], n_outcomes: int) -> list[Value]:
    if not isinstance(values, Iterable):
        raise ValueError(f"values must be {n_outcomes} numbers, one per outcome, got {short_repr(values)}")
    given = [value.item() if isinstance(value, np.generic) else value for value in values]
    if len(given) != n_outcomes:
        raise ValueError(f"values must be {n_outcomes} numbers, one per outcome, got {len(given)}")
    for index, value in enumerate(given):
        if not isinstance(value, int | float | Fraction) or (isinstance(value, float) and math.isinf(value)):
            raise ValueError(f"values must be finite numbers or NaN, got {short_repr(value)} at index {index}")
    return given


def _places(batch: Batch) -> Ints:
    """Return each outcome's dense rank in the natural order, 0 for the best."""
    if not batch.positions.size:
        return np.zeros(batch.r.size, dtype=np.int64)
    last_first = batch.positions.reshape(batch.r.size, -1)[:, ::-1]
    big_endian = np.min_scalar_type(batch.n[0]).newbyteorder(">")  # as byte strings, these sort fast and numerically
    texts = last_first.astype(big_endian, order="C").view(f"S{last_first.shape[1] * big_endian.itemsize}")
    return np.unique(texts.ravel(), return_inverse=True)[1]


def _ranks(values: list[Value]) -> Ints:
    """Return each value's exact dense rank, 0 for the lowest."""
    if all(type(value) is float for value in values):
        return np.unique(np.array(values, dtype=np.float64), return_inverse=True)[1]
    # Different fractions differ by at least 1 / (product of denominators), so this number of bits distinguishes them.
    digits = 2 * max(value.as_integer_ratio()[1].bit_length() for value in values)
    keys = [_floor(value, digits) for value in values]
    lowest, highest = min(keys), max(keys)
    length = (highest - lowest).bit_length() // 8 + 1
    texts = b"".join((key - lowest).to_bytes(length, "big") for key in keys)  # byte strings sort faster than big ints
    return np.unique(np.frombuffer(texts, dtype=f"S{length}"), return_inverse=True)[1]


def _floor(value: Value, digits: int) -> int:
    numerator, denominator = value.as_integer_ratio()
    return (numerator << digits) // denominator


def _n_equal(labels: Ints) -> int:
    """Count the pairs of elements with equal labels."""
    counts = np.unique(labels, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def _n_inversions(order: Ints) -> int:
    """Count inversions in a permutation of 0, 1, …, which are pairs in which the larger number comes first."""
    n_bits = max(order.size - 1, 0).bit_length()
    order = np.concatenate([order, np.arange(order.size, 1 << n_bits)])  # padding in ascending order adds no inversion
    inversions = 0
    for bit in reversed(range(n_bits)):
        # Each row contains numbers that agree in all bits above the current bit, in their original order. It is split
        # into the numbers without and with the current bit.
        half = 1 << bit
        rows = order.reshape(-1, 2 * half)
        is_upper = (rows & half) > 0
        n_before = np.nonzero(~is_upper)[1]  # for each number without the bit, its index in its row
        inversions += int(n_before.sum()) - len(rows) * (half * (half - 1) // 2)
        order = np.concatenate([rows[~is_upper].reshape(-1, half), rows[is_upper].reshape(-1, half)], axis=1)
    return inversions


def _largest(values: list[Value], indices: list[int], ranks: Ints, limit: int) -> Iterator[tuple[int, int]]:
    """Yield the strict violations as pairs of places (better, worse), in descending order of the difference."""

    def entry(earlier: int, later: int, first: int, stop: int) -> tuple[Fraction, int, int, int, int, int]:
        difference = abs(Fraction(values[indices[later]]) - Fraction(values[indices[earlier]]))
        return -difference, -int(ranks[later]), later, earlier, first, stop  # the heap pops the smallest entry first

    # An entry pairs a worse outcome with the better outcome that has the lowest rank in a range of places. Once the
    # pair has been yielded, the range is split at the better outcome's place, and an entry for each part is pushed.
    heap = heapq.nsmallest(limit, (entry(earlier, later, 0, later) for earlier, later in _first_pairs(ranks, limit)))
    for _ in range(limit):
        if not heap:
            return
        *_, later, earlier, first, stop = heapq.heappop(heap)
        yield earlier, later
        for start, end in ((first, earlier), (earlier + 1, stop)):
            lowest = start + int(np.argmin(ranks[start:end])) if start < end else later
            if ranks[lowest] < ranks[later]:
                heapq.heappush(heap, entry(lowest, later, start, end))


def _first_pairs(ranks: Ints, limit: int) -> Iterator[tuple[int, int]]:
    """Pair each place with the earlier place that has the lowest rank.

    For each partner, keeps only the `limit` places with the highest ranks, because no other pair can be among the
    largest violations.
    """
    lowest = np.minimum.accumulate(ranks)
    is_new = np.diff(lowest, prepend=lowest[:1] + 1) < 0
    partners = np.maximum.accumulate(np.where(is_new, np.arange(ranks.size), 0))
    later = np.flatnonzero(ranks > lowest)
    later = later[np.lexsort((-ranks[later], partners[later]))]
    earlier = partners[later]
    is_high = np.arange(later.size) - np.searchsorted(earlier, earlier) < limit
    return zip(earlier[is_high].tolist(), later[is_high].tolist(), strict=True)


def _violation(better: int, worse: int, values: list[Value]) -> Violation:
    low, high = sorted([values[better], values[worse]])
    difference = high - low if type(high) is type(low) else math.inf
    if difference == math.inf:  # the types differ, or the difference overflows a float
        difference = Fraction(high) - Fraction(low)
    return Violation(better, worse, values[better], values[worse], difference)
