"""Ponori compared with its definition in exact fractions, and figures of MEASURES section 1 (Krichel, IP&M 2007)."""

import math
import re
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from presort.metrics.batch import Batch
from presort.metrics.exponential import ponori, ponori_each, ponori_loss
from presort.metrics.natural_order import natural_order_key
from presort.metrics.outcome import Outcome
from presort.metrics.presorting import aselt
from tests.metrics.strategies import SMALL, all_outcomes, is_near, outcomes

DEFINED = outcomes(least_r=1).filter(lambda outcome: outcome.r < outcome.n)
BASES = [2, 3, 10, 1000, Fraction(1001, 1000), Fraction(11, 10), Fraction(809, 500)]


def slow_ponori(outcome: Outcome, y: Fraction) -> Fraction:
    """The definition, power by power."""
    r, n = outcome.r, outcome.n
    powers = [Fraction(y) ** i for i in range(n)]
    xi = sum(powers[p - 1] for p in outcome.positions.tolist())
    expected = Fraction(r, n) * sum(powers)
    return (expected - xi) / (expected - sum(powers[:r]))


def best_first(r: int, n: int) -> list[Outcome]:
    return sorted(all_outcomes(r, n), key=natural_order_key)


def keeps_natural_order(r: int, n: int, y: float | Fraction) -> bool:
    return all(ponori_loss(better, y) < ponori_loss(worse, y) for better, worse in pairwise(best_first(r, n)))


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("11000", 1),
        ("10100", 0.7872),
        ("01100", 0.6809),
        ("10010", 0.3617),
        ("01010", 0.2553),
        ("00110", 0.0426),
        ("10001", -0.4894),
        ("01001", -0.5957),
        ("00101", -0.8085),
        ("00011", -1.2340),
    ],
)
def test_the_ten_outcomes_of_two_in_five(flags, expected):
    """MEASURES section 1, required values: 2-Ponori of all ten outcomes of r = 2, n = 5."""
    outcome = Outcome.from_relevance([int(flag) for flag in flags])
    assert ponori(outcome) == pytest.approx(expected, abs=5e-5)
    assert float(1 - ponori_loss(outcome)) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("y", [2, Fraction(3, 2), 1.1, 1000], ids=str)
@pytest.mark.parametrize(("r", "n"), SMALL)
def test_every_outcome_of_small_lists(r, n, y):
    """Also Krichel's requirements 2 and 3: the best value is 1, and the mean over all outcomes is exactly 0."""
    every = best_first(r, n)
    gaps = [ponori_loss(outcome, y) for outcome in every]
    assert gaps == [1 - slow_ponori(outcome, y) for outcome in every]
    assert gaps[0] == 0
    assert sum(gaps) == len(gaps)
    assert ponori(every[0], y) == 1
    assert all(is_near(ponori(outcome, y), 1 - gap) for outcome, gap in zip(every, gaps, strict=True))


@given(DEFINED, st.sampled_from(BASES))
@example(Outcome([5000], 5000), 1000)
@example(Outcome(range(2, 5001), 5000), Fraction(1001, 1000))
@example(Outcome(range(2, 5001), 5000), 2)
@example(Outcome([*range(1, 2500), *range(2501, 5001)], 5000), Fraction(11, 10))
@example(Outcome([1, 5000], 5000), 2)
@example(Outcome(range(2501, 5001), 5000), Fraction(1001, 1000))
@example(Outcome([2500], 5000), Fraction(1001, 1000))
def test_doubles_are_near_the_exact_value(outcome, y):
    """MEASURES section 1, exactness: to 1e-12 for n up to 5,000."""
    assert is_near(ponori(outcome, y), 1 - ponori_loss(outcome, y))


@given(DEFINED, st.sampled_from([1.001, 1.1, 1.618, math.nextafter(1, 2), 1 + 1e-9, 2.5]))
def test_a_float_counts_as_its_exact_value(outcome, y):
    assert is_near(ponori(outcome, y), 1 - ponori_loss(outcome, y))


@pytest.mark.parametrize(
    "y",
    [
        pytest.param(1 + Fraction(1, 10**20), id="rounds-to-1"),
        pytest.param(1 + Fraction(1, 10**400), id="y-minus-1-rounds-to-0"),
        pytest.param(1e200, id="large"),
        pytest.param(10**400, id="beyond-floats"),
    ],
)
def test_bases_at_the_limits(y):
    for outcome in [*all_outcomes(3, 7), *all_outcomes(1, 9), *all_outcomes(8, 9)]:
        assert is_near(ponori(outcome, y), 1 - ponori_loss(outcome, y))


