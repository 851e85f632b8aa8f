"""The network: gradients, weights, training, and decomposition of its outputs."""

from dataclasses import replace

import numpy as np
import pytest

from presort.ranker.stacked.network import Network, Weights, importance, mean_outputs, slopes

pytestmark = pytest.mark.whole

PLAIN = Network(n_hidden=4, dropout=0.0, dropout_inputs=0.0, decay=0.0, seeds=(0,))


def loss(weights, inputs, margins, y, importance):
    """Weighted logistic loss, computed paper by paper and report by report."""
    output, total = mean_outputs([weights], inputs, margins), 0.0
    for paper, words in enumerate(y):
        for report, word in enumerate(words):
            if word != -1:
                sign = 1 if word else -1
                total += importance[word, report] * np.log1p(np.exp(-sign * output[paper, report])) / len(y)
    return total


@pytest.mark.parametrize(("dropout", "dropout_inputs"), [(0.0, 0.0), (0.5, 0.0), (0.0, 0.4), (0.5, 0.4)])
def test_gradients_are_those_of_the_loss(dropout, dropout_inputs):
    rng = np.random.default_rng(1)
    inputs, margins = rng.normal(size=(12, 5)), rng.normal(size=(12, 3))
    y, rows = rng.integers(-1, 2, (12, 3)).astype(np.int8), np.array([7, 0, 11, 3, 4, 9])
    weights = Weights(*(rng.normal(size=shape) for shape in [(5, 4), (4,), (4, 3), (3,), (3,)]))
    network = replace(PLAIN, dropout=dropout, dropout_inputs=dropout_inputs)
    gradients = network._gradients(weights, inputs, margins, y, importance(y), rows, np.random.default_rng(8))
    drawn = np.random.default_rng(8)
    is_on, is_seen = (drawn.random(n) >= share for n, share in ((4, dropout), (5, dropout_inputs)))
    seen = inputs[rows] * is_seen / (1 - dropout_inputs)

    def loss_of_batch():
        thinned = weights._replace(out_of=weights.out_of * is_on[:, None] / (1 - dropout))
        return loss(thinned, seen, margins[rows], y[rows], importance(y))

    for weight, gradient in zip(weights, gradients, strict=True):
        for place in np.ndindex(weight.shape):
            before = weight[place]
            weight[place] = before + 1e-6
            above = loss_of_batch()
            weight[place] = before - 1e-6
            below = loss_of_batch()
            weight[place] = before
            assert gradient[place] == pytest.approx((above - below) / 2e-6, abs=1e-7)
    assert is_on.all() == (dropout == 0)
    assert is_seen.all() == (dropout_inputs == 0)


def test_with_full_dropout_only_the_own_margins_are_trained():
    rng = np.random.default_rng(5)
    inputs, margins, y = rng.normal(size=(9, 5)), rng.normal(size=(9, 3)), rng.integers(0, 2, (9, 3)).astype(np.int8)
    network = Network(n_hidden=1, n_epochs=3, dropout=0.999, dropout_inputs=0.999)
    for weights in network.train(inputs, margins, y):
        assert np.isfinite(weights.weight_of_margins).all()
        assert (weights.weight_of_margins != 1).all()


def test_rare_relevant_papers_weigh_more_and_undecided_ones_nothing():
    y = np.array([[1, 1], [0, 1], [0, 0], [0, -1], [0, -1], [0, -1], [0, -1], [0, -1]], dtype=np.int8)
    weight = importance(y)
    assert weight.shape == (3, 2)
    assert weight[1, 0] == pytest.approx(2 * weight[0, 0])  # (7 + 1) / (1 + 1) times rarer
    assert weight[1, 1] < weight[0, 1]
    assert weight[-1].tolist() == [0, 0]


def test_papers_without_decisions_have_no_effect():
    rng = np.random.default_rng(2)
    inputs, margins = rng.normal(size=(40, 5)), rng.normal(size=(40, 2))
    y = rng.integers(0, 2, (40, 2)).astype(np.int8)
    y[30:] = -1
    other_inputs, other_margins = inputs.copy(), margins.copy()
    other_inputs[30:], other_margins[30:] = 7.0, -7.0
    new = rng.normal(size=(6, 5)), rng.normal(size=(6, 2))
    found = mean_outputs(PLAIN.train(inputs, margins, y), *new)
    np.testing.assert_array_equal(mean_outputs(PLAIN.train(other_inputs, other_margins, y), *new), found)


