"""SVMs of all reports at once: equal to slow training one by one, and close to scikit-learn's."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from presort.ranker.stacked.svms import Svms, margins

SVMS = Svms()
THOROUGH = replace(SVMS, n_passes=30)
N_PAPERS, N_TERMS, N_REPORTS = 9, 5, 3
PAPERS = arrays(np.float32, (N_PAPERS, N_TERMS), elements=st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0])).map(csr_array)
LABELS = arrays(np.int8, (N_PAPERS, N_REPORTS), elements=st.integers(-1, 1))
WEIGHTS = arrays(np.float64, (N_TERMS + 1, N_REPORTS), elements=st.floats(-2, 2))
COSTS = arrays(np.float64, (2, N_REPORTS), elements=st.floats(0.01, 5))


def slow_costs(svms, words):
    """Return the cost of an irrelevant and of a relevant paper, so that both classes have the same total cost."""
    n_others, n_relevant = words.count(0), words.count(1)
    whole = svms.cost * max(1, n_others + n_relevant)
    return [whole / 2 / max(1, n_others), whole / 2 / max(1, n_relevant)]


def slowly_trained(svms, X, words, weights, costs):
    """Train one report's SVM, paper after paper, by algorithm 1 of the paper."""
    papers = [[*row, 1.0] for row in X.toarray().tolist()]
    duals = [0.0] * len(papers)
    rng = np.random.default_rng(0)
    for _ in range(svms.n_passes):
        for paper in rng.permutation(len(papers)).tolist():
            if words[paper] == -1:
                continue
            x, sign, easing = papers[paper], 1 if words[paper] == 1 else -1, 1 / (2 * costs[words[paper]])
            margin = sum(weight * value for weight, value in zip(weights, x, strict=True))
            slope = sign * margin - 1 + easing * duals[paper]
            curvature = sum(value * value for value in x) + easing
            dual = max(duals[paper] - slope / curvature, 0.0)
            moved = (dual - duals[paper]) * sign
            weights = [weight + moved * value for weight, value in zip(weights, x, strict=True)]
            duals[paper] = dual
    return weights


def a_world(seed, n_papers=60, n_terms=30, n_reports=3):
    rng = np.random.default_rng(seed)
    X = csr_array(rng.random((n_papers, n_terms)) * (rng.random((n_papers, n_terms)) < 0.2), dtype=np.float32)
    return X, (rng.random((n_papers, n_reports)) < [0.5, 0.2, 0.05][:n_reports]).astype(np.int8)


@given(PAPERS, LABELS)
def test_training_all_reports_together_equals_one_after_the_other(X, y):
    expected = [
        slowly_trained(SVMS, X, words, [0.0] * (N_TERMS + 1), slow_costs(SVMS, words)) for words in y.T.tolist()
    ]
    np.testing.assert_allclose(SVMS.train(X, y), np.transpose(expected), rtol=0, atol=1e-12)


@given(PAPERS, LABELS, WEIGHTS, COSTS)
def test_training_starts_from_given_weights_and_costs(X, y, weights, costs):
    given_weights, given_costs = weights.copy(), costs.copy()
    expected = [
        slowly_trained(SVMS, X, words, of_report, of_word)
        for words, of_report, of_word in zip(y.T.tolist(), weights.T.tolist(), costs.T.tolist(), strict=True)
    ]
    found = SVMS.train(X, y, weights, costs)
    np.testing.assert_allclose(found, np.transpose(expected), rtol=0, atol=1e-11)
    np.testing.assert_array_equal(weights, given_weights)
    np.testing.assert_array_equal(costs, given_costs)


@pytest.mark.parametrize("seed", [1, 2])
def test_weights_converge_to_those_of_scikit_learn(seed):
    X, y = a_world(seed)
    y[50:, 1] = -1
    found = THOROUGH.train(X, y)
    for report, words in enumerate(y.T):
        rows = np.flatnonzero(words != -1)
        theirs = LinearSVC(class_weight="balanced", C=0.02, tol=1e-8, max_iter=100_000, random_state=0)
        theirs.fit(X[rows], words[rows])
        expected = [*theirs.coef_[0], *theirs.intercept_]
        np.testing.assert_allclose(found[:, report], expected, rtol=0, atol=1e-4)
        assert np.abs(expected).max() > 0.1


