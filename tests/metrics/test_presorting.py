"""Required values of the natural-order measures, by hand and from MEASURES section 1 (Krichel, IP&M 2007)."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from presort.metrics import (
    Outcome,
    aselt,
    copnori,
    copnori_loss,
    copnori_rank,
    last_relevant_position,
    lofop,
    nosel,
    precision_at_last,
    relative_last_position,
    search_length,
)
from tests.metrics.strategies import outcomes


def outcome_of(flags: str) -> Outcome:
    return Outcome.from_relevance([int(flag) for flag in flags])


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        pytest.param("1100", 2, id="perfect"),
        pytest.param("0011", 4, id="worst"),
        pytest.param("1111", 4, id="all-relevant"),
        pytest.param("0000", math.nan, id="nothing-selected"),
    ],
)
def test_measures_of_the_last_relevant_position(flags, expected):
    outcome = outcome_of(flags)
    assert last_relevant_position(outcome) == pytest.approx(expected, nan_ok=True)
    assert relative_last_position(outcome) == pytest.approx(expected / 4, nan_ok=True)
    assert search_length(outcome) == pytest.approx(expected - outcome.r, nan_ok=True)
    assert precision_at_last(outcome) == pytest.approx(outcome.r / expected, nan_ok=True)


@given(st.lists(st.booleans(), min_size=1).filter(any), st.integers(0, 20))
def test_papers_below_the_last_relevant_do_not_matter(flags, extra):
    outcome, longer = Outcome.from_relevance(flags), Outcome.from_relevance(flags + [False] * extra)
    assert last_relevant_position(longer) == last_relevant_position(outcome)
    assert search_length(longer) == search_length(outcome)


@pytest.mark.parametrize(
    ("flags", "expected_aselt", "expected_lofop", "expected_nosel", "expected_copnori"),
    [
        ("11000", 1, 1, 1, 1),
        ("10100", 0.6667, 0.7338, 0.5, 0.7778),
        ("01100", 0.3333, 0.5273, 0.5, 0.5556),
        ("10010", 0.3333, 0.3586, 0, 0.3333),
        ("01010", 0, 0.1522, 0, 0.1111),
        ("00110", -0.3333, -0.1140, 0, -0.1111),
        ("10001", 0, -0.2827, -0.5, -0.3333),
        ("01001", -0.3333, -0.4892, -0.5, -0.5556),
        ("00101", -0.6667, -0.7554, -0.5, -0.7778),
        ("00011", -1, -1.1306, -0.5, -1),
    ],
)
def test_the_ten_outcomes_of_two_in_five(flags, expected_aselt, expected_lofop, expected_nosel, expected_copnori):
    """MEASURES section 1, required values: all ten outcomes of r = 2, n = 5."""
    outcome = outcome_of(flags)
    values = [measure(outcome) for measure in (aselt, lofop, nosel, copnori)]
    assert values == pytest.approx([expected_aselt, expected_lofop, expected_nosel, expected_copnori], abs=5e-5)


@pytest.mark.parametrize(
    ("flags", "percent"),
    [
        pytest.param("11000001", 2.64, id="as-printed"),
        pytest.param("00011010", -15.64, id="printed-without-sign-for-00100110"),
        pytest.param("00100110", -21.37, id="printed-vector"),
    ],
)
def test_lofop_of_krichel(flags, percent):
    """MEASURES section 1, required values: Krichel's Lofop figures, with his misprint corrected."""
    assert 100 * lofop(outcome_of(flags)) == pytest.approx(percent, abs=0.005)


@pytest.mark.parametrize(("flags", "expected"), [("00011", -0.5), ("0000001111", -0.25)])
def test_nosel_of_krichel(flags, expected):
    """MEASURES section 1, required values: Nosel does not scale (Krichel prints both without the sign)."""
    assert nosel(outcome_of(flags)) == expected


@pytest.mark.parametrize("flags", [pytest.param("000", id="none-relevant"), pytest.param("111", id="all-relevant")])
def test_undefined_without_both_kinds_of_paper(flags):
    outcome = outcome_of(flags)
    for measure in (aselt, lofop, nosel, copnori, copnori_loss):
        assert math.isnan(measure(outcome))
    assert copnori_rank(outcome) == 0  # the only outcome, so none is better


@given(outcomes().filter(lambda outcome: 0 < outcome.r < outcome.n))
@example(Outcome([1, 2, 4], 1_000_000))
def test_bounds_that_depend_on_r_and_n(outcome):
    r, n = outcome.r, outcome.n
    best, worst = Outcome(np.arange(1, r + 1), n), Outcome(np.arange(n - r + 1, n + 1), n)
    for measure in (aselt, lofop, nosel, copnori):
        assert measure(best) == 1
        assert measure(worst) - 1e-12 <= measure(outcome) <= 1
    assert aselt(worst) == -1
    assert nosel(worst) == -1 / r
    assert (copnori(best), copnori(worst)) == (1, -1)
    floor = math.lgamma(r + 1) - r / n * math.lgamma(n + 1)
    top = math.lgamma(n + 1) - math.lgamma(n - r + 1) - r / n * math.lgamma(n + 1)
    assert lofop(worst) == pytest.approx(floor / top, rel=1e-6, abs=1e-6)


def test_no_overflow_and_no_loss_of_the_gap():
    near_best = Outcome([*range(1, 300), 301], n=2000)
    assert copnori(near_best) == 1.0  # a double cannot represent the difference
    assert copnori_rank(near_best) == 1
    assert 0 < copnori_loss(near_best) < 10**-300
    long = Outcome([1, 50_000, 100_000], n=100_000)
    assert -1 <= copnori(long) < -0.99
    assert math.isfinite(lofop(long))
