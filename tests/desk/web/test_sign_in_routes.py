"""Sign-in with a local provider: correct, wrong and missing responses."""

import json
import logging
import re
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from joserfc.jwk import OctKey, RSAKey
from sqlalchemy import select
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value, decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import TOKENS_COOKIE_NAME, USER_COOKIE_NAME

from presort.data.errors import RefusedError, WorkspaceError
from presort.data.records import GivenRole, Identity
from presort.data.running import accounts, roles
from presort.data.tables import IdentityRow
from presort.desk.access import SIGNED_IN_FOR
from presort.desk.ui import entrance
from presort.desk.ui.entrance import WaitingRoles
from presort.desk.web import openid, sign_in
from presort.desk.web.guard import Guard
from presort.desk.web.sign_in import ATTEMPT
from presort.desk.web.sign_in_door import WANTED, SignInDoor
from tests.desk.web.openid_provider import CLIENT, SECRET, OpenIdProvider, provided, query_of

DESK = "https://desk.example.org"
COOKIES = "secret of the cookies"
PAGE = "/review?report=lab&issue=2026-11-02"


@pytest.fixture(scope="module")
def running():
    with provided() as provider:
        yield provider


@pytest.fixture
def provider(running):
    running.reset()
    return running


@pytest.fixture
def browser(provider, empty_store):
    """Client of a desk that doesn't follow redirects."""
    return new_browser(provider.settings(DESK), empty_store)


def desk_page(_request):
    return PlainTextResponse("in")


def new_browser(settings, store):
    door = SignInDoor(settings.name, COOKIES)
    app = Starlette(
        routes=[
            *sign_in.routes(settings, COOKIES, lambda: store),
            Route("/{page:path}", lambda _: PlainTextResponse("in")),
        ],
        middleware=[Middleware(Guard, door=door, origins=[DESK], is_local=False)],
    )
    return TestClient(app, base_url=DESK, follow_redirects=False)


def at_provider(browser, **headers):
    """Start sign-in, and return the provider's address."""
    response = browser.get("/sign-in", headers=headers)
    assert response.status_code == 303, response.text
    return response.headers["Location"]


def back(address, **others):
    """Sign in at the provider. Returns the address that it redirects to, with these fields changed."""
    there = httpx.get(address, verify=False).headers["Location"]
    return str(httpx.URL(there).copy_merge_params(others))


def account_in(browser):
    value = browser.cookies.get(USER_COOKIE_NAME)
    return value and json.loads(decode_signed_value(COOKIES, USER_COOKIE_NAME, value))


def test_sign_in_stores_only_the_account_and_opens_the_requested_page(browser, provider):
    provider.claims = {"groups": [f"group {number}" for number in range(2_000)], "email": "ann@example.org"}
    assert browser.get(PAGE).status_code == 401
    began = int(time.time())
    response = browser.get(back(at_provider(browser)))
    assert (response.status_code, response.headers["Location"]) == (303, "/")
    account = account_in(browser)
    assert began <= account.pop("iat") <= time.time()
    assert account == {
        "iss": provider.address,
        "sub": "ann",
        "is_logged_in": True,
        "origin": DESK,
        "provider": "default",
    }
    assert TOKENS_COOKIE_NAME not in browser.cookies  # the ID token is too large for a cookie
    assert sum(len(name) + len(value) for name, value in browser.cookies.items()) < 1_000
    for cookie in response.headers.get_list("Set-Cookie"):
        assert "; Secure" in cookie
        assert "HttpOnly" in cookie or "Max-Age=0" in cookie
    response = browser.get("/")
    assert (response.status_code, response.headers["Location"]) == (303, DESK + PAGE)
    assert browser.get(PAGE).text == "in"


def test_only_a_small_id_token_is_stored_for_sign_out(browser):
    browser.get(back(at_provider(browser)))
    kept = json.loads(decode_signed_value(COOKIES, TOKENS_COOKIE_NAME, browser.cookies[TOKENS_COOKIE_NAME]))
    assert list(kept) == ["id_token"]


