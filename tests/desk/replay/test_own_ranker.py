"""The custom ranker of docs/your-own-ranker.md, from its code to its line in `presort replay`."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from presort.ranker import rank_papers
from tests.desk.command_line import invoke
from tests.ranker.packages import forget, packages_at

GUIDE = (Path(__file__).parents[3] / "docs" / "your-own-ranker.md").read_text(encoding="utf-8")
MOST_LINES = 13


def shown_after(words: str) -> str:
    """Return the code block that follows some words in the guide."""
    return re.search(re.escape(words) + r"\n\n```\w+\n(.*?)```", GUIDE, re.DOTALL)[1]


@pytest.mark.whole
def test_the_ranker_of_the_guide_has_a_row_in_replay(store, listings, tmp_path, monkeypatch):
    package, site = tmp_path / "presort-ridge", tmp_path / "beside"
    package.mkdir()
    project, module = shown_after("`pyproject.toml`:"), shown_after("`presort_ridge.py`:")
    (package / "pyproject.toml").write_text(project)
    (package / "presort_ridge.py").write_text(module)
    assert sum(bool(line.strip()) for line in f"{project}\n{module}".splitlines()) <= MOST_LINES
    pip = ["pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index", "--target", site, package]
    subprocess.run([sys.executable, "-m", *pip], check=True)
    days = sorted({one.issue for one in listings})
    span = ["--from", str(days[5]), "--to", str(days[5]), "--jobs", "1"]
    rankers = ["--ranker", "krichel-2007", "--ranker", "our-ridge"]
    with packages_at(site, monkeypatch):
        forget()
        done = invoke(["--workspace", str(store.folder), "replay", *span, *rankers])
    assert (done.exit_code, done.stderr) == (0, "")
    _, ours = re.findall(r"^(?:krichel-2007|our-ridge) +[\d.]+ .*$", done.stdout, re.MULTILINE)
    assert ours.startswith("our-ridge ")
    assert float(ours.split()[1]) < 100


def test_the_method_of_the_guide_ranks_by_authors_and_explains():
    names: dict = {}
    exec(next(code for code in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL) if "KnownAuthors(" in code), names)
    past = pd.DataFrame(
        {"title": ["a", "b", "c"], "authors": ["Ann; Bo", "Ann", "Cy"], "relevant": [True, True, False]}
    )
    new = pd.DataFrame({"title": ["d", "e", "f"], "authors": ["Cy", "Bo; Cy", "Ann"]})
    found = rank_papers(past, new, names["RECIPE"])
    assert found["title"].tolist() == ["f", "e", "d"]
    assert found["score"].tolist() == [1, 0.5, 0]
