"""In a real browser, with a mail server: each reader gets a report issue once, and *Manage* lists the readers."""

import threading
from datetime import date

import pytest
from playwright.sync_api import expect
from sqlalchemy import delete

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.mail import mailings
from presort.data.mail.readers import add_readers, readers
from presort.data.records import Decision
from presort.data.running.service import DEMO
from presort.data.store import open_store
from presort.data.tables import SettingRow
from tests.browser.conftest import serving
from tests.browser.pages import (
    choose_row,
    downloaded,
    fits,
    look_as,
    serious_problems,
    wait_until_calm,
    wait_until_idle,
)
from tests.desk.sending.mail_server import Inbox, running

NEWEST = date(2026, 11, 16)
ANN, BO = "ann@example.org", "bo@example.org"


@pytest.fixture
def store(workspace):
    """The demo with one relevant paper in the newest issue of a report with two readers. Unlike the demo, it mails."""
    store = open_store(workspace)
    with store.writing() as connection:
        connection.execute(delete(SettingRow).where(SettingRow.name == DEMO))
    paper = catalogue.papers(store, NEWEST)[0]
    decisions.decide(store, [Decision("lab", NEWEST, paper.paper_id, "yes", "editor")])
    add_readers(store, "lab", [(ANN, "Ann *Lee*"), (BO, "=1+1")], person="Dee")
    yield store
    store.close()


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def address(workspace, store, inbox, monkeypatch):
    """Address of a desk with a configured mail server."""
    with running(inbox) as server:
        monkeypatch.setenv("PRESORT_SMTP_HOST", server.host)
        monkeypatch.setenv("PRESORT_SMTP_PORT", str(server.port))
        monkeypatch.setenv("PRESORT_SMTP_FROM", "reports@example.org")
        monkeypatch.setenv("PRESORT_SMTP_STARTTLS", "no")
        with serving(workspace) as address:
            yield address


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def expect_usable_on_a_phone(page):
    look_as(page, width=400)
    wait_until_calm(page)
    assert fits(page)
    assert serious_problems(page) == []
    look_as(page)


def counts(inbox):
    return {address: len(mails) for address, mails in inbox.got.items()}


def test_a_published_report_issue_is_mailed_to_its_readers_once(page, address, inbox):
    other = page.context.new_page()
    page.goto(f"{address}/publish?report=lab&issue={NEWEST}")
    wait_until_idle(page)
    page.locator("summary").filter(has_text="Send a test").click()
    wait_until_idle(page)
    page.get_by_label("Address").fill("editor@example.org")
    button(page, "Send").click()
    expect(page.get_by_text("Draft sent to")).to_be_visible()
    button(page, "Publish report").click()
    expect(page.get_by_role("dialog")).to_contain_text("2 readers")
    button(page, "Publish").click()
    expect(page.get_by_text("Readers: 2 · Pending 2")).to_be_visible()
    expect_usable_on_a_phone(page)
    other.goto(f"{address}/publish?report=lab&issue={NEWEST}")
    wait_until_idle(other)
    button(other, "Send to readers").click()

    button(page, "Send to readers").dblclick()
    expect(page.get_by_role("dialog")).to_contain_text("lab 2026-11-16 will be sent to 2 readers.")
    wait_until_idle(page)
    assert serious_problems(page) == []
    is_seen, inbox.on_data = threading.Event(), lambda: is_seen.wait(60)
    button(page, "Send mail").dblclick()
    expect(page.get_by_text("Mailing: 0 of 2 readers")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    button(other, "Send mail").click()  # waits for the first mailing; afterwards its dialog would close at any moment
    is_seen.set()
    expect(page.get_by_text("Sent to 2 readers.")).to_be_visible()
    expect(page.get_by_text("Readers: 2 · Sent 2")).to_be_visible()
    expect(button(page, "Send to readers")).to_have_count(0)

    expect(other.get_by_text("All readers have already received")).to_be_visible()
    other.close()
    assert counts(inbox) == {"editor@example.org": 1, ANN: 1, BO: 1}
    assert "[DRAFT]" not in inbox.got[ANN][0]["Subject"]


def test_the_director_adds_readers_and_decides_on_unsure_mail(page, address, store, inbox):
    paper = catalogue.papers(store, NEWEST)[0]
    assert paper.paper_id in decisions.labels(store, "lab", NEWEST)
    publications.publish_report_issue(store, "lab", NEWEST, [1], ranking_id=None, person="editor")
    inbox.hangs_up_on = ANN
    page.goto(f"{address}/publish?report=lab&issue={NEWEST}")
    button(page, "Send to readers").click()
    button(page, "Send mail").click()
    expect(page.get_by_role("alert")).to_contain_text("a reader may have arrived")
    expect(page.get_by_text("Readers: 2 · Delivery unknown 1 · Pending 1")).to_be_visible()

    page.goto(f"{address}/manage?part=readers&report=lab")
    expect(page.get_by_role("heading", name="Mail that may not have arrived")).to_be_visible()
    tables = page.get_by_test_id("stDataFrame")
    choose_row(tables.last, 1, x=150)
    button(page, "Don't send").click()
    expect(page.get_by_role("dialog")).to_contain_text("lab 2026-11-16 will not be sent to ann")
    page.get_by_role("dialog").get_by_role("button", name="Don't send").click()
    expect(page.get_by_role("heading", name="Mail that may not have arrived")).to_have_count(0)
    expect_usable_on_a_phone(page)
    rows = downloaded(page, "Download the table as CSV")
    assert [(row["address"], row["name"]) for row in rows] == [(ANN, "Ann *Lee*"), (BO, "'=1+1")]
    wait_until_calm(page)
    choose_row(tables.first, 1, x=150)
    button(page, "Erase").click()
    expect(page.get_by_role("dialog")).to_contain_text("from lab")
    page.get_by_role("dialog").get_by_role("button", name="Erase").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert [one.address for one in readers(store, left=True)] == [BO]
    assert [one.state for one in mailings.mailings(store)] == ["given up", "pending"]
