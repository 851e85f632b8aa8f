"""Accounts: who can sign in, with which rights, and how access ends."""

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import update

from presort.data import catalogue
from presort.data.editing.preferences import preference, set_preference
from presort.data.errors import RefusedError
from presort.data.mail import editors, notices
from presort.data.records import Editorship, Identity, Member, Notice, Report, Role
from presort.data.rights import SignedOutError
from presort.data.running import accounts, people, roles, weekly
from presort.data.running.audit import audit, people_in_log
from presort.data.tables import InvitationRow
from presort.desk.jobs.queue import JobQueue

ANN = Identity("https://id.example.org", "1234")
NOW = datetime.now(UTC).replace(microsecond=0)
DAY = timedelta(days=1)


@pytest.fixture
def service(store):
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    return store


def join(store, name, identity=ANN):
    return accounts.accept(store, accounts.invite(store, name, person="Dora"), identity)


def test_an_account_belongs_to_the_person_named_in_its_invitation(service):
    assert roles.member(service, ANN, NOW) is None
    assert join(service, "Ann") == "Ann"
    assert roles.member(service, ANN, NOW) == Member("Ann")
    for other in (Identity(ANN.issuer, "12345"), Identity("https://other.example.org", ANN.subject)):
        assert roles.member(service, other, NOW) is None


def test_a_person_may_have_several_accounts_but_an_account_is_one_person(service):
    join(service, "Ann")
    join(service, "Ann", Identity("https://other.example.org", "ann"))
    assert roles.members(service) == [Member("Ann", n_identities=2)]
    code = accounts.invite(service, "Bo", person="Dora")
    with pytest.raises(RefusedError, match="is already in use"):
        accounts.accept(service, code, ANN)


def test_an_invitation_works_once_within_two_weeks(service):
    code = accounts.invite(service, "Ann", person="Dora")
    newer = accounts.invite(service, "Ann", person="Dora")
    for void in (code, newer.swapcase(), "", "x" * 22, f"{newer} "):
        with pytest.raises(RefusedError, match="not valid"):
            accounts.accept(service, void, ANN)
    accounts.accept(service, newer, ANN)
    with pytest.raises(RefusedError, match="not valid"):
        accounts.accept(service, newer, Identity("https://id.example.org", "another"))
    late = accounts.invite(service, "Bo", person="Dora")
    with service.writing() as connection:
        connection.execute(update(InvitationRow).values(made_at=NOW - accounts.VALID - timedelta(minutes=1)))
    with pytest.raises(RefusedError, match="older than two weeks"):
        accounts.accept(service, late, Identity("https://id.example.org", "bo"))


@pytest.mark.of_file
def test_the_code_is_never_stored(service):
    code = accounts.invite(service, "Ann", person="Dora")
    service.close()
    assert code.encode() not in service.database.path.read_bytes()


def test_rights_depend_on_todays_terms(service):
    join(service, "Ann")
    today = date.today()  # a run of all tests may have started yesterday
    for one in (
        Editorship("lab", "Ann", today - 9 * DAY, today),
        Editorship("his", "Ann", today + DAY),
        Editorship("his", "Bo", today - DAY),
    ):
        people.add_editorship(service, one, person="Dora")
    assert roles.member(service, ANN, NOW).edits == {"lab"}
    people.add_editorship(service, Editorship("his", "Ann", today, today, away="Bo"), person="Dora")
    assert roles.member(service, ANN, NOW).edits == {"lab", "his"}
    people.end_editorship(service, Editorship("lab", "Ann", today - 9 * DAY, today), today - DAY, person="Dora")
    assert roles.member(service, ANN, NOW).edits == {"his"}
    people.end_editorship(service, Editorship("his", "Bo", today - DAY), today - DAY, person="Dora")
    assert roles.member(service, ANN, NOW).edits == set()  # there is no editor to substitute for
    assert [one.edits for one in roles.members(service)] == [set()]


def test_roles_are_granted_and_revoked(service):
    dora, vic = Role("Dora", "director"), Role("Vic", "viewer", "lab")
    roles.grant(service, dora, person="manage")
    roles.grant(service, vic, person="Dora")
    assert roles.members(service) == [Member("Dora", is_director=True), Member("Vic", views=frozenset({"lab"}))]
    with pytest.raises(RefusedError, match="already has this role"):
        roles.grant(service, vic, person="Dora")
    roles.revoke(service, vic, person="Dora")
    with pytest.raises(RefusedError, match="Vic does not have this role"):
        roles.revoke(service, vic, person="Dora")
    with pytest.raises(RefusedError, match="no report 'mac'"):
        roles.grant(service, Role("Vic", "viewer", "mac"), person="Dora")
    roles.grant(service, vic, person="Dora")
    assert roles.all_roles(service) == [dora, vic]


