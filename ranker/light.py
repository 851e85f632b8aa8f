"""The traffic light: how likely it is that an editor who has read a sorted issue to some position has seen all of it.

It learns where the last relevant papers of earlier issues stood, and from nothing else: that differs from report to
report, and what the scores of an issue could add is little and does not outlive the next training of the ranker.

The *depth* of a position is the cube root of the share of the list that ends there; by it, the last relevant papers of
easy and of hard reports spread about alike. The depths of a report have a mean and a deviation, which lean on those of
the service while its issues are few. How many deviations deeper than the mean the next last relevant paper may lie is
not assumed but counted, on the newest issues of all reports, each of them forecast from the issues of earlier days
alone, its own and those of the service. So the count says how far such forecasts could be trusted lately, and follows
a ranker that gets better or worse.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from data.records import Positions
from ranker.depths import Floats, Known, surprises_of

Flags = NDArray[np.bool_]

LEVEL = 0.95  # unless the editor chose another
NEWEST = 52  # issues of a report that count
EXPECTED_PAPERS = 6  # relevant ones that what is expected weighs as much as, beside what the editor finds
SHARES = np.linspace(0, 1, 51)  # of a list, at which relevant papers are counted
LEAST_CHANCE = 1e-9  # less is taken for this, to have a logarithm


@dataclass(frozen=True, eq=False, slots=True)
class FinishedIssue:
    """What an editor found in a sorted issue.

    Attributes
    ----------
    places : array of shape (n_relevant,)
        Positions of the relevant papers, from 1 to `n_papers`, ascending. Without any, the issue says nothing.
    n_papers : int
        Papers in the issue.
    day : date
        Of the issue: what other reports finished on the same day or later was not known before it.

    Raises
    ------
    ValueError
        If the places are not as said.
    """

    places: Positions
    n_papers: int
    day: date

    def __post_init__(self) -> None:
        ends = np.concatenate([[0], self.places, [self.n_papers + 1]])
        if (np.diff(ends) < 1).any():
            raise ValueError(f"places must ascend from 1 to n_papers = {self.n_papers}, got {self.places!r}")


@dataclass(frozen=True, eq=False, slots=True)
class Light:
    """What is known of a report before its next issue; `fit_lights` makes it.

    Attributes
    ----------
    n_issues : int
        Issues that it is known from.
    mean, deviation : float
        Of the depth at which the next last relevant paper is expected, 0 to 1; NaN after too few issues.
    surprises : array of shape (n_forecasts,)
        By how many deviations last relevant papers lay deeper than expected, in all reports; ascending.
    found : array of shape (51,)
        Relevant papers in the first 0, 2, 4 ... 100 % of a list, on the average, as shares of all papers of the list.
    """

    n_issues: int
    mean: float
    deviation: float
    surprises: Floats
    found: Floats

    @property
    def is_ready(self) -> bool:
        """Whether enough issues were finished to tell any chance."""
        return not np.isnan(self.mean) and len(self.surprises) > 0

    def chances(self, n_papers: int) -> Floats:
        r"""Return, for each position, the chance that nothing relevant stands below it, before anything is read.

        Parameters
        ----------
        n_papers : int
            Papers in the issue.

        Returns
        -------
        array of shape (n_papers,)
            From 0 to 1, never falling, and 1 at the end. NaN before the end while too little is known.

        Notes
        -----
        The lower end of Wilson's interval, one standard error wide to either side, of the share of surprises that were
        less than the one that the position allows for. After n forecasts no chance is above :math:`n / (n + 1)`.

        References
        ----------
        Wilson, Probable inference, the law of succession, and statistical inference, JASA 1927.

        Examples
        --------
        >>> lasts = enumerate([10, 20, 15, 30, 25, 20], start=1)
        >>> issues = [FinishedIssue(np.array([1, 2, last]), 100, date(2026, 1, day)) for day, last in lasts]
        >>> light = fit_lights({"trade": issues})["trade"]
        >>> light.chances(100)[[0, 29, 59, 99]].round(2).tolist()
        [0.0, 0.39, 0.75, 1.0]
        """
        if self.is_ready:
            allowed = (_depths(np.arange(1, n_papers + 1), n_papers) - self.mean) / self.deviation
            chances = _lower_end(np.searchsorted(self.surprises, allowed), len(self.surprises))
        else:
            chances = np.full(n_papers, np.nan)
        chances[-1:] = 1
        return chances

    def chances_after(self, is_read: Flags, is_relevant: Flags) -> Floats:
        r"""Return the chances knowing what has been read, be it from the top or here and there.

        Parameters
        ----------
        is_read, is_relevant : array of bool, shape (n_papers,)
            Which papers of the sorted issue were read, and which of them are relevant. What is relevant was read.

        Returns
        -------
        array of shape (n_papers,)
            For each position, the chance that an editor who also reads what is unread down to it has then seen all
            that is relevant: 0 above the last one found, never falling, and 1 at the end. NaN where too little is
            known.

        Raises
        ------
        ValueError
            If the arrays are not of bool and of one length.

        Notes
        -----
        A chance c is seen as that of none where :math:`-\log c` are expected. What was read drops out of the
        sum, and the rest is multiplied by :math:`(k + m) / (k + e)` for m relevant papers found where e were expected,
        as of a rate that is Gamma distributed with shape k.
        """
        if not (is_read.shape == is_relevant.shape == (len(is_read),) and is_read.dtype == is_relevant.dtype == bool):
            raise ValueError(
                "is_read and is_relevant must be arrays of bool of one length, got "
                f"{is_read.dtype} of shape {is_read.shape} and {is_relevant.dtype} of shape {is_relevant.shape}"
            )
        is_read = is_read | is_relevant
        before = np.concatenate([[0], self.chances(len(is_read))])
        hidden = np.where(is_read, 0, -np.diff(-np.log(np.maximum(before, LEAST_CHANCE))))
        below = np.append(hidden[::-1].cumsum()[::-1], 0)[1:]
        chances = np.exp(-below * self._more_than_expected(is_read, is_relevant))
        chances[: is_relevant.nonzero()[0].max(initial=0)] = 0
        return chances

    def expected_left(self, is_read: Flags, is_relevant: Flags) -> float:
        """Return how many relevant papers are to be expected among those not read.

        Parameters
        ----------
        is_read, is_relevant : array of bool, shape (n_papers,)
            As for `chances_after`.

        Returns
        -------
        float
            Papers, 0 or more: as many as stood in such places of earlier issues on the average, corrected by what was
            found in this one as the chances are. NaN where too little is known.
        """
        if not self.is_ready:
            return float("nan")
        is_read = is_read | is_relevant
        return float(self._expected(len(is_read))[~is_read].sum() * self._more_than_expected(is_read, is_relevant))

    def _expected(self, n_papers: int) -> Floats:
        """Return how many relevant papers are expected at each position, before anything is read."""
        shares = np.arange(n_papers + 1) / max(n_papers, 1)
        return n_papers * np.diff(np.interp(shares, SHARES, self.found))

    def _more_than_expected(self, is_read: Flags, is_relevant: Flags) -> float:
        """Return how many times the expected papers are relevant, judged by those read; 1 while it can't be told."""
        expected = self._expected(len(is_read))[is_read].sum()
        trust = self.n_issues / (self.n_issues + 1)  # in what is expected
        return float((EXPECTED_PAPERS + trust * is_relevant.sum()) / (EXPECTED_PAPERS + trust * expected))


