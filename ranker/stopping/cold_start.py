"""Chances of the first lists of a service, before its own lists can teach a curve.

Until then a chance goes by the place in the list alone: scores of different rankers have different scales, and where
they bend is learned from relevant papers. The line starts from a prior, and the few lists of each report move it.

The prior was learned from 95 lists of 67 reports on the NBER corpus, in weeks 2 to 14 of new services that had found
fewer than 30 relevant papers so far: services of 1, 3, 8 and 20 reports, begun at three times, ranked by presort-2. The
fit (-3.5 and 1.2, variances .9 and .08, spread .15) was widened, because other services differ more. With it,
96.7 % was found in 62 % of these lists; 98 % of 48 papers in 77 % of those of one report on the arXiv.
"""

from collections.abc import Mapping

import numpy as np

from presort.ranker.stopping.background import fit_background
from presort.ranker.stopping.curves import N_COEFFICIENTS, Curves, Groups, features, fit_report

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


def cold_start_curves(groups: Mapping[str, Groups]) -> Curves:
    """Return curves based on the prior and on the few lists of each report.

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
