import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from presort.metrics.systems_topics import systems_topics
from presort.metrics.topic_choice import pick_topics
from tests.metrics.score_tables import judged

TREC8 = Path(__file__).parents[2].parent / "shared" / "reference" / "trec8_ap.csv"


@pytest.fixture(scope="module")
def trec8():
    if not TREC8.exists():
        pytest.skip("the reference scores of TREC-8 are not here")
    return systems_topics(pd.read_csv(TREC8, index_col="topic"))


def drawn(seed, shape):
    return judged(np.random.default_rng(seed).random(shape))


def slow_tau(scores, topics):
    """Kendall's τ of means without ties, pair by pair."""
    some, every = scores.loc[list(topics)].mean().tolist(), scores.mean().tolist()
    pairs = [(a, b) for a in range(len(some)) for b in range(a)]
    return sum(math.copysign(1, (some[a] - some[b]) * (every[a] - every[b])) for a, b in pairs) / len(pairs)


def slow_choice(graph, k):
    """Pick topics from the agreement matrix by the formula in the docstring."""
    agreement, hubs = graph.agreement("topics_on_effectiveness"), graph.topics["hub"]
    left = hubs.sort_values(ascending=False).index[: max(k, len(hubs) - len(hubs) // 4)].tolist()
    picked = []
    for _ in range(k):
        values = {}
        for topic in left:
            tried = [*picked, topic]
            with_all = sum(agreement.loc[t, u] for t in tried for u in hubs.index)
            values[topic] = with_all / math.sqrt(sum(agreement.loc[t, u] for t in tried for u in tried))
        picked.append(max(values, key=values.get))
        left.remove(picked[-1])
    return tuple(picked)


@pytest.mark.parametrize(
    ("k", "tau", "random_tau", "random_high", "largest_hubs"),
    [(5, 0.832, 0.697, 0.781, 0.617), (10, 0.889, 0.784, 0.836, 0.726), (20, 0.934, 0.861, 0.892, 0.865)],
)
def test_trec8_beats_random_choice(trec8, k, tau, random_tau, random_high, largest_hubs):
    """The figures in the docstring: above the 95th percentile of random choice for each k."""
    picked = pick_topics(trec8, k)
    assert picked.tau == pytest.approx(tau, abs=0.0006)
    assert picked.random_tau == pytest.approx(random_tau, abs=0.0006)
    assert picked.random_high == pytest.approx(random_high, abs=0.0006)
    assert picked.tau > picked.random_high + 0.03
    hubs = trec8.topics["hub"].nlargest(k).index
    of_hubs = kendalltau(trec8.scores.loc[hubs].mean(), trec8.systems["mean"]).statistic
    assert of_hubs == pytest.approx(largest_hubs, abs=0.0006)
    assert picked.tau > of_hubs


@pytest.mark.parametrize(("k", "random_tau"), [(5, 0.69), (10, 0.78), (20, 0.86)])
def test_topics_picked_on_half_of_the_systems_work_for_the_other_half(trec8, k, random_tau):
    scores, taus = trec8.scores.T, []
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(scores))
        picked = pick_topics(judged(scores.iloc[order[:64]]), k, n_random=1)
        others = scores.iloc[order[64:]]
        taus.append(kendalltau(others[list(picked.topics)].mean(axis=1), others.mean(axis=1)).statistic)
    assert np.mean(taus) > random_tau + 0.03


@given(st.integers(0, 2**32), st.integers(2, 8), st.integers(2, 9), st.data())
def test_agrees_with_the_slow_version(seed, n_systems, n_topics, data):
    graph = drawn(seed, (n_systems, n_topics))
    # With two systems all topics agree or disagree completely, so rounding separates ties.
    k = data.draw(st.integers(1, n_topics)) if n_systems > 2 else n_topics
    picked = pick_topics(graph, k, n_random=1)
    if n_systems > 2:
        assert picked.topics == slow_choice(graph, k)
    assert picked.tau == pytest.approx(slow_tau(graph.scores, picked.topics))


@given(st.integers(0, 2**32), st.integers(2, 8), st.integers(2, 9), st.data())
def test_topics_are_picked_once_and_do_not_depend_on_the_seed(seed, n_systems, n_topics, data):
    graph, k = drawn(seed, (n_systems, n_topics)), data.draw(st.integers(1, n_topics))
    picked = pick_topics(graph, k, n_random=3)
    assert len(set(picked.topics)) == k
    assert set(picked.topics) <= set(graph.topics.index)
    assert -1 <= picked.random_low <= picked.random_tau + 1e-12
    assert picked.random_tau - 1e-12 <= picked.random_high <= 1
    assert pick_topics(graph, k, n_random=1, seed=5).topics == picked.topics


def test_all_topics_keep_the_order():
    graph = drawn(1, (6, 5))
    picked = pick_topics(graph, 5, n_random=10)
    assert sorted(picked.topics) == [0, 1, 2, 3, 4]
    assert [picked.tau, picked.random_tau, picked.random_low, picked.random_high] == pytest.approx([1] * 4)


@given(st.integers(0, 2**32))
def test_systems_that_tie_over_all_topics_tie_in_any_order(seed):
    """Sums of tenths in a different order differ by rounding."""
    scores = np.random.default_rng(seed).integers(0, 11, (12, 9)) / 10
    picked = pick_topics(judged(scores), 9, n_random=2)
    assert [picked.tau, picked.random_tau] == pytest.approx([1, 1], abs=1e-9)


def test_random_choice_is_the_mean_over_all_choices():
    graph = drawn(2, (7, 6))
    taus = [slow_tau(graph.scores, [topic]) for topic in range(6)]
    picked = pick_topics(graph, 1, n_random=1000)
    assert picked.random_tau == pytest.approx(np.mean(taus), abs=0.03)
    assert picked.random_low == pytest.approx(min(taus))
    assert picked.random_high == pytest.approx(max(taus))


@given(st.integers(0, 2**32), st.integers(2, 8), st.integers(4, 9))
def test_the_first_of_equals_is_picked(seed, n_systems, n_topics):
    column = np.random.default_rng(seed).random(n_systems)
    graph = judged(np.outer(column, np.ones(n_topics)))
    assert pick_topics(graph, 3, n_random=1).topics == (0, 1, 2)


def test_the_seed_determines_the_random_choices():
    graph = drawn(3, (8, 20))
    assert pick_topics(graph, 4, n_random=50) == pick_topics(graph, 4, n_random=50, seed=0)
    assert pick_topics(graph, 4, n_random=50).random_tau != pick_topics(graph, 4, n_random=50, seed=1).random_tau


def test_weakest_hubs_are_picked_only_when_the_others_do_not_suffice(trec8):
    weakest = set(trec8.topics["hub"].nsmallest(12).index)
    assert not weakest & set(pick_topics(trec8, 38, n_random=1).topics)
    assert len(weakest & set(pick_topics(trec8, 40, n_random=1).topics)) == 2


def test_order_under_log_is_that_of_the_geometric_means(trec8):
    graph = systems_topics(trec8.scores, "log")
    picked = pick_topics(graph, 5, n_random=1)
    logs = np.log(trec8.scores.replace(0, 1e-5))
    assert picked.tau == pytest.approx(
        kendalltau(logs.loc[list(picked.topics)].mean(), logs.mean()).statistic, abs=1e-3
    )


@pytest.mark.parametrize("unit", [1e-15, 1e15])
def test_the_unit_of_the_scores_does_not_matter(unit):
    scores = np.random.default_rng(4).random((12, 9))
    assert pick_topics(judged(scores * unit), 3) == pick_topics(judged(scores), 3)


def test_systems_that_never_differ_have_no_tau():
    picked = pick_topics(judged([[0.1, 0.2, 0.7]] * 3), 2, n_random=5)
    assert picked.topics == (0, 1)
    assert np.isnan([picked.tau, picked.random_tau, picked.random_low, picked.random_high]).all()


def test_random_choices_without_tau_are_left_out():
    scores = [[0.1, 0.1, 0.1, 0.9], [0.1, 0.1, 0.1, 0.5], [0.1, 0.1, 0.1, 0.2]]  # one topic distinguishes them
    picked = pick_topics(judged(scores), 1, n_random=50)
    assert picked.topics == (3,)
    assert [picked.tau, picked.random_tau, picked.random_low] == [1, 1, 1]


def test_uninformative_topics_come_last():
    """Weak hubs are picked here, because every topic is."""
    scores = [[0.1, 0.9, 0.3, 0.7], [0.1, 0.5, 0.3, 0.5], [0.1, 0.2, 0.3, 0.2]]
    assert set(pick_topics(judged(scores), 2, n_random=1).topics) == {1, 3}
    assert len(set(pick_topics(judged(scores), 4, n_random=1).topics)) == 4


def test_topics_that_cancel_out():
    picked = pick_topics(judged([[0.3, 0.1], [0.1, 0.3]]), 2, n_random=1)
    assert picked.topics == (0, 1)
    assert math.isnan(picked.tau)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "k must be an integer from 1 to 4, got 0"),
        ({"k": 5}, "k must be an integer from 1 to 4, got 5"),
        ({"k": 2.0}, "k must be an integer from 1 to 4, got 2.0"),
        ({"k": True}, "k must be an integer from 1 to 4, got True"),
        ({"k": "2"}, "k must be an integer from 1 to 4, got '2'"),
        ({"k": 2, "n_random": 0}, "n_random must be an integer of at least 1, got 0"),
        ({"k": 2, "n_random": None}, "n_random must be an integer of at least 1, got None"),
        ({"k": 2, "seed": -1}, "seed must be an integer of at least 0, got -1"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        pick_topics(drawn(0, (3, 4)), **arguments)
