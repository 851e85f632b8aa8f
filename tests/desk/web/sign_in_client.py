"""A desk with sign-in, and the actions of a browser that signs in."""

import json
import time

import httpx
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from presort.desk.web import sign_in
from presort.desk.web.guard import Guard
from presort.desk.web.sign_in_door import SignInDoor

DESK = "https://desk.example.org"
COOKIES = "secret of the cookies"
PAGE = "/review?report=lab&issue=2026-11-02"
NOW = int(time.time())


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


def failed(response, failure):
    """Check that the page reports this failure."""
    assert response.status_code == failure.status
    assert f"<h1>{failure.title}</h1>" in response.text
    assert "Example &lt;ID&gt;" in response.text
    assert f'<a href="{DESK}/sign-in">Try again</a>' in response.text
    assert "Authentication error" not in response.text
    assert response.headers["Cache-Control"] == "no-store"
    assert USER_COOKIE_NAME not in response.headers.get("Set-Cookie", "")
