"""What became of chances that any relevant paper is left: told of past lists, and found.

A forecast that is right on the whole may still be wrong at the end of lists, where little is relevant, and rankers get
better or worse. So of newest lists it is counted how many had a relevant paper below the place where a chance was told,
each told from the lists before. A list that was not read so far counts by what was to be expected of the rest, and
almost half as much again.

Nothing is to be missed in 19 lists of 20 of the service, not in each. So reading goes on where that costs little: a
list has a *price* of being read, the same for all, and reading ends where the chance that any is left, plus the price
of the share that is read, is least; but nowhere before that chance is 1 in 10, or a list of which little is known
would be given up. What the price may be is counted on the same lists.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from presort.ranker.stopping.cases import PRIOR as CASE_PRIOR
from presort.ranker.stopping.cases import any_below, cases_of, log_likelihood, weights_of
from presort.ranker.stopping.curves import Curves, Flags, Floats, Groups, features

TRIED = np.concatenate([[0.0], np.geomspace(0.001, 1, 91)])  # chances that any is left
PRICES = np.geomspace(0.001, 10, 93)  # of reading a whole list, where to miss anything in one costs 1
DOUBT = 0.05  # share of lists in which something may be missed, where nothing is to be
MOST = 0.1  # chance that any is left, where reading may end
FEWEST = 8  # lists that were counted, before which what was told is believed
PRIOR = 100  # lists that what is told weighs as much as
ROUNDING = 1e-9  # relative, in a chance: what sets the threshold is not to fall below it
UNREAD_CAUTION = 0.7  # the same of papers that nobody read: a forecast that judges itself by them agrees too easily
CAUTION = 0.9  # of a chance is what may be told where nothing was counted: a forecast is not perfect


class StopCalibration(NamedTuple):
    """How often something was left where a chance was told that any is; `fit_calibration` makes it.

    Attributes
    ----------
    n_lists
        Lists that were counted.
    missed : array of shape (92,)
        Those of them with a relevant paper below the first place where the chance is no more than each of `TRIED`.
    told_at_price, missed_at_price : array of shape (93,)
        Where each of `PRICES` ends reading: the mean chance that any is left, and in how many lists any was.
    """

    n_lists: int
    missed: Floats
    told_at_price: Floats
    missed_at_price: Floats

    def found(self, chances: Floats) -> Floats:
        """Return how likely it is that any is left, where chances were told that any is."""
        shares: Floats = np.interp(chances, TRIED, (PRIOR * TRIED + self.missed) / (PRIOR + self.n_lists))
        return shares

    def stop(self, any_left: Floats, is_unread: Flags) -> int:
        """Find where reading may end, so that something is left in one list of 20 at most.

        Parameters
        ----------
        any_left : array of shape (n_papers,)
            Chance that any is left below each position, as it was told; NaN before the end where too little is known.
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
        """Price at which something is left in one list of 20 at most; the least of `PRICES` if it is more even then."""
        shares = (PRIOR * self.told_at_price / CAUTION + self.missed_at_price) / (PRIOR + self.n_lists)
        return float(np.exp(np.interp(DOUBT, np.maximum.accumulate(shares), np.log(PRICES))))


UNCALIBRATED = StopCalibration(0, np.zeros_like(TRIED), np.zeros_like(PRICES), np.zeros_like(PRICES))


def fit_calibration(past: Sequence[tuple[Curves, str, Groups]]) -> StopCalibration:
    """Count past lists.

    Parameters
    ----------
    past : sequence of (Curves, report code, Groups)
        Finished lists, each with what was known of the service before it.
    """
    if not past:
        return UNCALIBRATED
    columns = zip(*(_counts(*one) for one in past), strict=True)
    missed, told_at_price, missed_at_price = (np.sum(column, axis=0) for column in columns)
    return StopCalibration(len(past), missed, told_at_price / len(past), missed_at_price)


def _counts(curves: Curves, report: str, groups: Groups) -> tuple[Floats, Floats, Floats]:
    """Return the fields of `StopCalibration` of one list: 1 where something was missed, 0 where all was read."""
    cases = cases_of(curves, report, features(groups.scores, groups.places, curves.bends), groups.n)
    weights = weights_of(log_likelihood(cases, groups.n_read, groups.n_relevant).sum(axis=1))
    before = any_below(expit(cases), CASE_PRIOR, groups.n)
    after = any_below(expit(cases), weights, groups.n - groups.n_read)
    n_below = groups.n_relevant[::-1].cumsum()[::-1] - groups.n_relevant
    is_missed = np.where(n_below > 0, 1.0, np.minimum(after / UNREAD_CAUTION, 1))
    missed = is_missed[(before <= TRIED[:, None]).argmax(axis=1)]
    missed[-1] = 1.0  # who is told that something is sure to be left is not told to stop
    share_read = groups.n.cumsum() / groups.n.sum()
    ends = _ends(before, PRICES[:, None] * share_read)
    return missed, before[ends], is_missed[ends]


def _ends(any_left: Floats, costs: Floats) -> NDArray[np.intp]:
    """Return the index where reading ends, along the last axis of what reading down to each position costs."""
    ends: NDArray[np.intp] = np.where(any_left <= MOST, any_left + costs, np.inf).argmin(axis=-1)
    return ends
