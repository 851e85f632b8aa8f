"""Finished lists: ranked issues whose papers an editor read, from which stop advice is learned."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import NamedTuple

import numpy as np

from presort.data.records import SortedList
from presort.ranker.stopping.curves import Flags, Floats, Groups, group_papers


@dataclass(frozen=True, eq=False)
class FinishedList:
    """Ranked issue, with flags for the papers that the editor read and for those found relevant.

    Attributes
    ----------
    scores : array of shape (n_papers,)
        Scores of the papers, finite and in non-increasing order. Only lists ranked by the same ranker are comparable.
    is_read, is_relevant : array of bool, shape (n_papers,)
        Flags for read papers and for relevant papers. Relevant papers are treated as read. An issue in which no paper
        was read has no effect on the model, unlike an issue that was read but has no relevant papers.
    day : date
        Date of the issue.
    is_spot_check : array of bool, shape (n_papers,), optional
        Flags for papers that were read only because a spot check drew them. They represent all papers that would
        otherwise be unread. None if there was no spot check.

    Raises
    ------
    ValueError
        If the arrays are empty or have the wrong shape or type.
    """

    scores: Floats
    is_read: Flags
    is_relevant: Flags
    day: date
    is_spot_check: Flags | None = None

    def __post_init__(self) -> None:
        check_list(self.scores, self.is_read, self.is_relevant)
        if self.is_spot_check is not None and self.is_spot_check.shape != self.scores.shape:
            raise ValueError(
                f"is_spot_check must have one flag for each of {len(self.scores)} scores, got shape "
                f"{self.is_spot_check.shape}"
            )

    @classmethod
    def of(cls, one: SortedList) -> "FinishedList":
        """Create a finished list from a published list."""
        return cls(one.scores, one.is_read, one.is_relevant, one.issue, one.is_spot_check)

    @cached_property
    def groups(self) -> Groups:
        """Groups of neighbouring papers with weight 1."""
        return group_papers(self.scores, self.is_read | self.is_relevant, self.is_relevant)


class Basis(NamedTuple):
    """Amount of data on which forecasts for a report are based.

    Attributes
    ----------
    n_lists : int
        Number of earlier lists of the report.
    n_whole : int
        Number of lists that were read to the end.
    n_spot_checked : int
        Number of papers that were read for spot checks. Without them and without lists read to the end, the report's
        own data says nothing about relevant papers far below the stop points.
    """

    n_lists: int = 0
    n_whole: int = 0
    n_spot_checked: int = 0

    @classmethod
    def of(cls, lists: Iterable[FinishedList]) -> "Basis":
        """Count lists and spot-checked papers.

        Examples
        --------
        >>> scores, checked = np.array([1.0, 0.5, 0.2]), np.array([False, False, True])
        >>> some_read = np.array([True, False, True])
        >>> whole = FinishedList(scores, np.ones(3, dtype=bool), checked, date(2026, 1, 5))
        >>> Basis.of([whole, FinishedList(scores, some_read, ~some_read & False, date(2026, 1, 12), checked)])
        Basis(n_lists=2, n_whole=1, n_spot_checked=1)
        """
        counts = [
            (1, int(one.is_read.all()), 0 if one.is_spot_check is None else int(one.is_spot_check.sum()))
            for one in lists
        ]
        return cls(*map(sum, zip(*counts, strict=True))) if counts else cls()


def check_list(scores: Floats, is_read: Flags, is_relevant: Flags) -> None:
    """Raise ValueError if the arrays don't describe a ranked list."""
    check_scores(scores)
    if not (is_read.shape == is_relevant.shape == scores.shape and is_read.dtype == is_relevant.dtype == bool):
        raise ValueError(
            f"is_read and is_relevant must be arrays of bool, one for each of {len(scores)} scores, got "
            f"{is_read.dtype} of shape {is_read.shape} and {is_relevant.dtype} of shape {is_relevant.shape}"
        )


def check_scores(scores: Floats) -> None:
    """Raise ValueError if an array can't be the scores of a ranked list."""
    if not (len(scores.shape) == 1 and scores.size and np.isfinite(scores).all() and (np.diff(scores) <= 0).all()):
        raise ValueError(f"scores must be a one-dimensional array of finite numbers, highest first, got {scores!r}")
