import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metrics.systems_topics import systems_topics
from tests.metrics.strategies import FIXED

TREC8 = Path(__file__).parents[2].parent / "shared" / "reference" / "trec8_ap.csv"
TRANSFORMS = ["identity", "log", "logit"]
LEFT_OUT_BY_H = "8manexT3D1N0"

seeds = st.integers(0, 2**32)
shapes = st.tuples(st.integers(2, 9), st.integers(2, 9))


@st.composite
def tables(draw):
    """Draw random scores, smooth or with many equal ones."""
    rng, shape = np.random.default_rng(draw(seeds)), draw(shapes)
    return rng.random(shape) if draw(st.booleans()) else rng.integers(0, 4, shape) / 4


@pytest.fixture(scope="module")
def trec8():
    if not TREC8.exists():
        pytest.skip("the reference scores of TREC-8 are not here")
    return pd.read_csv(TREC8, index_col="topic").T


def named(scores):
    systems, topics = (
        [f"s{number}" for number in range(len(scores))],
        [f"t{number}" for number in range(len(scores[0]))],
    )
    return pd.DataFrame(scores, systems, topics)


# Slow versions. A node is a system or a topic, systems first; A[x, y] is the weight of the arc from x to y.


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
    """Let chances flow along the arcs until they stand still."""
    n_systems, n_nodes = len(scores), sum(scores.shape)
    A = adjacency(scores)
    weights = A - A.min()
    weights[:n_systems, :n_systems] = weights[n_systems:, n_systems:] = 0  # no arcs there
    chances = np.full((n_nodes, n_nodes), 1 / n_nodes)  # from a node without arcs, anywhere
    for node, total in enumerate(weights.sum(axis=1)):
        if total:
            chances[node] = weights[node] / total
    ranks = np.full(n_nodes, 1 / n_nodes)
    for _ in range(250):
        ranks = 0.15 / n_nodes + 0.85 * ranks @ chances
    return ranks


def first_vector(agreement):
    """Give the first eigenvector by the power method, each step doubling the power; NaN if there is no first."""
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
    """Give the hubs and authorities of all nodes, by the blocks of A Aᵀ and one step along the arcs."""
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


def nodes(graph, column):
    return np.concatenate([graph.systems[column], graph.topics[column]])


@FIXED
@given(tables())
def test_agrees_with_the_slow_versions(scores):
    graph = systems_topics(scores)
    hubs, authorities = slow_hits(scores)
    assert nodes(graph, "mean") == pytest.approx(np.concatenate([scores.mean(axis=1), scores.mean(axis=0)]))
    assert nodes(graph, "inlinks") == pytest.approx(slow_inlinks(scores), abs=1e-12)
    assert nodes(graph, "pagerank") == pytest.approx(slow_pagerank(scores), rel=1e-9)
    assert nodes(graph, "hub") == pytest.approx(hubs, abs=1e-6, nan_ok=True)
    assert nodes(graph, "authority") == pytest.approx(authorities, abs=1e-6, nan_ok=True)


@FIXED
@given(tables())
def test_agreements_are_the_blocks_of_the_squared_graph(scores):
    graph, A, n_systems = systems_topics(scores), adjacency(scores), len(scores)
    for square, of_systems, of_topics in (
        (A @ A.T, "systems_on_ease", "topics_on_effectiveness"),
        (A.T @ A, "systems_on_effectiveness", "topics_on_ease"),
    ):
        assert graph.agreement(of_systems).to_numpy() == pytest.approx(square[:n_systems, :n_systems], abs=1e-12)
        assert graph.agreement(of_topics).to_numpy() == pytest.approx(square[n_systems:, n_systems:], abs=1e-12)


def test_two_systems_and_two_topics_by_hand():
    graph = systems_topics(named([[0.9, 0.5], [0.3, 0.1]]))
    assert graph.apa.to_numpy() == pytest.approx(np.array([[0.3, 0.2], [-0.3, -0.2]]))
    assert graph.apm.to_numpy() == pytest.approx(np.array([[0.2, -0.2], [0.1, -0.1]]))
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
    """SIGIR 2007, Table 3: Pearson's correlation, to the two decimals printed."""
    table = getattr(systems_topics(trec8), nodes)
    assert round(table[first].corr(table[second]), 2) == printed


