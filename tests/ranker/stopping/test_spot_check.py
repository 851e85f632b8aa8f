"""Spot checks: the number of papers drawn, and that all eligible papers are equally likely."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.ranker.stopping.spot_check import LARGEST, SHARE, draw_spot_check, spot_check_size


@given(st.integers(1, 5000))
def test_a_spot_check_is_small_but_never_empty(n_eligible):
    size = spot_check_size(n_eligible)
    assert 1 <= size <= min(LARGEST, n_eligible)
    assert size <= SHARE * n_eligible + 1


@given(st.sets(st.integers(1, 900), max_size=300), st.integers(0, 50))
def test_a_spot_check_draws_distinct_eligible_papers_and_the_same_ones_again(positions, seed):
    eligible = np.array(sorted(positions), dtype=np.int32)
    check, again = (draw_spot_check(eligible, seed=seed) for _ in range(2))
    drawn = check.positions.tolist()
    assert drawn == again.positions.tolist() == sorted(set(drawn))
    assert set(drawn) <= positions
    assert len(drawn) == spot_check_size(len(positions))
    assert check.inclusion_probability == pytest.approx(len(drawn) / max(len(positions), 1))


def test_each_eligible_paper_is_drawn_with_the_inclusion_probability():
    eligible = np.arange(101, 321, dtype=np.int32)
    checks = [draw_spot_check(eligible, seed=seed) for seed in range(4000)]
    counts = np.bincount(np.concatenate([check.positions for check in checks]), minlength=321)[101:]
    expected = 4000 * checks[0].inclusion_probability
    assert (abs(counts - expected) < 5 * math.sqrt(expected)).all()


def test_a_negative_seed_is_an_error():
    with pytest.raises(ValueError, match="seed must be 0 or more, got -1"):
        draw_spot_check(np.arange(5, dtype=np.int32), seed=-1)
