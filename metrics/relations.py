"""Compare two organisations of papers: the weighted share of the relations in one that the other confirms.

A relation holds between two *occurrences* if one is on a level above the other (priority), or if both are in the same
cluster (clustering; each occurrence is also related to itself). If two papers occur several times, a relation between
them may hold for several pairs of their occurrences. If it holds for n_X pairs in the first organisation and for n_G
pairs in the second, the second confirms min(n_X, n_G) of them.

Papers that occur exactly once in both organisations are compared by sorting. For each other paper that is in both, all
occurrences are scanned.
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
    """Occurrences of papers in an organisation, from the first level to the last.

    Attributes
    ----------
    paper : ndarray of int64, shape (n_occurrences,)
        Number of the paper. A paper has the same number in both organisations.
    level : ndarray of int64, shape (n_occurrences,)
        0-based level, in ascending order.
    cluster : ndarray of int64, shape (n_occurrences,)
        0-based cluster number, counted across all levels.
    """

    paper: Ints
    level: Ints
    cluster: Ints


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of one organisation's occurrences, defined in `presort.metrics.organisations.reliability_sensitivity`.

    Attributes
    ----------
    alone : ndarray of float64, shape (n_occurrences,)
        Weight of the occurrence, w(d).
    ordered : ndarray of float64, shape (n_occurrences,)
        w(d) / W_d. NaN if there is neither another level nor a tail.
    together : ndarray of float64, shape (n_occurrences,)
        w(d) w(d') / W(cluster of d), which is the same for every d' in the cluster.
    tail : float
        Weight of the tail.
    """

    alone: Floats
    ordered: Floats
    together: Floats
    tail: float


def reliabilities(
    ours: Occurrences, theirs: Occurrences, weigh: Callable[[Occurrences], Weights]
) -> tuple[float, float]:
    """Return the priority and clustering reliability of `ours`: the shares of its relations that `theirs` confirms.

    Both values are NaN if `ours` has no papers.
    """
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
    before, together = np.minimum(np.sum(sums, axis=0), 1.0)  # rounding may yield values above 1
    return float(before), float(together)


def _sums_of_papers_listed_once(
    ours: Occurrences, theirs: Occurrences, w: Weights, is_once: NDArray[np.bool_]
) -> tuple[float, float]:
    """Sum the priority and clustering relations between papers that occur exactly once in both organisations."""
    i = np.flatnonzero(is_once[ours.paper])
    place = np.zeros(is_once.size, dtype=np.int64)
    place[theirs.paper] = np.arange(theirs.paper.size)
    j = place[ours.paper[i]]
    before = _sum_in_order(ours.level[i], theirs.level[j], w.alone[i], w.ordered[i])
    pairs_of_clusters = ours.cluster[i] * theirs.paper.size + theirs.cluster[j]
    _, pair, sizes = np.unique(pairs_of_clusters, return_inverse=True, return_counts=True)
    return before, float(np.sum(w.together[i] * sizes[pair]))


def _sum_in_order(level: Ints, their_level: Ints, alone: Floats, ordered: Floats) -> float:
    """Sum w(d) w(d') (1/W_d + 1/W_d') over the pairs of papers for which d is above d' in both organisations.

    Papers are numbered in the order of `theirs` and arranged in the order of `ours`. Blocks of papers are then split
    recursively by the bits of these numbers, highest bit first. Each pair is separated by exactly one split, and it
    contributes to the sum at that split if its numbers are in ascending order.
    """
    order = np.lexsort((-their_level, level))  # descending within our levels, so that pairs on one level don't count
    n, size = order.size, 1 << max(order.size - 1, 0).bit_length()
    number = np.arange(size)
    number[np.lexsort((-np.arange(n), their_level[order]))] = np.arange(n)  # descending within their levels, too
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
    """For a paper that is listed more than once, sum its priority and clustering relations to all papers.

    If the other paper is also listed more than once, only the priority relations in which this paper comes first are
    counted. The call for the other paper counts the reverse relations.
    """
    numbers = _count_related(paper, ours)
    shares = []  # P of the paper's relation to each occurrence
    for our_number, their_number in zip(numbers, _count_related(paper, theirs), strict=True):
        n_x = np.bincount(ours.paper, our_number, is_once.size)
        n_g = np.bincount(theirs.paper, their_number, is_once.size)
        shares.append((np.minimum(n_x, n_g) / np.maximum(n_x, 1))[ours.paper])
    above, below, together = numbers
    places, from_other = np.flatnonzero(ours.paper == paper), is_once[ours.paper]
    before = np.sum(shares[0] * _sum_over_first(above, places, w))
    before += np.sum(shares[1] * _sum_over_first(below, places[::-1], w) * from_other)
    return float(before), float(np.sum(shares[2] * together * w.together * (1 + from_other)))


def _count_related(paper: int, side: Occurrences) -> tuple[Ints, Ints, Ints]:
    """For each occurrence, count the given paper's occurrences above it, below it and in the same cluster."""
    places = np.flatnonzero(side.paper == paper)
    levels = side.level[places]
    above = np.searchsorted(levels, side.level, side="left")
    below = places.size - np.searchsorted(levels, side.level, side="right")
    together = np.bincount(side.cluster[places], minlength=side.cluster[-1] + 1)[side.cluster]
    return above, below, together


def _sum_over_first(number: Ints, places: Ints, w: Weights) -> Floats:
    """For each occurrence d', sum w(d) w(d') (1/W_d + 1/W_d') over the first `number` occurrences d in `places`."""
    alone, ordered = (np.cumsum(np.concatenate([[0.0], values[places]]))[number] for values in (w.alone, w.ordered))
    return alone * w.ordered + ordered * w.alone
