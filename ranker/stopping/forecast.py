"""Forecast for a ranked issue: relevant papers below each position, and the stop point.

`presort.ranker.stopping.relevance_model` makes a forecast from earlier issues, and again after each paper that is read.

A forecast that is right on the whole may still be wrong at the end of lists, where little is relevant, and rankers get
better or worse. So `StopCalibration` counts in how many of the newest lists a relevant paper was found below the place
where a chance was forecast, each from the lists before. A list that was not read so far counts by the forecast for the
rest, and almost half as much again.

The target recall *all* means that nothing is missed in 95 % of the lists of the service, not of each report. So reading
goes on where that costs little: a list has a *price* of being read, the same for all, and reading ends where the chance
that any is left, plus the price of the share that is read, is least; but nowhere before that chance is 1 in 10, or a
list of which little is known would be given up. The price is calibrated on the same lists.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from presort.ranker.stopping.curves import (
    CASE_PRIOR,
    Curves,
    Flags,
    Floats,
    Groups,
    any_below,
    cases_of,
    features,
    log_likelihood,
    weights_of,
)

TargetRecall = Literal["1 in 10", "1 in 20", "1 in 100", "none"]  # of the relevant papers, that may be missed

TRIED = np.concatenate([[0.0], np.geomspace(0.001, 1, 91)])  # chances that any is left
PRICES = np.geomspace(0.001, 10, 93)  # of reading a whole list, where to miss anything in one costs 1
DOUBT = 0.05  # share of lists in which a relevant paper may be missed, at target recall *all*
MOST = 0.1  # chance that any is left, where reading may end
FEWEST = 8  # lists counted; with fewer, the forecast is not calibrated
PRIOR = 100  # weight of the forecast in the calibration, in lists
ROUNDING = 1e-9  # relative, in a chance: what sets the threshold is not to fall below it
UNREAD_CAUTION = 0.7  # the same of papers that nobody read: a forecast that judges itself by them agrees too easily
CAUTION = 0.9  # factor on the accepted probability while too few lists were counted: a forecast is not perfect
MISS = 0.05  # share of the relevant papers, unless the editor chose another
MARGIN = (
    0.87  # of the accepted miss rate is what forecasts may expect to miss: papers below the stop are underestimated
)
LEVEL = 0.9  # of an interval
WIDTH = 8  # standard deviations above the mean, where counting ends


class StopCalibration(NamedTuple):
    """Calibration of forecast chances that a relevant paper is left; made by `fit_calibration`.

    Attributes
    ----------
    n_lists
        Lists that were counted.
    missed : array of shape (92,)
        Those of them with a relevant paper below the first place where the chance is no more than each of `TRIED`.
    expected_at_price, missed_at_price : array of shape (93,)
        Where each of `PRICES` ends reading: the mean chance that any is left, and in how many lists any was.
    """

    n_lists: int
    missed: Floats
    expected_at_price: Floats
    missed_at_price: Floats

    def found(self, chances: Floats) -> Floats:
        """Return the calibrated chance that any relevant paper is left."""
        shares: Floats = np.interp(chances, TRIED, (PRIOR * TRIED + self.missed) / (PRIOR + self.n_lists))
        return shares

    def stop(self, any_left: Floats, is_unread: Flags) -> int:
        """Find the stop point at which a relevant paper is missed in at most 5 % of lists.

        Parameters
        ----------
        any_left : array of shape (n_papers,)
            Forecast chance that any is left below each position. NaN before the end if too little is known.
        is_unread : array of bool, shape (n_papers,)
            Papers that have still to be read down to a position.

        Returns
        -------
        int
            Position, from 1.
        """
        if self.n_lists < FEWEST:
            return int((any_left <= CAUTION * DOUBT * (1 + ROUNDING)).argmax()) + 1
        return int(_ends(any_left, self.price * is_unread.cumsum() / len(any_left))) + 1

    @property
    def price(self) -> float:
        """Price at which a relevant paper is missed in at most 5 % of lists. Not below the lowest of `PRICES`."""
        shares = (PRIOR * self.expected_at_price / CAUTION + self.missed_at_price) / (PRIOR + self.n_lists)
        return float(np.exp(np.interp(DOUBT, np.maximum.accumulate(shares), np.log(PRICES))))


UNCALIBRATED = StopCalibration(0, np.zeros_like(TRIED), np.zeros_like(PRICES), np.zeros_like(PRICES))


def fit_calibration(past: Sequence[tuple[Curves, str, Groups]]) -> StopCalibration:
    """Count past lists.

    Parameters
    ----------
    past : sequence of (Curves, report code, Groups)
        Finished lists, each with the curves of the service before it.
    """
    if not past:
        return UNCALIBRATED
    columns = zip(*(_counts(*one) for one in past), strict=True)
    missed, expected_at_price, missed_at_price = (np.sum(column, axis=0) for column in columns)
    return StopCalibration(len(past), missed, expected_at_price / len(past), missed_at_price)


def _counts(curves: Curves, report: str, groups: Groups) -> tuple[Floats, Floats, Floats]:
    """Return the fields of `StopCalibration` of one list: 1 if a relevant paper was missed, 0 if none was."""
    cases = cases_of(curves, report, features(groups.scores, groups.places, curves.bends), groups.n)
    weights = weights_of(log_likelihood(cases, groups.n_read, groups.n_relevant).sum(axis=1))
    before = any_below(expit(cases), CASE_PRIOR, groups.n)
    after = any_below(expit(cases), weights, groups.n - groups.n_read)
    n_below = groups.n_relevant[::-1].cumsum()[::-1] - groups.n_relevant
    is_missed = np.where(n_below > 0, 1.0, np.minimum(after / UNREAD_CAUTION, 1))
    missed = is_missed[(before <= TRIED[:, None]).argmax(axis=1)]
    missed[-1] = 1.0  # no stop advice while a relevant paper certainly remains
    share_read = groups.n.cumsum() / groups.n.sum()
    ends = _ends(before, PRICES[:, None] * share_read)
    return missed, before[ends], is_missed[ends]


def _ends(any_left: Floats, costs: Floats) -> NDArray[np.intp]:
    """Return the stop index that minimises the cost along the last axis."""
    ends: NDArray[np.intp] = np.where(any_left <= MOST, any_left + costs, np.inf).argmin(axis=-1)
    return ends


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
    """Forecast of the relevant papers of an issue, given the papers read so far.

    A position assumes that the editor reads every unread paper down to it.

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
        Lists by which the threshold is chosen. None while too little is known.
    calibration : StopCalibration
        Observed outcomes of the forecast chances of past lists.
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
        """Return the expected number of unread relevant papers below each position.

        Returns
        -------
        array of shape (n_papers,)
            Papers, 0 or more, never rising, and 0 at the end. NaN before the end while too little is known.
        """
        expected = self.weights @ self.hidden
        return np.append(expected[:0:-1].cumsum()[::-1], 0.0)

    def between(self, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Return the prediction interval of the number of unread relevant papers below each position.

        Parameters
        ----------
        level : float
            Probability of the interval, above 0 and below 1. The tails are equal up to rounding to whole papers.

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
        """Return the probability that no relevant paper is unread below each position.

        Returns
        -------
        array of shape (n_papers,)
            From 0 to 1, never falling, and 1 at the end. NaN before the end while too little is known.
        """
        return 1 - self.calibration.found(self._any_left())

    def _any_left(self) -> Floats:
        """Return the uncalibrated probability that a relevant paper is unread below each position."""
        return any_below(self.hidden, self.weights)

    def stop(self, miss: float = MISS) -> int:
        """Find the stop point for an accepted miss rate.

        Parameters
        ----------
        miss : float
            Share of the relevant papers of the report that may be missed, above 0 and below 1.

        Returns
        -------
        int
            Position, from 1; the last one while too little is known. It depends on the papers found so far.

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
        """Find the stop point for the target recall *all*: every relevant paper in 95 % of lists.

        Returns
        -------
        int
            Position, from 1; the last one while too little is known.
        """
        return self.calibration.stop(self._any_left(), (self.hidden != 0).any(axis=0))
