"""Violations of the natural order compared with a loop over all pairs (Krichel, IP&M 2007; MEASURES section 1)."""

import math
import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from presort.metrics.combinatorial import copnori, copnori_loss, copnori_rank
from presort.metrics.exponential import ponori, ponori_loss
from presort.metrics.natural_order import compare_natural, natural_order_key
from presort.metrics.outcome import Outcome
from presort.metrics.presorting import aselt, nosel
from presort.metrics.violations import Violation, Violations, violations
from tests.metrics.strategies import SMALL, all_outcomes

VALUES = st.one_of(
    st.integers(-2, 2),
    st.sampled_from([0.0, -0.0, 0.1, 1.0, math.nan, 1e300, -5e-324]),
    st.sampled_from([Fraction(1, 10), Fraction(1, 3), Fraction(10**30 + 1, 3 * 10**30), Fraction(-1, 10**400)]),
    st.floats(allow_infinity=False),
)


@st.composite
def measured(draw):
    """Draw outcomes of one r and n, some of them equal, and their values, of one type or mixed."""
    r, n = draw(st.sampled_from([*SMALL, (0, 3), (3, 3)]))
    drawn = draw(st.lists(st.sampled_from(list(all_outcomes(r, n))), max_size=12))
    kind = draw(st.sampled_from([VALUES, st.integers(0, 5), st.floats(allow_infinity=False)]))
    return drawn, [draw(kind) for _ in drawn]


def slow_violations(outcomes, values, limit, higher_is_better) -> tuple:
    """Check every pair, and sort all violations as described in the docstring."""
    sign = 1 if higher_is_better else -1
    kept = [index for index, value in enumerate(values) if not math.isnan(value)]
    n_pairs = n_ties = 0
    found = []
    for i, j in combinations(kept, 2):
        order = compare_natural(outcomes[i], outcomes[j])
        if not order:
            continue
        better, worse = (i, j) if order < 0 else (j, i)
        gain = sign * (Fraction(values[worse]) - Fraction(values[better]))
        n_pairs, n_ties = n_pairs + 1, n_ties + (gain == 0)
        if gain > 0:
            worse_value = -sign * Fraction(values[worse])
            keys = [natural_order_key(outcomes[worse]), worse, natural_order_key(outcomes[better]), better]
            found.append(((-gain, worse_value, *keys), better, worse))
    pairs = [(better, worse) for _, better, worse in sorted(found)]
    return n_pairs, len(found), n_ties, len(values) - len(kept), pairs[:limit]


def summary(found: Violations) -> tuple:
    pairs = [(row.better, row.worse) for row in found.largest]
    return found.n_pairs, found.n_strict, found.n_ties, found.n_left_out, pairs


def random_outcomes(n_outcomes: int, r: int, n: int) -> list[Outcome]:
    random = np.random.default_rng(0)
    return [Outcome(np.sort(random.choice(n, size=r, replace=False)) + 1, n) for _ in range(n_outcomes)]


def test_aselt_of_two_in_five():
    """By hand, from the table of the ten outcomes in MEASURES section 1."""
    every = sorted(all_outcomes(2, 5), key=natural_order_key)
    found = violations(every, [aselt(outcome) for outcome in every])
    # ties: .33 at places 2 and 3, 0 at 4 and 6, -.33 at 5 and 7; 00110 (5) is before 10001 (6), which has a better
    # value
    assert summary(found) == (45, 1, 3, 0, [(5, 6)])
    (row,) = found.largest
    assert (row.better_value, row.worse_value) == (pytest.approx(-1 / 3), 0)
    assert row.difference == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("values", "higher_is_better", "difference"),
    [
        pytest.param([1, 3], True, 2, id="int"),
        pytest.param([0.5, 0.75], True, 0.25, id="float"),
        pytest.param([0.75, 0.5], False, 0.25, id="lower-is-better"),
        pytest.param([Fraction(1, 3), Fraction(1, 2)], True, Fraction(1, 6), id="fraction"),
        pytest.param([2.0**53, 2**53 + 1], True, Fraction(1), id="mixed-is-exact"),
        pytest.param([-1e308, 1e308], True, 2 * Fraction(1e308), id="beyond-floats"),
        pytest.param(np.array([1, 3], dtype=np.int8), True, 2, id="array"),
        pytest.param(np.array([1.0, 3.0], dtype=np.float32), True, 2.0, id="float32"),
        pytest.param(pd.Series([1.0, 3.0], index=["a", "b"]), True, 2.0, id="series"),
        pytest.param(iter([1, 3]), True, 2, id="iterator"),
    ],
)
def test_a_pair_the_wrong_way_round(values, higher_is_better, difference):
    found = violations(iter([Outcome([2, 3], 5), Outcome([1, 4], 5)]), values, higher_is_better=higher_is_better)
    assert summary(found) == (1, 1, 0, 0, [(0, 1)])
    assert found.largest[0].difference == difference
    assert type(found.largest[0].difference) is type(difference)


