"""Forecast the relevant papers in a report's next issue from earlier issues of the report and the service.

The target recall is a share of papers: 10 %, 5 % or 1 % of the relevant papers may be missed, over the issues of a
report rather than in each of them. The editor reads down to the last paper whose probability of being relevant reaches
a *threshold*. That is further down if much is uncertain, and less far in a clear list. The threshold is set so that the
probabilities below it, in this list and the report's finished ones, sum to the accepted miss rate. With the target
recall *all*, reading continues as long as the probable find is worth its price. The price is calibrated on past lists
so that nothing is missed in 95 % of them (`presort.ranker.stopping.forecast`).

The probabilities are learned (`presort.ranker.stopping.curves`) from the papers that editors of the report and the
service read. Unread papers teach nothing, so a list whose reading stopped early isn't mistaken for one without further
relevant papers. Some issues have more relevant papers than expected, others fewer. The model learns this variance, and
the papers found while reading show in which direction an issue deviates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

import numpy as np
from scipy.special import expit

from presort.ranker.stopping.background import fit_background, with_background
from presort.ranker.stopping.curves import (
    CASE_PRIOR,
    N_COEFFICIENTS,
    Curves,
    Flags,
    Floats,
    Groups,
    cases_of,
    features,
    fit_curves,
    fit_report,
    joined,
    log_likelihood,
    places_of,
    weights_of,
)
from presort.ranker.stopping.finished_list import Basis, FinishedList, check_list
from presort.ranker.stopping.forecast import UNCALIBRATED, Lists, RelevanceForecast, StopCalibration, fit_calibration

NO_LISTS = Basis()
NEWEST = 52  # lists of a report that count
HALF_LIFE = 16  # lists of a report, after which one counts half as much
# Relevant papers in the lists of the service: from so many on curves learned from these hold the target for services of
# any size, and read less than those of a cold start; docs/ranker.md has the table.
ENOUGH = 30
BLOCK, N_BLOCKS = 8, 3  # days of issues forecast from the lists before them; number of newest blocks that count
NEEDED = NEWEST + BLOCK * N_BLOCKS  # newest lists of a report, beyond which no list moves anything

# A cold start: the prior of the curves while the lists of a service can't teach them. It was learned from 95 lists of
# 67 reports on the NBER corpus, in weeks 2 to 14 of new services that had found fewer than 30 relevant papers: services
# of 1, 3, 8 and 20 reports, begun at three times, ranked by presort-2. The fit (-3.5 and 1.2, variances .9 and .08,
# spread .15) was widened, because other services differ more. With it, 96.7 % was found in 62 % of these lists; 98 % of
# 48 papers in 77 % of those of one report on the arXiv.
INTERCEPT, SLOPE = -3.8, 1.2  # log odds in the middle of a list, and per unit of log odds of the place
# Variances among reports. That of the intercept is wide: reports take from 0.5 to 30 % of the papers.
INTERCEPT_VARIANCE, SLOPE_VARIANCE = 1.5, 0.1
SPREAD = 0.5  # of the log odds from issue to issue; in lists so early too little is relevant to learn a wider one
RATE = 0.05  # relevant papers per paper of a list, of a report without lists
NO_BENDS = (0.0, 1e300)  # scores in units of this are 0: they count for nothing
NEXT_TO_NOTHING = 1e-6  # variance of the coefficients of scores

MEAN = np.zeros(N_COEFFICIENTS)
MEAN[[0, -1]] = INTERCEPT, SLOPE
COVARIANCE = NEXT_TO_NOTHING * np.eye(N_COEFFICIENTS)
COVARIANCE[0, 0], COVARIANCE[-1, -1] = INTERCEPT_VARIANCE, SLOPE_VARIANCE


@dataclass(frozen=True, eq=False, slots=True)
class RelevanceModel:
    """Model of a report's relevant papers, fitted by `fit_relevance_models` before its next issue.

    Attributes
    ----------
    curves : Curves
        Of the service; those of `cold_start_curves` while its own lists hold too little.
    report : str
        Code of the report.
    finished : Groups or None
        Of its finished lists; None if there are none.
    calibration : StopCalibration
        Of the service.
    basis : Basis
        Contribution of the report's own lists.
    """

    curves: Curves
    report: str
    finished: Groups | None
    calibration: StopCalibration
    basis: Basis = NO_LISTS

    @property
    def is_ready(self) -> bool:
        """True if the curves were learned from the service's own lists, so that scores count."""
        return self.curves.bends != NO_BENDS

    def forecast(self, scores: Floats, is_read: Flags, is_relevant: Flags) -> RelevanceForecast:
        r"""Forecast the relevant papers of an issue, given the papers read so far, in any order.

        Parameters
        ----------
        scores, is_read, is_relevant : array of shape (n_papers,)
            As of a `FinishedList`; no paper may have been read yet, or some.

        Returns
        -------
        RelevanceForecast
            Of this issue.

        Raises
        ------
        ValueError
            If the arrays are empty or do not match the description.

        Notes
        -----
        The log odds of all papers of an issue are shifted by one normally distributed number. Its variance comes from
        the differences among issues and the uncertainty of the report's own coefficients. In addition each paper has
        the same background chance of being relevant, whose distribution comes from the report's past lists
        (`presort.ranker.stopping.background`). Both distributions, given the papers read, are summed over cases: 31
        shifts, each with 4 backgrounds. Within a case papers are relevant independently of each other.

        Examples
        --------
        >>> scores, nothing = np.linspace(4, -4, 80), np.zeros(80, dtype=bool)
        >>> found = np.isin(np.arange(80), [0, 1, 2, 4, 7, 12, 30])
        >>> lists = [FinishedList(scores, ~nothing, found, date(2026, month, 1)) for month in range(1, 7)]
        >>> relevance_model = fit_relevance_models({"trade": lists}, before=date(2026, 7, 1))["trade"]
        >>> forecast = relevance_model.forecast(scores, nothing, nothing)
        >>> forecast.left()[[0, 9, 39, 79]].round(1).tolist()
        [6.8, 2.8, 0.4, 0.0]
        >>> forecast.stop(0.1)
        28
        """
        check_list(scores, is_read, is_relevant)
        n_found = int(is_relevant.sum())
        is_read = is_read | is_relevant
        cases = _cases(self.curves, self.report, scores)
        weights = weights_of(log_likelihood(cases, is_read, is_relevant).sum(axis=1))
        chances = expit(cases)
        lists = _lists(self.curves, self.report, CASE_PRIOR @ chances, self.finished)
        return RelevanceForecast(
            n_found, weights @ chances, np.where(is_read, 0, chances), weights, lists, self.calibration
        )

    def chances_when_read(self, scores: Floats, is_read: Flags, is_relevant: Flags) -> Floats:
        """Return the forecast chance of each read paper, given that the papers above it had been read.

        What was found above moves it, and decides how far is read. So over many papers their sum comes near to the
        number that are relevant, wherever editors stopped, and whatever was drawn at random from the rest.

        Parameters
        ----------
        scores, is_read, is_relevant : array of shape (n_papers,)
            As of a `FinishedList`.

        Returns
        -------
        array of shape (n_papers,)
            From 0 to 1, and 0 of papers that were not read.

        Raises
        ------
        ValueError
            If the arrays are empty or do not match the description.

        References
        ----------
        Dawid, Statistical theory: the prequential approach, Journal of the Royal Statistical Society A 147, 1984.
        """
        check_list(scores, is_read, is_relevant)
        is_read = is_read | is_relevant
        cases = _cases(self.curves, self.report, scores)
        up_to = log_likelihood(cases, is_read, is_relevant).cumsum(axis=1)
        above = np.hstack([np.zeros((len(cases), 1)), up_to[:, :-1]])
        return np.where(is_read, (weights_of(above) * expit(cases)).sum(axis=0), 0.0)


