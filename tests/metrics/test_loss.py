"""Losses: logarithms, floats, decimals and levels compared with exact fractions."""

import math
from decimal import Decimal
from fractions import Fraction
from statistics import median, stdev

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from presort.metrics import Outcome
from presort.metrics.loss import (
    EXACT,
    LOGARITHMS,
    decimal_losses,
    log_distances,
    log_losses,
    loss_deviation,
    loss_levels,
    losses,
    median_loss,
)
from tests.metrics.strategies import outcomes

LISTS = st.lists(outcomes(max_n=300), max_size=6)


def exact_log(loss):
    if not loss or math.isnan(loss):
        return -math.inf if loss == 0 else math.nan
    return math.log10(loss.numerator) - math.log10(loss.denominator)


def steps(name, loss, outcome):
    """Undo the scaling of a measure: number of its own steps between an outcome and the best one."""
    if name == "ponori":
        return loss * (Fraction(outcome.r, outcome.n) * (2**outcome.n - 1) - (2**outcome.r - 1))
    return loss * (math.comb(outcome.n, outcome.r) - 1) / 2 / (1 if name == "copnori" else Fraction(9, 10))


@pytest.mark.parametrize("name", EXACT)
@given(found=LISTS)
@example(found=[Outcome([1, 2], 3), Outcome([1999], 2000), Outcome([], 4), Outcome([1, 2], 2)])
def test_distances_are_logarithms_of_the_steps_to_the_best(name, found):
    exact = [EXACT[name](outcome) for outcome in found]
    from_1 = [None if math.isnan(loss) else 1 + steps(name, loss, one) for loss, one in zip(exact, found, strict=True)]
    expected = [
        math.nan if each is None else math.log2(each.numerator) - math.log2(each.denominator) for each in from_1
    ]
    assert log_distances(name, found) == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", LOGARITHMS)
@given(found=LISTS)
@example(found=[Outcome([1, 2], 3), Outcome([1], 2000), Outcome([2], 2000), Outcome([], 4), Outcome([1, 2], 2)])
@example(found=[Outcome([1, 2, 9], 2000), Outcome(range(2, 1901), 2000), Outcome([1999, 2000], 2000)])
def test_logarithms_are_those_of_the_exact_losses(name, found):
    expected = [exact_log(EXACT[name](outcome)) for outcome in found]
    np.testing.assert_allclose(log_losses(name, found), expected, rtol=1e-14, atol=1e-12)


@pytest.mark.parametrize("name", EXACT)
@given(found=LISTS)
def test_floats_are_the_nearest(name, found):
    expected = [float(EXACT[name](outcome)) for outcome in found]
    np.testing.assert_array_equal(losses(name, found), expected)
    floored = losses(name, found, least=1e-3)
    np.testing.assert_array_equal(floored, [x if not x else max(x, 1e-3) for x in expected])


@pytest.mark.parametrize("name", EXACT)
@given(found=LISTS)
def test_levels_order_as_the_exact_losses_do(name, found):
    exact = [loss for outcome in found if not math.isnan(loss := EXACT[name](outcome))]
    levels = loss_levels(name, [outcome for outcome in found if 0 < outcome.r < outcome.n])
    assert levels.tolist() == [sorted(set(exact)).index(loss) for loss in exact]


@pytest.mark.parametrize("name", EXACT)
@given(found=LISTS)
def test_decimals_and_summaries_are_of_the_exact_losses(name, found):
    exact = [EXACT[name](outcome) for outcome in found]
    defined = [loss for loss in exact if isinstance(loss, Fraction)]
    for loss, written in zip(exact, decimal_losses(name, found), strict=True):
        assert written.is_nan() if math.isnan(loss) else abs(Fraction(written) - loss) <= loss / 10**28
    middle = median_loss(name, found)
    assert abs(Fraction(middle) - median(defined)) <= median(defined) / 10**28 if defined else middle.is_nan()
    deviation = loss_deviation(name, found)
    assert deviation == float(stdev(defined)) if len(defined) > 1 else math.isnan(deviation)


def test_a_loss_below_the_smallest_float_is_0_without_a_minimum():
    near = [Outcome([2], 2000), Outcome([1], 2000)]
    assert losses("ponori", near).tolist() == [0, 0]
    assert losses("ponori", near, least=1e-300).tolist() == [1e-300, 0]
    assert Decimal(0) < decimal_losses("ponori", near)[0] < Decimal("1e-590")
    assert -601 < log_losses("ponori", near)[0] < -590


@pytest.mark.parametrize("function", [log_losses, losses, decimal_losses, loss_levels])
def test_other_measures_have_no_losses(function):
    with pytest.raises(ValueError, match=r"name must be one of ponori, copnori.*'aselt'"):
        function("aselt", [])
