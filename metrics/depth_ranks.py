"""Depth of the last relevant papers of issues, comparable for any numbers of papers and relevant papers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from presort.metrics.batch import Floats
from presort.metrics.outcome import Outcome

FINEST = 300  # other papers that are kept of an issue: finer steps cost time and add little precision
DIGITS = 9  # decimals of a rank; below that is rounding, which breaks ties
SHORTEST = 0.25  # of the median issue; the smallest issue sets how many papers are kept of all


def depth_ranks(outcomes: Sequence[Outcome]) -> Floats:
    r"""Rank outcomes of different sizes by how deep their last relevant papers are.

    The position of the last of r relevant papers grows with r, also as a share of the list, even if nothing changed.
    Therefore two outcomes are compared as if papers had been dropped from them at random, until both have as many
    relevant papers as the one with fewer, and as many other papers as the smallest issue.

    Parameters
    ----------
    outcomes : sequence of Outcome, length n
        Of one report, in any order.

    Returns
    -------
    ndarray of float64, shape (n,)
        Mean probability, over the other outcomes, that this last relevant paper is deeper; a tie counts half. From 0 to
        1, lower is better; the mean over all outcomes is 0.5. NaN without relevant papers, without other papers, with
        far fewer papers than usual (`SHORTEST`), and if no other outcome can be compared.

    Notes
    -----
    Dropping papers at random from an issue gives what a smaller issue of the same kind gives, also if some issues
    are harder than others. So each comparison has the expectation 0.5 if nothing changed, for all r and n. Depth is
    counted in the other papers above the last relevant one, because relevant papers push each other down. Of r relevant
    papers with :math:`k_1 \le \dots \le k_r` others above them, the last of q that are kept is the j-th with
    probability :math:`\binom{j-1}{q-1} / \binom{r}{q}`; of its :math:`k_j` others, a hypergeometric number is kept.
    Outcomes of the same size get the mid-ranks of Mann and Whitney, scaled to 0 to 1, unless `FINEST` is exceeded.

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
        deeper = _deeper([outcomes[place] for place in places.tolist()])
        # An outcome is as deep as itself, which adds 0.5.
        ranks[places] = ((deeper.sum(axis=1) - 0.5) / (len(places) - 1)).round(DIGITS)
    return ranks


def _deeper(outcomes: Sequence[Outcome]) -> Floats:
    """Return the probability that the outcome of a row is deeper than that of a column, shape (n, n)."""
    n_relevant = np.array([outcome.r for outcome in outcomes])
    numbers = np.unique(n_relevant)
    chances = _last_kept(outcomes, n_relevant, numbers)
    deeper = np.full((len(outcomes), len(outcomes)), 0.5)
    for fewest, of_fewest in zip(
        numbers.tolist(), chances, strict=True
    ):  # of each pair, the number of the one with fewer
        rows = np.flatnonzero(n_relevant >= fewest)
        exact = n_relevant[rows] == fewest
        compared = of_fewest[rows]
        found = compared[exact] @ (compared.cumsum(axis=1) - compared / 2).T
        deeper[np.ix_(rows[exact], rows)] = found
        deeper[np.ix_(rows, rows[exact])] = 1 - found.T
    return deeper


def _last_kept(outcomes: Sequence[Outcome], n_relevant: NDArray[np.int64], numbers: NDArray[np.int64]) -> Floats:
    """Return the chances of each number of kept others above the last kept relevant paper.

    By number of relevant papers that are kept, outcome, and number of others; zeros where an outcome has fewer relevant
    papers. `numbers` increases.
    """
    kept = _others_kept(outcomes)
    before = np.arange(int(numbers[-1]))  # relevant papers above each
    logs = np.where(
        before >= numbers[:, None] - 1, _log_choose(before, np.minimum(numbers[:, None] - 1, before)), -np.inf
    )
    chances = np.zeros((len(numbers), len(outcomes), kept[0].shape[1]))
    for row, (r, others) in enumerate(zip(n_relevant.tolist(), kept, strict=True)):
        fewer = numbers[numbers <= r]
        is_last = np.exp(logs[: len(fewer), :r] - _log_choose(np.array(r), fewer)[:, None])
        chances[: len(fewer), row] = is_last @ others
    return chances


def _others_kept(outcomes: Sequence[Outcome]) -> list[Floats]:
    """Return, for each outcome, the chances of each number of kept others above each relevant paper.

    Each has the shape (r, n_kept + 1).
    """
    n_others = np.array([outcome.n - outcome.r for outcome in outcomes])
    n_kept = min(int(n_others.min()), FINEST)
    above = np.concatenate([outcome.positions - np.arange(1, outcome.r + 1) for outcome in outcomes])
    sizes = [outcome.r for outcome in outcomes]
    all_others = n_others.repeat(sizes)
    chances = _hypergeometric(above, all_others, n_kept)
    return np.split(chances, np.cumsum(sizes)[:-1])


def _hypergeometric(above: NDArray[np.int64], n_others: NDArray[np.int64], n_kept: int) -> Floats:
    """Return the chances of 0, 1, … of the `above` being among the `n_kept`, shape (n, n_kept + 1).

    `scipy.stats.hypergeom` does the same, and takes ten times as long.
    """
    found = np.arange(n_kept + 1)
    above, n_others = above[:, None], n_others[:, None]
    below, rest = n_others - above, n_kept - found
    is_possible = (found <= above) & (rest <= below)
    logs = _log_choose(above, np.minimum(found, above)) + _log_choose(below, np.minimum(rest, below))
    return np.where(is_possible, np.exp(logs - _log_choose(n_others, np.array(n_kept))), 0.0)


def _log_choose(n: NDArray[np.int64], k: NDArray[np.int64]) -> Floats:
    # A table, because most numbers come again and again.
    factorials = scipy.special.gammaln(np.arange(int(n.max(initial=0)) + 1) + 1.0)
    chosen: Floats = factorials[n] - factorials[k] - factorials[n - k]
    return chosen