def test_the_network_learns_what_the_margins_lack():
    rng = np.random.default_rng(3)
    inputs = rng.normal(size=(2000, 4))
    y = (inputs[:, :1] * inputs[:, 1:2] > 0).astype(np.int8)  # not linearly separable
    margins = np.zeros(y.shape)
    network = Network(n_hidden=64, n_epochs=40, n_batch=64, rate=5e-3, dropout=0.0, dropout_inputs=0.0)
    learned = network.train(inputs[:1500], margins[:1500], y[:1500])
    outputs = mean_outputs(learned, inputs[1500:], margins[1500:])
    assert ((outputs > 0) == (y[1500:] > 0)).mean() > 0.9


def test_few_decisions_change_the_margins_little():
    rng = np.random.default_rng(6)
    inputs, margins, y = rng.normal(size=(60, 5)), rng.normal(size=(60, 2)), np.zeros((60, 2), dtype=np.int8)
    y[:10] = 1  # 20 relevant pairs
    (whole,), (third,) = (replace(PLAIN, few=few).train(inputs, margins, y) for few in (0, 40))
    np.testing.assert_allclose(third.out_of, whole.out_of / 3)
    np.testing.assert_allclose(third.bias_of_reports, whole.bias_of_reports / 3)
    np.testing.assert_array_equal(third.weight_of_margins, whole.weight_of_margins)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_training_is_deterministic(n_jobs):
    rng = np.random.default_rng(4)
    inputs, margins, y = (
        rng.normal(size=(50, 3)),
        rng.normal(size=(50, 2)),
        rng.integers(-1, 2, (50, 2)).astype(np.int8),
    )
    once = mean_outputs(Network(n_epochs=2).train(inputs, margins, y), inputs[:5], margins[:5])
    again = mean_outputs(Network(n_epochs=2).train(inputs, margins, y, n_jobs), inputs[:5], margins[:5])
    np.testing.assert_allclose(again, once, rtol=0, atol=1e-12)


def some_networks(seed):
    """Draw weights of two networks with 5 inputs, 8 hidden units and 3 reports; 4 papers; and their margins."""
    rng = np.random.default_rng(seed)
    shapes = [(5, 8), (8,), (8, 3), (3,), (3,)]
    networks = [Weights(*(rng.normal(size=shape) for shape in shapes)) for _ in range(2)]
    return networks, rng.normal(size=(4, 5)), rng.normal(size=(4, 3))


def test_the_output_is_the_mean_of_the_networks():
    networks, inputs, margins = some_networks(1)
    each = [mean_outputs([weights], inputs, margins) for weights in networks]
    np.testing.assert_allclose(mean_outputs(networks, inputs, margins), np.mean(each, axis=0))


@pytest.mark.parametrize("report", [0, 2])
def test_slopes_are_the_derivatives_of_the_output(report):
    networks, inputs, margins = some_networks(2)
    for paper, margin in zip(inputs, margins, strict=True):
        of_inputs, of_margin = slopes(networks, paper, report)
        for number, slope in enumerate([*of_inputs, of_margin]):
            outputs = []
            for way in (1e-6, -1e-6):
                moved, moved_margin = paper.copy(), margin.copy()
                if number < len(paper):
                    moved[number] += way
                else:
                    moved_margin[report] += way
                outputs.append(mean_outputs(networks, moved[None], moved_margin[None])[0, report])
            assert slope == pytest.approx((outputs[0] - outputs[1]) / 2e-6, abs=1e-7)


def test_inputs_times_slopes_sum_to_the_output_up_to_a_constant():
    networks, inputs, _ = some_networks(3)
    rng = np.random.default_rng(4)
    for paper in inputs:
        of_inputs, of_margin = slopes(networks, paper, 1)
        near = paper + 1e-4 * rng.normal(size=(9, 5))  # so close that active hidden units stay active
        margins = rng.normal(size=(9, 3))
        constants = mean_outputs(networks, near, margins)[:, 1] - near @ of_inputs - margins[:, 1] * of_margin
        np.testing.assert_allclose(constants, constants[0], rtol=0, atol=1e-12)
