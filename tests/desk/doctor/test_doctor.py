"""`presort doctor`: its findings, and that it changes nothing and shows no secrets."""

import json
import shutil
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from socket import socket

import pytest

from presort.data import catalogue
from presort.data.learning.vectors import use_model
from presort.data.mail.editors import set_address
from presort.data.records import Editorship, Report, Role, SentenceModel
from presort.data.running import accounts, people, roles, service
from presort.data.running import weekly as log
from presort.data.running.scheduled_backups import run_schedule
from presort.data.tables import WeeklyStepRow
from presort.desk.doctor import checks
from presort.metrics import MEASURES
from tests.data.harvest.repository import Reply, envelope, repository
from tests.desk.command_line import invoke
from tests.desk.sending.mail_server import Inbox, running
from tests.desk.web.openid_provider import CLIENT, SECRET

DESK = "https://desk.example.org"


@pytest.fixture
def doctor(store, tmp_path, monkeypatch):
    """Run the command in a folder without settings. Returns the findings by subject."""
    monkeypatch.chdir(tmp_path)

    def call(*, workspace=store.folder, exit_code=None):
        ended = invoke(["--workspace", str(workspace), "doctor", "--json"])
        found = {one["about"]: (one["state"], one["says"]) for one in json.loads(ended.stdout)}
        assert ended.exit_code == any(state == "wrong" for state, _ in found.values())
        assert exit_code in (None, ended.exit_code)
        return found

    return call


def write(tmp_path, text):
    (tmp_path / "presort.toml").write_text(text)
    (tmp_path / "presort.toml").chmod(0o600)


def test_without_any_settings_nothing_is_wrong(doctor, store):
    before = store.database.path.read_bytes()
    found = doctor(exit_code=0)
    assert {about: state for about, (state, _) in found.items()} == {
        "Versions": "ok",
        "Settings": "missing",
        "Workspace": "ok",
        "Disk": "ok",
        "Mail": "missing",
        "Sign-in": "missing",
        "Weekly job": "missing",
        "Webhooks": "missing",
        "Installed rankers": "ok",
        "Installed measures": "ok",
        "Ranker": "ok",
        "Editors": "missing",
        "People": "missing",
        "Last job": "missing",
        "Backups": "missing",
        "Sentence model": "missing",
        "Clock": "ok",
        "Mail to readers": "missing",
        "Public pages": "missing",
    }
    assert store.database.path.read_bytes() == before


def test_each_finding_is_one_line(doctor, store):
    ended = invoke(["--workspace", str(store.folder), "doctor"])
    lines = ended.stdout.splitlines()
    assert len(lines) == len(doctor())
    assert all(line.startswith(("ok      ", "missing ", "wrong   ")) for line in lines)


def test_all_settings_are_checked(doctor, store, tmp_path):
    (tmp_path / "in").mkdir()
    inbox = Inbox()
    with running(inbox) as server:
        write(
            tmp_path,
            f"""
[mail]
host = "{server.host}"
port = {server.port}
from = "reports@example.org"
starttls = false
[weekly]
director = "dee@example.org"
import = "{tmp_path}/in"
[desk]
url = "https://desk.example.org"
[site]
url = "https://reports.example.org"
""",
        )
        found = doctor(exit_code=0)
    assert inbox.envelopes == []
    assert found["Mail"] == ("ok", f"Signed in to {server.host}:{server.port}. Sender: reports@example.org.")
    assert found["Weekly job"] == ("ok", f"Papers come from {tmp_path}/in. The summary goes to dee@example.org.")
    assert found["Mail to readers"][0] == "ok"
    assert found["Public pages"][0] == "missing"
    assert found["Settings"] == ("ok", "Settings come from presort.toml.")
    state, says = doctor()["Mail"]
    assert state == "wrong"
    assert "can't be reached" in says


def test_repositories_of_the_weekly_job_are_contacted(doctor, tmp_path):
    who = envelope("<Identify><repositoryName>Papers</repositoryName></Identify>")
    with repository(lambda asked: who) as open_, repository(lambda asked: Reply(status=404)) as gone:
        table = "[[weekly.harvest]]\nurl = '{}'\nprivate = {}\n"
        write(tmp_path, table.format(open_.url, "true"))
        assert doctor()["Weekly job"][0] == "missing", "no director is set"
        write(tmp_path, table.format(open_.url, "true") + table.format(gone.url, "true"))
        state, says = doctor(exit_code=1)["Weekly job"]
        assert (state, says) == ("wrong", f"{gone.url}?verb=Identify: the server responded with status 404.")
        write(tmp_path, table.format(open_.url, "false"))
        state, says = doctor(exit_code=1)["Weekly job"]
    assert (state, says.endswith(f"set private = true for {open_.url} if it is yours.")) == ("wrong", True)


