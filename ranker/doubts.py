"""What became of chances that any relevant paper is left: told of past lists, and found.

A forecast that is right on the whole may still be wrong at the end of lists, where little is relevant, and rankers get
better or worse. So of newest lists it is counted how many had a relevant paper below the place where a chance was told,
each told from the lists before. A list that was not read so far counts by what was to be expected of the rest.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ranker.cases import NORMAL, any_below, cases_of, told, weights_of
from ranker.curves import Curves, Floats, Groups, features

TRIED = np.concatenate([[0.0], np.geomspace(0.001, 1, 91)])  # chances that any is left
PRIOR = 100  # lists that what is told weighs as much as
ERRORS = 0.5  # standard errors of what was counted, by which it is taken for more
CAUTION = 0.9  # of a chance is what may be told where nothing was counted: a forecast is not perfect


class Doubts(NamedTuple):
    """How often something was left where a chance was told that any is; `count_doubts` makes it.

    Attributes
    ----------
    n_lists
        Lists that were counted.
    missed : array of shape (92,)
        Those of them with a relevant paper below the first place where the chance is no more than each of `TRIED`.
    """

    n_lists: int
    missed: Floats

    def found(self, chances: Floats) -> Floats:
        """Return how likely it is that any is left, where chances were told that any is."""
        shares: Floats = np.interp(chances, TRIED, (PRIOR * TRIED + self.missed) / (PRIOR + self.n_lists))
        return shares

    def threshold(self, doubt: float) -> float:
        """Return the chance to be told, so that something is left in so many lists at most, 0 to 1."""
        n = PRIOR + self.n_lists
        shares = np.minimum((PRIOR * TRIED / CAUTION + self.missed) / n, 1)
        counted = self.missed / max(self.n_lists, 1)
        error = np.sqrt(counted * (1 - counted) * self.n_lists) / n
        return float(np.interp(doubt, np.maximum.accumulate(shares + ERRORS * error), TRIED))


NOTHING_COUNTED = Doubts(0, np.zeros_like(TRIED))


def count_doubts(past: Sequence[tuple[Curves, str, Groups]]) -> Doubts:
    """Count past lists.

    Parameters
    ----------
    past : sequence of (Curves, report code, Groups)
        Finished lists, each with what was known of the service before it.
    """
    return Doubts(len(past), np.sum([_missed(*one) for one in past], axis=0) if past else NOTHING_COUNTED.missed)


def _missed(curves: Curves, report: str, groups: Groups) -> Floats:
    """Return the chance that something was missed, shape (92,): 1 where it was found, 0 where all was read."""
    cases = cases_of(curves, report, features(groups.scores, groups.places, curves.bends), groups.n)
    weights = weights_of(told(cases, groups.n_read, groups.n_relevant).sum(axis=1))
    before = any_below(expit(cases), NORMAL, groups.n)
    after = any_below(expit(cases), weights, groups.n - groups.n_read)
    ends = (before <= TRIED[:, None]).argmax(axis=1)
    n_below = groups.n_relevant[::-1].cumsum()[::-1] - groups.n_relevant
    missed: Floats = np.where(n_below > 0, 1.0, after)[ends]
    missed[-1] = 1.0  # who is told that something is sure to be left is not told to stop
    return missed
