"""Roles from groups of the sign-in provider: who gets them, how they end, and what they must not affect."""

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import select, text

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.errors import RefusedError
from presort.data.records import Editorship, GivenRole, Identity, Member, Report, Role
from presort.data.rights import ForbiddenError, SignedOutError
from presort.data.running import accounts, people, roles
from presort.data.running.audit import audit
from presort.data.running.given_roles import NAMELESS, note_sign_in
from presort.data.tables import PersonRow
from presort.desk import access
from presort.desk.access import SignIn
from tests.data.workspaces import FIRST, make_issue, say, take_in

ANN = Identity("https://id.example.org", "1234")
DIRECTOR, EDITOR, VIEWER = GivenRole("director"), GivenRole("editor", "lab"), GivenRole("viewer", "his")
HOURS = timedelta(hours=12)


@pytest.fixture
def service(store):
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    take_in(store, make_issue(3))
    return store


def come(store, *given, account=ANN, name="Ann Lee", until=None, **how):
    """Sign in with roles, and return the user of the account."""
    note_sign_in(store, account, given, name=name, until=until or datetime.now(UTC) + HOURS, **how)
    return roles.member(store, account, datetime.now(UTC))


def as_ann(store, since=None):
    return access.guard_store(store, SignIn(ANN, since or datetime.now(UTC)))


def logged(store):
    """Return the log entries on groups, oldest first."""
    return [(one.action, one.subject, one.before, one.after) for one in audit(store, 99) if "provider" in one.action][
        ::-1
    ]


def test_a_group_creates_a_user_with_exactly_its_rights(service):
    found = come(service, EDITOR, VIEWER, EDITOR)
    assert found == Member("Ann Lee", False, frozenset({"lab"}), frozenset({"his"}), given=frozenset({EDITOR, VIEWER}))
    decisions.decide(as_ann(service), [say("lab", "a1", "yes", person="Ann Lee")])
    assert decisions.labels(as_ann(service), "his", FIRST) == {}
    for refused in (
        lambda: decisions.decide(as_ann(service), [say("his", "a1", "yes", person="Ann Lee")]),
        lambda: roles.grant(as_ann(service), Role("Ann Lee", "director"), person="Ann Lee"),
        lambda: roles.members(as_ann(service)),
    ):
        with pytest.raises(ForbiddenError):
            refused()
    assert logged(service) == [
        ("Joined through a group of the sign-in provider", "Ann Lee", "", ""),
        ("Roles from the sign-in provider", "Ann Lee", "", "editor lab, viewer his"),
    ]
    assert {one.place for one in audit(service, 99) if "provider" in one.action} == {"rule"}
    assert people.editorships(service) == []  # readers see no editor, who gets no mail
    assert roles.all_roles(service) == []


def test_a_director_by_group_has_all_rights(service):
    assert come(service, DIRECTOR).is_director
    catalogue.rename_report(as_ann(service), "lab", "Work")


def test_without_a_group_an_unknown_account_stays_unknown(service):
    assert come(service) is None
    assert come(service, EDITOR, may_join=False) is None  # they are about to accept an invitation
    assert roles.members(service) == []
    with pytest.raises(SignedOutError):
        decisions.labels(as_ann(service), "lab", FIRST)


def test_at_sign_in_without_the_group_its_right_ends_in_every_session(service):
    come(service, DIRECTOR, EDITOR)
    session = as_ann(service)
    come(service, EDITOR)
    with pytest.raises(ForbiddenError):
        roles.members(session)
    decisions.labels(session, "lab", FIRST)
    assert come(service) == Member("Ann Lee")
    with pytest.raises(ForbiddenError):
        decisions.labels(session, "lab", FIRST)
    assert [entry[2:] for entry in logged(service)[1:]] == [
        ("", "director, editor lab"),
        ("director, editor lab", "editor lab"),
        ("editor lab", ""),
    ]


def test_a_right_ends_when_the_sign_in_expires(service):
    assert come(service, DIRECTOR, until=datetime.now(UTC)) == Member("Ann Lee")
    assert roles.members(service) == [Member("Ann Lee", n_identities=1)]
    come(service, DIRECTOR)
    later = as_ann(service, datetime.now(UTC) - access.SIGNED_IN_FOR - timedelta(seconds=1))
    with pytest.raises(SignedOutError):
        roles.members(later)


def test_unchanged_roles_are_not_logged_again(service):
    for _ in range(3):
        come(service, VIEWER, EDITOR)
    assert len(logged(service)) == 2


