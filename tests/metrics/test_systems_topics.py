import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from presort.metrics.systems_topics import systems_topics
from tests.metrics.score_tables import TRANSFORMS, judged, named, nodes, seeds, shapes, tables

LEFT_OUT_BY_H = "8manexT3D1N0"


# Slow versions. A node is a system or a topic, systems first. A[x, y] is the weight of the arc from x to y.


def adjacency(scores):
    n_systems, n_topics = scores.shape
    A = np.zeros((n_systems + n_topics,) * 2)
    for s in range(n_systems):
        for t in range(n_topics):
            A[s, n_systems + t] = scores[s, t] - math.fsum(scores[s]) / n_topics
            A[n_systems + t, s] = scores[s, t] - math.fsum(scores[:, t]) / n_systems
    A[np.abs(A) < 1e-14] = 0
    return A


def slow_inlinks(scores):
    n_systems, n_topics = scores.shape
    A = adjacency(scores)
    of_systems = [sum(A[n_systems + t, s] for t in range(n_topics)) / n_topics for s in range(n_systems)]
    of_topics = [sum(A[s, n_systems + t] for s in range(n_systems)) / n_systems for t in range(n_topics)]
    return of_systems + of_topics


def slow_pagerank(scores):
    """Let probabilities flow along the arcs until they converge."""
    n_systems, n_nodes = len(scores), sum(scores.shape)
    A = adjacency(scores)
    weights = A - A.min()
    weights[:n_systems, :n_systems] = weights[n_systems:, n_systems:] = 0  # no arcs there
    chances = np.full((n_nodes, n_nodes), 1 / n_nodes)  # from a node without arcs to any node
    for node, total in enumerate(weights.sum(axis=1)):
        if total:
            chances[node] = weights[node] / total
    ranks = np.full(n_nodes, 1 / n_nodes)
    for _ in range(250):
        ranks = 0.15 / n_nodes + 0.85 * ranks @ chances
    return ranks


def first_vector(agreement):
    """Return the first eigenvector by the power method with repeated squaring. NaN if it is not unique."""
    values = np.linalg.eigvalsh(agreement)
    if values[-1] - values[-2] <= 1e-9 * values[-1] or values[-1] < 1e-20:
        return np.full(len(agreement), math.nan)
    power = agreement / np.linalg.norm(agreement)
    for _ in range(60):
        power = power @ power
        power /= np.linalg.norm(power)
    column = power[:, np.linalg.norm(power, axis=0).argmax()]
    return column / np.linalg.norm(column)


def slow_hits(scores):
    """Return the hubs and authorities of all nodes, from the blocks of A Aᵀ and one step along the arcs."""
    n_systems = len(scores)
    A = adjacency(scores)
    hubs, authorities = [], {}
    for ours, theirs in ((slice(n_systems), slice(n_systems, None)), (slice(n_systems, None), slice(n_systems))):
        hub = first_vector((A @ A.T)[ours, ours])
        if not np.isnan(hub).any():
            total = hub.sum() if abs(hub.sum()) > 1e-9 else hub[np.abs(hub) > 1e-9][0]
            hub = hub * np.sign(total)
        authority = A[ours, theirs].T @ hub
        hubs.append(hub)
        authorities[theirs.start] = authority / np.linalg.norm(authority)
    return np.concatenate(hubs), np.concatenate([authorities[None], authorities[n_systems]])


@given(tables())
def test_agrees_with_the_slow_versions(scores):
    graph = judged(scores)
    hubs, authorities = slow_hits(scores)
    assert nodes(graph, "mean") == pytest.approx(np.concatenate([scores.mean(axis=1), scores.mean(axis=0)]))
    assert nodes(graph, "inlinks") == pytest.approx(slow_inlinks(scores), abs=1e-12)
    assert nodes(graph, "pagerank") == pytest.approx(slow_pagerank(scores), rel=1e-9)
    assert nodes(graph, "hub") == pytest.approx(hubs, abs=1e-6, nan_ok=True)
    assert nodes(graph, "authority") == pytest.approx(authorities, abs=1e-6, nan_ok=True)


@given(tables())
def test_agreements_are_the_blocks_of_the_squared_graph(scores):
    graph, A, n_systems = judged(scores), adjacency(scores), len(scores)
    for square, of_systems, of_topics in (
        (A @ A.T, "systems_on_ease", "topics_on_effectiveness"),
        (A.T @ A, "systems_on_effectiveness", "topics_on_ease"),
    ):
        assert graph.agreement(of_systems).to_numpy() == pytest.approx(square[:n_systems, :n_systems], abs=1e-12)
        assert graph.agreement(of_topics).to_numpy() == pytest.approx(square[n_systems:, n_systems:], abs=1e-12)


