"""The network: its gradients, its weights, and what it learns."""

import numpy as np
import pytest

from ranker.network import Network, _importance, _output

PLAIN = Network(n_hidden=4, dropout=0.0, dropout_inputs=0.0, decay=0.0, seeds=(0,))


def loss(weights, inputs, margins, y):
    """The weighted logistic loss, said paper by paper and report by report."""
    output, total = _output(weights, inputs, margins), 0.0
    importance = _importance(y)
    for paper, words in enumerate(y):
        for report, word in enumerate(words):
            if word != -1:
                sign = 1 if word else -1
                total += importance[word, report] * np.log1p(np.exp(-sign * output[paper, report])) / len(y)
    return total


def test_gradients_are_those_of_the_loss():
    rng = np.random.default_rng(1)
    inputs, margins = rng.normal(size=(9, 5)), rng.normal(size=(9, 3))
    y = rng.integers(-1, 2, (9, 3)).astype(np.int8)
    shapes = [(5, 4), (4,), (4, 3), (3,), (3,)]
    weights = [rng.normal(size=shape) for shape in shapes]
    gradients = PLAIN._gradients(weights, inputs, margins, y, _importance(y), rng)
    for weight, gradient in zip(weights, gradients, strict=True):
        for place in np.ndindex(weight.shape):
            before = weight[place]
            weight[place] = before + 1e-6
            above = loss(weights, inputs, margins, y)
            weight[place] = before - 1e-6
            below = loss(weights, inputs, margins, y)
            weight[place] = before
            assert gradient[place] == pytest.approx((above - below) / 2e-6, abs=1e-7)


def test_rare_relevant_papers_weigh_more_and_no_word_nothing():
    y = np.array([[1, 1], [0, 1], [0, 0], [0, -1], [0, -1], [0, -1], [0, -1], [0, -1]], dtype=np.int8)
    importance = _importance(y)
    assert importance.shape == (3, 2)
    assert importance[1, 0] == pytest.approx(2 * importance[0, 0])  # (7 + 1) / (1 + 1) times rarer
    assert importance[1, 1] < importance[0, 1]
    assert importance[-1].tolist() == [0, 0]


def test_what_no_report_says_anything_of_teaches_nothing():
    rng = np.random.default_rng(2)
    inputs, margins = rng.normal(size=(40, 5)), rng.normal(size=(40, 2))
    y = rng.integers(0, 2, (40, 2)).astype(np.int8)
    y[30:] = -1
    other_inputs, other_margins = inputs.copy(), margins.copy()
    other_inputs[30:], other_margins[30:] = 7.0, -7.0
    new = rng.normal(size=(6, 5)), rng.normal(size=(6, 2))
    told = PLAIN.corrected(inputs, margins, y, *new)
    np.testing.assert_array_equal(PLAIN.corrected(other_inputs, other_margins, y, *new), told)


def test_learns_what_the_margins_do_not_say():
    rng = np.random.default_rng(3)
    inputs = rng.normal(size=(2000, 4))
    y = (inputs[:, :1] * inputs[:, 1:2] > 0).astype(np.int8)  # no line parts these
    margins = np.zeros(y.shape)
    network = Network(n_hidden=64, n_epochs=40, n_batch=64, rate=5e-3, dropout=0.0, dropout_inputs=0.0)
    outputs = network.corrected(inputs[:1500], margins[:1500], y[:1500], inputs[1500:], margins[1500:])
    assert ((outputs > 0) == (y[1500:] > 0)).mean() > 0.9


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_every_time(n_jobs):
    rng = np.random.default_rng(4)
    inputs, margins, y = (
        rng.normal(size=(50, 3)),
        rng.normal(size=(50, 2)),
        rng.integers(-1, 2, (50, 2)).astype(np.int8),
    )
    once = Network(n_epochs=2).corrected(inputs, margins, y, inputs[:5], margins[:5])
    again = Network(n_epochs=2).corrected(inputs, margins, y, inputs[:5], margins[:5], n_jobs)
    np.testing.assert_allclose(again, once, rtol=0, atol=1e-12)
