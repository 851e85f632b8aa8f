"""nginx with the configuration of `deploy`: logs without codes, a page while the desk starts, redirects and hosts."""

import json
import re
import ssl
from contextlib import nullcontext
from socket import create_connection

import pytest
from websockets.sync.client import connect

from presort.desk.limits import LARGEST_UPLOAD
from tests.desk.deploy.nginx_server import (
    DEPLOY,
    DESK,
    LOCALHOST,
    SITE,
    Nginx,
    context,
    desk_server,
    needs_nginx,
    parsed,
)

pytestmark = [pytest.mark.whole, needs_nginx]

CODE = "invitation-code-7f3a"
HSTS = "Strict-Transport-Security"


@pytest.fixture(scope="module")
def down(tmp_path_factory):
    """nginx, without a desk."""
    with Nginx(tmp_path_factory.mktemp("down")).running() as nginx:
        yield nginx


@pytest.fixture(scope="module")
def nginx(tmp_path_factory):
    """nginx in front of a desk."""
    with desk_server() as port, Nginx(tmp_path_factory.mktemp("up"), port).running() as nginx:
        yield nginx


@pytest.fixture
def below_path(tmp_path):
    """nginx in front of a desk below /presort, with the locations that the guide shows."""
    (shown,) = re.findall(r"```nginx\n(.*?)\n```", (DEPLOY.parent / "docs" / "install.md").read_text(), re.DOTALL)
    with desk_server() as port:
        nginx = Nginx(tmp_path / "path", port)
        written = (nginx.folder / "nginx.conf").read_text()
        comment = "".join(f"    # {line}\n" for line in shown.splitlines())
        location = f"{comment}    location / {{\n        proxy_pass"
        assert written.count(location) == 1
        (nginx.folder / "nginx.conf").write_text(written.replace(location, f"{shown}\n        proxy_pass"))
        with nginx.running():
            yield nginx


def test_nginx_accepts_its_configuration(tmp_path):
    code, messages = Nginx(tmp_path / "checked").check()
    assert code == 0, messages
    assert "warn" not in messages


@pytest.mark.parametrize("path", [f"/?invitation={CODE}", f"/oauth2callback?code={CODE}&state=a", f"/{CODE}"])
def test_no_log_contains_a_code_if_the_desk_is_down(down, path):
    referrer = f"https://{DESK}/?invitation={CODE}"
    assert down.ask(path, headers={"Referer": referrer})[0] == 503
    assert down.ask_plain(path)[0] == 301
    assert CODE not in down.logs()


def test_no_log_contains_a_code_if_a_body_cannot_be_stored(nginx):
    (nginx.folder / "bodies").rename(nginx.folder / "away")
    try:
        assert nginx.ask(f"/?invitation={CODE}", method="POST", body=b"a" * 100_000)[0] == 500
    finally:
        (nginx.folder / "away").rename(nginx.folder / "bodies")
    assert CODE not in nginx.logs()


@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_while_the_desk_starts_a_page_reloads_itself(down, method):
    status, headers, page = down.ask("/review?report=lab", method=method)
    assert status == 503
    assert page == (DEPLOY / "starting.html").read_text()
    seconds = headers["Retry-After"]
    assert re.search(rf'<meta http-equiv="refresh" content="{seconds}">', page)
    assert headers["Cache-Control"] == "no-store"
    assert headers[HSTS]


def test_the_page_loads_no_other_resources(down):
    _, headers, page = down.ask("/")
    assert not re.search(r"<(script|link|img)|url\(|@import|https?:", page)
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_the_page_has_no_address_of_its_own(nginx):
    assert nginx.ask("/presort-starting.html")[0] == 404


@pytest.mark.parametrize("status", [404, 429, 500, 502, 503])
def test_errors_of_the_desk_are_not_replaced(nginx, status):
    answer = nginx.ask(f"/review?status={status}")
    assert answer[0] == status
    assert parsed(answer)["path"] == "/review"


def test_http_is_redirected_to_https_except_for_certificate_challenges(nginx):
    for host in (DESK, SITE):
        status, headers, _ = nginx.ask_plain("/review?report=lab", host)
        assert (status, headers["Location"]) == (301, f"https://{host}/review?report=lab")
    challenge = nginx.challenges / ".well-known" / "acme-challenge" / "token"
    challenge.parent.mkdir(parents=True)
    challenge.write_text("proof")
    assert nginx.ask_plain("/.well-known/acme-challenge/token")[::2] == (200, "proof")
    assert nginx.ask_plain("/.well-known/acme-challenge/../../index.html")[0] == 301


