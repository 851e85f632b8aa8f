"""Probability that a paper is relevant, by its score and its place in the ranked list: one curve per report.

The log odds are linear in the score, bent twice where few relevant papers are left, and in the log odds of the place. A
report's coefficients lean on those of the service by as much as reports are alike: they are normally distributed around
a common mean, and the mean and the covariance are those under which what was found is likeliest (expectation and
maximization, in a fixed number of rounds). Papers that are relevant whatever their score are left to a background
(`presort.ranker.stopping.background`), which is learned in the same rounds.

An issue differs from what is expected by one shift of the log odds of all its papers, unknown before it is read. Its
*cases* are shifts and background chances on a grid; what is read changes their weights.

Lists are learned from in groups of neighbouring papers, small at the top, so that a year of issues is a small table.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from presort.ranker.stopping.background import CASES, Background, evidence_of, fit_background, with_background

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

GROUPS = 40  # of a list, each larger than the one above it
# Shares of the relevant papers that score less than the upper bend, and less than the lower bend if their scores are
# normally distributed. The lower bend isn't a quantile of its own: lists that are cut short lack the papers with the
# lowest scores, so it would move up, and the line fitted to papers above the stop point would extend to those below.
HIGH_BEND, LOW_BEND = 0.2, 0.02
N_COEFFICIENTS = 5
STARTING_STEPS, ROUNDS, STEPS = 12, 5, 2  # of Newton's method for the service; rounds, and steps a report in each
LONGEST_STEP = 1.0  # of a coefficient
LEAST_VARIANCE = 1e-3  # of a coefficient among reports
SHIFTS = np.linspace(-3, 3, 41)  # in log odds, tried for each list
SPREADS = np.linspace(0.15, 1.5, 28)  # standard deviations of these, tried for the service
CASE_STEPS = np.linspace(-3, 3, 31)  # standard deviations by which an issue may differ from what is expected: the cases
NORMAL = np.exp(-(CASE_STEPS**2) / 2) / np.exp(-(CASE_STEPS**2) / 2).sum()
CASE_PRIOR = np.outer(CASES, NORMAL).ravel()  # of all cases: by background, and by how much the issue differs
MOST_SURE = 30.0  # log odds; beyond this, a probability equals 0 or 1 in floating point
SUREST = 1 - 1e-12  # chance; of 1 there is no logarithm


class Groups(NamedTuple):
    """Groups of neighbouring papers of one sorted list, or of several; arrays of shape (n_groups,).

    Attributes
    ----------
    scores, places
        Mean score, and mean log odds of the place, of the papers in a group.
    n, n_read, n_relevant
        Papers, those of them that were read, and those of these that are relevant.
    weights
        Weight of a paper, above 0 and at most 1.
    """

    scores: Floats
    places: Floats
    n: Floats
    n_read: Floats
    n_relevant: Floats
    weights: Floats


class Curves(NamedTuple):
    """Curves of the probability that a paper is relevant, fitted by `fit_curves`.

    Attributes
    ----------
    bends : tuple of (float, float)
        Scores at which the line bends.
    mean, covariance : array of shape (5,) and (5, 5)
        Of the coefficients among reports.
    own : mapping from report code to (array of shape (5,), array of shape (5, 5))
        Coefficients of a report, and their covariance.
    spread : float
        Standard deviation among issues of the shift of the log odds.
    background : Background
        Chance of a paper to be relevant whatever its score.
    """

    bends: tuple[float, float]
    mean: Floats
    covariance: Floats
    own: Mapping[str, tuple[Floats, Floats]]
    spread: float
    background: Background

    def of(self, report: str) -> tuple[Floats, Floats]:
        """Return the coefficients of a report and their covariance; those of the service for a new one."""
        return self.own.get(report, (self.mean, self.covariance))


def places_of(n_papers: int) -> Floats:
    """Return the log odds of the share of a list above the middle of each paper, shape (n_papers,)."""
    places: Floats = logit((np.arange(n_papers) + 0.5) / n_papers)
    return places


def grouped(scores: Floats, is_read: Flags, is_relevant: Flags) -> Groups:
    """Group neighbouring papers of a sorted list.

    Parameters
    ----------
    scores, is_read, is_relevant : array of shape (n_papers,)
        Of each paper, best first; what is relevant was read.

    Returns
    -------
    Groups
        At most 40; each counts whole.
    """
    n_papers = len(scores)
    ends = np.ceil(n_papers * np.linspace(0, 1, GROUPS + 1) ** 2).astype(np.intp)
    starts = np.unique(ends[ends < n_papers])
    n = np.diff(np.append(starts, n_papers)).astype(np.float64)
    mean_scores, mean_places = (np.add.reduceat(values, starts) / n for values in (scores, places_of(n_papers)))
    n_read, n_relevant = (np.add.reduceat(flags.astype(np.float64), starts) for flags in (is_read, is_relevant))
    return Groups(mean_scores, mean_places, n, n_read, n_relevant, np.ones_like(n))


def joined(lists: Sequence[Groups]) -> tuple[Groups, NDArray[np.intp]]:
    """Concatenate the groups of several lists, at least one; return also where those of each list start."""
    starts = np.cumsum([0, *(len(one.n) for one in lists[:-1])], dtype=np.intp)
    return Groups(*(np.concatenate(values) for values in zip(*lists, strict=True))), starts


def features(scores: Floats, places: Floats, bends: tuple[float, float]) -> Floats:
    """Return the features that the log odds are linear in, shape (n, 5). The unit of scores is the bends' distance."""
    low, high = bends
    scores = (scores - low) / (high - low)
    bent = [np.minimum(scores, 0), np.minimum(scores - 1, 0)]
    return np.column_stack([np.ones_like(scores), scores, *bent, -places])


