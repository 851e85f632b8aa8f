"""Relevant papers that no ranker finds, scattered over the list with the same chance everywhere.

A curve that falls with the score cannot foresee them, and lists that were read down to the stop point never show them.
So each paper has a *background* chance of being relevant in addition to its curve: a share of the report's relevant
papers, spread evenly over its list. Shares are learned from papers with a low chance by the curve: those of spot checks
and of lists that were read further. Papers above the stop point hardly count, because their own chance is far larger.
So lists that were cut short leave the prior as it is: they cannot wear it down.

A report's share leans on the share of the service. All posteriors are computed on a grid of shares.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHARES = np.geomspace(0.001, 0.5, 32)  # of a report's relevant papers that are scattered: the grid
PRIOR_MEAN, PRIOR_SHAPE = 0.03, 2.0  # gamma distribution of the share of the service
OWN_SHAPE = 4.0  # gamma distribution of a report's share around that of the service
BIN = 0.25  # log odds; the likelihood is computed by bins of papers that are about equally likely
LOWEST, HIGHEST = -16.0, 4.0  # log odds; beyond, neither matters to a background
PARTS = np.array(
    [0.0, 0.4, 0.7, 0.9, 1.0]
)  # quantiles that divide a posterior into cases; bounds depend on the high ones
CASES = np.diff(PARTS)  # probabilities of these cases
IMPOSSIBLE = 1e-30  # probability; 0 has no logarithm
LEAST_RATE = 1e-4  # relevant papers per paper of a list; a report that found none yet has a background too


def _gamma(mean: Floats | float, shape: float) -> Floats:
    """Return the probabilities of `SHARES` (last axis) under gamma distributions with some means."""
    relative = SHARES / np.asarray(mean)[..., None]
    # The density has one factor of the share less: the grid is even in its logarithm.
    density = np.maximum(np.exp(shape * (np.log(relative) - relative)), IMPOSSIBLE)
    probabilities: Floats = density / density.sum(axis=-1, keepdims=True)
    return probabilities


PRIOR = _gamma(PRIOR_MEAN, PRIOR_SHAPE)
OWN = _gamma(SHARES, OWN_SHAPE)  # shape (32, 32): in each row, of reports in a service with that share


class Background(NamedTuple):
    """Chance of each paper to be relevant whatever its score; `fit_background` makes it.

    Attributes
    ----------
    own : mapping from report code to array of shape (32,)
        Posterior probabilities of `SHARES`.
    service : array of shape (32,)
        Those of a new report.
    rates : mapping from report code to float
        Relevant papers found per paper of a list, above 0.
    service_rate : float
        The same of a new report.
    """

    own: Mapping[str, Floats]
    service: Floats
    rates: Mapping[str, float]
    service_rate: float

    def share(self, report: str) -> float:
        """Return the mean share of a report's relevant papers that are scattered."""
        return float(self.own.get(report, self.service) @ SHARES)

    def chance(self, report: str) -> float:
        """Return the mean background chance of a paper."""
        return self.rates.get(report, self.service_rate) * self.share(report)

    def chances(self, report: str) -> Floats:
        """Return the background chance of a paper in each case, ascending; `CASES` has their probabilities."""
        up_to = np.append(0.0, self.own.get(report, self.service).cumsum())
        within = np.clip(up_to[None, :], PARTS[:-1, None], PARTS[1:, None])
        means: Floats = np.diff(within, axis=1) @ SHARES / CASES
        return self.rates.get(report, self.service_rate) * means


class Evidence(NamedTuple):
    """Papers of a report that were read, by bins of their log odds under its curve; arrays of shape (n_bins,)."""

    log_odds: Floats
    n_relevant: Floats
    n_other: Floats


def evidence_of(log_odds: Floats, n_read: Floats, n_relevant: Floats) -> Evidence:
    """Aggregate papers that are about equally likely to be relevant."""
    clipped = np.clip(log_odds, LOWEST, HIGHEST)
    bins = ((clipped - LOWEST) / BIN).astype(np.intp)
    n, relevant, sums = (np.bincount(bins, one).astype(np.float64) for one in (n_read, n_relevant, n_read * clipped))
    some = n > 0
    return Evidence(sums[some] / n[some], relevant[some], (n - relevant)[some])


def with_background(log_odds: Floats, chance: Floats | float) -> Floats:
    """Return the log odds of papers that are relevant by their curve or by the background."""
    both: Floats = np.logaddexp(log_odds, np.log(chance)) - np.log1p(-np.asarray(chance))
    return both


def log_likelihoods(evidence: Evidence, rate: float) -> Floats:
    """Return the log-likelihood of the papers read under each of `SHARES`."""
    log_odds = with_background(evidence.log_odds[:, None], rate * SHARES)
    n_read = evidence.n_relevant + evidence.n_other
    likely: Floats = evidence.n_relevant @ log_odds - n_read @ np.logaddexp(0, log_odds)
    return likely


def fit_background(evidence: Mapping[str, Evidence], rates: Mapping[str, float]) -> Background:
    """Learn the shares of scattered papers of the service and of each report.

    Parameters
    ----------
    evidence : mapping from report code to Evidence
        Of reports whose lists were read. Empty for the prior.
    rates : mapping from report code to float
        Relevant papers found per paper of a list, from 0 to 1; of at least one report.
    """
    rates = {report: max(rate, LEAST_RATE) for report, rate in rates.items()}
    likely = {report: log_likelihoods(one, rates[report]) for report, one in evidence.items()}
    likely = {report: np.exp(one - one.max()) for report, one in likely.items()}
    in_service = {report: OWN @ one for report, one in likely.items()}  # likelihood by share of the service
    log_posterior = np.log(PRIOR) + sum((np.log(one) for one in in_service.values()), np.zeros_like(PRIOR))
    posterior = np.exp(log_posterior - log_posterior.max())
    posterior /= posterior.sum()
    # A report's own likelihood is in the posterior of the service; divided out, it doesn't count twice.
    own = {report: (posterior / in_service[report]) @ OWN * one for report, one in likely.items()}
    own = {report: one / one.sum() for report, one in own.items()}
    return Background(own, posterior @ OWN, rates, float(np.mean([*rates.values()])))