@pytest.mark.parametrize("host", ["evil.example", LOCALHOST, f"{DESK}.evil.example"])
def test_unknown_hosts_get_no_response(nginx, host):
    with pytest.raises(ConnectionError):
        nginx.ask_plain("/", host)
    with pytest.raises((ssl.SSLError, ConnectionError)):
        nginx.ask("/", host=host)


def test_an_unknown_host_is_refused_despite_a_known_name_in_tls(nginx):
    with nginx.connection(DESK) as tls:
        tls.sendall(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        assert tls.recv(100) == b""


@pytest.mark.parametrize(
    ("newest", "is_taken"), [(ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True), (None, True)]
)
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_old_versions_of_tls_are_refused(nginx, newest, is_taken):
    settings = context()
    settings.set_ciphers("ALL:@SECLEVEL=0")
    settings.minimum_version = ssl.TLSVersion.TLSv1
    settings.maximum_version = newest or ssl.TLSVersion.MAXIMUM_SUPPORTED
    with nullcontext() if is_taken else pytest.raises(ssl.SSLError), nginx.connection(DESK, settings):
        pass


def test_http_2_is_supported(nginx):
    settings = context()
    settings.set_alpn_protocols(["h2", "http/1.1"])
    for host in (DESK, SITE):
        with nginx.connection(host, settings) as tls:
            assert tls.selected_alpn_protocol() == "h2"


def test_the_desk_gets_the_host_and_client_address_seen_by_nginx(nginx):
    claimed = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "http", "Connection": "Upgrade"}
    answer = nginx.ask("/review", headers=claimed)
    headers = parsed(answer)["headers"]
    assert headers["host"] == DESK
    assert headers["x-forwarded-for"] == LOCALHOST
    assert headers["x-forwarded-proto"] == "https"
    assert "upgrade" not in headers
    assert answer[1][HSTS]


def test_below_a_path_other_paths_do_not_exist(below_path):
    """nginx's own folder has a welcome page."""
    for path in ("/presort/", "/presort/oauth2callback?code=a"):
        answer = below_path.ask(path)
        assert (answer[0], parsed(answer)["path"]) == (200, path.partition("?")[0])
    status, headers, _ = below_path.ask("/presort")
    assert (status, headers["Location"].endswith("/presort/")) == (301, True)
    for path in ("/", "/index.html", "/presorted", "/oauth2callback", "/presort-starting.html"):
        status, headers, page = below_path.ask(path)
        assert (status, "Welcome" in page) == (404, False), path
        assert headers[HSTS]
    assert below_path.ask_plain("/")[0] == 301


def test_websockets_are_forwarded(nginx):
    with create_connection((LOCALHOST, nginx.secure)) as line:
        address = f"wss://{DESK}/_stcore/stream"
        with connect(address, sock=line, ssl=context(), server_hostname=DESK, origin=f"https://{DESK}") as websocket:
            websocket.send("hello")
            received = json.loads(websocket.recv())
    assert received["text"] == "hello"
    assert received["headers"]["origin"] == f"https://{DESK}"


def test_uploads_are_accepted_up_to_the_import_limit(nginx):
    too_large = (LARGEST_UPLOAD + 2) * 2**20
    assert parsed(nginx.ask("/_stcore/upload_file/a/b", method="PUT", body=bytes(3_000_000)))["size"] == 3_000_000
    headers = {"Content-Length": str(too_large), "Expect": "100-continue"}
    assert nginx.ask("/_stcore/upload_file/a/b", method="PUT", headers=headers)[0] == 413


def test_public_pages_and_feeds_are_served_but_no_hidden_files(nginx):
    files = {
        "index.html": "text/html; charset=utf-8",
        "lab/2026-11-16.html": "text/html; charset=utf-8",
        "lab/atom.xml": "application/atom+xml",
        "lab/rss.xml": "application/rss+xml; charset=utf-8",
    }
    for name in [*files, ".presort-x/file", "lab/.presort-x/rss.xml"]:
        path = nginx.site / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(name)
    for name, kind in files.items():
        status, headers, text = nginx.ask(f"/{name}", host=SITE)
        assert (status, text) == (200, name)
        assert headers["Content-Type"] == kind
        assert headers[HSTS]
    assert nginx.ask("/", host=SITE)[::2] == (200, "index.html")
    for path in ("/.presort-x/file", "/lab/.presort-x/rss.xml", "/../nginx.conf", "/lab/%2e%2e/%2e%2e/nginx.conf"):
        assert nginx.ask(path, host=SITE)[0] in (400, 404)
    assert "Set-Cookie" not in nginx.ask("/", host=SITE)[1]
