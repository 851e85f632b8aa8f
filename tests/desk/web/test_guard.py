"""A running desk accepts only requests and websockets of its own pages."""

import errno
import http.client
import threading
from contextlib import contextmanager
from socket import create_server, socket

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from presort.data.errors import WorkspaceError
from presort.desk import settings
from presort.desk.web import launch, token_door
from presort.desk.web.token_door import cookie_name
from tests.forked import Program

pytestmark = pytest.mark.whole

PAGE = """
import streamlit as st
st.title("open")
"""


@contextmanager
def served(folder, host=launch.LOCALHOST, **variables):
    """Serve one small page. Yields the server's port, and its output before it accepted requests."""
    script = folder / "page.py"
    script.write_text(PAGE)
    with socket() as probe:
        probe.bind((launch.LOCALHOST, 0))
        port = probe.getsockname()[1]
    environment = {**settings.to_environment(settings.Settings(folder)), **variables}
    _, _, _, *arguments = launch.command(host, port, script=str(script))
    server = Program("from presort.desk.web import server; server.main()", *arguments, **environment)
    try:
        messages = []
        for line in server.stdout:
            messages.append(line)
            if "URL:" in line:
                break
        yield port, "".join(messages)
    finally:
        server.terminate()
        server.communicate()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("guarded")


@pytest.fixture(scope="module")
def foreign_hosts():
    """Proxy that records connections, and the recorded ones."""
    calls = []
    with create_server((launch.LOCALHOST, 0)) as proxy:

        def count():
            while True:
                try:
                    line, _ = proxy.accept()
                except OSError:
                    return
                with line:
                    calls.append(line.recv(200))

        threading.Thread(target=count, daemon=True).start()
        yield f"http://{launch.LOCALHOST}:{proxy.getsockname()[1]}", calls


