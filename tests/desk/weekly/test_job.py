"""The weekly job: each step runs once a week, even after failures and interruptions."""

from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from presort.data import catalogue
from presort.data.errors import RefusedError
from presort.data.intake.commit_import import commit_import
from presort.data.records import ListedPaper, Paper, Report
from presort.data.running import weekly as log
from presort.data.store import open_store
from presort.desk.service.ranking_run import Progress
from presort.desk.service.weekly_job import sort_steps
from presort.desk.settings import Week
from presort.desk.weekly import steps as weekly_steps
from presort.desk.weekly.job import BUG, PartlyDoneError, SkipStep, Step, WeeklyRun, day_of_week, run
from presort.desk.weekly.steps import STEPS
from tests.clock import Clock
from tests.desk.weekly.conftest import ANN, DEE

pytestmark = pytest.mark.whole


def step(name, do, needs=""):
    return Step(name, do, lambda _: "", needs)


def test_each_step_runs_once_a_week(weekly, inbox):
    ended = weekly.run()
    assert {name: state for name, (state, _) in ended.items()} == {
        "papers": "passed over",
        "rank": "done",
        "tell": "done",
        "send": "done",
        "pages": "passed over",
        "learn": "done",
        "summary": "done",
    }
    assert ended["rank"] == ("done", "12 lists ranked.")
    assert ended["tell"][1].startswith("1 email sent. No email address: Bo (edu). No editor: ")
    assert ended["learn"] == ("done", "40 past lists ranked by krichel-2007 for stop advice.")
    assert {address: len(mails) for address, mails in inbox.got.items()} == {ANN: 1, DEE: 1}
    assert weekly.run() == ended
    again = weekly.run(again=True)
    assert again["rank"] == ("done", "All rankings are up to date.")
    assert again["summary"] == ("done", "The summary was already sent.")
    assert len(inbox.envelopes) == 2


def test_notes_are_not_counted_as_ranked_lists(weekly, monkeypatch):
    of_newest = [Progress(n, 5, "presort-3", "lab", note) for n, note in ((3, ""), (3, "no stored model"), (5, ""))]
    monkeypatch.setattr(weekly_steps.workflow, "rank", lambda *_, **__: iter(of_newest))
    monkeypatch.setattr(weekly_steps, "rank_pending", lambda *_, **__: iter([Progress(2, 2, "presort-3", "mac", "")]))
    assert weekly_steps.rank(weekly.job()) == "7 lists ranked."


def test_a_week_is_a_calendar_week(weekly):
    monday = date(2026, 11, 23)
    assert day_of_week(weekly.store, monday) == monday
    log.begin(weekly.store, monday, "rank")
    assert day_of_week(weekly.store, monday + timedelta(days=6)) == monday
    assert day_of_week(weekly.store, monday + timedelta(days=7)) == monday + timedelta(days=7)


def test_after_a_failed_step_only_dependent_steps_are_skipped(weekly):
    def refuse(_):
        raise RefusedError("The disk is full.")

    def pass_over(_):
        raise SkipStep("Nothing is set.")

    steps = [
        step("papers", refuse),
        step("rank", refuse),
        step("tell", lambda _: "told", needs="rank"),
        step("send", pass_over),
        step("learn", lambda _: "learned", needs="send"),
    ]
    assert weekly.run(steps=steps) == {
        "papers": ("failed", "The disk is full."),
        "rank": ("failed", "The disk is full."),
        "tell": ("passed over", "Skipped because the step 'rank' failed."),
        "send": ("passed over", "Nothing is set."),
        "learn": ("done", "learned"),
    }


def test_repeating_the_command_runs_the_failed_step_and_later_ones(weekly):
    done, fails = [], [True]

    def papers(_):
        if fails.pop():
            raise RefusedError("No network.")
        return "came in"

    steps = [
        step("before", lambda _: done.append("before") or "done"),
        step("papers", papers),
        step("rank", lambda _: done.append("rank") or "sorted"),
    ]
    assert weekly.run(steps=steps)["papers"] == ("failed", "No network.")
    fails.append(False)
    assert weekly.run(steps=steps)["papers"] == ("done", "came in")
    assert done == ["before", "rank", "rank"], "what came in later is sorted, too"
    weekly.run(steps=steps)
    assert done == ["before", "rank", "rank"]


