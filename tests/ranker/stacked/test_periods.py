"""Use of a stored model for the issues of its period, and for decisions made meanwhile."""

import json
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from presort.data.records import Model, Paper
from presort.ranker.recipe import MemoryModelStore
from presort.ranker.stacked.cold_start import ColdStart
from presort.ranker.train import learn_ahead, rank_block, replay
from tests.ranker.stacked.model_stores import (
    RECIPE,
    REPORTS,
    Files,
    later,
    model_store_of,
    relevant_before,
    scores_of,
    with_decisions,
)
from tests.ranker.worlds import as_rows, listed_scores, make_history, with_tokens

pytestmark = pytest.mark.whole

EARLY = replace(RECIPE, method=replace(RECIPE.method, cold_start=ColdStart(1, 1, train_early_from=4)))


@pytest.mark.usefixtures("models_are_kept")
@pytest.mark.parametrize("kept", [lambda history: history, with_tokens], ids=["no-tokens", "kept-tokens"])
def test_a_stored_model_gives_the_same_scores_as_a_new_one(kept):
    history, models = kept(make_history(18)), Files()
    for first in (8, 9, 12, 15):
        assert scores_of(history, first, models=models) == scores_of(history, first)
    assert models.n_kept == 1
    with_model_of_8 = scores_of(history, 17, models=models)  # ranking doesn't wait for another model
    assert models.n_kept == 1
    assert learn_ahead(RECIPE, history, REPORTS, models=models, before=17)
    assert not learn_ahead(RECIPE, history, REPORTS, models=models, before=17)
    assert models.n_kept == 2
    assert scores_of(history, 17, models=models) == scores_of(history, 17) != with_model_of_8
    assert scores_of(history, 10, models=models) == scores_of(history, 10)
    assert {day for _, day in models.files} == {history.issues[8], history.issues[16]}


@pytest.mark.usefixtures("models_are_kept")
def test_a_report_that_has_taken_back_everything_is_kept_in_list_order():
    history, models = make_history(11), model_store_of(make_history(11), 8)
    found = scores_of(with_decisions(history, work=as_rows()), 10, models=models)
    assert found["work", 10] == []
    assert len(found["trade", 10]) == 20


@pytest.mark.usefixtures("models_are_kept")
@pytest.mark.parametrize(
    ("other", "n_kept"),
    [
        pytest.param(
            lambda history: replace(history, papers=[history.papers[1], history.papers[0], *history.papers[2:]]),
            1,
            id="order",
        ),
        pytest.param(
            lambda history: replace(history, papers=[Paper("new", "Old money"), *history.papers[1:]]), 2, id="paper"
        ),
        pytest.param(lambda history: with_decisions(history, work=as_rows()), 1, id="fewer-reports"),
        pytest.param(lambda history: with_decisions(history, more=history.relevant["work"]), 1, id="more-reports"),
    ],
)
def test_only_a_model_of_deleted_papers_is_unusable(other, n_kept):
    history, models = make_history(11), Files()
    scores_of(history, 10, models=models)
    scores_of(other(history), 10, models=models, reports=["trade"])
    assert models.n_kept == n_kept


@pytest.mark.usefixtures("models_are_kept")
def test_papers_that_join_an_issue_of_the_model_are_learned_on_top():
    history = make_history(11)
    less = np.delete(np.arange(len(history.papers)), [3, 47])
    was = replace(
        history,
        papers=[history.papers[row] for row in less],
        starts=np.searchsorted(less, history.starts),
        relevant={report: np.flatnonzero(np.isin(less, rows)) for report, rows in history.relevant.items()},
    )
    task, y, model, learned = later(history, 10, model_store_of(was, 8))
    assert len(model.y) == history.starts[8] - 2
    assert len(learned.past_topics) == len(y) == history.starts[10]
    expected = learned.topics.of(learned.fields.rows(task.tokens[: task.n_past]))
    np.testing.assert_allclose(learned.past_topics, expected, atol=1e-5)


