"""Nosel-Copnori compared with Nosel and Copnori in exact fractions (Krichel, IP&M 2007; MEASURES section 1)."""

import math
import re
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.metrics.batch import Batch
from presort.metrics.combinatorial import copnori, copnori_loss, nosel_copnori, nosel_copnori_each
from presort.metrics.natural_order import natural_order_key
from presort.metrics.outcome import Outcome
from presort.metrics.presorting import nosel
from tests.metrics.strategies import SMALL, all_outcomes, is_near, outcomes

DEFINED = outcomes(least_r=1).filter(lambda outcome: outcome.r < outcome.n)


def exact(outcome: Outcome, mu: Fraction) -> Fraction:
    r, n = outcome.r, outcome.n
    exact_nosel = 1 - Fraction((int(outcome.last) - r) * (r + 1), r * (n - r))
    return mu * exact_nosel + (1 - mu) * (1 - copnori_loss(outcome))


@pytest.mark.parametrize(
    ("positions", "mu", "expected"),
    [
        pytest.param([1, 2], 0.1, 1, id="best"),
        pytest.param([1, 3], 0.1, 0.1 * 0.5 + 0.9 * 7 / 9, id="a-tenth-of-nosel"),
        pytest.param([1, 3], 0.5, 0.5 * 0.5 + 0.5 * 7 / 9, id="halves"),
        pytest.param([4, 5], 0.1, -0.95, id="worst"),
    ],
)
def test_the_ten_outcomes_of_two_in_five(positions, mu, expected):
    assert nosel_copnori(Outcome(positions, 5), mu) == pytest.approx(expected, abs=1e-15)


def test_mu_defaults_to_a_tenth():
    outcome = Outcome([1, 3], 5)
    assert nosel_copnori(outcome) == nosel_copnori(outcome, mu=0.1)


@pytest.mark.parametrize(("r", "n"), SMALL)
def test_requirements_of_krichel(r, n):
    """The best value is 1, the mean over all outcomes is 0, and mu below 1 respects the natural order strictly."""
    best_first = sorted(all_outcomes(r, n), key=natural_order_key)
    for mu in (0, Fraction(1, 10), Fraction(9, 10)):
        exact_values = [exact(outcome, mu) for outcome in best_first]
        assert exact_values[0] == 1
        assert sum(exact_values) == 0
        values = [nosel_copnori(outcome, mu) for outcome in best_first]
        assert values[0] == pytest.approx(1, abs=1e-14)
        assert np.mean(values) == pytest.approx(0, abs=1e-12)
        assert all(better > worse for better, worse in pairwise(values))


@given(DEFINED, st.sampled_from([0.1, 0.5, 0.9, 1e-9]))
def test_doubles_are_near_the_exact_value(outcome, mu):
    """MEASURES section 1, exactness: to 1e-12 for n up to 5,000."""
    assert is_near(nosel_copnori(outcome, mu), exact(outcome, Fraction(mu)))


@given(st.lists(outcomes(max_n=300), max_size=8))
def test_mu_of_0_and_1_give_copnori_and_nosel(drawn):
    for outcome in drawn:
        np.testing.assert_equal(nosel_copnori(outcome, 0), copnori(outcome))
        np.testing.assert_equal(nosel_copnori(outcome, 1), nosel(outcome))
    alone = [nosel_copnori(outcome, 0.3) for outcome in drawn]
    np.testing.assert_array_equal(nosel_copnori_each(Batch.of(drawn), 0.3), alone)


@pytest.mark.parametrize("mu", [0, 0.1, 1])
@pytest.mark.parametrize("positions", [pytest.param([], id="none"), pytest.param([1, 2, 3], id="all")])
def test_undefined_without_both_kinds_of_paper(positions, mu):
    assert math.isnan(nosel_copnori(Outcome(positions, 3), mu))


@pytest.mark.parametrize("mu", [Fraction(1, 4), np.float32(0.25), np.float64(0.25)])
def test_kinds_of_numbers(mu):
    outcome = Outcome([2, 4], 6)
    assert nosel_copnori(outcome, mu) == nosel_copnori(outcome, 0.25)


@pytest.mark.parametrize("mu", [-0.1, 1.1, math.nan, math.inf, True, "0.1", None, 0.1j], ids=repr)
def test_wrong_mu(mu):
    with pytest.raises(ValueError, match=re.escape(f"mu must be a number from 0 to 1, got {mu!r}")):
        nosel_copnori(Outcome([1, 3], 5), mu)
