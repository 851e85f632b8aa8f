"""Relevant papers that no ranker finds: they are scattered over the list, with equal probability everywhere.

A curve that falls with the score cannot predict these papers, and editors who stop at the stop point never see them. In
addition to its curve, each paper therefore has a *background* probability of being relevant: a share of the report's
relevant papers, spread evenly over its list. This share is learned from papers to which the curve gives a low
probability: papers in spot checks, and papers in lists that were read beyond the stop point. Papers above the stop
point hardly matter, because the curve gives them a far larger probability. Lists in which the editor stopped early
therefore barely change the prior and cannot erode it.

A report's share shrinks towards the share of the service. All posteriors are computed on a grid of shares.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHARES = np.geomspace(0.001, 0.5, 32)  # grid for the share of a report's relevant papers that are scattered
PRIOR_MEAN, PRIOR_SHAPE = 0.03, 2.0  # gamma distribution of the service's share
OWN_SHAPE = 4.0  # shape of the gamma distribution of a report's share, whose mean is the service's share
BIN = 0.25  # width, in log odds, of the bins from which the likelihood is computed
LOWEST, HIGHEST = -16.0, 4.0  # log odds are clipped to this range, beyond which they don't affect the background
# Quantiles that divide a posterior into cases. They are denser at the top, because upper bounds depend on high shares.
PARTS = np.array([0.0, 0.4, 0.7, 0.9, 1.0])
CASES = np.diff(PARTS)  # probabilities of the cases
IMPOSSIBLE = 1e-30  # lower bound on probabilities before their logarithm is computed
LEAST_RATE = 1e-4  # lower bound on the share of relevant papers, so that every report has a background


def _gamma(mean: Floats | float, shape: float) -> Floats:
    """Return the probabilities of `SHARES` (last axis) under gamma distributions with the given means."""
    relative = SHARES / np.asarray(mean)[..., None]
    # The exponent is `shape`, not `shape - 1`, because the grid is evenly spaced in the logarithm of the share.
    density = np.maximum(np.exp(shape * (np.log(relative) - relative)), IMPOSSIBLE)
    probabilities: Floats = density / density.sum(axis=-1, keepdims=True)
    return probabilities


PRIOR = _gamma(PRIOR_MEAN, PRIOR_SHAPE)
OWN = _gamma(SHARES, OWN_SHAPE)  # shape (32, 32); row i: distribution of a report's share if the service's is SHARES[i]


class Background(NamedTuple):
    """Probability that a paper is relevant regardless of its score, as fitted by `fit_background`.

    Attributes
    ----------
    own : mapping from report code to array of shape (32,)
        Each report's posterior probabilities for `SHARES`.
    service : array of shape (32,)
        A new report's posterior probabilities for `SHARES`.
    rates : mapping from report code to float
        Share of the papers in a report's lists that were found relevant, above 0.
    service_rate : float
        Share that is assumed for a new report.
    """

    own: Mapping[str, Floats]
    service: Floats
    rates: Mapping[str, float]
    service_rate: float

    def share(self, report: str) -> float:
        """Return the share of a report's relevant papers that is expected to be scattered."""
        return float(self.own.get(report, self.service) @ SHARES)

    def chance(self, report: str) -> float:
        """Return the expected background probability of a paper in a report's list."""
        return self.rates.get(report, self.service_rate) * self.share(report)

    def chances(self, report: str) -> Floats:
        """Return a paper's background probability in each of the `CASES`, in ascending order."""
        up_to = np.append(0.0, self.own.get(report, self.service).cumsum())
        within = np.clip(up_to[None, :], PARTS[:-1, None], PARTS[1:, None])
        means: Floats = np.diff(within, axis=1) @ SHARES / CASES
        return self.rates.get(report, self.service_rate) * means


class Evidence(NamedTuple):
    """Counts of a report's read papers, binned by their log odds under its curve; arrays of shape (n_bins,)."""

    log_odds: Floats
    n_relevant: Floats
    n_other: Floats


def evidence_of(log_odds: Floats, n_read: Floats, n_relevant: Floats) -> Evidence:
    """Count read papers in bins of similar log odds."""
    clipped = np.clip(log_odds, LOWEST, HIGHEST)
    bins = ((clipped - LOWEST) / BIN).astype(np.intp)
    n, relevant, sums = (np.bincount(bins, one).astype(np.float64) for one in (n_read, n_relevant, n_read * clipped))
    some = n > 0
    return Evidence(sums[some] / n[some], relevant[some], (n - relevant)[some])


def add_background(log_odds: Floats, chance: Floats | float) -> Floats:
    """Return the log odds that a paper is relevant, either according to its curve or because of the background."""
    both: Floats = np.logaddexp(log_odds, np.log(chance)) - np.log1p(-np.asarray(chance))
    return both


def log_likelihoods(evidence: Evidence, rate: float) -> Floats:
    """Return the log likelihood of the read papers for each of `SHARES`."""
    log_odds = add_background(evidence.log_odds[:, None], rate * SHARES)
    n_read = evidence.n_relevant + evidence.n_other
    likely: Floats = evidence.n_relevant @ log_odds - n_read @ np.logaddexp(0, log_odds)
    return likely


def fit_background(evidence: Mapping[str, Evidence], rates: Mapping[str, float]) -> Background:
    """Fit the share of scattered papers for the service and for each report.

    Parameters
    ----------
    evidence : mapping from report code to Evidence
        Read papers of each report. If it is empty, the prior is returned.
    rates : mapping from report code to float
        Share of the papers in each report's lists that were found relevant, from 0 to 1. At least one report is
        required.
    """
    rates = {report: max(rate, LEAST_RATE) for report, rate in rates.items()}
    likely = {report: log_likelihoods(one, rates[report]) for report, one in evidence.items()}
    likely = {report: np.exp(one - one.max()) for report, one in likely.items()}
    # For each report, the likelihood of each value of the service's share.
    in_service = {report: OWN @ one for report, one in likely.items()}
    log_posterior = np.log(PRIOR) + sum((np.log(one) for one in in_service.values()), np.zeros_like(PRIOR))
    posterior = np.exp(log_posterior - log_posterior.max())
    posterior /= posterior.sum()
    # The service's posterior includes the report's own likelihood. Divide it out, so that it doesn't count twice.
    own = {report: (posterior / in_service[report]) @ OWN * one for report, one in likely.items()}
    own = {report: one / one.sum() for report, one in own.items()}
    return Background(own, posterior @ OWN, rates, float(np.mean([*rates.values()])))