def test_papers_of_one_source_are_ranked_even_if_another_source_fails(weekly):
    done, came = [], [[], ["week.csv: 30 new papers."], []]

    def papers(_):
        message = came.pop()
        raise (PartlyDoneError if message else RefusedError)(" ".join(["No network.", *message]))

    steps = [step("papers", papers), step("rank", lambda _: done.append("rank") or "sorted")]
    assert weekly.run(steps=steps)["papers"] == ("failed", "No network.")
    assert weekly.run(steps=steps)["papers"] == ("failed", "No network. week.csv: 30 new papers.")
    assert done == ["rank", "rank"]
    weekly.run(steps=steps)
    assert done == ["rank", "rank"], "nothing came in since"


@pytest.mark.parametrize("fails", [False, True])
def test_papers_imported_by_another_command_are_ranked_in_the_same_week(weekly, fails):
    def papers(_):
        if fails:
            raise RefusedError("No network.")
        raise SkipStep("No new files.")

    steps = [step("papers", papers), next(one for one in STEPS if one.name == "rank")]
    weekly.run(steps=steps)
    assert weekly.run(steps=steps)["rank"] == ("done", "12 lists ranked.")
    again = [ListedPaper(Paper(f"late{n}", f"Wages that came late {n}"), weekly.newest) for n in range(3)]
    commit_import(weekly.store, again, person="import", file="late.csv")
    assert weekly.run(steps=steps)["rank"] == ("done", "12 lists ranked.")
    known = {one.step: one.began_at for one in log.newest_steps(weekly.store)}
    weekly.run(steps=steps)
    assert known["rank"] == {one.step: one.began_at for one in log.newest_steps(weekly.store)}["rank"], "once"


def test_a_bug_in_a_step_is_logged_and_does_not_stop_other_steps_or_runs(weekly, caplog):
    bugs = [ZeroDivisionError("by Ann Lee")]

    def fall(_):
        if bugs:
            raise bugs.pop()
        return "well"

    steps = [
        step("papers", lambda _: "came in"),
        step("rank", fall),
        step("tell", lambda _: "told", needs="rank"),
        step("send", lambda _: "sent"),
    ]
    ended = weekly.run(steps=steps)
    assert ended["rank"] == ("failed", BUG.format("ZeroDivisionError"))
    assert {name: state for name, (state, _) in ended.items()} == {
        "papers": "done",
        "rank": "failed",
        "tell": "passed over",
        "send": "done",
    }
    (record,) = caplog.records
    assert (record.step, record.exc_info[0]) == ("rank", ZeroDivisionError)
    assert weekly.run(steps=steps)["rank"] == ("done", "well")


def test_after_a_bug_in_the_import_its_papers_are_ranked(weekly):
    done, n_runs = [], []

    def papers(_):
        n_runs.append(1)
        if len(n_runs) == 2:
            raise KeyError("title")
        raise SkipStep("No new files.")

    steps = [step("papers", papers), step("rank", lambda _: done.append("rank") or "sorted")]
    weekly.run(steps=steps)
    assert weekly.run(steps=steps)["papers"][0] == "failed"
    assert done == ["rank", "rank"]


def test_each_step_runs_after_the_clock_was_set_back(weekly):
    steps = [step("rank", lambda _: "sorted")]
    weekly.run(14, steps=steps)
    assert weekly.run(1, steps=steps) == {"rank": ("done", "sorted")}
    assert [one.week for one in log.newest_steps(weekly.store)] == [weekly.newest + timedelta(days=1)]


def test_two_jobs_cannot_run_at_once(weekly):
    with (
        log.weekly_lock(weekly.store),
        pytest.raises(RefusedError, match=r"is already running\. Wait until it has ended"),
        log.weekly_lock(weekly.store),
    ):
        pass
    with log.weekly_lock(weekly.store):
        pass


def test_without_issues_or_reports_ranking_and_training_are_passed_over(empty_store, weekly):
    weekly.store = empty_store
    ended = weekly.run()
    assert {name for name, (state, _) in ended.items() if state == "failed"} == set()
    assert ended["rank"] == ended["learn"] == ("passed over", "There are no issues yet. Import papers first.")
    week = [ListedPaper(Paper("p1", "Wages"), weekly.newest)]
    commit_import(empty_store, week, person="import", file="week.csv")
    ended = weekly.run()
    assert {name for name, (state, _) in ended.items() if state == "failed"} == set()
    assert ended["rank"][0] == ended["learn"][0] == "passed over"
    assert "no reports" in ended["rank"][1]
    catalogue.add_reports(empty_store, [Report("lab", "Labour")])
    assert weekly.run()["rank"][0] == "done", "the same week"


