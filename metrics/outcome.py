"""Outcomes of rankings: the positions of the relevant papers in a ranked list."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from presort.metrics.arguments import array_of, short_repr
from presort.metrics.lazy import pd

Values = Sequence[Any] | NDArray[Any]
Matrix: TypeAlias = "Sequence[Any] | NDArray[Any] | pd.DataFrame"
DRAWN = 20  # longest ranking that `str` draws as squares; for longer rankings, it lists the positions
MOST_PAPERS = 10_000_000  # maximum n, chosen so that arrays fit into memory and sums of products into 64 bits

Outcomes: TypeAlias = "Iterable[Outcome] | Mapping[Any, Outcome]"


@dataclass(frozen=True, init=False, eq=False, slots=True)
class Outcome:
    """Positions of the relevant papers in a ranking of n papers.

    Parameters
    ----------
    positions : sequence of int, shape (r,)
        Positions of the relevant papers, from 1 (top) to n, strictly increasing. Empty if no paper is relevant.
    n : int
        Number of papers in the ranking, from 1 to 10,000,000.

    Attributes
    ----------
    positions : ndarray of int64, shape (r,)
        Read-only copy of the positions.
    n : int
        Number of papers in the ranking.

    Raises
    ------
    ValueError
        If n is not an integer from 1 to 10,000,000, or if positions are not strictly increasing integers from 1 to n.

    Examples
    --------
    >>> outcome = Outcome([1, 3], n=4)
    >>> outcome.r, outcome.last
    (2, 3)
    >>> print(outcome, "and", Outcome([1, 3], n=600))
    ■□■□ and 1, 3 of 600
    """

    positions: NDArray[np.int64]
    n: int

    def __init__(self, positions: Values, n: int) -> None:
        if not isinstance(n, int | np.integer) or isinstance(n, bool) or not 1 <= n <= MOST_PAPERS:
            raise ValueError(f"n must be an integer from 1 to {MOST_PAPERS:,}, got {n!r}")
        object.__setattr__(self, "positions", _validate_positions(positions, int(n)))
        object.__setattr__(self, "n", int(n))

    @classmethod
    def from_relevance(cls, flags: Values) -> Self:
        """Create an outcome from 0/1 relevance flags, best-ranked paper first.

        Parameters
        ----------
        flags : sequence of bool or 0/1, shape (n,)
            Relevance of each paper in rank order: 1 or True if the paper is relevant.

        Raises
        ------
        ValueError
            If flags is empty, is not one-dimensional, or contains values other than 0 and 1.

        Examples
        --------
        >>> Outcome.from_relevance([1, 0, 1, 0])
        Outcome(positions=array([1, 3]), n=4)
        """
        is_relevant = _validate_flags("flags", flags)
        return cls(np.flatnonzero(is_relevant) + 1, is_relevant.size)

    @classmethod
    def from_matrix(cls, flags: Matrix) -> list[Self]:
        """Create one outcome from each row of a 0/1 relevance matrix.

        More than ten times faster than calling `from_relevance` for each row.

        Parameters
        ----------
        flags : array-like of bool or 0/1, shape (n_outcomes, n)
            Relevance flags, one ranking per row, best-ranked paper first: 1 or True if the paper is relevant.

        Returns
        -------
        list of Outcome, length n_outcomes
            Outcomes in row order.

        Raises
        ------
        ValueError
            If flags is not two-dimensional, has no columns, or contains values other than 0 and 1.

        Examples
        --------
        >>> [str(outcome) for outcome in Outcome.from_matrix([[1, 0, 1, 0], [0, 0, 0, 0]])]
        ['■□■□', '□□□□']
        """
        is_relevant = _validate_matrix(flags)
        n_outcomes, n = is_relevant.shape
        places = np.flatnonzero(is_relevant)  # zero-based indices into the flattened matrix
        ends = np.searchsorted(places, np.arange(1, n_outcomes + 1) * n)
        return cls._cut(places % n + 1, ends, repeat(n, n_outcomes))

    @classmethod
    def from_scores(cls, scores: Values, relevant: Values) -> Self:
        """Rank papers by descending score and return the outcome. Ties keep list order.

        Parameters
        ----------
        scores : sequence of float, shape (n,)
            Ranker's score of each paper; a higher score predicts relevance.
        relevant : sequence of bool or 0/1, shape (n,)
            Relevance of each paper, in the order of `scores`: 1 or True if the paper is relevant.

        Raises
        ------
        ValueError
            If scores contains NaN or non-numeric values, relevant is not 0/1, or the lengths differ.

        Examples
        --------
        >>> Outcome.from_scores([0.2, 0.9, 0.2], relevant=[1, 0, 0])
        Outcome(positions=array([2]), n=3)
        """
        values, is_relevant = validate_scores(scores, relevant)
        worst_first = np.argsort(values[::-1], kind="stable")  # reversed here and below, so that ties keep list order
        best_first = values.size - 1 - worst_first[::-1]
        return cls(np.flatnonzero(is_relevant[best_first]) + 1, is_relevant.size)

    @classmethod
    def split(cls, positions: Values, r: Values, n: Values) -> list[Self]:
        """Split concatenated positions into outcomes.

        For many outcomes, about three times faster than calling the constructor for each.

        Parameters
        ----------
        positions : sequence of int, shape (sum of r,)
            Positions of the relevant papers, concatenated over the outcomes.
        r, n : sequence of int, shape (n_outcomes,)
            Each outcome's number of relevant papers, and its number of papers.

        Raises
        ------
        ValueError
            If the lengths of the arguments are inconsistent, or the positions of an outcome are invalid.

        Examples
        --------
        >>> [str(outcome) for outcome in Outcome.split([1, 4, 2], r=[2, 0, 1], n=[5, 3, 4])]
        ['■□□■□', '□□□', '□■□□']
        """
        laid, sizes, lengths = (_whole_numbers(*one) for one in (("positions", positions), ("r", r), ("n", n)))
        if sizes.shape != lengths.shape or (sizes < 0).any() or sizes.sum() != laid.size:
            raise ValueError(
                f"r must be as long as n, contain no negative number, and sum to {laid.size}, the number of positions; "
                f"got r = {short_repr(r)} with n = {short_repr(n)}"
            )
        ends = np.cumsum(sizes)
        bounds = zip((ends - sizes).tolist(), ends.tolist(), lengths.tolist(), strict=True)
        if not _all_increase(laid, sizes, ends, lengths):
            # The constructor raises an error that describes the first invalid outcome.
            return [cls(laid[start:end], size) for start, end, size in bounds]
        return cls._cut(laid, ends, lengths.tolist())

    @classmethod
    def _cut(cls, laid: NDArray[np.int64], ends: NDArray[np.int64], lengths: Iterable[int]) -> list[Self]:
        """Split validated positions into outcomes.

        `deque` and `map` loop in C. A Python loop over `object.__setattr__` takes twice as long.
        """
        laid.flags.writeable = False
        bounds = ends.tolist()
        made = [object.__new__(cls) for _ in bounds]
        set_positions, set_n = (vars(Outcome)[slot].__set__ for slot in ("positions", "n"))
        deque(map(set_positions, made, [laid[start:end] for start, end in pairwise([0, *bounds])]), maxlen=0)
        deque(map(set_n, made, lengths), maxlen=0)
        return made

    @property
    def r(self) -> int:
        """Number of relevant papers, from 0 to n."""
        return self.positions.size

    @property
    def last(self) -> float:
        """Position of the last relevant paper, an int from r to n. NaN if no paper is relevant."""
        return int(self.positions[-1]) if self.r else math.nan

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome):
            return NotImplemented
        return self.n == other.n and np.array_equal(self.positions, other.positions)

    def __hash__(self) -> int:
        return hash((self.n, self.positions.tobytes()))

    def __str__(self) -> str:
        if self.n > DRAWN:
            return f"{', '.join(map(str, self.positions.tolist())) or 'none'} of {self.n}"
        relevant = set(self.positions.tolist())
        return "".join("■" if position in relevant else "□" for position in range(1, self.n + 1))


def validate_scores(scores: Values, relevant: Values) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Validate scores and relevance flags and return them as arrays of shape (n,).

    Raises
    ------
    ValueError
        If scores contains NaN or non-numeric values, relevant is not 0/1, or the lengths differ.
    """
    is_relevant = _validate_flags("relevant", relevant)
    rule = f"{is_relevant.size} numbers without NaN, one per paper"
    values = array_of("scores", rule, scores)
    if values.shape != is_relevant.shape or values.dtype.kind not in "biuf" or np.isnan(values).any():
        raise ValueError(f"scores must be {rule}, got {short_repr(scores)}")
    return values, is_relevant


