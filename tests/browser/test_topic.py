"""In a real browser: a subject tried on past issues, and a report begun with its examples."""

import re

import pytest
from playwright.sync_api import expect

from data.store import open_store

PARAGRAPH = "How minimum wages change hourly wages, hours and employment of young and low-paid workers."
SCRIPT = "<img src=x onerror=alert(1)> **wages** [x](http://a.b)"
TITLES = "[class*=st-key-row-] [class*=st-key-paper-] > :nth-child(1) [data-testid=stText]"


@pytest.fixture
def store(workspace):
    store = open_store(workspace)
    yield store
    store.close()


def add(page, text):
    page.get_by_label("Paste a title").fill(text)
    page.get_by_role("button", name="Add as example").click()


def test_another_issue_opens_by_keyboard_and_examples_outlive_a_look_at_another_page(page, looked_at):
    page.goto(f"{looked_at}/topic")
    add(page, PARAGRAPH)
    expect(page.locator(TITLES)).to_have_count(20)
    second = page.locator("summary").filter(has_text=re.compile(r"\d papers$")).nth(1)
    second.focus()
    page.keyboard.press("Enter")
    expect(page.locator(TITLES)).to_have_count(40)
    page.get_by_role("link", name="Measures").click()
    expect(page.get_by_role("heading", name="Measures")).to_be_visible()
    page.get_by_role("link", name="Try a topic").click()
    expect(page.get_by_text("Your example", exact=True)).to_be_visible()
    expect(page.locator(TITLES).first).to_be_visible()


def test_a_hostile_example_is_text(page, looked_at):
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(f"{looked_at}/topic")
    add(page, SCRIPT)
    expect(page.get_by_text(SCRIPT)).to_be_visible()
    expect(page.locator(TITLES)).to_have_count(20)
    assert page.locator("img[src=x]").count() == 0


def test_a_link_to_review_opened_beside_goes_there(page, looked_at):
    page.goto(f"{looked_at}/topic?report=lab")
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
