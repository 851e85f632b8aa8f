"""Measures of packages: which are loaded, and which are reported and skipped."""

import re
import sys
from importlib.metadata import EntryPoint

import pytest

from presort.metrics import MEASURES, Outcome, plugins, score
from presort.metrics.plugins import GROUP, installed_measures, load_measures

MODULE = """
from dataclasses import replace
from presort.metrics import MEASURES

MINE = replace(MEASURES["aselt"], name="mine", label="Mine")
OTHER = replace(MINE, name="other", label="Other")
TAKEN = MEASURES["nosel"]
SAME_LABEL = replace(MINE, name="same_label", label="Nosel")
NOTHING = 5
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load entry points of modules that exist only for this test."""
    (tmp_path / "brought.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "broken.py").write_text("import nowhere_to_be_found\n", encoding="utf-8")
    (tmp_path / "wrong.py").write_text(MODULE + "replace(MINE, needs='luck')\n", encoding="utf-8")
    (tmp_path / "raising.py").write_text("raise RuntimeError('two\\nlines' + 400 * ' long')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda *values: load_measures(EntryPoint(value.rpartition(":")[2], value, GROUP) for value in values)
    for name in ("brought", "broken", "wrong", "raising"):
        sys.modules.pop(name, None)


def test_measures_come_in_alphabetical_order(load):
    found = load("brought:OTHER", "brought:MINE")
    assert list(found.measures) == ["mine", "other"]
    assert found.problems == ()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param("broken:A", "broken was skipped: ModuleNotFoundError: No module named 'nowhere_to", id="import"),
        pytest.param("brought:A", "brought was skipped: AttributeError: module 'brought' has no", id="attribute"),
        pytest.param("brought:NOTHING", "skipped: brought:NOTHING must be a Measure, got 5", id="no-measure"),
        pytest.param("brought:TAKEN", "skipped: a measure with the name nosel already exists", id="name"),
        pytest.param("brought:SAME_LABEL", "skipped: a measure with the label 'Nosel' already exists", id="label"),
        pytest.param("wrong:A", "skipped: needs of a Measure must be one of outcome, scores, got 'luck'", id="field"),
        pytest.param("raising:A", "skipped: RuntimeError: two lines long long", id="raises"),
    ],
)
def test_a_broken_measure_is_reported_and_does_not_stop_the_others(load, value, message):
    found = load("brought:MINE", value, "brought:OTHER")
    assert list(found.measures) == ["mine", "other"]
    (problem,) = found.problems
    assert problem.startswith(f"Measure {value.rpartition(':')[2]} of ")
    assert message in problem
    assert len(problem.splitlines()) == 1
    assert len(problem) < 400


def test_the_first_of_two_measures_with_the_same_name_is_used(load):
    found = load("brought:MINE", "brought:MINE")
    assert (list(found.measures), len(found.problems)) == (["mine"], 1)


def test_the_built_in_measures_stay_as_they_are(load):
    before = dict(MEASURES)
    load("brought:MINE")
    assert before == MEASURES


@pytest.mark.parametrize("arguments", [([Outcome([1], 2)],), ({"1": {"a": 1}}, {"1": {"a": 1}})])
def test_score_does_not_accept_names_of_installed_measures(load, monkeypatch, arguments):
    found = load("brought:MINE")
    monkeypatch.setattr(plugins, "installed_measures", lambda: found)
    with pytest.raises(ValueError, match=re.escape(plugins.hint_at_installed_measure("mine"))):
        score(*arguments, ["mine"])
    assert plugins.hint_at_installed_measure("other") == ""
    assert score(*arguments, [found.measures["mine"]]).columns.to_list() == ["mine"]


def test_this_environment_has_no_installed_measures():
    assert installed_measures().problems == ()
    assert not installed_measures().measures
