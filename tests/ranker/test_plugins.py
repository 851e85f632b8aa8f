"""Rankers of installed packages: working ones, and every kind of failure."""

import numpy as np
import pytest

from presort.data.errors import BrokenRankerError
from presort.ranker.experiment import make_runs, plan_runs
from presort.ranker.gather import gather
from presort.ranker.parallel import end_workers, use_workers
from presort.ranker.plugin_guard import BrokenPlugin, Failure, attempt
from presort.ranker.recipe import MemoryModelStore, Reason, Similar
from presort.ranker.train import rank_block
from presort.ranker.versions import OURS, RECIPES, find_recipe
from tests.ranker.packages import packages_at, stranger
from tests.ranker.worlds import listed_scores, make_history

HISTORY = make_history(4, 8)
NAME = "stranger"
OF_PACKAGE = "The ranker stranger of stranger 1.0"


@pytest.fixture
def install(tmp_path, monkeypatch):
    with packages_at(tmp_path, monkeypatch) as install:
        yield install


def task_of(n_issues=4):
    return gather(NAME, HISTORY, n_issues - 1, n_issues, ["trade", "work"], {}, MemoryModelStore()).task


def ranked(n_jobs=1):
    return list(rank_block(RECIPES[NAME], HISTORY, 3, 4, ["trade", "work"], n_jobs=n_jobs))


# ---- a working ranker


@pytest.mark.whole
def test_an_installed_ranker_is_listed_after_ours_and_ranks(install):
    install(stranger("yield ReportScores(report, scores, 'by length', ['new'])"), NAME)
    assert list(RECIPES) == [*OURS, NAME]
    assert len(RECIPES) == len(OURS) + 1
    assert find_recipe(NAME).description == "The longest titles first."
    assert RECIPES.faults() == []
    lengths = [len(paper.title) for paper in HISTORY.papers[HISTORY.starts[3] :]]
    found = ranked()
    assert listed_scores(found) == {("trade", 3): lengths, ("work", 3): lengths}
    assert {(one.note, one.words) for one in found} == {("by length", ("new",))}
    assert found[0].order.tolist() == np.argsort(-np.array(lengths), kind="stable").tolist()


@pytest.mark.whole
def test_an_installed_ranker_runs_on_this_machine_only(install):
    class Nobody:
        def run(self, work, shared, calls):
            raise AssertionError("it was sent away")

    install(stranger(), NAME)
    end_workers()  # idle processes don't know packages installed since they started
    plans = [plan_runs(HISTORY, "trade", n_runs=1, n_held_out=8)]
    with use_workers(Nobody()):
        assert len(list(make_runs(RECIPES[NAME], HISTORY, plans, n_jobs=2))) == 1
        with pytest.raises(AssertionError, match="it was sent away"):
            list(make_runs(RECIPES["krichel-2007"], HISTORY, plans, n_jobs=2))


def test_its_properties_are_used_and_missing_ones_get_the_safe_value(install):
    install(stranger(), NAME)
    loaded = RECIPES[NAME].method
    assert (loaded.learns_together, loaded.needs_past_texts, loaded.reads_vectors) == (False, False, False)
    assert not loaded.learn(task_of(), 1)
    install(
        stranger().replace("learns_together = needs_past_texts = False", "pass").replace(NAME, "mute"),
        "mute",
        package="mute",
    )
    silent = RECIPES["mute"].method
    assert (silent.learns_together, silent.needs_past_texts, silent.reads_vectors) == (True, True, False)


def test_an_installed_ranker_has_its_own_explanations(install):
    install(stranger(reasons="return [('word', 'new', 1)]", similar="return [(1, 0.5)]"), NAME)
    task = task_of()
    explainer = RECIPES[NAME].method.explainer(task)
    assert explainer.scores("trade").tolist() == [len(paper.title) for paper in task.new]
    assert explainer.reasons("trade", task.n_past) == [Reason("word", "new", 1.0)]
    assert explainer.similar("trade", task.n_past, 1) == [Similar(1, 0.5)]


def test_without_installed_rankers_only_ours_are_listed():
    assert list(RECIPES) == list(OURS)
    assert RECIPES.faults() == []
    assert "stranger" not in RECIPES
    with pytest.raises(KeyError):
        RECIPES["stranger"]


# ---- rankers that can't be loaded


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param(
            "import nowhere_at_all", "failed: ModuleNotFoundError: No module named 'nowhere_at_all'", id="import"
        ),
        pytest.param("raise SystemExit(3)", "failed: SystemExit: 3", id="leaves"),
        pytest.param("def (", "failed: SyntaxError", id="syntax"),
        pytest.param("", "failed: AttributeError: module 'stranger' has no attribute 'RECIPE'", id="nothing"),
        pytest.param(stranger(minutes=0), "failed: ValueError: minutes must be above 0, got 0", id="no-time"),
        pytest.param(stranger(minutes="None"), "failed: TypeError: float() argument", id="no-minutes"),
        pytest.param("RECIPE = 'krichel-2007'", "must be a Recipe, got str", id="no-recipe"),
        pytest.param(
            stranger().replace('"stranger"', '"friend"'), "has a Recipe named friend; use this name", id="name"
        ),
    ],
)
def test_a_ranker_that_cannot_be_loaded_is_named_and_refuses_to_score(install, text, fault):
    install(text, NAME)
    assert isinstance(RECIPES[NAME].method, BrokenPlugin)
    (problem,) = RECIPES.faults()
    assert problem.startswith(f"{OF_PACKAGE} {fault}")
    for refused in (ranked, lambda: RECIPES[NAME].method.explainer(task_of())):
        with pytest.raises(BrokenRankerError) as broken:
            refused()
        assert (str(broken.value), broken.value.rankers) == (problem, (NAME,))
    assert not RECIPES[NAME].method.learn(task_of(), 1)