def test_the_last_director_can_not_be_removed(service):
    roles.grant(service, Role("Dora", "director"), person="manage")
    for end in (
        lambda: roles.revoke(service, Role("Dora", "director"), person="Dora"),
        lambda: accounts.remove(service, "Dora", person="Dora"),
        lambda: accounts.erase(service, "Dora", person="Dora", forget_jobs=JobQueue(service.folder).forget_person),
    ):
        with pytest.raises(RefusedError, match="Dora is the only director"):
            end()
    roles.grant(service, Role("Dan", "director"), person="Dora")
    accounts.remove(service, "Dora", person="Dan")
    assert [one.name for one in roles.members(service)] == ["Dan"]


def test_signing_out_ends_that_sign_in_and_older_ones(service):
    join(service, "Ann")
    accounts.sign_out(service, ANN, NOW)
    for before in (NOW, NOW - DAY):
        with pytest.raises(SignedOutError):
            roles.member(service, ANN, before)
    assert roles.member(service, ANN, NOW + timedelta(seconds=1)).name == "Ann"
    accounts.sign_out(service, ANN, NOW - DAY)  # from a window in which the page is still open
    with pytest.raises(SignedOutError):
        roles.member(service, ANN, NOW)


def test_a_removed_person_has_no_rights_until_a_new_invitation(service):
    join(service, "Ann")
    roles.grant(service, Role("Ann", "viewer", "lab"), person="Dora")
    left = accounts.invite(service, "Ann", person="Dora")
    accounts.remove(service, "Ann", person="Dora")
    assert roles.member(service, ANN, NOW) is None
    assert roles.members(service) == []
    with pytest.raises(RefusedError, match="not valid"):
        accounts.accept(service, left, ANN)
    join(service, "Ann")
    assert roles.member(service, ANN, NOW) == Member("Ann")
    with pytest.raises(RefusedError, match="There is no person 'Nora'"):
        accounts.remove(service, "Nora", person="Dora")


@pytest.mark.of_file
def test_an_erased_person_leaves_no_name(service):
    join(service, "Ann Unusual")
    people.add_editorship(service, Editorship("lab", "Ann Unusual", date.today() - 9 * DAY), person="Dora")
    people.set_affiliation(service, "Ann Unusual", "University of X")
    set_preference(service, "Ann Unusual", "plain", "true")
    with pytest.raises(RefusedError, match=r"Ann Unusual edits a report\. End the editorship first"):
        accounts.erase(service, "Ann Unusual", person="Dora", forget_jobs=JobQueue(service.folder).forget_person)
    editors.set_address(service, "Ann Unusual", "unusual@example.org")
    claimed = notices.claim(service, [Notice("pending", date.today(), "lab", "Ann Unusual")])
    notices.settle(service, claimed, "refused", "550 <unusual@example.org>: no such user")
    weekly.begin(service, date.today(), "tell")
    weekly.end(service, date.today(), "tell", "failed", "Unusual@example.org was not told. Ann Unusual: no address.")
    old = people.editorships(service)[0]
    people.end_editorship(service, old, date.today() - DAY, person="Dora")
    alias = accounts.erase(service, "Ann Unusual", person="Dora", forget_jobs=JobQueue(service.folder).forget_person)
    assert weekly.newest_steps(service)[0].message == f"{alias} was not told. {alias}: no address."
    assert [one.editor for one in people.editorships(service)] == [alias]
    assert people.affiliations(service) == {alias: ""}
    assert preference(service, alias, "plain") is None
    assert roles.member(service, ANN, NOW) is None
    service.close()
    for left in ("Ann Unusual", "University of X", "unusual@example.org"):
        assert left.encode() not in service.database.path.read_bytes()