def test_parts_of_earlier_large_cookies_are_deleted(browser):
    browser.cookies.set(f"{USER_COOKIE_NAME}_1", "part", domain="desk.example.org")
    browser.cookies.set(f"{TOKENS_COOKIE_NAME}_2", "part", domain="desk.example.org")
    browser.get(back(at_provider(browser)))
    assert {name for name in browser.cookies if name.startswith(USER_COOKIE_NAME)} == {
        USER_COOKIE_NAME,
        TOKENS_COOKIE_NAME,
    }


def test_sign_in_uses_pkce(browser, provider):
    address = at_provider(browser)
    browser.get(back(address))
    (_, request), (_, exchange) = provider.asked
    assert (request["code_challenge_method"], request["scope"], request["response_type"]) == ("S256", "openid", "code")
    assert len(request["code_challenge"]) == 43
    assert exchange["code_verifier"] not in address
    assert 43 <= len(exchange["code_verifier"]) <= 128  # RFC 7636, section 4.1
    again = query_of(at_provider(browser))
    for name in ("state", "nonce", "code_challenge"):
        assert again[name] != request[name]


@pytest.mark.parametrize("verifier", [None, "", "x" * 64], ids=["none", "empty", "wrong"])
def test_the_provider_refuses_a_code_without_its_verifier(provider, verifier):
    """An intercepted code is useless without the verifier."""
    attempt = openid.Attempt.new()
    address = httpx.URL(f"{provider.address}/authorize").copy_merge_params(
        {
            "redirect_uri": f"{DESK}/oauth2callback",
            "state": "s",
            "nonce": "n",
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
        }
    )
    code = query_of(back(str(address)))["code"]
    fields = {"code": code, "redirect_uri": f"{DESK}/oauth2callback", "client_id": CLIENT, "client_secret": SECRET}
    if verifier is not None:
        fields["code_verifier"] = verifier
    refused = httpx.post(f"{provider.address}/token", data=fields)
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")


def test_a_code_from_another_browser_is_refused(browser, provider, empty_store):
    stranger = new_browser(provider.settings(DESK), empty_store)
    code = query_of(back(at_provider(stranger)))["code"]
    failed(browser.get(back(at_provider(browser), code=code)), openid.EXPIRED)
    assert account_in(browser) is None


def failed(response, failure):
    """Check that the page reports this failure."""
    assert response.status_code == failure.status
    assert f"<h1>{failure.title}</h1>" in response.text
    assert "Example &lt;ID&gt;" in response.text
    assert f'<a href="{DESK}/sign-in">Try again</a>' in response.text
    assert "Authentication error" not in response.text
    assert response.headers["Cache-Control"] == "no-store"
    assert USER_COOKIE_NAME not in response.headers.get("Set-Cookie", "")


@pytest.fixture
def causes(caplog):
    caplog.set_level(logging.INFO, sign_in.LOG.name)
    return lambda: [record.getMessage() for record in caplog.records if record.name == sign_in.LOG.name]


def test_an_unreachable_provider_is_named_and_the_requested_page_is_remembered(provider, causes, empty_store):
    browser = new_browser(OpenIdProvider("http://127.0.0.1:9").settings(DESK), empty_store)
    browser.get(PAGE)
    response = browser.get("/sign-in")
    failed(response, openid.DOWN)
    assert response.status_code == 503
    (cause,) = causes()
    assert cause.endswith("metadata: ConnectError.")
    assert WANTED in response.headers["Set-Cookie"]  # lasts ten minutes from now on
    works = new_browser(provider.settings(DESK), empty_store)
    works.cookies = browser.cookies
    works.get(back(at_provider(works)))
    assert works.get("/").headers["Location"] == DESK + PAGE


