"""The *People* part of *Manage*, and the commands `presort people`."""

import json
import re
from contextlib import closing
from datetime import UTC, datetime

import pytest

from presort.data.records import GivenRole, Identity, Role
from presort.data.running import accounts, roles
from presort.data.running.audit import audit
from presort.data.running.given_roles import note_sign_in
from presort.data.store import open_store
from presort.desk import access
from presort.desk.jobs.queue import JobQueue
from presort.desk.manage.members import DIRECTOR, EDITOR, NO_SIGN_IN
from presort.desk.manage.tables import member_table, role_label
from presort.desk.text import escape
from presort.desk.ui import download, visitor
from tests.desk.command_line import invoke
from tests.desk.manage.managing import pick, press, refused
from tests.desk.manage.test_commands import opened, presort  # noqa: F401  (fixtures)
from tests.desk.sending.mail_server import Inbox, running
from tests.desk.web.test_sign_in import SIGN_IN

ISSUER = "https://id.example.org"


def invite(page, name, kind=EDITOR):
    press(page, "open-invite")
    page.text_input(key="invited-name").set_value(name)
    page.radio(key="invited-as").set_value(kind).run()
    return press(page, "invite")


def test_an_invitation_link_is_shown_once(open_manage, store, monkeypatch):
    monkeypatch.setenv("PRESORT_DESK_URL", "https://desk.example.org/")
    page = open_manage(store, "people")
    assert page.info[0].value == NO_SIGN_IN
    invite(page, "Dora", DIRECTOR)
    (link,) = [one.value for one in page.code]
    assert re.fullmatch(r"https://desk\.example\.org/\?invitation=[\w-]{22}", link)
    page.button(key="passed-on").click().run()
    assert not page.code
    assert roles.all_roles(store) == [Role("Dora", "director")]
    accounts.accept(store, link[-22:], Identity(ISSUER, "dora"))
    assert [one.n_identities for one in roles.members(store)] == [1]


def test_only_inviting_a_director_creates_a_new_workspace(tmp_path, monkeypatch):
    def invite(*words):
        return invoke(["--workspace", str(tmp_path / "new"), "people", "invite", *words])

    assert "There is no workspace in" in invite("Dora", "--director").stderr  # without sign-in
    for name, value in SIGN_IN.items():
        monkeypatch.setenv(name, value)
    assert "There is no workspace in" in invite("Ann").stderr
    assert not (tmp_path / "new").exists()
    assert invite("Dora", "--director").exit_code == 0
    assert invite("Ann").exit_code == 0
    with closing(open_store(tmp_path / "new")) as store:
        assert roles.all_roles(store) == [Role("Dora", "director")]


@pytest.fixture
def inbox(monkeypatch):
    """Configured mail server, and the desk's address."""
    kept = Inbox()
    with running(kept) as server:
        monkeypatch.setenv("PRESORT_DESK_URL", "https://desk.example.org/")
        for name, value in {"HOST": server.host, "PORT": server.port, "FROM": server.sender, "STARTTLS": "no"}.items():
            monkeypatch.setenv(f"PRESORT_SMTP_{name}", str(value))
        yield kept


def test_an_invitation_is_hidden_after_it_was_mailed(open_manage, store, inbox):
    inbox.refuses["full@example.org"] = "552 full"
    page = open_manage(store, "people")
    invite(page, "Dora")
    (link,) = [one.value for one in page.code]
    page.text_input(key="invited-address-Dora").set_value("full@example.org").run()
    page.button(key="mail-invitation").click().run()
    why = "The email to full@example.org was not delivered: 552 full. Try again, or pass on the link yourself."
    assert [one.value for one in page.error] == [escape(why)]
    assert [one.value for one in page.code] == [link]  # the link is still valid
    page.text_input(key="invited-address-Dora").set_value("dora@example.org").run()
    page.button(key="mail-invitation").click().run()
    assert not page.error
    assert not page.code
    ((mail,),) = inbox.got.values()
    assert (mail["To"], mail["Auto-Submitted"]) == ("Dora <dora@example.org>", "auto-generated")
    assert link in mail.get_content().split()
    assert accounts.accept(store, link[-22:], Identity(ISSUER, "dora")) == "Dora"


