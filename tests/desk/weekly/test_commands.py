"""The command `presort weekly`."""

import json

import pytest

from presort.data import catalogue
from presort.data.errors import RefusedError
from presort.data.running import weekly as log
from presort.data.running.service import DEMO
from presort.desk.weekly import steps as weekly_steps
from presort.desk.weekly.commands import OF_DEMO
from presort.desk.weekly.job import BUG
from tests import forked
from tests.desk.command_line import invoke


@pytest.fixture
def presort(weekly, tmp_path, monkeypatch):
    """Run the command without any settings."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        return invoke(["--workspace", str(weekly.store.folder), "weekly", *words, "--jobs", "1"])

    return call


def test_a_successful_job_prints_each_step(presort):
    first = presort()
    assert (first.exit_code, first.stderr) == (0, "")
    assert first.stdout.splitlines()[:3] == [
        "New papers: No source of papers is configured.",
        "Ranking: 12 lists ranked.",
        "Mail to editors: No mail server is configured, so no notices are sent.",
    ]
    assert "Ranking" not in presort().stdout
    assert "Ranking: All rankings are up to date." in presort("--again").stdout


def test_the_demo_sends_no_mail_even_with_a_mail_server(presort, weekly, inbox, tmp_path):
    server, mail = (
        weekly.server,
        '[mail]\nhost = "{}"\nport = {}\nfrom = "{}"\n[weekly]\ndirector = "dee@example.org"\n',
    )
    (tmp_path / "presort.toml").write_text(mail.format(server.host, server.port, server.sender))
    catalogue.set_setting(weekly.store, DEMO, "1")
    assert f"Mail to editors: {OF_DEMO}" in presort("--dry-run").stdout
    assert f"Mail to editors: {OF_DEMO}" in presort().stdout
    assert inbox.envelopes == []


def test_a_failed_step_is_named_and_the_exit_code_is_1(presort, monkeypatch):
    def refuse(*_, **__):
        raise RefusedError("The disk is full.")

    monkeypatch.setattr(weekly_steps.workflow, "learn", refuse)
    ended = presort()
    assert ended.exit_code == 1
    assert ended.stderr == "Training ahead: failed. The disk is full.\n"
    assert "Mail to the director" in ended.stdout


def test_a_step_with_a_bug_is_named_and_the_exit_code_is_1(presort, monkeypatch, caplog):
    def fall(*_, **__):
        raise KeyError("Ann Lee")

    monkeypatch.setattr(weekly_steps.workflow, "learn", fall)
    ended = presort()
    assert ended.exit_code == 1
    assert f"Training ahead: failed. {BUG.format('KeyError')}" in ended.stderr
    assert "Mail to the director" in ended.stdout
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [KeyError]


@pytest.mark.whole
def test_a_json_log_has_the_state_of_each_step_and_no_addresses(weekly, tmp_path):
    people = '[mail]\nhost = "127.0.0.1"\nport = 9\nfrom = "ann@example.org"\n[weekly]\ndirector = "dee@example.org"\n'
    (tmp_path / "presort.toml").write_text(f'[log]\nformat = "json"\n{people}')
    words = ["--workspace", str(weekly.store.folder), "weekly", "--jobs", "1"]
    code, written = forked.run("from presort.desk.cli import app; app()", *words, folder=tmp_path)
    lines = [json.loads(line) for line in written.splitlines()]
    assert code == 1
    messages = {line["step"]: (line["level"], line["message"]) for line in lines if line["seconds"] >= 0}
    assert messages["rank"] == ("info", "Ranking: done.")
    assert messages["tell"] == ("error", "Mail to editors: failed.")
    assert [line.get("reason") for line in lines if line["step"] in ("rank", "tell")] == [
        None,
        "ConnectionRefusedError",
    ]
    assert "example.org" not in written
    (tmp_path / "presort.toml").write_text(f'[log]\nformat = "json"\n{people.replace("9", "0")}')
    (line,) = map(
        json.loads, forked.run("from presort.desk.cli import app; app()", *words, folder=tmp_path)[1].splitlines()
    )
    assert (line["level"], line["message"]) == (
        "error",
        "mail.port in presort.toml is '0'. It must be a number from 1 to 65535.",
    )


@pytest.mark.parametrize("words", [[], ["--dry-run"]], ids=["run", "dry"])
def test_a_new_service_without_papers_and_reports_has_no_failure(presort, weekly, empty_store, words):
    weekly.store = empty_store
    ended = presort(*words)
    assert (ended.exit_code, ended.stderr) == (0, "")


def test_a_dry_run_changes_no_file(presort, weekly):
    weekly.store.close()
    before = weekly.store.database.path.read_bytes()
    assert "12 lists pending, 12 without a ranking." in presort("--dry-run").stdout
    assert weekly.store.database.path.read_bytes() == before


def test_a_second_job_is_refused(presort, weekly):
    with log.weekly_lock(weekly.store):
        ended = presort()
    assert ended.exit_code == 1
    assert ended.stderr == "presort: The weekly job of this workspace is already running. Wait until it has ended.\n"


def test_an_invalid_setting_is_refused_before_the_first_step(presort, tmp_path):
    (tmp_path / "presort.toml").write_text("[mail]\nhost = 'a'\nport = 0\n")
    ended = presort()
    assert (ended.exit_code, ended.stdout) == (1, "")