def test_a_readable_password_is_wrong_and_never_shown(doctor, tmp_path):
    write(tmp_path, "[mail]\nhost = '127.0.0.1'\nport = 1\nfrom = 'r@example.org'\nuser = 'u'\npassword = 's3cret'\n")
    (tmp_path / "presort.toml").chmod(0o644)
    found = doctor(exit_code=1)
    assert found["Settings"] == (
        "wrong",
        "Other users can read the passwords in presort.toml. Run chmod 600 presort.toml.",
    )
    assert "s3cret" not in json.dumps(found)


def test_an_invalid_setting_is_reported_under_its_subject(doctor, tmp_path):
    write(tmp_path, "[weekly]\nimport = '/no/such/folder'\n")
    assert doctor(exit_code=1)["Weekly job"][1].startswith("The import folder /no/such/folder is missing")
    write(tmp_path, "[site]\nurl = 'x'\n")
    assert doctor(exit_code=1)["Public pages"] == (
        "wrong",
        "'x' is not a web address. PRESORT_SITE_URL must begin with https://.",
    )


def test_a_missing_and_a_damaged_workspace_are_named(doctor, tmp_path, store):
    found = doctor(workspace=tmp_path / "none", exit_code=1)
    assert found["Workspace"][1].startswith(f"There is no workspace in {tmp_path}/none")
    assert "Ranker" not in found
    store.close()
    with store.database.path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\0" * 8192)
    assert doctor(exit_code=1)["Workspace"][0] == "wrong"


def test_too_little_disk_space_is_wrong(doctor, monkeypatch):
    monkeypatch.setattr(checks, "ROOM", 1e18)
    assert "need more free space" in doctor(exit_code=1)["Disk"][1]


def test_editors_rankers_and_the_last_job(doctor, store):
    for one in ("lab", "mac"):
        people.add_editorship(store, Editorship(one, "Ann", date(2000, 1, 1)), person="Dee")
    assert "No email address: Ann." in doctor()["Editors"][1]
    set_address(store, "Ann", "ann@example.org")
    assert doctor()["Editors"][1].startswith("No editor: ")
    assert "Ann" not in doctor()["Editors"][1]
    service.set_rankers(store, "presort-9", [], person="Dee")
    assert doctor(exit_code=1)["Ranker"][0] == "wrong"
    log.begin(store, date(2026, 11, 23), "rank")
    log.end(store, date(2026, 11, 23), "rank", "failed", "No report.")
    assert "Ranking: failed. No report." in doctor()["Last job"][1]


def test_a_missing_sentence_model_and_a_clock_that_was_set_back(doctor, store, tmp_path):
    use_model(store, SentenceModel("small", "0" * 64, 128, 8, str(tmp_path / "gone")))
    with store.writing() as connection:
        late = datetime.now(UTC) + timedelta(days=1)
        connection.execute(
            WeeklyStepRow.__table__.insert().values(
                week=late.date(), step="rank", state="done", began_at=late, message=""
            )
        )
    found = doctor(exit_code=1)
    assert found["Sentence model"] == (
        "wrong",
        f"{tmp_path}/gone has no model.onnx and no tokenizer.json. New papers get no sentence vectors.",
    )
    assert found["Clock"][1].endswith("(UTC). Set the clock.")
    (tmp_path / "gone").mkdir()
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / "gone" / name).touch()
    assert doctor()["Sentence model"] == ("ok", "Sentence vectors are computed by small.")


def test_without_a_director_who_can_sign_in_people_are_wrong(doctor, store, tmp_path, provider):
    def set_up(secret):
        signs_in = f"metadata = '{provider.address}/metadata'\nclient = '{CLIENT}'\nsecret = '{secret}'\n"
        write(tmp_path, f"[desk]\nurl = '{DESK}'\n[sign_in]\n{signs_in}")

    set_up(SECRET)
    found = doctor(exit_code=1)
    assert found["Sign-in"][0] == "ok"
    assert found["People"][1].startswith("No director can sign in. Run 'presort people invite NAME --director'")
    roles.grant(store, Role("Dora", "director"), person="manage")
    accounts.invite(store, "Dora", person="manage")
    people.add_editorship(store, Editorship("lab", "Ann", date(2026, 1, 5)), person="manage")
    assert doctor(exit_code=0)["People"] == ("missing", "0 accounts can sign in. Not invited: Ann.")
    accounts.invite(store, "Ann", person="manage")
    assert doctor(exit_code=0)["People"] == ("ok", "0 accounts can sign in.")
    set_up("another")
    assert doctor(exit_code=1)["Sign-in"][0] == "wrong"
    write(tmp_path, f"[sign_in]\nclient = '{CLIENT}'\nsecret = '{SECRET}'\n")
    found = doctor(exit_code=1)
    assert found["Sign-in"][1].startswith("Sign-in is incomplete")
    assert SECRET not in json.dumps(found)


