"""In a real browser, with a local OpenID Connect provider: entry by invitation, and sign-out."""

import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from presort.data.editing import decisions, log
from presort.data.records import Editorship, Role
from presort.data.running import accounts, people, roles
from presort.desk.web import launch
from tests.browser.conftest import free_port
from tests.browser.pages import MOMENT, act_when_idle
from tests.browser.reviewing import wait_until_drawn, wait_until_saved
from tests.browser.servers import Server
from tests.browser.test_week import NEWEST


@pytest.fixture(scope="module")
def provider():
    """Address of a provider that requires PKCE and lets anybody sign in under any name."""
    port = free_port()
    command = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("pkce_provider.py")), "--port", str(port)]
    address = f"http://{launch.LOCALHOST}:{port}"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if "running on" in line:
                break
        yield address
        process.terminate()
        process.communicate()


@pytest.fixture
def desk(workspace, provider):
    """Address of a desk with sign-in at this provider."""
    port = free_port()
    address = f"http://{launch.LOCALHOST}:{port}"
    server = Server(
        workspace,
        port,
        PRESORT_DESK_URL=address,
        PRESORT_SIGN_IN_NAME="Example ID",
        PRESORT_SIGN_IN_METADATA=f"{provider}/.well-known/openid-configuration",
        PRESORT_SIGN_IN_CLIENT="presort",
        PRESORT_SIGN_IN_SECRET="secret",
        PRESORT_SIGN_IN_CLAIM="groups",
        PRESORT_SIGN_IN_ROLES='{editor = {lab = ["lab-editors"]}}',
    )
    try:
        next(line for line in server.stdout if "URL:" in line)
        yield address
    finally:
        server.terminate()
        server.communicate()


@pytest.fixture
def browser_of(chromium):
    """Open browsers of several users, in which no script may fail and which only access this computer."""
    contexts = []

    def new():
        context = chromium.new_context(storage_state=None, viewport={"width": 1300, "height": 900})
        context.set_default_timeout(MOMENT)
        context.on("page", act_when_idle)
        contexts.append(context)
        return context

    yield new
    for context in contexts:
        context.close()


def sign_in(page, subject):
    page.get_by_role("link", name="Sign in with Example ID").click()
    page.get_by_placeholder("sub").fill(subject)
    page.get_by_role("button", name="Authorize").click()


def join(store, page, desk, name, path=""):
    """Open the desk as a new user, sign in, and accept an invitation."""
    code = accounts.invite(store, name, person="manage")
    page.goto(f"{desk}/{path}")
    sign_in(page, name.lower())
    page.get_by_label("Invitation code").fill(code)
    page.get_by_role("button", name="Accept").click()


def words(store, report="lab"):
    return decisions.labels(store, report, NEWEST)


def test_an_invited_editor_can_only_decide_for_their_own_report(browser_of, desk, store):
    people.add_editorship(store, Editorship("lab", "Ann", date(2020, 1, 6)), person="manage")
    page = browser_of().new_page()
    join(store, page, desk, "Ann", "review?report=lab")
    wait_until_drawn(page)
    assert page.url.startswith(f"{desk}/review?report=lab")  # the page that she had requested
    expect(page.get_by_role("radio", name="Director")).to_have_count(0)
    page.keyboard.press("x")
    wait_until_saved(page)
    (logged,) = log.decisions_since(store, "lab", NEWEST, 0)
    assert (logged.person, logged.label) == ("Ann", "yes")
    page.goto(f"{desk}/review?report=mac")
    expect(page.get_by_test_id("stAlert")).to_contain_text("There is no report mac that you can view.")
    expect(page.locator(".row")).to_have_count(0)
    page.goto(f"{desk}/manage")
    expect(page.get_by_test_id("stAlert")).to_contain_text("This page is for directors.")
    expect(page.get_by_role("heading", name="Manage")).to_have_count(0)
    assert words(store, "mac") == {}