def test_a_violation_has_outcomes_and_difference():
    (row,) = violations([Outcome([1, 4], 5), Outcome([2, 3], 5)], [3, 1]).largest
    assert row == Violation(better=1, worse=0, better_value=1, worse_value=3, difference=2)
    assert pd.DataFrame([row]).columns.tolist() == ["better", "worse", "better_value", "worse_value", "difference"]


@given(measured(), st.sampled_from([0, 1, 3, 100]), st.booleans())
@example(([Outcome([place], 9) for place in range(1, 10)], list(range(9))), 5, True)
@example(([Outcome([place], 9) for place in range(1, 10)], [0.1] * 9), 5, True)
@example(([Outcome([place], 9) for place in (3, 1, 2, 3, 1, 2)], [0, 0, 1, 1, 1, 0]), 100, True)
def test_violations_agree_with_a_loop_over_all_pairs(drawn, limit, higher_is_better):
    outcomes, values = drawn
    found = violations(outcomes, values, limit, higher_is_better=higher_is_better)
    assert summary(found) == slow_violations(outcomes, values, limit, higher_is_better)
    for row in found.largest:
        assert (row.better_value, row.worse_value) == (values[row.better], values[row.worse])
        assert row.difference > 0


@pytest.mark.parametrize(
    "values_of",
    [
        pytest.param(lambda places: places, id="all-wrong"),
        pytest.param(lambda places: -places, id="none-wrong"),
        pytest.param(lambda places: places // 2 * (1 - places % 2 * 2), id="alternating-good-and-bad"),
        pytest.param(lambda places: -(places // 2) + places % 2 * 3, id="a-little-wrong-everywhere"),
        pytest.param(lambda places: places % 7, id="few-values"),
    ],
)
@pytest.mark.parametrize("n_outcomes", [1, 2, 255, 256, 257, 1000])
def test_long_lists_of_every_shape(values_of, n_outcomes):
    places = np.arange(n_outcomes)
    values = values_of(places)
    gains = np.tril(values[:, None] - values, -1)  # the worse outcome comes later
    found = violations([Outcome([place], 1001) for place in range(1, n_outcomes + 1)], values, limit=50)
    n_pairs = n_outcomes * (n_outcomes - 1) // 2
    assert (found.n_pairs, found.n_strict) == (n_pairs, np.count_nonzero(gains > 0))
    assert found.n_ties == n_pairs - np.count_nonzero(gains)
    largest = np.sort(gains[gains > 0])[::-1][:50]
    assert [row.difference for row in found.largest] == largest.tolist()
    assert all(gains[row.worse, row.better] == row.difference for row in found.largest)


def test_random_outcomes_of_a_real_size():
    outcomes = random_outcomes(1500, r=12, n=600)
    values = np.array([aselt(outcome) for outcome in outcomes])
    worse = np.array([copnori_rank(outcome) for outcome in outcomes], dtype=object)
    is_later = worse[:, None] > worse
    found = violations(outcomes, values)
    assert found.n_strict == np.count_nonzero(is_later & (values[:, None] > values))
    assert found.n_ties == np.count_nonzero(is_later & (values[:, None] == values))
    differences = np.sort((values[:, None] - values)[is_later])[::-1]
    assert [row.difference for row in found.largest] == differences[:100].tolist()


@pytest.mark.parametrize(("gap", "measure"), [(copnori_loss, copnori), (ponori_loss, ponori)])
def test_exact_values_make_no_false_tie(gap, measure):
    """MEASURES section 1: Copnori and Ponori are passed as exact values, so that there are no false ties."""
    outcomes = [Outcome([*range(1, 300), last], 2000) for last in range(300, 320)]
    exact = violations(outcomes, [gap(outcome) for outcome in outcomes], higher_is_better=False)
    assert (exact.n_strict, exact.n_ties) == (0, 0)
    exact = violations(outcomes, [1 - gap(outcome) for outcome in outcomes])
    assert (exact.n_strict, exact.n_ties) == (0, 0)
    rounded = violations(outcomes, [measure(outcome) for outcome in outcomes])
    assert rounded.n_ties == rounded.n_pairs == 190


@pytest.mark.parametrize(("r", "n"), SMALL)
def test_measures_that_keep_the_natural_order(r, n):
    every = list(all_outcomes(r, n))
    for gap in (copnori_loss, ponori_loss, copnori_rank):
        found = violations(every, [gap(outcome) for outcome in every], higher_is_better=False)
        assert (found.n_strict, found.n_ties) == (0, 0)
    assert violations(every, [nosel(outcome) for outcome in every]).n_strict == 0


def test_equal_outcomes_make_no_pair():
    same = [Outcome([1, 3], 5)] * 3
    assert violations(same, [1, 2, 2]) == Violations(0, 0, 0, 0, ())


def test_nan_is_left_out_and_counted():
    outcomes = [Outcome([1, 4], 5), Outcome([1, 2], 5), Outcome([2, 3], 5)]
    found = violations(outcomes, [3.0, math.nan, Fraction(1, 2)])
    assert summary(found) == (1, 1, 0, 1, [(2, 0)])
    assert violations([Outcome([], 3)] * 2, [math.nan] * 2) == Violations(0, 0, 0, 2, ())


def test_no_outcomes():
    assert violations([], []) == Violations(0, 0, 0, 0, ())


def test_long_lists_are_ordered_as_numbers():
    outcomes = [Outcome([place, 70_000], 70_000) for place in (256, 1, 65_536, 255, 257)]
    assert violations(outcomes, [3, 1, 5, 2, 4], higher_is_better=False).n_strict == 0
    assert violations(outcomes, [3, 1, 5, 2, 4]).n_strict == 10


@pytest.mark.parametrize(
    ("outcomes", "values", "limit", "message"),
    [
        pytest.param(
            [Outcome([1], 5), Outcome([2], 5), Outcome([2], 6)],
            [1, 2, 3],
            1,
            "outcomes must have the same r and n, got r=1, n=5 at index 0 and r=1, n=6 at index 2",
            id="other-n",
        ),
        pytest.param(
            [Outcome([1], 5), Outcome([1, 2], 5)],
            [1, 2],
            1,
            "outcomes must have the same r and n, got r=1, n=5 at index 0 and r=2, n=5 at index 1",
            id="other-r",
        ),
        pytest.param(
            [[1, 2]], [1], 1, "outcome must be an Outcome (create one with Outcome.from_relevance), got", id="a-list"
        ),
        pytest.param(Outcome([1], 5), [1], 1, "outcomes must be a list of Outcome, got Outcome(", id="one-outcome"),
        pytest.param([Outcome([1], 5)], 1, 1, "values must be 1 numbers, one per outcome, got 1", id="one-value"),
        pytest.param([Outcome([1], 5)], [1, 2], 1, "values must be 1 numbers, one per outcome, got 2", id="too-many"),
        pytest.param([Outcome([1], 5)], [], 1, "values must be 1 numbers, one per outcome, got 0", id="too-few"),
        pytest.param(
            [Outcome([1], 5)], ["1"], 1, "values must be finite numbers or NaN, got '1' at index 0", id="text"
        ),
        pytest.param([Outcome([1], 5)], [None], 1, "values must be finite numbers or NaN, got None", id="none"),
        pytest.param(
            [Outcome([1], 5)], [-math.inf], 1, "values must be finite numbers or NaN, got -inf", id="infinite"
        ),
        pytest.param([Outcome([1], 5)], [1], -1, "limit must be an integer of at least 0, got -1", id="below-0"),
        pytest.param([Outcome([1], 5)], [1], 1.0, "limit must be an integer of at least 0, got 1.0", id="float"),
        pytest.param([Outcome([1], 5)], [1], True, "limit must be an integer of at least 0, got True", id="bool"),
    ],
)
def test_wrong_arguments(outcomes, values, limit, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        violations(outcomes, values, limit)