@pytest.mark.parametrize(
    ("transform", "of_systems", "of_topics"),
    [("log", -0.16, -0.09), pytest.param("logit", 0.22, 0.12, id="logit-not-as-printed")],
)
def test_correlations_of_transformed_scores(trec8, transform, of_systems, of_topics):
    """Mizzaro and Robertson, SIGIR 2007, on GMAP and logit; they print .23 and .15 for logit."""
    graph = systems_topics(trec8, transform)
    assert graph.systems["hub"].corr(graph.systems["mean"]) == pytest.approx(of_systems, abs=0.01)
    assert graph.topics["hub"].corr(graph.topics["mean"]) == pytest.approx(of_topics, abs=0.01)
    assert graph.systems["authority"].corr(graph.systems["mean"]) >= 0.99
    assert graph.topics["authority"].corr(graph.topics["mean"]) >= 0.99


def test_logit_without_the_run_that_mizzaro_and_robertson_leave_out(trec8):
    systems = systems_topics(trec8.drop(index=LEFT_OUT_BY_H), "logit").systems
    assert round(systems["hub"].corr(systems["mean"]), 2) == 0.23


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_hubs_of_trec8_are_positive(trec8, transform):
    graph = systems_topics(trec8, transform)
    assert (nodes(graph, "hub") > 0).all()


@FIXED
@given(tables())
def test_lengths_and_signs(scores):
    graph = systems_topics(scores)
    assert nodes(graph, "pagerank").sum() == pytest.approx(1)
    assert (nodes(graph, "pagerank") > 0).all()
    for table in (graph.systems, graph.topics):
        for column in ("hub", "authority"):
            length = np.linalg.norm(table[column])
            assert np.isnan(length) or length == pytest.approx(1)
        assert not table["hub"].sum() < -1e-9


@FIXED
@given(seeds, shapes, st.randoms(use_true_random=False))
def test_order_of_systems_and_topics_does_not_matter(seed, shape, random):
    scores = named(np.random.default_rng(seed).random(shape))
    systems, topics = list(scores.index), list(scores.columns)
    random.shuffle(systems)
    random.shuffle(topics)
    graph, other = systems_topics(scores), systems_topics(scores.loc[systems, topics])
    assume(graph.systems["hub"].sum() > 1e-6)
    assume(graph.topics["hub"].sum() > 1e-6)
    pd.testing.assert_frame_equal(other.systems, graph.systems.loc[systems], rtol=1e-6, atol=1e-9)
    pd.testing.assert_frame_equal(other.topics, graph.topics.loc[topics], rtol=1e-6, atol=1e-9)
    pd.testing.assert_frame_equal(other.apa, graph.apa.loc[systems, topics])


@FIXED
@given(tables(), st.floats(-2, 2))
def test_an_easier_topic_says_the_same_of_the_systems(scores, easier):
    moved = scores.copy()
    moved[:, 0] += easier
    graph, other = systems_topics(scores), systems_topics(moved)
    assert other.apa.to_numpy() == pytest.approx(graph.apa.to_numpy(), abs=1e-12)
    assert other.systems["authority"].to_numpy() == pytest.approx(
        graph.systems["authority"].to_numpy(), abs=1e-6, nan_ok=True
    )


@FIXED
@given(tables(), st.integers(1, 8))
def test_unit_of_the_scores_does_not_matter(scores, unit):
    graph, other = systems_topics(scores), systems_topics(scores * 2**unit)
    for column in ("pagerank", "hub", "authority"):
        assert nodes(other, column) == pytest.approx(nodes(graph, column), abs=1e-9, nan_ok=True)


def test_systems_and_topics_trade_places(trec8):
    graph, turned = systems_topics(trec8), systems_topics(trec8.T)
    pd.testing.assert_frame_equal(turned.systems, graph.topics)
    pd.testing.assert_frame_equal(turned.topics, graph.systems)


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        ("identity", [0, 0.5, 1]),
        ("log", [math.log(1e-5), math.log(0.5), 0]),
        ("logit", [-math.log((1 - 1e-5) / 1e-5), 0, math.log((1 - 1e-5) / 1e-5)]),
    ],
)
def test_transforms(transform, expected):
    graph = systems_topics([[0, 0.5, 1], [1, 0.5, 0]], transform)
    assert graph.scores.loc[0].tolist() == pytest.approx(expected)
    assert graph.scores.loc[1].tolist() == pytest.approx(expected[::-1])
    assert graph.systems["mean"].tolist() == pytest.approx([sum(expected) / 3] * 2, abs=1e-9)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8, bool])
def test_numbers_of_any_kind_in_lists(kind):
    rows = [[kind(0), kind(1)], [kind(1), kind(0)]]
    assert systems_topics(rows).scores.to_numpy().tolist() == [[0, 1], [1, 0]]


