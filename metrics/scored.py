"""Measures based on the ranker's scores: expected search length with ties, and separation of relevant papers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from presort.metrics.outcome import Values, validate_scores


def expected_search_length(scores: Values, relevant: Values, target: int | None = None) -> float:
    r"""Return the expected number of non-relevant papers that are read before the `target`-th relevant paper.

    Papers with tied scores are read in random order.

    Parameters
    ----------
    scores : sequence of float, shape (n,)
        Ranker's score of each paper; a higher score predicts relevance. Infinite scores are allowed, because only the
        order matters.
    relevant : sequence of bool or 0/1, shape (n,)
        Relevance of each paper, in the order of `scores`: 1 or True if the paper is relevant.
    target : int, optional
        Number q of relevant papers to find, from 1 to r. Defaults to r.

    Returns
    -------
    float
        Expected number of papers, from 0 to n - r; lower is better. NaN if no paper is relevant.

    Raises
    ------
    ValueError
        If scores contains NaN or non-numeric values, relevant is not 0/1, the lengths differ, or target is not an
        integer from 1 to r.

    Notes
    -----
    :math:`j + i s / (m + 1)`, where j is the number of non-relevant papers above the level of tied papers in which
    reading ends. That level has i non-relevant and m relevant papers, s of which are still needed to reach q.

    References
    ----------
    Cooper, American Documentation 19, 1968; Krichel, IP&M 2007.

    Examples
    --------
    >>> expected_search_length([0.9, 0.5, 0.5, 0.1], relevant=[0, 1, 0, 0])
    1.5
    """
    values, is_relevant = validate_scores(scores, relevant)
    found = np.sort(values[is_relevant])[::-1]
    if not found.size:
        return math.nan
    needed = found.size if target is None else target
    if not isinstance(needed, int | np.integer) or isinstance(needed, bool) or not 1 <= needed <= found.size:
        raise ValueError(f"target must be an integer from 1 to r = {found.size}, got {target!r}")
    level = found[needed - 1]
    others = values[~is_relevant]
    still_needed = needed - np.count_nonzero(found > level)
    in_vain = np.count_nonzero(others == level) * still_needed / (np.count_nonzero(found == level) + 1)
    return float(np.count_nonzero(others > level) + in_vain)


def swets(scores: Values, relevant: Values) -> float:
    r"""Difference between relevant and other papers' mean scores, in units of their average standard deviation.

    Parameters
    ----------
    scores : sequence of float, shape (n,)
        Ranker's score of each paper; a higher score predicts relevance.
    relevant : sequence of bool or 0/1, shape (n,)
        Relevance of each paper, in the order of `scores`: 1 or True if the paper is relevant.

    Returns
    -------
    float
        Difference in standard deviations, unbounded; higher is better. 0 if the mean scores are equal. NaN if there
        are fewer than two relevant or fewer than two other papers, if both standard deviations are 0, or if a score is
        infinite.

    Raises
    ------
    ValueError
        If scores contains NaN or non-numeric values, relevant is not 0/1, or the lengths differ.

    Notes
    -----
    :math:`(m_1 - m_0) / \frac{1}{2} (s_1 + s_0)` with the means m and the sample standard deviations s (with n - 1 in
    the denominator) of relevant (1) and other (0) papers.

    References
    ----------
    Swets, Science 141, 1963. Krichel, IP&M 2007, names the measure without its formula.

    Examples
    --------
    >>> round(swets([4, 2, 1, -1], relevant=[1, 1, 0, 0]), 4)
    2.1213
    """
    distance, spread, other_spread = _separation(scores, relevant)
    return 2 * distance / (spread + other_spread) if spread + other_spread else math.nan


def brookes(scores: Values, relevant: Values) -> float:
    r"""Difference between relevant and other papers' mean scores, in units of the standard deviation of differences.

    The unit is the standard deviation of the difference in score between a random relevant paper and a random other
    paper.

    Parameters
    ----------
    scores : sequence of float, shape (n,)
        Ranker's score of each paper; a higher score predicts relevance.
    relevant : sequence of bool or 0/1, shape (n,)
        Relevance of each paper, in the order of `scores`: 1 or True if the paper is relevant.

    Returns
    -------
    float
        Difference in standard deviations, unbounded; higher is better. 0 if the mean scores are equal. NaN if there
        are fewer than two relevant or fewer than two other papers, if both standard deviations are 0, or if a score is
        infinite.

    Raises
    ------
    ValueError
        If scores contains NaN or non-numeric values, relevant is not 0/1, or the lengths differ.

    Notes
    -----
    :math:`(m_1 - m_0) / \sqrt{s_1^2 + s_0^2}` with the means m and the sample standard deviations s (with n - 1 in the
    denominator) of relevant (1) and other (0) papers.

    References
    ----------
    Brookes, Journal of Documentation 24, 1968. Krichel, IP&M 2007, names the measure without its formula.

    Examples
    --------
    >>> round(brookes([4, 2, 1, -1], relevant=[1, 1, 0, 0]), 4)
    1.5
    """
    distance, spread, other_spread = _separation(scores, relevant)
    return distance / math.hypot(spread, other_spread) if spread + other_spread else math.nan


def _separation(scores: Values, relevant: Values) -> tuple[float, float, float]:
    """Return the difference between the means and both standard deviations.

    All three are scaled by a common factor to avoid overflow.
    """
    values, is_relevant = validate_scores(scores, relevant)
    if min(np.count_nonzero(is_relevant), np.count_nonzero(~is_relevant)) < 2 or np.isinf(values).any():
        return math.nan, math.nan, math.nan
    if values.dtype.kind == "f":
        # Scaling by a power of two is exact. Afterwards, no score exceeds 1.
        values = np.ldexp(values.astype(np.float64), -np.frexp(np.abs(values).max())[1])
    lowest, mean, spread = _moments(values[is_relevant])
    other_lowest, other_mean, other_spread = _moments(values[~is_relevant])
    return float(lowest - other_lowest) + (mean - other_mean), spread, other_spread


def _moments(values: NDArray[np.generic]) -> tuple[float, float, float]:
    """Return the minimum, the mean minus the minimum, and the standard deviation.

    Subtracting the minimum first keeps full precision if all values share a large offset.
    """
    lowest = values.min().item()
    # Integers are subtracted as Python objects, because the difference of two int64 may overflow.
    above = values - lowest if values.dtype.kind == "f" else values.astype(object) - int(lowest)
    above = above.astype(np.float64)
    reach = float(above.max()) or 1.0
    above /= reach  # otherwise squares of tiny numbers underflow
    mean = float(above.sum()) / len(above)
    deviations = above - mean
    return lowest, reach * mean, reach * math.sqrt(float(deviations @ deviations) / (len(above) - 1))