def test_before_the_first_run_the_commands_are_named(doctor, tmp_path):
    write(tmp_path, f"[backup]\nfolder = '{tmp_path}/to'\n")
    found = doctor()
    assert "'presort db backup --scheduled'" in found["Backups"][1]
    assert any("'presort weekly'" in text for _, text in found.values())
    assert not any("set up a timer" in text or "Start presort-" in text for _, text in found.values())


def test_backups_are_checked_for_age_space_and_damage(doctor, store, tmp_path, monkeypatch):
    def back_up(before):
        hour = timedelta(hours=1)
        now = datetime.now(UTC) - before * hour
        return run_schedule(store.folder, tmp_path / "to", every=hour, daily=7, weekly=4, now=now).newest.path

    assert doctor()["Backups"][0] == "missing"
    write(tmp_path, f"[backup]\nfolder = '{tmp_path}/to'\n")
    assert doctor(exit_code=0)["Backups"][0] == "missing"
    assert not (tmp_path / "to").exists()
    back_up(49)
    state, says = doctor(exit_code=1)["Backups"]
    assert (state, "49 hours old" in says, "every 24 hours" in says) == ("wrong", True, True)
    newest = back_up(25)
    state, says = doctor(exit_code=0)["Backups"]
    assert (state, str(newest) in says) == ("ok", True)
    real, no_space = shutil.disk_usage, shutil.disk_usage(tmp_path)._replace(free=newest.stat().st_size - 1)
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "disk_usage", lambda place: no_space if place == tmp_path / "to" else real(place))
        assert "no space" in doctor(exit_code=1)["Backups"][1]
    before = newest.read_bytes()
    assert list((tmp_path / "to").glob("*.db-*")) == []
    newest.write_bytes(before[: len(before) // 2])
    state, says = doctor(exit_code=1)["Backups"]
    assert (state, newest.name in says) == ("wrong", True)
    write(tmp_path, f"[backup]\nfolder = '{tmp_path}/to'\nevery = 0\n")
    assert "whole number from 1 to" in doctor(exit_code=1)["Backups"][1]


def test_an_empty_workspace_has_no_editors(doctor, empty_store):
    found = doctor(workspace=empty_store.folder, exit_code=0)
    assert (found["Editors"][0], "no reports" in found["Editors"][1]) == ("missing", True)
    catalogue.add_reports(empty_store, [Report("lab", "Labour")])
    assert doctor(workspace=empty_store.folder)["Editors"] == ("missing", "No editor: lab.")


def test_checks_of_silent_servers_time_out(doctor, tmp_path, monkeypatch):
    monkeypatch.setattr(checks, "AT_MOST", 0.1)
    with socket() as silent, socket() as drops:
        for one in (silent, drops):
            one.bind(("127.0.0.1", 0))
            one.listen()
        port, url = silent.getsockname()[1], f"http://127.0.0.1:{drops.getsockname()[1]}/oai"
        write(
            tmp_path,
            f"[mail]\nhost = '127.0.0.1'\nport = {port}\nfrom = 'r@example.org'\nstarttls = false\n"
            f"[[weekly.harvest]]\nurl = '{url}'\nprivate = true\n[desk]\nurl = '{DESK}'\n"
            f"[sign_in]\nmetadata = 'http://127.0.0.1:{port}/x'\nclient = 'a'\nsecret = 's3cret'\n",
        )
        found = doctor(exit_code=1)
    for about in ("Mail", "Sign-in", "Weekly job"):
        assert (found[about][0], "0.1 seconds" in found[about][1]) == ("wrong", True), found[about]
    assert url in found["Weekly job"][1]
    assert "s3cret" not in json.dumps(found)


def test_measures_of_packages_and_their_problems_are_named(doctor, monkeypatch):
    ours = MEASURES["nosel"]
    monkeypatch.setattr(
        checks.registry, "MEASURES", {**MEASURES, "theirs": replace(ours, name="theirs", label="Theirs")}
    )
    assert doctor()["Installed measures"] == ("ok", "From other packages: Theirs.")
    monkeypatch.setattr(checks.registry, "problems", lambda: ["Measure gone of them was skipped: ImportError"])
    assert doctor()["Installed measures"] == ("wrong", "Measure gone of them was skipped: ImportError.")
