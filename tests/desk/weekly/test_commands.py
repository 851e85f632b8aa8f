"""The command `presort weekly`."""

import pytest
from typer.testing import CliRunner

from data.errors import RefusedError
from data.running import weekly as log
from desk.cli import app
from desk.weekly import sorting


@pytest.fixture
def presort(weekly, tmp_path, monkeypatch):
    """Call the command line, without settings."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        return CliRunner().invoke(app, ["--workspace", str(weekly.store.folder), "weekly", *words, "--jobs", "1"])

    return call


def test_it_prints_each_step_and_ends_well(presort):
    first = presort()
    assert (first.exit_code, first.stderr) == (0, "")
    assert first.stdout.splitlines()[:3] == [
        "New papers: No place is set from which papers come.",
        "Sorting: 12 lists sorted.",
        "Mail to editors: No mail server is set, so nobody is told.",
    ]
    assert "Sorting" not in presort().stdout
    assert "Sorting: All was sorted already." in presort("--again").stdout


def test_a_step_that_failed_is_named_and_the_exit_code_says_so(presort, monkeypatch):
    def refuse(*_, **__):
        raise RefusedError("The disk is full.")

    monkeypatch.setattr(sorting.workflow, "learn", refuse)
    ended = presort()
    assert ended.exit_code == 1
    assert ended.stderr == "Learning ahead: failed. The disk is full.\n"
    assert "Mail to the director" in ended.stdout


def test_a_dry_run_changes_no_file(presort, weekly):
    weekly.store.close()
    before = weekly.store.database.path.read_bytes()
    assert "Sorting: Would sort what is new: 12 lists waiting now, 12 not sorted yet." in presort("--dry-run").stdout
    assert weekly.store.database.path.read_bytes() == before


def test_one_that_runs_already_is_named(presort, weekly):
    with log.alone(weekly.store):
        ended = presort()
    assert ended.exit_code == 1
    assert ended.stderr == "presort: The weekly job of this workspace runs already; wait until it has ended.\n"


def test_a_wrong_setting_is_refused_before_anything_is_done(presort, tmp_path):
    (tmp_path / "presort.toml").write_text("[mail]\nhost = 'a'\nport = 0\n")
    ended = presort()
    assert (ended.exit_code, ended.stdout) == (1, "")
