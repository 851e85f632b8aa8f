"""The sample of the rest, and what it tells."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranker.tail_sample import remaining, sample_of_rest


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 70), st.integers(0, 5))
def test_sample_is_of_the_rest_without_repeats_and_the_same_again(n_papers, read_to, n, seed):
    read_to = min(read_to, n_papers)
    drawn = sample_of_rest(n_papers, read_to, n, seed=seed).tolist()
    assert drawn == sorted(set(drawn))
    assert len(drawn) == min(n, n_papers - read_to)
    assert all(read_to < place <= n_papers for place in drawn)
    assert drawn == sample_of_rest(n_papers, read_to, n, seed=seed).tolist()


def test_every_paper_of_the_rest_is_drawn_as_often():
    drawn = np.concatenate([sample_of_rest(50, 10, 10, seed=seed) for seed in range(2000)])
    counts = np.bincount(drawn, minlength=51)[11:]
    assert (abs(counts - 500) < 5 * math.sqrt(500 * 0.75)).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param((10, 11, 3, 0), "read_to must be from 0 to n_papers = 10, got 11", id="beyond-the-end"),
        pytest.param((10, -1, 3, 0), "read_to must be from 0 to n_papers = 10, got -1", id="before-the-start"),
        pytest.param((10, 2, -3, 0), "n must not be negative, got -3", id="negative-n"),
        pytest.param((10, 2, 3, -1), "seed must not be negative, got -1", id="negative-seed"),
    ],
)
def test_sample_names_what_is_wrong(arguments, message):
    *places, seed = arguments
    with pytest.raises(ValueError, match=message):
        sample_of_rest(*places, seed=seed)


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


def test_the_bound_holds_as_often_as_it_says():
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
def test_remaining_names_what_is_wrong(counts, level, message):
    with pytest.raises(ValueError, match=message):
        remaining(*counts, level=level)
