"""Machines and network together: what each may see."""

from dataclasses import replace

import numpy as np
import pytest

from data.records import Paper
from ranker.corrected import _labels, _margins_of_report, _topics
from ranker.recipe import Decided
from ranker.text import author_names
from ranker.train import rank_block
from ranker.versions import RECIPES
from tests.ranker.worlds import SUBJECTS, make_history

RECIPE = RECIPES["presort-1"]
METHOD = RECIPE.method
REPORTS = list(SUBJECTS)


def test_labels_tell_no_word_from_no():
    decided = {
        "a": Decided(np.array([0, 2]), np.array([1, 0], dtype=np.int8)),
        "b": Decided(np.array([1]), np.array([1])),
    }
    assert _labels(decided, 3).tolist() == [[1, -1], [-1, 1], [0, -1]]


def test_no_past_paper_is_judged_by_a_machine_that_knew_its_label():
    history = make_history()
    X = METHOD.make_features().fit_transform(history.papers)
    y = np.isin(np.arange(len(history.papers)), history.relevant["trade"]).astype(np.int8)
    halves = np.random.default_rng(0).integers(0, 2, len(y))
    _, before, _ = _margins_of_report(0, METHOD.make_classifier(), X, X[:3], y, halves)
    for paper in np.flatnonzero(y == 0)[:20]:
        unsaid = y.copy()
        unsaid[paper] = -1
        _, after, _ = _margins_of_report(0, METHOD.make_classifier(), X, X[:3], unsaid, halves)
        assert after[paper] == before[paper]


def test_each_half_has_relevant_papers_as_soon_as_there_are_two():
    history = make_history()
    X = METHOD.make_features().fit_transform(history.papers)
    y = np.zeros(len(history.papers), dtype=np.int8)
    y[history.relevant["trade"][:2]] = 1
    for halves in (np.zeros(len(y), dtype=int), np.random.default_rng(5).integers(0, 2, len(y))):
        _, margins, new_margins = _margins_of_report(0, METHOD.make_classifier(), X, X, y, halves)
        assert new_margins.any()
        assert margins.any()


@pytest.mark.parametrize("asked", [REPORTS[:1], REPORTS[::-1]])
def test_scores_do_not_depend_on_who_else_is_asked_for(asked):
    history = make_history()
    everybody = {one.report: one.scores.tolist() for one in rank_block(RECIPE, history, 4, 5, REPORTS)}
    some = {one.report: one.scores.tolist() for one in rank_block(RECIPE, history, 4, 5, asked)}
    assert some == {report: everybody[report] for report in asked}


def test_authors_tell_where_words_do_not():
    history = make_history()
    subject = REPORTS[0]
    relevant = set(history.relevant[subject].tolist())
    papers = [
        Paper(paper.paper_id, "Same words", authors=(f"{'Ada' if row in relevant else 'Bo'} Number{row % 3}",))
        for row, paper in enumerate(history.papers)
    ]
    [one] = rank_block(RECIPE, replace(history, papers=papers), 4, 5, [subject])
    start = history.starts[4]
    found = [position for position, place in enumerate(one.order, start=1) if place + start in relevant]
    assert found == list(range(1, len(found) + 1))


@pytest.mark.parametrize(
    "papers",
    [
        pytest.param([Paper(f"p{n}", "") for n in range(120)], id="nothing-to-read"),
        pytest.param([Paper(f"p{n}", "One word") for n in range(120)], id="all-alike"),
    ],
)
def test_papers_that_say_nothing_keep_list_order(papers):
    for one in rank_block(RECIPE, replace(make_history(), papers=papers), 4, 5, REPORTS):
        assert one.order.tolist() == sorted(one.order)


def test_topics_of_few_terms_are_as_many_as_can_be():
    X = METHOD.make_features().fit_transform(
        [Paper("a", "red green"), Paper("b", "green blue"), Paper("c", "blue red")]
    )
    topics, new_topics = _topics(X, X[:1])
    assert topics.shape[1] == 3
    np.testing.assert_allclose(np.linalg.norm(topics, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(new_topics[0], topics[0])


@pytest.mark.parametrize(
    ("authors", "expected"),
    [
        pytest.param(("Zoë Núñez", "Bo Ek"), "zoe_nunez bo_ek", id="one-a-place"),
        pytest.param(("Ada Low, Bo Ek, Cy Dee",), "ada_low bo_ek cy_dee", id="all-in-one"),
        pytest.param(("Ek, Bo", "Low, Ada M."), "ek,_bo low,_ada_m.", id="family-name-first"),
        pytest.param((), "", id="none"),
        pytest.param(("  ", "OECD"), "oecd", id="blank"),
    ],
)
def test_authors_as_single_terms(authors, expected):
    assert author_names(Paper("p", "t", authors=authors)) == expected
