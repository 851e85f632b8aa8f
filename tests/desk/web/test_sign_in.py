"""A running desk with sign-in: access by requests and websockets, and its settings."""

import json

import pytest
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from presort.data.errors import RefusedError
from presort.desk import settings
from presort.desk.web import launch, token_door
from tests.desk.web.test_guard import PATHS, ask, opens, served

pytestmark = pytest.mark.whole

DESK = "https://desk.example.org"
HOST = "desk.example.org"
SIGN_IN = {
    "PRESORT_SIGN_IN_METADATA": "https://id.example.org/.well-known/openid-configuration",
    "PRESORT_SIGN_IN_CLIENT": "presort",
    "PRESORT_SIGN_IN_SECRET": "not-to-be-seen",
    "PRESORT_SIGN_IN_NAME": "Example <ID>",
    "PRESORT_DESK_URL": f"{DESK}/",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("signed-in")


@pytest.fixture(scope="module")
def port(folder):
    with served(folder, host="0.0.0.0", **SIGN_IN) as (port, lines):
        assert f"URL: {DESK}\n" in lines
        assert "not-to-be-seen" not in lines
        assert token_door.read_token(folder) not in lines
        yield port


@pytest.fixture(scope="module")
def cookie(folder, port):
    """Cookie of a signed-in user, with Streamlit's signature."""
    return signed(token_door.read_token(folder))


def signed(secret, origin=DESK, sub="ann"):
    claims = {"iss": "https://id.example.org", "sub": sub, "iat": 1, "is_logged_in": True, "origin": origin}
    return f"{USER_COOKIE_NAME}={create_signed_value(secret, USER_COOKIE_NAME, json.dumps(claims)).decode()}"


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_every_path_requires_sign_in(port, cookie, method, path):
    for given in ("", f"{cookie}x", signed("another secret"), f"{USER_COOKIE_NAME}=chunks-9999999"):
        status, _, body = ask(port, path, method, HOST, Cookie=given)
        assert status == 401
        assert b"Sign in with Example &lt;ID&gt;" in body
    assert ask(port, path, method, HOST, Cookie=cookie, Origin="https://evil.example")[0] == 403
    assert ask(port, path, method, "evil.example", Cookie=cookie)[0] == 403
    assert ask(port, path, method, f"localhost:{port}", Cookie=cookie)[0] == 403
    status, _, body = ask(port, path, method, HOST, Cookie=cookie, Origin=DESK)
    assert status != 401
    assert b"own pages" not in body


def test_a_websocket_requires_sign_in(port, cookie):
    assert opens(port, HOST, DESK, cookie)
    assert not opens(port, HOST, DESK)
    assert not opens(port, HOST, DESK, signed("another secret"))
    assert not opens(port, HOST, "https://evil.example", cookie)
    assert not opens(port, "evil.example", "https://evil.example", cookie)
    assert not opens(port, f"localhost:{port}", f"http://localhost:{port}", cookie)


def test_requests_and_health_checks_of_a_proxy_are_accepted(port, cookie):
    assert ask(port, "/review", host=HOST, Cookie=cookie, **{"X-Forwarded-For": "203.0.113.7"})[0] == 200
    assert ask(port, "/_stcore/health", host=HOST)[::2] == (200, b"ok")


def test_after_sign_in_the_requested_page_opens(port, cookie):
    wanted = ask(port, "/review?report=lab&issue=2026-11-02", host=HOST)[1]["Set-Cookie"]
    assert "HttpOnly" in wanted
    assert "Secure" in wanted
    kept = wanted.split(";")[0]
    status, headers, _ = ask(port, "/", host=HOST, Cookie=f"{cookie}; {kept}")
    assert (status, headers["Location"]) == (303, f"{DESK}/review?report=lab&issue=2026-11-02")
    assert ask(port, "/static/js/any.js", host=HOST)[1]["Set-Cookie"] is None


@pytest.mark.parametrize(
    ("asked", "there"),
    [
        pytest.param("/%E6%97%A5%E6%9C%AC?report=%C3%A9", "/%E6%97%A5%E6%9C%AC?report=%C3%A9", id="any-letters"),
        pytest.param("//[x", "/%5Bx", id="no-address"),
    ],
)
def test_an_unusual_address_is_restored_after_sign_in(port, cookie, asked, there):
    status, headers, _ = ask(port, asked, host=HOST)
    assert status == 401
    kept = headers["Set-Cookie"].split(";")[0]
    status, headers, _ = ask(port, "/", host=HOST, Cookie=f"{cookie}; {kept}")
    assert (status, headers["Location"]) == (303, f"{DESK}{there}")


@pytest.mark.parametrize(
    "wanted",
    ["https://evil.example/x", "//evil.example/x", "/\\evil.example", "///evil.example", "javascript:x"],
)
def test_sign_in_redirects_only_to_the_desk(port, cookie, wanted):
    headers = ask(port, "/", host=HOST, Cookie=f"{cookie}; presort-wanted={wanted}")[1]
    assert headers["Location"].startswith(f"{DESK}/")


def test_without_sign_in_the_desk_accepts_local_connections_only(tmp_path):
    with pytest.raises(
        RefusedError, match=r"^On 0\.0\.0\.0, other computers can connect without sign-in\. Set sign_in"
    ):
        launch.serve(settings.Settings(tmp_path), host="0.0.0.0")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"PRESORT_SIGN_IN_SECRET": ""}, "Sign-in is incomplete. Set PRESORT_SIGN_IN_SECRET."),
        ({"PRESORT_DESK_URL": ""}, "Sign-in is incomplete. Set PRESORT_DESK_URL."),
        ({"PRESORT_DESK_URL": "http://desk.example.org"}, "For sign-in, it must begin with https://."),
        ({"PRESORT_SIGN_IN_METADATA": "http://localhost.evil.example/"}, "it must begin with https://."),
        (
            {"PRESORT_DESK_URL": "https://desk.example.org/?a=b"},
            "such as https://desk.example.org or https://example.org/presort.",
        ),
    ],
)
def test_invalid_settings_are_named(monkeypatch, change, message):
    for name, value in {**SIGN_IN, **change}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(RefusedError) as refused:
        settings.sign_in()
    assert str(refused.value).endswith(message)
    assert "not-to-be-seen" not in str(refused.value)


def test_settings_are_read_and_the_secret_is_hidden(monkeypatch):
    assert settings.sign_in() is None
    for name, value in SIGN_IN.items():
        monkeypatch.setenv(name, value)
    provider = settings.sign_in()
    assert (str(provider.desk), provider.client, provider.secret) == (DESK, "presort", "not-to-be-seen")
    assert "not-to-be-seen" not in repr(provider)
