"""Measures of packages: the one of docs/your-own-measure.md, installed as described there, and broken ones."""

import ast
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from presort.desk import settings
from presort.desk.scores import registry
from presort.metrics import Batch
from presort.metrics.measure import BEYOND
from tests import forked

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs" / "your-own-measure.md"
BROKEN = """

from dataclasses import replace


def one_by_r(outcome):
    return 1 / outcome.r


def word_for(scores, relevant):
    return "good"


def same(**fields):
    return replace(FOUND_IN_TEN, compute_each=None, ignores_tail=False, **fields)


RAISES = same(name="raises", label="Raises", compute=one_by_r)
SHORT = replace(FOUND_IN_TEN, name="short", label="Short", compute_each=lambda batch: [0.5])
INFINITE = same(name="infinite", label="Infinite", compute=lambda outcome: float("inf"))
WORD = same(name="word", label="Word", needs="scores", compute=word_for)
WITH_LOSS = replace(FOUND_IN_TEN, name="with_loss", label="nDCG", loss=one_by_r)
COLUMN = same(name="outcome", label="Column")
"""
ENTRIES = {
    "raises": "found_in_ten:RAISES",
    "short": "found_in_ten:SHORT",
    "infinite": "found_in_ten:INFINITE",
    "word": "found_in_ten:WORD",
    "with_loss": "found_in_ten:WITH_LOSS",
    "column": "found_in_ten:COLUMN",
    "gone": "nowhere:GONE",
}
BROUGHT = ["found_in_ten", "infinite", "raises", "short", "with_loss", "word"]
NOT_LOADED = [
    "Measure gone of found-in-ten was skipped: ModuleNotFoundError: No module named 'nowhere'",
    "Measure outcome was skipped because its name is reserved for a column",
]
FAILED = [
    "Infinite failed and has missing values: infinite must return a finite number, or NaN if undefined; it "
    "returned inf",
    "Raises failed and has missing values: ZeroDivisionError: division by zero",
    "Short failed and has missing values: short must return 3 finite numbers for 3 outcomes, or NaN if undefined; it "
    "returned [0.5] with shape (1,)",
    "Word failed and has missing values: word must return a finite number, or NaN if undefined; it returned 'good'",
]
RUN = "".join(f"{topic} Q0 p{place} 0 {-place} mine\n" for topic in (1, 2, 3) for place in range(1, 21))
QRELS = "1 0 p2 1\n1 0 p12 1\n2 0 p1 1\n3 0 p1 0\n"
PAGES = {
    "measures": {},
    "overview": {"measure": "found_in_ten"},
    "report": {"measure": "found_in_ten"},
    "compare": {"one": "found_in_ten"},
    "natural_order": {"measure": "infinite", "part": "In theory", "drawn": "aselt"},
    "systems_topics": {"score": "found_in_ten"},
}
LOADED_AGAIN = """
import importlib, sys
sys.path.insert(0, sys.argv.pop(1))
importlib.invalidate_caches()
# As in a new process, all of ours is loaded with the package at hand; what is slow to load stays.
ANEW = ("presort.desk", "presort.metrics", "prometheus_client")
for name in [name for name in sys.modules if name.startswith(ANEW)]:
    del sys.modules[name]
for name in ("desk", "metrics"):
    vars(sys.modules["presort"]).pop(name, None)
"""
SCORE = f"""
{LOADED_AGAIN}
from presort.desk.cli import app
app()
"""
OPEN_PAGES = (
    f"{LOADED_AGAIN}"
    + """
import json
from pathlib import Path
from streamlit import config
from streamlit.testing.v1 import AppTest

config.set_option("browser.gatherUsageStats", False)
seen = {}
for name, query in json.loads(sys.argv[1]).items():
    page = AppTest.from_string(f"from presort.desk.{name} import page; page.show()", default_timeout=60)
    page.query_params.update(query)
    page.run(timeout=60)
    seen[name] = {
        "exceptions": [one.message for one in page.exception],
        "captions": [one.value for one in page.caption],
        "infos": [one.value for one in page.info],
        "boxes": {one.key or one.label: (one.options, one.value) for one in page.selectbox},
        "facts": [list(map(str, one.value.iloc[:, 0])) for one in page.table],
        "tables": [one.value.astype(str).to_dict("list") for one in page.dataframe],
    }
Path("seen.json").write_text(json.dumps(seen, default=str))
"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Folder in which the package is installed."""
    folder = tmp_path_factory.mktemp("brought")
    source, site = folder / "source", folder / "site"
    source.mkdir()
    blocks = re.findall(r"```(\w+)\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    (module,) = (block for kind, block in blocks if kind == "python" and not block.startswith(">>>"))
    (project,) = (block for kind, block in blocks if kind == "toml")
    (source / "found_in_ten.py").write_text(module + BROKEN, encoding="utf-8")
    entries = "".join(f'{name} = "{value}"\n' for name, value in ENTRIES.items())
    (source / "pyproject.toml").write_text(project + entries, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-build-isolation"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--target", site, source], check=True)
    return site


@pytest.mark.whole
def test_presort_score_uses_installed_measures_and_names_broken_ones(site, tmp_path):
    (tmp_path / "run.trec").write_text(RUN)
    (tmp_path / "qrels.trec").write_text(QRELS)
    code, written = forked.run(SCORE, site, "score", "run.trec", "qrels.trec", "--json", folder=tmp_path)
    assert code == 0, written
    messages, _, table = written.partition("{")
    assert messages.splitlines() == [f"presort: {problem}" for problem in (*NOT_LOADED, *FAILED)]
    topics = json.loads("{" + table)["topics"]
    assert list(topics["1"])[-len(BROUGHT) :] == BROUGHT  # after Presort's own
    for topic, expected in {"1": 0.5, "2": 1, "3": None}.items():
        scores = {name: topics[topic][name] for name in BROUGHT}
        assert scores.pop("found_in_ten") == scores.pop("with_loss") == expected
        assert set(scores.values()) == {None}  # even without a failure, because the loss can't be checked
    assert topics["1"]["nosel"] == pytest.approx(1 - 10 / (2 * 18 / 3))


@pytest.mark.whole
def test_pages_show_installed_measures_and_name_broken_ones(site, replayed_workspace, tmp_path):
    workspace = str(shutil.copytree(replayed_workspace, tmp_path / "workspace"))
    environment = {"folder": tmp_path, settings.WORKSPACE: workspace}
    code, written = forked.run(OPEN_PAGES, site, json.dumps(PAGES), **environment)
    assert code == 0, written
    seen = json.loads((tmp_path / "seen.json").read_text())
    for name, page in seen.items():
        assert not page["exceptions"], name
        shown = "\n".join(page["captions"]).replace("\\", "")
        for message in (NOT_LOADED[0], NOT_LOADED[1], FAILED[0]):
            assert shown.count(message) == 1, (name, message)
    facts, constraints = seen["measures"]["facts"][0], seen["measures"]["tables"][0]
    assert facts[-6:] == ["Found in the first 10", "Infinite", "Raises", "Short", "nDCG", "Word"]
    of_measure = {label: row for label, *row in zip(*constraints.values(), strict=True)}
    assert [text == "satisfied" for text in of_measure["Found in the first 10"]] == [False, False, True, True, False]
    assert {"nDCG", "nDCG (with_loss)"} <= of_measure.keys()
    assert "satisfied" not in of_measure["Infinite"]
    for name in ("report", "natural_order"):
        assert "Found in the first 10" in seen[name]["boxes"]["measure"][0]
    assert "Found in the first 10" in str(seen["compare"]["tables"])
    assert seen["natural_order"]["infos"] == ["Infinite is not defined for any of these orders."]
    assert seen["natural_order"]["tables"][0]["Prefers the worse order"][0] == "not defined"


def test_a_measure_that_needs_missing_positions_is_nan_and_reported(monkeypatch):
    monkeypatch.setattr(registry, "_failed", {})
    sensitivity = registry.MEASURES["sensitivity_at_30"]
    own = registry._guard_measure(replace(sensitivity, label="Mine", compute_each=lambda batch: batch.last))
    returned, missing = (Batch(np.array([1, last]), np.array([2]), np.array([9])) for last in (5, BEYOND))
    assert own.compute_each(returned).tolist() == [5]
    assert registry.problems() == []
    assert np.isnan(own.compute_each(missing)).all()
    (problem,) = registry.problems()
    assert problem.startswith("Mine failed")


def test_the_desk_uses_its_own_registry():
    """Only `desk.scores.registry.MEASURES` includes measures of packages.

    Pages that use `metrics.MEASURES` would lack them.
    """
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "desk").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        if (node.module or "").startswith("presort.metrics") and "MEASURES" in {alias.name for alias in node.names}
    }
    assert not found
