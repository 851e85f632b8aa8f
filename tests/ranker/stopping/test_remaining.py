"""Estimates and bounds of the relevant papers left unread, from a random sample."""

import math
from fractions import Fraction

import pytest

from presort.ranker.stopping.spot_check import remaining


def probability_of_at_most(n_found, n_rest, n_relevant, n_drawn):
    ways = sum(math.comb(n_relevant, x) * math.comb(n_rest - n_relevant, n_drawn - x) for x in range(n_found + 1))
    return Fraction(ways, math.comb(n_rest, n_drawn))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_remaining_agrees_with_counting_all_draws(level):
    for n_rest in (1, 2, 7, 12):
        for n_drawn in range(n_rest + 1):
            for n_found in range(n_drawn + 1):
                possible = [
                    n_relevant - n_found
                    for n_relevant in range(n_found, n_rest - n_drawn + n_found + 1)
                    if probability_of_at_most(n_found, n_rest, n_relevant, n_drawn) >= 1 - Fraction(str(level))
                ]
                found = remaining(n_rest, n_drawn, n_found, level=level)
                assert found.at_most == max(possible)
                assert found.estimate == pytest.approx(
                    n_found / n_drawn * (n_rest - n_drawn) if n_drawn else math.nan, nan_ok=True
                )


def test_the_bound_has_the_stated_coverage():
    n_rest, n_drawn = 40, 10
    for n_relevant in range(n_rest + 1):
        holds = Fraction(0)
        for n_found in range(max(0, n_relevant - n_rest + n_drawn), min(n_drawn, n_relevant) + 1):
            if n_relevant - n_found <= remaining(n_rest, n_drawn, n_found).at_most:
                holds += probability_of_at_most(n_found, n_rest, n_relevant, n_drawn) - (
                    probability_of_at_most(n_found - 1, n_rest, n_relevant, n_drawn) if n_found else 0
                )
        assert holds >= Fraction(95, 100)


@pytest.mark.parametrize(
    ("counts", "level", "message"),
    [
        pytest.param((10, 11, 0), 0.9, "n_found <= n_drawn <= n_rest, got 0, 11 and 10", id="drew-too-many"),
        pytest.param((10, 3, 4), 0.9, "n_found <= n_drawn <= n_rest, got 4, 3 and 10", id="found-too-many"),
        pytest.param((10, 3, -1), 0.9, "n_found <= n_drawn <= n_rest, got -1, 3 and 10", id="negative"),
        pytest.param((10, 3, 1), 1, "level must be above 0 and below 1, got 1", id="certain"),
    ],
)
def test_invalid_arguments_of_remaining_are_named(counts, level, message):
    with pytest.raises(ValueError, match=message):
        remaining(*counts, level=level)