def test_an_account_is_never_matched_by_name(service):
    """A user may choose their name at the provider."""
    people.add_editorship(service, Editorship("lab", "Ann Lee", date(2020, 1, 6)), person="manage")
    roles.grant(service, Role("Dora", "director"), person="manage")
    accounts.invite(service, "Dora", person="manage")
    assert come(service, VIEWER, name="ann  LEE").name == "ann LEE (2)"
    assert come(service, VIEWER, name="Dora", account=Identity(ANN.issuer, "5")).name == "Dora (2)"
    assert come(service, VIEWER, account=Identity("https://evil.example", "1234")).name == "Ann Lee (3)"
    assert {one.name: (one.is_director, one.edits, one.n_identities) for one in roles.members(service)} == {
        "Ann Lee": (False, {"lab"}, 0),
        "Dora": (True, set(), 0),
        "ann LEE (2)": (False, set(), 1),
        "Dora (2)": (False, set(), 1),
        "Ann Lee (3)": (False, set(), 1),
    }


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("", NAMELESS),
        (" \u200b\x00\n", NAMELESS),
        ("manage", "manage (2)"),
        ("Presort", "Presort (2)"),
        ("former editor 7", NAMELESS),
        ("Ann\u202e\nLee<b>", "Ann Lee<b>"),
        ("x" * 100_000, "x" * 190),
    ],
)
def test_invalid_names_are_corrected(service, name, kept):
    assert come(service, VIEWER, name=name).name == kept


def test_two_accounts_without_names_are_two_users(service):
    names = [come(service, VIEWER, name="", account=Identity(ANN.issuer, each)).name for each in "ab"]
    assert names == [NAMELESS, f"{NAMELESS} (2)"]


def test_an_invited_person_keeps_their_own_roles(service):
    roles.grant(service, Role("Bo", "viewer", "his"), person="manage")
    accounts.accept(service, accounts.invite(service, "Bo", person="manage"), ANN)
    found = come(service, DIRECTOR, name="Somebody else")
    assert (found.name, found.is_director, found.views) == ("Bo", True, {"his"})
    assert come(service) == Member("Bo", views=frozenset({"his"}))


def test_roles_apply_only_to_the_account_with_the_group(service):
    other = Identity("https://other.example.org", "bo")
    for account in (ANN, other):
        accounts.accept(service, accounts.invite(service, "Bo", person="manage"), account)
    come(service, DIRECTOR)
    assert roles.member(service, ANN, datetime.now(UTC)).is_director
    assert not roles.member(service, other, datetime.now(UTC)).is_director
    assert [one.is_director for one in roles.members(service)] == [True]


def test_a_removed_account_gets_no_role_by_group_until_invited_again(service):
    come(service, DIRECTOR)
    session = as_ann(service)
    accounts.remove(service, "Ann Lee", person="Dora")
    with pytest.raises(SignedOutError):
        roles.members(session)
    assert come(service, DIRECTOR) is None
    assert come(service, EDITOR, name="Another name") is None
    # Another account is not affected.
    assert come(service, EDITOR, account=Identity(ANN.issuer, "12345"), name="Bo").name == "Bo"
    accounts.accept(service, accounts.invite(service, "Ann Lee", person="Dora"), ANN)
    assert come(service, EDITOR).edits == {"lab"}


def test_an_erased_account_gets_no_role_and_leaves_no_name(service):
    come(service, VIEWER)
    accounts.erase(service, "Ann Lee", person="Dora", forget_jobs=lambda name: None)
    assert come(service, VIEWER) is None
    with service.reading() as connection:
        (stays,) = connection.execute(text("SELECT * FROM removed_account")).all()
        names = list(connection.execute(select(PersonRow.name)).scalars())
    assert ANN.subject not in str(stays)
    assert "Ann Lee" not in names


def test_the_last_director_must_not_depend_on_a_group(service):
    roles.grant(service, Role("Dora", "director"), person="manage")
    come(service, DIRECTOR)
    for last in (
        lambda: roles.revoke(service, Role("Dora", "director"), person="Ann Lee"),
        lambda: accounts.remove(service, "Dora", person="Ann Lee"),
    ):
        with pytest.raises(RefusedError, match="is the only director"):
            last()
    accounts.remove(service, "Ann Lee", person="Dora")


def test_a_role_by_group_cannot_be_revoked_here(service):
    come(service, DIRECTOR)
    with pytest.raises(RefusedError, match="sign-in provider"):
        roles.revoke(service, Role("Ann Lee", "director"), person="Dora")
    with pytest.raises(RefusedError, match="does not have this role"):
        roles.revoke(service, Role("Ann Lee", "viewer", "lab"), person="Dora")


def test_an_account_in_use_cannot_accept_an_invitation(service):
    come(service, EDITOR)
    with pytest.raises(RefusedError, match="already in use"):
        accounts.accept(service, accounts.invite(service, "Dora", person="manage"), ANN)


def test_a_role_for_a_missing_report_gives_no_other_right(service):
    assert come(service, GivenRole("editor", "gone")).edits == {"gone"}
    with pytest.raises(ForbiddenError):
        decisions.labels(as_ann(service), "lab", FIRST)
