import json
import re
import shutil
from datetime import timedelta
from pathlib import Path

import altair as alt
import pytest

from presort.data.learning import outcomes
from presort.desk.scores.table import HEADLINES
from presort.desk.service import workflow
from presort.metrics import MEASURES, Outcome
from tests.desk.command_line import invoke

KRICHEL, ARXIV = "krichel-2007", "arxiv-sanity"
TWO = ["--ranker", KRICHEL, "--ranker", ARXIV, "--retrain-every", 9, "--jobs", 1]
MAGIC = {".svg": b"<svg", ".png": b"\x89PNG\r\n\x1a\n", ".html": b"<!DOCTYPE html>"}


@pytest.fixture
def days(listings):
    return sorted({x.issue for x in listings})


@pytest.fixture
def replay(tmp_path, store, days):
    """Run `presort replay` on the small service, by default over its fourth to sixth issue."""

    def call(*words, span=(days[3] - timedelta(days=1), days[5] + timedelta(days=1))):
        given = ["--workspace", tmp_path / "workspace", "replay", "--from", span[0], "--to", span[1], *words]
        return invoke([str(word) for word in given])

    return call


@pytest.fixture(scope="module")
def replayed_workspace(tmp_path_factory, filled_workspace, listings):
    """Workspace after `presort replay` with two rankers. Running it again computes nothing and prints the same."""
    folder = shutil.copytree(filled_workspace, tmp_path_factory.mktemp("replayed") / "workspace")
    days = sorted({x.issue for x in listings})
    span = ["--from", days[3] - timedelta(days=1), "--to", days[5] + timedelta(days=1)]
    assert invoke([str(word) for word in ["--workspace", folder, "replay", *span, *TWO]]).exit_code == 0
    return folder


@pytest.fixture
def folder(tmp_path):
    """Empty folder for figures."""
    (tmp_path / "figures").mkdir()
    return tmp_path / "figures"


def flat(text):
    return " ".join(text.split())


def outcomes_of(store, ranker):
    mine = [x for x in outcomes.scored_rankings(store) if x.ranker == ranker]
    return {(x.report, x.issue): Outcome(x.places, x.n_papers) for x in mine}


def last_first(outcome):
    return outcome.positions[::-1].tolist()


