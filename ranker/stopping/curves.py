"""Probability of a paper being relevant, given its score and position in the ranked list, with a curve per report.

The log odds are linear in the logit of the position and piecewise linear in the score, with two bends, both at low
scores, where there are few relevant papers. A report's coefficients shrink towards those of the service, and shrink
more if reports resemble each other. The model is a normal distribution of the reports' coefficients around a common
mean. The mean and the covariance maximise the likelihood of the decisions (expectation-maximisation with a fixed number
of rounds). Papers that are relevant regardless of their score belong to a background
(`presort.ranker.stopping.background`), which is fitted in the same rounds.

An issue deviates from its curve by one shift of all log odds, which is unknown before the issue is read. The *cases* of
an issue are a grid of shifts and background probabilities. Each decision updates the weights of the cases.

To keep the table of a year's issues small, the curves are fitted to groups of neighbouring papers. Groups at the top of
a list are smaller.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from presort.ranker.stopping.background import CASES, Background, add_background, evidence_of, fit_background

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

GROUPS = 40  # number of groups per list, each of which is larger than the group above it
# Shares of the relevant papers that score below the upper and the lower bend. The lower bend is extrapolated under the
# assumption of normally distributed scores. An observed quantile would move up when editors stop early, because such
# lists lack the lowest scores. The line fitted above the stop point would then also be used for the papers below.
HIGH_BEND, LOW_BEND = 0.2, 0.02
N_COEFFICIENTS = 5
# Newton steps for the service's initial mean; rounds of expectation-maximisation; Newton steps per report and round.
STARTING_STEPS, ROUNDS, STEPS = 12, 5, 2
LONGEST_STEP = 1.0  # largest change of a coefficient in one Newton step
LEAST_VARIANCE = 1e-3  # lower bound on the variance of a coefficient across reports
SHIFTS = np.linspace(-3, 3, 41)  # grid for the shift of a past list, in log odds
SPREADS = np.linspace(0.15, 1.5, 28)  # grid for the standard deviation of shifts in the service
CASE_STEPS = np.linspace(-3, 3, 31)  # grid for the shift of a new issue, in standard deviations
NORMAL = np.exp(-(CASE_STEPS**2) / 2) / np.exp(-(CASE_STEPS**2) / 2).sum()
CASE_PRIOR = np.outer(CASES, NORMAL).ravel()  # prior probability for each combination of background and shift
MOST_SURE = 30.0  # log odds; beyond this, a probability equals 0 or 1 in floating point
SUREST = 1 - 1e-12  # upper bound on probabilities, because log(1 - p) is infinite at 1


class Groups(NamedTuple):
    """Groups of neighbouring papers in one or more ranked lists; arrays of shape (n_groups,).

    Attributes
    ----------
    scores, places
        Mean score of each group's papers, and mean logit of their positions.
    n, n_read, n_relevant
        Each group's number of papers, read papers and relevant papers.
    weights
        Weight of each paper in the group, above 0 and at most 1.
    """

    scores: Floats
    places: Floats
    n: Floats
    n_read: Floats
    n_relevant: Floats
    weights: Floats


class Curves(NamedTuple):
    """Curves for the probability that a paper is relevant, as fitted by `fit_curves`.

    Attributes
    ----------
    bends : tuple of (float, float)
        Scores of the lower and the upper bend.
    mean, covariance : array of shape (5,) and (5, 5)
        Mean and covariance of the coefficients among reports.
    own : mapping from report code to (array of shape (5,), array of shape (5, 5))
        Each report's coefficients, and their covariance.
    spread : float
        Standard deviation of issues' shifts in log odds.
    background : Background
        Probability that a paper is relevant regardless of its score.
    """

    bends: tuple[float, float]
    mean: Floats
    covariance: Floats
    own: Mapping[str, tuple[Floats, Floats]]
    spread: float
    background: Background

    def of(self, report: str) -> tuple[Floats, Floats]:
        """Return a report's coefficients and their covariance. A new report gets those of the service."""
        return self.own.get(report, (self.mean, self.covariance))


