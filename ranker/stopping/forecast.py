"""Forecast for a ranked issue: the number of relevant papers below each position, and the stop point.

`presort.ranker.stopping.relevance_model` computes the forecast from earlier issues and updates it after each decision.

A forecast that is right on average may still be wrong at the end of lists, where few papers are relevant. Rankers also
get better or worse over time. `StopCalibration` therefore compares forecasts with outcomes. For each of the newest
lists, it computes a forecast from earlier lists, and checks whether relevant papers were found below the position where
the forecast reached a given probability. If the list was not read that far, the outcome is replaced by the forecast for
its unread papers, increased by about 40 %.

The target recall *all* means that nothing is missed in 95 % of the service's lists, not of each report's lists. So the
editor reads further in lists in which further reading costs little. All lists have the same *price* of reading. The
stop point minimises the sum of two terms: the probability that a relevant paper remains, and the price times the share
of the list that has to be read. At the stop point, the probability that a relevant paper remains must be at most 10 %,
because otherwise the advice would be to abandon lists with uncertain forecasts. The price is calibrated on the same
past lists as the forecasts.
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

TargetRecall = Literal["1 in 10", "1 in 20", "1 in 100", "none"]  # accepted miss rate; "none" is target recall *all*

TRIED = np.concatenate([[0.0], np.geomspace(0.001, 1, 91)])  # grid of probabilities that a relevant paper remains
PRICES = np.geomspace(0.001, 10, 93)  # prices for reading a whole list, if a list with a missed paper costs 1
DOUBT = 0.05  # accepted share of lists with a missed relevant paper, at target recall *all*
MOST = 0.1  # highest probability that a relevant paper remains at a stop point
FEWEST = 8  # number of past lists that are needed to calibrate forecasts
PRIOR = 100  # weight of the uncalibrated forecast in the calibration, in units of lists
ROUNDING = 1e-9  # relative tolerance, so that rounding doesn't push a paper below its own threshold
# Forecasts that replace the unknown outcome of unread papers are divided by this number. Without it, calibration would
# compare these forecasts with themselves, and they would look perfect.
UNREAD_CAUTION = 0.7
CAUTION = 0.9  # safety factor on the accepted probability, because uncalibrated forecasts are imperfect
MISS = 0.05  # default accepted miss rate: share of the relevant papers
# Share of the accepted miss rate that forecasts may use, because they underestimate the papers below the stop point.
MARGIN = 0.87
LEVEL = 0.9  # default coverage probability of a prediction interval
WIDTH = 8  # standard deviations above the mean at which distributions of paper counts are cut off


class StopCalibration(NamedTuple):
    """Calibration of the forecast probability that a relevant paper remains, as fitted by `fit_calibration`.

    Attributes
    ----------
    n_lists : int
        Number of past lists.
    missed : array of shape (92,)
        For each probability in `TRIED`: number of lists with a relevant paper below the first position where the
        forecast is at most that probability.
    expected_at_price : array of shape (93,)
        For each price in `PRICES`: mean forecast probability that a relevant paper remains at the stop point.
    missed_at_price : array of shape (93,)
        For each price in `PRICES`: number of lists in which a relevant paper remained at the stop point.
    """

    n_lists: int
    missed: Floats
    expected_at_price: Floats
    missed_at_price: Floats

    def calibrate(self, chances: Floats) -> Floats:
        """Calibrate forecast probabilities that a relevant paper remains."""
        shares: Floats = np.interp(chances, TRIED, (PRIOR * TRIED + self.missed) / (PRIOR + self.n_lists))
        return shares

    def stop(self, any_left: Floats, is_unread: Flags) -> int:
        """Find the stop point at which a relevant paper is missed in at most 5 % of lists.

        Parameters
        ----------
        any_left : array of shape (n_papers,)
            Forecast probability that a relevant paper remains below each position. If there is no forecast, all values
            but the last are NaN.
        is_unread : array of bool, shape (n_papers,)
            True for unread papers. Only reading these papers has a price.

        Returns
        -------
        int
            1-based position.
        """
        if self.n_lists < FEWEST:
            return int((any_left <= CAUTION * DOUBT * (1 + ROUNDING)).argmax()) + 1
        return int(_ends(any_left, self.price * is_unread.cumsum() / len(any_left))) + 1

    @property
    def price(self) -> float:
        """Highest price at which relevant papers are missed in at most 5 % of lists, but at least `PRICES[0]`."""
        shares = (PRIOR * self.expected_at_price / CAUTION + self.missed_at_price) / (PRIOR + self.n_lists)
        return float(np.exp(np.interp(DOUBT, np.maximum.accumulate(shares), np.log(PRICES))))


UNCALIBRATED = StopCalibration(0, np.zeros_like(TRIED), np.zeros_like(PRICES), np.zeros_like(PRICES))


def fit_calibration(past: Sequence[tuple[Curves, str, Groups]]) -> StopCalibration:
    """Fit the calibration to past lists.

    Parameters
    ----------
    past : sequence of (Curves, report code, Groups)
        Finished lists, each with curves that were fitted to the service's earlier lists.
    """
    if not past:
        return UNCALIBRATED
    columns = zip(*(_counts(*one) for one in past), strict=True)
    missed, expected_at_price, missed_at_price = (np.sum(column, axis=0) for column in columns)
    return StopCalibration(len(past), missed, expected_at_price / len(past), missed_at_price)


def _counts(curves: Curves, report: str, groups: Groups) -> tuple[Floats, Floats, Floats]:
    """Return one list's contributions to `missed`, `expected_at_price` and `missed_at_price`.

    A list with a missed paper adds 1. If the rest of the list was not read, the forecast probability that it contains a
    relevant paper, divided by `UNREAD_CAUTION`, is added instead.
    """
    cases = cases_of(curves, report, features(groups.scores, groups.places, curves.bends), groups.n)
    likely = log_likelihood(cases, np.logaddexp(0, cases), groups.n_read, groups.n_relevant)
    weights = weights_of(likely.sum(axis=1))
    before = any_below(expit(cases), CASE_PRIOR, groups.n)
    after = any_below(expit(cases), weights, groups.n - groups.n_read)
    n_below = groups.n_relevant[::-1].cumsum()[::-1] - groups.n_relevant
    is_missed = np.where(n_below > 0, 1.0, np.minimum(after / UNREAD_CAUTION, 1))
    missed = is_missed[(before <= TRIED[:, None]).argmax(axis=1)]
    missed[-1] = 1.0  # a forecast of 1 is treated as missed, so that calibration never lowers it
    share_read = groups.n.cumsum() / groups.n.sum()
    ends = _ends(before, PRICES[:, None] * share_read)
    return missed, before[ends], is_missed[ends]


def _ends(any_left: Floats, costs: Floats) -> NDArray[np.intp]:
    """Return the stop index that minimises the cost along the last axis."""
    ends: NDArray[np.intp] = np.where(any_left <= MOST, any_left + costs, np.inf).argmin(axis=-1)
    return ends


class Lists(NamedTuple):
    """Probabilities of all papers in the current list and in the report's earlier lists; arrays of shape (n,).

    Attributes
    ----------
    chances
        Probabilities of being relevant, in ascending order.
    shares_below
        Cumulative share of the expected relevant papers, up to and including each probability.
    """

    chances: Floats
    shares_below: Floats

    @classmethod
    def of(cls, chances: Floats, n_papers: Floats) -> "Lists":
        """Pool probabilities. `n_papers` is the (weighted) number of papers with each probability."""
        order = np.argsort(chances, kind="stable")
        expected = (n_papers * chances)[order].cumsum()
        return cls(chances[order], expected / expected[-1])


@dataclass(frozen=True, eq=False, slots=True)
class RelevanceForecast:
    """Forecast of the relevant papers in an issue, given the papers read so far.

    The values for a position assume that the editor reads every unread paper down to that position.

    Attributes
    ----------
    n_found : int
        Number of relevant papers found so far.
    chances : array of shape (n_papers,)
        Probability of each paper being relevant, 0 to 1, in non-increasing order. For a read paper, this is the model's
        probability and not the decision. NaN if there is no forecast.
    hidden : array of shape (n_cases, n_papers)
        Probability of each paper being relevant and unread, in each case (see `presort.ranker.stopping.curves`).
    weights : array of shape (n_cases,)
        Probabilities of the cases, which sum to 1.
    lists : Lists or None
        Pooled probabilities from which the threshold is chosen. None if there is no forecast.
    calibration : StopCalibration
        Calibration on the outcomes of past lists.
    """

    n_found: int
    chances: Floats
    hidden: Floats
    weights: Floats
    lists: Lists | None
    calibration: StopCalibration = UNCALIBRATED

    def from_top(self) -> "RelevanceForecast":
        """Return the same forecast with an empty position above the first paper, which shifts all positions by one."""
        hidden = np.insert(self.hidden, 0, 0.0, axis=1)
        return replace(self, chances=np.insert(self.chances, 0, 1.0), hidden=hidden)

    def left(self) -> Floats:
        """Return the expected number of unread relevant papers below each position.

        Returns
        -------
        array of shape (n_papers,)
            Numbers of papers, at least 0, in non-increasing order. The last number is 0. If there is no forecast, all
            other numbers are NaN.
        """
        expected = self.weights @ self.hidden
        return np.append(expected[:0:-1].cumsum()[::-1], 0.0)

    def between(self, level: float = LEVEL, *, at: Sequence[int] | None = None) -> tuple[Floats, Floats]:
        """Return each position's prediction interval for the number of unread relevant papers below it.

        Parameters
        ----------
        level : float
            Probability of the interval, above 0 and below 1. Both tails have equal probability, up to rounding to whole
            papers.
        at : sequence of int, optional
            0-based indexes of the positions to compute. Defaults to all positions, which takes longer.

        Returns
        -------
        tuple of two arrays of shape (n_papers,) or (len(at),)
            Lower and upper bounds in papers, in non-increasing order. The bounds at the end are 0. NaN if there is no
            forecast.

        Raises
        ------
        ValueError
            If the level is not between 0 and 1.

        Notes
        -----
        The distribution is exact within each case, in which the number is a sum of independent Bernoulli variables. It
        is built up from the end of the list, one paper at a time.
        """
        if not 0 < level < 1:
            raise ValueError(f"level must be above 0 and below 1, got {level!r}")
        n_papers = self.hidden.shape[1]
        wanted = np.arange(n_papers) if at is None else np.asarray(at)
        if self.lists is None:
            return np.full(len(wanted), np.nan), np.full(len(wanted), np.nan)
        hidden = np.ascontiguousarray(self.hidden.T)
        # Expected number of relevant papers from each paper to the end of the list, in the case where it is highest.
        most = hidden[::-1].cumsum(axis=0)[::-1].max(axis=1)
        # Largest number of papers to consider below each place. It is small for most places, which saves time.
        widths = np.minimum((most + WIDTH * np.sqrt(most) + WIDTH).astype(np.intp), np.arange(n_papers, 0, -1)) + 1
        numbers = np.zeros((widths.max(), len(self.weights)))
        numbers[0] = 1
        up_to = np.zeros((n_papers, len(numbers)))
        up_to[-1, 0] = 1
        is_unread = (hidden != 0).any(axis=1)
        is_wanted = np.isin(np.arange(n_papers), wanted)
        for place in range(n_papers - 1, wanted.min(), -1):
            some = numbers[: widths[place]]
            if is_unread[place]:
                found = some[:-1] * hidden[place]
                some[:-1] -= found
                some[1:] += found
            if is_wanted[place - 1]:
                up_to[place - 1, : len(some)] = some @ self.weights
        reached = up_to[wanted].cumsum(axis=1)
        low, high = ((reached < one).sum(axis=1) for one in ((1 - level) / 2, (1 + level) / 2))
        return low.astype(np.float64), high.astype(np.float64)

    def none_left(self) -> Floats:
        """Return the probability that no unread relevant paper remains below each position.

        Returns
        -------
        array of shape (n_papers,)
            Probabilities from 0 to 1, in non-decreasing order. The last probability is 1. If there is no forecast, all
            other probabilities are NaN.
        """
        return 1 - self.calibration.calibrate(self._any_left())

    def _any_left(self) -> Floats:
        """Return the uncalibrated probability that an unread relevant paper remains below each position."""
        return any_below(self.hidden, self.weights)

    def stop(self, miss: float = MISS) -> int:
        """Find the stop point for an accepted miss rate.

        Parameters
        ----------
        miss : float
            Accepted miss rate: share of the report's relevant papers that may be missed, above 0 and below 1.

        Returns
        -------
        int
            1-based position, given the papers found so far. If there is no forecast, it is the last position.

        Raises
        ------
        ValueError
            If the miss rate is not between 0 and 1.
        """
        if not 0 < miss < 1:
            raise ValueError(f"miss must be above 0 and below 1, got {miss!r}")
        if self.lists is None:
            return len(self.chances)
        threshold = self.lists.chances[np.searchsorted(self.lists.shares_below, MARGIN * miss, side="right")]
        return max(int((self.chances >= threshold * (1 - ROUNDING)).sum()), 1)

    def stop_for_all(self) -> int:
        """Find the stop point for the target recall *all*, which finds every relevant paper in 95 % of lists.

        Returns
        -------
        int
            1-based position. If there is no forecast, it is the last position.
        """
        return self.calibration.stop(self._any_left(), (self.hidden != 0).any(axis=0))
