"""Measures compared with exact arithmetic and with the list of all outcomes."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from presort.metrics import (
    Outcome,
    aselt,
    average_precision,
    batch,
    copnori,
    copnori_loss,
    copnori_rank,
    last_relevant_position,
    lofop,
    logarithmic,
    natural_order_key,
    nosel,
    precision_at_last,
    relative_last_position,
    score,
    search_length,
)
from presort.metrics.batch import evaluate_outcome
from presort.metrics.standard import average_precision_each
from tests.metrics.strategies import SMALL, all_outcomes, is_near, outcomes

DEFINED = outcomes().filter(lambda outcome: 0 < outcome.r < outcome.n)


def flags_of(outcome: Outcome) -> list[int]:
    flags = [0] * outcome.n
    for position in outcome.positions.tolist():
        flags[position - 1] = 1
    return flags


def slow_aselt(outcome: Outcome) -> Fraction:
    """2 AUC - 1, by comparing every pair of a relevant and another paper."""
    flags, won = flags_of(outcome), 0
    for i, upper in enumerate(flags):
        for lower in flags[i + 1 :]:
            won += upper - lower  # 1: the pair is in order, -1: it is not
    return Fraction(won, outcome.r * (outcome.n - outcome.r))


def slow_search_length(outcome: Outcome) -> int:
    """Read down the list until all relevant papers are found."""
    left, in_vain = outcome.r, 0
    for flag in flags_of(outcome):
        if not left:
            break
        left, in_vain = left - flag, in_vain + 1 - flag
    return in_vain


@cache
def exact_logarithms() -> list[Decimal]:
    with localcontext(prec=40):
        return [Decimal(0), *(Decimal(number).ln() for number in range(1, 5001))]


@cache
def exact_log_factorials() -> list[Decimal]:
    with localcontext(prec=40):
        sums = [Decimal(0)]
        for logarithm in exact_logarithms()[1:]:
            sums.append(sums[-1] + logarithm)
        return sums


def slow_lofop(outcome: Outcome) -> Fraction:
    """The definition, with decimals of 40 digits."""
    r, n = outcome.r, outcome.n
    with localcontext(prec=40):
        q = sum((exact_logarithms()[n + 1 - position] for position in outcome.positions.tolist()), Decimal(0))
        factorial = exact_log_factorials()
        expected = Decimal(r) / n * factorial[n]
        best = factorial[n] - factorial[n - r]
        return Fraction((q - expected) / (best - expected))


def slow_copnori_rank(outcome: Outcome) -> int:
    return sum(math.comb(p - 1, k) for k, p in enumerate(outcome.positions.tolist(), start=1))


def slow_average_precision(outcome: Outcome) -> Fraction:
    return sum(Fraction(i, p) for i, p in enumerate(outcome.positions.tolist(), start=1)) / outcome.r


@pytest.mark.parametrize(("r", "n"), SMALL)
def test_every_outcome_of_small_lists(r, n):
    best_first = sorted(all_outcomes(r, n), key=natural_order_key)
    mean_search_length = Fraction(sum(map(slow_search_length, best_first)), len(best_first))
    for better, outcome in enumerate(best_first):
        exact_copnori = 1 - Fraction(2 * better, len(best_first) - 1)
        assert copnori_rank(outcome) == better
        assert copnori_loss(outcome) == 1 - exact_copnori
        assert is_near(copnori(outcome), exact_copnori)
        assert is_near(aselt(outcome), slow_aselt(outcome))
        assert is_near(nosel(outcome), 1 - slow_search_length(outcome) / mean_search_length)
        assert is_near(lofop(outcome), slow_lofop(outcome), always_absolute=True)
        assert is_near(evaluate_outcome(average_precision_each, outcome), slow_average_precision(outcome))
        assert search_length(outcome) == slow_search_length(outcome)
        assert is_near(precision_at_last(outcome), Fraction(r, slow_search_length(outcome) + r))
        assert last_relevant_position(outcome) == slow_search_length(outcome) + r
        assert is_near(relative_last_position(outcome), Fraction(slow_search_length(outcome) + r, n))


@pytest.mark.parametrize(("r", "n"), SMALL)
def test_requirements_of_krichel(r, n):
    """The best value is 1, the mean over all outcomes is 0, and the natural order is respected (MEASURES section 1)."""
    best_first = sorted(all_outcomes(r, n), key=natural_order_key)
    for measure in (aselt, lofop, nosel, copnori):
        values = [measure(outcome) for outcome in best_first]
        assert values[0] == pytest.approx(1, abs=1e-14)
        assert np.mean(values) == pytest.approx(0, abs=1e-12)
    assert all(copnori(better) > copnori(worse) for better, worse in pairwise(best_first))
    assert all(nosel(better) >= nosel(worse) for better, worse in pairwise(best_first))


@given(DEFINED)
@example(Outcome(range(1, 5000), 5000))
@example(Outcome(range(2, 5001), 5000))
@example(Outcome([*range(1, 2500), *range(2501, 5001)], 5000))
@example(Outcome([2500], 5000))
@example(Outcome(range(2, 5001, 2), 5000))
@example(Outcome(range(2501, 5001), 5000))
def test_doubles_are_near_the_exact_value(outcome):
    """MEASURES section 1, exactness: to 1e-12 for n up to 5,000."""
    r, n = outcome.r, outcome.n
    mean = Fraction(int(outcome.positions.sum()), r)
    last = int(outcome.positions[-1])
    assert is_near(aselt(outcome), (n + 1 - 2 * mean) / (n - r))
    assert is_near(nosel(outcome), 1 - (last - r) / Fraction(r * (n - r), r + 1))
    assert is_near(relative_last_position(outcome), Fraction(last, n))
    assert is_near(precision_at_last(outcome), Fraction(r, last))
    assert is_near(copnori(outcome), 1 - copnori_loss(outcome))
    assert is_near(lofop(outcome), slow_lofop(outcome), always_absolute=True)


@given(outcomes(max_n=1000))
@example(Outcome([1, 3, 999], 1000))
def test_copnori_rank_is_the_sum_of_binomials(outcome):
    assert copnori_rank(outcome) == slow_copnori_rank(outcome)


@given(outcomes(max_n=1000, least_r=1))
def test_average_precision_is_exact(outcome):
    exact = slow_average_precision(outcome)
    assert is_near(average_precision(outcome), exact)
    assert is_near(evaluate_outcome(average_precision_each, outcome), exact)


@given(st.lists(outcomes(max_n=400), min_size=1, max_size=5), st.sampled_from([1, 7, 1000]))
def test_lookup_tables_change_no_value(drawn, at_once):
    """For long lists no lookup table is cached, and the same numbers are computed one by one."""
    names = ["copnori", "lofop", "ponori", "nosel_copnori"]
    usual = score(drawn, names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "LARGEST_TABLE", 0)
        patch.setattr(logarithmic, "AT_ONCE", at_once)
        pd.testing.assert_frame_equal(score(drawn, names), usual, check_exact=True)


@pytest.mark.parametrize("positions", [[1, 3], [5, 10_000_000], [9_999_999, 10_000_000]])
def test_lists_of_ten_million_papers(positions):
    outcome = Outcome(positions, 10_000_000)
    assert is_near(copnori(outcome), 1 - copnori_loss(outcome))
