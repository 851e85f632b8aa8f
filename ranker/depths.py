"""Depths of last relevant papers, each forecast from those of earlier days; `ranker.light` says what a depth is."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ENOUGH = 3  # issues of a report: in its first ones a ranker is not yet what it is for the others
SERVICE_ISSUES = 20  # that the deviation common to all reports weighs as much as
MOST_PULL = 100  # issues that the mean of the service weighs as much as, where the reports are all alike
LEAST_DEVIATION = 0.01  # of a depth: some four papers at a tenth of a list of 600
COUNTED, COUNTED_IN_ALL = 10, 500  # newest forecasts of each report; more of them where reports are few


class Forecasts(NamedTuple):
    """Mean and deviation of the next depth of a report, one of each a cell of `Known`; NaN before `ENOUGH` issues."""

    means: Floats
    deviations: Floats


class Known(NamedTuple):
    """What is known before a day: of a report, and of the service as a whole; one cell a day and report.

    Attributes
    ----------
    n, total, squares
        Of a report: its issues, the sum of their depths, and that of the squares of these.
    mean, variance, pull
        What reports have in common: mean and variance of their depths, and the issues that this mean weighs as.
    """

    n: Floats
    total: Floats
    squares: Floats
    mean: Floats
    variance: Floats
    pull: Floats

    @classmethod
    def day_by_day(cls, depths: Floats) -> "Known":
        """Return what is known before each day of depths of shape (n_days, n_reports), and after the last.

        What reports have in common is estimated by analysis of variance, from those that have two issues or more.
        """
        is_finished = ~np.isnan(depths)
        n, total, squares = (
            np.vstack([np.zeros(depths.shape[1]), np.where(is_finished, values, 0).cumsum(axis=0)])
            for values in (np.ones_like(depths), depths, depths**2)
        )
        is_several = n > 1
        n_several = is_several.sum(axis=1)
        means = total / np.maximum(n, 1)
        within = np.where(is_several, squares - n * means**2, 0).sum(axis=1)
        n_free = np.where(is_several, n - 1, 0).sum(axis=1)
        variance = np.maximum(within / np.maximum(n_free, 1), LEAST_DEVIATION**2)
        mean = np.where(is_several, means, 0).sum(axis=1) / np.maximum(n_several, 1)
        around_mean = np.where(is_several, (means - mean[:, None]) ** 2, 0).sum(axis=1) / np.maximum(n_several - 1, 1)
        by_chance = variance * np.where(is_several, 1 / np.maximum(n, 1), 0).sum(axis=1) / np.maximum(n_several, 1)
        pull = variance / np.maximum(around_mean - by_chance, variance / MOST_PULL)
        pull[n_several < 2] = 0
        common = (np.broadcast_to(values[:, None], n.shape) for values in (mean, variance, pull))
        return cls(n, total, squares, *common)

    def at(self, days: NDArray[np.intp], reports: NDArray[np.intp]) -> "Known":
        """Return some of the cells."""
        return Known(*(values[days, reports] for values in self))

    def forecasts(self) -> Forecasts:
        """Forecast the next depth of each cell."""
        n = np.where(self.n < ENOUGH, np.nan, self.n)
        means = (self.total + self.pull * self.mean) / (n + self.pull)
        around_means = self.squares - 2 * means * self.total + n * means**2
        variances = (around_means + SERVICE_ISSUES * self.variance) / (n + SERVICE_ISSUES)
        return Forecasts(means, np.sqrt(variances * (1 + 1 / (n + self.pull))))


def surprises_of(depths: Floats, known: Known) -> Floats:
    """Return by how many deviations the newest depths lay deeper than was forecast before their day; ascending."""
    is_forecast = ~np.isnan(depths) & (known.n[:-1] >= ENOUGH)
    n_counted = max(COUNTED, COUNTED_IN_ALL // max(int(is_forecast.any(axis=0).sum()), 1))
    n_from_here = is_forecast[::-1].cumsum(axis=0)[::-1]
    days, reports = (is_forecast & (n_from_here <= n_counted)).nonzero()
    means, deviations = known.at(days, reports).forecasts()
    return np.sort((depths[days, reports] - means) / deviations)
