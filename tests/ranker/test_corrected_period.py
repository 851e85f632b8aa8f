"""What a model that was kept does, for the issues of its period and what is decided meanwhile."""

import io
import json
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from data.records import Model, Paper
from ranker import corrected
from ranker.authors import written_by
from ranker.corrected import _labels, inputs_of_new
from ranker.evidence import evidence_of_new
from ranker.gather import gather
from ranker.recipe import KeptInMemory
from ranker.replay import replay
from ranker.train import rank_block
from ranker.versions import RECIPES
from tests.ranker.worlds import SUBJECTS, as_rows, listed_scores, make_history, with_tokens

RECIPE = RECIPES["presort-1"]
METHOD = RECIPE.method
REPORTS = list(SUBJECTS)


class Files:
    """A shelf that keeps what could stand in a file, and counts."""

    def __init__(self):
        self.n_kept, self.files = 0, {}

    def find(self, ranker, trained_before, layout, settings):
        if (ranker, trained_before) not in self.files:
            return None
        trained_on, arrays = self.files[ranker, trained_before]
        arrays.seek(0)
        return Model(
            ranker, layout, settings, trained_before, json.loads(trained_on), dict(np.load(arrays, allow_pickle=False))
        )

    def keep(self, model):
        arrays = io.BytesIO()
        np.savez(arrays, **model.arrays)
        self.n_kept += 1
        self.files[model.ranker, model.trained_before] = json.dumps(model.trained_on), arrays


@pytest.fixture
def models_are_kept(monkeypatch):
    monkeypatch.setattr(corrected, "FEW_PAPERS", 0)


def scores_of(history, first, *, shelf=None, reports=REPORTS):
    return listed_scores(rank_block(RECIPE, history, first, first + 1, reports, shelf=shelf or Files()))


def relevant_before(history, report, issue):
    rows = history.relevant[report]
    return rows[rows < history.starts[issue]]


def learned_for(history, first):
    """Give what stands learned when an issue is ranked."""
    task = gather("any", history, first, first + 1, REPORTS, {}, Files()).task
    y = _labels(task)
    learned = METHOD.learned(task, y, 1)
    return task, y, learned, METHOD.up_to_date(learned, task, y)


def told(history, **relevant):
    """Change what reports found relevant."""
    return replace(history, relevant={**history.relevant, **relevant})


@pytest.mark.usefixtures("models_are_kept")
@pytest.mark.parametrize("kept", [lambda history: history, with_tokens], ids=["no-tokens", "kept-tokens"])
def test_a_model_from_the_shelf_gives_the_same_scores_as_one_made_anew(kept):
    history, shelf = kept(make_history(18)), Files()
    for first in range(8, 16):
        assert scores_of(history, first, shelf=shelf) == scores_of(history, first)
    assert shelf.n_kept == 1
    assert scores_of(history, 17, shelf=shelf) == scores_of(history, 17)
    assert shelf.n_kept == 2
    assert scores_of(history, 10, shelf=shelf) == scores_of(history, 10)
    assert {day for _, day in shelf.files} == {history.issues[8], history.issues[16]}


@pytest.mark.usefixtures("models_are_kept")
def test_a_model_and_what_was_decided_since_sort_an_obvious_case():
    history = make_history(16)
    for one in rank_block(RECIPE, history, 12, 16, REPORTS):
        is_relevant = np.isin(one.order + history.starts[one.issue_index], history.relevant[one.report])
        assert np.flatnonzero(is_relevant).max() + 1 == is_relevant.sum()


@pytest.mark.usefixtures("models_are_kept")
def test_what_was_decided_since_a_model_is_learned():
    history, shelf = make_history(11), Files()
    before = relevant_before(history, "trade", 8)
    swapped = history.relevant["health"]
    changed = told(history, trade=np.concatenate([before, swapped[swapped >= history.starts[8]]]))
    plain, moved = (scores_of(one, 10, shelf=shelf) for one in (history, changed))
    assert shelf.n_kept == 1
    of_health = np.isin(np.arange(history.starts[10], history.starts[11]), swapped)
    gains = np.array(moved["trade", 10]) - plain["trade", 10]
    assert gains[of_health].mean() > gains[~of_health].mean()


@pytest.mark.usefixtures("models_are_kept")
def test_what_a_model_knew_is_not_learned_again():
    history = make_history(11)
    before = told(history, **{report: relevant_before(history, report, 8) for report in REPORTS})
    for one, is_moved in ((before, False), (history, True)):
        _, _, learned, later = learned_for(one, 10)
        assert (later.weights != learned.weights).any() == is_moved
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
    written = written_by(task.tokens.authors, known)
    past, new = slice(0, task.n_past), slice(task.n_past, None)
    topics = learned.topics.of(learned.fields.rows(task.tokens))
    expected = evidence_of_new(topics[new], written[new], topics[past], written[past], y)
    np.testing.assert_allclose(inputs, np.hstack([of_new, expected]), atol=1e-5)
    assert len(inputs) == 20