@pytest.fixture(scope="module")
def port(folder, foreign_hosts):
    proxy, _ = foreign_hosts
    proxies = {"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "http_proxy": proxy, "https_proxy": proxy}
    with served(folder, host="0.0.0.0", **proxies) as (port, _):
        yield port


@pytest.fixture(scope="module")
def cookie(folder, port):
    token = (folder / token_door.FILE_NAME).read_text()
    return f"{cookie_name(token)}={token}"


def ask(port, path="/", method="GET", host=None, **headers):
    """Return status, headers and body of a response."""
    connection = http.client.HTTPConnection(launch.LOCALHOST, port, timeout=30)
    connection.request(method, path, headers={"Host": host or f"localhost:{port}", **headers})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, answer.headers, text


def opens(port, host=None, origin=None, cookie="", path=""):
    """Return True if a websocket opens."""
    host = host or f"localhost:{port}"
    sock = socket()
    sock.connect((launch.LOCALHOST, port))
    try:
        address, headers = f"ws://{host}{path}/_stcore/stream", {"Cookie": cookie}
        with connect(address, sock=sock, origin=origin, additional_headers=headers):
            return True
    except InvalidStatus:
        return False


PATHS = [
    pytest.param("GET", "/", id="the page"),
    pytest.param("GET", "/publish", id="another page"),
    pytest.param("GET", "/review", id="a route of the app"),
    pytest.param("GET", "/favicon.png", id="a file"),
    pytest.param("GET", "/static/js/any.js", id="a script"),
    pytest.param("GET", "/media/0123.csv", id="a download"),
    pytest.param("GET", "/_stcore/host-config", id="settings"),
    pytest.param("GET", "/_stcore/metrics", id="figures"),
    pytest.param("POST", "/channels/any", id="entries of a list"),
    pytest.param("PUT", "/_stcore/upload_file/a/b", id="an upload"),
    pytest.param("DELETE", "/_stcore/upload_file/a/b", id="a withdrawn upload"),
    pytest.param("POST", "/_stcore/agent/interact", id="programs"),
    pytest.param("OPTIONS", "/_stcore/upload_file/a/b", id="a preflight request"),
]


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_every_path_is_served_only_to_own_pages(port, cookie, method, path):
    assert ask(port, path, method)[0] == 403  # without the cookie
    assert ask(port, path, method, Cookie=f"{cookie}x")[0] == 403
    # A foreign name may resolve to this computer.
    assert ask(port, path, method, host=f"evil.example:{port}", Cookie=cookie)[0] == 403
    assert ask(port, path, method, host=f"localhost:{port + 1}", Cookie=cookie)[0] == 403
    for origin in (f"http://localhost:{port + 1}", f"http://{launch.LOCALHOST}:{port}", "null", "https://evil.example"):
        assert ask(port, path, method, Cookie=cookie, Origin=origin)[0] == 403
    own = ask(port, path, method, Cookie=cookie, Origin=f"http://localhost:{port}")
    assert b"presort app" not in own[2]
    assert b"own pages" not in own[2]


def test_a_websocket_opens_only_for_own_pages(port, cookie):
    here = f"http://localhost:{port}"
    assert opens(port, origin=here, cookie=cookie)
    assert opens(port, f"127.0.0.1:{port}", f"http://127.0.0.1:{port}", cookie)
    assert opens(port, f"[::1]:{port}", f"http://[::1]:{port}", cookie)
    assert not opens(port, origin=here)
    assert not opens(port, cookie=cookie)  # browsers always send the origin
    assert not opens(port, origin=f"http://localhost:{port + 1}", cookie=cookie)
    assert not opens(port, origin=f"http://127.0.0.1:{port}", cookie=cookie)
    assert not opens(port, f"evil.example:{port}", f"http://evil.example:{port}", cookie)
    assert not opens(port, "desk.example.org", "https://desk.example.org", cookie)


@pytest.mark.parametrize(
    "header",
    [
        *("Forwarded", "Via", "X-Forwarded-For", "x-forwarded-host", "X-Forwarded-Proto", "X-Forwarded-Server"),
        *("X-Real-IP", "X-Client-IP", "X-Original-Host", "CF-Connecting-IP", "True-Client-IP"),
    ],
)
def test_without_sign_in_requests_through_a_proxy_are_refused(port, cookie, header):
    handed_on = {header: "203.0.113.7", "Cookie": cookie}
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
        status, _, body = ask(port, host=host, **handed_on)
        assert (status, b"This request came through a proxy" in body) == (403, True)
    assert ask(port, host=f"localhost:{port}", Cookie=cookie)[0] == 200


def test_our_address_is_never_requested_from_another_host(port, cookie, foreign_hosts):
    _, calls = foreign_hosts
    assert not opens(port, origin="https://evil.example", cookie=cookie)
    assert ask(port, "/_stcore/host-config", Cookie=cookie, Origin="https://evil.example")[0] == 403
    assert ask(port, "/", Cookie=cookie)[0] == 200
    assert calls == []


def test_the_token_moves_from_the_address_to_a_cookie(port, cookie):
    name, _, token = cookie.partition("=")
    status, headers, _ = ask(port, f"/publish?report=a%26b&token={token}&x=")
    assert status == 303
    assert headers["Location"] == f"http://localhost:{port}/publish?report=a%26b&x="
    made = headers["Set-Cookie"].lower()
    assert made.startswith(f"{name}={token.lower()};")
    assert "httponly" in made
    assert "samesite=strict" in made
    assert "secure" not in made
    assert ask(port, f"/?token={token}", Origin="https://evil.example")[0] == 403
    assert ask(port, "/?token=guessed")[0] == 403
    assert ask(port, "/?token=")[0] == 403


def test_the_content_policy_forbids_frames_and_foreign_scripts(port, cookie):
    for headers in (ask(port, "/", Cookie=cookie)[1], ask(port, "/")[1]):
        assert headers["X-Frame-Options"] == "DENY"
        policy = headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy
        (scripts,) = [part for part in policy.split("; ") if part.startswith("script-src")]
        assert "unsafe" not in scripts
        assert "*" not in policy


def test_the_health_check_needs_no_token(port):
    assert ask(port, "/_stcore/health")[::2] == (200, b"ok")
    assert ask(port, "/_stcore/health", host="evil.example")[0] == 403


def test_the_old_address_of_a_page_redirects_to_the_new_one(port, cookie):
    status, headers, _ = ask(port, "/pending?only=lab", Cookie=cookie)
    assert (status, headers["Location"]) == (307, "/week?only=lab")


def test_the_printed_address_is_valid_after_a_restart(tmp_path):
    with served(tmp_path) as (port, lines):
        first = token_door.read_token(tmp_path)
        assert f"URL: http://127.0.0.1:{port}/?token={first}\n" in lines
    with served(tmp_path) as (port, lines):
        assert f"URL: http://127.0.0.1:{port}/?token={first}\n" in lines


def test_an_error_names_the_folder_if_the_token_cannot_be_written(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(token_door, "NamedTemporaryFile", refuse)
    path = tmp_path / token_door.FILE_NAME
    with pytest.raises(WorkspaceError) as refused:
        token_door.read_token(tmp_path)
    assert (
        str(refused.value) == f"{path} can't be used: Permission denied. Make the folder writable, or choose another."
    )


@pytest.mark.parametrize("spoil", [lambda file: file.chmod(0o640), lambda file: file.write_text("cut")])
def test_a_readable_or_damaged_token_is_replaced(tmp_path, spoil):
    before = token_door.read_token(tmp_path)
    file = tmp_path / token_door.FILE_NAME
    assert file.stat().st_mode & 0o777 == 0o600
    assert token_door.read_token(tmp_path) == before
    spoil(file)
    after = token_door.read_token(tmp_path)
    assert after != before
    assert token_door.read_token(tmp_path) == after
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [token_door.FILE_NAME]
