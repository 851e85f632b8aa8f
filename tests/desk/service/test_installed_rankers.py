"""Rankers of other packages in a service: the effect of a failure on others, and of uninstalling a ranker."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from sklearn.ensemble import RandomForestClassifier

from presort.data import catalogue
from presort.data.editing.hints import add_hint
from presort.data.editing.pending import SortedBy, pending
from presort.data.errors import BrokenRankerError, RefusedError
from presort.data.learning import rankings
from presort.data.running import service
from presort.desk import settings
from presort.desk.doctor import checks
from presort.desk.review import paper_list
from presort.desk.service import workflow
from presort.desk.service.pending import outdated_issues, rank_pending, ranking_freshness
from presort.desk.service.rankers import installed_recipe, known_rankers_of, recipes_in_use
from presort.desk.service.vectors import available_rankers
from presort.desk.session.progress import ReviewContext, shown_order
from presort.desk.weekly import steps as weekly_steps
from presort.desk.why.answer import Answer, sections
from presort.desk.why.explanation import make_explainer
from presort.ranker import recipe_of
from presort.ranker.versions import RECIPES
from tests.desk.command_line import invoke
from tests.ranker.packages import packages_at, stranger

FAST = RECIPES["krichel-2007"]
BROKEN = "stranger"
FAULT = "The ranker stranger of stranger 1.0 failed: ZeroDivisionError: division by zero."
GONE = replace(FAST, name="gone")


@pytest.fixture
def install(tmp_path_factory, monkeypatch):
    with packages_at(tmp_path_factory.mktemp("beside"), monkeypatch) as install:
        yield install


@pytest.fixture
def unloadable(install):
    """Ranker that fails as soon as it is loaded, without starting a process."""
    install("1 / 0", BROKEN)


@pytest.fixture
def sorted_by_gone(store):
    """The newest issue, ranked by a ranker that is no longer installed."""
    list(workflow.rank(store, [GONE], reports=["lab"]))
    return store


def run(store, *words):
    return invoke(["--workspace", str(store.folder), *words])


def rankers_of(store, issue, report="lab"):
    return set(rankings.newest_rankings(store, report, issue))


# ---- a working ranker


@pytest.mark.whole
def test_an_installed_ranker_ranks_and_explains_like_ours(install, store, newest):
    install(stranger(), BROKEN)
    assert list(available_rankers(store))[-1] == BROKEN
    assert run(store, "rankers").stdout.split()[-1] == BROKEN
    assert run(store, "rankers", "use", BROKEN, "--yes").exit_code == 0
    assert [recipe.name for recipe in recipes_in_use(store)] == [BROKEN]
    made = list(workflow.rank(store, recipes_in_use(store), reports=["lab"]))
    assert [step.ranker for step in made] == [BROKEN]
    ranking = rankings.newest_rankings(store, "lab", newest)[BROKEN].ranking
    lengths = [len(paper.title) for paper in catalogue.papers(store, newest)]
    assert ranking.scores.tolist() == sorted(lengths, reverse=True)
    found = make_explainer(store, RECIPES[BROKEN], newest)
    assert found.is_of(ranking)
    assert found.explain("lab", 1).reasons is None
    assert checks.rankers(store.folder) == ("ok", "From other packages: stranger.")


def test_a_ranker_without_weights_can_not_explain_ranks(store, newest):
    forest = recipe_of("forest", RandomForestClassifier(5, random_state=0))
    why = make_explainer(store, forest, newest).explain("lab", 1)
    here, like = sections(Answer(why, is_of_list=True, terms=()))
    assert list(here.lines) == ["This ranker gives no reasons."]
    assert list(here.detail) == []
    assert len(like.lines) == 3


# ---- a failing ranker


@pytest.mark.whole
def test_other_rankers_continue_and_nothing_of_the_broken_one_is_stored(install, store, newest):
    install(stranger("yield ReportScores(report, scores); 1 / 0"), BROKEN)
    with pytest.raises(BrokenRankerError) as broken:
        list(workflow.rank(store, [RECIPES[BROKEN], FAST], reports=["lab", "mac"]))
    assert (str(broken.value), broken.value.rankers) == (FAULT, (BROKEN,))
    assert rankers_of(store, newest) == rankers_of(store, newest, "mac") == {FAST.name}


@pytest.mark.usefixtures("unloadable")
def test_commands_print_the_results_of_others_before_the_failure(store, listings):
    done = run(store, "rank", "--ranker", BROKEN, "--ranker", FAST.name, "--report", "lab", "--jobs", "1")
    assert done.exit_code == 1
    assert "1 ranking stored." in done.stdout
    assert FAULT in done.stderr.replace("\n", " ")
    days = sorted({one.issue for one in listings})
    span = ["--from", str(days[5]), "--to", str(days[5]), "--report", "lab", "--jobs", "1"]
    done = run(store, "replay", *span, "--ranker", BROKEN, "--ranker", FAST.name)
    assert done.exit_code == 1
    assert "1 report issue of 1 report" in done.stdout
    assert FAST.name in done.stdout
    assert BROKEN not in done.stdout
    assert FAULT in done.stderr.replace("\n", " ")
    for alone in (run(store, "replay", *span, "--ranker", BROKEN), run(store, "rank", "--ranker", BROKEN)):
        assert (alone.exit_code, alone.stdout) == (1, "")


@pytest.mark.whole
@pytest.mark.usefixtures("unloadable")
@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_command_prints_one_line_for_a_failure_and_the_log_has_the_traceback(store, log_format):
    call = [sys.executable, "-m", "presort.desk", "-w", store.folder, "rank", "--ranker", BROKEN, "--report", "lab"]
    environment = {**os.environ, "PYTHONPATH": sys.path[0], "PRESORT_LOG_FORMAT": log_format}
    ran = subprocess.run(call, env=environment, cwd=store.folder, capture_output=True, text=True, check=False)
    *log, line = ran.stderr.splitlines()
    assert (ran.returncode, line) == (1, f"presort: {FAULT}")
    assert ["stranger.py" in json.loads(entry)["error"] for entry in log] == [True] * (log_format == "json")


@pytest.mark.usefixtures("unloadable")
def test_the_weekly_job_continues_unless_the_active_ranker_fails(store):
    service.set_rankers(store, FAST.name, [BROKEN], person="Ann")
    job = SimpleNamespace(store=store, n_jobs=1)
    message = weekly_steps.rank(job)
    assert message.endswith(f"ranked. {FAULT}")
    assert weekly_steps.rank(job) == FAULT
    service.set_rankers(store, BROKEN, [FAST.name], person="Ann")
    with pytest.raises(BrokenRankerError, match="division by zero"):
        weekly_steps.rank(job)


@pytest.mark.usefixtures("unloadable")
def test_a_ranker_that_cannot_be_loaded_is_reported_by_doctor_and_cannot_be_chosen(store):
    assert checks.rankers(store.folder) == ("wrong", FAULT)
    assert BROKEN not in available_rankers(store)
    refused = run(store, "rankers", "use", BROKEN, "--yes")
    assert refused.exit_code == 1
    assert FAULT in refused.stderr.replace("\n", " ")
    assert "presort-2" in run(store, "rankers").stdout


@pytest.mark.usefixtures("unloadable")
def test_a_list_by_a_broken_ranker_says_so(store, newest, monkeypatch, no_cache):
    list(workflow.rank(store, [replace(FAST, name=BROKEN)], reports=["lab"]))
    assert why_of(store, newest, monkeypatch) == ["Why this rank", FAULT]


# ---- an uninstalled ranker


def why_of(store, issue, monkeypatch):
    """Ask the browser's list to explain the rank of the first paper."""
    monkeypatch.setenv(settings.WORKSPACE, str(store.folder))
    (shown,) = rankings.newest_rankings(store, "lab", issue).values()
    papers = catalogue.papers(store, issue)
    context = ReviewContext("lab", issue, papers, shown, shown_order(shown, len(papers)), None)
    section, *_ = paper_list.background_explainer(context)(papers[0].paper_id).result()
    return [section.heading, *section.lines]


