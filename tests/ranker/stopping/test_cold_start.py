"""Advice for a service whose own lists have too little data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.ranker.stopping.relevance_model import COVARIANCE, ENOUGH, MEAN, cold_start_curves
from tests.ranker.lists import flags, lists, read_list, relevance_models_of

SCORES = np.linspace(3, -3, 800)
NOTHING = np.zeros(800, dtype=bool)


def test_a_new_report_has_the_prior():
    mean, covariance = cold_start_curves({}, {}).of("new")
    np.testing.assert_array_equal(mean, MEAN)
    np.testing.assert_array_equal(covariance, COVARIANCE)
    assert np.linalg.eigvalsh(covariance).min() > 0


@given(lists(0), st.sampled_from([1e-6, 1.0, 1e6]))
def test_advice_does_not_depend_on_the_scale_of_scores(one, scale):
    relevance_model = relevance_models_of({"new": []})["new"]
    assert not relevance_model.is_ready
    forecast = relevance_model.forecast(one.scores, one.is_read, one.is_relevant)
    scaled = relevance_model.forecast(one.scores * scale, one.is_read, one.is_relevant)
    np.testing.assert_allclose(scaled.chances, forecast.chances)
    assert 1 <= forecast.stop(0.1) <= forecast.stop(0.05) <= len(one.scores)


def test_finds_at_the_top_only_reduce_expected_papers_below():
    """11 of 12 relevant papers were among the first 15, so nobody should read half of 800 for the last one."""
    relevance_model = relevance_models_of({"new": []})["new"]
    found = flags(800, *range(1, 12))
    before = relevance_model.forecast(SCORES, NOTHING, NOTHING)
    after = relevance_model.forecast(SCORES, np.arange(800) < 250, found)
    expected = before.left()[249] / before.left()[0]
    assert after.left()[249] / (11 + after.left()[249]) < expected


def test_a_few_lists_of_a_report_change_its_advice():
    found = flags(800, *range(1, 12))
    few = [read_list(SCORES, found, week=week) for week in range(2)]
    assert sum(one.is_relevant.sum() for one in few) < ENOUGH
    relevance_models = relevance_models_of({"few": few, "new": []})
    assert not relevance_models["few"].is_ready
    stops = {
        name: relevance_model.forecast(SCORES, NOTHING, NOTHING).stop()
        for name, relevance_model in relevance_models.items()
    }
    assert stops["few"] < stops["new"]
    left = {
        name: relevance_model.forecast(SCORES, NOTHING, NOTHING).left()[0]
        for name, relevance_model in relevance_models.items()
    }
    assert left["few"] == pytest.approx(11, rel=0.5)


def test_skipped_lists_do_not_change_the_advice():
    few = [read_list(SCORES, flags(800, 1, 4, 10), week=week) for week in range(5, 7)]
    skipped = [read_list(SCORES, NOTHING, week=week, is_read=NOTHING) for week in range(5)]
    alone, with_skipped = (relevance_models_of({"few": one})["few"] for one in (few, [*skipped, *few]))
    assert not alone.is_ready
    expected, found = (one.forecast(SCORES, NOTHING, NOTHING) for one in (alone, with_skipped))
    np.testing.assert_allclose(found.left(), expected.left())
    assert found.stop() == expected.stop()
