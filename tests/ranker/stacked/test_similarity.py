"""Similarity to relevant papers: vectors of length 1, and slopes that add up to it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from presort.ranker.stacked.features import LENGTH
from presort.ranker.stacked.similarity import FARTHEST, Part, Scale, Similarity, identity_scale, scale_of

ROWS = arrays(np.float64, (5, 3), elements=st.floats(-100, 100, width=16))


@given(ROWS)
def test_directions_have_length_1_or_are_zero(table):
    lengths = np.linalg.norm(scale_of(table).directions(table), axis=1)
    is_at_mean = np.isclose(table, table.mean(axis=0), atol=1e-3).all(axis=1)
    assert lengths[~is_at_mean] == pytest.approx(1, abs=1e-3)
    assert (lengths <= 1).all()


@given(arrays(np.float64, 3, elements=st.floats(-FARTHEST + 0.01, FARTHEST - 0.01)))
def test_contributions_sum_to_the_similarity_if_nothing_is_clipped(standard):
    scale, weights = Scale(np.array([1.0, 2.0, -3.0]), np.array([0.5, 1.0, 4.0])), np.array([1.0, -2.0, 0.5])
    row = scale.mean + scale.spread * standard
    similarity = float(scale.directions(row[None])[0] @ weights)
    assert scale.slopes(row, weights) @ (row - scale.mean) == pytest.approx(similarity, abs=1e-9)


def test_a_clipped_feature_has_no_slope():
    scale = Scale(np.zeros(2), np.ones(2))
    slopes = scale.slopes(np.array([2 * FARTHEST, 1.0]), np.ones(2))
    assert slopes[0] == 0
    assert slopes[1] > 0


def test_similarity_of_the_same_direction_is_highest():
    scale, of_inputs = Scale(np.zeros(2), np.ones(2)), Scale(np.zeros(1), np.ones(1))
    by_hidden, by_inputs = Part(scale, np.array([[1.0], [0.0]])), Part(of_inputs, np.array([[2.0]]))
    similarity = Similarity([7], by_hidden, [(slice(1, 2), by_inputs)])
    hidden, inputs = np.array([[2.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 1.0], [0.0, -1.0]])
    assert similarity.of(hidden, inputs).ravel() == pytest.approx([3, -2], abs=1e-5)
    for slopes in similarity.slopes(hidden[0], inputs[0], 6):  # a column of another report
        assert not slopes.any()
    assert similarity.slopes(hidden[0], inputs[0], 7)[1][0] == 0  # no part reads this input


def test_the_direction_of_an_unscaled_row_is_that_of_the_row():
    rows = LENGTH * np.array([[0.6, -0.8], [1.0, 0.0], [0.0, 0.0]])
    assert identity_scale(rows).directions(rows) == pytest.approx(rows / LENGTH, abs=1e-5)
