"""F over the weight of precision, and the weights at which systems swap ranks."""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.metrics.f_curve import f_curve
from presort.metrics.reliability import f_measure

NAN, INF = math.nan, math.inf
FIGURES = st.integers(0, 20).map(lambda number: number / 20)  # zeros and ties are common
POSITIVE = st.integers(1, 20).map(lambda number: number / 20)


@st.composite
def precision_and_recall(draw, n_systems=2, values=FIGURES):
    n_cases = draw(st.integers(1, 6))
    drawn = draw(st.lists(values, min_size=2 * n_systems * n_cases, max_size=2 * n_systems * n_cases))
    return np.array(drawn).reshape(2, n_systems, n_cases)


def slow_mean_f(p, r, alpha) -> float:
    return sum(f_measure(x, y, alpha) for x, y in zip(p.tolist(), r.tolist(), strict=True)) / len(p)


def exact_mean_f(p, r, alpha) -> Fraction:
    """Exact mean. For weights between 0 and 1, a case with a zero has F = 0."""
    terms = [
        1 / (alpha / Fraction(x) + (1 - alpha) / Fraction(y)) if x and y else Fraction(0)
        for x, y in zip(p.tolist(), r.tolist(), strict=True)
    ]
    return sum(terms, Fraction(0)) / len(terms)


