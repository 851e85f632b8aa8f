import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from presort.metrics import Outcome, ReliabilitySensitivity, f_measure, ranking_reliability_sensitivity
from tests.metrics.strategies import outcomes


def values(figures: ReliabilitySensitivity) -> tuple[float, ...]:
    return (
        figures.priority_reliability,
        figures.priority_sensitivity,
        figures.clustering_reliability,
        figures.clustering_sensitivity,
    )


def test_worked_by_hand():
    """One relevant paper on top of two, read alone: c = 7.5 places, w = 1/8.5, T = 7.5/8.5."""
    figures = ranking_reliability_sensitivity(Outcome([1], n=2), k=1)
    assert values(figures) == pytest.approx((1, 1, 1, 1))
    figures = ranking_reliability_sensitivity(Outcome([2], n=2), k=1)
    assert values(figures) == pytest.approx((0, 0, 7.5 / 8.5, 7.5 / 8.5))


def test_listing_everything_is_sensitive_but_not_reliable():
    """MEASURES section 2: the reason for cutting off a presorted issue."""
    for positions in (range(1, 11), range(591, 601)):
        figures = ranking_reliability_sensitivity(Outcome(positions, n=600), k=600)
        assert figures.priority_sensitivity == 1
        assert figures.priority_reliability < 0.02


@pytest.mark.parametrize("k", [30, 10**30])
def test_a_cut_beyond_the_list_takes_all_of_it(k):
    outcome = Outcome([1, 4], n=5)
    assert ranking_reliability_sensitivity(outcome, k) == ranking_reliability_sensitivity(outcome, 5)


def test_a_first_place_with_almost_all_weight():
    """MEASURES section 2 in fractions: rounding errors don't dominate if 1 - w(d) is small."""
    top, weight = 1, 1 - 2**-50
    c = (1 - Fraction(weight)) * top / Fraction(weight)
    w, tail = c / (c * (c + 1)), c / (c + 3)
    figures = ranking_reliability_sensitivity(Outcome([1], n=3), 3, top, weight)
    assert figures.priority_reliability == pytest.approx(float(tail * w * (1 / (1 - w) + 1 / (1 - tail))), rel=1e-12)


def test_undefined():
    assert all(math.isnan(figure) for figure in values(ranking_reliability_sensitivity(Outcome([], n=9), k=3)))
    nothing_read = ranking_reliability_sensitivity(Outcome([1, 2], n=9), k=0)
    assert math.isnan(nothing_read.priority_reliability)
    assert math.isnan(nothing_read.clustering_reliability)
    assert nothing_read.priority_sensitivity == 0
    assert nothing_read.clustering_sensitivity == pytest.approx(7.5 / 9.5)


