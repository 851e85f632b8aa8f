"""Measures computed from integer sums of positions: last relevant position, search length, Nosel and Aselt.

All measures are NaN if no paper is relevant. The normalised measures are also NaN if all papers are relevant, because
there is only one outcome then.
"""

from __future__ import annotations

from presort.metrics.batch import Batch, Floats, evaluate_outcome, ratio
from presort.metrics.outcome import Outcome


def last_relevant_position_each(batch: Batch) -> Floats:
    """Return `last_relevant_position` of each outcome."""
    return batch.last


def last_relevant_position(outcome: Outcome) -> float:
    r"""Position of the last relevant paper, the earliest point at which the editor can stop reading.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    float
        Position from r to n; lower is better. NaN if no paper is relevant.

    Notes
    -----
    :math:`p_r`, the first element of the natural order's sort key.

    References
    ----------
    Krichel, IP&M 2007, section 3.

    Examples
    --------
    >>> last_relevant_position(Outcome.from_relevance([1, 0, 1, 0]))
    3.0
    """
    return evaluate_outcome(last_relevant_position_each, outcome)


def relative_last_position_each(batch: Batch) -> Floats:
    """Return `relative_last_position` of each outcome."""
    return batch.last / batch.n


def relative_last_position(outcome: Outcome) -> float:
    r"""Share of the list that must be read to find every relevant paper.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    float
        Share from r/n to 1; lower is better. NaN if no paper is relevant.

    Notes
    -----
    :math:`p_r / n`.

    References
    ----------
    Krichel, IP&M 2007, section 3.

    Examples
    --------
    >>> relative_last_position(Outcome.from_relevance([1, 0, 1, 0]))
    0.75
    """
    return evaluate_outcome(relative_last_position_each, outcome)


def search_length_each(batch: Batch) -> Floats:
    """Return `search_length` of each outcome."""
    return batch.last - batch.r


def search_length(outcome: Outcome) -> float:
    r"""Count the non-relevant papers read before the last relevant one is found.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    float
        Number of papers, from 0 to n - r; lower is better. NaN if no paper is relevant.

    Notes
    -----
    :math:`k = p_r - r`.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> search_length(Outcome.from_relevance([1, 0, 1, 0]))
    1.0
    """
    return evaluate_outcome(search_length_each, outcome)


def precision_at_last_each(batch: Batch) -> Floats:
    """Return `precision_at_last` of each outcome."""
    return batch.r / batch.last


def precision_at_last(outcome: Outcome) -> float:
    r"""Share of relevant papers among the papers down to the last relevant one.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    float
        Share from r/n to 1; higher is better. NaN if no paper is relevant.

    Notes
    -----
    :math:`r / p_r`, the precision at the first position where recall is 1.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> precision_at_last(Outcome.from_relevance([1, 0, 0, 1]))
    0.5
    """
    return evaluate_outcome(precision_at_last_each, outcome)


def nosel_each(batch: Batch) -> Floats:
    """Return `nosel` of each outcome."""
    r, n = batch.r, batch.n
    expected = r * (n - r)  # E[k] * (r + 1), to avoid a second division
    return ratio(expected - search_length_each(batch) * (r + 1), expected)


def nosel(outcome: Outcome) -> float:
    r"""Normalised search length: share of non-relevant reading saved compared with a random order.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    float
        Value from -1/r to 1, with expected value 0 for a random order; higher is better. NaN if none or all papers are
        relevant.

    Notes
    -----
    :math:`1 - k / E[k]` with the search length :math:`k = p_r - r` and :math:`E[k] = r (n - r) / (r + 1)`.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> nosel(Outcome.from_relevance([0, 0, 0, 1, 1]))
    -0.5
    """
    return evaluate_outcome(nosel_each, outcome)


def aselt_each(batch: Batch) -> Floats:
    """Return `aselt` of each outcome."""
    r, n = batch.r, batch.n
    return ratio(r * (n + 1) - 2 * batch.totals(batch.positions), r * (n - r))


def aselt(outcome: Outcome) -> float:
    r"""Normalised average search length: how early the relevant papers are on average.

    Parameters
    ----------
    outcome : Outcome
        Positions of the r relevant papers in a ranking of n.

    Returns
    -------
    float
        Value from -1 to 1, with expected value 0 for a random order; higher is better. NaN if none or all papers are
        relevant.

    Notes
    -----
    :math:`(n + 1 - 2 \bar p) / (n - r)` with the mean position :math:`\bar p`; equals 2 AUC - 1. It violates the
    natural order, because early papers can compensate for a late one.

    References
    ----------
    Krichel, IP&M 2007.

    Examples
    --------
    >>> aselt(Outcome.from_relevance([1, 0, 0, 0, 1]))
    0.0
    """
    return evaluate_outcome(aselt_each, outcome)
