"""SVMs and network together: the data that each may use."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from presort.data.records import Paper
from presort.ranker.gather import gather
from presort.ranker.recipe import MemoryModelStore, Task, TrainingLabels, labels
from presort.ranker.stacked.cross_fit import _train_fold, cross_fit
from presort.ranker.stacked.features import learn_topics
from presort.ranker.stacked.fields import learn_fields
from presort.ranker.tokens import tokens_of
from presort.ranker.train import rank_block
from presort.ranker.versions import RECIPES
from tests.ranker.worlds import SUBJECTS, as_rows, make_history

RECIPE = RECIPES["presort-1"]
METHOD = RECIPE.method
REPORTS = list(SUBJECTS)


def features_of(history):
    return learn_fields(METHOD.fields, tokens_of(history.papers))[1]


def labels_of(history):
    return np.column_stack(
        [np.isin(np.arange(len(history.papers)), rows) for rows in history.relevant.values()]
    ).astype(np.int8)


def fitted(X, y, papers):
    """Return the weights, and the margins as computed by the SVMs."""
    found = cross_fit(METHOD.svms.train, X, y, papers)
    return found.weights, found.margins * found.spread + found.mean


def test_labels_distinguish_no_decision_from_not_relevant():
    decided = {
        "a": TrainingLabels(np.array([0, 2]), np.array([1, 0], dtype=np.int8)),
        "b": TrainingLabels(np.array([1]), np.array([1])),
    }
    task = Task("any", [date.max], as_rows(0), [Paper("p", "t")] * 5, None, 3, 2, decided, MemoryModelStore())
    assert labels(task, ["a", "c", "b"]).tolist() == [[1, -1, -1], [-1, -1, 1], [0, -1, -1]]


def test_no_past_paper_gets_a_margin_from_an_svm_trained_on_it():
    history = make_history()
    X, y = features_of(history), labels_of(history)
    folds = np.random.default_rng(1).integers(0, 2, len(y))
    for fold in (0, 1):
        other_words = y.copy()
        other_words[folds != fold] = np.random.default_rng(2).integers(-1, 2, other_words[folds != fold].shape)
        for before, after in zip(
            _train_fold(METHOD.svms.train, X, y, folds, fold),
            _train_fold(METHOD.svms.train, X, other_words, folds, fold),
            strict=True,
        ):
            np.testing.assert_array_equal(after, before)


def test_every_past_paper_gets_its_margin_from_the_other_fold():
    history = make_history()
    X, y = features_of(history), labels_of(history)
    weights, before = fitted(X, y, np.arange(len(y)))
    assert (before[y == 1] > 0).mean() > 0.9
    for paper in np.flatnonzero(y[:, 0] == 0)[:20]:
        unsaid = y.copy()
        unsaid[paper, 0] = -1
        other_weights, after = fitted(X, unsaid, np.arange(len(y)))
        np.testing.assert_allclose(after[paper], before[paper], rtol=0, atol=1e-12)
        assert (np.abs(after[:, 0] - before[:, 0]) > 1e-6).any()
        assert (other_weights[:, 0] != weights[:, 0]).any()


def test_no_row_of_a_paper_listed_twice_gets_a_margin_from_an_svm_trained_on_it():
    """A decision on a paper in one issue doesn't affect its margin in another."""
    history = make_history()
    papers = [*history.papers[:40], *history.papers[:20], *history.papers[60:]]
    y = labels_of(history)
    y[40:60] = y[:20]
    history = replace(
        history, papers=papers, relevant={code: np.flatnonzero(y[:, n]) for n, code in enumerate(REPORTS)}
    )
    X, numbers = (
        features_of(history),
        gather("any", history, 6, 6, REPORTS, {}, MemoryModelStore()).task.numbers_of(slice(None)),
    )
    assert numbers[40:60].tolist() == numbers[:20].tolist()
    _, before = fitted(X, y, numbers)
    for row in range(40, 50):
        turned = y.copy()
        turned[row][y[row] == 0] = -1  # so that the folds stay the same
        _, after = fitted(X, turned, numbers)
        np.testing.assert_allclose(after[[row, row - 40]], before[[row, row - 40]], rtol=0, atol=1e-12)
        assert (np.abs(after - before) > 1e-6).any()


@pytest.mark.parametrize("asked", [REPORTS[:1], REPORTS[::-1]])
def test_scores_do_not_depend_on_the_other_requested_reports(asked):
    history = make_history()
    everybody = {one.report: one.scores.tolist() for one in rank_block(RECIPE, history, 4, 5, REPORTS)}
    some = {one.report: one.scores.tolist() for one in rank_block(RECIPE, history, 4, 5, asked)}
    assert some == {report: everybody[report] for report in asked}


def test_authors_help_where_words_do_not():
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
def test_papers_without_terms_keep_list_order(papers):
    for one in rank_block(RECIPE, replace(make_history(), papers=papers), 4, 5, REPORTS):
        assert one.order.tolist() == sorted(one.order)


def test_few_terms_give_as_many_topics_as_possible():
    papers = [Paper("a", "red green"), Paper("b", "green blue"), Paper("c", "blue red")]
    _, X = learn_fields(METHOD.fields, tokens_of(papers))
    topics = learn_topics(X)
    of_papers = topics.of(X)
    assert of_papers.shape[1] == 3
    np.testing.assert_allclose(np.linalg.norm(of_papers, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(topics.of(X[:1])[0], of_papers[0])


def test_the_first_issue_is_ranked_without_networks():
    """The papers to rank are the only negatives for the examples, so the networks' outputs are not used."""
    first = make_history(1, n_papers=120)
    empty = {report: np.empty(0, dtype=np.intp) for report in REPORTS}
    examples = [Paper("seed", "Hospital nurse", "patient disease vaccine doctor")]
    begun = replace(first, relevant=empty, maybe={}, seeds={"trade": examples})
    task = gather("presort-1", begun, 0, 1, ["trade"], {}, MemoryModelStore()).task
    explainer, (scored,) = METHOD.explainer(task), METHOD.score(task, ["trade"], 1)
    np.testing.assert_allclose(scored.scores, explainer.margins[:, explainer.learned.column("trade")], atol=1e-6)
    on_health = np.isin(np.arange(120), first.relevant["health"])
    assert (scored.scores[on_health][:, None] > scored.scores[~on_health]).mean() > 0.9
