"""Requests to the API: tokens, limits, versions, and what is refused."""

import hmac
import inspect

import pytest
from starlette.applications import Starlette

from presort.data.editing.publications import reopen
from presort.data.errors import WorkspaceError
from presort.desk.api import door
from presort.desk.api.door import RATE, ApiDoor
from presort.desk.api.parameters import LONGEST, MOST
from presort.desk.api.problems import PROBLEM
from presort.desk.api.routes import routes
from presort.desk.limits import Limit, Rate
from presort.desk.settings.api import API
from presort.desk.web.guard import RATES, Guard
from presort.desk.web.monitoring import ERRORS
from presort.desk.web.sign_in_door import SIGN_IN
from presort.desk.web.sub_path import FullPath, SubPath, move_route
from presort.desk.web.token_door import TokenDoor
from tests.desk.api.conftest import HERE, METRICS, OTHER, TOKEN

PATHS = ["", "/", "/issues", "/reports", "/report-issues", "/report-issues/lab/2026-11-16", "/quality", "/openapi.json"]


def assert_problem(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == PROBLEM
    found = answer.json()
    assert (found["status"], found["type"]) == (status, "about:blank")
    assert found["detail"]
    assert "\n" not in found["detail"]
    assert TOKEN not in answer.text
    return found["detail"]


def test_a_token_opens_the_api_with_and_without_sign_in(either):
    for token in (TOKEN, OTHER):
        assert either.get("/issues", token=token).status_code == 200
    assert either.get("/issues", token=None, Authorization=f"bearer {TOKEN}").status_code == 200
    assert either.get("/issues", Origin=HERE).status_code == 200


@pytest.mark.parametrize(
    "given",
    [
        *("", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN),
        *(f"Bearer {TOKEN} {OTHER}", f"Bearer {TOKEN},{OTHER}", f"Bearer {TOKEN.upper()}", "Bearer ä' OR '1'='1"),
        f"Bearer {METRICS}",
    ],
)
def test_without_the_right_token_every_path_is_closed(either, given):
    for path in PATHS:
        answer = either.get(path, token=None, Authorization=given.encode())
        assert_problem(answer, 401)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer ")


@pytest.mark.parametrize("name", ["token", "access_token", "api_key"])
def test_a_token_in_the_address_is_refused(either, name):
    assert_problem(either.get(f"/issues?{name}={TOKEN}", token=None), 401)
    detail = either.get(f"/issues?{name}={TOKEN}").json()["detail"]
    assert_problem(either.get(f"/issues?{name}={TOKEN}"), 400)
    assert name in detail


def test_a_token_of_the_api_opens_nothing_else(either):
    assert either.get(f"{HERE}/metrics").status_code == 401
    assert either.get(f"{HERE}/review").status_code in (303, 307, 401, 403) or "sign" in either.get(f"{HERE}/").text
    cookie = {"Cookie": f"presort-api={TOKEN}"}
    assert_problem(either.get("/issues", token=None, **cookie), 401)


def test_other_hosts_and_pages_are_refused(either):
    for host in ("evil.example", "localhost:8502", "localhost", "127.0.0.1:8501"):
        assert_problem(either.get("/issues", Host=host), 403)
    for origin in ("https://evil.example", "null", "http://localhost:8502"):
        assert_problem(either.get("/issues", Origin=origin), 403)


def test_a_proxy_is_refused_without_sign_in(use, empty_store):
    assert_problem(use(empty_store).get("/issues", **{"X-Forwarded-For": "203.0.113.9"}), 403)


def test_the_api_is_disabled_without_clients(use, empty_store):
    api = use(empty_store, clients=())
    for path in PATHS:
        assert_problem(api.get(path), 404)
        assert_problem(api.get(path, token=None), 404)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_the_api_is_read_only(api, method):
    for path in ("/issues", "/report-issues/lab/2026-11-16", "/openapi.json"):
        answer = api.get(path, method=method)
        assert_problem(answer, 405)
        assert "GET" in answer.headers["Allow"]


def test_head_has_the_headers_of_get(api, newest):
    for path in ("/issues", f"/report-issues/lab/{newest}", "/quality"):
        full, head = api.get(path), api.get(path, method="HEAD")
        assert (head.status_code, head.content) == (200, b"")
        for name in ("ETag", "Content-Length", "Content-Type", "Cache-Control"):
            assert head.headers[name] == full.headers[name]


def test_an_unchanged_answer_is_not_sent_again(api, published, newest):
    first = api.get("/report-issues")
    assert first.headers["Cache-Control"].startswith("private")
    tag = first.headers["ETag"]
    for known in (tag, f"W/{tag}", f'"old", {tag}'):
        again = api.get("/report-issues", **{"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert api.get("/report-issues", **{"If-None-Match": '"old"'}).status_code == 200
    reopen(published, "lab", newest, "A wrong paper.", person="Ann Lee")
    changed = api.get("/report-issues", **{"If-None-Match": tag})
    assert (changed.status_code, changed.headers["ETag"] == tag) == (200, False)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("form=2026-01-01", "form"),
        ("limit=0", "limit"),
        (f"limit={MOST + 1}", "limit"),
        ("limit=-1", "limit"),
        ("limit=1e3", "limit"),
        ("limit=%D9%A3", "limit"),
        ("limit=", "limit"),
        ("limit=5&limit=6", "limit"),
        ("from=2026-13-01", "from"),
        ("from=20261116", "from"),
        ("from=2026-W47-1", "from"),
        ("to=tomorrow", "to"),
        ("from=2026-02-01&to=2026-01-01", "from"),
        ("report=nope", "nope"),
        ("report=lab%27%20OR%201%3D1--", "OR 1=1"),
        ("report=lab%00", "report"),
        ("report=%0Alab", "report"),
        (f"report={'x' * (LONGEST + 1)}", "report"),
        (f"{'x' * 5_000}=1", "x"),
        ("cursor=x", "cursor"),
        ("cursor=2026-11-16%00.lab", "cursor"),
        ("cursor=%27%3B%20DROP%20TABLE%20report%3B--", "cursor"),
    ],
)
def test_a_wrong_query_is_named(api, query, names):
    assert names in assert_problem(api.get(f"/report-issues?{query}"), 400)


def test_sql_in_a_cursor_is_text(api):
    whole = api.get("/report-issues").json()
    day = whole["items"][0]["issue"]
    assert api.get(f"/report-issues?cursor={day}.' OR '1'='1").json()["items"] == whole["items"]


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/nothing",
            "/issues/",
            "/issues/2026-11-16",
            "//issues",
            "/report-issues/lab",
            "/people",
            "/readers",
            "/docs",
        ),
        *("/..%2f..%2fpresort.toml", "/../../presort.toml", "/report-issues/..%2f..%2f/2026-11-16", "/%2e%2e/metrics"),
        f"/report-issues/{'x' * 5_000}/2026-11-16",
    ],
)
def test_other_paths_are_not_found(either, path):
    answer = either.get(path)
    if answer.request.url.path.startswith(API):
        assert_problem(answer, 404)
    else:  # the client has resolved the dots
        assert answer.status_code in (401, 403) or SIGN_IN in answer.headers.get("location", "")


