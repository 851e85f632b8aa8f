import shutil
from contextlib import closing, contextmanager
from functools import cache, partial
from pathlib import Path
from socket import socket
from urllib.parse import urlsplit

import pytest
from filelock import FileLock
from playwright.sync_api import expect, sync_playwright

from presort.data.store import open_store
from presort.desk.service.demo import build_demo
from presort.desk.web import launch
from presort.desk.web.token_door import cookie_name
from tests.browser.pages import MOMENT, act_when_idle
from tests.browser.servers import TOKEN, Server

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--process-per-site",  # cached scripts are not parsed again, which saves a fifth of a browser test's time
    # No test needs the network.
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {launch.LOCALHOST}, EXCLUDE *.localhost",
    "--disable-features=ScriptStreaming",  # nor parsed in parallel, only to be discarded
    "--js-flags=--no-maglev --no-opt",  # no test's page lives long enough for optimising its scripts
]
LONGEST = ("test_ways.py", "test_import_page.py")
KNOWN = {  # sent to any desk, because cookies don't distinguish ports
    "origins": [],
    "cookies": [
        {
            "name": cookie_name(TOKEN),
            "value": TOKEN,
            "domain": launch.LOCALHOST,
            "path": "/",
            "expires": -1,
            "httpOnly": True,
            "secure": False,
            "sameSite": "Strict",
        }
    ],
}

expect.set_options(timeout=MOMENT)


def pytest_collection_modifyitems(items):
    """Run the longest tests first, so that no worker is left alone with them at the end."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


@pytest.fixture(scope="session")
def demo(tmp_path_factory, worker_id):
    """The demo as built by `presort demo`, on first use. Copy it before writing."""
    of_all = tmp_path_factory.getbasetemp() if worker_id == "master" else tmp_path_factory.getbasetemp().parent
    folder = of_all / "demo"
    with FileLock(of_all / "demo.lock"):
        if not folder.is_dir():
            unfinished = tmp_path_factory.mktemp("demo")
            with closing(open_store(unfinished)) as store:
                for _ in build_demo(store):
                    pass
            unfinished.rename(folder)
    return folder


@pytest.fixture
def workspace(demo, tmp_path):
    return shutil.copytree(demo, tmp_path / "workspace")


def free_port():
    with socket() as probe:
        probe.bind((launch.LOCALHOST, 0))
        return probe.getsockname()[1]


own_port = cache(free_port)  # at the address of one server after another, because browsers cache scripts by address


def is_free(port):
    with socket() as probe:
        return probe.connect_ex((launch.LOCALHOST, port)) != 0


@contextmanager
def serving(folder, port=None, *, sorts=False):
    """Serve a workspace on this computer. Yields the address when the server answers."""
    port = port or (own_port() if is_free(own_port()) else free_port())
    server = Server(folder, port, sorts=sorts)
    try:
        for line in server.stdout:
            if "URL:" in line:
                break
        yield f"http://{launch.LOCALHOST}:{port}"
    finally:
        server.terminate()
        server.communicate()


@pytest.fixture
def store(workspace):
    """Workspace of a server, to read and change behind its pages."""
    with closing(open_store(workspace)) as store:
        yield store


@pytest.fixture
def server(workspace):
    """Server for a test that writes."""
    with serving(workspace) as address:
        yield address


@pytest.fixture
def sorting_server(workspace):
    """Server that ranks and trains in the background, as in production."""
    with serving(workspace, sorts=True) as address:
        yield address


@pytest.fixture(scope="session")
def looked_at(demo, tmp_path_factory):
    """Server for read-only tests."""
    with serving(shutil.copytree(demo, tmp_path_factory.mktemp("looked-at") / "workspace")) as address:
        yield address


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        browser.new_context = partial(browser.new_context, storage_state=KNOWN)
        yield browser
        browser.close()


def is_forbidden(message):
    """Return True if a console message reports that the desk's policy blocks a resource of its own page."""
    return message.type == "error" and "Content Security Policy" in message.text


class Windows:
    """Browser shared by consecutive tests. The desk's scripts stay cached, but stored data is cleared."""

    def __init__(self, chromium):
        self.context = chromium.new_context(viewport={"width": 1300, "height": 900})
        self.context.set_default_timeout(MOMENT)
        # the process that has parsed the scripts lives as long as this window is open
        self._kept = self.context.new_page()
        self._kept.route("**", lambda route: route.fulfill(content_type="text/html"))
        self._kept.goto(f"http://{launch.LOCALHOST}")
        self._devtools = self.context.new_cdp_session(self._kept)
        self._addresses = set()
        self.context.on("page", self._begin)

    def _begin(self, page):
        act_when_idle(page)
        page.on("framenavigated", lambda frame: self._addresses.add(frame.url))

    def clear(self):
        """Close all opened windows, and clear all stored data."""
        for page in self.context.pages:
            if page != self._kept:
                page.close()
        for origin in {"{0.scheme}://{0.netloc}".format(urlsplit(address)) for address in self._addresses}:
            what = {"origin": origin, "storageTypes": "local_storage,indexeddb"}
            self._devtools.send("Storage.clearDataForOrigin", what)
        self._addresses.clear()
        self.context.clear_cookies()
        self.context.add_cookies(KNOWN["cookies"])


@pytest.fixture(scope="session")
def windows(chromium):
    return Windows(chromium)


@pytest.fixture(scope="session")
def other_windows(chromium):
    return Windows(chromium)


@pytest.fixture
def page(windows):
    """Page whose scripts must not fail, and which must not request forbidden resources."""
    with free_of_problems(windows.context.new_page()) as page:
        yield page
        windows.clear()


@pytest.fixture
def phone_page(chromium):
    """Page on a phone with touch, whose scripts must not fail either."""
    context = chromium.new_context(viewport={"width": 400, "height": 800}, has_touch=True)
    context.set_default_timeout(MOMENT)
    context.on("page", act_when_idle)
    with free_of_problems(context.new_page()) as page:
        yield page
        context.close()


@contextmanager
def free_of_problems(page):
    """Fail if a script of the page failed, or the page requested a forbidden resource."""
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: is_forbidden(message) and problems.append(message.text))
    yield page
    assert problems == []


@pytest.fixture
def other_page(other_windows):
    """Page in another user's browser."""
    yield other_windows.context.new_page()
    other_windows.clear()
