from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.records import History, Paper
from presort.ranker.experiment import make_runs, plan_runs
from presort.ranker.gather import MIN_RELEVANT, training_rows
from presort.ranker.recipe import Recipe, ReportScores, TrainingLabels
from presort.ranker.versions import RECIPES
from tests.ranker.worlds import SUBJECTS, as_rows, make_history, make_issues

KRICHEL = RECIPES["krichel-2007"]
ALL = [pytest.param(recipe, id=name) for name, recipe in RECIPES.items()]


class Watching:
    """Recipe that records its arguments and scores a paper by its number."""

    def __init__(self):
        self.calls = []

    def score(self, task, reports, n_jobs):
        self.calls.append((task, reports))
        yield ReportScores(reports[0], np.array([float(paper.paper_id[1:]) for paper in task.new]), "watched")


def history_of(words, *, per_issue=10, ids=None):
    """Return the history of one report from its labels: y, n or ?."""
    n_issues = -(-len(words) // per_issue)
    names = ids or range(len(words))
    return History(
        issues=make_issues(n_issues),
        starts=np.minimum(np.arange(n_issues + 1) * per_issue, len(words)),
        papers=[Paper(f"p{name}", "title") for name in names],
        relevant={"trade": as_rows(*(row for row, word in enumerate(words) if word == "y"))},
        maybe={"trade": as_rows(*(row for row, word in enumerate(words) if word == "?"))},
    )


def contents(runs):
    return {
        (run.report, run.number): (run.positions.tolist(), run.n_papers, run.n_trained_on, run.n_trained_relevant)
        for run in runs
    }


def drawn(plan):
    return [held_out.tolist() for held_out in plan.held_out]


@given(st.text("ynnnnn?", min_size=20, max_size=60), st.integers(1, 12), st.integers(0, 99))
def test_held_out_papers_follow_the_rules(words, n_held_out, seed):
    history = history_of(words)
    plan = plan_runs(history, "trade", n_runs=4, n_held_out=n_held_out, seed=seed)
    rows, y = training_rows(history, "trade", len(history.issues))
    assert plan.decided.rows.tolist() == rows.tolist()
    assert plan.decided.y.tolist() == y.tolist()
    assert not any(words[row] == "?" for row in plan.decided.rows)
    assert bool(plan.held_out) is not bool(plan.why_left_out)
    for places in plan.held_out:
        left = np.delete(plan.decided.y, places)
        assert len(places) == len(set(places.tolist())) == n_held_out
        assert plan.decided.y[places].any()
        assert MIN_RELEVANT <= left.sum() < len(left)


@given(st.text("ynnn?", min_size=30, max_size=60), st.integers(1, 9))
def test_a_run_trains_on_all_that_is_not_held_out_and_nothing_else(words, n_held_out):
    history, method = history_of(words), Watching()
    plan = plan_runs(history, "trade", n_runs=2, n_held_out=n_held_out)
    runs = list(make_runs(Recipe("watching", "", method), history, [plan]))
    decided = {history.papers[row].paper_id: y for row, y in zip(*plan.decided, strict=True)}
    for run, (task, reports), places in zip(runs, method.calls, plan.held_out, strict=True):
        past, trained_on, new = task.past, task.decided, task.new
        assert [paper.paper_id for paper in new] == [history.papers[r].paper_id for r in plan.decided.rows[places]]
        assert {paper.paper_id for paper in past} == set(decided) - {paper.paper_id for paper in new}
        assert (reports, list(trained_on)) == (["trade"], ["trade"])
        assert isinstance(trained_on["trade"], TrainingLabels)
        assert len(task.tokens) == len(past) + len(new)
        assert trained_on["trade"].rows.tolist() == list(range(len(past)))
        assert trained_on["trade"].y.tolist() == [decided[paper.paper_id] for paper in past]
        ranked = sorted((int(paper.paper_id[1:]) for paper in new), reverse=True)
        expected = [place for place, number in enumerate(ranked, start=1) if decided[f"p{number}"]]
        assert (run.positions.tolist(), run.n_papers, run.note) == (expected, n_held_out, "watched")
        assert (run.n_trained_on, run.n_trained_relevant) == (len(past), trained_on["trade"].y.sum())


def test_the_draw_is_repeated_until_a_relevant_paper_is_held_out():
    plan = plan_runs(history_of("yyy" + "n" * 197, per_issue=200), "trade", n_runs=20, n_held_out=1)
    assert {int(places[0]) for places in plan.held_out} == {0, 1, 2}


def test_reports_and_runs_do_not_depend_on_other_requested_ones():
    history = make_history()
    together = [plan_runs(history, report, n_runs=5, n_held_out=20, seed=3) for report in SUBJECTS]
    alone = plan_runs(history, "trade", n_runs=3, n_held_out=20, seed=3)
    assert drawn(alone) == drawn(together[list(SUBJECTS).index("trade")])[:3]
    assert len({str(drawn(plan)) for plan in [*together, plan_runs(history, "trade", n_held_out=20, seed=4)]}) == 4
    runs = contents(make_runs(KRICHEL, history, together))
    assert {key: runs[key] for key in runs if key[0] == "trade" and key[1] <= 3} == contents(
        make_runs(KRICHEL, history, [alone])
    )


def test_the_number_of_processes_does_not_matter():
    history = make_history()
    plans = [plan_runs(history, report, n_runs=2, n_held_out=20) for report in SUBJECTS]
    one, two = (contents(make_runs(KRICHEL, history, plans, n_jobs=n_jobs)) for n_jobs in (1, 2))
    assert one == two
    assert len(one) == 6


@pytest.mark.parametrize("recipe", ALL)
def test_an_obvious_case(recipe):
    history = make_history()
    [run] = make_runs(recipe, history, [plan_runs(history, "trade", n_runs=1, n_held_out=30)])
    assert run.positions.tolist() == list(range(1, len(run.positions) + 1))
    assert run.n_trained_on + run.n_papers == len(history.papers)
    assert run.n_trained_relevant + len(run.positions) == len(history.relevant["trade"])


def test_a_paper_of_two_issues_is_one_paper():
    history = history_of("nnynn" + "ynnyn", per_issue=5, ids=[0, 1, 2, 3, 4, 0, 1, 5, 6, 2])
    plan = plan_runs(history, "trade", n_runs=3, n_held_out=3)
    ids = [history.papers[row].paper_id for row in plan.decided.rows]
    assert dict(zip(ids, plan.decided.y.tolist(), strict=True)) == {
        **{"p1": 0, "p2": 1, "p3": 0, "p4": 0},
        **{"p0": 1, "p5": 0, "p6": 1},
    }
    assert len(ids) == 7


def test_ties_and_rankings_without_scores_keep_list_order():
    class Silent:
        def score(self, task, reports, n_jobs):
            yield ReportScores(reports[0], None, "silent")

    class Even:
        def score(self, task, reports, n_jobs):
            yield ReportScores(reports[0], np.zeros(len(task.new)))

    history = history_of("nynnnnynny" * 5)
    plan = plan_runs(history, "trade", n_runs=1, n_held_out=20)
    expected = (np.flatnonzero(plan.decided.y[plan.held_out[0]]) + 1).tolist()
    for method in (Silent(), Even()):
        [run] = make_runs(Recipe("plain", "", method), history, [plan])
        assert run.positions.tolist() == expected


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        pytest.param(
            "yyy" + "n" * 9,
            "12 papers with a decision, but at least 13 are required to hold out 10",
            id="too-few-papers",
        ),
        pytest.param("yy" + "n" * 18, "2 relevant papers, but at least 3 are required", id="too-few-relevant"),
        pytest.param("?" * 20, "0 papers with a decision", id="nothing-but-doubts"),
        pytest.param("y" * 20, "all papers with a decision are relevant", id="everything"),
        pytest.param("y" * 19 + "n", None, id="one-irrelevant-is-enough"),
    ],
)
def test_reports_with_too_little_are_left_out(words, reason):
    plan = plan_runs(history_of(words, per_issue=20), "trade", n_held_out=10)
    assert plan.why_left_out.startswith(reason) if reason else len(plan.held_out) == 10
    assert reason is None or not plan.held_out


def test_the_number_of_draws_is_limited():
    # Of 20,000 papers, 3 are relevant and 3 are left for training. Hardly ever are 2 of these relevant.
    plan = plan_runs(history_of("yyy" + "n" * 19_997, per_issue=20_000), "trade", n_runs=1, n_held_out=19_997)
    assert (plan.why_left_out, plan.held_out) == (
        "no valid split in 1,000 draws: none held out a relevant paper and left enough for training",
        (),
    )


def test_an_unknown_report_is_left_out():
    plan = plan_runs(make_history(), "nobody")
    assert plan.why_left_out == "0 papers with a decision, but at least 303 are required to hold out 300"
    assert list(make_runs(replace(KRICHEL, method=None), make_history(), [plan])) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"n_runs": 0}, "n_runs must be at least 1, got 0", id="no-run"),
        pytest.param({"n_held_out": 0}, "n_held_out must be at least 1, got 0", id="nothing-held-out"),
        pytest.param({"seed": -1}, "seed must be at least 0, got -1", id="negative-seed"),
    ],
)
def test_wrong_numbers_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        plan_runs(make_history(), "trade", **options)
