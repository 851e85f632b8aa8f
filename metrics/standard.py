"""Standard measures from other libraries, for comparison with Presort's own."""

from __future__ import annotations

import math

import numpy as np

from presort.metrics.batch import Batch, Floats, ratio
from presort.metrics.outcome import Outcome, check_outcome


def average_precision(outcome: Outcome) -> float:
    r"""Average precision: the mean of the precision at the positions of the relevant papers.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    float
        Value above 0 and at most 1; higher is better. NaN if no paper is relevant.

    Notes
    -----
    :math:`\frac{1}{r} \sum_{i=1}^{r} i / p_i`, computed by scikit-learn's `average_precision_score`.

    References
    ----------
    scikit-learn, `average_precision_score`.

    Examples
    --------
    >>> average_precision(Outcome([1, 4], n=5))
    0.75
    """
    check_outcome("outcome", outcome)
    if not outcome.r:
        return math.nan
    # imported late: it takes half a second, and only AP needs it
    from sklearn.metrics import average_precision_score

    is_relevant = np.zeros(outcome.n, dtype=np.int64)
    is_relevant[outcome.positions - 1] = 1
    return float(average_precision_score(is_relevant, -np.arange(outcome.n)))


def average_precision_each(batch: Batch) -> Floats:
    """Return `average_precision` of each outcome, without scikit-learn's overhead of a millisecond per call."""
    return ratio(batch.totals(batch.numbers / batch.positions), batch.r)
