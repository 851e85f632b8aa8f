import os
import random
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from presort.data.records import Paper
from presort.ranker.gather import MIN_RELEVANT
from presort.ranker.published.separate import NOT_CONVERGED, SeparateReports
from presort.ranker.recipe import Recipe
from presort.ranker.train import TOO_FEW, rank_block
from presort.ranker.versions import RECIPES
from presort.ranker.versions.krichel_2007 import make_features
from tests.ranker.worlds import SUBJECTS, as_rows, make_history, make_issues, make_paper, with_tokens

KRICHEL = RECIPES["krichel-2007"]
ALL = [pytest.param(recipe, id=name) for name, recipe in RECIPES.items()]
REPORTS = list(SUBJECTS)


def contents(ranked):
    return {
        (one.report, one.issue_index): (one.order.tolist(), one.scores.tolist(), one.n_trained_on, one.note, one.words)
        for one in ranked
    }


@pytest.mark.parametrize("recipe", ALL)
def test_an_obvious_case(recipe):
    history = make_history()
    for one in rank_block(recipe, history, 4, 6, REPORTS):
        start = history.starts[one.issue_index]
        is_relevant = np.isin(one.order + start, history.relevant[one.report])
        assert np.flatnonzero(is_relevant).max() + 1 == is_relevant.sum()
        assert sorted(one.order) == list(range(20))
        assert (np.diff(one.scores) <= 0).all()
        assert (one.ranker, one.trained_before, one.note) == (recipe.name, 4, "")
        assert one.n_relevant == (history.relevant[one.report] < start).sum() or one.issue_index == 5
        assert one.n_trained_on == 80


@pytest.mark.parametrize("kept", [lambda history: history, with_tokens], ids=["no-tokens", "kept-tokens"])
@pytest.mark.parametrize("recipe", ALL)
def test_later_data_does_not_change_a_ranking(recipe, kept):
    history = make_history(seed=1)
    n_seen = history.starts[5]  # issue 4 is ranked
    rng = random.Random(2)
    papers = [*history.papers[:n_seen], *(make_paper(1000 + row, "work", rng) for row in range(20))]
    rng.shuffle(papers[n_seen:])
    relevant = {
        report: np.concatenate([rows[rows < history.starts[4]], as_rows(*sorted(rng.sample(range(80, 120), 15)))])
        for report, rows in history.relevant.items()
    }
    altered = kept(replace(history, papers=papers, relevant=relevant, maybe={"trade": as_rows(81, 101)}))
    expected = contents(rank_block(recipe, history, 4, 5, REPORTS))
    assert contents(rank_block(recipe, altered, 4, 5, REPORTS)) == expected
    # nor do the other issues ranked with it, except for the highlighted words, which depend on all of them
    together = contents(rank_block(recipe, altered, 4, 6, REPORTS))
    assert {key: one[:-1] for key, one in together.items() if key[1] == 4} == {
        key: one[:-1] for key, one in expected.items()
    }


@pytest.mark.parametrize("recipe", ALL)
def test_earlier_data_changes_a_ranking(recipe):
    history = make_history(seed=1)
    swapped = replace(history, relevant={**history.relevant, "trade": history.relevant["health"]})
    assert contents(rank_block(recipe, history, 4, 5, ["trade"])) != contents(
        rank_block(recipe, swapped, 4, 5, ["trade"])
    )


@pytest.mark.parametrize(
    "n_relevant",
    [pytest.param(0, id="none"), pytest.param(MIN_RELEVANT - 1, id="one-too-few")],
)
def test_too_few_relevant_papers_keep_list_order(n_relevant):
    history = make_history()
    few = replace(history, relevant={"trade": history.relevant["trade"][:n_relevant]})
    [one] = rank_block(KRICHEL, few, 4, 5, ["trade"])
    assert one.order.tolist() == list(range(20))
    assert one.order.dtype == np.int32
    assert (len(one.scores), one.n_relevant, one.n_trained_on, one.note) == (0, n_relevant, 0, TOO_FEW)


def test_just_enough_relevant_papers_suffice_for_a_ranking():
    history = make_history()
    enough = replace(history, relevant={"trade": history.relevant["trade"][:MIN_RELEVANT]})
    [one] = rank_block(KRICHEL, enough, 4, 5, ["trade"])
    assert (len(one.scores), one.note) == (20, "")


def test_an_editor_who_selects_everything_keeps_list_order():
    history = replace(make_history(), relevant={"all": np.arange(120)})
    [one] = rank_block(KRICHEL, history, 4, 5, ["all"])
    assert (one.order.tolist(), one.note) == (list(range(20)), TOO_FEW)


