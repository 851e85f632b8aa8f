"""A desk below a path of its host: everything is below the path, and cookies stay there."""

import asyncio

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from presort.desk import pages
from presort.desk.web import health, token_door
from presort.desk.web.sub_path import FullPath, SubPath, move_route
from tests.desk.web.openid_provider import CLIENT, SECRET, provided
from tests.desk.web.test_guard import PATHS, ask, opens, served
from tests.desk.web.test_sign_in import HOST, SIGN_IN, signed

ORIGIN = "https://desk.example.org"
PATH = "/tools/presort"
TOKEN = "token-for-figures-8f3c"
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("below-a-path")


@pytest.fixture(scope="module")
def provider():
    with provided() as provider:
        yield provider


@pytest.fixture(scope="module")
def port(folder, provider):
    variables = {
        **SIGN_IN,
        "PRESORT_DESK_URL": f"{ORIGIN}{PATH}/",
        "PRESORT_METRICS_TOKEN": TOKEN,
        "PRESORT_SIGN_IN_METADATA": f"{provider.address}/metadata",
        "PRESORT_SIGN_IN_CLIENT": CLIENT,
        "PRESORT_SIGN_IN_SECRET": SECRET,
    }
    with served(folder, **variables) as (port, lines):
        assert f"URL: {ORIGIN}{PATH}\n" in lines
        yield port


@pytest.fixture(scope="module")
def cookie(folder, port):
    return signed(token_door.read_token(folder))


def cookies_of(headers):
    return headers.get_all("Set-Cookie") or []


@pytest.mark.whole
@pytest.mark.parametrize(("method", "path"), PATHS)
def test_everything_is_below_the_path(port, cookie, method, path):
    assert ask(port, PATH + path, method, HOST)[0] == 401
    assert ask(port, PATH + path, method, HOST, Cookie=cookie, Origin="https://evil.example")[0] == 403
    status, headers, body = ask(port, PATH + path, method, HOST, Cookie=cookie, Origin=ORIGIN)
    assert status != 401
    assert b"own pages" not in body
    assert all(f"; Path={PATH};" in one for one in cookies_of(headers))
    for outside in (path, f"/tools{path}", f"{PATH}-other{path}", f"/TOOLS/presort{path}", f"/other{PATH}{path}"):
        status, headers, body = ask(port, outside, method, HOST, Cookie=cookie, Origin=ORIGIN)
        assert (status, cookies_of(headers)) == (404, [])
        assert body == b"" if method == "HEAD" else PATH.encode() in body


@pytest.mark.whole
def test_websockets_open_below_the_path_only(port, cookie):
    assert opens(port, HOST, ORIGIN, cookie, path=PATH)
    assert not opens(port, HOST, ORIGIN, cookie)
    assert not opens(port, HOST, ORIGIN, cookie, path="/tools")
    assert not opens(port, HOST, ORIGIN, path=PATH)
    assert not opens(port, HOST, "https://evil.example", cookie, path=PATH)
    assert not opens(port, HOST, f"{ORIGIN}{PATH}", cookie, path=PATH)  # an origin has no path


@pytest.mark.whole
def test_health_and_metrics_are_below_the_path(port, monkeypatch):
    assert ask(port, f"{PATH}/_stcore/health", host=HOST)[::2] == (200, b"ok")
    assert ask(port, "/_stcore/health", host=HOST)[0] == 404
    assert ask(port, f"{PATH}/metrics", **AUTHORIZED)[0] == 200
    assert ask(port, f"{PATH}/metrics")[0] == 401
    assert ask(port, "/metrics", **AUTHORIZED)[0] == 404
    for name, value in {**SIGN_IN, "PRESORT_DESK_URL": ORIGIN + PATH}.items():
        monkeypatch.setenv(name, value)
    assert health.find_fault(port) == ""


@pytest.mark.whole
def test_redirects_stay_below_the_path(port, cookie):
    status, headers, _ = ask(port, f"{PATH}?report=lab", host=HOST)
    assert (status, headers["Location"]) == (308, f"{PATH}/?report=lab")
    status, headers, _ = ask(port, f"{PATH}/pending?only=lab", host=HOST, Cookie=cookie)
    assert (status, headers["Location"]) == (307, f"{PATH}/week?only=lab")
    status, headers, _ = ask(port, f"{PATH}/review/", host=HOST, Cookie=cookie)
    assert (status, headers["Location"]) == (301, f"{PATH}/review")