@pytest.mark.usefixtures("models_are_kept")
@pytest.mark.parametrize(
    ("n_before", "n_since"),
    [
        pytest.param(0, 2, id="its-first-ones"),
        pytest.param(1, 1, id="its-second"),
        pytest.param(3, 4, id="more-than-twice-as-many"),
    ],
)
def test_a_new_report_is_added_to_a_model_by_a_cold_start(n_before, n_since):
    history, models = make_history(11), Files()
    relevant = history.relevant["trade"]
    since = relevant[(relevant >= history.starts[8]) & (relevant < history.starts[10])][:n_since]
    assert len(since) == n_since
    grown = with_decisions(history, trade=np.concatenate([relevant[:n_before], since]))
    found = scores_of(grown, 10, models=models)
    assert models.n_kept == 1
    assert not learn_ahead(RECIPE, grown, REPORTS, models=models, before=10)
    is_trade = np.isin(np.arange(history.starts[10], history.starts[11]), relevant)
    of_trade = np.array(found["trade", 10])
    assert (np.subtract.outer(of_trade[is_trade], of_trade[~is_trade]) > 0).mean() > 0.9
    enough = with_decisions(history, trade=np.concatenate([relevant[:4], since]))
    scores_of(enough, 10, models=models)
    assert models.n_kept == 1


@pytest.mark.usefixtures("models_are_kept")
def test_a_cold_start_changes_no_other_report():
    history, models = make_history(11), Files()
    known = with_decisions(history, trade=as_rows())
    before = scores_of(known, 10, models=models)
    after = scores_of(with_decisions(history, trade=history.relevant["trade"][-9:-5]), 10, models=models)
    assert {key: scores for key, scores in after.items() if key[0] != "trade"} == {
        key: scores for key, scores in before.items() if key[0] != "trade"
    }


@pytest.mark.usefixtures("models_are_kept")
def test_a_model_of_all_earlier_issues_is_due_if_most_reports_are_new():
    history, models = make_history(11), model_store_of(make_history(11), 8)
    later_ones = {
        f"new {number}": rows[rows >= history.starts[8]] for number, rows in enumerate(history.relevant.values())
    }
    begun = with_decisions(history, **later_ones)
    reports = [*REPORTS, *later_ones]
    assert learn_ahead(RECIPE, begun, reports, models=models, before=10)
    assert max(day for _, day in models.files) == history.issues[10]
    assert not learn_ahead(RECIPE, begun, reports, models=models, before=10)


def new_report(history, n_since, n_of_model=0):
    """Add a report with relevant papers before issue 8, the first issue of the period, and from issue 8 on."""
    work, start = history.relevant["work"], history.starts[8]
    rows = np.concatenate([work[work < start][:n_of_model], work[work >= start][:n_since]])
    return with_decisions(history, new=rows)


@pytest.mark.usefixtures("models_are_kept")
@pytest.mark.parametrize(
    ("n_since", "n_of_model", "is_due"),
    [
        pytest.param(4, 0, True, id="new"),
        pytest.param(3, 0, False, id="too-few"),
        pytest.param(3, 2, True, id="more-than-twice-as-many"),
        pytest.param(2, 2, False, id="twice-as-many"),
    ],
)
def test_a_model_is_trained_early_for_a_new_report(n_since, n_of_model, is_due):
    history, models = new_report(make_history(11), n_since, n_of_model), Files()
    reports = [*REPORTS, "new"]
    assert learn_ahead(EARLY, history, reports, models=models, before=8)
    assert learn_ahead(EARLY, history, reports, models=models, before=10) == is_due
    assert not learn_ahead(EARLY, history, reports, models=models, before=10)
    assert not learn_ahead(RECIPE, history, reports, models=model_store_of(history, 8), before=10)
    listed = listed_scores(rank_block(EARLY, history, 10, 11, reports, models=models))
    assert listed == listed_scores(rank_block(EARLY, history, 10, 11, reports, models=Files()))


@pytest.mark.usefixtures("models_are_kept")
def test_a_model_is_retrained_after_late_decisions_on_its_papers():
    history, models = make_history(11), model_store_of(make_history(11), 8)
    late = with_decisions(history, new=relevant_before(history, "work", 8)[:4])
    assert learn_ahead(EARLY, late, [*REPORTS, "new"], models=models, before=10)
    assert {day for _, day in models.files} == {history.issues[8]}
    assert not learn_ahead(EARLY, late, [*REPORTS, "new"], models=models, before=10)


