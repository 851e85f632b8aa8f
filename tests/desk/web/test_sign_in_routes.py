"""Sign-in with a local provider: cookies, PKCE and redirects."""

import json
import time

import pytest
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import TOKENS_COOKIE_NAME, USER_COOKIE_NAME

from tests.desk.web.openid_provider import query_of
from tests.desk.web.sign_in_client import COOKIES, DESK, PAGE, account_in, at_provider, back


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


def test_several_tabs_can_sign_in_at_once(browser):
    first, second = at_provider(browser), at_provider(browser)
    assert browser.get(back(first)).status_code == 303
    assert browser.get(back(second)).status_code == 303


def test_credentials_are_sent_in_the_form_if_the_provider_requires_it(browser, provider):
    provider.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    assert browser.get(back(at_provider(browser))).status_code == 303
    assert account_in(browser)["sub"] == "ann"


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