def fit_relevance_models(
    finished: Mapping[str, Sequence[FinishedList]], *, before: date, for_all: bool = True
) -> dict[str, RelevanceModel]:
    """Fit the relevance model of every report from the lists before a day.

    Parameters
    ----------
    finished : mapping from report code to sequence of FinishedList
        Lists sorted by one ranker, oldest first; a new report has none.
    before : date
        Only lists of earlier days are learned from.
    for_all : bool
        Calibrate the forecasts for the target recall *all* on past lists. This takes longer than everything else, and
        doesn't affect the other targets.

    Returns
    -------
    dict from report code to RelevanceModel
        Of the same reports. Before 30 relevant papers were found in the newest lists of all of them, they rest on what
        was learned from other services.

    Raises
    ------
    ValueError
        If the lists of a report are not sorted by day, or two have the same day.
    """
    for report, lists in finished.items():
        if any(later.day <= one.day for one, later in pairwise(lists)):
            raise ValueError(f"the lists of {report} must be sorted by day, with at most one list a day")
    curves, groups = _learned(finished, before)
    calibration = _counted(finished, before) if for_all and curves is not None else UNCALIBRATED
    bases = {
        report: Basis.of([one for one in lists if one.day < before][-NEWEST:]) for report, lists in finished.items()
    }
    curves = curves or cold_start_curves(groups)
    return {
        report: RelevanceModel(curves, report, groups.get(report), calibration, bases[report]) for report in finished
    }


