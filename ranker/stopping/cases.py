"""The cases that an issue may be: log odds of all its papers are shifted by one number, unknown before it is read."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from presort.ranker.stopping.background import CASES, with_background
from presort.ranker.stopping.curves import Curves, Floats

STEPS = np.linspace(-3, 3, 31)  # standard deviations by which an issue may differ from what is expected: the cases
NORMAL = np.exp(-(STEPS**2) / 2) / np.exp(-(STEPS**2) / 2).sum()
PRIOR = np.outer(CASES, NORMAL).ravel()  # of all cases: by background, and by how much the issue differs
MOST_SURE = 30.0  # log odds; beyond, a chance could not be told from 0 or 1
SUREST = 1 - 1e-12  # chance; of 1 there is no logarithm


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
    differing = log_odds + curves.spread * STEPS[:, None]
    straight = 2 * log_odds - logit(NORMAL @ expit(differing))  # the mean over issues is what the curve says
    by_curve = straight + np.sqrt(curves.spread**2 + typical @ unsure @ typical) * STEPS[:, None]
    chances = curves.background.chances(report)
    return np.concatenate([with_background(by_curve, chance) for chance in chances])


def log_likelihood(cases: Floats, n_read: Floats | NDArray[np.bool_], n_relevant: Floats | NDArray[np.bool_]) -> Floats:
    """Return the log likelihood of what was read of each paper or group, in each of the cases; 0 where nothing was."""
    likely: Floats = n_relevant * cases - n_read * np.logaddexp(0, cases)
    return likely


def weights_of(likelihoods: Floats) -> Floats:
    """Return the chances of the cases, which come first, given the log likelihood of what was read."""
    likely = (likelihoods.T + np.log(PRIOR)).T
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