def test_a_client_that_asks_too_often_waits(api):
    api.door.limit = Limit(Rate(2, 10), lambda: api.now)
    assert [api.get("/issues").status_code for _ in range(3)] == [200, 200, 429]
    refused = api.get("/issues")
    assert_problem(refused, 429)
    assert refused.headers["Retry-After"] == "10"
    assert api.get("/issues", token=OTHER).status_code == 200
    api.now = 10.0
    assert api.get("/issues").status_code == 200
    assert RATE.at_once >= 60


def test_guesses_are_limited_by_address(api):
    api.guard.limits["api"] = Limit(Rate(2, 10), lambda: api.now)
    assert [api.get("/issues", token="guess").status_code for _ in range(3)] == [401, 401, 429]
    refused = api.get("/issues")  # the right token must not stand out once the limit is reached
    assert_problem(refused, 429)
    assert refused.headers["Retry-After"] == "10"
    assert api.get("/issues", by="203.0.113.8").status_code == 200
    assert RATES["api"].at_once >= RATE.at_once


def test_all_tokens_are_compared_in_constant_time(monkeypatch):
    compared = []

    compare_digest = hmac.compare_digest

    def compare(one, other):
        compared.append((one, other))
        return compare_digest(one, other)

    monkeypatch.setattr(door.hmac, "compare_digest", compare)
    clients = [door.Client("a", TOKEN), door.Client("b", OTHER)]
    opened = ApiDoor(clients)
    assert [opened._client_of(token) for token in (TOKEN, OTHER, "")] == ["a", "b", None]
    assert len(compared) == 3 * len(clients)
    assert "==" not in inspect.getsource(ApiDoor._client_of)


def test_a_workspace_that_cannot_be_read_is_a_problem(api, monkeypatch, caplog):
    def fail(_):
        raise WorkspaceError("/srv/presort.db is busy")

    monkeypatch.setattr("presort.data.catalogue.revision", fail)
    answer = api.get("/issues")
    assert_problem(answer, 503)
    assert answer.headers["Retry-After"]
    assert "/srv" not in answer.text
    assert "busy" in caplog.text


def test_a_bug_is_a_problem_without_details(api, monkeypatch):
    def fail(*_):
        raise KeyError("Rita Reader")

    monkeypatch.setattr("presort.data.catalogue.revision", fail)
    answer = api.get("/issues")
    assert_problem(answer, 500)
    assert "Rita" not in answer.text


def test_addresses_of_the_api_are_one_prefix(api):
    for path in ("/api/v2/issues", "/api", "/api/v1x/issues"):
        assert api.get(f"{HERE}{path}").status_code == 403  # for the door of the desk, which knows no such token
    assert API == "/api/v1"


def test_the_api_works_below_a_path_of_the_host(api):
    inside = FullPath(Starlette(routes=[move_route("/presort", routes(ERRORS.inc))]), "/presort")
    door = TokenDoor("token-of-the-desk")
    guard = Guard(inside, door, [HERE], path="/presort", is_local=True, api=api.door)
    api.guard = SubPath(guard, "/presort")
    assert api.get(f"{HERE}/presort{API}/issues").json()["items"]
    assert_problem(api.get(f"{HERE}/presort{API}/issues", token="guess"), 401)
    assert_problem(api.get(f"{HERE}/presort{API}/nothing"), 404)
    assert api.get("/issues").status_code == 404