@pytest.mark.usefixtures("inbox")
def test_the_address_field_is_empty_for_the_next_invitation(open_manage, store):
    page = open_manage(store, "people")

    def field(label):
        (one,) = (one for one in page.text_input if one.label == label)
        return one

    for name in ("Dora", "Bo"):
        invite(page, name)
        assert not field("Email address").value
        field("Email address").set_value("dora@example.org").run()


def test_without_a_mail_server_no_mail_is_offered(open_manage, store, monkeypatch):
    monkeypatch.setenv("PRESORT_DESK_URL", "https://desk.example.org/")
    page = open_manage(store, "people")
    invite(page, "Dora")
    assert page.code
    assert "mail-invitation" not in [button.key for button in page.button]


def test_a_command_mails_an_invitation_or_reports_the_error(presort, opened, inbox, monkeypatch):  # noqa: F811
    output = presort("people", "invite", "Dora", "--mail", "dora@example.org").stdout.splitlines()
    assert "dora@example.org" in output[1]
    assert output[0] in inbox.got["dora@example.org"][0].get_content().split()
    wrong = presort("people", "invite", "Bo", "--mail", "bo at example.org")
    assert wrong.exit_code == 1
    assert "is not an email address" in wrong.stderr
    monkeypatch.delenv("PRESORT_DESK_URL")
    refused = presort("people", "invite", "Vic", "--mail", "vic@example.org")
    assert "without the address of the desk. Set desk.url" in refused.stderr
    assert [one.name for one in roles.members(opened)] == ["Dora"]


@pytest.fixture
def staff(store):
    """A director and a viewer."""
    for one in (Role("Dora", "director"), Role("Vic", "viewer", "lab")):
        roles.grant(store, one, person="manage")
    return store


def test_a_role_from_a_group_is_shown_and_cannot_be_removed(open_manage, staff):
    until = datetime.now(UTC) + access.SIGNED_IN_FOR
    given = [GivenRole("director"), GivenRole("editor", "lab")]
    note_sign_in(staff, Identity(ISSUER, "ann"), given, name="Ann", until=until)
    assert member_table(staff)["may"][0] == "director (by group); editor of lab (by group)"
    roles.grant(staff, Role("Ann", "director"), person="manage")
    assert member_table(staff)["may"][0] == "director (also by group); editor of lab (by group)"
    roles.revoke(staff, Role("Ann", "director"), person="manage")
    page = pick(open_manage(staff, "people"), "members", 0)
    captions = " ".join(one.value for one in page.caption)
    for label in map(role_label, given):
        assert f"Role from a group: {label}." in captions
    assert "open Editors" not in captions
    assert not [button.key for button in page.button if str(button.key).startswith("take-role-away")]


def test_a_role_is_removed_at_once_and_restored_by_undo(open_manage, staff):
    page = pick(open_manage(staff, "people"), "members", 1)
    press(page, "take-role-away-0")
    assert roles.all_roles(staff) == [Role("Dora", "director")]
    press(page, "undo")
    assert Role("Vic", "viewer", "lab") in roles.all_roles(staff)


def test_the_only_director_cannot_be_removed(open_manage, staff):
    page = pick(open_manage(staff, "people"), "members", 0)
    press(page, "remove-member")
    assert "Dora" in refused(page, "change-it")
    assert Role("Dora", "director") in roles.all_roles(staff)


def test_erasing_a_person_requires_confirmation(open_manage, staff):
    page = pick(open_manage(staff, "people"), "members", 1)
    press(page, "erase-member")
    press(page, "leave-it")
    assert [one.name for one in roles.members(staff)] == ["Dora", "Vic"]
    press(pick(page, "members", 1), "erase-member")
    press(page, "change-it")
    assert [one.name for one in roles.members(staff)] == ["Dora"]
    assert "undo" not in [button.key for button in page.button]