def test_signing_out_ends_all_windows_and_loses_nothing(browser_of, desk, store):
    people.add_editorship(store, Editorship("lab", "Ann", date(2020, 1, 6)), person="manage")
    context = browser_of()
    page = context.new_page()
    join(store, page, desk, "Ann", "review?report=lab")
    wait_until_drawn(page)
    cookies = context.cookies()
    other = context.new_page()
    other.goto(f"{desk}/preferences")
    other.get_by_role("button", name="Sign out").click()
    other.wait_for_url(re.compile("end_session"))
    page.bring_to_front()
    page.keyboard.press("x")
    expect(page.locator(".status")).to_contain_text("not saved yet, stored in this browser")
    expect(page.locator(".status")).to_contain_text("You are no longer signed in")
    assert words(store) == {}
    context.add_cookies(cookies)  # as if an attacker had copied them
    other.goto(f"{desk}/review?report=lab")
    expect(other.get_by_role("heading", name="You are signed out")).to_be_visible()
    expect(other.locator(".row")).to_have_count(0)
    context.clear_cookies()
    page.goto(f"{desk}/review?report=lab")
    sign_in(page, "ann")
    wait_until_drawn(page)
    assert list(words(store).values()) == ["yes"]  # stored in the browser until now


def test_removing_a_role_takes_effect_in_an_open_window(browser_of, desk, store):
    lab = Editorship("lab", "Ann", date(2020, 1, 6))
    people.add_editorship(store, lab, person="manage")
    page = browser_of().new_page()
    join(store, page, desk, "Ann", "review?report=lab")
    wait_until_drawn(page)
    people.end_editorship(store, lab, date(2020, 1, 7), person="manage")
    roles.grant(store, Role("Ann", "viewer", "lab"), person="manage")
    page.keyboard.press("x")
    expect(page.locator("body")).to_contain_text("You don't have permission to edit lab")
    assert words(store) == {}
    page.reload()
    wait_until_drawn(page)
    expect(page.get_by_test_id("stAlert").first).to_contain_text("You can view lab, but not edit it.")
    page.keyboard.press("x")
    accounts.remove(store, "Ann", person="manage")
    page.reload()
    expect(page.get_by_role("heading", name="Welcome")).to_be_visible()
    assert words(store) == {}


def test_groups_of_an_invited_person_count_at_once(browser_of, desk, provider, store):
    httpx.put(f"{provider}/users/ina", json={"groups": ["lab-editors"]}, verify=False).raise_for_status()
    page = browser_of().new_page()
    page.goto(f"{desk}/?invitation={accounts.invite(store, 'Ina', person='manage')}")
    sign_in(page, "ina")
    accept = page.get_by_role("button", name="Accept")
    accept.click()
    expect(accept).to_have_count(0)
    page.goto(f"{desk}/review?report=lab")
    wait_until_drawn(page)
    page.keyboard.press("x")
    wait_until_saved(page)
    (logged,) = log.decisions_since(store, "lab", NEWEST, 0)
    assert (logged.person, logged.label) == ("Ina", "yes")


def test_a_group_grants_access_without_an_invitation_until_removed(browser_of, desk, provider, store):
    def claim(**claims):
        httpx.put(f"{provider}/users/gus", json=claims, verify=False).raise_for_status()

    claim(name="Gus Group", groups=["staff", "lab-editors"])
    context = browser_of()
    page = context.new_page()
    page.goto(f"{desk}/review?report=lab")
    sign_in(page, "gus")
    wait_until_drawn(page)
    page.keyboard.press("x")
    wait_until_saved(page)
    (logged,) = log.decisions_since(store, "lab", NEWEST, 0)
    assert (logged.person, logged.label) == ("Gus Group", "yes")
    page.goto(f"{desk}/review?report=mac")
    expect(page.get_by_test_id("stAlert")).to_contain_text("There is no report mac that you can view.")
    claim(name="Gus Group", groups=["staff"])
    other = browser_of().new_page()
    other.goto(f"{desk}/review?report=lab")
    sign_in(other, "gus")
    expect(other.get_by_test_id("stAlert").first).to_be_visible()
    page.goto(f"{desk}/review?report=lab")  # in the session of before, too
    expect(page.get_by_test_id("stAlert").first).to_be_visible()
    expect(page.locator(".row")).to_have_count(0)
    expect(other.locator(".row")).to_have_count(0)