@pytest.mark.parametrize("path", ["/metadata", "/token", "/jwks"])
@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        pytest.param((500, b"<html>Traceback</html>"), openid.DOWN, id="a-server-error"),
        pytest.param((503, b'{"error": "temporarily_unavailable"}'), openid.DOWN, id="unavailable"),
        pytest.param((200, b"not JSON"), openid.DOWN, id="no-json"),
        pytest.param((200, b"\xff"), openid.DOWN, id="no-text"),
        pytest.param((200, b"[]"), openid.DOWN, id="no-object"),
        pytest.param((200, b"[" * 100_000), openid.DOWN, id="nested-too-deep"),
        pytest.param((302, b"{}"), openid.REFUSED, id="elsewhere"),
        pytest.param((404, b"{}"), openid.REFUSED, id="not-there"),
        pytest.param((200, b" " * (openid.LARGEST + 1)), openid.REFUSED, id="too-large"),
    ],
)
def test_an_invalid_response_of_the_provider_shows_an_error_page(browser, provider, causes, path, answer, failure):
    address = None if path == "/metadata" else back(at_provider(browser))
    provider.answers[path] = answer
    response = browser.get(address or "/sign-in")
    failed(response, failure)
    (cause,) = causes()
    assert path.removeprefix("/") in cause
    assert "Traceback" not in response.text + cause
    assert account_in(browser) is None


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        ("access_denied", openid.CANCELLED),
        ("temporarily_unavailable", openid.DOWN),
        ("server_error", openid.DOWN),
        ("invalid_scope", openid.REFUSED),
        ("<script>alert(1)</script>", openid.REFUSED),
        ("line\r\nbreak", openid.REFUSED),
        ("", openid.REFUSED),
    ],
)
def test_an_error_of_the_provider_is_reported_without_its_text(browser, causes, error, failure):
    browser.get(PAGE)
    state = query_of(at_provider(browser))["state"]
    given = {"error": error, "error_description": "<b>ann@example.org may not</b>", "state": state}
    response = browser.get("/oauth2callback", params=given)
    failed(response, failure)
    (cause,) = causes()
    for text in ("<script>", "<b>", "ann@", "break", "\n"):
        assert text not in cause
    for text in ("<script>", "<b>", "ann@", "break"):
        assert text not in response.text
    assert cause.endswith(f"redirect: {error if re.fullmatch('[a-z_]+', error) else 'unknown error code'}.")
    assert browser.cookies[WANTED]
    failed(browser.get("/oauth2callback", params=given), openid.EXPIRED)  # an attempt is used once


@pytest.mark.parametrize("query", ["code=x", "code=x&state=y", "error=access_denied", f"code=x&state={'s' * 43}"])
def test_an_unsolicited_response_is_refused(browser, provider, causes, query):
    failed(browser.get(f"/oauth2callback?{query}"), openid.EXPIRED)
    assert len(causes()) == 1
    assert provider.asked == []


def test_a_response_for_another_browser_is_refused(browser, provider, empty_store):
    """Otherwise a link could sign a user in to somebody else's account."""
    address = back(at_provider(new_browser(provider.settings(DESK), empty_store)))
    failed(browser.get(address), openid.EXPIRED)


def test_a_response_is_valid_once_and_for_ten_minutes(browser, provider, monkeypatch):
    address = at_provider(browser)
    state = query_of(address)["state"]
    name = f"{ATTEMPT}{state[:8]}"
    kept, there = browser.cookies[name], back(address)
    assert browser.get(there).status_code == 303
    failed(browser.get(there), openid.EXPIRED)
    browser.cookies.set(name, kept, domain="desk.example.org", path="/oauth2callback")
    failed(browser.get(there), openid.EXPIRED)  # refused by the provider, because each code is valid once
    forged = create_signed_value("another secret", name, json.dumps([state, "n", "v"])).decode()
    browser.cookies.set(name, forged, domain="desk.example.org", path="/oauth2callback")
    failed(browser.get(there), openid.EXPIRED)
    now = time.time()
    monkeypatch.setattr("itsdangerous.timed.time.time", lambda: now + 601)
    browser.cookies.set(name, kept, domain="desk.example.org", path="/oauth2callback")
    failed(browser.get(back(address)), openid.EXPIRED)


def test_several_tabs_can_sign_in_at_once(browser):
    first, second = at_provider(browser), at_provider(browser)
    assert browser.get(back(first)).status_code == 303
    assert browser.get(back(second)).status_code == 303


