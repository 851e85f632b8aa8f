"""Rate limits of sign-in, uploads and metrics for each client address, and the maximum upload size."""

import asyncio
import http.client
import socket

import httpx
import pytest
from starlette.responses import PlainTextResponse
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets.sync.client import connect

from presort.desk import limits
from presort.desk.limits import LARGEST_UPLOAD, Limit, Rate
from presort.desk.web import launch, token_door
from presort.desk.web.guard import RATES, Guard
from presort.desk.web.sign_in_door import SignInDoor
from presort.desk.web.token_door import TokenDoor, cookie_name
from tests.desk.web.test_guard import ask, served

HERE = "http://localhost:8501"
TOKEN, FIGURES = "token-of-the-desk", "token-for-figures-8f3c"
COOKIE = {"Cookie": f"{cookie_name(TOKEN)}={TOKEN}"}


class Asker:
    """Client of a guard in this process, with any address and at any time."""

    def __init__(self, door):
        self.now = 0.0
        inner = PlainTextResponse("in")
        self.guard = Guard(inner, door, [HERE], is_local=False, metrics_token=FIGURES, clock=lambda: self.now)

    def ask(self, path, *, by="203.0.113.7", method="GET", **headers):
        async def once():
            way = httpx.ASGITransport(app=self.guard, client=(by, 1))
            async with httpx.AsyncClient(transport=way, base_url=HERE) as client:
                return await client.request(method, path, headers=headers)

        return asyncio.run(once())


@pytest.fixture(params=[TokenDoor(TOKEN), SignInDoor("Example ID", "secret")], ids=["token", "sign-in"])
def desk(request):
    return Asker(request.param)


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("door", "/sign-in"),
        ("door", "/auth/login"),
        ("door", "/oauth2callback?code=guessed"),
        ("door", "/?token=guessed"),
        ("door", "/review?token=guessed&x="),
        ("door", "/?invitation=guessed"),
        ("upload", "/_stcore/upload_file/a/b"),
        ("figures", "/metrics"),
    ],
)
def test_too_many_requests_are_refused_with_retry_after(desk, kind, path):
    rate = RATES[kind]
    desk.guard.limits[kind] = Limit(Rate(3, 10), lambda: desk.now)
    assert rate.at_once >= 60
    usual = [desk.ask(path).status_code for _ in range(3)]
    assert 429 not in usual
    refused = desk.ask(path)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "10")
    assert refused.text == "Too many requests from your address. Try again in 10 seconds.\n"
    assert refused.headers["X-Frame-Options"] == "DENY"
    assert desk.ask(path, by="203.0.113.8").status_code == usual[0]
    desk.now = 9.5
    assert desk.ask(path).headers["Retry-After"] == "1"
    desk.now = 10.0  # refused requests don't count
    assert [desk.ask(path).status_code for _ in range(2)] == [usual[0], 429]
    desk.now = 1_000.0
    assert [desk.ask(path).status_code for _ in range(4)] == [*usual, 429]


def test_pages_files_and_health_checks_are_not_limited(desk):
    desk.guard.limits = {kind: Limit(Rate(1, 10), lambda: desk.now) for kind in RATES}
    for path in ("/", "/review?report=lab", "/static/any.js", "/_stcore/health"):
        assert 429 not in {desk.ask(path, **COOKIE).status_code for _ in range(3)}


def test_fifty_editors_behind_one_address_can_sign_in_within_a_minute():
    now = 0.0
    limit = Limit(RATES["door"], lambda: now)
    for _ in range(50):
        assert [limit.wait("house") for _ in range(3)] == [0, 0, 0]
        now += 60 / 50


def test_only_the_most_recent_clients_are_remembered(monkeypatch):
    monkeypatch.setattr(limits, "MOST", 3)
    limit = Limit(Rate(1, 10), lambda: 0.0)
    assert [limit.wait(who) for who in "abca"] == [0, 0, 0, 10]
    assert limit.wait("d") == 0  # replaces b
    assert [limit.wait(who) for who in "acdb"] == [10, 10, 10, 0]
    assert len(limit._full_at) == 3


def test_an_ipv6_network_counts_as_one_client(desk):
    desk.guard.limits["figures"] = Limit(Rate(1, 10), lambda: desk.now)
    assert desk.ask("/metrics", by="2001:db8::1").status_code == 401
    assert desk.ask("/metrics", by="2001:db8::ffff").status_code == 429
    assert desk.ask("/metrics", by="2001:db8:0:1::1").status_code == 401


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("limited")
    with served(folder) as (port, _):
        yield port, token_door.read_token(folder)


@pytest.mark.whole
def test_requests_through_a_local_proxy_count_for_the_original_client(server):
    port, _ = server
    answers = (ask(port, "/metrics", **{"X-Forwarded-For": "203.0.113.7"}) for _ in range(5_000))
    status, headers, text = next(answer for answer in answers if answer[0] != 401)
    assert (status, headers["Retry-After"]) == (429, "1")
    assert text == b"Too many requests from your address. Try again in 1 second.\n"
    assert ask(port, "/metrics", **{"X-Forwarded-For": "203.0.113.8"})[0] == 401
    assert ask(port, "/metrics")[0] == 401


def test_a_file_above_the_maximum_size_is_refused(server):
    port, token = server
    own, xsrf = f"http://localhost:{port}", generate_xsrf_token_string()
    cookies = f"{cookie_name(token)}={token}; _streamlit_xsrf={xsrf}"
    opening, reply = BackMsg(), ForwardMsg()
    opening.rerun_script.query_string = ""
    with socket.create_connection((launch.LOCALHOST, port)) as line:
        address, given = f"ws://localhost:{port}/_stcore/stream", {"Cookie": cookies}
        with connect(
            address, sock=line, origin=own, additional_headers=given, subprotocols=["streamlit", xsrf]
        ) as desk:
            desk.send(opening.SerializeToString())
            while reply.WhichOneof("type") != "new_session":
                reply.ParseFromString(desk.recv(timeout=60))
            path = f"/_stcore/upload_file/{reply.new_session.initialize.session_id}/a"
            headers = {"Cookie": cookies, "X-Xsrftoken": xsrf, "Origin": own, "Host": f"localhost:{port}"}
            kind = {"Content-Type": "multipart/form-data; boundary=b"}
            body = b'--b\r\nContent-Disposition: form-data; name="a"; filename="a.csv"\r\n\r\npaper_id\r\n--b--\r\n'
            assert _put(port, path, body, headers | kind) == 204
            too_long = {"Content-Length": str(LARGEST_UPLOAD * 1024**2 + 1)}
            assert _put(port, path, b"", headers | kind | too_long) == 413


def _put(port, path, body, headers):
    connection = http.client.HTTPConnection(launch.LOCALHOST, port, timeout=60)
    connection.request("PUT", path, body, headers)
    status = connection.getresponse().status
    connection.close()
    return status