def check_outcome(name: str, outcome: object) -> None:
    """Raise ValueError if the argument is not an `Outcome`, for example if it is a list of zeros and ones."""
    if not isinstance(outcome, Outcome):
        raise ValueError(
            f"{name} must be an Outcome (create one with Outcome.from_relevance), got {short_repr(outcome)}"
        )


def outcome_list(outcomes: Outcomes) -> list[Outcome]:
    """Return outcomes, or the values of a dict of outcomes, as a list. Raises ValueError for a single outcome."""
    if not isinstance(outcomes, Iterable) or isinstance(outcomes, str):
        raise ValueError(f"outcomes must be a list of Outcome, got {short_repr(outcomes)}")
    return list(outcomes.values()) if isinstance(outcomes, Mapping) else list(outcomes)


def outcome_index(outcomes: Outcomes) -> pd.Index | None:
    """Return the keys of a dict of outcomes, or the index of a Series. Returns None for other collections."""
    keys: pd.Index | None = None
    if isinstance(outcomes, Mapping):
        keys = pd.Index(list(outcomes))
    elif isinstance(outcomes, pd.Series):
        keys = outcomes.index
    return keys


def _validate_positions(positions: Values, n: int) -> NDArray[np.int64]:
    rule = f"strictly increasing integers from 1 to n = {n}"
    given = array_of("positions", rule, positions)
    if given.shape == (0,):
        given = given.astype(np.int64)  # NumPy converts an empty list to a float array
    checked = given.astype(np.int64) if given.ndim == 1 and given.dtype.kind in "iu" else None
    if checked is None or (checked.size and not _increases_within(checked, n)):
        raise ValueError(f"positions must be {rule}, got {short_repr(positions)}")
    checked.flags.writeable = False
    return checked