@pytest.mark.whole
def test_sign_in_returns_to_the_requested_page(port):
    status, headers, body = ask(port, f"{PATH}/review?report=lab", host=HOST)
    assert status == 401
    assert f'href="{ORIGIN}{PATH}/sign-in"'.encode() in body
    (wanted,) = cookies_of(headers)
    assert f"; Path={PATH};" in wanted
    status, headers, _ = ask(port, f"{PATH}/sign-in", host=HOST)
    assert status == 303
    (attempt,) = cookies_of(headers)
    assert f"; Path={PATH}/oauth2callback;" in attempt
    back = httpx.get(headers["Location"], verify=False).headers["Location"]
    assert back.startswith(f"{ORIGIN}{PATH}/oauth2callback?")
    status, headers, _ = ask(port, back.removeprefix(ORIGIN), host=HOST, Cookie=attempt.split(";")[0])
    assert (status, headers["Location"]) == (303, f"{PATH}/")
    account = [one for one in cookies_of(headers) if one.startswith(USER_COOKIE_NAME) and "Max-Age=0" not in one]
    assert account
    assert all(f"; Path={PATH};" in one for one in account)
    kept = "; ".join(one.split(";")[0] for one in [wanted, *account])
    assert opens(port, HOST, ORIGIN, kept, path=PATH)
    status, headers, _ = ask(port, f"{PATH}/", host=HOST, Cookie=kept)
    assert (status, headers["Location"]) == (303, f"{ORIGIN}{PATH}/review?report=lab")
    assert all(f"; Path={PATH};" in one for one in cookies_of(headers))


@pytest.mark.whole
def test_a_failed_sign_in_can_be_repeated(port):
    status, headers, body = ask(port, f"{PATH}/oauth2callback?code=a&state={'s' * 43}", host=HOST)
    assert status >= 400
    assert f'href="{ORIGIN}{PATH}/sign-in"'.encode() in body
    assert all(f"; Path={PATH}" in one for one in cookies_of(headers))


@pytest.mark.whole
def test_signing_out_deletes_the_cookie_of_this_path(port, cookie):
    status, headers, _ = ask(port, f"{PATH}/auth/logout", host=HOST, Cookie=cookie)
    assert (status, headers["Location"]) == (302, f"{PATH}/")
    assert cookies_of(headers)
    assert all(f"; Path={PATH};" in one for one in cookies_of(headers))


@pytest.mark.whole
def test_cookies_of_another_desk_don_t_count(port, cookie):
    other = signed("secret of the desk at the root of the host")
    assert ask(port, f"{PATH}/", host=HOST, Cookie=f"{cookie}; {other}")[0] == 200  # as browsers order them
    assert ask(port, f"{PATH}/", host=HOST, Cookie=other)[0] == 401


def answer(path, method="GET", base=PATH, headers=()):
    """Return the response of an application below a path that returns what it received."""

    async def echo(request: Request):
        response = PlainTextResponse(f"{request.url.path} {request.scope['raw_path'].decode()} {request.cookies}")
        response.set_cookie("a", "path=/x; Path=/", path="/")
        response.set_cookie("b", "2", path="/here")
        response.set_cookie("c", "3", path=f"{base}/there")
        return response

    async def once():
        app = Starlette(
            routes=[
                move_route(base, Route("/echo/{rest:path}", echo, methods=["GET", "POST"])),
                move_route(base, Mount("/mounted", routes=[Route("/echo", echo)])),
            ],
            middleware=[Middleware(SubPath, path=base), Middleware(FullPath, path=base)],
        )
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client:
            return await client.request(method, path, headers=list(headers))

    return asyncio.run(once())


@pytest.mark.parametrize("base", [PATH, ""])
def test_a_route_receives_the_full_path(base):
    response = answer(f"{base}/echo/a%20b", "POST", base)
    assert response.text == f"{base}/echo/a b {base}/echo/a%20b {{}}"
    assert answer(f"{base}/echo/x", "PUT", base).status_code == 405
    assert answer(f"{base}/mounted/echo", base=base).text.startswith(f"{base}/mounted/echo ")
    assert answer(f"{base}/mounted/other", base=base).status_code == 404


def test_only_the_path_attribute_of_a_cookie_changes():
    whole, part, own = answer(f"{PATH}/echo/").headers.get_list("set-cookie")
    assert whole == f'a="path=/x\\073 Path=/"; Path={PATH}; SameSite=lax'
    assert f"; Path={PATH}/here;" in part
    assert f"; Path={PATH}/there;" in own


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(["a=1; b=2; a=3"], {"a": "1", "b": "2"}, id="one-header"),
        pytest.param(["a=1", "a=2; c=x=y"], {"a": "1", "c": "x=y"}, id="two-headers"),
        pytest.param([" ; ;=; a"], {"": "a"}, id="malformed"),
        pytest.param([], {}, id="none"),
    ],
)
def test_the_first_of_several_cookies_with_one_name_counts(given, expected):
    response = answer(f"{PATH}/echo/", headers=[("cookie", one) for one in given])
    assert response.text.endswith(f" {expected}")


def test_a_path_with_the_name_of_a_page_is_not_confused_with_it(monkeypatch):
    for name, value in {**SIGN_IN, "PRESORT_DESK_URL": f"{ORIGIN}/overview"}.items():
        monkeypatch.setenv(name, value)
    assert pages.role_at(f"{ORIGIN}/overview/", "editor", ["editor", "director"]) == "editor"
    assert pages.role_at(f"{ORIGIN}/overview/overview", "editor", ["editor", "director"]) == "director"
