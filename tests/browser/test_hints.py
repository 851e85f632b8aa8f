"""In a real browser: why a paper is here, a reason muted, and a report that begins with a paragraph."""

import re

import pytest
from playwright.sync_api import expect

from data import catalogue
from data.editing.hints import hints
from data.learning import rankings
from data.records import Hints, Report
from data.store import open_store
from desk import access
from desk.preferences.keys import set_plain
from ranker.versions import DEFAULT
from tests.browser.test_week import NEWEST

TITLES = "[class*=st-key-paper-] > :nth-child(1) [data-testid=stText]"
PLACE = 3
PARAGRAPH = "How minimum wages change hourly wages, hours and employment of young and low-paid workers."


@pytest.fixture
def store(workspace):
    """The workspace of somebody who prefers plain widgets."""
    store = open_store(workspace)
    set_plain(store, access.PERSON, True)
    yield store
    store.close()


def ranked_titles(store, report):
    """The titles that the newest ranking puts on the first page."""
    ranking, papers = rankings.newest_rankings(store, report, NEWEST)[DEFAULT].ranking, catalogue.papers(store, NEWEST)
    return [papers[position - 1].title for position in ranking.positions[:50].tolist()]


def test_why_a_paper_is_here_and_what_muting_its_first_term_does(page, server, store):
    page.goto(f"{server}/review?report=lab")
    row = page.locator(f".st-key-paper-{PLACE}")
    title = row.locator("[data-testid=stText]").first.inner_text()
    row.get_by_text("Abstract").click()
    row.get_by_role("button", name="Why is it here?").click()
    up = row.get_by_text("because of: ")
    expect(up).to_be_visible()
    expect(row.get_by_text(re.compile(r"Most like, of the report's earlier picks\n• .+ · 2026-"))).to_be_visible()
    first = row.get_by_role("radio").first
    term = first.inner_text()
    expect(up).to_contain_text(term)

    first.click()
    row.get_by_role("button", name="Mute").click()
    told = f"From the next ranking on, '{term.lower()}' is not read."
    expect(page.get_by_text(told)).to_have_count(2)
    expect(up).to_be_visible()
    assert hints(store) == {"lab": Hints(muted=(term.lower(),), up_to=1)}

    row.get_by_role("button", name="Sort again now").click()
    expect(page.get_by_text(f", without '{term.lower()}'")).to_be_visible()
    expect(page.get_by_text(told)).to_have_count(0)
    expect(page.locator(TITLES)).to_have_text(ranked_titles(store, "lab"))
    assert title not in ranked_titles(store, "lab")[:PLACE]


def test_a_report_begins_with_a_pasted_paragraph(page, server, store):
    catalogue.add_reports(store, [Report("new", "A new report")])
    page.goto(f"{server}/review?report=new")
    page.locator("summary").filter(has_text="begin with examples").click()
    page.get_by_label("Paste a title").fill(PARAGRAPH)
    page.get_by_role("button", name="Add as example").click()
    expect(page.get_by_label("Paste a title")).to_have_value("")
    expect(page.get_by_text("1 example", exact=True)).to_be_visible()
    page.get_by_role("button", name="Sort it now").click()
    expect(page.get_by_text(f"sorted by {DEFAULT}, from 1 example")).to_be_visible()
    expect(page.locator(TITLES)).to_have_text(ranked_titles(store, "new"))
    assert "wage" in ranked_titles(store, "new")[0].lower()
