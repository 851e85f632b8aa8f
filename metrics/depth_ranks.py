"""Depth ranks: compare the last relevant papers of issues that differ in size and number of relevant papers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from presort.metrics.batch import Floats
from presort.metrics.lazy import scipy
from presort.metrics.outcome import Outcome

FINEST = 300  # maximum number of non-relevant papers in a subsample; more would take longer and add little precision
DIGITS = 9  # number of decimals to which ranks are rounded; rounding errors in later decimals would break ties
# Issues with fewer non-relevant papers than this share of the median are excluded, because the smallest issue
# determines the subsample size of all issues.
SHORTEST = 0.25


def depth_ranks(outcomes: Sequence[Outcome]) -> Floats:
    r"""Rank outcomes of different sizes by the depth of their last relevant papers.

    The expected position of the last of r relevant papers grows with r, even as a share of the list. Two outcomes are
    therefore compared after random subsampling: both are reduced to the smaller of the two numbers of relevant papers,
    and to the number of non-relevant papers in the smallest issue.

    Parameters
    ----------
    outcomes : sequence of Outcome, length n
        Outcomes of one report, in any order.

    Returns
    -------
    ndarray of float64, shape (n,)
        Probability that the last relevant paper is deeper than that of another outcome, averaged over the other
        outcomes; ties count half. From 0 to 1, lower is better. The mean over all outcomes is 0.5. NaN if the outcome
        has no relevant papers, no non-relevant papers, or far fewer non-relevant papers than the median outcome
        (`SHORTEST`), or if no other outcome is comparable.

    Notes
    -----
    A random subsample of an issue has the same distribution as a smaller issue of the same kind, even if some issues
    are harder than others. If the quality of the rankings stays the same, each comparison therefore has expected value
    0.5 for all r and n.

    Depth is the number of non-relevant papers above the last relevant paper. Relevant papers above it are not counted,
    because their number depends only on r. Let :math:`k_1 \le \dots \le k_r` be the numbers of non-relevant papers
    above the r relevant papers. In a subsample of q relevant papers, the j-th of the r papers is the last one with
    probability :math:`\binom{j-1}{q-1} / \binom{r}{q}`. The number of those of the :math:`k_j` non-relevant papers that
    are in the subsample has a hypergeometric distribution. For outcomes of the same size, the result equals
    Mann-Whitney mid-ranks scaled to 0 … 1, unless the outcomes have more than `FINEST` non-relevant papers.

    Examples
    --------
    >>> depth_ranks([Outcome([1, 3], 9), Outcome([2, 4], 9), Outcome([1, 8], 9)]).tolist()
    [0.0, 0.5, 1.0]
    >>> depth_ranks([Outcome([1], 100), Outcome([1, 2, 3], 300)]).tolist()  # both are perfect
    [0.5, 0.5]
    """
    n_others = np.array([outcome.n - outcome.r for outcome in outcomes])
    has_both = (n_others > 0) & np.array([outcome.r > 0 for outcome in outcomes], dtype=bool)
    ranks = np.full(len(outcomes), np.nan)
    if not has_both.any():
        return ranks
    places = np.flatnonzero(has_both & (n_others >= SHORTEST * np.median(n_others[has_both])))
    if len(places) > 1:
        deeper = _depth_probabilities([outcomes[place] for place in places.tolist()])
        # Each row includes the comparison of the outcome with itself, which is a tie and adds 0.5.
        ranks[places] = ((deeper.sum(axis=1) - 0.5) / (len(places) - 1)).round(DIGITS)
    return ranks


def _depth_probabilities(outcomes: Sequence[Outcome]) -> Floats:
    """Return the probability that outcome i has a deeper last relevant paper than outcome j, shape (n, n)."""
    n_relevant = np.array([outcome.r for outcome in outcomes])
    numbers = np.unique(n_relevant)
    chances = _last_depth_distributions(outcomes, n_relevant, numbers)
    deeper = np.full((len(outcomes), len(outcomes)), 0.5)
    # Compare the two outcomes of each pair after reducing both to the smaller number of relevant papers.
    for fewest, of_fewest in zip(numbers.tolist(), chances, strict=True):
        rows = np.flatnonzero(n_relevant >= fewest)
        exact = n_relevant[rows] == fewest
        compared = of_fewest[rows]
        found = compared[exact] @ (compared.cumsum(axis=1) - compared / 2).T
        deeper[np.ix_(rows[exact], rows)] = found
        deeper[np.ix_(rows, rows[exact])] = 1 - found.T
    return deeper


def _last_depth_distributions(
    outcomes: Sequence[Outcome], n_relevant: NDArray[np.int64], numbers: NDArray[np.int64]
) -> Floats:
    """Return the probability distribution of the last relevant paper's depth in subsamples.

    The axes of the result are the number of sampled relevant papers (`numbers`, ascending), the outcome, and the
    number of sampled non-relevant papers above the last relevant one. The probabilities are 0 for an outcome with too
    few relevant papers.
    """
    kept = _others_above_distributions(outcomes)
    before = np.arange(int(numbers[-1]))  # number of relevant papers above each relevant paper
    logs = np.where(
        before >= numbers[:, None] - 1, _log_choose(before, np.minimum(numbers[:, None] - 1, before)), -np.inf
    )
    chances = np.zeros((len(numbers), len(outcomes), kept[0].shape[1]))
    for row, (r, others) in enumerate(zip(n_relevant.tolist(), kept, strict=True)):
        fewer = numbers[numbers <= r]
        is_last = np.exp(logs[: len(fewer), :r] - _log_choose(np.array(r), fewer)[:, None])
        chances[: len(fewer), row] = is_last @ others
    return chances


def _others_above_distributions(outcomes: Sequence[Outcome]) -> list[Floats]:
    """Return the distribution of the number of sampled non-relevant papers above each relevant paper.

    Each outcome gets an array of probabilities, shape (r, n_kept + 1).
    """
    n_others = np.array([outcome.n - outcome.r for outcome in outcomes])
    n_kept = min(int(n_others.min()), FINEST)
    above = np.concatenate([outcome.positions - np.arange(1, outcome.r + 1) for outcome in outcomes])
    sizes = [outcome.r for outcome in outcomes]
    all_others = n_others.repeat(sizes)
    chances = _hypergeometric(above, all_others, n_kept)
    return np.split(chances, np.cumsum(sizes)[:-1])


def _hypergeometric(above: NDArray[np.int64], n_others: NDArray[np.int64], n_kept: int) -> Floats:
    """Return the probabilities that a random sample contains 0, 1, … of the first `above` papers.

    The sample has `n_kept` of the `n_others` papers. The result has the shape (n, n_kept + 1). `scipy.stats.hypergeom`
    returns the same probabilities but is ten times slower.
    """
    found = np.arange(n_kept + 1)
    above, n_others = above[:, None], n_others[:, None]
    below, rest = n_others - above, n_kept - found
    is_possible = (found <= above) & (rest <= below)
    logs = _log_choose(above, np.minimum(found, above)) + _log_choose(below, np.minimum(rest, below))
    return np.where(is_possible, np.exp(logs - _log_choose(n_others, np.array(n_kept))), 0.0)


def _log_choose(n: NDArray[np.int64], k: NDArray[np.int64]) -> Floats:
    # A lookup table is faster because most numbers occur many times.
    factorials = scipy.special.gammaln(np.arange(int(n.max(initial=0)) + 1) + 1.0)
    chosen: Floats = factorials[n] - factorials[k] - factorials[n - k]
    return chosen