def test_every_figure_is_over_the_same_report_issues(replay, replayed):
    result = replay(*TWO, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    first, second = outcomes_of(replayed, KRICHEL), outcomes_of(replayed, ARXIV)
    assert first.keys() == second.keys()
    assert (found["replay"], found["left_out"]) == (1, 0)
    assert found["report_issues"] == len(first) > 20
    assert [row["ranker"] for row in found["rankers"]] == [KRICHEL, ARXIV]
    for row, found_of in zip(found["rankers"], (first, second), strict=True):
        for name in HEADLINES:
            values = [MEASURES[name].compute(outcome) for outcome in found_of.values()]
            assert row[f"mean_{name}"] == pytest.approx(sum(values) / len(values))
        assert row["mean_copnori_gap"] == pytest.approx(1 - row["mean_copnori"])
    n_earlier = sum(last_first(second[key]) < last_first(first[key]) for key in first)
    n_same = sum(second[key] == first[key] for key in first)
    reference, other = ([row[name] for name in ("earlier", "same", "later")] for row in found["rankers"])
    assert reference == [None] * 3
    expected = [n_earlier / len(first), n_same / len(first), 1 - (n_earlier + n_same) / len(first)]
    assert other == pytest.approx(expected)
    assert 0 < n_earlier + n_same < len(first)


def test_a_finished_replay_shows_its_table_at_once_in_80_columns(replay, days):
    made, again = replay(*TWO), replay(*TWO)
    assert "rankings stored." in made.stdout
    head, table = again.stdout.split("\n", 1)
    assert head == "All rankings are up to date."
    assert made.stdout.endswith(table)
    assert max(map(len, table.splitlines())) <= 80
    printed = flat(table)
    assert printed.startswith(f"Replay 1, {days[3]} to {days[5]}: ")
    assert "ranker last median Copnori AP Aselt Nosel earlier same later" in printed
    assert re.search(r"krichel-2007( 0\.\d{3}){2} 0\.\d{4}( 0\.\d{3}){3} - - - arxiv-sanity", printed)
    assert re.search(r"arxiv-sanity( 0\.\d{3}){2} 0\.\d{4}( 0\.\d{3}){3}( \d+\.\d){3} last, median", printed)
    assert "later than with krichel-2007" in printed
    assert "Left out" not in printed


def test_only_issues_ranked_by_every_ranker_are_compared(replay):
    replay("--ranker", KRICHEL, "--retrain-every", 9, "--jobs", 1)
    whole = json.loads(replay("--ranker", KRICHEL, "--retrain-every", 9, "--jobs", 1, "--json").stdout)
    part = json.loads(replay(*TWO, "--report", "lab", "--json").stdout)
    assert 0 < part["report_issues"] < whole["report_issues"]
    assert part["left_out"] == 0
    assert {row["report_issues"] for row in part["rankers"]} == {part["report_issues"]}


def test_a_single_ranker_is_not_compared(replay):
    result = replay("--ranker", KRICHEL, "--retrain-every", 9, "--jobs", 1)
    assert result.exit_code == 0, result.stderr
    assert "compared with" not in result.stdout
    assert "1 − Copnori" in flat(result.stdout)  # noqa: RUF001


def test_only_large_reports_when_asked(replay, replayed):
    all_of_them = json.loads(replay(*TWO, "--json").stdout)
    large = json.loads(replay(*TWO, "--min-papers", 20, "--json").stdout)
    assert 0 < large["report_issues"] < all_of_them["report_issues"]
    assert large["rankings"] == 0
    nothing = replay(*TWO, "--min-papers", 10_000)
    assert nothing.exit_code == 0
    assert "Nothing to compare" in nothing.stdout
    assert json.loads(replay(*TWO, "--min-papers", 10_000, "--json").stdout)["rankers"] == []


def test_an_interrupted_replay_says_so_and_shows_no_table(replay, monkeypatch, folder):
    whole = workflow.replay

    def stopped(*arguments, **options):
        steps = whole(*arguments, **options)
        yield next(steps)
        raise KeyboardInterrupt

    monkeypatch.setattr("presort.desk.service.workflow.replay", stopped)
    result = replay(*TWO, "--figure", folder / "a.svg")
    assert result.exit_code == 130
    assert "Run the same command again to continue" in result.stderr
    assert result.stdout == ""
    assert list(folder.iterdir()) == []
    monkeypatch.undo()
    assert "rankings stored" in replay(*TWO).stdout


@pytest.mark.whole
@pytest.mark.parametrize("ending", MAGIC)
def test_a_figure_in_each_format(replay, replayed, folder, ending):
    path = folder / f"figure{ending.upper()}"
    path.write_text("an older one")
    result = replay(*TWO, "--figure", path)
    assert result.exit_code == 0, result.stderr
    assert f"Wrote {path}." in result.stdout.replace("\n", "")
    assert list(folder.iterdir()) == [path]
    content = path.read_bytes()
    assert content.startswith(MAGIC[ending])
    if ending != ".png":
        text = content.decode()
        assert "Reading effort" in text
        assert "arxiv-sanity (median" in text
        assert "3 issues, " in text
        assert not re.search("<script[^>]+src=|<link|@import", text)  # the file is self-contained


def test_json_stays_json_with_a_figure(replay, replayed, folder, monkeypatch):
    # it may be on another disk, from which files can't be moved atomically
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")
    assert json.loads(replay(*TWO, "--json", "--figure", folder / "figure.svg").stdout)["report_issues"]
    assert (folder / "figure.svg").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("figure.pdf", "'figure.pdf' must end in one of .svg, .png, .html", id="ending"),
        pytest.param("figure", "'figure' must end in one of", id="no-ending"),
        pytest.param("missing/figure.svg", "does not exist", id="no-folder"),
        pytest.param("folder.svg", "is a folder", id="folder"),
    ],
)
def test_an_invalid_figure_path_is_refused_before_any_work(tmp_path, folder, name, message):
    (folder / "folder.svg").mkdir()
    span = ["--from", "2026-01-01", "--to", "2026-02-01"]
    given = ["--workspace", tmp_path / "workspace", "replay", *span, "--figure", folder / name]
    result = invoke([str(word) for word in given], env={"COLUMNS": "500"})
    assert result.exit_code == 2
    assert "--figure" in result.stderr
    assert message in flat(result.stderr)
    assert not (tmp_path / "workspace").exists()


@pytest.mark.whole
def test_no_partial_file_remains(replay, replayed, folder, monkeypatch):
    def full(self, path, **_options):
        Path(path).write_text("<svg")
        raise OSError(28, "No space left on device")

    (folder / "figure.svg").write_text("an older one")
    monkeypatch.setattr(alt.HConcatChart, "save", full)
    result = replay(*TWO, "--figure", folder / "figure.svg")
    assert result.exit_code == 1
    assert result.stderr == f"presort: {folder / 'figure.svg'} can't be written: No space left on device.\n"
    assert "krichel-2007" in result.stdout
    assert [path.name for path in folder.iterdir()] == ["figure.svg"]
    assert (folder / "figure.svg").read_text() == "an older one"


def test_without_anything_scored_there_is_no_figure(replay, folder, newest):
    result = replay("--ranker", KRICHEL, "--jobs", 1, "--figure", folder / "figure.svg", span=(newest, newest))
    assert result.exit_code == 1
    assert "Nothing to compare" in result.stdout
    assert "figure.svg was not written" in result.stderr
    assert result.stderr.count("\n") == 1
    assert list(folder.iterdir()) == []