@pytest.mark.usefixtures("models_are_kept")
def test_decisions_that_come_late_on_issues_before_the_model_are_learned():
    history, shelf = make_history(11), Files()
    by_issue = np.searchsorted(history.starts, np.arange(len(history.papers)), side="right") - 1
    goods = np.sort(np.concatenate([history.relevant["trade"], history.relevant["health"]]))
    in_time = history.relevant["trade"][np.isin(by_issue[history.relevant["trade"]], [0, 1, 2, 3])]
    late = goods[np.isin(by_issue[goods], [4, 5, 6, 7])]
    early = told(history, goods=in_time)
    reports = [*REPORTS, "goods"]
    before = scores_of(early, 10, shelf=shelf, reports=reports)
    after = scores_of(told(history, goods=np.concatenate([in_time, late])), 10, shelf=shelf, reports=reports)
    assert shelf.n_kept == 1
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
def test_a_decision_that_was_turned_around_since_is_learned():
    history, shelf = make_history(11), Files()
    scores_of(history, 10, shelf=shelf)
    wage = [row for row, paper in enumerate(history.papers) if "wage" in f"{paper.title} {paper.abstract}"]
    fewer = told(history, work=np.setdiff1d(history.relevant["work"], wage))
    plain, turned = (scores_of(one, 10, shelf=shelf)["work", 10] for one in (history, fewer))
    assert shelf.n_kept == 1
    has_wage = np.isin(np.arange(history.starts[10], history.starts[11]), wage)
    losses = np.array(plain) - turned
    assert losses[has_wage].mean() > losses[~has_wage].mean()


@pytest.mark.usefixtures("models_are_kept")
def test_examples_are_learned_on_top_of_a_model():
    history, shelf = make_history(11), Files()
    examples = [Paper("seed 1", "Hospital nurse", "patient disease vaccine doctor")] * 20
    seeded = replace(history, seeds={"trade": examples})
    plain, moved = (np.array(scores_of(one, 10, shelf=shelf)["trade", 10]) for one in (history, seeded))
    assert shelf.n_kept == 1
    of_health = np.isin(np.arange(history.starts[10], history.starts[11]), history.relevant["health"])
    assert (moved - plain)[of_health].min() > (moved - plain)[~of_health].max()


@pytest.mark.usefixtures("models_are_kept")
@pytest.mark.parametrize(
    "other",
    [
        pytest.param(
            lambda history: replace(history, papers=[history.papers[1], history.papers[0], *history.papers[2:]]),
            id="order",
        ),
        pytest.param(
            lambda history: replace(history, papers=[Paper("new", "Old money"), *history.papers[1:]]), id="paper"
        ),
        pytest.param(lambda history: told(history, work=as_rows()), id="fewer-reports"),
        pytest.param(lambda history: told(history, more=history.relevant["work"]), id="more-reports"),
    ],
)
def test_other_papers_or_reports_make_another_model(other):
    history, shelf = make_history(11), Files()
    scores_of(history, 10, shelf=shelf)
    assert scores_of(other(history), 10, shelf=shelf, reports=["trade"]) == scores_of(
        other(history), 10, reports=["trade"]
    )
    assert shelf.n_kept == 2


@pytest.mark.parametrize(
    ("n_before", "n_since"),
    [
        pytest.param(0, 2, id="its-first-ones"),
        pytest.param(1, 1, id="its-second"),
        pytest.param(3, 4, id="more-than-twice-as-many"),
    ],
)
def test_a_report_that_has_grown_is_learned_anew(n_before, n_since, monkeypatch):
    history, shelf = make_history(11), Files()
    relevant = history.relevant["trade"]
    since = relevant[(relevant >= history.starts[8]) & (relevant < history.starts[10])][:n_since]
    assert len(since) == n_since
    grown = told(history, trade=np.concatenate([relevant[:n_before], since]))
    of_all = scores_of(grown, 10)
    monkeypatch.setattr(corrected, "FEW_PAPERS", 0)
    assert scores_of(grown, 10, shelf=shelf) == of_all
    assert shelf.n_kept == 0
    enough = told(history, trade=np.concatenate([relevant[:4], since]))
    scores_of(enough, 10, shelf=shelf)
    assert shelf.n_kept == 1


def test_few_papers_are_learned_anew():
    shelf = Files()
    for first in (8, 9):
        scores_of(make_history(10), first, shelf=shelf)
    assert shelf.n_kept == 0


@pytest.mark.usefixtures("models_are_kept")
def test_a_model_is_made_in_any_number_of_processes_alike():
    history = make_history(11)
    alone, together = (listed_scores(rank_block(RECIPE, history, 10, 11, REPORTS, n_jobs=n_jobs)) for n_jobs in (1, 2))
    assert together == alone


@pytest.mark.usefixtures("models_are_kept")
def test_the_future_does_not_move_a_ranking_by_way_of_the_shelf():
    history, shelf = make_history(20), Files()
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
    for first in (12, 15, 18):  # whose models see more, or are those of the same period
        scores_of(altered, first, shelf=shelf)
        assert scores_of(altered, 10, shelf=shelf) == expected


@pytest.mark.usefixtures("models_are_kept")
def test_a_replay_shares_models_and_ranks_as_if_each_were_new():
    history = make_history(20)
    walked = listed_scores(replay(RECIPE, history, 9, 20, reports=REPORTS, retrain_every=3, shelf=KeptInMemory()))
    expected = {}
    for first, last in ((9, 12), (12, 15), (15, 18), (18, 20)):
        expected |= listed_scores(rank_block(RECIPE, history, first, last, REPORTS))
    assert walked == expected


def test_memory_keeps_the_last_model_of_each_ranker():
    def model(ranker, month):
        return Model(ranker, 1, {}, date(2024, month, 1), {}, {})

    shelf = KeptInMemory()
    first, second, other = model("a", 1), model("a", 2), model("b", 1)
    for one in (first, other, second):
        shelf.keep(one)
    assert shelf.find("a", date(2024, 2, 1), 1, {}) is second
    assert shelf.find("b", date(2024, 1, 1), 1, {}) is other
    assert shelf.find("a", date(2024, 1, 1), 1, {}) is None
    assert shelf.find("c", date(2024, 1, 1), 1, {}) is None