def test_commands_invite_list_remove_and_erase(presort, opened):  # noqa: F811
    assert "--director" in presort("people").stdout
    output = presort("people", "invite", "Dora", "--director").stdout
    code = output.splitlines()[0]
    assert accounts.accept(opened, code, Identity(ISSUER, "dora")) == "Dora"
    presort("reports", "add", "lab", "Labour")
    presort("people", "invite", "Vic", "--viewer", "lab")
    listed = json.loads(presort("people", "--json").stdout)
    assert [(one["name"], one["may"], one["signs_in"][:7]) for one in listed] == [
        ("Dora", "director", "yes"),
        ("Vic", "viewer of lab", "invited"),
    ]
    assert presort("people", "take-away", "Vic").exit_code == 2
    assert presort("people", "take-away", "Vic", "--viewer", "lab").exit_code == 0
    assert "is the only director" in presort("people", "remove", "Dora").stderr
    assert "There is no user 'Nora'" in presort("people", "remove", "Nora").stderr
    assert presort("people", "erase", "Vic").exit_code == 0
    assert [one.name for one in roles.members(opened)] == ["Dora"]
    assert presort("people", "invite", "X", "--director", "--viewer", "lab").exit_code == 2


def test_personal_data_can_be_downloaded(open_manage, staff, monkeypatch):
    offered = []
    monkeypatch.setattr(download.st, "download_button", lambda label, make, **options: offered.append((make, options)))
    page = pick(open_manage(staff, "people"), "members", 1)
    assert not page.exception
    make, options = next(one for one in offered if one[1]["key"] == "offer-personal-data.json")
    assert audit(staff, 1, kinds=["other"]) == []  # nothing is exported before the click
    found = json.loads(make())
    assert (found["name"], found["tables"]["role"]["rows"][0]["report"]) == ("Vic", "lab")
    assert options["mime"] == "application/json"
    ((exported),) = audit(staff, 1, kinds=["other"])
    assert (exported.person, exported.subject) == (access.PERSON, "Vic")


def test_personal_data_is_exported_to_a_new_private_file(presort, opened, tmp_path):  # noqa: F811
    presort("people", "invite", "Vic")
    JobQueue(opened.folder).put("import", {}, person="Vic")
    path = tmp_path / "vic.json"
    assert presort("people", "export", "Nora", path).exit_code == 1
    assert not path.exists()
    assert presort("people", "export", "Vic", path).exit_code == 0
    assert path.stat().st_mode & 0o777 == 0o600
    found = json.loads(path.read_text())
    assert (found["name"], len(found["tables"]["invitation"]["rows"])) == ("Vic", 1)
    assert found["background_jobs"] == [{"kind": "import", "request": "{}", "state": None, "message": ""}]
    before = path.read_bytes()
    n_exports = len(audit(opened, 9, kinds=["other"]))
    refused = presort("people", "export", "Vic", path)
    assert (refused.exit_code, "already exists" in refused.stderr) == (1, True)
    assert (path.read_bytes(), len(audit(opened, 9, kinds=["other"]))) == (before, n_exports)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["vic.json", "workspace"]


@pytest.mark.usefixtures("presort")
def test_a_local_desk_requires_no_sign_in():
    assert not visitor.must_sign_in()
    assert visitor.person() == "editor"


def test_the_log_can_be_searched_on_its_page_and_by_command(open_manage, store, monkeypatch):
    roles.grant(store, Role("Vic", "viewer", "lab"), person="Dora")
    roles.grant(store, Role("Vic", "viewer", "mac"), person=access.PERSON)
    page = open_manage(store, "log")
    page.selectbox(key="who-Changes").select(access.PERSON).run()
    assert page.dataframe[0].value["person"].tolist() == ["this desk"]
    page.selectbox(key="who-Changes").select("Dora").run()
    assert page.dataframe[0].value[["action", "subject", "after"]].values.tolist() == [["Role", "Vic", "viewer"]]
    page.text_input(key="log-words-Changes").set_value("no such thing").run()
    assert not page.dataframe
    assert not page.exception
    listed = invoke(["--workspace", str(store.folder), "log", "--person", "Dora", "--json"])
    (one,) = json.loads(listed.stdout)
    assert (one["action"], one["subject"], one["report"], one["place"]) == ("Role", "Vic", "lab", "desk")
    listed = invoke(["--workspace", str(store.folder), "log", "--person", "this desk", "--json"])
    assert [one["report"] for one in json.loads(listed.stdout)] == ["mac"]
    wrong = invoke(["--workspace", str(store.folder), "log", "--kind", "nothing"])
    assert wrong.exit_code == 2
