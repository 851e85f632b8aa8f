"""Depth ranks: the same expectation for all sizes, and mid-ranks if all sizes are the same."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom, rankdata

from presort.metrics import Outcome
from presort.metrics.depth_ranks import FINEST, depth_ranks


def all_outcomes(n, r):
    return [Outcome(positions, n) for positions in combinations(range(1, n + 1), r)]


def kept_slowly(outcome, n_relevant, n_others):
    """Slow reference: subsample in every possible way.

    Returns the probabilities of others above the last relevant paper.
    """
    chances = np.zeros(n_others + 1)
    above = outcome.positions - np.arange(1, outcome.r + 1)
    ways = list(combinations(above.tolist(), n_relevant))
    for way in ways:
        kept = hypergeom(outcome.n - outcome.r, max(way), n_others)
        chances += kept.pmf(np.arange(n_others + 1)) / len(ways)
    return chances


def deeper_slowly(a, b, n_others):
    n_relevant = min(a.r, b.r)
    ours, theirs = (kept_slowly(each, n_relevant, n_others) for each in (a, b))
    return sum(p * (theirs[:k].sum() + theirs[k] / 2) for k, p in enumerate(ours))


def outcomes_of(n_relevant=(1, 4), n_others=(4, 9)):
    sizes = st.tuples(st.integers(*n_relevant), st.integers(*n_others))
    return sizes.flatmap(lambda size: st.permutations([1] * size[0] + [0] * size[1])).map(Outcome.from_relevance)


@given(st.lists(outcomes_of(), min_size=2, max_size=5))
def test_depth_ranks_agree_with_all_possible_subsamples(outcomes):
    n_others = min(outcome.n - outcome.r for outcome in outcomes)
    expected = [
        np.mean([deeper_slowly(one, other, n_others) for j, other in enumerate(outcomes) if j != i])
        for i, one in enumerate(outcomes)
    ]
    assert depth_ranks(outcomes) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("first", "second"), [((6, 1), (6, 3)), ((4, 2), (8, 2)), ((8, 4), (4, 1)), ((5, 4), (7, 1))])
def test_the_expectation_is_one_half_whatever_the_sizes(first, second):
    """Over all orders of two issues, each equally likely."""
    ranks = [depth_ranks([a, b])[0] for a in all_outcomes(*first) for b in all_outcomes(*second)]
    assert np.mean(ranks) == pytest.approx(0.5, abs=1e-8)


@given(st.lists(outcomes_of((3, 3), (7, 7)), min_size=2, max_size=8))
def test_outcomes_of_the_same_size_get_mid_ranks(outcomes):
    ranks = (rankdata([outcome.last for outcome in outcomes]) - 1) / (len(outcomes) - 1)
    assert depth_ranks(outcomes) == pytest.approx(ranks, abs=1e-9)


@given(st.lists(outcomes_of(), min_size=2, max_size=6))
def test_the_mean_is_one_half(outcomes):
    assert depth_ranks(outcomes).mean() == pytest.approx(0.5, abs=1e-8)


def test_perfect_orders_of_all_sizes_have_the_same_rank():
    found = depth_ranks([Outcome(range(1, r + 1), n) for r, n in ((1, 40), (10, 60), (20, 40), (7, 900))])
    assert found.tolist() == [0.5] * 4


def test_long_issues_are_distinguished():
    n = 10 * FINEST
    found = depth_ranks([Outcome([1, 2, place], n) for place in (40, 400, 2000)])
    assert (np.diff(found) > 0.4).all()


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(Outcome([], 40), id="nothing-relevant"),
        pytest.param(Outcome([1, 2], 2), id="everything-relevant"),
        pytest.param(Outcome([1], 9), id="far-shorter"),
    ],
)
def test_an_incomparable_outcome_has_no_rank_and_changes_no_other(odd):
    others = [Outcome([1, place], 40) for place in (3, 9, 30)]
    first, *rest = depth_ranks([odd, *others])
    assert math.isnan(first)
    assert rest == depth_ranks(others).tolist() == [0.0, 0.5, 1.0]


def test_a_single_outcome_has_no_rank():
    assert np.isnan(depth_ranks([Outcome([2], 9)])).all()
    assert depth_ranks([]).shape == (0,)