def _learned(finished: Mapping[str, Sequence[FinishedList]], before: date) -> tuple[Curves | None, dict[str, Groups]]:
    """Fit the curves of the service before a day. Also return the newest lists of each report that has any."""
    groups, starts = {}, {}
    for report, lists in finished.items():
        if newest := [one for one in lists if one.day < before][-NEWEST:]:
            weights = 0.5 ** (np.arange(len(newest))[::-1] / HALF_LIFE)
            groups[report], starts[report] = joined(
                [_counting(*one) for one in zip(newest, weights.tolist(), strict=True)]
            )
    n_relevant = sum(one.n_relevant.sum() for one in groups.values())
    return fit_curves(groups, starts) if n_relevant >= ENOUGH else None, groups


def _counted(finished: Mapping[str, Sequence[FinishedList]], before: date) -> StopCalibration:
    """Calibrate on the newest lists, each forecast from the lists before its block of days."""
    days = sorted({one.day for lists in finished.values() for one in lists if one.day < before})
    past: list[tuple[Curves, str, Groups]] = []
    for end in range(len(days), 0, -BLOCK)[:N_BLOCKS]:
        first, last = days[max(end - BLOCK, 0)], days[end - 1]
        curves, _ = _learned(finished, first)
        if curves is not None:
            past += [
                (curves, report, one.groups)
                for report, lists in finished.items()
                for one in lists
                if first <= one.day <= last and one.is_relevant.any()
            ]
    return fit_calibration(past)


def _counting(one: FinishedList, weight: float) -> Groups:
    return one.groups._replace(weights=np.full_like(one.groups.weights, weight))


def _cases(curves: Curves, report: str, scores: Floats) -> Floats:
    return cases_of(curves, report, features(scores, places_of(len(scores)), curves.bends), np.ones_like(scores))


def _lists(curves: Curves, report: str, chances: Floats, finished: Groups | None) -> Lists:
    """Return the chances in this list and in those finished before; an old one counts less here too."""
    if finished is None:
        return Lists.of(chances, np.ones_like(chances))
    coefficients, _ = curves.of(report)
    by_curve = features(finished.scores, finished.places, curves.bends) @ coefficients
    earlier = expit(with_background(by_curve, curves.background.chance(report)))
    n_papers = np.concatenate([np.ones_like(chances), finished.weights * finished.n])
    return Lists.of(np.concatenate([chances, earlier]), n_papers)


def cold_start_curves(groups: Mapping[str, Groups]) -> Curves:
    """Return the curves of a cold start, based on the prior and on the few lists of each report.

    A chance depends on the place in the list alone: scores of different rankers have different scales, and where they
    bend is learned from relevant papers.

    Parameters
    ----------
    groups : mapping from report code to Groups
        Of all lists of a report; may be empty.

    Examples
    --------
    >>> cold_start_curves({}).of("new")[0].tolist()
    [-3.8, 0.0, 0.0, 0.0, 1.2]
    """
    own = {
        report: fit_report(features(one.scores, one.places, NO_BENDS), one, MEAN, COVARIANCE)
        for report, one in groups.items()
    }
    rates = {report: float(one.n_relevant.sum() / one.n.sum()) for report, one in groups.items()}
    background = fit_background({}, rates or {"": RATE})._replace(service_rate=RATE)
    return Curves(NO_BENDS, MEAN, COVARIANCE, own, SPREAD, background)
