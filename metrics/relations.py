"""Relations between papers in two organisations, and the share of them that both sides have.

A relation holds between *occurrences*: one is on a level above another, or in the same cluster (as each is with
itself). So two papers may be related several times, and the other side confirms as many as it has itself.

Papers that both sides list once are compared by sorting. Each other paper takes a pass over all occurrences.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from presort.metrics.batch import Floats, Ints


@dataclass(frozen=True, eq=False)
class Occurrences:
    """An organisation laid end to end, from the first level down; each array has shape (n_occurrences,)."""

    paper: Ints  # a number for each paper, the same in both organisations
    level: Ints  # from 0, ascending
    cluster: Ints  # from 0, counted through all levels


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of the occurrences of one organisation. Each array has shape (n_occurrences,)."""

    alone: Floats  # w(d)
    ordered: Floats  # w(d) / W_d, NaN if no paper is on another level and there is no tail
    together: Floats  # w(d) w(d') / W(cluster of d), the same for every d' in it
    tail: float


def reliabilities(
    ours: Occurrences, theirs: Occurrences, weigh: Callable[[Occurrences], Weights]
) -> tuple[float, float]:
    """Return the share of our relations that they have too, of priority and of clustering; NaN if we list nothing."""
    if not ours.paper.size:
        return math.nan, math.nan
    w = weigh(ours)
    n_papers = 1 + max(ours.paper.max(), theirs.paper.max(initial=0))
    times, in_theirs = (np.bincount(side.paper, minlength=n_papers) for side in (ours, theirs))
    above_tail = (np.minimum(times, in_theirs) / np.maximum(times, 1))[ours.paper]  # P(d > tail)
    before = w.tail * np.sum(above_tail * (w.ordered + w.alone / w.alone.sum()))
    is_once = (times == 1) & (in_theirs == 1)
    sums = [(before, w.tail), _sums_of_papers_listed_once(ours, theirs, w, is_once)]
    for paper in np.flatnonzero((times > 0) & (in_theirs > 0) & ~is_once):
        sums.append(_sums_with(int(paper), ours, theirs, w, is_once))
    before, together = np.minimum(np.sum(sums, axis=0), 1.0)  # rounding must not pass 1
    return float(before), float(together)


def _sums_of_papers_listed_once(
    ours: Occurrences, theirs: Occurrences, w: Weights, is_once: NDArray[np.bool_]
) -> tuple[float, float]:
    """Sum the relations, of priority and of clustering, among papers that both sides list once."""
    i = np.flatnonzero(is_once[ours.paper])
    place = np.zeros(is_once.size, dtype=np.int64)
    place[theirs.paper] = np.arange(theirs.paper.size)
    j = place[ours.paper[i]]
    before = _sum_in_order(ours.level[i], theirs.level[j], w.alone[i], w.ordered[i])
    pairs_of_clusters = ours.cluster[i] * theirs.paper.size + theirs.cluster[j]
    _, pair, sizes = np.unique(pairs_of_clusters, return_inverse=True, return_counts=True)
    return before, float(np.sum(w.together[i] * sizes[pair]))


def _sum_in_order(level: Ints, their_level: Ints, alone: Floats, ordered: Floats) -> float:
    """Sum w(d) w(d') (1/W_d + 1/W_d') over the pairs in which d is above d' on both sides.

    Numbered by the place on their side, the papers are taken in our order and split, bit by bit, into blocks of those
    before and those behind. Two papers part at one split: there each that goes behind meets all before it.
    """
    order = np.lexsort((-their_level, level))  # within a level of ours against their order, so that no pair counts
    n, size = order.size, 1 << max(order.size - 1, 0).bit_length()
    number = np.arange(size)
    number[np.lexsort((-np.arange(n), their_level[order]))] = np.arange(n)  # a level of theirs against our order, too
    columns: list[NDArray[Any]] = [number, *(np.pad(values[order], (0, size - n)) for values in (alone, ordered))]
    total, half = 0.0, size // 2
    while half:
        numbers, w, o = (column.reshape(-1, 2 * half) for column in columns)
        is_behind = numbers & half > 0
        w_before, o_before = (np.cumsum(np.where(is_behind, 0.0, values), axis=1) for values in (w, o))
        total += float(np.sum((w_before * o + o_before * w)[is_behind]))
        columns = [
            np.hstack([v[is_in].reshape(-1, half) for is_in in (~is_behind, is_behind)]) for v in (numbers, w, o)
        ]
        half //= 2
    return total


def _sums_with(
    paper: int, ours: Occurrences, theirs: Occurrences, w: Weights, is_once: NDArray[np.bool_]
) -> tuple[float, float]:
    """Sum the relations of a paper listed several times; with another such, only those in which this one is first."""
    numbers = _related(paper, ours)
    shares = []  # P, at each occurrence
    for our_number, their_number in zip(numbers, _related(paper, theirs), strict=True):
        n_x = np.bincount(ours.paper, our_number, is_once.size)
        n_g = np.bincount(theirs.paper, their_number, is_once.size)
        shares.append((np.minimum(n_x, n_g) / np.maximum(n_x, 1))[ours.paper])
    above, below, together = numbers
    places, from_other = np.flatnonzero(ours.paper == paper), is_once[ours.paper]
    before = np.sum(shares[0] * _with_first(above, places, w))
    before += np.sum(shares[1] * _with_first(below, places[::-1], w) * from_other)
    return float(before), float(np.sum(shares[2] * together * w.together * (1 + from_other)))


def _related(paper: int, side: Occurrences) -> tuple[Ints, Ints, Ints]:
    """Count the occurrences of a paper above, below, and together with each occurrence."""
    places = np.flatnonzero(side.paper == paper)
    levels = side.level[places]
    above = np.searchsorted(levels, side.level, side="left")
    below = places.size - np.searchsorted(levels, side.level, side="right")
    together = np.bincount(side.cluster[places], minlength=side.cluster[-1] + 1)[side.cluster]
    return above, below, together


def _with_first(number: Ints, places: Ints, w: Weights) -> Floats:
    """Sum w(d) w(d') (1/W_d + 1/W_d') of each occurrence d' with the first `number` of those at the places."""
    alone, ordered = (np.cumsum(np.concatenate([[0.0], values[places]]))[number] for values in (w.alone, w.ordered))
    return alone * w.ordered + ordered * w.alone
