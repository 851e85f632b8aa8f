"""Roles from groups of the sign-in provider: assigned at sign-in, removed with the group."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from presort.data.errors import RefusedError, WorkspaceError
from presort.data.records import GivenRole, Identity
from presort.data.running import accounts, roles
from presort.data.tables import IdentityRow
from presort.desk.access import SIGNED_IN_FOR
from presort.desk.ui import entrance
from presort.desk.ui.entrance import WaitingRoles
from presort.desk.web import openid, sign_in
from tests.desk.web.sign_in_client import COOKIES, DESK, NOW, account_in, at_provider, back, failed, new_browser

OF_GROUPS = {"admins": frozenset({GivenRole("director")}), "lab": frozenset({GivenRole("editor", "lab")})}


@pytest.fixture
def with_groups(provider, empty_store):
    """Client of a desk that assigns roles by groups."""
    settings = provider.settings(DESK, scope="openid profile groups", claim="access.groups", roles=OF_GROUPS)
    return new_browser(settings, empty_store)


def come(browser, provider, **claims):
    """Sign in with these claims, and return the response."""
    provider.claims = claims
    return browser.get(back(at_provider(browser)))


def member(store, provider, subject="ann"):
    return roles.member(store, Identity(provider.address, subject), datetime.now(UTC))


def test_a_role_from_a_group_is_removed_with_the_group(with_groups, provider, empty_store):
    assert come(with_groups, provider, name="Ann Lee", access={"groups": ["admins", "x"]}).status_code == 303
    assert provider.asked[0][1]["scope"] == "openid profile groups"
    found = member(empty_store, provider)
    assert (found.name, found.is_director) == ("Ann Lee", True)
    account = account_in(with_groups)
    assert "access" not in account
    assert "name" not in account
    come(with_groups, provider, name="Ann Lee", access={"groups": ["x"]})
    assert not member(empty_store, provider).is_director


def test_roles_from_groups_expire_with_the_sign_in(with_groups, provider, empty_store):
    come(with_groups, provider, access={"groups": "admins"})
    with empty_store.reading() as connection:
        (until,) = connection.execute(select(IdentityRow.given_until)).scalars()
    assert abs(until - datetime.now(UTC) - SIGNED_IN_FOR) < timedelta(minutes=1)


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param({}, id="none"),
        pytest.param({"groups": ["admins"]}, id="in-another-claim"),
        pytest.param({"access": ["admins"]}, id="not-nested"),
        pytest.param({"access": {"groups": ["admins\u200b", "ADMINS", 7, None, ["admins"]]}}, id="odd"),
    ],
)
def test_an_account_without_a_group_gets_no_role(with_groups, provider, empty_store, claims):
    assert come(with_groups, provider, **claims).status_code == 303
    assert member(empty_store, provider) is None


@pytest.mark.parametrize(
    "claims",
    [{"iss": "https://evil.example"}, {"nonce": "x"}, {"aud": "another"}, {"exp": NOW - 600}, {"sub": ""}],
)
def test_claims_for_another_desk_give_no_role(with_groups, provider, empty_store, claims):
    failed(come(with_groups, provider, **{"access": {"groups": "admins"}, **claims}), openid.UNVERIFIED)
    assert roles.members(empty_store) == []


def test_a_forged_cookie_gives_no_role_even_with_the_cookie_secret(with_groups, provider, empty_store):
    """Roles are stored when the provider's response is verified. Groups in cookies are ignored."""
    claims = {"iss": provider.address, "sub": "eve", "iat": NOW, "is_logged_in": True, "origin": DESK}
    forged = json.dumps({**claims, "access": {"groups": ["admins"]}})
    value = create_signed_value(COOKIES, USER_COOKIE_NAME, forged).decode()
    assert with_groups.get("/", headers={"Cookie": f"{USER_COOKIE_NAME}={value}"}).text == "in"
    assert member(empty_store, provider, "eve") is None