def fit_curves(groups: Mapping[str, Groups], lists: Mapping[str, NDArray[np.intp]]) -> Curves:
    """Learn the curves of all reports.

    Parameters
    ----------
    groups : mapping from report code to Groups
        Of all lists of a report; at least one paper of one report is relevant.
    lists : mapping from report code to array of shape (n_lists,)
        Index of the first group of each list.
    """
    everything, _ = joined([*groups.values()])
    bends = _bends(everything)
    X = {report: features(one.scores, one.places, bends) for report, one in groups.items()}
    rates = {report: _rate(one, lists[report]) for report, one in groups.items()}
    background = fit_background({}, rates)
    # The background counts from the first step: a curve fitted without it flattens out to explain scattered papers,
    # takes them for its own for good, and forgets them as soon as lists are cut short.
    scattered = np.concatenate([np.full_like(one.n, background.chance(report)) for report, one in groups.items()])
    mean, covariance = _mean_alone(np.concatenate([*X.values()]), everything, scattered), np.eye(N_COEFFICIENTS)
    own = dict.fromkeys(groups, (mean, covariance))
    for _ in range(ROUNDS):
        by_curve = {
            report: _by_curve(one, X[report] @ own[report][0], background.chance(report))
            for report, one in groups.items()
        }
        own = {report: _own(X[report], one, own[report][0], mean, covariance) for report, one in by_curve.items()}
        each = np.array([coefficients for coefficients, _ in own.values()])
        mean = each.mean(axis=0)
        unsure = np.sum([one for _, one in own.values()], axis=0)
        covariance = ((each - mean).T @ (each - mean) + unsure) / len(own) + LEAST_VARIANCE * np.eye(N_COEFFICIENTS)
        log_odds = {report: X[report] @ coefficients for report, (coefficients, _) in own.items()}
        background = fit_background(
            {report: evidence_of(log_odds[report], one.n_read, one.n_relevant) for report, one in groups.items()}, rates
        )
    shifted = [
        _likelihoods(log_odds[report], _by_curve(one, log_odds[report], background.chance(report)), lists[report])
        for report, one in groups.items()
    ]
    return Curves(bends, mean, covariance, own, _spread(np.concatenate(shifted)), background)