def red(chances: Floats, *, level: float = LEVEL) -> int:
    """Find where the light turns red: from there on, the chance of a missed paper is below 1 - `level`.

    Parameters
    ----------
    chances : array of shape (n_papers,)
        As a `Light` gives them.
    level : float
        Chance to have seen all that suffices, above 0 and at most 1.

    Returns
    -------
    int
        Position, from 1; the last one where the light stays green to the end, and 0 in an empty list.

    Raises
    ------
    ValueError
        If the level is not above 0 and at most 1.

    Examples
    --------
    >>> red(np.array([0.2, 0.6, 0.96, 1.0]))
    3
    """
    if not 0 < level <= 1:
        raise ValueError(f"level must be above 0 and at most 1, got {level!r}")
    reached = (chances >= level).nonzero()[0]
    return int(reached.min(initial=len(chances) - 1)) + 1


def fit_lights(earlier: Mapping[str, Sequence[FinishedIssue]]) -> dict[str, Light]:
    """Learn the light of every report from the issues that were finished before.

    Parameters
    ----------
    earlier : mapping from report code to sequence of FinishedIssue
        Issues sorted by one trained ranker, oldest first; a new report has none. List order is another ranker.

    Returns
    -------
    dict from report code to Light
        Of the same reports.

    Raises
    ------
    ValueError
        If the issues of a report do not stand by day, each with a day of its own.
    """
    newest = {report: [issue for issue in issues if len(issue.places)] for report, issues in earlier.items()}
    newest = {report: issues[-NEWEST:] for report, issues in newest.items()}
    depths = _depths_by_day(newest)
    known = Known.day_by_day(depths)
    surprises = surprises_of(depths, known)
    next_ones = known.at(np.full(len(newest), len(depths)), np.arange(len(newest))).forecasts()
    return {
        report: Light(len(issues), mean, deviation, surprises, _found(issues))
        for (report, issues), mean, deviation in zip(newest.items(), *map(np.ndarray.tolist, next_ones), strict=True)
    }


def _depths_by_day(issues: Mapping[str, Sequence[FinishedIssue]]) -> Floats:
    """Return the last depths of reports, shape (n_days, n_reports); NaN where a report finished nothing."""
    days = {one.day for of_report in issues.values() for one in of_report}
    row_of = {day: row for row, day in enumerate(sorted(days))}
    depths = np.full((len(row_of), len(issues)), np.nan)
    for column, (report, of_report) in enumerate(issues.items()):
        rows = np.array([row_of[one.day] for one in of_report], dtype=np.intp)
        if (np.diff(rows) < 1).any():
            raise ValueError(f"the issues of {report} must stand by day, each with a day of its own")
        depths[rows, column] = _last_depths(of_report)
    return depths


def _depths(places: Positions | NDArray[np.intp], n_papers: int | NDArray[np.intp]) -> Floats:
    return np.cbrt(places / n_papers)


def _last_depths(issues: Sequence[FinishedIssue]) -> Floats:
    return _depths(
        np.array([issue.places[-1] for issue in issues], dtype=np.intp),
        np.array([issue.n_papers for issue in issues], dtype=np.intp),
    )


def _found(issues: Sequence[FinishedIssue]) -> Floats:
    counts = np.zeros(len(SHARES))
    for issue in issues:
        counts += np.searchsorted(issue.places, SHARES * issue.n_papers, side="right")
    return counts / max(sum(issue.n_papers for issue in issues), 1)


def _lower_end(n_successes: NDArray[np.intp], n: int) -> Floats:
    share = n_successes / n
    return (share + 1 / (2 * n) - np.sqrt(share * (1 - share) / n + 1 / (4 * n**2))) / (1 + 1 / n)