@pytest.mark.usefixtures("models_are_kept")
def test_late_decisions_replace_a_model_that_was_trained_early():
    history, models = new_report(make_history(11), 5), Files()
    assert learn_ahead(EARLY, history, [*REPORTS, "new"], models=models, before=10)
    late = with_decisions(history, new=relevant_before(history, "work", 10))
    days = {day for _, day in models.files}
    assert learn_ahead(EARLY, late, [*REPORTS, "new"], models=models, before=10)
    assert {day for _, day in models.files} == days
    assert not learn_ahead(EARLY, late, [*REPORTS, "new"], models=models, before=10)


@pytest.mark.usefixtures("models_are_kept")
@pytest.mark.parametrize("recipe", [RECIPE, EARLY], ids=["whole-periods", "early"])
def test_only_a_model_trained_within_a_period_is_marked_as_early(recipe):
    history, models = new_report(make_history(11), 5), Files()
    for before in (8, 10):
        learn_ahead(recipe, history, [*REPORTS, "new"], models=models, before=before)
    are_early = {day: json.loads(trained_on)["early"] for (_, day), (trained_on, _) in models.files.items()}
    days = history.issues[8], history.issues[9]
    assert are_early == ({days[0]: False} if recipe is RECIPE else {days[0]: False, days[1]: True})


@pytest.mark.usefixtures("models_are_kept")
def test_a_resumed_replay_trains_at_the_same_issues():
    history = new_report(make_history(14), 9)
    reports = [*REPORTS, "new"]
    whole, resumed = (
        listed_scores(replay(EARLY, history, first, 14, reports=reports, models=MemoryModelStore()))
        for first in (9, 12)
    )
    assert {key: scores for key, scores in whole.items() if key[1] >= 12} == resumed


def test_with_few_papers_every_ranking_trains_from_scratch():
    models = Files()
    for first in (8, 9):
        scores_of(make_history(10), first, models=models)
    assert models.n_kept == 0


@pytest.mark.usefixtures("models_are_kept")
def test_a_model_does_not_depend_on_the_number_of_processes():
    history = make_history(11)
    with threadpool_limits(2):  # the order of summation may differ, too
        alone = listed_scores(rank_block(RECIPE, history, 10, 11, REPORTS))
    assert listed_scores(rank_block(RECIPE, history, 10, 11, REPORTS, n_jobs=2)) == alone


@pytest.mark.usefixtures("models_are_kept")
def test_stored_models_leak_no_later_data_into_a_ranking():
    history, models = make_history(20), Files()
    own_and_later = np.arange(history.starts[10], 400)
    papers = [*history.papers[: history.starts[11]], *make_history(9, seed=5).papers]
    altered = replace(
        with_tokens(replace(history, papers=papers)),
        relevant={
            report: np.sort(np.concatenate([relevant_before(history, report, 10), own_and_later[place::3]]))
            for place, report in enumerate(REPORTS)
        },
        maybe={"trade": own_and_later[1::4]},
    )
    expected = scores_of(history, 10)
    for first in (12, 15, 18):  # their models use more data, or belong to the same period
        learn_ahead(RECIPE, altered, REPORTS, models=models, before=first)
        scores_of(altered, first, models=models)
        assert scores_of(altered, 10, models=models) == expected


@pytest.mark.usefixtures("models_are_kept")
def test_a_replay_shares_models_and_ranks_as_if_each_were_new():
    history = make_history(20)
    walked = listed_scores(replay(RECIPE, history, 9, 20, reports=REPORTS, retrain_every=3, models=MemoryModelStore()))
    expected = {}
    for first, last in ((9, 12), (12, 15), (15, 18), (18, 20)):
        expected |= listed_scores(rank_block(RECIPE, history, first, last, REPORTS))
    assert walked == expected


def test_the_store_in_memory_keeps_the_last_model_of_each_ranker():
    def model(ranker, month):
        return Model(ranker, 1, {}, date(2024, month, 1), {}, {})

    models = MemoryModelStore()
    first, second, other = model("a", 1), model("a", 2), model("b", 1)
    for one in (first, other, second):
        models.keep(one)
    assert models.find("a", date(2024, 2, 1), 1, {}) is second
    assert models.find("b", date(2024, 1, 1), 1, {}) is other
    assert models.find("a", date(2024, 1, 1), 1, {}) is None
    assert models.find("c", date(2024, 1, 1), 1, {}) is None
