"""Machines and network together: what each may see."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.records import Paper
from ranker.corrected import _halves, _labels, _train_half
from ranker.fields import learn_fields
from ranker.recipe import Decided, KeptInMemory, Task
from ranker.text import author_names
from ranker.tokens import tokens_of
from ranker.topics import learn_topics
from ranker.train import rank_block
from ranker.versions import RECIPES
from tests.ranker.worlds import FIXED, SUBJECTS, as_rows, make_history

RECIPE = RECIPES["presort-1"]
METHOD = RECIPE.method
REPORTS = list(SUBJECTS)


def features_of(history):
    return learn_fields(METHOD.fields, tokens_of(history.papers))[1]


def labels_of(history):
    return np.column_stack(
        [np.isin(np.arange(len(history.papers)), rows) for rows in history.relevant.values()]
    ).astype(np.int8)


def test_labels_tell_no_word_from_no():
    decided = {
        "a": Decided(np.array([0, 2]), np.array([1, 0], dtype=np.int8)),
        "b": Decided(np.array([1]), np.array([1])),
    }
    task = Task("any", [date.max], as_rows(0), [Paper("p", "t")] * 5, None, 3, 2, decided, KeptInMemory())
    assert _labels(task).tolist() == [[1, -1], [-1, 1], [0, -1]]


def test_no_past_paper_is_judged_by_a_machine_that_knew_its_label():
    history = make_history()
    X, y = features_of(history), labels_of(history)
    halves = np.random.default_rng(1).integers(0, 2, len(y))
    for half in (0, 1):
        other_words = y.copy()
        other_words[halves != half] = np.random.default_rng(2).integers(-1, 2, other_words[halves != half].shape)
        for before, after in zip(
            _train_half(METHOD.machines, X, y, halves, half),
            _train_half(METHOD.machines, X, other_words, halves, half),
            strict=True,
        ):
            np.testing.assert_array_equal(after, before)


def test_every_past_paper_is_judged_by_the_half_it_is_not_in():
    history = make_history()
    X, y = features_of(history), labels_of(history)
    weights, before = METHOD._machines_of_halves(X, y, 1)
    assert (before[y == 1] > 0).mean() > 0.9
    for paper in np.flatnonzero(y[:, 0] == 0)[:20]:
        unsaid = y.copy()
        unsaid[paper, 0] = -1
        other_weights, after = METHOD._machines_of_halves(X, unsaid, 1)
        assert (after[paper] == before[paper]).all()
        assert (after[:, 0] != before[:, 0]).any()
        assert (other_weights[:, 0] != weights[:, 0]).any()


@FIXED
@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.integers(0, 99))
def test_each_half_has_relevant_papers_as_soon_as_there_are_two(owners, seed):
    y = np.random.default_rng(seed).integers(-1, 1, (len(owners), 4)).astype(np.int8)
    for paper, owner in enumerate(owners):
        if owner < 4:
            y[paper, owner] = 1
    halves = _halves(y)
    for words in y.T:
        n_0, n_1 = (np.count_nonzero((words == 1) & (halves == half)) for half in (0, 1))
        assert abs(n_0 - n_1) <= 1


@FIXED
@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), min_size=1, max_size=30))
def test_two_reports_that_share_papers_have_relevant_ones_in_each_half_too(words):
    y = np.array(words, dtype=np.int8)
    halves = _halves(y)
    assert set(halves.tolist()) <= {0, 1}
    for report in range(2):
        relevant = y[:, report] == 1
        assert len(set(halves[relevant].tolist())) == min(2, np.count_nonzero(relevant))


def test_papers_that_nobody_found_relevant_fall_in_either_half():
    halves = _halves(np.zeros((1000, 3), dtype=np.int8))
    assert 400 < halves.sum() < 600


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
    papers = [Paper("a", "red green"), Paper("b", "green blue"), Paper("c", "blue red")]
    _, X = learn_fields(METHOD.fields, tokens_of(papers))
    topics = learn_topics(X)
    of_papers = topics.of(X)
    assert of_papers.shape[1] == 3
    np.testing.assert_allclose(np.linalg.norm(of_papers, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(topics.of(X[:1])[0], of_papers[0])


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
