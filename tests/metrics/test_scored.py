"""Measures of the ranker's scores (MEASURES section 1) compared with slow implementations of their definitions."""

import math
import re
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, permutations
from statistics import mean, variance

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from presort.metrics.outcome import Outcome
from presort.metrics.presorting import search_length
from presort.metrics.scored import brookes, expected_search_length, swets

TIED = st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6)


def slow_expected_search_length(scores: list[int], relevant: list[bool], target: int) -> Fraction:
    """Read the papers in every order that the scores allow."""
    lengths = []
    for order in permutations(range(len(scores))):
        if all(scores[upper] >= scores[lower] for upper, lower in pairwise(order)):
            found = [place for place, paper in enumerate(order, start=1) if relevant[paper]]
            lengths.append(Fraction(found[target - 1] - target))
    return mean(lengths)


def slow_separation(scores: list[float], relevant: list[bool]) -> tuple[Decimal, Decimal]:
    """Swets and Brookes in exact fractions, rounded once to 60 digits."""
    sides = [[Fraction(score) for score, flag in zip(scores, relevant, strict=True) if flag == side] for side in (1, 0)]
    with localcontext(prec=60):
        distance = to_decimal(mean(sides[0]) - mean(sides[1]))
        first, second = (to_decimal(variance(side)) for side in sides)
        return distance / ((first.sqrt() + second.sqrt()) / 2), distance / (first + second).sqrt()


def to_decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


@pytest.mark.parametrize(
    ("scores", "relevant", "target", "expected"),
    [
        pytest.param([4, 3, 2, 1], [1, 0, 1, 0], None, 1, id="no-ties-all"),
        pytest.param([4, 3, 2, 1], [1, 0, 1, 0], 1, 0, id="no-ties-first"),
        pytest.param([2, 1, 1, 1], [0, 1, 0, 0], None, 1 + 2 * 1 / 2, id="one-of-three-tied"),
        pytest.param([1, 1, 1, 1], [1, 1, 0, 0], 1, 2 * 1 / 3, id="all-tied-first"),
        pytest.param([1, 1, 1, 1], [1, 1, 0, 0], 2, 2 * 2 / 3, id="all-tied-all"),
        pytest.param([3, 2, 2, 2, 1], [1, 1, 0, 1, 0], 2, 1 * 1 / 3, id="one-required-of-a-tie"),
        pytest.param([math.inf, 0, 0, -math.inf], [0, 1, 0, 0], None, 1.5, id="infinite"),
        pytest.param([True, False, True], [1, 0, 0], None, 0.5, id="bool"),
        pytest.param([1, 2], [1, 1], None, 0, id="all-relevant"),
        pytest.param([1, 2], [0, 0], None, math.nan, id="none-relevant"),
        pytest.param([1, 2], [0, 0], 1, math.nan, id="none-relevant-with-a-target"),
    ],
)
def test_expected_search_length(scores, relevant, target, expected):
    value = expected_search_length(scores, relevant, target)
    assert isinstance(value, float)
    assert value == pytest.approx(expected, abs=1e-15, nan_ok=True)


@given(TIED, st.data())
def test_expected_search_length_is_the_mean_over_all_orders(papers, data):
    scores, relevant = map(list, zip(*papers, strict=True))
    assume(any(relevant))
    target = data.draw(st.integers(1, sum(relevant)))
    expected = slow_expected_search_length(scores, relevant, target)
    assert expected_search_length(scores, relevant, target) == pytest.approx(float(expected), rel=1e-14)


@given(st.lists(st.tuples(st.floats(allow_nan=False), st.booleans()), min_size=1, unique_by=lambda paper: paper[0]))
def test_expected_search_length_without_ties_is_search_length(papers):
    scores, relevant = zip(*papers, strict=True)
    expected = search_length(Outcome.from_scores(scores, relevant))
    assert expected_search_length(scores, relevant) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("target", [0, 3, -1, 1.0, True, "1", math.nan], ids=repr)
def test_wrong_target(target):
    message = re.escape(f"target must be an integer from 1 to r = 2, got {target!r}")
    with pytest.raises(ValueError, match=message):
        expected_search_length([3, 2, 1], [1, 1, 0], target)


