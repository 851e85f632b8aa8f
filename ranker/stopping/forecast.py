"""What is to be expected of a sorted issue: how much of what is relevant lies below a position, and where to stop.

`presort.ranker.stopping.relevance_model` makes a forecast from what was found in earlier issues, and makes it anew
while the issue is read.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from presort.ranker.stopping.calibration import ROUNDING, UNCALIBRATED, StopCalibration
from presort.ranker.stopping.cases import any_below
from presort.ranker.stopping.curves import Floats

MISS = 0.05  # share of the relevant papers, unless the editor chose another
MARGIN = (
    0.87  # of the accepted miss rate is what forecasts may expect to miss: papers below the stop are underestimated
)
LEVEL = 0.9  # of an interval
WIDTH = 8  # standard deviations above the mean, where counting ends


class Lists(NamedTuple):
    """The chances of all papers in lists of a report, this one and those before; arrays of shape (n,).

    Attributes
    ----------
    chances
        Ascending.
    shares_below
        Share of what is relevant in these lists that is to be expected up to each of them.
    """

    chances: Floats
    shares_below: Floats

    @classmethod
    def of(cls, chances: Floats, n_papers: Floats) -> "Lists":
        """Pool chances, each that of so many papers."""
        order = np.argsort(chances, kind="stable")
        expected = (n_papers * chances)[order].cumsum()
        return cls(chances[order], expected / expected[-1])


@dataclass(frozen=True, eq=False, slots=True)
class RelevanceForecast:
    """What is to be expected of an issue, given what was read of it.

    A position stands for an editor who also reads what is unread down to it.

    Attributes
    ----------
    n_found : int
        Relevant papers among those read.
    chances : array of shape (n_papers,)
        Of each paper to be relevant, 0 to 1, never rising; of those read too, as if they had not been. NaN while too
        little is known.
    hidden : array of shape (n_cases, n_papers)
        Chance of each paper to be relevant and unread, in each of the cases that the issue may be.
    weights : array of shape (n_cases,)
        Chances of the cases; they sum to 1.
    lists : Lists or None
        What the threshold is chosen by; None while too little is known.
    calibration : StopCalibration
        What became of chances that any is left, told of past lists.
    """

    n_found: int
    chances: Floats
    hidden: Floats
    weights: Floats
    lists: Lists | None
    calibration: StopCalibration = UNCALIBRATED

    def from_top(self) -> "RelevanceForecast":
        """Return the same forecast with a place of its own above the first paper: position n is then its n + 1st."""
        hidden = np.insert(self.hidden, 0, 0.0, axis=1)
        return replace(self, chances=np.insert(self.chances, 0, 1.0), hidden=hidden)

    def left(self) -> Floats:
        """Return how many relevant papers are to be expected below each position, among those not read.

        Returns
        -------
        array of shape (n_papers,)
            Papers, 0 or more, never rising, and 0 at the end. NaN before the end while too little is known.
        """
        expected = self.weights @ self.hidden
        return np.append(expected[:0:-1].cumsum()[::-1], 0.0)

    def between(self, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Return how many relevant papers are below each position at least, and at most, as `left` expects them.

        Parameters
        ----------
        level : float
            Chance that the number is one of these or between them, above 0 and below 1. No less is outside on one
            side than on the other, but for what whole numbers do to it.

        Returns
        -------
        tuple of two arrays of shape (n_papers,)
            Papers, never rising, and 0 at the end. NaN while too little is known.

        Raises
        ------
        ValueError
            If the level is not between 0 and 1.

        Notes
        -----
        Exact but for the cases: in each of them the number is a sum of independent papers, and its distribution is
        built up from the end of the list, one paper at a time.
        """
        if not 0 < level < 1:
            raise ValueError(f"level must be above 0 and below 1, got {level!r}")
        n_papers = self.hidden.shape[1]
        if self.lists is None:
            return np.full(n_papers, np.nan), np.full(n_papers, np.nan)
        most = self.hidden.sum(axis=1).max()
        numbers = np.zeros((len(self.weights), min(n_papers, int(most + WIDTH * np.sqrt(most) + WIDTH)) + 1))
        numbers[:, 0] = 1
        up_to = np.zeros((n_papers, numbers.shape[1]))
        up_to[-1, 0] = 1
        for place in range(n_papers - 1, 0, -1):
            if self.hidden[:, place].any():
                found = numbers[:, :-1] * self.hidden[:, place, None]
                numbers[:, :-1] -= found
                numbers[:, 1:] += found
            up_to[place - 1] = self.weights @ numbers
        reached = up_to.cumsum(axis=1)
        low, high = ((reached < one).sum(axis=1) for one in ((1 - level) / 2, (1 + level) / 2))
        return low.astype(np.float64), high.astype(np.float64)

    def none_left(self) -> Floats:
        """Return the chance that nothing relevant is unread below each position.

        Returns
        -------
        array of shape (n_papers,)
            From 0 to 1, never falling, and 1 at the end. NaN before the end while too little is known.
        """
        return 1 - self.calibration.found(self._any_left())

    def _any_left(self) -> Floats:
        """Return the chance that any is left below each position, as the cases have it."""
        return any_below(self.hidden, self.weights)

    def stop(self, miss: float = MISS) -> int:
        """Find where reading may end if some of the relevant papers may be missed.

        Parameters
        ----------
        miss : float
            Share of the relevant papers of the report that may be missed, above 0 and below 1.

        Returns
        -------
        int
            Position, from 1; the last one while too little is known. What was found so far moves it.

        Raises
        ------
        ValueError
            If the share is not between 0 and 1.
        """
        if not 0 < miss < 1:
            raise ValueError(f"miss must be above 0 and below 1, got {miss!r}")
        if self.lists is None:
            return len(self.chances)
        threshold = self.lists.chances[np.searchsorted(self.lists.shares_below, MARGIN * miss, side="right")]
        return max(int((self.chances >= threshold * (1 - ROUNDING)).sum()), 1)

    def stop_for_all(self) -> int:
        """Find where reading may end if nothing relevant is to be missed, 19 times of 20.

        Returns
        -------
        int
            Position, from 1; the last one while too little is known.
        """
        return self.calibration.stop(self._any_left(), (self.hidden != 0).any(axis=0))