def test_a_person_is_found_and_completely_erased_if_the_given_name_has_extra_spaces(service):
    for name in ("Ann Lee", "Dan"):
        roles.grant(service, Role(name, "director"), person="Dora")
    forgotten = []
    alias = accounts.erase(service, " Ann  Lee", person="Dora", forget_jobs=forgotten.append)
    assert forgotten == ["Ann Lee"]
    assert roles.all_roles(service) == [Role("Dan", "director")]
    assert people_in_log(service) == ["Dan", "Dora", alias, "manage"]
    roles.grant(service, Role("Bo Ek", "viewer", "lab"), person="Dora")
    accounts.remove(service, "Bo  Ek ", person="Dora")
    assert roles.all_roles(service) == [Role("Dan", "director")]


def test_an_erased_person_never_gets_the_name_of_another_person(service):
    join(service, "Ann")
    join(service, "Bo", Identity(ANN.issuer, "bo"))
    forget_jobs = JobQueue(service.folder).forget_person
    names = [accounts.erase(service, "Ann", person="Dora", forget_jobs=forget_jobs)]
    number = int(names[0].removeprefix("former editor "))
    for n in range(number + 1, number + 5):  # one of these numbers is Bo's id
        accounts.invite(service, f"former editor {n}", person="Dora")
    names.append(accounts.erase(service, "Bo", person="Dora", forget_jobs=forget_jobs))
    assert names == [f"former editor {number}", f"former editor {number + 5}"]


def test_messages_follow_a_new_name_and_lose_a_former_address(service):
    """Otherwise the earlier name and address would remain when the person is erased."""
    people.add_editorship(service, Editorship("lab", "Ann Unusual", date.today() - 9 * DAY), person="Dora")
    editors.set_address(service, "Ann Unusual", "unusual@example.org")
    weekly.begin(service, date.today(), "tell")
    message = "The email to Unusual@example.org was not delivered. Ann Unusual and Joann Unusual: no address."
    weekly.end(service, date.today(), "tell", "failed", message)
    people.rename_editor(service, "Ann Unusual", r"Ann \1 Lee")
    editors.set_address(service, r"Ann \1 Lee", "unusual@example.org")
    shown = r"The email to Unusual@example.org was not delivered. Ann \1 Lee and Joann Unusual: no address."
    assert weekly.newest_steps(service)[0].message == shown
    editors.set_address(service, r"Ann \1 Lee", "lee@example.org")
    people.end_editorship(service, people.editorships(service)[0], date.today() - DAY, person="Dora")
    alias = accounts.erase(service, r"Ann \1 Lee", person="Dora", forget_jobs=JobQueue(service.folder).forget_person)
    shown = f"The email to {editors.FORMER} was not delivered. {alias} and Joann Unusual: no address."
    assert weekly.newest_steps(service)[0].message == shown


def test_erasing_a_person_deletes_their_finished_jobs(service):
    join(service, "Ann")
    jobs = JobQueue(service.folder)
    ended, waits, of_bo = (jobs.put("import", {}, person=name) for name in ("Ann", "Ann", "Bo"))
    jobs.end(ended, "done")
    jobs.end(of_bo, "done")
    with pytest.raises(RefusedError, match="A background job of Ann is queued or running"):
        accounts.erase(service, "Ann", person="Dora", forget_jobs=JobQueue(service.folder).forget_person)
    assert roles.member(service, ANN, NOW) == Member("Ann")
    jobs.end(waits, "done")
    accounts.erase(service, "Ann", person="Dora", forget_jobs=JobQueue(service.folder).forget_person)
    assert [job.id for job in jobs.ended_jobs("import")] == [of_bo]


def test_changes_are_logged_without_names(service):
    join(service, "Ann")
    accounts.remove(service, "Ann", person="Dora")
    accounts.erase(service, "Ann", person="Dora", forget_jobs=JobQueue(service.folder).forget_person)
    said = [(one.person, one.action, one.subject) for one in audit(service, 4, kinds=["other"])]
    ann = said[0][2]
    assert ann.startswith("former editor ")
    assert said == [
        ("Dora", "Erased", ann),
        ("Dora", "Removed from the desk", ann),
        (ann, "Accepted the invitation", ann),
        ("Dora", "Invited to sign in", ann),
    ]


@pytest.mark.parametrize("name", ["", "manage", "x" * 201])
def test_invalid_names_are_refused(service, name):
    with pytest.raises(RefusedError):
        accounts.invite(service, name, person="Dora")
    with pytest.raises(RefusedError):
        roles.grant(service, Role(name, "director"), person="Dora")
    assert roles.members(service) == []