def test_groups_are_read_from_userinfo_if_the_id_token_lacks_them(with_groups, provider, empty_store):
    provider.of_userinfo = {
        "sub": "ann",
        "name": "Ann Lee",
        "access": {"groups": ["lab"]},
        "iss": "https://evil.example",
    }
    assert come(with_groups, provider).status_code == 303
    found = member(empty_store, provider)
    assert (found.name, found.edits) == ("Ann Lee", {"lab"})


def test_the_userinfo_of_another_account_is_refused(with_groups, provider, empty_store):
    provider.of_userinfo = {"sub": "dora", "access": {"groups": ["admins"]}}
    failed(come(with_groups, provider), openid.UNVERIFIED)
    assert roles.members(empty_store) == []


def test_an_invitation_takes_precedence_over_groups(with_groups, provider, empty_store):
    with_groups.get("/?invitation=0123456789012345678901")
    assert come(with_groups, provider, access={"groups": "admins"}).status_code == 303
    assert member(empty_store, provider) is None


def join(store, provider, name="Ann"):
    """Accept an invitation with the account that has just signed in."""
    entrance.join(store, accounts.invite(store, name, person="Dora"), Identity(provider.address, "ann"))


def test_groups_of_an_invited_person_count_from_the_first_sign_in(with_groups, provider, empty_store):
    with_groups.get("/?invitation=0123456789012345678901")
    come(with_groups, provider, name="Somebody", access={"groups": ["admins"]})
    with pytest.raises(RefusedError):
        entrance.join(empty_store, "0123456789012345678901", Identity(provider.address, "ann"))
    join(empty_store, provider)
    found = member(empty_store, provider)
    assert (found.name, found.is_director) == ("Ann", True)
    with empty_store.reading() as connection:
        (until,) = connection.execute(select(IdentityRow.given_until)).scalars()
    assert abs(until - datetime.now(UTC) - SIGNED_IN_FOR) < timedelta(minutes=1)
    come(with_groups, provider)
    assert not member(empty_store, provider).is_director


def test_only_the_groups_of_the_last_sign_in_before_the_invitation_count(with_groups, provider, empty_store):
    for groups in (["admins"], []):
        with_groups.get("/?invitation=0123456789012345678901")
        come(with_groups, provider, access={"groups": groups})
    join(empty_store, provider)
    assert not member(empty_store, provider).is_director


def test_groups_count_again_with_the_invitation_of_somebody_who_was_removed(with_groups, provider, empty_store):
    come(with_groups, provider, name="Ann", access={"groups": ["lab"]})
    accounts.remove(empty_store, "Ann", person="Dora")
    come(with_groups, provider, name="Ann", access={"groups": ["lab"]})
    assert member(empty_store, provider) is None
    join(empty_store, provider)
    assert member(empty_store, provider).edits == {"lab"}
    accounts.remove(empty_store, "Ann", person="Dora")
    join(empty_store, provider)  # without a sign-in since: these roles were taken
    assert member(empty_store, provider).edits == set()


def test_waiting_roles_end_with_the_sign_in():
    ann, bo = (Identity("https://id.example.org", name) for name in ("ann", "bo"))
    roles_of, now = frozenset({GivenRole("director")}), datetime.now(UTC)
    waiting = WaitingRoles()
    waiting.put(ann, roles_of, now)
    waiting.put(bo, roles_of, now + SIGNED_IN_FOR)  # forgets Ann, whose sign-in has expired
    assert waiting.take(ann) is None
    assert waiting.take(bo) == (roles_of, now + SIGNED_IN_FOR)
    assert waiting.take(bo) is None


def test_sign_in_fails_if_the_roles_cannot_be_stored(with_groups, provider, causes):
    def broken():
        raise WorkspaceError("presort.db: no secrets here")

    settings = provider.settings(DESK, claim="groups", roles=OF_GROUPS)
    browser = TestClient(
        Starlette(routes=sign_in.routes(settings, COOKIES, broken)), base_url=DESK, follow_redirects=False
    )
    response = come(browser, provider, groups="admins")
    assert response.status_code == sign_in.NO_DATABASE.status
    assert account_in(browser) is None
    (cause,) = causes()
    assert cause.endswith("workspace: WorkspaceError.")
