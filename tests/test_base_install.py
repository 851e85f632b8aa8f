"""Features without the application's packages: the library, and the commands that score and compare files."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LIBRARY = ("joblib", "numpy", "pandas", "scikit-learn", "scipy")
HEAVY = {"numpy", "pandas", "scipy", "sklearn", "joblib", "ir_measures", "sqlalchemy", "streamlit"}
UNIX = ("fcntl", "grp", "pwd", "resource", "termios")  # modules that Python has only on Unix
BLOCK = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

BLOCKED = set(sys.argv.pop(1).split(","))
sys.meta_path.insert(0, Blocked())
"""
RANK = """
import pandas as pd
import presort.metrics
from sklearn.linear_model import RidgeClassifier
from presort.ranker import rank_papers, recipe_of
past = pd.DataFrame({"title": ["Wages", "Wages and jobs", "Prices in $x_1$"], "relevant": [True, True, False]})
new = pd.DataFrame({"title": ["Prices <math><mi>x</mi></math>", "Wages of today"]})
print(*rank_papers(past, new, recipe_of("ridge", RidgeClassifier()))["title"], sep=", ")
print(presort.metrics.nosel(presort.metrics.Outcome([1, 2], 4)))
"""
RUN_COMMANDS = """
from presort.desk.cli import app
for line in sys.stdin.read().splitlines():
    try:
        app(line.split())
    except SystemExit as ended:
        print("exit", ended.code, flush=True)
"""
LIST_MODULES = """
import sys
from presort.desk.cli import app
try:
    app(sys.argv[1:])
finally:
    print(*sys.modules)
"""


def needed_by(names):
    """Return distributions and all their dependencies, by canonical name."""
    found, left = set(), [Requirement(name) for name in names]
    while left:
        one = left.pop()
        extras = one.extras or {""}
        key = (canonicalize_name(one.name), frozenset(extras))
        if key in found:
            continue
        found.add(key)
        others = map(Requirement, requires(one.name) or ())
        left += [of for of in others if not of.marker or any(of.marker.evaluate({"extra": name}) for name in extras)]
    return {name for name, _ in found}


def run(code, *, only, without=(), given=""):
    """Run code in a process that can only import the standard library, Presort and some distributions."""
    allowed = needed_by(only)
    installed = packages_distributions().items()
    blocked = {name for name, of in installed if name.isidentifier() and not allowed & set(map(canonicalize_name, of))}
    assert {"sqlalchemy", "streamlit", "lxml"} <= blocked
    command = [sys.executable, "-c", BLOCK + code, ",".join((blocked | {*without}) - {"presort"})]
    return subprocess.run(command, input=given, capture_output=True, text=True, cwd=ROOT, check=False)


def imported_by(*words):
    """Return the modules that a command has imported."""
    ran = subprocess.run([sys.executable, "-c", LIST_MODULES, *words], capture_output=True, text=True, check=False)
    return set(ran.stdout.splitlines()[-1].split())


def test_the_library_measures_and_ranks_with_five_packages_on_any_system():
    ran = run(RANK, only=LIBRARY, without=UNIX)
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == ["Wages of today, Prices <math><mi>x</mi></math>", "1.0"]


def test_charts_name_the_extra_that_they_need():
    ran = run("import presort.metrics.plots", only=LIBRARY)
    assert ran.stderr.splitlines()[-1].endswith("pip install 'presort[plots]'")


@pytest.mark.whole
def test_commands_for_files_need_no_application_and_others_name_it(tmp_path):
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 2 t\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "scores.csv").write_text("topic,a,b\n1,.1,.2\n2,.3,.5\n")
    base = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    files = f"score {tmp_path}/run {tmp_path}/qrels\ncompare {tmp_path}/scores.csv\n"
    ran = run(RUN_COMMANDS, only=base, given=files + "rank --pending\nreports add lab Labour\nrank --help\n--help\n")
    assert re.findall(r"exit (\d)", ran.stdout) == ["0", "0", "1", "1", "0", "0"]
    assert [line.partition(":")[0] for line in ran.stderr.splitlines()] == ["presort", "presort"]
    assert ran.stderr.count('pip install "presort[desk]"') == 2
    assert '"presort[desk]"' in ran.stdout


def test_the_help_of_score_imports_few_modules():
    """Most of its time is spent on imports: 0.4 s without these modules, 3 s with them."""
    modules = imported_by("score", "--help")
    assert "presort.desk.trec.commands" in modules
    assert not HEAVY & modules


@pytest.mark.parametrize("form", [[], ["--json"], ["--csv"]])
def test_scoring_a_run_imports_no_pandas(tmp_path, form):
    """Reading and scoring 100,000 papers takes as long as importing pandas."""
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 2 t\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n")
    modules = imported_by("score", str(tmp_path / "run"), str(tmp_path / "qrels"), *form)
    assert "ir_measures" in modules
    assert not HEAVY - {"numpy", "scipy", "ir_measures"} & modules