def fit_report(X: Floats, groups: Groups, mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Learn the coefficients of one report from its lists, and return them and their covariance.

    Parameters
    ----------
    X : array of shape (n_groups, 5)
        Features of its groups.
    groups : Groups
        Of all its lists.
    mean, covariance : array of shape (5,) and (5, 5)
        Of the coefficients among reports.
    """
    coefficients = mean
    for _ in range(ROUNDS):
        coefficients, unsure = _own(X, groups, coefficients, mean, covariance)
    return coefficients, unsure


def _rate(groups: Groups, starts: NDArray[np.intp]) -> float:
    """Return the relevant papers found per paper of a report's lists, without lists that nobody opened."""
    n, n_read = (np.add.reduceat(values, starts) for values in (groups.n, groups.n_read))
    return float(groups.n_relevant.sum() / max(n[n_read > 0].sum(), 1.0))


def _by_curve(groups: Groups, log_odds: Floats, background: Floats | float) -> Groups:
    """Return groups without the relevant papers that are probably relevant by the background (expectation step)."""
    share = expit(log_odds) / expit(with_background(log_odds, background))
    return groups._replace(n_relevant=groups.n_relevant * share)


def _mean_alone(X: Floats, groups: Groups, background: Floats) -> Floats:
    """Return the coefficients under which all lists are likeliest if all reports are alike."""
    mean, weak = np.zeros(N_COEFFICIENTS), LEAST_VARIANCE * np.eye(N_COEFFICIENTS)
    for _ in range(STARTING_STEPS):
        by_curve = _by_curve(groups, X @ mean, background)
        mean, _curvature = _stepped(X, by_curve, mean, np.zeros(N_COEFFICIENTS), weak)
    return mean


def _own(X: Floats, groups: Groups, start: Floats, mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Return a report's coefficients, and their covariance, if reports differ so much from their mean."""
    coefficients, pull = start, _inverse(covariance)
    for _ in range(STEPS):
        coefficients, curvature = _stepped(X, groups, coefficients, mean, pull)
    return coefficients, _inverse(curvature)


def _inverse(matrix: Floats) -> Floats:
    return np.linalg.inv(matrix).astype(np.float64)


def _bends(groups: Groups) -> tuple[float, float]:
    """Return the scores at which the line bends, computed from the median and `HIGH_BEND`."""
    order = np.argsort(groups.scores, kind="stable")
    below = (groups.weights * groups.n_relevant)[order].cumsum()
    high, median = groups.scores[order][np.searchsorted(below, np.array([HIGH_BEND, 0.5]) * below[-1])].tolist()
    low = float(median - (median - high) * ndtri(LOW_BEND) / ndtri(HIGH_BEND))
    return low if low < high else high - 1.0, high


def _stepped(X: Floats, groups: Groups, start: Floats, mean: Floats, pull: Floats) -> tuple[Floats, Floats]:
    """Take one step of Newton's method towards the likeliest coefficients; return also the curvature."""
    chances = expit(X @ start)
    uphill = X.T @ (groups.weights * (groups.n_relevant - groups.n_read * chances)) - pull @ (start - mean)
    information = groups.weights * groups.n_read * chances * (1 - chances)
    curvature: Floats = np.add((X.T * information) @ X, pull)
    stepped: Floats = start + np.clip(np.linalg.solve(curvature, uphill), -LONGEST_STEP, LONGEST_STEP)
    return stepped, curvature


def _likelihoods(log_odds: Floats, groups: Groups, starts: NDArray[np.intp]) -> Floats:
    """Return the log likelihood of each list if its log odds are shifted by each of `SHIFTS`."""
    shifted = log_odds[:, None] + SHIFTS
    each = groups.n_relevant[:, None] * shifted - groups.n_read[:, None] * np.logaddexp(0, shifted)
    return np.add.reduceat(each, starts, axis=0)


def _spread(likelihoods: Floats) -> float:
    """Return the spread of the shifts under which the lists are likeliest."""
    best = likelihoods.max(axis=1, keepdims=True)
    likely = np.exp(likelihoods - best)
    totals = []
    for spread in SPREADS:
        density = np.exp(-((SHIFTS / spread) ** 2) / 2)
        totals.append(np.log(likely @ (density / density.sum())).sum())
    return float(SPREADS[np.argmax(totals)])


def cases_of(curves: Curves, report: str, X: Floats, n: Floats) -> Floats:
    """Return the log odds of the papers of an issue, or of its groups, in each case.

    Parameters
    ----------
    curves : Curves
        Of the service.
    report : str
        Code of the report.
    X : array of shape (n_groups, 5)
        Their features, best first.
    n : array of shape (n_groups,)
        Papers in each.

    Returns
    -------
    array of shape (124, n_groups)
        In each case never rising.
    """
    coefficients, unsure = curves.of(report)
    log_odds = np.clip(np.minimum.accumulate(X @ coefficients), -MOST_SURE, MOST_SURE)
    relevant = n * expit(log_odds)
    typical = relevant @ X / relevant.sum()  # of a relevant paper: as unsure as its log odds is the level of the report
    differing = log_odds + curves.spread * CASE_STEPS[:, None]
    straight = 2 * log_odds - logit(NORMAL @ expit(differing))  # the mean over issues is what the curve says
    by_curve = straight + np.sqrt(curves.spread**2 + typical @ unsure @ typical) * CASE_STEPS[:, None]
    chances = curves.background.chances(report)
    return np.concatenate([with_background(by_curve, chance) for chance in chances])


def log_likelihood(cases: Floats, n_read: Floats | NDArray[np.bool_], n_relevant: Floats | NDArray[np.bool_]) -> Floats:
    """Return the log likelihood of the read papers of each group, in each of the cases. 0 if nothing was read."""
    likely: Floats = n_relevant * cases - n_read * np.logaddexp(0, cases)
    return likely


def weights_of(likelihoods: Floats) -> Floats:
    """Return the posterior probabilities of the cases (first axis), given the log likelihood of the read papers."""
    likely = (likelihoods.T + np.log(CASE_PRIOR)).T
    weights = np.exp(likely - likely.max(axis=0))
    shares: Floats = weights / weights.sum(axis=0)
    return shares


def any_below(chances: Floats, weights: Floats, n: Floats | float = 1.0) -> Floats:
    """Return the chance that any paper further down is relevant, given the chances of one in each case.

    Parameters
    ----------
    chances : array of shape (n_cases, n_groups)
        Of a paper in each group, best first.
    weights : array of shape (n_cases,)
        Chances of the cases.
    n : array of shape (n_groups,), or float
        Papers in each group.

    Returns
    -------
    array of shape (n_groups,)
        From 0 to 1, never rising, and 0 at the end.
    """
    none = (n * np.log1p(-np.minimum(chances, SUREST)))[:, :0:-1].cumsum(axis=1)[:, ::-1]
    return np.append(np.minimum(weights @ -np.expm1(none), 1), 0.0)