def test_two_systems_and_two_topics_by_hand():
    graph = judged(named([[0.9, 0.5], [0.3, 0.1]]))
    assert graph.apa.T.to_numpy() == pytest.approx(np.array([[0.3, 0.2], [-0.3, -0.2]]))
    assert graph.apm.T.to_numpy() == pytest.approx(np.array([[0.2, -0.2], [0.1, -0.1]]))
    assert graph.systems["mean"].to_dict() == pytest.approx({"s0": 0.7, "s1": 0.2})
    assert graph.topics["inlinks"].to_dict() == pytest.approx({"t0": 0.15, "t1": -0.15})
    assert graph.systems["hub"].tolist() == pytest.approx([2 / 5**0.5, 1 / 5**0.5])
    assert graph.topics["authority"].tolist() == pytest.approx([0.5**0.5, -(0.5**0.5)])
    assert graph.topics["hub"].tolist() == pytest.approx([3 / 13**0.5, 2 / 13**0.5])
    assert graph.systems["authority"].tolist() == pytest.approx([0.5**0.5, -(0.5**0.5)])
    assert list(graph.agreement("systems_on_ease").index) == ["s0", "s1"]
    assert list(graph.agreement("topics_on_ease").columns) == ["t0", "t1"]


@pytest.mark.parametrize(
    ("nodes", "first", "second", "printed"),
    [
        ("systems", "mean", "inlinks", 1.00),
        ("systems", "mean", "pagerank", 1.00),
        ("systems", "mean", "hub", 0.80),
        ("systems", "mean", "authority", 0.99),
        ("systems", "hub", "authority", 0.87),
        ("topics", "mean", "inlinks", 1.00),
        ("topics", "mean", "pagerank", 1.00),
        ("topics", "mean", "hub", 0.92),
        ("topics", "mean", "authority", 1.00),
        ("topics", "hub", "authority", 0.93),
    ],
)
def test_correlations_of_mizzaro_and_robertson(trec8, nodes, first, second, printed):
    """SIGIR 2007, Table 3: Pearson's correlation, to the two printed decimals."""
    table = getattr(systems_topics(trec8), nodes)
    assert round(table[first].corr(table[second]), 2) == printed


@pytest.mark.parametrize(
    ("transform", "of_systems", "of_topics"),
    [("log", -0.16, -0.09), pytest.param("logit", 0.22, 0.12, id="logit-not-as-printed")],
)
def test_correlations_of_transformed_scores(trec8, transform, of_systems, of_topics):
    """Mizzaro and Robertson, SIGIR 2007, on GMAP and logit. They print .23 and .15 for logit."""
    graph = systems_topics(trec8, transform)
    assert graph.systems["hub"].corr(graph.systems["mean"]) == pytest.approx(of_systems, abs=0.01)
    assert graph.topics["hub"].corr(graph.topics["mean"]) == pytest.approx(of_topics, abs=0.01)
    assert graph.systems["authority"].corr(graph.systems["mean"]) >= 0.99
    assert graph.topics["authority"].corr(graph.topics["mean"]) >= 0.99


def test_logit_without_the_run_that_mizzaro_and_robertson_leave_out(trec8):
    systems = systems_topics(trec8.drop(columns=LEFT_OUT_BY_H), "logit").systems
    assert round(systems["hub"].corr(systems["mean"]), 2) == 0.23


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_hubs_of_trec8_are_positive(trec8, transform):
    graph = systems_topics(trec8, transform)
    assert (nodes(graph, "hub") > 0).all()


@given(tables())
def test_lengths_and_signs(scores):
    graph = judged(scores)
    assert nodes(graph, "pagerank").sum() == pytest.approx(1)
    assert (nodes(graph, "pagerank") > 0).all()
    for table in (graph.systems, graph.topics):
        for column in ("hub", "authority"):
            length = np.linalg.norm(table[column])
            assert np.isnan(length) or length == pytest.approx(1)
        assert not table["hub"].sum() < -1e-9


@given(seeds, shapes, st.randoms(use_true_random=False))
def test_order_of_systems_and_topics_does_not_matter(seed, shape, random):
    scores = named(np.random.default_rng(seed).random(shape))
    systems, topics = list(scores.index), list(scores.columns)
    random.shuffle(systems)
    random.shuffle(topics)
    graph, other = judged(scores), judged(scores.loc[systems, topics])
    assume(graph.systems["hub"].sum() > 1e-6)
    assume(graph.topics["hub"].sum() > 1e-6)
    pd.testing.assert_frame_equal(other.systems, graph.systems.loc[systems], rtol=1e-6, atol=1e-9)
    pd.testing.assert_frame_equal(other.topics, graph.topics.loc[topics], rtol=1e-6, atol=1e-9)
    pd.testing.assert_frame_equal(other.apa, graph.apa.loc[topics, systems])


@given(tables(), st.floats(-2, 2))
def test_an_easier_topic_gives_the_same_figures_for_systems(scores, easier):
    moved = scores.copy()
    moved[:, 0] += easier
    graph, other = judged(scores), judged(moved)
    assert other.apa.to_numpy() == pytest.approx(graph.apa.to_numpy(), abs=1e-12)
    assert other.systems["authority"].to_numpy() == pytest.approx(
        graph.systems["authority"].to_numpy(), abs=1e-6, nan_ok=True
    )
