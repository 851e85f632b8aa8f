"""Two desks below paths of one host, in a real browser through nginx with the location of deploy/nginx.conf."""

import re
import subprocess
from contextlib import ExitStack, contextmanager
from datetime import date
from shutil import copytree

import pytest
from playwright.sync_api import expect

from presort.data import catalogue
from presort.data.records import Editorship, Issue, Role
from presort.data.running import accounts, people, roles
from presort.data.store import open_store
from presort.desk import settings
from presort.desk.web import launch
from tests.browser.conftest import free_port
from tests.browser.pages import PATIENT
from tests.browser.servers import Server
from tests.browser.test_sign_in import browser_of, provider, sign_in  # noqa: F401  (fixtures)
from tests.desk.deploy.nginx_server import DEPLOY, NGINX, needs_nginx, wait_for

pytestmark = needs_nginx

DEMO, EMPTY = "/a", "/tools/b"
WEEK = "paper_id,title,issue\nx1,Wages,2030-01-07\nx2,Money,2030-01-07\n"
SHUT = "Sign in with Example ID"


@contextmanager
def nginx(folder, ports):
    """Run nginx with the desk's location of our configuration, once per path."""
    written = (DEPLOY / "nginx.conf").read_text()
    upgrade = re.search(r"^map .*?^}$", written, re.DOTALL | re.MULTILINE)[0]
    location = re.search(r"^    location / {\n        proxy_pass .*?^    }$", written, re.DOTALL | re.MULTILINE)[0]
    desks = "".join(
        location.replace("location / {", f"location {path}/ {{").replace(":8501", f":{port}")
        for path, port in ports.items()
    )
    port, temporary = free_port(), ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in temporary)
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; events {{}} http {{ access_log off; {folders}{upgrade} "
        f"server {{ listen {launch.LOCALHOST}:{port}; {desks} }} }}"
    )
    process = subprocess.Popen([NGINX, "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")])
    try:
        wait_for(port)
        yield f"http://{launch.LOCALHOST}:{port}"
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def stores(demo, tmp_path_factory):
    """The demo, and an empty workspace, by the path of its desk."""
    folder = tmp_path_factory.mktemp("desks")
    with ExitStack() as stack:
        opened = {DEMO: open_store(copytree(demo, folder / "demo")), EMPTY: open_store(folder / "empty")}
        for store in opened.values():
            stack.callback(store.close)
        yield opened


@pytest.fixture(scope="module")
def host(stores, provider, tmp_path_factory):  # noqa: F811
    """Address of the host of both desks."""
    ports = {path: free_port() for path in stores}
    with nginx(tmp_path_factory.mktemp("nginx"), ports) as host, ExitStack() as stack:
        for path, store in stores.items():
            server = Server(
                store.folder,
                ports[path],
                PRESORT_DESK_URL=f"{host}{path}",
                PRESORT_SIGN_IN_NAME="Example ID",
                PRESORT_SIGN_IN_METADATA=f"{provider}/.well-known/openid-configuration",
                PRESORT_SIGN_IN_CLIENT="presort",
                PRESORT_SIGN_IN_SECRET="secret",
            )
            stack.callback(server.communicate)
            stack.callback(server.terminate)
            next(line for line in server.stdout if "URL:" in line)
        yield host


def invitation(store, desk, name, monkeypatch):
    """Return an invitation link, as `presort people invite` prints it."""
    monkeypatch.setenv(settings.DESK_URL, desk)
    return settings.invitation_link(accounts.invite(store, name, person="manage"))


def join(page, link, subject):
    page.goto(link)
    sign_in(page, subject)
    page.get_by_role("button", name="Accept").click()


def test_desks_on_one_host_keep_files_and_sessions_apart(browser_of, host, provider, stores, monkeypatch):  # noqa: F811
    first, second = f"{host}{DEMO}", f"{host}{EMPTY}"
    link = invitation(stores[EMPTY], second, "Dee", monkeypatch)
    roles.grant(stores[EMPTY], Role("Dee", "director"), person="manage")
    people.add_editorship(stores[DEMO], Editorship("mac", "Bo", date(2020, 1, 6)), person="manage")
    context = browser_of()
    page = context.new_page()
    join(page, link, "dee")
    expect(page.get_by_role("radio", name="Director")).to_be_visible()
    page.goto(f"{second}/import")
    file = {"name": "week.csv", "mimeType": "", "buffer": WEEK.encode()}
    page.locator("input[type=file]").set_input_files([file])
    page.get_by_role("button", name="Import 2 papers").click(timeout=PATIENT)
    expect(page.get_by_role("heading", name="Imported")).to_be_visible(timeout=PATIENT)
    assert catalogue.issues(stores[EMPTY]) == [Issue(date(2030, 1, 7), 2)]
    other = context.new_page()
    other.goto(f"{first}/preferences")
    expect(other.get_by_role("link", name=SHUT)).to_be_visible()  # the first desk doesn't know Dee
    join(other, invitation(stores[DEMO], first, "Bo", monkeypatch), "bo")
    expect(other.get_by_role("heading", name="This week")).to_be_visible()
    of_host = [cookie for cookie in context.cookies() if cookie["name"].startswith(("_streamlit", "presort"))]
    assert {cookie["path"] for cookie in of_host} == {DEMO, EMPTY}
    other.get_by_role("button", name="Sign out").click()
    other.wait_for_url(re.compile("end_session"))
    other.goto(f"{first}/week")
    expect(other.get_by_role("link", name=SHUT)).to_be_visible()
    page.goto(f"{second}/manage")
    expect(page.get_by_role("heading", name="Manage")).to_be_visible()  # Dee is still signed in