def places_of(n_papers: int) -> Floats:
    """Return the logit of each paper's relative position in a list, shape (n_papers,), negative in the top half."""
    places: Floats = logit((np.arange(n_papers) + 0.5) / n_papers)
    return places


def group_papers(scores: Floats, is_read: Flags, is_relevant: Flags) -> Groups:
    """Group neighbouring papers in a ranked list.

    Parameters
    ----------
    scores, is_read, is_relevant : array of shape (n_papers,)
        Score and flags of each paper, best first. Relevant papers must also be flagged as read.

    Returns
    -------
    Groups
        At most 40 groups, each with weight 1.
    """
    n_papers = len(scores)
    ends = np.ceil(n_papers * np.linspace(0, 1, GROUPS + 1) ** 2).astype(np.intp)
    starts = np.unique(ends[ends < n_papers])
    n = np.diff(np.append(starts, n_papers)).astype(np.float64)
    mean_scores, mean_places = (np.add.reduceat(values, starts) / n for values in (scores, places_of(n_papers)))
    n_read, n_relevant = (np.add.reduceat(flags.astype(np.float64), starts) for flags in (is_read, is_relevant))
    return Groups(mean_scores, mean_places, n, n_read, n_relevant, np.ones_like(n))


def concatenate(lists: Sequence[Groups]) -> tuple[Groups, NDArray[np.intp]]:
    """Concatenate the groups of one or more lists. Also return the index of each list's first group."""
    starts = np.cumsum([0, *(len(one.n) for one in lists[:-1])], dtype=np.intp)
    return Groups(*(np.concatenate(values) for values in zip(*lists, strict=True))), starts


def features(scores: Floats, places: Floats, bends: tuple[float, float]) -> Floats:
    """Return the features for the linear model of the log odds, shape (n, 5). The bends are scaled to 0 and 1."""
    low, high = bends
    scores = (scores - low) / (high - low)
    bent = [np.minimum(scores, 0), np.minimum(scores - 1, 0)]
    return np.column_stack([np.ones_like(scores), scores, *bent, -places])


def fit_curves(groups: Mapping[str, Groups], lists: Mapping[str, NDArray[np.intp]]) -> Curves:
    """Fit the curves of all reports.

    Parameters
    ----------
    groups : mapping from report code to Groups
        For each report, groups of papers in all of its lists. At least one paper must be relevant.
    lists : mapping from report code to array of shape (n_lists,)
        Index of each list's first group.
    """
    everything, _ = concatenate([*groups.values()])
    bends = _bends(everything)
    X = {report: features(one.scores, one.places, bends) for report, one in groups.items()}
    rates = {report: relevant_share(one, lists[report]) for report, one in groups.items()}
    background = fit_background({}, rates)
    # The background is included from the first step. A curve fitted without it flattens out to explain scattered
    # papers. Later rounds don't correct this, and once editors stop reading early, the curve ignores these papers.
    scattered = np.concatenate([np.full_like(one.n, background.chance(report)) for report, one in groups.items()])
    mean, covariance = _fit_common_mean(np.concatenate([*X.values()]), everything, scattered), np.eye(N_COEFFICIENTS)
    own = dict.fromkeys(groups, (mean, covariance))
    for _ in range(ROUNDS):
        by_curve = {
            report: _subtract_background(one, X[report] @ own[report][0], background.chance(report))
            for report, one in groups.items()
        }
        own = {
            report: _fit_coefficients(X[report], one, own[report][0], mean, covariance)
            for report, one in by_curve.items()
        }
        each = np.array([coefficients for coefficients, _ in own.values()])
        mean = each.mean(axis=0)
        unsure = np.sum([one for _, one in own.values()], axis=0)
        covariance = ((each - mean).T @ (each - mean) + unsure) / len(own) + LEAST_VARIANCE * np.eye(N_COEFFICIENTS)
        log_odds = {report: X[report] @ coefficients for report, (coefficients, _) in own.items()}
        background = fit_background(
            {report: evidence_of(log_odds[report], one.n_read, one.n_relevant) for report, one in groups.items()}, rates
        )
    shifted = [
        _likelihoods(
            log_odds[report], _subtract_background(one, log_odds[report], background.chance(report)), lists[report]
        )
        for report, one in groups.items()
    ]
    return Curves(bends, mean, covariance, own, _spread(np.concatenate(shifted)), background)