def test_an_installed_ranker_can_not_take_our_name(install):
    install(stranger().replace('"stranger"', '"krichel-2007"'), "krichel-2007")
    assert list(RECIPES) == list(OURS)
    assert RECIPES["krichel-2007"] is OURS["krichel-2007"]
    (text,) = RECIPES.faults()
    assert text == "The ranker krichel-2007 of stranger 1.0 is ignored: its name is reserved."


def test_an_invalid_name_is_skipped(install):
    install(stranger(), "My [red] Ranker")
    assert list(RECIPES) == list(OURS)
    (text,) = RECIPES.faults()
    assert "is ignored: its name must have at most 40 characters" in text


def test_a_name_in_two_packages_is_skipped(install):
    install(stranger(), NAME)
    install(stranger(), NAME, package="twin")
    (text,) = RECIPES.faults()
    assert text == f"{OF_PACKAGE} is also provided by twin 1.0; uninstall one of the two packages."


# ---- rankers that fail at work


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        pytest.param("raise ValueError('no\\nidea')", "ValueError: no idea", id="raises"),
        pytest.param("sys.exit()", "SystemExit", id="leaves"),
        pytest.param("raise KeyboardInterrupt", "KeyboardInterrupt", id="as-if-stopped"),
        pytest.param(
            "yield ReportScores(report, [np.nan for _ in scores])", "ValueError: scores must be finite", id="nan"
        ),
        pytest.param(
            "yield ReportScores(report, [np.inf for _ in scores])", "ValueError: scores must be finite", id="infinite"
        ),
        pytest.param("yield ReportScores(report, scores[1:])", "ValueError: scores must have shape (8,)", id="too-few"),
        pytest.param("yield ReportScores(report, [scores])", "ValueError: scores must have shape (8,)", id="a-table"),
        pytest.param(
            "yield ReportScores(report, ['x' for _ in scores])", "ValueError: could not convert string", id="words"
        ),
        pytest.param("yield scores", "TypeError: score must yield ReportScores, got list", id="bare-scores"),
        pytest.param(
            "yield ReportScores('own', scores)",
            "ValueError: it returned scores for own, own instead of trade, work",
            id="report",
        ),
        pytest.param("return", "TypeError: 'NoneType' object is not iterable", id="nothing"),
        pytest.param("raise ValueError('x' * 999)", f"ValueError: {'x' * 188}…", id="long"),
    ],
)
def test_errors_during_ranking_are_reported_in_one_line(install, line, fault):
    install(stranger(line), NAME)
    found = attempt(NAME, "stranger:RECIPE", task_of(), ["trade", "work"], 1)
    assert isinstance(found, Failure)
    assert found.fault.startswith(fault)
    assert "Traceback" in found.traceback


def test_list_order_is_a_valid_result(install):
    install(stranger("yield ReportScores(report, None)"), NAME)
    found = attempt(NAME, "stranger:RECIPE", task_of(), ["trade"], 1)
    assert [(one.report, one.scores) for one in found] == [("trade", None)]


@pytest.mark.whole
def test_a_failure_names_ranker_and_package_and_the_log_has_all_of_it(install, caplog):
    install(stranger("1 / 0"), NAME)
    with pytest.raises(BrokenRankerError) as broken:
        ranked()
    assert str(broken.value) == f"{OF_PACKAGE} failed: ZeroDivisionError: division by zero."
    assert "stranger.py" in caplog.text


@pytest.mark.whole
def test_a_ranker_that_ends_its_process_does_not_end_ours(install):
    install(stranger("os._exit(3)"), NAME)
    with pytest.raises(
        BrokenRankerError, match=f"{OF_PACKAGE} ended its process, perhaps because it ran out of memory"
    ):
        ranked()


@pytest.mark.whole
def test_a_hanging_ranker_is_stopped(install):
    install(stranger("time.sleep(9999)", minutes=0.01), NAME)
    with pytest.raises(BrokenRankerError, match=f"{OF_PACKAGE} did not finish within 0.01 minutes"):
        ranked()


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        pytest.param({"reasons": "1 / 0"}, "ZeroDivisionError: division by zero", id="raises"),
        pytest.param({"reasons": "return [1]"}, "TypeError", id="no-reasons"),
        pytest.param(
            {"similar": "return [(10 ** 6, 1.0)]"}, "ValueError: similar papers must be past papers", id="no-row"
        ),
        pytest.param({"similar": "sys.exit()"}, "SystemExit", id="leaves"),
    ],
)
def test_an_explainer_that_fails_is_named(install, lines, fault):
    install(stranger(**lines), NAME)
    task = task_of()
    explainer = RECIPES[NAME].method.explainer(task)
    with pytest.raises(BrokenRankerError, match=f"{OF_PACKAGE} failed: {fault}"):
        explainer.reasons("trade", task.n_past), explainer.similar("trade", task.n_past, 3)


def test_an_explainer_with_invalid_scores_is_named(install):
    install(stranger().replace("return [len(paper.title) for paper in self.task.new]", "return [1]"), NAME)
    with pytest.raises(BrokenRankerError, match="scores must have shape"):
        RECIPES[NAME].method.explainer(task_of()).scores("trade")