def test_log_moves_nothing_but_0():
    """Only zeros are replaced, so that 0 stands above what is smaller than 1e-5."""
    graph = systems_topics([[0, 1e-7], [1e-5, 1]], "log")
    assert graph.scores.to_numpy() == pytest.approx(np.log([[1e-5, 1e-7], [1e-5, 1]]))


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("score", [0, 0.1, 1 / 3, 1])
@pytest.mark.parametrize("shape", [(2, 2), (3, 7), (7, 3)])
def test_all_scores_equal(transform, score, shape):
    graph = systems_topics(np.full(shape, score), transform)
    assert not graph.apa.to_numpy().any()
    assert not graph.apm.to_numpy().any()
    assert nodes(graph, "pagerank") == pytest.approx(np.full(sum(shape), 1 / sum(shape)), rel=1e-15)
    assert np.isnan(nodes(graph, "hub")).all()
    assert np.isnan(nodes(graph, "authority")).all()


def test_systems_that_never_differ():
    graph = systems_topics([[0.1, 0.2, 0.7]] * 3)
    assert graph.systems["authority"].isna().all()
    assert graph.topics["hub"].isna().all()
    assert graph.systems["hub"].tolist() == pytest.approx([1 / 3**0.5] * 3)
    assert graph.topics["authority"].is_monotonic_increasing


def test_topics_that_never_differ():
    graph = systems_topics([[0.1] * 3, [0.2] * 3, [0.7] * 3])
    assert graph.topics["authority"].isna().all()
    assert graph.systems["hub"].isna().all()
    assert graph.topics["hub"].tolist() == pytest.approx([1 / 3**0.5] * 3)


def test_a_constant_topic_has_no_say():
    graph = systems_topics(named([[0.1, 0.1, 0.4], [0.1, 0.3, 0.2], [0.1, 0.9, 0.8]]))
    assert not graph.apa["t0"].any()
    assert graph.topics.loc["t0", "hub"] == pytest.approx(0, abs=1e-12)


def test_no_first_singular_vector():
    graph = systems_topics(np.eye(3))
    assert np.isnan(nodes(graph, "hub")).all()
    assert nodes(graph, "pagerank") == pytest.approx(np.full(6, 1 / 6))


def test_hubs_that_sum_to_nothing_start_positive():
    graph = systems_topics([[0.1, 0.2], [0.2, 0.1]])
    assert graph.systems["hub"].tolist() == pytest.approx([0.5**0.5, -(0.5**0.5)])
    assert graph.topics["hub"].tolist() == pytest.approx([0.5**0.5, -(0.5**0.5)])
    assert graph.systems["authority"].tolist() == pytest.approx([-(0.5**0.5), 0.5**0.5])


def test_twenty_thousand_topics():
    """A square matrix of all nodes would take 3.2 GB."""
    scores = np.random.default_rng(0).random((20, 20_000))
    wide, tall = systems_topics(scores), systems_topics(scores.T)
    assert nodes(wide, "pagerank").sum() == pytest.approx(1)
    assert wide.systems["pagerank"].to_numpy() == pytest.approx(tall.topics["pagerank"].to_numpy(), rel=1e-12)


@pytest.mark.parametrize("size", [1e-100, 1e100])
def test_very_small_and_very_large_scores(size):
    graph, usual = systems_topics(np.array([[0.9, 0.5], [0.3, 0.1]]) * size), systems_topics([[0.9, 0.5], [0.3, 0.1]])
    for column in ("pagerank", "hub", "authority"):
        assert nodes(graph, column) == pytest.approx(nodes(usual, column))
    assert np.isfinite(graph.agreement("topics_on_ease")).all(axis=None)


def test_names_may_be_pairs():
    topics = pd.MultiIndex.from_tuples([("nep-dem", "2026-11-02"), ("nep-dem", "2026-11-09")])
    graph = systems_topics(pd.DataFrame([[0.9, 0.5], [0.3, 0.1]], ["old", "new"], topics))
    assert graph.topics.loc[("nep-dem", "2026-11-09"), "mean"] == pytest.approx(0.3)
    assert graph.systems.index.tolist() == ["old", "new"]