@given(DEFINED)
def test_ponori_near_base_1_is_aselt(outcome):
    assert ponori(outcome, 1 + 1e-12) == pytest.approx(aselt(outcome), abs=1e-8)


@given(st.lists(outcomes(max_n=300), max_size=8), st.sampled_from(BASES))
def test_a_batch_is_measured_as_each_outcome_alone(drawn, y):
    np.testing.assert_array_equal(ponori_each(Batch.of(drawn), y), [ponori(outcome, y) for outcome in drawn])


def test_the_loss_is_above_0_even_if_the_value_rounds_to_1():
    """MEASURES section 1, exactness: positions 1 … 11 and 500 of 600, which Krichel's table shows as 100 %."""
    outcome = Outcome([*range(1, 12), 500], 600)
    assert ponori(outcome) == 1.0
    assert float(ponori_loss(outcome)) == pytest.approx(600 / 12 * 2.0**-101, rel=1e-12)


def test_the_loss_of_a_long_list():
    outcome = Outcome([*range(1, 2500), 2501], 5000)
    assert 0 < ponori_loss(outcome) < Fraction(1, 10**700)
    assert 0 < ponori_loss(outcome, 1.1) < Fraction(1, 10**90)


@pytest.mark.parametrize("y", [2, Fraction(5, 2), 3.0, 10], ids=str)
def test_bases_of_at_least_2_respect_the_natural_order(y):
    """MEASURES section 1: always holds for y >= 2."""
    assert all(keeps_natural_order(r, n, y) for r, n in SMALL)


def test_bases_below_2_can_violate_the_natural_order():
    """MEASURES section 1: Krichel states any y above 1, but 1.1 violates the order for r = 2, n = 5."""
    better, worse = Outcome([3, 4], 5), Outcome([1, 5], 5)
    assert ponori(better, 1.1) < ponori(worse, 1.1)
    assert not keeps_natural_order(2, 5, Fraction(11, 10))
    assert not keeps_natural_order(3, 7, Fraction(17, 10))  # the golden ratio applies to r = 2 only


@pytest.mark.parametrize(
    ("y", "holds"),
    [
        pytest.param(1 + Fraction(619, 1000), True, id="above-the-golden-ratio"),
        pytest.param(1 + Fraction(618, 1000), False, id="below-the-golden-ratio"),
    ],
)
def test_two_relevant_papers_need_the_golden_ratio(y, holds):
    """MEASURES section 1: for r = 2 from 1.618 on. Rounded down, the golden ratio fails in long lists."""
    assert all(keeps_natural_order(2, n, y) for n in range(3, 15))
    assert keeps_natural_order(2, 40, y) == holds


def test_the_worst_value_depends_on_the_length():
    """MEASURES, introduction: the worst value of 2-Ponori is about 1 - n/2 for r = 1."""
    assert ponori(Outcome([600], 600)) == pytest.approx(1 - 600 / 2, rel=1e-12)
    assert ponori(Outcome([5000], 5000)) == pytest.approx(1 - 5000 / 2, rel=1e-12)


@pytest.mark.parametrize("positions", [pytest.param([], id="none"), pytest.param([1, 2, 3], id="all")])
def test_undefined_without_both_kinds_of_paper(positions):
    outcome = Outcome(positions, 3)
    assert math.isnan(ponori(outcome))
    assert isinstance(ponori_loss(outcome), float)
    assert math.isnan(ponori_loss(outcome))


@pytest.mark.parametrize("y", [np.int64(3), np.float64(3), np.float32(3), Fraction(3), 3.0])
def test_kinds_of_numbers(y):
    outcome = Outcome([2, 4], 6)
    assert ponori_loss(outcome, y) == ponori_loss(outcome, 3)
    assert ponori(outcome, y) == ponori(outcome, 3)


def test_a_float_is_not_the_decimal_it_is_written_as():
    outcome = Outcome([2, 4], 6)
    assert ponori_loss(outcome, 1.1) == ponori_loss(outcome, Fraction(1.1)) != ponori_loss(outcome, Fraction(11, 10))


@pytest.mark.parametrize(
    "y",
    [1, 1.0, Fraction(1), 0.5, 0, -2, math.nan, math.inf, -math.inf, True, np.True_, "2", None, 2j, [2]],
    ids=repr,
)
def test_wrong_base(y):
    outcome = Outcome([1, 3], 5)
    message = re.escape(f"y must be a finite number above 1, got {y!r}")
    for measure in (ponori, ponori_loss):
        with pytest.raises(ValueError, match=message):
            measure(outcome, y)
    with pytest.raises(ValueError, match=message):
        ponori_loss(Outcome([], 5), y)