def test_lists_of_a_removed_ranker_stay_and_are_re_ranked_by_those_in_use(sorted_by_gone, newest):
    store = sorted_by_gone
    (one,) = [one for one in pending(store, ["lab"], today=newest) if one.issue == newest]
    assert known_rankers_of(store, [one]) == {("lab", newest): {}}
    add_hint(store, "lab", "mute", "wage", person="ann")
    assert outdated_issues(store, [one]) == []
    assert ranking_freshness(store, "lab", newest, one.n_papers, GONE.name) is SortedBy.ALL
    in_its_place = {recipe.name for recipe in recipes_in_use(store, newest)}
    assert {step.ranker for step in rank_pending(store, reports=["lab"])} == in_its_place
    assert rankers_of(store, newest) == {GONE.name} | in_its_place


def test_requesting_a_removed_ranker_says_that_it_is_unknown(sorted_by_gone, newest, monkeypatch, no_cache):
    with pytest.raises(RefusedError, match="ranker gone is not installed: its package was uninstalled"):
        installed_recipe(GONE.name)
    heading, reason = why_of(sorted_by_gone, newest, monkeypatch)
    assert (heading, reason.partition(":")[0]) == ("Why this rank", "The ranker gone is not installed")


def test_ranking_with_a_removed_active_ranker_is_refused_with_advice(store):
    service.set_rankers(store, GONE.name, [], person="Ann")
    with pytest.raises(
        RefusedError, match=r"uses the ranker gone, which is not installed\. .* install the ranker's package"
    ):
        list(workflow.rank(store))


def compare_page():
    from presort.desk.compare import page

    page.show()


def manage_page():
    from presort.desk.manage import page

    page.show()


def overview_page():
    from presort.desk.overview import page

    page.show()


def review_page():
    from presort.desk.review import page

    page.show()


def week_page():
    from presort.desk.week import page

    page.show()


@pytest.fixture
def of_gone(sorted_by_gone, listings):
    """Service whose active ranker is uninstalled, with past issues ranked by it and by another one."""
    service.set_rankers(sorted_by_gone, GONE.name, [FAST.name], person="Ann")
    days = sorted({one.issue for one in listings})
    list(workflow.replay(sorted_by_gone, [GONE, FAST], first=days[1], last=days[-2], retrain_every=9))
    return sorted_by_gone


@pytest.mark.parametrize("page", [compare_page, manage_page, overview_page, review_page, week_page])
def test_pages_work_with_a_removed_ranker(of_gone, open_page, page):
    shown = open_page(page, of_gone, part="rankers", report="lab")
    assert not shown.exception
    if page is manage_page:
        assert shown.selectbox(key="active-ranker").value == GONE.name
    if page is compare_page:
        assert GONE.name in str([text.value for text in (*shown.header, *shown.caption, *shown.markdown)])


def test_a_list_of_a_removed_ranker_is_not_re_ranked_by_it(of_gone, open_plain):
    page = open_plain(review_page, of_gone, report="lab")
    next(button for button in page.button if button.label == "Why is it here?").click().run()
    assert [error.value.partition(":")[0] for error in page.error] == ["The ranker gone is not installed"]