@pytest.mark.parametrize("first", [pytest.param(0, id="no-earlier-issue"), pytest.param(3, id="unknown-report")])
def test_an_unknown_report_needs_no_features(first):
    [one] = rank_block(
        replace(KRICHEL, method=replace(KRICHEL.method, make_features=pytest.fail)),
        make_history(),
        first,
        first + 1,
        ["nobody"],
    )
    assert (one.report, one.n_relevant, one.note) == ("nobody", 0, TOO_FEW)


@pytest.mark.parametrize("recipe", ALL)
def test_ties_keep_list_order(recipe):
    history = make_history(3, 300)
    twins = [Paper("good", "tariff export", "quota"), Paper("bad", "hospital nurse", "vaccine")] * 150
    [one] = rank_block(recipe, replace(history, papers=[*history.papers[:600], *twins]), 2, 3, ["trade"])
    assert one.order.tolist() == [*range(0, 300, 2), *range(1, 300, 2)]
    assert len(set(one.scores)) == 2


@pytest.mark.parametrize("recipe", ALL)
def test_papers_without_abstract_or_any_text(recipe):
    history = make_history()
    papers = [replace(paper, abstract="") if row % 2 else paper for row, paper in enumerate(history.papers)]
    papers[5] = papers[100] = Paper("empty", "")
    for one in rank_block(recipe, replace(history, papers=papers), 5, 6, REPORTS):
        assert np.isfinite(one.scores).all()


@pytest.mark.parametrize("recipe", ALL)
def test_a_history_of_empty_papers(recipe):
    history = replace(make_history(2), papers=[Paper("empty", "")] * 40)
    for one in rank_block(recipe, history, 1, 2, REPORTS):
        assert one.order.tolist() == list(range(20))


@pytest.mark.parametrize("recipe", ALL)
def test_empty_issues(recipe):
    history = make_history()
    history = replace(history, issues=make_issues(8), starts=np.array([0, 20, 20, 40, 60, 60, 80, 100, 120]))
    ranked = list(rank_block(recipe, history, 4, 6, REPORTS)) + list(rank_block(recipe, history, 4, 5, REPORTS))
    assert [len(one.order) for one in ranked if one.issue_index == 4] == [0] * 6
    assert [len(one.scores) for one in ranked if one.issue_index == 5] == [20] * 3


def test_the_note_reports_an_unconverged_training():
    stopped = Recipe(
        "stopped", "Gives up at once.", SeparateReports(make_features, partial(LinearSVC, loss="hinge", max_iter=1))
    )
    notes = {one.note for one in rank_block(stopped, make_history(), 5, 6, REPORTS)}
    assert notes == {NOT_CONVERGED}


@pytest.mark.whole
@pytest.mark.parametrize("recipe", ALL)
def test_the_number_of_processes_does_not_matter(recipe):
    history = make_history()
    alone = contents(rank_block(recipe, history, 3, 6, [*REPORTS, "nobody"]))
    assert contents(rank_block(recipe, history, 3, 6, [*REPORTS, "nobody"], n_jobs=2)) == alone


def test_the_issues_of_a_report_are_consecutive():
    ranked = rank_block(KRICHEL, make_history(), 3, 6, REPORTS, n_jobs=2)
    pairs = [(one.report, one.issue_index) for one in ranked]
    reports = list(dict.fromkeys(report for report, _ in pairs))
    assert pairs == [(report, issue) for report in reports for issue in (3, 4, 5)]


def test_one_job_trains_lazily_in_this_process():
    trained_in = []

    class Watched(LinearSVC):
        def fit(self, X, y):
            trained_in.append(os.getpid())
            return super().fit(X, y)

    watched = replace(KRICHEL, method=replace(KRICHEL.method, make_classifier=Watched))
    ranked = rank_block(watched, make_history(), 5, 6, REPORTS)
    next(ranked)
    assert trained_in == [os.getpid()]
    ranked.close()


def test_stopping_early_leaves_no_process():
    ranked = rank_block(KRICHEL, make_history(), 5, 6, REPORTS * 5, n_jobs=2)
    next(ranked)
    ranked.close()
    assert len(list(rank_block(KRICHEL, make_history(), 5, 6, REPORTS, n_jobs=2))) == 3


@pytest.mark.parametrize(
    ("first", "last"),
    [
        pytest.param(-1, 2, id="before-the-first"),
        pytest.param(2, 2, id="nothing"),
        pytest.param(2, 7, id="after-the-last"),
    ],
)
def test_missing_issues_are_refused(first, last):
    with pytest.raises(ValueError, match="first and last must satisfy 0 <= first < last <= 6"):
        rank_block(KRICHEL, make_history(), first, last, REPORTS)