def fit_report(X: Floats, groups: Groups, mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Fit a report's coefficients to its lists. Return the coefficients and their covariance.

    Parameters
    ----------
    X : array of shape (n_groups, 5)
        Features of the groups.
    groups : Groups
        Groups of papers in all lists of the report.
    mean, covariance : array of shape (5,) and (5, 5)
        Prior: mean and covariance of the coefficients among reports.
    """
    coefficients = mean
    for _ in range(ROUNDS):
        coefficients, unsure = _fit_coefficients(X, groups, coefficients, mean, covariance)
    return coefficients, unsure


def relevant_share(groups: Groups, starts: NDArray[np.intp]) -> float:
    """Return the share of papers in a report's lists that are relevant. Unread lists are excluded.

    `starts` contains the index of each list's first group.
    """
    n, n_read = (np.add.reduceat(values, starts) for values in (groups.n, groups.n_read))
    return float(groups.n_relevant.sum() / max(n[n_read > 0].sum(), 1.0))


def _subtract_background(groups: Groups, log_odds: Floats, background: Floats | float) -> Groups:
    """Subtract the expected background papers from each group's relevant papers (expectation step)."""
    share = expit(log_odds) / expit(add_background(log_odds, background))
    return groups._replace(n_relevant=groups.n_relevant * share)


def _fit_common_mean(X: Floats, groups: Groups, background: Floats) -> Floats:
    """Fit one set of coefficients to the lists of all reports, by maximum likelihood."""
    mean, weak = np.zeros(N_COEFFICIENTS), LEAST_VARIANCE * np.eye(N_COEFFICIENTS)
    for _ in range(STARTING_STEPS):
        by_curve = _subtract_background(groups, X @ mean, background)
        mean, _curvature = _newton_step(X, by_curve, mean, np.zeros(N_COEFFICIENTS), weak)
    return mean


def _fit_coefficients(
    X: Floats, groups: Groups, start: Floats, mean: Floats, covariance: Floats
) -> tuple[Floats, Floats]:
    """Return a report's coefficients and their covariance, given the mean and covariance over all reports."""
    coefficients, pull = start, _inverse(covariance)
    for _ in range(STEPS):
        coefficients, curvature = _newton_step(X, groups, coefficients, mean, pull)
    return coefficients, _inverse(curvature)


def _inverse(matrix: Floats) -> Floats:
    return np.linalg.inv(matrix).astype(np.float64)


def _bends(groups: Groups) -> tuple[float, float]:
    """Return the scores of the two bends, computed from the median and `HIGH_BEND`."""
    order = np.argsort(groups.scores, kind="stable")
    below = (groups.weights * groups.n_relevant)[order].cumsum()
    high, median = groups.scores[order][np.searchsorted(below, np.array([HIGH_BEND, 0.5]) * below[-1])].tolist()
    low = float(median - (median - high) * ndtri(LOW_BEND) / ndtri(HIGH_BEND))
    return low if low < high else high - 1.0, high


def _newton_step(X: Floats, groups: Groups, start: Floats, mean: Floats, pull: Floats) -> tuple[Floats, Floats]:
    """Take a Newton step towards the most probable coefficients. Return the result and the curvature at the start."""
    chances = expit(X @ start)
    uphill = X.T @ (groups.weights * (groups.n_relevant - groups.n_read * chances)) - pull @ (start - mean)
    information = groups.weights * groups.n_read * chances * (1 - chances)
    curvature: Floats = np.add((X.T * information) @ X, pull)
    stepped: Floats = start + np.clip(np.linalg.solve(curvature, uphill), -LONGEST_STEP, LONGEST_STEP)
    return stepped, curvature


def _likelihoods(log_odds: Floats, groups: Groups, starts: NDArray[np.intp]) -> Floats:
    """Return the log likelihood of each list (rows) for each of `SHIFTS` (columns)."""
    shifted = log_odds[:, None] + SHIFTS
    each = groups.n_relevant[:, None] * shifted - groups.n_read[:, None] * np.logaddexp(0, shifted)
    return np.add.reduceat(each, starts, axis=0)


def _spread(likelihoods: Floats) -> float:
    """Return the maximum-likelihood estimate of the standard deviation of the lists' shifts."""
    best = likelihoods.max(axis=1, keepdims=True)
    likely = np.exp(likelihoods - best)
    totals = []
    for spread in SPREADS:
        density = np.exp(-((SHIFTS / spread) ** 2) / 2)
        totals.append(np.log(likely @ (density / density.sum())).sum())
    return float(SPREADS[np.argmax(totals)])


def cases_of(curves: Curves, report: str, X: Floats, n: Floats) -> Floats:
    """Return the log odds of an issue's papers (or groups of papers) in each case.

    Parameters
    ----------
    curves : Curves
        The service's curves.
    report : str
        Code of the report.
    X : array of shape (n_groups, 5)
        Features of the papers or groups, best first.
    n : array of shape (n_groups,)
        Number of papers in each group, or 1 for single papers.

    Returns
    -------
    array of shape (124, n_groups)
        Log odds, in non-increasing order within each case.
    """
    coefficients, unsure = curves.of(report)
    log_odds = np.clip(np.minimum.accumulate(X @ coefficients), -MOST_SURE, MOST_SURE)
    relevant = n * expit(log_odds)
    # Mean features of a relevant paper. The variance of its log odds is used as the uncertainty of the report's level.
    typical = relevant @ X / relevant.sum()
    differing = log_odds + curves.spread * CASE_STEPS[:, None]
    # The mean probability over all shifts differs from the curve. This correction makes the two nearly equal.
    straight = 2 * log_odds - logit(NORMAL @ expit(differing))
    by_curve = straight + np.sqrt(curves.spread**2 + typical @ unsure @ typical) * CASE_STEPS[:, None]
    chances = curves.background.chances(report)
    return np.concatenate([add_background(by_curve, chance) for chance in chances])


def log_likelihood(
    cases: Floats, softplus: Floats, n_read: Floats | NDArray[np.bool_], n_relevant: Floats | NDArray[np.bool_]
) -> Floats:
    """Return the log likelihood of each group's read papers in each case, which is 0 for a group without read papers.

    Parameters
    ----------
    cases : array of shape (n_cases, n_groups)
        Log odds of each group's papers in each case.
    softplus : array of shape (n_cases, n_groups)
        log(1 + exp(log odds)). It is an argument because computing it takes longer than everything else.
    n_read, n_relevant : array of shape (n_groups,)
        For each group, the number of papers that were read, and the number of read papers that are relevant.
    """
    likely: Floats = n_relevant * cases - n_read * softplus
    return likely


def weights_of(likelihoods: Floats) -> Floats:
    """Return the posterior probabilities of the cases (first axis), given the cases' log likelihoods."""
    likely = (likelihoods.T + np.log(CASE_PRIOR)).T
    weights = np.exp(likely - likely.max(axis=0))
    shares: Floats = weights / weights.sum(axis=0)
    return shares


def any_below(chances: Floats, weights: Floats, n: Floats | float = 1.0) -> Floats:
    """Return the probability that at least one paper below each group is relevant.

    Parameters
    ----------
    chances : array of shape (n_cases, n_groups)
        Probability, in each case, that any given paper in a group is relevant, best group first.
    weights : array of shape (n_cases,)
        Probabilities of the cases.
    n : array of shape (n_groups,), or float
        Number of papers in each group.

    Returns
    -------
    array of shape (n_groups,)
        Probabilities from 0 to 1, in non-increasing order. The last probability is 0.
    """
    none = (n * np.log1p(-np.minimum(chances, SUREST)))[:, :0:-1].cumsum(axis=1)[:, ::-1]
    return np.append(np.minimum(weights @ -np.expm1(none), 1), 0.0)
