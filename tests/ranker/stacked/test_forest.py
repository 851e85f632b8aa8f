"""Boosted trees as arrays: the same outputs as scikit-learn, and restored unchanged or refused."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from presort.ranker.stacked.forest import NO_TREES, Trees, fault_of_forest, forest_from

SETTINGS = Trees(n_trees=20, n_leaves=16, least=5)
N_COLUMNS = 6


@pytest.fixture(scope="module")
def cases():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N_COLUMNS, 2_000)).round(1)  # few distinct values, so that many are at a threshold
    return x, ((x[0] * x[1] > 0) ^ (rng.random(2_000) < 0.1)).astype(np.int8)


@pytest.fixture(scope="module")
def forest(cases):
    return SETTINGS.train(*cases)


def fault(forest, changed=None):
    arrays = forest.arrays()
    for name, (place, value) in (changed or {}).items():
        arrays[name] = arrays[name].copy()
        arrays[name][place] = value
    return fault_of_forest(arrays, N_COLUMNS)


def test_outputs_equal_those_of_scikit_learn_up_to_a_constant(cases, forest):
    x, y = cases
    same = HistGradientBoostingClassifier(
        max_iter=20,
        max_leaf_nodes=16,
        learning_rate=SETTINGS.rate,
        min_samples_leaf=5,
        max_features=SETTINGS.share_of_columns,
        early_stopping=False,
        random_state=0,
    ).fit(x.T, y)
    differences = same.decision_function(x.T) - forest.outputs(x)
    assert len(forest) == 20
    np.testing.assert_allclose(differences, differences[0], rtol=0, atol=1e-12)
    assert np.ptp(forest.outputs(x)) > 1


@pytest.mark.parametrize("n_leaves", [2, 3, 15, 16])
def test_trees_of_any_size_learn_a_simple_rule(cases, n_leaves):
    x, _ = cases
    y = (x[2] > 0).astype(np.int8)
    forest = Trees(n_trees=5, n_leaves=n_leaves, least=5, share_of_columns=1.0).train(x, y)
    scores = forest.outputs(x)
    assert scores[y == 1].min() > scores[y == 0].max()
    assert fault(forest) == ""


def test_without_a_useful_split_all_scores_are_equal(cases):
    x, y = cases
    forest = Trees(n_trees=3, least=1_500).train(x, y)
    assert np.ptp(forest.outputs(x)) == 0
    assert fault(forest) == fault(NO_TREES) == ""


def test_trees_are_deterministic_and_restored_from_arrays(cases, forest):
    again = SETTINGS.train(*cases)
    for name, array in forest.arrays().items():
        np.testing.assert_array_equal(array, again.arrays()[name])
    arrays = forest.arrays()
    wider = {**arrays, "trees struck out": arrays["trees struck out"].astype(np.uint64)}
    for found in (arrays, wider):
        np.testing.assert_array_equal(forest_from(found).outputs(cases[0]), forest.outputs(cases[0]))


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"trees columns": ((0, 0), N_COLUMNS)}, id="a-column-after-the-last"),
        pytest.param({"trees columns": ((0, 0), -2)}, id="a-column-before-the-first"),
        pytest.param({"trees struck out": ((3, 2), 2**15)}, id="missing-last-leaf"),
    ],
)
def test_invalid_trees_are_refused(forest, changed):
    assert fault(forest) == ""
    assert fault(forest, changed) == "has invalid trees"


def test_leaves_and_splits_must_match(forest):
    arrays = forest.arrays()
    for leaves in (arrays["trees leaves"][:, :-1], arrays["trees leaves"][:, :1], np.zeros((20, 17))):
        fault = fault_of_forest({**arrays, "trees leaves": leaves}, N_COLUMNS)
        assert fault == "has trees of inconsistent sizes"
