"""Sentence vectors: nearness by ridge regressions of each fold, and uninformative vectors."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from presort.data.records import Vectors
from presort.ranker.stacked.features import LENGTH
from presort.ranker.stacked.vectors import NO_VECTOR_MODEL, NO_VECTORS_READ, VectorSettings, vector_model_from

SETTINGS = VectorSettings(ridge=0.2, n_directions=4)
N_PAST, N_NUMBERS = 60, 6


@pytest.fixture
def world():
    """Vectors whose second number predicts the decisions of a report. One paper has no vector."""
    rng = np.random.default_rng(5)
    numbers = rng.normal(size=(N_PAST, N_NUMBERS)).astype(np.float16)
    y = (numbers[:, [1, 2]] > 0.3).astype(np.int8)
    y[7:12, 1] = -1
    numbers[20] = 0
    return Vectors("m", numbers), y, (np.arange(N_PAST) % 2).astype(np.int8)


def by_scikit_learn(vectors, y, folds, report):
    """Compute the nearness of past papers to a report, one regression after the other."""
    numbers = vectors.numbers.astype(np.float64)
    is_there = numbers.any(axis=1)
    centered = np.where(is_there[:, None], numbers - numbers[is_there].mean(axis=0), 0)
    share = (y[:, report] == 1).sum() / (y[:, report] != -1).sum()
    wanted = np.where(y[:, report] == -1, 0, y[:, report] - share)
    raw = np.empty(len(y))
    for fold in (0, 1):
        own = centered[folds == fold]
        strength = SETTINGS.ridge * (own**2).sum() / N_NUMBERS
        fitted = Ridge(alpha=strength, fit_intercept=False).fit(own, wanted[folds == fold])
        raw[folds != fold] = fitted.predict(centered[folds != fold])
    return (raw - raw.mean()) / raw.std()


def test_nearness_comes_from_a_regression_on_the_other_fold(world):
    _, columns = SETTINGS.fit(*world)
    for report in (0, 1):
        assert columns[:, report] == pytest.approx(by_scikit_learn(*world, report), abs=1e-5)


def test_no_paper_is_predicted_by_a_regression_trained_on_it(world):
    vectors, y, folds = world
    turned = y.copy()
    turned[3, 0] = 1 - turned[3, 0]
    (before, _), (after, _) = (SETTINGS.fit(vectors, labels, folds) for labels in (y, turned))
    raw = [
        one.of_past(vectors, np.array([3]), np.array([3]))[0, 0] * one.spread[0] + one.mean[0]
        for one in (before, after)
    ]
    share = [(labels[:, 0] == 1).mean() for labels in (y, turned)]
    assert raw[0] != raw[1]  # by the share of relevant papers only
    centered = vectors.numbers[3] - before.center
    others = vectors.numbers[folds == 0].astype(np.float64) - before.center
    others[~vectors.numbers[folds == 0].any(axis=1)] = 0
    drawn = others.T @ others + SETTINGS.ridge * np.trace(others.T @ others) / N_NUMBERS * np.eye(N_NUMBERS)
    moved = centered @ np.linalg.solve(drawn, others.sum(axis=0)) * (share[0] - share[1])
    assert raw[1] - raw[0] == pytest.approx(moved, abs=1e-6)


def test_new_papers_are_predicted_by_both_folds(world):
    vectors, y, folds = world
    vector_model, columns = SETTINGS.fit(vectors, y, folds)
    rows = np.arange(N_PAST)
    assert vector_model.of_past(vectors, rows, rows) == pytest.approx(columns, abs=1e-5)
    new = vector_model.of_new(vectors, slice(0, 5))
    other = replace(vector_model, weights=vector_model.weights[::-1])
    both = (vector_model.of_past(vectors, rows[:5], rows[:5]) + other.of_past(vectors, rows[:5], rows[:5])) / 2
    assert new == pytest.approx(both, abs=1e-5)
    assert np.linalg.norm(new[:, 2:], axis=1) == pytest.approx(LENGTH, abs=1e-3)
    unknown = vector_model.of_past(vectors, rows[:5], np.full(5, -1))
    assert unknown.tolist() == new.tolist()


def test_a_paper_without_a_vector_has_no_effect(world):
    vectors, y, folds = world
    vector_model, columns = SETTINGS.fit(vectors, y, folds)
    assert columns[20, 2:].tolist() == [0] * SETTINGS.n_directions
    assert columns[20, :2] == pytest.approx(-vector_model.mean / vector_model.spread, abs=1e-5)
    flipped = y.copy()
    flipped[20] = 1 - flipped[20]
    again = SETTINGS.fit(vectors, np.where(y == -1, y, flipped).astype(np.int8), folds)[0]
    shift = again.weights - vector_model.weights  # its label changes only the share of relevant papers
    assert np.abs(shift).max() < 0.02


def test_without_vectors_there_is_no_column(world):
    vectors, y, folds = world
    for settings, known in (
        (NO_VECTORS_READ, vectors),
        (SETTINGS, None),
        (SETTINGS, replace(vectors, numbers=0 * vectors.numbers)),
    ):
        vector_model, columns = settings.fit(known, y, folds)
        assert vector_model is NO_VECTOR_MODEL
        assert columns.shape == (N_PAST, 0)
    assert NO_VECTOR_MODEL.of_new(vectors, slice(3, 7)).shape == (4, 0)
    assert NO_VECTOR_MODEL.arrays() == {}
    assert NO_VECTOR_MODEL.is_of(vectors)
    assert NO_VECTOR_MODEL.is_of(None)


def test_vectors_of_another_model_are_detected(world):
    vector_model, _ = SETTINGS.fit(*world)
    assert vector_model.is_of(world[0])
    assert not vector_model.is_of(replace(world[0], made_by="other"))
    assert not vector_model.is_of(None)


def test_a_stored_vector_model_is_restored_unchanged(world):
    vectors, y, folds = world
    vector_model, _ = SETTINGS.fit(vectors, y, folds)
    again = vector_model_from(vector_model.arrays())
    assert again.of_new(vectors, slice(0, 9)).tolist() == vector_model.of_new(vectors, slice(0, 9)).tolist()
    assert vector_model_from({}) is NO_VECTOR_MODEL


def test_withdrawn_decisions_leave_no_trace(world):
    vectors, y, folds = world
    vector_model, _ = SETTINGS.fit(vectors, y, folds)
    rows, none = np.arange(N_PAST), np.zeros((N_PAST, 1), dtype=np.int8)
    retrained = vector_model.with_reports_retrained(vectors, rows, none, rows, np.array([1]))
    assert not retrained.weights[:, :, 1].any()
    assert retrained.weights[:, :, 0].tolist() == vector_model.weights[:, :, 0].tolist()
    assert NO_VECTOR_MODEL.with_reports_retrained(None, rows, none, rows, np.array([0])) is NO_VECTOR_MODEL