@given(precision_and_recall(n_systems=3), st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_curve_agrees_with_f_measure(figures, alphas):
    P, R = figures
    curve = f_curve(P, R, alphas=alphas)
    assert curve.alphas.tolist() == alphas
    assert curve.mean_f.shape == (3, len(alphas))
    for row, column in np.ndindex(curve.mean_f.shape):
        assert curve.mean_f[row, column] == pytest.approx(slow_mean_f(P[row], R[row], alphas[column]), abs=1e-14)


def test_ends_are_recall_and_precision():
    P, R = np.array([[0.9, 0.2], [0.4, 0.0]]), np.array([[0.3, 0.5], [0.6, 1.0]])
    curve = f_curve(P, R)
    assert curve.alphas.tolist() == pytest.approx([number / 100 for number in range(101)])
    assert curve.mean_f[:, 0] == pytest.approx(R.mean(axis=1))
    assert curve.mean_f[:, -1] == pytest.approx(P.mean(axis=1))


@given(st.tuples(POSITIVE, POSITIVE, POSITIVE, POSITIVE))
def test_swap_on_one_case_has_a_closed_form(figures):
    """1/F is linear in alpha, so two lines cross at most once."""
    p, r, q, s = map(Fraction, figures)
    at_recall, at_precision = 1 / r - 1 / s, 1 / p - 1 / q  # above 0: the first system is worse
    curve = f_curve([[float(p)], [float(q)]], [[float(r)], [float(s)]])
    if at_recall * at_precision < 0:
        (swap,) = curve.swaps
        assert swap.alpha == pytest.approx(float(at_recall / (at_recall - at_precision)), abs=1e-12)
        assert (swap.below, swap.above) == ((1, 0) if at_recall > 0 else (0, 1))
    else:
        assert curve.swaps == ()


@given(precision_and_recall(n_systems=3))
def test_swaps_are_where_the_sign_changes(figures):
    """In exact arithmetic, the leader changes at the swaps and nowhere else, and the means are equal there."""
    P, R = figures
    curve = f_curve(P, R)
    assert [swap.alpha for swap in curve.swaps] == sorted(swap.alpha for swap in curve.swaps)
    seen = [Fraction(number, 64) for number in range(1, 64)]
    means = {alpha: [exact_mean_f(p, r, alpha) for p, r in zip(P, R, strict=True)] for alpha in seen}
    for one, other in combinations(range(3), 2):
        swaps = [swap for swap in curve.swaps if {swap.below, swap.above} == {one, other}]
        leaders = defaultdict(set)  # index: number of swaps below
        for alpha, mean in means.items():
            if abs(mean[one] - mean[other]) > 1e-12:
                leaders[sum(swap.alpha < alpha for swap in swaps)].add(one if mean[one] > mean[other] else other)
        assert all(len(found) == 1 for found in leaders.values())
        for number, swap in enumerate(swaps):
            assert 0 < swap.alpha < 1
            there = [exact_mean_f(P[system], R[system], Fraction(swap.alpha)) for system in (one, other)]
            assert abs(there[0] - there[1]) < 1e-13
            assert leaders.get(number, {swap.below}) == {swap.below}
            assert leaders.get(number + 1, {swap.above}) == {swap.above}


@given(precision_and_recall(), st.randoms(use_true_random=False))
def test_identical_systems_have_no_swap(figures, random):
    """Even if the order of the cases differs, which changes the rounding of their mean."""
    P, R = figures
    order = list(range(P.shape[1]))
    random.shuffle(order)
    assert f_curve(np.stack([P[0], P[0][order]]), np.stack([R[0], R[0][order]])).swaps == ()


@given(precision_and_recall())
def test_exchanging_the_systems_or_the_metrics_keeps_the_swaps(figures):
    P, R = figures
    swaps = f_curve(P, R).swaps
    exchanged = f_curve(P[::-1], R[::-1]).swaps
    assert [(1 - swap.below, 1 - swap.above) for swap in exchanged] == [(swap.below, swap.above) for swap in swaps]
    assert [swap.alpha for swap in exchanged] == pytest.approx([swap.alpha for swap in swaps], abs=1e-9)
    mirrored = f_curve(R, P).swaps[::-1]
    assert [(swap.above, swap.below) for swap in mirrored] == [(swap.below, swap.above) for swap in swaps]
    assert [1 - swap.alpha for swap in mirrored] == pytest.approx([swap.alpha for swap in swaps], abs=1e-9)


def test_systems_may_swap_twice():
    """One case in each direction: the first system leads only in the middle."""
    P, R = np.array([[0.5, 0.5], [0.05, 1.0]]), np.array([[0.5, 0.5], [1.0, 0.05]])
    swaps = f_curve(P, R).swaps
    assert [(swap.below, swap.above) for swap in swaps] == [(1, 0), (0, 1)]
    assert swaps[0].alpha == pytest.approx(1 - swaps[1].alpha, abs=1e-12)


def test_swaps_close_to_the_ends_are_found():
    """F of a precision of 0.0001 falls within the first ten thousandth of the weights."""
    curve = f_curve([[1e-4], [0.5]], [[1.0], [0.5]])
    (swap,) = curve.swaps
    assert swap.alpha == pytest.approx(float(Fraction(1) / (1 + (1 / Fraction(1e-4) - 2))), rel=1e-9)
    twice = f_curve([[1e-5, 0.6], [5e-5, 0.5]], [[1.0, 0.6], [0.9, 0.5]]).swaps
    assert [(swap.below, swap.above) for swap in twice] == [(0, 1), (1, 0)]
    assert twice[1].alpha < 0.001


def test_equality_or_a_jump_at_an_end_is_no_swap():
    assert f_curve([[0.5], [0.6]], [[0.5], [0.5]]).swaps == ()
    assert f_curve([[0.0], [0.5]], [[1.0], [0.5]]).swaps == ()


def test_swaps_do_not_depend_on_the_weights_shown():
    P, R = [[0.9], [0.5]], [[0.3], [0.6]]
    assert f_curve(P, R, alphas=[0.1]).swaps == f_curve(P, R).swaps


def test_cases_with_nan_are_left_out_for_all():
    P, R = np.array([[0.9, 0.2, NAN], [0.4, 0.7, 0.1]]), np.array([[0.3, 0.5, 0.5], [0.6, NAN, 0.1]])
    curve = f_curve(P, R)
    assert (curve.n_cases, curve.n_left_out) == (1, 2)
    assert curve.mean_f == pytest.approx(f_curve(P[:, :1], R[:, :1]).mean_f)


@pytest.mark.parametrize("empty", [np.full((2, 3), NAN), np.empty((2, 0))])
def test_no_case_left_is_nan(empty):
    curve = f_curve(empty, empty, alphas=[0, 0.5])
    assert curve.mean_f.shape == (2, 2)
    assert np.isnan(curve.mean_f).all()
    assert curve.swaps == ()
    assert curve.n_cases == 0


def test_one_system_has_a_curve_and_no_swap():
    curve = f_curve([[0.5, 0.7]], [[0.2, 0.4]])
    assert curve.mean_f.shape == (1, 101)
    assert curve.swaps == ()


GOOD = [[0.5, 0.4], [0.4, 0.6]]


@pytest.mark.parametrize(
    ("P", "R", "alphas", "message"),
    [
        pytest.param([0.5], GOOD, None, r"P must have the shape \(n_systems, n_cases\), got \(1,\)", id="flat"),
        pytest.param(GOOD, [[0.5], [0.4, 0.6]], None, "R must have the shape .* different lengths", id="ragged"),
        pytest.param(GOOD, GOOD[:1], None, r"R must have the shape \(2, 2\) of P, got \(1, 2\)", id="shapes-differ"),
        pytest.param(np.empty((0, 2)), GOOD, None, r"P must have at least one system, got \(0, 2\)", id="no-system"),
        pytest.param([["a", "b"]], GOOD, None, "P must contain only numbers, got", id="text"),
        pytest.param(
            [[0.5, INF]], GOOD, None, r"P must be between -1e100 and 1e100 or NaN, got inf at \[0, 1\]", id="infinite"
        ),
        pytest.param(GOOD, [[0.5, -0.1], [NAN, 0.6]], None, "R must not be negative, got -0.1", id="negative"),
        pytest.param(GOOD, GOOD, [], r"alphas must be a non-empty list of numbers .* got \[\]", id="no-alpha"),
        pytest.param(GOOD, GOOD, 0.5, "alphas must be a non-empty list of numbers .* got 0.5", id="one-alpha-no-list"),
        pytest.param(GOOD, GOOD, ["a"], r"alphas must be a non-empty list of numbers .* got \['a'\]", id="alphas-text"),
        pytest.param(GOOD, GOOD, [0.5, 1.2], "alphas must be from 0 to 1, got 1.2 at position 2", id="alpha-above-1"),
        pytest.param(GOOD, GOOD, [NAN], "alphas must be from 0 to 1, got nan at position 1", id="alpha-nan"),
    ],
)
def test_bad_input(P, R, alphas, message):
    with pytest.raises(ValueError, match=message):
        f_curve(P, R, alphas=alphas)
