"""The rank-sum test counts every choice exactly, whatever the ties."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, rankdata

from presort.metrics.rank_sum import STEPS, rank_sum_p, value_sum_p

values = st.lists(st.sampled_from([0.0, 0.1, 0.3, 1.0, 2.5]), min_size=1, max_size=6)


def slow_p_values(everything, m):
    """Return, by choice of m places, the share of all choices whose rank sum is at least as large."""
    ranks = rankdata(everything)
    sums = {places: sum(ranks[list(places)]) for places in combinations(range(len(everything)), m)}
    return {places: sum(other >= one - 1e-9 for other in sums.values()) / len(sums) for places, one in sums.items()}


@given(values, values)
def test_the_p_value_is_the_share_of_choices_with_as_large_a_rank_sum(sample, other):
    everything, m = [*sample, *other], len(sample)
    expected = slow_p_values(everything, m)[tuple(range(m))]
    assert rank_sum_p(np.array(sample), np.array(other)) == pytest.approx(expected)


@given(values, values)
def test_small_p_values_by_chance_are_no_more_frequent_than_stated(sample, other):
    everything, m = np.array([*sample, *other]), len(sample)
    found = np.array(
        [
            rank_sum_p(everything[list(places)], np.delete(everything, places))
            for places in combinations(range(len(everything)), m)
        ]
    )
    assert found.max() == pytest.approx(1)  # all possible sums together
    for p in found:
        assert (found <= p + 1e-9).mean() == pytest.approx(p)


def test_without_ties_it_is_the_exact_test_of_scipy():
    drawn = np.random.default_rng(1).normal(size=52)
    for shift in (-0.5, 0, 0.5, 5):
        sample, other = drawn[:13] + shift, drawn[13:]
        expected = mannwhitneyu(sample, other, alternative="greater", method="exact").pvalue
        assert rank_sum_p(sample, other) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_less", range(14))
def test_with_many_ties_it_is_hypergeometric(n_less):
    """Few of 13 are smaller and none of 39. The normal approximation's p-value is too small by a factor of 14."""
    sample, other = np.repeat([0.5, 1.0], [n_less, 13 - n_less]), np.ones(39)
    assert rank_sum_p(-sample, -other) == pytest.approx(math.comb(13, n_less) / math.comb(52, n_less))
    assert rank_sum_p(sample, other) == 1


steps = st.lists(st.integers(0, STEPS).map(lambda step: step / STEPS), min_size=1, max_size=6)


@given(steps, steps)
def test_value_sum_p_is_the_share_of_choices_with_as_large_a_sum(sample, other):
    everything, m = [*sample, *other], len(sample)
    sums = [sum(one) for one in combinations(everything, m)]
    expected = np.mean([one >= sum(sample) - 1e-9 for one in sums])
    assert value_sum_p(np.array(sample), np.array(other)) == pytest.approx(expected)
