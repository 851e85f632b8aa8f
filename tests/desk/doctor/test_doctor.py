"""What `presort doctor` finds, and that it changes and betrays nothing."""

import json
import threading
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from presort.data.learning.vectors import use_model
from presort.data.mail.editors import set_address
from presort.data.records import Editorship, Role, SentenceModel
from presort.data.running import accounts, people, roles, service
from presort.data.running import weekly as log
from presort.data.tables import WeeklyStepRow
from presort.desk.doctor import checks
from presort.metrics import MEASURES
from tests.data.harvest.repository import Reply, envelope, repository
from tests.desk.command_line import invoke
from tests.desk.sending.mail_server import Inbox, running


@pytest.fixture
def doctor(store, tmp_path, monkeypatch):
    """Call it where nothing is set, and give what was found by what it is about."""
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


def test_without_anything_set_nothing_is_wrong(doctor, store):
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
        "Public pages": "missing",
        "Installed rankers": "ok",
        "Installed measures": "ok",
        "Ranker": "ok",
        "Editors": "missing",
        "People": "missing",
        "Last job": "missing",
        "Sentence model": "missing",
        "Clock": "ok",
    }
    assert store.database.path.read_bytes() == before


def test_it_prints_a_line_for_each(doctor, store):
    ended = invoke(["--workspace", str(store.folder), "doctor"])
    lines = ended.stdout.splitlines()
    assert len(lines) == len(doctor())
    assert all(line.startswith(("ok      ", "missing ", "wrong   ")) for line in lines)


def test_all_that_is_set_is_tried(doctor, store, tmp_path):
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
    assert found["Public pages"] == ("ok", "Public pages are at https://reports.example.org.")
    assert found["Settings"] == ("ok", "Settings come from presort.toml.")
    state, says = doctor()["Mail"]
    assert state == "wrong"
    assert "can't be reached" in says


def test_each_repository_of_the_weekly_job_is_asked_who_it_is(doctor, tmp_path):
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


def test_a_password_that_others_can_read_is_wrong_and_never_shown(doctor, tmp_path):
    write(tmp_path, "[mail]\nhost = '127.0.0.1'\nport = 1\nfrom = 'r@example.org'\nuser = 'u'\npassword = 's3cret'\n")
    (tmp_path / "presort.toml").chmod(0o644)
    found = doctor(exit_code=1)
    assert found["Settings"] == (
        "wrong",
        "Other users can read the passwords in presort.toml. Run chmod 600 presort.toml.",
    )
    assert "s3cret" not in json.dumps(found)


def test_a_wrong_setting_is_wrong_wherever_it_counts(doctor, tmp_path):
    write(tmp_path, "[weekly]\nimport = '/no/such/folder'\n[site]\nurl = 'x'\n")
    found = doctor(exit_code=1)
    assert found["Weekly job"][1].startswith("The import folder /no/such/folder is missing")
    assert found["Public pages"] == (
        "wrong",
        "'x' is not a web address. PRESORT_SITE_URL must begin with https://.",
    )


def test_a_folder_without_a_workspace_and_a_damaged_one_are_named(doctor, tmp_path, store):
    found = doctor(workspace=tmp_path / "none", exit_code=1)
    assert found["Workspace"][1].startswith(f"There is no workspace in {tmp_path}/none")
    assert "Ranker" not in found
    store.close()
    with store.database.path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\0" * 8192)
    assert doctor(exit_code=1)["Workspace"][0] == "wrong"


def test_little_room_is_wrong(doctor, monkeypatch):
    monkeypatch.setattr(checks, "ROOM", 1e18)
    assert "Free more space" in doctor(exit_code=1)["Disk"][1]


def test_editors_rankers_and_the_last_job(doctor, store):
    for one in ("lab", "mac"):
        people.add_editorship(store, Editorship(one, "Ann", date(2000, 1, 1)), person="Dee")
    assert "No mail address: Ann." in doctor()["Editors"][1]
    set_address(store, "Ann", "ann@example.org")
    assert doctor()["Editors"][1].startswith("No editor: ")
    assert "Ann" not in doctor()["Editors"][1]
    service.set_rankers(store, "presort-9", [], person="Dee")
    assert doctor(exit_code=1)["Ranker"][0] == "wrong"
    log.begin(store, date(2026, 11, 23), "rank")
    log.end(store, date(2026, 11, 23), "rank", "failed", "No report.")
    assert "Ranking: failed. No report." in doctor()["Last job"][1]


def test_a_model_that_is_gone_and_a_clock_that_went_back(doctor, store, tmp_path):
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
        f"{tmp_path}/gone: model.onnx and tokenizer.json missing. New papers get no sentence vectors.",
    )
    assert found["Clock"][1].endswith("(UTC). Set the clock.")
    (tmp_path / "gone").mkdir()
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / "gone" / name).touch()
    assert doctor()["Sentence model"] == ("ok", "Sentence vectors are computed by small.")


class Provider(BaseHTTPRequestHandler):
    """Describes itself as a provider of OpenID Connect does, or says something else."""

    def do_GET(self):
        described = dict.fromkeys(checks.NEEDED, "https://id.example.org")
        self.send_response(404 if self.path == "/missing" else 200)
        self.end_headers()
        self.wfile.write(json.dumps({} if self.path == "/other" else described).encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def provider():
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_provider_is_asked_and_somebody_has_to_direct(doctor, store, tmp_path, provider):
    def set_up(path):
        signs_in = f"metadata = '{provider}/{path}'\nclient = 'presort'\nsecret = 's3cret'\n"
        write(tmp_path, f"[desk]\nurl = 'https://desk.example.org'\n[sign_in]\n{signs_in}")

    set_up("described")
    found = doctor(exit_code=1)
    way_back = "Register https://desk.example.org/oauth2callback there as the redirect URI"
    assert found["Sign-in"] == ("ok", f"Provider: https://id.example.org. {way_back}.")
    assert found["People"][1].startswith("No director can sign in. Run 'presort people invite NAME --director'")
    roles.grant(store, Role("Dora", "director"), person="manage")
    accounts.invite(store, "Dora", person="manage")
    people.add_editorship(store, Editorship("lab", "Ann", date(2026, 1, 5)), person="manage")
    assert doctor(exit_code=0)["People"] == ("missing", "0 accounts can sign in. Not invited: Ann.")
    accounts.invite(store, "Ann", person="manage")
    assert doctor(exit_code=0)["People"] == ("ok", "0 accounts can sign in.")
    set_up("missing")
    assert "404" in doctor(exit_code=1)["Sign-in"][1]
    set_up("other")
    assert "Missing: issuer, authorization_endpoint" in doctor(exit_code=1)["Sign-in"][1]
    write(tmp_path, "[sign_in]\nclient = 'presort'\nsecret = 's3cret'\n")
    found = doctor(exit_code=1)
    assert found["Sign-in"][1].startswith("Sign-in is incomplete")
    assert "s3cret" not in json.dumps(found)


def test_it_names_the_measures_that_packages_bring_and_what_is_wrong_with_them(doctor, monkeypatch):
    ours = MEASURES["nosel"]
    monkeypatch.setattr(
        checks.registry, "MEASURES", {**MEASURES, "theirs": replace(ours, name="theirs", label="Theirs")}
    )
    assert doctor()["Installed measures"] == ("ok", "From other packages: Theirs.")
    monkeypatch.setattr(checks.registry, "problems", lambda: ["Measure gone of them was skipped: ImportError"])
    assert doctor()["Installed measures"] == ("wrong", "Measure gone of them was skipped: ImportError.")