def test_scores_are_copied():
    scores = np.array([[0.9, 0.5], [0.3, 0.1]])
    graph = systems_topics(scores)
    scores[:] = 0
    assert graph.scores.loc[0, 0] == 0.9


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param([[1, 2], [3, 5]], id="lists"),
        pytest.param(np.array([[1, 2], [3, 5]], dtype=np.uint8), id="small-whole-numbers"),
        pytest.param(np.array([[1, 2], [3, 5]], dtype=np.float32), id="short-floats"),
        pytest.param(pd.DataFrame([[1, 2], [3, 5]], dtype=object), id="objects"),
        pytest.param(pd.DataFrame({0: [1, 3], 1: [2.0, 5.0]}), id="mixed-columns"),
        pytest.param(pd.DataFrame([[1, 2], [3, 5]], dtype="Int64"), id="nullable"),
    ],
)
def test_kinds_of_numbers(scores):
    pd.testing.assert_frame_equal(systems_topics(scores).systems, systems_topics([[1.0, 2.0], [3.0, 5.0]]).systems)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        pytest.param([[0.1, 0.2]], "table of at least 2 systems by 2 topics, got shape (1, 2)", id="one-system"),
        pytest.param([[0.1], [0.2]], "got shape (2, 1)", id="one-topic"),
        pytest.param([0.1, 0.2], "got shape (2,)", id="one-dimensional"),
        pytest.param(pd.Series([0.1, 0.2]), "got shape (2,)", id="series"),
        pytest.param(np.zeros((2, 2, 2)), "got shape (2, 2, 2)", id="three-dimensional"),
        pytest.param([[0.1, 0.2], [0.3]], "got shape (2,)", id="unequal-rows"),
        pytest.param([], "got shape (0,)", id="nothing"),
        pytest.param("ab", "got shape ()", id="text"),
        pytest.param(pd.DataFrame(), "got shape (0, 0)", id="empty-table"),
        pytest.param([[0.1, 0.2], [math.nan, 0.3]], "got nan for system 1 on topic 0", id="nan"),
        pytest.param(named([[0.1, math.inf], [0.2, 0.3]]), "got inf for system s0 on topic t1", id="inf"),
        pytest.param(named([[0.1, -math.inf], [0.2, 0.3]]), "got -inf for system s0 on topic t1", id="minus-inf"),
        pytest.param([[0.1, 1e101], [0.2, 0.3]], "numbers from -1e100 to 1e100, got 1e+101 for", id="too-large"),
        pytest.param([[0.1, -(10**400)], [0.2, 0.3]], "for system 0 on topic 1", id="far-too-large"),
        pytest.param(
            np.array([[0.1, np.inf], [0.2, 0.3]], np.float32), "got inf for system 0 on topic 1", id="short-inf"
        ),
        pytest.param([[0.1, "0.2"], [0.2, 0.3]], "got '0.2' for system 0 on topic 1", id="string"),
        pytest.param(named([["a", "b"], ["c", "d"]]), "got 'a' for system s0 on topic t0", id="strings"),
        pytest.param([[0.1, None], [0.2, 0.3]], "got None for system 0 on topic 1", id="none"),
        pytest.param([[0.1, 1j], [0.2, 0.3]], "got 1j for system 0 on topic 1", id="complex"),
        pytest.param(
            pd.DataFrame([[1, 2], [3, pd.NA]], dtype="Int64"), "got <NA> for system 1 on topic 1", id="missing"
        ),
        pytest.param(pd.DataFrame([[1, 2], [3, 4]], index=["a", "a"]), "every system once, got a twice", id="systems"),
        pytest.param(pd.DataFrame([[1, 2], [3, 4]], columns=[7, 7]), "every topic once, got 7 twice", id="topics"),
    ],
)
def test_wrong_scores(scores, message):
    with pytest.raises(ValueError, match="^scores must .*" + re.escape(message)):
        systems_topics(scores)


@pytest.mark.parametrize(
    ("score", "transform", "message"),
    [
        (-0.1, "log", "scores must be from 0 for their log, got -0.1 for system s1 on topic t0"),
        (-0.1, "logit", "scores must be from 0 to 1 for their logit, got -0.1 for system s1 on topic t0"),
        (1.1, "logit", "scores must be from 0 to 1 for their logit, got 1.1 for system s1 on topic t0"),
        (0.1, "sqrt", "transform must be identity, log or logit, got 'sqrt'"),
        (0.1, None, "transform must be identity, log or logit, got None"),
    ],
)
def test_wrong_transform(score, transform, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        systems_topics(named([[0.5, 0.5], [score, 0.5]]), transform)


@pytest.mark.parametrize("kind", ["systems", None, ["systems_on_ease"]])
def test_unknown_kind_of_agreement(kind):
    graph = systems_topics([[0.9, 0.5], [0.3, 0.1]])
    kinds = "systems_on_ease, topics_on_effectiveness, systems_on_effectiveness, topics_on_ease"
    with pytest.raises(ValueError, match=re.escape(f"kind must be among {kinds}, got {kind!r}")):
        graph.agreement(kind)
