"""The command `presort summary`: its table, and the page it writes."""

import json
from pathlib import Path

import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.editing.read_papers import mark_read
from presort.desk.scores.table import scores
from presort.desk.service import workflow
from presort.desk.summary import figures
from presort.ranker.versions import RECIPES
from tests.desk.command_line import invoke
from tests.desk.summary.parsed import Parsed

pytestmark = pytest.mark.whole

KRICHEL, ARXIV = "krichel-2007", "arxiv-sanity"


@pytest.fixture
def call(tmp_path):
    def call(*options):
        given = ["--workspace", tmp_path / "workspace", "summary", *options]
        return invoke([str(word) for word in given], env={"COLUMNS": "500"})

    return call


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pages").mkdir()
    return tmp_path / "pages"


def test_by_report_uses_one_ranking_per_report_issue(replayed, call):
    """A mean over all rankers' rows would depend on which shadows ran."""
    table = scores(replayed)
    outcomes = {
        ranker: table[table["ranker"] == ranker].groupby("report")["relative_last_position"]
        for ranker in (KRICHEL, ARXIV)
    }
    for options, ranker in (
        ([], figures.best_ranker(table)),
        (["--ranker", KRICHEL], KRICHEL),
        (["--ranker", ARXIV], ARXIV),
    ):
        found = pd.DataFrame(json.loads(call("--by", "report", "--json", *options).stdout)).set_index("report")
        assert found["report_issues"].to_dict() == outcomes[ranker].size().to_dict()
        assert found["mean_relative_last_position"].to_list() == pytest.approx(outcomes[ranker].mean().to_list())
        assert f": {ranker}.\n" in call("--by", "report", *options).stdout


def test_rankings_left_out_are_counted_by_reason(replayed, call):
    late = "Left out because they were computed after publication: 1 ranking.\n"
    newest, size = max((issue.date, issue.n_papers) for issue in catalogue.issues(replayed))
    mark_read(replayed, "lab", newest, None, size, person="ada")
    workflow.publish_report_issue(replayed, "lab", newest, None, person="ada")
    list(workflow.rank(replayed, [RECIPES[KRICHEL]], reports=["lab"], issue=newest))
    workflow.score(replayed)
    for options in ([], ["--ranker", KRICHEL]):
        text = call(*options).stdout
        assert (late in text, text.count("Left out because")) == (True, 1)
    days = sorted(set(scores(replayed)["issue"].dt.date))
    list(workflow.replay(replayed, [RECIPES["asreview-u4"]], first=days[-2], last=days[-2], retrain_every=9))
    n_others = int((scores(replayed)["issue"].dt.date != days[-2]).sum()) - 1
    text = call().stdout
    assert late in text
    assert f"not every ranker ranked the issue under the same conditions: {n_others} rankings.\n" in text


def test_by_report_uses_the_ranking_shown_to_the_editor(replayed, call, monkeypatch):
    table = scores(replayed)
    days = sorted(table["issue"].unique())
    active = {day: KRICHEL if place < 3 else ARXIV for place, day in enumerate(days)}
    monkeypatch.setattr("presort.desk.scores.sorters.active_by_issue", lambda store, issues: active)
    expected = table[table["ranker"] == table["issue"].map(active)].groupby("report")["relative_last_position"].mean()
    found = pd.DataFrame(json.loads(call("--by", "report", "--json").stdout)).set_index("report")
    assert found["mean_relative_last_position"].to_dict() == pytest.approx(expected.to_dict())


def test_the_command_writes_the_page_beside_its_table(call, replayed, folder):
    path = folder / "Board.HTML"
    path.write_text("an older one")
    result = call("--html", path, "--ranker", ARXIV, "--ranker", KRICHEL)
    assert result.exit_code == 0, result.stderr
    assert "krichel-2007" in result.stdout
    assert f"Wrote {path}." in result.stdout
    assert list(folder.iterdir()) == [path]
    page = path.read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert f"ranked by {ARXIV} ·" in Parsed(page).text
    assert json.loads(call("--html", path, "--json").stdout)


def test_the_command_summarises_the_requested_rankings(call, replayed, folder):
    days = sorted({issue.date for issue in catalogue.issues(replayed)})
    assert call("--html", folder / "a.html", "--from", days[2], "--to", days[3], "--ranker", KRICHEL).exit_code == 0
    text = Parsed((folder / "a.html").read_text("utf-8")).text
    assert text.count(f"{days[2]} to {days[3]}") == 2  # in the title and in its caption
    assert ARXIV not in text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("board.pdf", "'board.pdf' does not end in .html", id="ending"),
        pytest.param("missing/board.html", "does not exist", id="no-folder"),
        pytest.param("folder.html", "is a folder", id="folder"),
    ],
)
def test_an_invalid_path_is_refused_before_any_work(tmp_path, call, folder, name, message):
    (folder / "folder.html").mkdir()
    result = call("--html", folder / name)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert not (tmp_path / "workspace").exists()


def test_no_partial_file_remains(call, replayed, folder, monkeypatch):
    def full(self, text, **_options):
        self.write_bytes(text[:5].encode())
        raise OSError(28, "No space left on device")

    (folder / "a.html").write_text("an older one")
    monkeypatch.setattr(Path, "write_text", full)
    result = call("--html", folder / "a.html")
    assert result.exit_code == 1
    assert result.stderr == f"presort: {folder / 'a.html'} can't be written: No space left on device.\n"
    assert [path.name for path in folder.iterdir()] == ["a.html"]
    assert (folder / "a.html").read_text() == "an older one"


def test_without_data_no_file_is_written(call, replayed, folder):
    result = call("--html", folder / "a.html", "--from", "2030-01-01")
    assert result.exit_code == 1
    assert result.stderr.startswith("presort: Nothing to summarise")
    assert list(folder.iterdir()) == []