def test_a_plan_changes_nothing(weekly):
    before = weekly.store.database.path.read_bytes()
    planned = {one.name: one.plan(weekly.job()) for one in STEPS}
    assert planned["papers"] == "No source of papers is configured."
    assert "12 lists pending, 12 without a ranking" in planned["rank"]
    assert planned["tell"].startswith(f"Would notify {ANN}. No email address")
    assert planned["summary"] == f"Would send the summary to {DEE}."
    assert weekly.store.database.path.read_bytes() == before
    assert log.newest_steps(weekly.store) == []


def test_learning_names_the_trained_rankers(weekly, monkeypatch):
    monkeypatch.setattr(weekly_steps.workflow, "learn", lambda store, *, n_jobs: ["presort-2"])
    monkeypatch.setattr(weekly_steps, "rank_past", lambda store, *, n_jobs: [])
    assert weekly_steps.learn(weekly.job()) == "Trained ahead of time: presort-2."


def counted(done):
    return [
        step("papers", lambda _: done.append("papers") or "came in"),
        step("rank", lambda _: done.append("rank") or "sorted"),
    ]


def test_after_a_run_with_the_clock_a_year_ahead_each_step_is_done_once_a_week(weekly):
    done = []
    weekly.run(1, steps=counted(done))
    weekly.run(365, steps=counted(done))
    assert len(done) == 4
    for day in (1, 2, 3):
        weekly.run(day, steps=counted(done))
    assert len(done) == 4, "this week was done before the clock was ahead"
    for day in (7, 8, 9):
        weekly.run(day, steps=counted(done))
    assert len(done) == 6
    assert {one.week for one in log.newest_steps(weekly.store)} == {weekly.newest + timedelta(days=7)}


def test_steps_run_with_a_fast_clock_are_repeated_when_that_week_comes(weekly, inbox):
    done = []
    for day in (0, 7, 1, 8, 9):
        weekly.run(day, steps=counted(done))
    assert done == ["papers", "rank"] * 3


def test_the_director_gets_one_summary_a_week_despite_a_wrong_clock(weekly, inbox):
    for day in (0, 7, 1, 9, 8, 7, 15):
        weekly.run(day)
    monday = weekly.newest - timedelta(days=weekly.newest.weekday())
    weeks = [(monday + timedelta(weeks=week)).isoformat() for week in range(3)]
    subjects = [mail["Subject"].removeprefix("Week of ") for mail in inbox.got[DEE]]
    assert [date.fromisoformat(day).isocalendar().week for day in subjects] == [
        date.fromisoformat(day).isocalendar().week for day in weeks
    ]


def test_setting_the_clock_back_between_steps_changes_neither_order_nor_output(weekly, monkeypatch):
    clock = Clock(datetime(2026, 11, 18, 6, tzinfo=UTC)).install(monkeypatch)
    steps = [
        step("papers", lambda _: clock.move(days=-2) or "came in"),
        step("rank", lambda _: clock.move(hours=-1) or "sorted"),
    ]
    steps_done = []
    list(run(weekly.job(), steps, on_done=steps_done.append))
    assert [one.step for one in steps_done] == ["papers", "rank"]
    assert [one.step for one in sort_steps(log.newest_steps(weekly.store))] == ["papers", "rank"]
    steps_done.clear()
    list(run(weekly.job(), steps, on_done=steps_done.append))
    assert steps_done == []


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(-30, 30), max_size=8))
def test_the_steps_run_depend_only_on_the_iso_weeks_of_the_clock(empty_workspace, readings):
    """Compared with a model: a week's steps run once, and again if the clock was in an earlier week since."""
    monday, expected, done = date(2026, 11, 16), set(), []
    with TemporaryDirectory() as folder, closing(open_store(Path(folder))) as store:
        for days in readings:
            today = monday + timedelta(days=days)
            expected = {week for week in expected if week <= today.isocalendar()[:2]}
            is_due = today.isocalendar()[:2] not in expected
            done.clear()
            for _ in range(2):
                job = WeeklyRun(store, day_of_week(store, today), today, Week(), "", None)
                list(run(job, counted(done)))
            assert done == ["papers", "rank"] * is_due
            expected.add(today.isocalendar()[:2])
            assert {one.week.isocalendar()[:2] for one in log.newest_steps(store)} == {today.isocalendar()[:2]}