@pytest.mark.parametrize(
    ("scores", "relevant", "expected_swets", "expected_brookes"),
    [
        pytest.param([4, 2, 1, -1], [1, 1, 0, 0], 3 / math.sqrt(2), 3 / 2, id="equal-spread"),
        pytest.param([5, 1, 0, 0], [1, 1, 0, 0], 3 / math.sqrt(2), 3 / math.sqrt(8), id="one-side-without-spread"),
        pytest.param([1, -1, 2, 4], [1, 1, 0, 0], -3 / math.sqrt(2), -3 / 2, id="reversed-order"),
        pytest.param([1, 3, 0, 4], [1, 1, 0, 0], 0, 0, id="same-means"),
        pytest.param([True, False, False, False], [1, 1, 0, 0], math.sqrt(2), math.sqrt(0.5), id="bool"),
    ],
)
def test_separation_by_hand(scores, relevant, expected_swets, expected_brookes):
    assert swets(scores, relevant) == pytest.approx(expected_swets, rel=1e-15)
    assert brookes(scores, relevant) == pytest.approx(expected_brookes, rel=1e-15)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=8),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=8),
)
@example([1e16, 1e16 + 2, 1e16 + 4], [0.0, 1.0])
@example([1e16 + 6, 1e16 + 8], [1e16, 1e16 + 2, 1e16 + 4])
@example([1.7e308, -1.7e308], [1.7e308, 1.6e308])
@example([5e-324, 1e-323], [0.0, 5e-324])
@example([1.0, 1.0], [0.0, 1e-200])
@example([0.5, 0.5], [0.0, 5e-324])
def test_separation_is_exact_for_scores_of_any_size(found, others):
    assume(len(set(found)) > 1 or len(set(others)) > 1)
    scores, relevant = found + others, [True] * len(found) + [False] * len(others)
    values = swets(scores, relevant), brookes(scores, relevant)
    for value, exact in zip(values, slow_separation(scores, relevant), strict=True):
        if abs(exact) < Decimal("1e290"):
            assert value == pytest.approx(float(exact), rel=1e-12, abs=1e-12)
        else:
            assert math.isnan(value) or abs(value) > 1e289  # a spread that no double can represent at such a distance


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param([2**62 + 1, 2**62 + 3, 1, 2], id="integers-beyond-double-precision"),
        pytest.param(np.array([2**63 - 1, 2**63 - 3, -(2**63), 5 - 2**63]), id="full-range-of-int64"),
        pytest.param(np.array([2**64 - 1, 2**64 - 3, 0, 1], dtype=np.uint64), id="uint64"),
        pytest.param(np.array([100, 127, -128, -100], dtype=np.int8), id="int8"),
        pytest.param(np.array([3e38, 2e38, -3e38, 0], dtype=np.float32), id="float32"),
    ],
)
def test_separation_of_other_kinds_of_number(scores):
    relevant = [True, True, False, False]
    exact = slow_separation([score.item() if isinstance(score, np.generic) else score for score in scores], relevant)
    assert swets(scores, relevant) == pytest.approx(float(exact[0]), rel=1e-14)
    assert brookes(scores, relevant) == pytest.approx(float(exact[1]), rel=1e-14)


@given(
    st.lists(st.tuples(st.integers(-50, 50), st.booleans()), min_size=1),
    st.integers(-(2**52), 2**52),
    st.integers(-900, 900),
)
def test_neither_offset_nor_scale_matters(papers, offset, exponent):
    scores, relevant = zip(*papers, strict=True)
    moved = [score + offset for score in scores]
    scaled = [math.ldexp(score, exponent) for score in scores]
    floats = [float(score) for score in moved]
    for measure in (swets, brookes):
        for same in (moved, floats, scaled):
            np.testing.assert_allclose(measure(same, relevant), measure(scores, relevant), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("measure", [swets, brookes])
@pytest.mark.parametrize(
    ("scores", "relevant"),
    [
        pytest.param([1, 1, 0, 0], [1, 1, 0, 0], id="no-spread"),
        pytest.param([0.1, 0.1, 0.1, 0.1], [1, 0, 1, 0], id="all-the-same"),
        pytest.param([0, 0, 0, 0], [1, 0, 1, 0], id="all-0"),
        pytest.param([3, 2, 1], [1, 0, 0], id="one-relevant"),
        pytest.param([3, 2, 1], [1, 1, 0], id="one-not-relevant"),
        pytest.param([3, 2], [0, 0], id="none-relevant"),
        pytest.param([3, 2], [1, 1], id="all-relevant"),
        pytest.param([math.inf, 2, 1, 0], [1, 1, 0, 0], id="infinite"),
        pytest.param([3, 2, 1, -math.inf], [1, 1, 0, 0], id="minus-infinite"),
    ],
)
def test_undefined_separation(measure, scores, relevant):
    assert math.isnan(measure(scores, relevant))


@pytest.mark.parametrize("measure", [expected_search_length, swets, brookes])
@pytest.mark.parametrize(
    ("scores", "relevant", "message"),
    [
        pytest.param([1.0, math.nan], [0, 1], "scores must be 2 numbers without NaN, one per paper, got", id="nan"),
        pytest.param([1.0], [0, 1], "scores must be 2 numbers without NaN, one per paper, got [1.0]", id="shorter"),
        pytest.param(["a", "b"], [0, 1], "scores must be 2 numbers", id="text"),
        pytest.param([1.0, 2.0], [0, 2], "relevant must be 0 or 1, got 2 at position 2", id="relevant"),
        pytest.param([1.0, [2.0]], [0, 1], "scores must be 2 numbers without NaN, one per paper, got", id="uneven"),
        pytest.param([1.0, 2.0], [0, [1]], "relevant must be a non-empty list of 0 and 1, got", id="uneven-flags"),
        pytest.param([], [], "relevant must be a non-empty list of 0 and 1, got []", id="empty"),
    ],
)
def test_wrong_scores(measure, scores, relevant, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        measure(scores, relevant)


def test_scores_are_not_modified():
    scores = np.array([4.0, 2.0, 1.0, -1.0])
    for measure in (expected_search_length, swets, brookes):
        measure(scores, [1, 1, 0, 0])
    assert scores.tolist() == [4.0, 2.0, 1.0, -1.0]
