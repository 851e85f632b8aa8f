"""In a real browser: a subject is tried on past issues, and a report is created from its examples."""

import re

import pytest
from playwright.sync_api import expect

from presort.data import catalogue
from presort.data.editing.hints import hints
from presort.data.records import Report
from presort.ranker.versions import DEFAULT

PARAGRAPH = "How minimum wages change hourly wages, hours and employment of young and low-paid workers."
SCRIPT = "<img src=x onerror=alert(1)> **wages** [x](http://a.b)"
TITLES = "[class*=st-key-row-] [class*=st-key-paper-] > :nth-child(1) [data-testid=stText]"


def add(page, text):
    page.get_by_label("Paste a title").fill(text)
    page.get_by_role("button", name="Add as example").click()


def test_a_topic_is_tried_and_becomes_a_report(page, server, store):
    page.goto(f"{server}/topic")
    expect(page.get_by_text("Add an example to rank")).to_be_visible()
    add(page, PARAGRAPH)
    expect(page.locator(TITLES)).to_have_count(20)
    expect(page.locator(TITLES).first).to_have_text(re.compile("wage|low-paid", re.IGNORECASE))
    before = page.locator(TITLES).all_inner_texts()

    page.locator("[class*=st-key-row-]").first.get_by_role("button", name="Add").click()
    expect(page.get_by_text("Your 2 examples", exact=True)).to_be_visible()
    expect(page.get_by_text(f"Ranked by your 2 examples and by {DEFAULT}")).to_be_visible()
    page.get_by_role("button", name="Remove").nth(1).click()
    expect(page.get_by_text("Your example", exact=True)).to_be_visible()
    expect(page.locator(TITLES)).to_have_text(before)

    assert page.url == f"{server}/topic"

    page.get_by_text("Create a report from these examples").click()
    page.get_by_role("textbox", name="Code").fill("new")
    page.get_by_role("textbox", name="Name", exact=True).fill("A new report")
    page.get_by_role("button", name="Create report").click()
    expect(page.get_by_text("Report new created with 1 example.")).to_be_visible()
    assert Report("new", "A new report") in catalogue.reports(store)
    assert hints(store)["new"].seeds == (PARAGRAPH,)

    page.get_by_role("link", name="Review its newest issue").click()
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    page.wait_for_url("**report=new**")
    expect(page.get_by_role("button", name="Sort it now")).to_have_count(0)


def test_issues_open_by_keyboard_and_examples_survive_a_page_change(page, looked_at):
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(f"{looked_at}/topic")
    add(page, SCRIPT)
    expect(page.locator(".st-key-topic-examples").get_by_text(SCRIPT)).to_be_visible()
    expect(page.locator(TITLES)).to_have_count(20)
    assert page.locator("img[src=x]").count() == 0  # a hostile example is shown as text
    second = page.locator("summary").filter(has_text=re.compile(r"\d papers$")).nth(1)
    second.focus()
    page.keyboard.press("Enter")
    expect(page.locator(TITLES)).to_have_count(40)
    page.get_by_role("link", name="This week").click()
    expect(page.get_by_role("heading", name="This week")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("Your example", exact=True)).to_be_visible()
    expect(page.locator(TITLES).first).to_be_visible()
