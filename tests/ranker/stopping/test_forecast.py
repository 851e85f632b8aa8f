"""Forecasts: number of relevant papers below a position, and the stop point."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.ranker.stopping.curves import any_below
from presort.ranker.stopping.forecast import MOST, Lists, RelevanceForecast
from tests.ranker.lists import readings


def forecast_of(*cases, n_found=0, weights=None, thresholds=None):
    """Return a forecast of some cases, in each of which unread papers are relevant with these probabilities."""
    hidden = np.array(cases, dtype=float)
    weights = np.full(len(cases), 1 / len(cases)) if weights is None else np.array(weights)
    chances = weights @ hidden
    return RelevanceForecast(
        n_found, chances, hidden, weights, thresholds or Lists.of(np.maximum(chances, 1e-12), np.ones_like(chances))
    )


def slow_between(forecast, position, level):
    """Count all combinations of relevance of the papers below."""
    totals = {}
    for weight, case in zip(forecast.weights, forecast.hidden, strict=True):
        below = case[position:].tolist()
        for ways in product([0, 1], repeat=len(below)):
            chance = math.prod(c if way else 1 - c for way, c in zip(ways, below, strict=True))
            totals[sum(ways)] = totals.get(sum(ways), 0) + weight * chance
    ends = []
    for bound in ((1 - level) / 2, (1 + level) / 2):
        up_to, number = totals[0], 0
        while up_to < bound:
            number += 1
            up_to += totals.get(number, 0)
        ends.append(number)
    return ends


chance = st.sampled_from([0.0, 0.013, 0.11, 0.37, 0.72, 0.94])


@given(st.lists(st.lists(chance, min_size=6, max_size=6), min_size=1, max_size=3), st.sampled_from([0.5, 0.9, 0.97]))
def test_the_interval_agrees_with_counting_all_combinations(cases, level):
    forecast = forecast_of(*cases)
    low, high = forecast.between(level)
    for position in range(1, 7):
        assert [low[position - 1], high[position - 1]] == slow_between(forecast, position, level)


@given(
    st.lists(st.lists(chance, min_size=6, max_size=6), min_size=1, max_size=3), st.lists(st.integers(0, 5), min_size=1)
)
def test_the_interval_at_some_positions_is_that_of_all_positions(cases, at):
    forecast = forecast_of(*cases)
    np.testing.assert_array_equal(forecast.between(at=at), np.array(forecast.between())[:, at])


@given(st.lists(st.lists(chance, min_size=6, max_size=6), min_size=1, max_size=3))
def test_the_probability_of_none_left_matches_an_interval_up_to_0(cases):
    forecast = forecast_of(*cases)
    for position, none in enumerate(forecast.none_left().tolist(), start=1):
        for level, ends in ((2 * none - 1 - 1e-9, True), (2 * none - 1 + 1e-9, False)):
            if 0 < level < 1:
                assert (forecast.between(level)[1][position - 1] == 0) == ends


def test_figures_by_hand():
    forecast = forecast_of([0.9, 0.5, 0.1, 0.5], [0.7, 0.3, 0.1, 0.1], n_found=2)
    none = [(0.5 * 0.9 * 0.5 + 0.7 * 0.9 * 0.9) / 2, (0.9 * 0.5 + 0.9 * 0.9) / 2, (0.5 + 0.9) / 2, 1]
    assert forecast.none_left() == pytest.approx(none)
    assert forecast.left() == pytest.approx([0.8, 0.4, 0.3, 0])


def test_nothing_is_left_after_reading_everything():
    forecast = forecast_of([0, 0, 0], n_found=2)
    np.testing.assert_array_equal(forecast.left(), [0, 0, 0])
    np.testing.assert_array_equal(forecast.between(), np.zeros((2, 3)))
    np.testing.assert_array_equal(forecast.none_left(), [1, 1, 1])
    assert forecast.stop_for_all() == 1


@given(readings())
def test_figures_are_within_their_ranges(reading):
    forecast, one = reading
    n_papers = len(one.scores)
    left, (low, high) = forecast.left(), forecast.between()
    assert left.shape == low.shape == high.shape == (n_papers,)
    assert left[-1] == 0
    assert forecast.n_found == one.is_relevant.sum()
    assert (forecast.weights >= 0).all()
    assert forecast.weights.sum() == pytest.approx(1)
    assert ((forecast.chances >= 0) & (forecast.chances <= 1)).all()
    assert (np.diff(forecast.chances) <= 1e-12).all()
    n_unread = n_papers - np.arange(1, n_papers + 1)
    assert (left <= n_unread + 1e-9).all()
    assert (left >= 0).all()
    assert ((low >= 0) & (low <= high) & (high <= n_unread)).all()
    none_left = forecast.none_left()
    assert none_left[-1] == 1
    assert ((none_left >= 0) & (none_left <= 1)).all()
    assert (np.diff(none_left) >= -1e-12).all()
    for falling in (left, low, high):
        assert (np.diff(falling) <= 0).all()


@given(readings(), st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_a_lower_target_never_stops_later(reading, a, b):
    forecast, one = reading
    strict, lax = (forecast.stop(miss) for miss in sorted((a, b)))
    assert 1 <= lax <= strict <= len(one.scores)


@given(readings(), st.floats(0.05, 0.6), st.floats(0.6, 0.95))
def test_wider_intervals_include_narrower_ones(reading, narrow, wide):
    forecast, _ = reading
    if forecast.lists is not None:
        (low, high), (lower, higher) = forecast.between(narrow), forecast.between(wide)
        assert ((lower <= low) & (high <= higher)).all()


# ---- stop


def slow_stop(chances, pool, miss):
    """Skip papers, least likely first, while the skipped total is acceptable."""
    total, given_up, threshold = sum(c * n for c, n in pool), 0.0, None
    for c, n in sorted(pool):
        given_up += c * n
        if given_up > 0.9 * miss * total:
            threshold = c
            break
    return max(sum(c >= threshold for c in chances), 1)


@given(
    st.lists(st.integers(1, 999), min_size=1, max_size=9),
    st.lists(st.tuples(st.integers(1, 999), st.integers(1, 30)), max_size=9),
    st.sampled_from([0.013, 0.051, 0.107, 0.52]),
)
def test_the_stop_point_agrees_with_skipping_paper_after_paper(own, earlier, miss):
    chances = np.array(sorted(own, reverse=True)) / 1000
    pool = [(c, 1) for c in chances.tolist()] + [(c / 1000, n) for c, n in earlier]
    all_lists = Lists.of(np.array([c for c, _ in pool]), np.array([float(n) for _, n in pool]))
    forecast = forecast_of(chances, thresholds=all_lists)
    assert forecast.stop(miss) == slow_stop(chances.tolist(), pool, miss)


def test_the_stop_point_is_the_last_paper_worth_reading():
    assert forecast_of([0.9, 0.8, 0.3, 0.02, 0.02]).stop_for_all() == 3  # .98 times .98 is .9604, more than 1 - .045
    assert forecast_of([0.9, 0.8, 0.3, 0.03, 0.02]).stop_for_all() == 4  # .9506
    assert forecast_of([0.9, 0.8, 0.3, 0.03, 0.05]).stop_for_all() == 5


@given(readings())
def test_the_target_all_continues_while_a_relevant_paper_below_is_likely(reading):
    forecast, one = reading
    at = forecast.stop_for_all()
    assert 1 <= at <= len(one.scores)
    below = any_below(forecast.hidden, forecast.weights)[at - 1]
    assert below <= MOST or np.isnan(below)


def test_a_clear_list_stops_earlier_than_a_doubtful_one():
    clear, doubtful = np.array([0.95, 0.9, 0.01, 0.01, 0.01]), np.array([0.5, 0.4, 0.3, 0.25, 0.2])
    both = Lists.of(np.concatenate([clear, doubtful]), np.ones(10))
    assert forecast_of(clear, thresholds=both).stop(0.1) == 2
    assert forecast_of(doubtful, thresholds=both).stop(0.1) == 4


def test_at_least_one_paper_of_an_unpromising_list_is_read():
    poor = Lists.of(np.array([0.01, 0.01, 0.9]), np.array([1.0, 1.0, 20.0]))
    assert forecast_of([0.01, 0.01], thresholds=poor).stop(0.1) == 1


# ---- errors


@pytest.mark.parametrize("miss", [0, 1, -0.1, 1.5, math.nan])
def test_miss_must_be_between_0_and_1(miss):
    with pytest.raises(ValueError, match=f"miss must be above 0 and below 1, got {miss}"):
        forecast_of([0.5, 0.1]).stop(miss)


@pytest.mark.parametrize("level", [0, 1, -0.1, math.nan])
def test_level_must_be_between_0_and_1(level):
    with pytest.raises(ValueError, match=f"level must be above 0 and below 1, got {level}"):
        forecast_of([0.5, 0.1]).between(level)