def _whole_numbers(name: str, values: Values) -> NDArray[np.int64]:
    rule = "a list of integers"
    given = array_of(name, rule, values)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be {rule}, got {short_repr(values)}")
    return given.astype(np.int64)


def _all_increase(
    laid: NDArray[np.int64], sizes: NDArray[np.int64], ends: NDArray[np.int64], lengths: NDArray[np.int64]
) -> bool:
    """Return True if the positions of every outcome are strictly increasing and from 1 to the outcome's length."""
    if lengths.size and not 1 <= lengths.min() <= lengths.max() <= MOST_PAPERS:
        return False
    begun = sizes > 0
    first, last = (ends - sizes)[begun], ends[begun] - 1
    rises = np.diff(laid, prepend=0) > 0
    rises[first] = laid[first] >= 1
    return bool(rises.all() and (laid[last] <= lengths[begun]).all())


def _increases_within(positions: NDArray[np.int64], n: int) -> bool:
    return bool(positions[0] >= 1 and positions[-1] <= n and (positions[1:] > positions[:-1]).all())


def _validate_matrix(flags: Matrix) -> NDArray[np.bool_]:
    rule = f"a matrix of 0 and 1 with 1 to {MOST_PAPERS:,} columns"
    values = array_of("flags", rule, flags)
    if values.ndim != 2 or not 1 <= values.shape[1] <= MOST_PAPERS or values.dtype.kind not in "biuf":
        raise ValueError(f"flags must be {rule}, got {short_repr(values)} of shape {values.shape}")
    is_relevant: NDArray[np.bool_] = values == 1 if values.dtype != np.bool_ else values
    if is_relevant is values:
        return is_relevant
    wrong = np.argwhere(~is_relevant & (values != 0))
    if wrong.size:
        row, column = wrong[0]
        place = f"row {row}, column {column} (counted from 0)"
        raise ValueError(f"flags must be 0 or 1, got {values[row, column]} in {place}")
    return is_relevant


def _validate_flags(name: str, flags: Values) -> NDArray[np.bool_]:
    rule = "a non-empty list of 0 and 1"
    values = array_of(name, rule, flags)
    if values.ndim != 1 or values.size == 0 or values.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be {rule}, got {short_repr(flags)}")
    wrong = np.flatnonzero((values != 0) & (values != 1))  # NaN equals neither 0 nor 1
    if wrong.size:
        raise ValueError(f"{name} must be 0 or 1, got {values[wrong[0]]} at position {wrong[0] + 1}")
    return values.astype(bool)
