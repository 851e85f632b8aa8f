"""Decisions made after training are learned incrementally, and withdrawn decisions are unlearned."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from presort.data.records import Paper
from presort.ranker.recipe import NO_WORD
from presort.ranker.stacked.cross_fit import cross_fit
from presort.ranker.stacked.features import authorship_matrix, new_features
from presort.ranker.stacked.method import inputs_of_new
from presort.ranker.train import rank_block
from tests.ranker.stacked.model_stores import (
    METHOD,
    RECIPE,
    REPORTS,
    Files,
    later,
    model_store_of,
    relevant_before,
    scores_of,
    with_decisions,
)
from tests.ranker.worlds import make_history


def learned_for(history, first):
    """Return the updated model when an issue is ranked."""
    return later(history, first, model_store_of(history, first))


@pytest.mark.usefixtures("models_are_kept")
def test_a_model_with_later_decisions_ranks_an_obvious_case():
    history = make_history(16)
    for one in rank_block(RECIPE, history, 12, 16, REPORTS):
        is_relevant = np.isin(one.order + history.starts[one.issue_index], history.relevant[one.report])
        assert np.flatnonzero(is_relevant).max() + 1 == is_relevant.sum()


@pytest.mark.usefixtures("models_are_kept")
def test_decisions_since_the_model_are_learned():
    history, models = make_history(11), Files()
    before = relevant_before(history, "trade", 8)
    swapped = history.relevant["health"]
    changed = with_decisions(history, trade=np.concatenate([before, swapped[swapped >= history.starts[8]]]))
    plain, moved = (scores_of(one, 10, models=models) for one in (history, changed))
    assert models.n_kept == 1
    of_health = np.isin(np.arange(history.starts[10], history.starts[11]), swapped)
    gains = np.array(moved["trade", 10]) - plain["trade", 10]
    assert gains[of_health].mean() > gains[~of_health].mean()


@pytest.mark.usefixtures("models_are_kept")
def test_decisions_known_to_the_model_are_not_learned_again():
    history = make_history(11)
    before = with_decisions(history, **{report: relevant_before(history, report, 8) for report in REPORTS})
    for one, is_moved in ((before, False), (history, True)):
        _, _, learned, later = learned_for(one, 10)
        assert (np.asarray(later.weights) != np.asarray(learned.weights)).any() == is_moved
        assert len(learned.past_topics) == history.starts[8]
        assert len(later.past_topics) == history.starts[10]
        np.testing.assert_array_equal(later.past_topics[: history.starts[8]], learned.past_topics)


@pytest.mark.usefixtures("models_are_kept")
@pytest.mark.parametrize("first", [8, 10])
def test_the_record_of_the_authors_is_that_of_all_past_papers(first):
    history = make_history(11)
    task, y, _, learned = learned_for(history, first)
    inputs, of_new = inputs_of_new(learned, task, learned.fields.rows(task.tokens[task.n_past :]), y)
    known = np.unique(task.tokens[: task.n_past].authors.values)
    written = authorship_matrix(task.tokens.authors, known)
    past, new = slice(0, task.n_past), slice(task.n_past, None)
    topics = learned.topics.of(learned.fields.rows(task.tokens))
    expected = new_features(topics[new], written[new], topics[past], written[past], y)
    np.testing.assert_allclose(inputs, np.hstack([of_new, expected]), atol=1e-5)
    assert len(inputs) == 20


@pytest.mark.usefixtures("models_are_kept")
def test_decisions_that_come_late_on_issues_before_the_model_are_learned():
    history, models = make_history(11), Files()
    by_issue = np.searchsorted(history.starts, np.arange(len(history.papers)), side="right") - 1
    goods = np.sort(np.concatenate([history.relevant["trade"], history.relevant["health"]]))
    in_time = history.relevant["trade"][np.isin(by_issue[history.relevant["trade"]], [0, 1, 2, 3])]
    late = goods[np.isin(by_issue[goods], [4, 5, 6, 7])]
    early = with_decisions(history, goods=in_time)
    reports = [*REPORTS, "goods"]
    before = scores_of(early, 10, models=models, reports=reports)
    after = scores_of(
        with_decisions(history, goods=np.concatenate([in_time, late])), 10, models=models, reports=reports
    )
    assert models.n_kept == 1
    rows = np.arange(history.starts[10], history.starts[11])
    of_health = np.isin(rows, history.relevant["health"])
    of_work = np.isin(rows, history.relevant["work"])
    leads = [
        np.subtract.outer(np.array(scores["goods", 10])[of_health], np.array(scores["goods", 10])[of_work])
        for scores in (before, after)
    ]
    assert (leads[0] > 0).mean() < 0.8
    assert (leads[1] > 0).all()


@pytest.mark.usefixtures("models_are_kept")
def test_a_reversed_decision_is_learned():
    history, models = make_history(11), Files()
    scores_of(history, 10, models=models)
    wage = [row for row, paper in enumerate(history.papers) if "wage" in f"{paper.title} {paper.abstract}"]
    fewer = with_decisions(history, work=np.setdiff1d(history.relevant["work"], wage))
    plain, turned = (scores_of(one, 10, models=models)["work", 10] for one in (history, fewer))
    assert models.n_kept == 1
    has_wage = np.isin(np.arange(history.starts[10], history.starts[11]), wage)
    losses = np.array(plain) - turned
    assert losses[has_wage].mean() > losses[~has_wage].mean()


@pytest.mark.usefixtures("models_are_kept")
def test_examples_are_learned_on_top_of_a_model():
    history, models = make_history(11), Files()
    examples = [Paper("seed 1", "Hospital nurse", "patient disease vaccine doctor")] * 20
    seeded = replace(history, seeds={"trade": examples})
    plain, moved = (np.array(scores_of(one, 10, models=models)["trade", 10]) for one in (history, seeded))
    assert models.n_kept == 1
    of_health = np.isin(np.arange(history.starts[10], history.starts[11]), history.relevant["health"])
    assert (moved - plain)[of_health].min() > (moved - plain)[~of_health].max()


def without_rows(history, **gone):
    """Remove the labels of some rows: decisions were changed from yes to maybe."""
    return replace(
        with_decisions(
            history, **{report: np.setdiff1d(history.relevant[report], rows) for report, rows in gone.items()}
        ),
        maybe={report: np.sort(rows) for report, rows in gone.items()},
    )


@pytest.mark.usefixtures("models_are_kept")
@pytest.mark.parametrize("are_turned", [False, True], ids=["taken-back", "turned-to-no"])
def test_withdrawn_decisions_leave_no_trace(are_turned):
    """The weights equal those of training from scratch on the current decisions."""
    history = make_history(11)
    gone = relevant_before(history, "trade", 8)[::3]
    changed = without_rows(history, trade=gone)
    if are_turned:
        changed = replace(changed, maybe={})
    task, y, model, learned = later(changed, 10, model_store_of(history, 8))
    column = learned.column("trade")
    decided = np.flatnonzero(y[:, column] != NO_WORD)
    X = model.fields.rows(task.tokens[: task.n_past])[decided]
    retrained = cross_fit(METHOD.svms.train_each, X, y[decided][:, [column]], np.arange(len(decided)))
    np.testing.assert_array_equal(np.asarray(learned.weights)[:, column], retrained.weights[:, 0])
    assert (learned.mean[column], learned.spread[column]) == (retrained.mean[0], retrained.spread[0])
    *_, untouched = later(history, 10, model_store_of(history, 8))
    others = [learned.column(report) for report in ("health", "work")]
    now, without = (np.asarray(one.weights)[:, others] for one in (learned, untouched))
    np.testing.assert_array_equal(now, without)


@pytest.mark.usefixtures("models_are_kept")
def test_withdrawing_and_repeating_a_decision_leaves_no_trace():
    history, models = make_history(11), model_store_of(make_history(11), 8)
    before = scores_of(history, 10, models=models)
    changed = scores_of(without_rows(history, work=history.relevant["work"][:3]), 10, models=models)
    assert changed["work", 10] != before["work", 10]
    assert scores_of(history, 10, models=models) == before


@pytest.mark.usefixtures("models_are_kept")
def test_the_order_after_a_withdrawal_is_close_to_that_of_a_full_training():
    history = make_history(11)
    changed = without_rows(history, trade=relevant_before(history, "trade", 8)[::3])
    kept, retrained = scores_of(changed, 10, models=model_store_of(history, 8)), scores_of(changed, 10)
    for key, scores in kept.items():
        assert spearmanr(scores, retrained[key]).statistic > 0.9
