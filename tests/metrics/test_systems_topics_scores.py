"""Valid and invalid scores of systems and topics: units, sizes and types."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.metrics.systems_topics import systems_topics
from tests.metrics.score_tables import TRANSFORMS, judged, named, nodes, tables


@given(tables(), st.integers(1, 8))
def test_unit_of_the_scores_does_not_matter(scores, unit):
    graph, other = judged(scores), judged(scores * 2**unit)
    for column in ("pagerank", "hub", "authority"):
        assert nodes(other, column) == pytest.approx(nodes(graph, column), abs=1e-9, nan_ok=True)


def test_transposing_exchanges_systems_and_topics(trec8):
    graph, turned = systems_topics(trec8), systems_topics(trec8.T.rename_axis(columns=None))
    pd.testing.assert_frame_equal(turned.systems, graph.topics, check_names=False)
    pd.testing.assert_frame_equal(turned.topics, graph.systems, check_names=False)


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        ("identity", [0, 0.5, 1]),
        ("log", [math.log(1e-5), math.log(0.5), 0]),
        ("logit", [-math.log((1 - 1e-5) / 1e-5), 0, math.log((1 - 1e-5) / 1e-5)]),
    ],
)
def test_transforms(transform, expected):
    graph = judged([[0, 0.5, 1], [1, 0.5, 0]], transform)
    assert graph.scores[0].tolist() == pytest.approx(expected)
    assert graph.scores[1].tolist() == pytest.approx(expected[::-1])
    assert graph.systems["mean"].tolist() == pytest.approx([sum(expected) / 3] * 2, abs=1e-9)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8, bool])
def test_numbers_of_any_kind_in_lists(kind):
    rows = [[kind(0), kind(1)], [kind(1), kind(0)]]
    assert systems_topics(rows).scores.to_numpy().tolist() == [[0, 1], [1, 0]]


def test_log_replaces_only_0():
    """Only zeros are replaced, so 0 ends up above scores smaller than 1e-5."""
    graph = judged([[0, 1e-7], [1e-5, 1]], "log")
    assert graph.scores.T.to_numpy() == pytest.approx(np.log([[1e-5, 1e-7], [1e-5, 1]]))


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("score", [0, 0.1, 1 / 3, 1])
@pytest.mark.parametrize("shape", [(2, 2), (3, 7), (7, 3)])
def test_all_scores_equal(transform, score, shape):
    graph = judged(np.full(shape, score), transform)
    assert not graph.apa.to_numpy().any()
    assert not graph.apm.to_numpy().any()
    assert nodes(graph, "pagerank") == pytest.approx(np.full(sum(shape), 1 / sum(shape)), rel=1e-15)
    assert np.isnan(nodes(graph, "hub")).all()
    assert np.isnan(nodes(graph, "authority")).all()


def test_systems_that_never_differ():
    graph = judged([[0.1, 0.2, 0.7]] * 3)
    assert graph.systems["authority"].isna().all()
    assert graph.topics["hub"].isna().all()
    assert graph.systems["hub"].tolist() == pytest.approx([1 / 3**0.5] * 3)
    assert graph.topics["authority"].is_monotonic_increasing


def test_topics_that_never_differ():
    graph = judged([[0.1] * 3, [0.2] * 3, [0.7] * 3])
    assert graph.topics["authority"].isna().all()
    assert graph.systems["hub"].isna().all()
    assert graph.topics["hub"].tolist() == pytest.approx([1 / 3**0.5] * 3)


def test_a_constant_topic_has_no_effect():
    graph = judged(named([[0.1, 0.1, 0.4], [0.1, 0.3, 0.2], [0.1, 0.9, 0.8]]))
    assert not graph.apa.loc["t0"].any()
    assert graph.topics.loc["t0", "hub"] == pytest.approx(0, abs=1e-12)


def test_no_first_singular_vector():
    graph = judged(np.eye(3))
    assert np.isnan(nodes(graph, "hub")).all()
    assert nodes(graph, "pagerank") == pytest.approx(np.full(6, 1 / 6))


def test_hubs_that_sum_to_0_start_positive():
    graph = judged([[0.1, 0.2], [0.2, 0.1]])
    assert graph.systems["hub"].tolist() == pytest.approx([0.5**0.5, -(0.5**0.5)])
    assert graph.topics["hub"].tolist() == pytest.approx([0.5**0.5, -(0.5**0.5)])
    assert graph.systems["authority"].tolist() == pytest.approx([-(0.5**0.5), 0.5**0.5])


def test_twenty_thousand_topics():
    """A square matrix of all nodes would take 3.2 GB."""
    scores = np.random.default_rng(0).random((20, 20_000))
    wide, tall = judged(scores), judged(scores.T)
    assert nodes(wide, "pagerank").sum() == pytest.approx(1)
    assert wide.systems["pagerank"].to_numpy() == pytest.approx(tall.topics["pagerank"].to_numpy(), rel=1e-12)


@pytest.mark.parametrize("size", [1e-100, 1e100])
def test_very_small_and_very_large_scores(size):
    graph, usual = judged(np.array([[0.9, 0.5], [0.3, 0.1]]) * size), judged([[0.9, 0.5], [0.3, 0.1]])
    for column in ("pagerank", "hub", "authority"):
        assert nodes(graph, column) == pytest.approx(nodes(usual, column))
    assert np.isfinite(graph.agreement("topics_on_ease")).all(axis=None)


def test_names_may_be_pairs():
    topics = pd.MultiIndex.from_tuples([("nep-dem", "2026-11-02"), ("nep-dem", "2026-11-09")])
    graph = judged(pd.DataFrame([[0.9, 0.5], [0.3, 0.1]], ["old", "new"], topics))
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
        pytest.param([[0.1, 0.2]], "systems as columns (at least 2), got shape (1, 2)", id="one-topic"),
        pytest.param([[0.1], [0.2]], "got shape (2, 1)", id="one-system"),
        pytest.param([0.1, 0.2], "got shape (2,)", id="one-dimensional"),
        pytest.param(pd.Series([0.1, 0.2]), "got shape (2,)", id="series"),
        pytest.param(np.zeros((2, 2, 2)), "got shape (2, 2, 2)", id="three-dimensional"),
        pytest.param([[0.1, 0.2], [0.3]], "got shape (2,)", id="unequal-rows"),
        pytest.param([], "got shape (0,)", id="nothing"),
        pytest.param("ab", "got shape ()", id="text"),
        pytest.param(pd.DataFrame(), "got shape (0, 0)", id="empty-table"),
        pytest.param([[0.1, 0.2], [math.nan, 0.3]], "got nan for system 0 on topic 1", id="nan"),
        pytest.param(named([[0.1, math.inf], [0.2, 0.3]]).T, "got inf for system s0 on topic t1", id="inf"),
        pytest.param(named([[0.1, -math.inf], [0.2, 0.3]]).T, "got -inf for system s0 on topic t1", id="minus-inf"),
        pytest.param([[0.1, 1e101], [0.2, 0.3]], "numbers from -1e100 to 1e100, got 1e+101 for", id="too-large"),
        pytest.param([[0.1, -(10**400)], [0.2, 0.3]], "for system 1 on topic 0", id="far-too-large"),
        pytest.param(
            np.array([[0.1, np.inf], [0.2, 0.3]], np.float32), "got inf for system 1 on topic 0", id="short-inf"
        ),
        pytest.param([[0.1, "0.2"], [0.2, 0.3]], "got '0.2' for system 1 on topic 0", id="string"),
        pytest.param(named([["a", "b"], ["c", "d"]]).T, "got 'a' for system s0 on topic t0", id="strings"),
        pytest.param([[0.1, None], [0.2, 0.3]], "got None for system 1 on topic 0", id="none"),
        pytest.param([[0.1, 1j], [0.2, 0.3]], "got 1j for system 1 on topic 0", id="complex"),
        pytest.param(
            pd.DataFrame([[1, 2], [3, pd.NA]], dtype="Int64"), "got <NA> for system 1 on topic 1", id="missing"
        ),
        pytest.param(
            pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "each system only once, got a twice", id="systems"
        ),
        pytest.param(pd.DataFrame([[1, 2], [3, 4]], index=[7, 7]), "each topic only once, got 7 twice", id="topics"),
    ],
)
def test_wrong_scores(scores, message):
    with pytest.raises(ValueError, match="^scores must .*" + re.escape(message)):
        systems_topics(scores)


@pytest.mark.parametrize(
    ("score", "transform", "message"),
    [
        (-0.1, "log", "scores must be at least 0 for the log transform, got -0.1 for system s1 on topic t0"),
        (-0.1, "logit", "scores must be from 0 to 1 for the logit transform, got -0.1 for system s1 on topic t0"),
        (1.1, "logit", "scores must be from 0 to 1 for the logit transform, got 1.1 for system s1 on topic t0"),
        (0.1, "sqrt", "transform must be identity, log or logit, got 'sqrt'"),
        (0.1, None, "transform must be identity, log or logit, got None"),
    ],
)
def test_wrong_transform(score, transform, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        judged(named([[0.5, 0.5], [score, 0.5]]), transform)


@pytest.mark.parametrize("kind", ["systems", None, ["systems_on_ease"]])
def test_unknown_kind_of_agreement(kind):
    graph = systems_topics([[0.9, 0.5], [0.3, 0.1]])
    kinds = "systems_on_ease, topics_on_effectiveness, systems_on_effectiveness, topics_on_ease"
    with pytest.raises(ValueError, match=re.escape(f"kind must be one of {kinds}, got {kind!r}")):
        graph.agreement(kind)