NOW = int(time.time())


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param({"iss": "https://evil.example"}, id="another-issuer"),
        pytest.param({"aud": "another client"}, id="another-client"),
        pytest.param({"aud": None}, id="no-client"),
        pytest.param({"aud": [CLIENT, "another"], "azp": "another"}, id="for-another-party"),
        pytest.param({"nonce": "of another sign-in"}, id="another-sign-in"),
        pytest.param({"nonce": None}, id="no-sign-in"),
        pytest.param({"exp": NOW - 600}, id="expired"),
        pytest.param({"exp": None}, id="lasts-for-ever"),
        pytest.param({"iat": NOW + 6_000}, id="of-the-future"),
        pytest.param({"sub": None}, id="nobody"),
        pytest.param({"sub": ""}, id="empty"),
        pytest.param({"sub": 7}, id="a-number"),
        pytest.param({"sub": "x" * 256}, id="too-long"),
        pytest.param({"groups": ["x" * 200_000]}, id="huge"),
    ],
)
def test_an_id_token_for_another_sign_in_is_refused(browser, provider, causes, claims):
    provider.claims = claims
    failed(browser.get(back(at_provider(browser))), openid.UNVERIFIED)
    (cause,) = causes()
    assert "ID token: " in cause
    assert account_in(browser) is None


@pytest.mark.parametrize(
    ("key", "algorithm"),
    [
        pytest.param(RSAKey.generate_key(2048, {"kid": "one"}), "RS256", id="another-key"),
        pytest.param(OctKey.import_key(SECRET.ljust(32, "x")), "HS256", id="a-shared-secret"),
        pytest.param(None, "none", id="no-signature"),
    ],
)
def test_an_id_token_without_the_providers_signature_is_refused(browser, provider, key, algorithm):
    provider.key, provider.algorithm = key, algorithm
    failed(browser.get(back(at_provider(browser))), openid.UNVERIFIED)


def test_a_wrong_client_secret_is_reported_to_the_administrator(provider, causes, empty_store):
    browser = new_browser(replace(provider.settings(DESK), secret="wrong"), empty_store)
    failed(browser.get(back(at_provider(browser))), openid.REFUSED)
    (cause,) = causes()
    assert cause.endswith("invalid_client.")
    assert "wrong" not in cause


def test_credentials_are_sent_in_the_form_if_the_provider_requires_it(browser, provider):
    provider.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    assert browser.get(back(at_provider(browser))).status_code == 303
    assert account_in(browser)["sub"] == "ann"


@pytest.mark.parametrize(
    "metadata",
    [
        {"authorization_endpoint": None},
        {"authorization_endpoint": 7},
        {"authorization_endpoint": "http://id.example.org/authorize"},
        {"authorization_endpoint": "javascript:alert(1)"},
    ],
)
def test_an_unencrypted_sign_in_address_is_refused(browser, provider, metadata):
    provider.metadata = metadata
    failed(browser.get("/sign-in"), openid.REFUSED)


@pytest.mark.parametrize("metadata", [{"token_endpoint": "http://id.example.org/token"}, {"issuer": None}])
def test_no_secret_is_sent_to_an_unencrypted_address(browser, provider, metadata):
    address = back(at_provider(browser))
    provider.metadata = metadata
    failed(browser.get(address), openid.REFUSED)


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        (DESK + PAGE, DESK + PAGE),
        (f"{DESK}/", None),
        (f"{DESK}/oauth2callback?error=x", None),
        ("https://evil.example/review", None),
        (f"{DESK}.evil.example/review", None),
        (f"{DESK}//evil.example/", f"{DESK}/evil.example/"),
    ],
)
def test_an_old_sign_in_page_still_leads_back_to_the_requested_page(browser, before, wanted):
    browser.get(back(at_provider(browser, Referer=before)))
    assert browser.get("/").headers.get("Location") == wanted


def test_after_sign_out_the_provider_redirects_to_the_start_page(browser, causes):
    response = browser.get("/oauth2callback")
    assert (response.status_code, response.headers["Location"]) == (303, "/")
    assert causes() == []


def test_streamlits_login_address_leads_to_the_provider(browser, provider):
    assert browser.get("/auth/login?provider=any").headers["Location"].startswith(f"{provider.address}/authorize?")


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
