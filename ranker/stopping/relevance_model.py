"""Model that forecasts the relevant papers in a report's next issue, based on earlier issues of all reports.

The model estimates the probability that each paper is relevant. The editor should read down to the last paper whose
probability reaches a *threshold*. The less certain the model is about a list, the further down this paper is. The
threshold follows from the target recall. If the target is 95 %, for example, 5 % of the expected relevant papers may
have lower probabilities than the threshold, summed over this list and the report's finished lists. In a single list,
more papers may therefore be missed. With the target recall *all*, reading continues while the expected gain exceeds the
price of reading. The price is calibrated on past lists so that nothing is missed in 95 % of them
(`presort.ranker.stopping.forecast`).

The probabilities are learned (`presort.ranker.stopping.curves`) from the papers that editors of the report and the
service read. Unread papers are not used as negative examples, so a list in which the editor stopped early isn't
mistaken for a list without further relevant papers. Some issues have more relevant papers than expected, others fewer.
The model learns this variance, and the papers found while reading show in which direction an issue deviates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from presort.ranker.stopping.background import add_background, fit_background
from presort.ranker.stopping.curves import (
    CASE_PRIOR,
    N_COEFFICIENTS,
    Curves,
    Flags,
    Floats,
    Groups,
    cases_of,
    concatenate,
    features,
    fit_curves,
    fit_report,
    log_likelihood,
    places_of,
    relevant_share,
    weights_of,
)
from presort.ranker.stopping.finished_list import Basis, FinishedList, check_list, check_scores
from presort.ranker.stopping.forecast import UNCALIBRATED, Lists, RelevanceForecast, StopCalibration, fit_calibration

NO_LISTS = Basis()
NEWEST = 52  # number of each report's newest lists that the model is fitted to
HALF_LIFE = 16  # half-life in lists: the weight of a list halves with every 16 newer lists of its report
# Number of relevant papers that the service's lists must contain before its own curves replace the cold start. With so
# many papers, its own curves reach the target recall with less reading, in services of any size (docs/stopping.md).
ENOUGH = 30
BLOCK = 8  # number of issue dates per calibration block; each block is forecast from earlier lists
N_BLOCKS = 3  # number of newest blocks that are used for calibration
NEEDED = NEWEST + BLOCK * N_BLOCKS  # number of newest lists that can affect a report's model; load only these

# Prior of the curves for a cold start, used while a service has too few lists to fit its own. It was learned from 95
# lists of 67 reports on the NBER corpus, in weeks 2 to 14 of new services with fewer than 30 relevant papers: services
# of 1, 3, 8 and 20 reports, started on three dates, ranked by presort-2. The fitted values (-3.5 and 1.2, variances .9
# and .08, spread .15) were widened, because other services differ more. With this prior, reading 62 % of these lists
# found 96.7 % of the relevant papers. On the arXiv, reading 77 % of one report's lists found 98 % of its 48 papers.
INTERCEPT, SLOPE = -3.8, 1.2  # log odds in the middle of a list, and their change per unit of the position's log odds
# Variances across reports. The intercept's is wide because between 0.5 and 30 % of the papers are relevant to a report.
INTERCEPT_VARIANCE, SLOPE_VARIANCE = 1.5, 0.1
# Standard deviation of the log odds across issues. It exceeds the fitted .15, because a report's first lists have too
# few relevant papers to show how much its issues differ.
SPREAD = 0.5
RATE = 0.05  # assumed share of relevant papers in the lists of a new report
NO_BENDS = (0.0, 1e300)  # so far apart that scores, scaled by the distance of the bends, are 0 and have no effect
# Variance of the score coefficients, which a cold start doesn't use. If it were 0, the covariance would be singular.
NEXT_TO_NOTHING = 1e-6

MEAN = np.zeros(N_COEFFICIENTS)
MEAN[[0, -1]] = INTERCEPT, SLOPE
COVARIANCE = NEXT_TO_NOTHING * np.eye(N_COEFFICIENTS)
COVARIANCE[0, 0], COVARIANCE[-1, -1] = INTERCEPT_VARIANCE, SLOPE_VARIANCE


@dataclass(frozen=True, eq=False, slots=True)
class RelevanceModel:
    """Model of the relevant papers in a report's next issue, as fitted by `fit_relevance_models`.

    Attributes
    ----------
    curves : Curves
        Curves of the service, or `cold_start_curves` while its lists contain too few relevant papers.
    report : str
        Code of the report.
    finished : Groups or None
        Groups of papers in the report's finished lists. None if it has no finished lists.
    calibration : StopCalibration
        Calibration of the target recall *all*, shared by all reports of the service.
    basis : Basis
        Number of the report's own lists and spot-checked papers on which the forecasts are based.
    """

    curves: Curves
    report: str
    finished: Groups | None
    calibration: StopCalibration
    basis: Basis = NO_LISTS

    @property
    def is_ready(self) -> bool:
        """True if the curves were fitted to the service's own lists. Cold-start curves ignore the scores."""
        return self.curves.bends != NO_BENDS

    def forecast(self, scores: Floats, is_read: Flags, is_relevant: Flags) -> RelevanceForecast:
        r"""Forecast the relevant papers in an issue, given the papers read so far.

        The papers may have been read in any order.

        Parameters
        ----------
        scores, is_read, is_relevant : array of shape (n_papers,)
            Scores and flags of the papers, as in `FinishedList`. Any number of papers may have been read, including 0.

        Returns
        -------
        RelevanceForecast
            Forecast of this issue.

        Raises
        ------
        ValueError
            If the arrays are empty or have the wrong shape or type.

        Notes
        -----
        All log odds of an issue share one normally distributed shift. Its variance combines the differences between
        issues with the uncertainty of the report's coefficients. Each paper also has the same background probability
        of being relevant, whose distribution is learned from the report's past lists
        (`presort.ranker.stopping.background`). The joint posterior of the shift and the background probability, given
        the papers read, is computed on a grid of 124 cases: 31 shifts with 4 background probabilities each. Within a
        case, papers are independent.

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
        return self.for_list(scores).forecast(is_read, is_relevant)

    def for_list(self, scores: Floats) -> "ListModel":
        """Return a model for a single list, which can make a new forecast at any time while the list is being read.

        Parameters
        ----------
        scores : array of shape (n_papers,)
            Scores of the papers, as in `FinishedList`.

        Raises
        ------
        ValueError
            If the array is empty or has the wrong shape or type.
        """
        check_scores(scores)
        cases = _cases(self.curves, self.report, scores)
        chances = expit(cases)
        lists = _lists(self.curves, self.report, CASE_PRIOR @ chances, self.finished)
        return ListModel(scores, cases, np.logaddexp(0, cases), chances, lists, self.calibration, self.is_ready)

    def chances_when_read(self, scores: Floats, is_read: Flags, is_relevant: Flags) -> Floats:
        """Return the probability that each read paper is relevant, given the decisions on the papers above it.

        Each probability is a forecast from earlier outcomes alone (prequential), made just before the paper was read.
        The position at which the editor stops depends on the same outcomes, so stopping early doesn't bias the
        forecasts. If the model is right, the sum of the forecasts for many papers matches their number of relevant
        papers, with or without a spot check.

        Parameters
        ----------
        scores, is_read, is_relevant : array of shape (n_papers,)
            Scores and flags of the papers, as in `FinishedList`.

        Returns
        -------
        array of shape (n_papers,)
            Probabilities from 0 to 1, which are 0 for unread papers.

        Raises
        ------
        ValueError
            If the arrays are empty or have the wrong shape or type.

        References
        ----------
        Dawid, Statistical theory: the prequential approach, Journal of the Royal Statistical Society A 147, 1984.
        """
        check_list(scores, is_read, is_relevant)
        is_read = is_read | is_relevant
        cases = _cases(self.curves, self.report, scores)
        up_to = log_likelihood(cases, np.logaddexp(0, cases), is_read, is_relevant).cumsum(axis=1)
        above = np.hstack([np.zeros((len(cases), 1)), up_to[:, :-1]])
        return np.where(is_read, (weights_of(above) * expit(cases)).sum(axis=0), 0.0)


@dataclass(frozen=True, eq=False, slots=True)
class ListModel:
    """Relevance model for a single list, returned by `RelevanceModel.for_list`.

    It contains everything that doesn't depend on the papers read. Computing it takes 20 times as long as a forecast.

    Attributes
    ----------
    scores : array of shape (n_papers,)
        Scores of the papers.
    cases, softplus, chances : array of shape (124, n_papers)
        Log odds of each paper in each case, log(1 + exp(log odds)), and probabilities.
    lists : Lists
        Pooled probabilities of this list and the report's finished lists.
    calibration : StopCalibration
        Calibration of the target recall *all*.
    is_ready : bool
        As in `RelevanceModel`.
    """

    scores: Floats
    cases: Floats
    softplus: Floats
    chances: Floats
    lists: Lists
    calibration: StopCalibration
    is_ready: bool

    def forecast(self, is_read: Flags, is_relevant: Flags) -> RelevanceForecast:
        """Return `RelevanceModel.forecast` for this list."""
        check_list(self.scores, is_read, is_relevant)
        n_found = int(is_relevant.sum())
        is_read = is_read | is_relevant
        weights = weights_of(log_likelihood(self.cases, self.softplus, is_read, is_relevant).sum(axis=1))
        hidden = np.where(is_read, 0, self.chances)
        return RelevanceForecast(n_found, weights @ self.chances, hidden, weights, self.lists, self.calibration)


def fit_relevance_models(
    finished: Mapping[str, Sequence[FinishedList]], *, before: date, for_all: bool = True
) -> dict[str, RelevanceModel]:
    """Fit each report's relevance model to the lists before a date.

    Parameters
    ----------
    finished : mapping from report code to sequence of FinishedList
        Finished lists of each report, oldest first, all ranked by the same ranker. Empty for a new report.
    before : date
        Only lists with earlier dates are used.
    for_all : bool
        Also calibrate the forecasts for the target recall *all* on past lists. This takes most of the time and
        doesn't affect the other targets.

    Returns
    -------
    dict from report code to RelevanceModel
        One model for each report in `finished`. The models use `cold_start_curves` if the newest lists of all reports
        together contain fewer than 30 relevant papers.

    Raises
    ------
    ValueError
        If the lists of a report are not sorted by date, or two have the same date.
    """
    for report, lists in finished.items():
        if any(later.day <= one.day for one, later in pairwise(lists)):
            raise ValueError(f"the lists of {report} must be sorted by date, with at most one list per date")
    curves, groups, starts = _fit_curves_before(finished, before)
    calibration = _calibrate_before(finished, before) if for_all and curves is not None else UNCALIBRATED
    bases = {
        report: Basis.of([one for one in lists if one.day < before][-NEWEST:]) for report, lists in finished.items()
    }
    curves = curves or cold_start_curves(groups, starts)
    return {
        report: RelevanceModel(curves, report, groups.get(report), calibration, bases[report]) for report in finished
    }


def _fit_curves_before(
    finished: Mapping[str, Sequence[FinishedList]], before: date
) -> tuple[Curves | None, dict[str, Groups], dict[str, NDArray[np.intp]]]:
    """Fit the service's curves to lists before a date. Return the curves, and each report's newest lists in groups.

    The curves are None if the lists contain too few relevant papers. The last value is the index of each list's first
    group, by report.
    """
    groups: dict[str, Groups] = {}
    starts: dict[str, NDArray[np.intp]] = {}
    for report, lists in finished.items():
        if newest := [one for one in lists if one.day < before][-NEWEST:]:
            weights = 0.5 ** (np.arange(len(newest))[::-1] / HALF_LIFE)
            groups[report], starts[report] = concatenate(
                [_counting(*one) for one in zip(newest, weights.tolist(), strict=True)]
            )
    n_relevant = sum(one.n_relevant.sum() for one in groups.values())
    return fit_curves(groups, starts) if n_relevant >= ENOUGH else None, groups, starts


def _calibrate_before(finished: Mapping[str, Sequence[FinishedList]], before: date) -> StopCalibration:
    """Fit the calibration to the newest lists. Each list is forecast from the lists before its block of issue dates."""
    days = sorted({one.day for lists in finished.values() for one in lists if one.day < before})
    past: list[tuple[Curves, str, Groups]] = []
    for end in range(len(days), 0, -BLOCK)[:N_BLOCKS]:
        first, last = days[max(end - BLOCK, 0)], days[end - 1]
        curves, *_ = _fit_curves_before(finished, first)
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
    """Pool the probabilities from this list with those from the report's finished lists, which are weighted by age."""
    if finished is None:
        return Lists.of(chances, np.ones_like(chances))
    coefficients, _ = curves.of(report)
    by_curve = features(finished.scores, finished.places, curves.bends) @ coefficients
    earlier = expit(add_background(by_curve, curves.background.chance(report)))
    n_papers = np.concatenate([np.ones_like(chances), finished.weights * finished.n])
    return Lists.of(np.concatenate([chances, earlier]), n_papers)


def cold_start_curves(groups: Mapping[str, Groups], lists: Mapping[str, NDArray[np.intp]]) -> Curves:
    """Return the curves for a cold start, which combine the prior with each report's few lists.

    The probability of a paper depends only on its position in the list. Scores are not used, because their scale
    differs between rankers and their bends can only be learned from relevant papers.

    Parameters
    ----------
    groups : mapping from report code to Groups
        Groups of papers in all lists of each report. May be empty.
    lists : mapping from report code to array of shape (n_lists,)
        Index of each list's first group.

    Examples
    --------
    >>> cold_start_curves({}, {}).of("new")[0].tolist()
    [-3.8, 0.0, 0.0, 0.0, 1.2]
    """
    own = {
        report: fit_report(features(one.scores, one.places, NO_BENDS), one, MEAN, COVARIANCE)
        for report, one in groups.items()
    }
    rates = {report: relevant_share(one, lists[report]) for report, one in groups.items()}
    background = fit_background({}, rates or {"": RATE})._replace(service_rate=RATE)
    return Curves(NO_BENDS, MEAN, COVARIANCE, own, SPREAD, background)
