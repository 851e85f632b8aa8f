import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from socket import socket

import pytest
from playwright.sync_api import expect, sync_playwright

from data.store import open_store
from desk import launch, settings
from desk.demo import build_demo

CHROMIUM = Path("/usr/bin/chromium")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
MOMENT = 20_000  # milliseconds before an expectation counts as failed; a busy machine needs some

expect.set_options(timeout=MOMENT)


def pytest_collection_modifyitems(items):
    """Give tests in a browser a second try, which the report counts: on a busy machine a click may be lost."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """The demo as `presort demo` builds it; copy it before writing."""
    folder = tmp_path_factory.mktemp("demo")
    store = open_store(folder)
    for _ in build_demo(store, n_jobs=2):
        pass
    store.close()
    return folder


@pytest.fixture
def workspace(demo, tmp_path):
    return shutil.copytree(demo, tmp_path / "workspace")


def free_port():
    with socket() as probe:
        probe.bind((launch.LOCALHOST, 0))
        return probe.getsockname()[1]


@contextmanager
def serving(folder, port=None):
    """Serve a workspace, on a free port of this computer unless told; the address comes when the server answers."""
    port = port or free_port()
    environment = settings.to_environment(settings.Settings(folder))
    command = launch.command(launch.LOCALHOST, port)
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        for line in server.stdout:
            if "URL:" in line:
                break
        yield f"http://{launch.LOCALHOST}:{port}"
    finally:
        server.terminate()
        server.communicate()


@pytest.fixture
def server(workspace):
    """A server for a test that writes."""
    with serving(workspace) as address:
        yield address


@pytest.fixture(scope="session")
def looked_at(demo, tmp_path_factory):
    """A server for tests that only look."""
    with serving(shutil.copytree(demo, tmp_path_factory.mktemp("looked-at") / "workspace")) as address:
        yield address


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium):
    """A page in which no script may fail."""
    context = chromium.new_context(viewport={"width": 1300, "height": 900})
    context.set_default_timeout(MOMENT)
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    context.close()
    assert problems == []
