"""In a real browser: other sites can't send decisions, and the desk works under its content policy."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from presort.data.editing import decisions
from presort.data.store import open_store
from presort.desk.web import launch
from tests.browser.conftest import KNOWN, free_port
from tests.browser.reviewing import open_review
from tests.browser.servers import TOKEN, Server
from tests.browser.test_week import NEWEST

ATTEMPTS = """async address => {
    const tried = {};
    const socket = new WebSocket(address.replace("http", "ws") + "/_stcore/stream");
    tried.socket = await new Promise(done => {
        socket.onopen = () => done("open");
        socket.onerror = () => done("no");
    });
    const asked = await fetch(address + "/_stcore/host-config", { credentials: "include" }).catch(() => null);
    tried.fetch = asked ? "read" : "no";
    const put = { method: "PUT", body: "x", credentials: "include" };
    tried.upload = await fetch(address + "/_stcore/upload_file/a/b", put).then(() => "sent", () => "no");
    return tried;
}"""


class Foreign(BaseHTTPRequestHandler):
    """Page of another site that shows the desk in a frame."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        desk = self.path.partition("?")[2]
        self.wfile.write(f"<h1>foreign</h1><iframe src='{desk}' width=900 height=600></iframe>".encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def foreign():
    """Address of another server on this computer."""
    with ThreadingHTTPServer((launch.LOCALHOST, 0), Foreign) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{launch.LOCALHOST}:{server.server_port}"
        server.shutdown()


def test_a_page_on_another_port_is_refused_although_it_sends_the_cookie(chromium, foreign, looked_at):
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{foreign}/?{looked_at}")
    assert page.evaluate(ATTEMPTS, looked_at) == {"socket": "no", "fetch": "no", "upload": "no"}
    (frame,) = page.frames[1:]
    assert frame.url.startswith("chrome-error:")
    context.close()


def test_a_foreign_host_name_that_resolves_to_this_computer_is_refused(page, looked_at):
    answer = page.goto(looked_at.replace(launch.LOCALHOST, "rebound.localhost"))  # resolves to this computer
    assert answer.status == 403
    expect(page.locator("body")).to_contain_text("is not available at this address")


def test_an_unknown_browser_needs_the_token_once(chromium, looked_at):
    context = chromium.new_context(storage_state=None)
    page = context.new_page()
    page.goto(f"{looked_at}/measures")
    expect(page.get_by_role("heading", name="This desk is private")).to_be_visible()
    page.goto(f"{looked_at}/measures?token={TOKEN}")
    expect(page.get_by_role("heading", name="Measures", exact=True).first).to_be_visible()
    assert page.url.split("?")[0] == f"{looked_at}/measures"
    assert TOKEN not in page.url
    other = context.new_page()
    other.goto(f"{looked_at}/measures")
    expect(other.get_by_role("heading", name="Measures", exact=True).first).to_be_visible()
    (cookie,) = [one for one in context.cookies() if one["name"] == KNOWN["cookies"][0]["name"]]
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    context.close()


def test_a_file_deleted_under_the_desk_loses_no_decision(page, server, workspace):
    open_review(page, server, "lab")
    kept = workspace / "presort.db"
    kept.rename(workspace / "away.db")
    page.keyboard.press("x")
    expect(page.locator(".status")).to_contain_text("not saved yet, stored in this browser")
    expect(page.locator(".status")).to_contain_text("was deleted or replaced while it was open")
    assert not kept.exists()
    (workspace / "away.db").rename(kept)
    expect(page.locator(".status")).to_have_text("saved")
    store = open_store(workspace)
    assert list(decisions.labels(store, "lab", NEWEST).values()) == ["yes"]
    store.close()


def test_a_bug_has_the_same_number_on_the_page_and_in_the_log(page, tmp_path):
    script = tmp_path / "page.py"
    script.write_text("raise ValueError('kept in /home/someone')")
    port = free_port()
    server = Server(tmp_path, port, script=str(script))
    try:
        next(line for line in server.stdout if "URL:" in line)
        page.goto(f"http://{launch.LOCALHOST}:{port}")
        text = page.get_by_test_id("stAlert").inner_text()
        shown = page.locator("body").inner_text()
    finally:
        server.terminate()
        log, _ = server.communicate()
    number = re.search(r"problem ([0-9A-F]{6})", text)[1]
    assert "someone" not in shown
    assert "Traceback" not in shown
    assert "kept in /home/someone" in log
    assert f"The error above (ValueError) was shown to the user as problem {number}." in log