@given(outcomes(max_n=100, least_r=1), st.integers(1, 100))
def test_a_relevant_paper_that_moves_up_never_hurts(outcome, k):
    gaps = [p for p in outcome.positions.tolist() if p > 1 and p - 1 not in outcome.positions]
    before = values(ranking_reliability_sensitivity(outcome, k))
    for position in gaps[:3]:
        moved = sorted({*outcome.positions.tolist(), position - 1} - {position})
        after = values(ranking_reliability_sensitivity(Outcome(moved, outcome.n), k))
        assert all(new >= old - 1e-12 for new, old in zip(after, before, strict=True))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"k": -1}, "k must be an integer of at least 0, got -1", id="k-negative"),
        pytest.param({"k": 1.5}, "k must be an integer of at least 0, got 1.5", id="k-not-whole"),
        pytest.param({"k": True}, "k must be an integer of at least 0, got True", id="k-bool"),
        pytest.param({"k": 3, "top": 0}, "top must be a positive number of papers, got 0", id="top"),
        pytest.param({"k": 3, "top": math.nan}, "top must be a positive number of papers, got nan", id="top-nan"),
        pytest.param({"k": 3, "top": 10**400}, "top must be a positive number of papers, got 1000", id="top-huge"),
        pytest.param({"k": 3, "top": True}, "top must be a positive number of papers, got True", id="top-bool"),
        pytest.param({"k": 3, "weight": 1}, "weight must be between 0 and 1, got 1", id="weight"),
        pytest.param({"k": 3, "weight": math.nan}, "weight must be between 0 and 1, got nan", id="weight-nan"),
        pytest.param({"k": 3, "top": "30"}, "top must be a positive number of papers, got '30'", id="top-text"),
        pytest.param({"k": 3, "weight": None}, "weight must be between 0 and 1, got None", id="weight-none"),
        pytest.param({"k": 3, "top": 1e-200}, "top and weight must be less extreme, got 1e-200 and 0.8", id="extreme"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        ranking_reliability_sensitivity(Outcome([1], n=5), **options)


@pytest.mark.parametrize(
    ("p", "r", "alpha", "expected"),
    [
        pytest.param(0.5, 1, 0.5, 2 / 3, id="harmonic"),
        pytest.param(0.5, 1, 0.8, 1 / (0.8 / 0.5 + 0.2), id="alpha-weights-p"),
        pytest.param(0.5, 1, 1, 0.5, id="p-alone"),
        pytest.param(0.5, 1, 0, 1, id="r-alone"),
        pytest.param(0.5, math.nan, 1, 0.5, id="no-weight-no-effect"),
        pytest.param(0, 0, 0.5, 0, id="both-nothing"),
        pytest.param(0, 0.7, 0.5, 0, id="one-nothing"),
        pytest.param(math.nan, 0, 0.5, 0, id="nothing-and-undefined"),
        pytest.param(math.nan, 0.7, 0.5, math.nan, id="undefined"),
        pytest.param(math.nan, math.nan, 0.5, math.nan, id="both-undefined"),
        pytest.param(Fraction(1, 2), np.float32(1), Fraction(4, 5), 1 / (0.8 / 0.5 + 0.2), id="any-kind-of-number"),
    ],
)
def test_f_measure(p, r, alpha, expected):
    assert f_measure(p, r, alpha) == pytest.approx(expected, nan_ok=True)


SIZES = st.one_of(st.floats(0, 1), st.sampled_from([5e-324, 1e-320, 1e-200, 1e200, 1.7e308]), st.floats(0, 1.7e308))


@given(SIZES, SIZES, st.one_of(st.floats(0, 1), st.sampled_from([0, 0.5, 1, 5e-324, 1e-200])))
@example(1e-200, 1e-200, 0.5)
@example(5e-324, 5e-324, 0.3)
@example(1e-300, 1e300, 5e-324)
def test_f_is_exact_for_figures_of_any_size(p, r, alpha):
    if alpha in (0, 1):
        exact = Fraction(p if alpha else r)
    else:
        exact = 1 / (Fraction(alpha) / Fraction(p) + (1 - Fraction(alpha)) / Fraction(r)) if p and r else Fraction(0)
    assert f_measure(p, r, alpha) == pytest.approx(float(exact), rel=1e-14, abs=1e-323)


@given(st.floats(0.001, 1), st.floats(0.001, 1), st.floats(0, 1))
def test_f_is_between_its_arguments_and_symmetric(p, r, alpha):
    f = f_measure(p, r, alpha)
    assert min(p, r) - 1e-12 <= f <= max(p, r) + 1e-12
    assert f == pytest.approx(f_measure(r, p, 1 - alpha))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 0.5, 1.1), "alpha must be a number from 0 to 1, got 1.1"),
        ((0.5, 0.5, math.nan), "alpha must be a number from 0 to 1, got nan"),
        ((0.5, 0.5, "x"), "alpha must be a number from 0 to 1, got 'x'"),
        ((0.5, 0.5, True), "alpha must be a number from 0 to 1, got True"),
        ((-0.1, 0.5), "p must be a finite number of at least 0, or NaN, got -0.1"),
        ((0.5, -0.1), "r must be a finite number of at least 0, or NaN, got -0.1"),
        ((None, 0.5), "p must be a finite number of at least 0, or NaN, got None"),
        (("a", 0.5), "p must be a finite number of at least 0, or NaN, got 'a'"),
        (([0.5], 0.5), "p must be a finite number of at least 0, or NaN, got [0.5]"),
        ((0.5, True), "r must be a finite number of at least 0, or NaN, got True"),
        ((0.5, math.inf), "r must be a finite number of at least 0, or NaN, got inf"),
        ((10**400, 0.5), "p must be a finite number of at least 0, or NaN, got 1000"),
    ],
)
def test_wrong_f(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        f_measure(*arguments)