@given(PAPERS, LABELS)
def test_svms_trained_separately_equal_those_trained_together_until_convergence(X, y):
    together = replace(SVMS, n_passes=300).train(X, y)
    np.testing.assert_allclose(SVMS.train_each(X, y), together, rtol=0, atol=0.02)


@pytest.mark.parametrize("seed", [1, 2])
def test_separate_training_uses_only_the_reports_own_decisions(seed):
    X, y = a_world(seed)
    y[50:, 1] = -1
    found = SVMS.train_each(X, y)
    np.testing.assert_allclose(found, THOROUGH.train(X, y), rtol=0, atol=0.01)
    np.testing.assert_array_equal(found[:, [1]], SVMS.train_each(X[:50], y[:50, [1]]))
    np.testing.assert_array_equal(found[:, [0, 2]], SVMS.train_each(X, y[:, [0, 2]]))


def test_training_from_given_weights_finds_the_nearest_fit():
    # At the minimum of half the squared norm plus all losses, the weights equal the sum of the papers' gradients.
    X, y = a_world(3, n_papers=30)
    start, costs = np.random.default_rng(0).normal(size=(31, 3)), np.array([[0.1, 0.2, 0.3], [1.0, 2.0, 3.0]])
    found = replace(SVMS, n_passes=200).train(X, y, start, costs)
    signs = np.where(y == 1, 1, -1)
    losses = np.maximum(0, 1 - signs * margins(X, found))
    pull = 2 * np.where(y == 1, costs[1], costs[0]) * losses * signs
    np.testing.assert_allclose(found - start, np.vstack([X.T @ pull, pull.sum(axis=0)]), rtol=0, atol=1e-6)


def test_undecided_papers_have_no_effect():
    X, y = a_world(4)
    unsaid = y.copy()
    unsaid[40:, 0] = -1
    other_papers = X.toarray()
    other_papers[40:] = 7.0
    weights = SVMS.train(X, unsaid)
    np.testing.assert_array_equal(SVMS.train(csr_array(other_papers), unsaid)[:, 0], weights[:, 0])
    assert not np.array_equal(SVMS.train(X, y)[:, 0], weights[:, 0])
    np.testing.assert_array_equal(SVMS.train(X, y)[:, 1:], weights[:, 1:])  # the others also include no hint of it


def test_without_decisions_weights_do_not_change():
    X, y = a_world(5)
    start = np.random.default_rng(0).normal(size=(31, 3)).astype(np.float32)
    np.testing.assert_array_equal(SVMS.train(X, np.full_like(y, -1), start), start)
    np.testing.assert_array_equal(SVMS.train(X[:0], y[:0], start), start)
    assert not SVMS.train(X, np.full_like(y, -1)).any()


def test_relevant_papers_cost_as_much_as_the_others_together():
    y = np.array([[1, 1, 0, -1], [0, 1, 0, -1], [0, -1, 0, -1], [0, -1, 0, -1]], dtype=np.int8)
    np.testing.assert_allclose(Svms(cost=0.5).balanced_costs(y), [[1 / 3, 0.5, 0.25, 0.25], [1, 0.25, 1, 0.25]])


def test_dearer_relevant_papers_are_fitted_more_closely():
    X, y = a_world(6, n_papers=30)
    cheap, dear = (THOROUGH.train(X, y, costs=np.full((2, 3), 0.02) * [[1], [times]]) for times in (1, 50))
    is_relevant = y == 1
    assert (margins(X, dear)[is_relevant] > margins(X, cheap)[is_relevant]).all()


def test_papers_without_terms_change_only_the_intercept():
    weights = SVMS.train(csr_array((4, 3)), np.array([[1], [1], [1], [0]], dtype=np.int8), np.zeros((4, 1)))
    assert not weights[:-1].any()
    np.testing.assert_array_equal(margins(csr_array((2, 3)), weights), np.tile(weights[-1], (2, 1)))


@given(PAPERS, WEIGHTS)
def test_a_margin_is_the_sum_of_term_weights_and_intercept(X, weights):
    papers = np.hstack([X.toarray(), np.ones((N_PAPERS, 1))])
    np.testing.assert_allclose(margins(X, weights), papers @ weights, rtol=0, atol=1e-12)
