"""Networks over terms: gradients, learned interactions, and no leakage of a paper's own label."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.sparse import csr_array

from presort.ranker.stacked.network import importance
from presort.ranker.stacked.term_network import LEAST, N_FOLDS, TermNetwork, no_term_networks, term_networks_from

SMALL = TermNetwork(n_terms=5, n_units=3, n_batch=100, dropout=0, dropout_terms=0)
N_DIRECTIONS = 2


def papers(n_papers, n_terms, n_reports, seed=0):
    """Draw papers' terms and projected sentence vectors, the labels of reports, and the papers' folds."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_papers, n_terms)) * (rng.random((n_papers, n_terms)) < 0.5)
    y = rng.integers(-1, 2, (n_papers, n_reports)).astype(np.int8)
    projected = rng.normal(size=(n_papers, N_DIRECTIONS))
    return csr_array(X.astype(np.float32)), projected, y, np.arange(n_papers, dtype=np.int8) % N_FOLDS


def loss(numbers, shapes, X, projected, y):
    """Compute the weighted logistic loss, one number at a time."""
    vectors, biases, out_of, of_reports, into = parted(numbers, shapes)
    weigh, whole = importance(y), 0.0
    for paper, vector, words in zip(X.toarray().astype(np.float64), projected, y, strict=True):
        sums = [paper @ vectors[:, unit] + vector @ into[:, unit] + biases[unit] for unit in range(len(biases))]
        hidden = [max(0.0, each) for each in sums]
        for report, word in enumerate(words):
            output = sum(out_of[unit, report] * value for unit, value in enumerate(hidden)) + of_reports[report]
            chance = 1 / (1 + np.exp(-output))
            if word >= 0:
                whole -= weigh[word, report] * np.log(chance if word else 1 - chance)
    return whole / len(y)


def parted(numbers, shapes):
    ends = np.cumsum([np.prod(shape, dtype=int) for shape in shapes])
    return [part.reshape(shape) for part, shape in zip(np.split(numbers, ends[:-1]), shapes, strict=True)]


def weights_of(networks, fold):
    return [weights.astype(np.float64) for weights in networks.folds[fold]]


@pytest.mark.parametrize("fold", range(N_FOLDS))
def test_a_step_follows_the_gradient_of_the_loss(fold):
    X, projected, y, folds = papers(40, 5, 2, seed=2)
    start, after = (
        weights_of(TermNetwork(**{**vars(SMALL), "n_epochs": n}).fit(X, projected, y, folds), fold) for n in (0, 2)
    )
    shapes, numbers = [one.shape for one in start], np.concatenate([one.ravel() for one in start])
    is_in = folds != fold
    slope = parted(approx_fprime(numbers, loss, 1e-7, shapes, X[is_in], projected[is_in], y[is_in]), shapes)
    # the learning rate of the second and last step is 0; the first step uses the other folds
    of_terms = np.sqrt((slope[0] ** 2).mean(axis=1, keepdims=True) + LEAST)
    moves = [-SMALL.rate / 2 * slope[0] / of_terms]
    moves += [-SMALL.rate_out / 2 * one / np.sqrt(one**2 + LEAST) for one in slope[1:]]
    for before, now, move in zip(start, after, moves, strict=True):
        np.testing.assert_allclose(now - before, move, rtol=0, atol=1e-3)
        assert np.abs(move).max() > 0.02


def test_interactions_of_words_are_learned():
    """One of two terms makes a paper relevant, but both or none do not, so no sum of terms can predict it."""
    rng = np.random.default_rng(0)
    terms = rng.integers(0, 2, (2_000, 4))
    X, y = csr_array((terms + 0.0).astype(np.float32)), (terms[:, :1] ^ terms[:, 1:2]).astype(np.int8)
    folds = rng.integers(0, N_FOLDS, 2_000).astype(np.int8)
    settings = TermNetwork(n_units=32, n_epochs=60, dropout_terms=0.1)
    nothing = np.empty((2_000, 0))
    found = settings.fit(X, nothing, y, folds).of_past(X, nothing, folds)
    assert ((found > 0) == y).mean() > 0.99


def test_a_paper_is_scored_by_the_network_that_was_not_trained_on_it():
    X, projected, y, folds = papers(40, 6, 3)
    before = SMALL.fit(X, projected, y, folds).of_past(X, projected, folds)
    for paper in range(0, 40, 7):
        turned = y.copy()
        turned[paper] = np.where(y[paper] == 1, 0, 1)
        after = SMALL.fit(X, projected, turned, folds).of_past(X, projected, folds)
        np.testing.assert_array_equal(after[paper], before[paper])
        assert (after != before).any()


def test_a_new_paper_is_scored_by_all_networks_from_the_known_terms_and_its_sentence_vector():
    X, projected, y, folds = papers(40, 8, 3)
    networks = SMALL.fit(X, projected, y, folds)
    assert networks.terms.tolist() == sorted(np.argsort(-np.diff(X.tocsc().indptr), kind="stable")[:5])
    new, of_new, *_ = papers(6, 8, 3, seed=1)
    for only, about in ((new, of_new), (new[:1], of_new[:1]), (csr_array((2, 8), dtype=np.float32), of_new[:2])):
        of_folds = []
        for fold in range(N_FOLDS):
            vectors, biases, out_of, of_reports, into = weights_of(networks, fold)
            hidden = np.maximum(only.toarray()[:, networks.terms] @ vectors + about @ into + biases, 0)
            of_folds.append(hidden @ out_of + of_reports)
        np.testing.assert_allclose(networks.of_new(only, about), np.mean(of_folds, axis=0), rtol=0, atol=1e-12)


def test_training_is_deterministic_in_processes_and_from_arrays():
    X, projected, y, folds = papers(60, 9, 3)
    settings = TermNetwork(n_units=4, n_batch=16)
    networks = settings.fit(X, projected, y, folds)
    for other in (settings.fit(X, projected, y, folds, n_jobs=2), term_networks_from(networks.arrays())):
        np.testing.assert_array_equal(other.of_new(X, projected), networks.of_new(X, projected))


def test_without_terms_all_scores_are_equal():
    X, *_ = papers(5, 4, 3)
    assert np.ptp(no_term_networks(3).of_new(X, np.empty((5, 0)))) == 0
