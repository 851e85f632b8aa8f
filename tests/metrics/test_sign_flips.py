"""Sign-flip intervals: equal to testing every flip one by one, and their coverage of the truth."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from presort.metrics.sign_flips import ALPHA, LEAST_FLIPS, mean_interval, median_interval, signs

units = st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 4)), min_size=6, max_size=9)


def rejects(deviations):
    """Try every flip of the units' deviations from a candidate."""
    flips = np.array(list(product((1, -1), repeat=len(deviations))))
    return (np.abs(flips @ deviations) >= abs(sum(deviations)) - 1e-9).mean() < ALPHA


@given(units, st.floats(-25, 25))
def test_the_interval_of_a_mean_is_what_no_flip_rejects(pairs, candidate):
    totals, counts = np.array(pairs, dtype=float).T
    found = mean_interval(totals, counts)
    if min(abs(candidate - found.low), abs(candidate - found.high)) > 1e-6:
        assert (found.low <= candidate <= found.high) == (not rejects(totals - candidate * counts))
    assert found.low <= totals.sum() / counts.sum() <= found.high


@given(st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=4), min_size=6, max_size=9), st.integers(-10, 10))
def test_the_interval_of_a_median_is_what_no_flip_rejects(by_unit, number):
    candidate = number + 0.5  # not a data value, so that no value ties with it
    units = np.concatenate([np.full(len(values), unit) for unit, values in enumerate(by_unit)])
    found = median_interval(np.concatenate(by_unit).astype(float), units)
    signs_of_units = [np.sign(np.array(values) - candidate).sum() for values in by_unit]
    assert (found.low <= candidate <= found.high) == (not rejects(np.array(signs_of_units)))


@given(units)
def test_p_is_below_alpha_if_and_only_if_the_interval_excludes_0(pairs):
    totals, counts = np.array(pairs, dtype=float).T
    values, of = np.repeat(totals, counts.astype(int)), np.repeat(np.arange(len(pairs)), counts.astype(int))
    for found in (mean_interval(totals, counts), median_interval(values, of)):
        assert (found.low <= 0 <= found.high) == (found.p >= ALPHA)


@pytest.mark.parametrize("n", [6, 9, 15, 40])
def test_with_one_case_per_unit_a_median_has_the_interval_of_the_sign_test(n):
    values = np.random.default_rng(n).normal(size=n)
    n_below = int(binom.ppf(ALPHA / 2, n, 0.5))  # with fewer values below it, a candidate is rejected
    if binom.cdf(n_below, n, 0.5) * 2 < ALPHA:
        n_below += 1
    found, ordered = median_interval(values, np.arange(n)), np.sort(values)
    near = 0 if n <= 15 else 1  # with more units, not all flips are tried
    assert abs(np.searchsorted(ordered, found.low) - (n_below - 1)) <= near + 1
    assert found.low in ordered
    assert found.high in ordered


@pytest.mark.parametrize("n_units", [1, 2, 5])
def test_fewer_than_six_units_have_no_interval(n_units):
    ahead = np.arange(1.0, n_units + 1)
    for found in (mean_interval(ahead, np.ones(n_units)), median_interval(ahead, np.arange(n_units))):
        assert math.isnan(found.low)
        assert math.isnan(found.high)
        assert found.p == 2 / 2**n_units


def test_units_without_a_case_change_nothing():
    totals, counts = np.array([3.0, -1, 4, 1, 5, 9]), np.array([1.0, 2, 1, 1, 3, 2])
    padded = mean_interval(np.append(totals, [0, 0]), np.append(counts, [0, 0]))
    assert padded == pytest.approx(mean_interval(totals, counts))
    too_few = mean_interval(np.append(totals[:5], [0, 0]), np.append(counts[:5], [0, 0]))
    assert math.isnan(too_few.low)


def test_rounding_errors_break_no_tie():
    found = mean_interval(np.array([0.1, 0.2, -0.3, 0.1, 0.2, -0.3]), np.ones(6))
    assert found.p == 1


def test_tied_units_have_a_point_interval():
    assert mean_interval(np.zeros(8), np.ones(8)) == median_interval(np.zeros(8), np.arange(8)) == (0, 0, 1)


def test_all_flips_are_used_if_few_and_otherwise_the_requested_number():
    few, many = (np.concatenate(list(signs(n))) for n in (9, 30))
    assert len(np.unique(few, axis=0)) == len(few) == 2**8
    assert (few[0] == 1).all()
    assert len(many) == LEAST_FLIPS + 1
    assert (many[0] == 1).all()
    assert set(many.flat) == {1, -1}


@pytest.mark.whole
@pytest.mark.parametrize("n_units", [6, 12, 20])
@pytest.mark.parametrize("by_median", [False, True])
def test_the_truth_is_covered_in_95_percent_of_services_with_unequal_units(n_units, by_median):
    rng, hits, n_tries = np.random.default_rng(1), 0, 300
    for _ in range(n_tries):
        counts = rng.integers(1, 30, n_units)
        units = np.repeat(np.arange(n_units), counts)
        values = rng.standard_t(4, n_units)[units] + rng.standard_t(4, units.size)
        found = (
            median_interval(values, units)
            if by_median
            else mean_interval(np.bincount(units, values), counts.astype(float))
        )
        hits += found.low <= 0 <= found.high
    assert hits >= 0.92 * n_tries
