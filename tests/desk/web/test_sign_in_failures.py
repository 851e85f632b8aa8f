"""Failed and forged sign-in: errors from the provider, and responses that are refused."""

import json
import re
import time
from dataclasses import replace

import httpx
import pytest
from joserfc.jwk import OctKey, RSAKey
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from presort.desk.web import openid
from presort.desk.web.sign_in import ATTEMPT
from presort.desk.web.sign_in_door import WANTED
from tests.desk.web.openid_provider import CLIENT, SECRET, OpenIdProvider, query_of
from tests.desk.web.sign_in_client import DESK, NOW, PAGE, account_in, at_provider, back, failed, new_browser


@pytest.mark.parametrize("verifier", [None, "", "x" * 64], ids=["none", "empty", "wrong"])
def test_the_provider_refuses_a_code_without_its_verifier(provider, verifier):
    """An intercepted code is useless without the verifier."""
    attempt = openid.Attempt.create()
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
