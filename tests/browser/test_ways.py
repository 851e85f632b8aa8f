"""What somebody does who has never seen it, in a real browser, by mouse and by touch alone; every click is counted.

An editor comes from an empty desk and an own file to a report issue that went out. A director hears who is late, which
report got worse, and which ranker is better.
"""

import re
from contextlib import closing
from datetime import date

import pytest
from playwright.sync_api import expect

from presort.data.editing import publications
from presort.data.store import open_store
from presort.desk.manage.reports import ABOUT
from tests.browser.conftest import serving
from tests.browser.pages import PATIENT, fits, look_as, serious_problems, wait_until_calm
from tests.browser.reviewing import wait_until_drawn, wait_until_saved

DAYS = ("2026-11-02", "2026-11-09", "2026-11-16")
SUBJECTS = ("Minimum wages and hours of work", "Inflation and the central bank", "Schools and what pupils learn")
PAPERS = "".join(f'p{n},"{SUBJECTS[n % 3]}, part {n}",{DAYS[n // 30]}\n' for n in range(90))
JUDGED = 20  # papers
CLICKS_OF_EDITOR = 10 + JUDGED  # also in docs/desk.md
MOST_TO_THE_FIRST_LIST = 8
CLICKS_OF_DIRECTOR = {"who is late": 1, "what got worse": 1, "who edits what is late": 1, "which ranker is better": 2}
HIGHEST = 450  # of 800 pixels, where the list begins at most


class Person:
    """Somebody before a screen of which every click, or touch, is counted."""

    def __init__(self, page, *, by_touch):
        self.page = page
        self.by_touch = by_touch
        self.n_clicks = 0

    def click(self, what):
        what.wait_for(timeout=PATIENT)
        wait_until_calm(self.page)
        assert fits(self.page)
        self.click_at_once(what)

    def click_at_once(self, what):
        if self.by_touch:
            what.tap()
        else:
            what.click()
        self.n_clicks += 1

    def click_on(self, role, name):
        self.click(self.page.get_by_role(role, name=name, exact=True))

    def turn_to(self, page):
        """Choose a page in the menu."""
        if self.by_touch:
            self.click(self.page.get_by_test_id("stExpandSidebarButton"))
        self.click(self.page.get_by_role("link", name=re.compile(f"{page}$")))


@pytest.fixture
def editor(phone_page):
    """An editor with a phone: 400 pixels wide, by touch."""
    return Person(phone_page, by_touch=True)


@pytest.fixture
def director(page):
    """A director at a screen 1280 pixels wide, with a mouse."""
    look_as(page, width=1280, height=800)
    return Person(page, by_touch=False)


@pytest.fixture
def store(tmp_path):
    with closing(open_store(tmp_path / "empty")) as store:
        yield store


def test_an_editor_comes_from_an_empty_desk_to_what_went_out(editor, store):
    page = editor.page
    with serving(store.folder, sorts=True) as address:
        page.goto(address)
        editor.click_on("link", "Import papers")
        file = {"name": "weeks.csv", "mimeType": "", "buffer": f"id,title,date\n{PAPERS}".encode()}
        page.locator("input[type=file]").set_input_files([file])
        page.get_by_role("button", name="Import 90 papers").wait_for(timeout=PATIENT)
        editor.click_on("button", "Use it as Issue")
        expect(page.get_by_role("button", name="Use it as Issue")).to_have_count(0)
        page.get_by_role("button", name="Import 90 papers").wait_for(timeout=PATIENT)
        editor.click_on("button", "Import 90 papers")
        editor.click_on("button", "Add a report")

        page.get_by_role("textbox", name="Code").fill("lab")
        page.get_by_role("textbox", name="Name").fill("Labour")
        page.get_by_role("textbox", name=ABOUT).fill(SUBJECTS[0])
        editor.click_on("button", "Add")
        editor.click(page.get_by_role("link", name="Begin the first list of lab"))
        assert editor.n_clicks <= MOST_TO_THE_FIRST_LIST

        page.get_by_text("from 1 example").wait_for(timeout=PATIENT)
        wait_until_drawn(page)
        first = page.locator(".row").first
        expect(first.locator(".title")).to_contain_text(SUBJECTS[0])
        assert first.bounding_box()["y"] <= HIGHEST
        for place in range(JUDGED):
            editor.click_at_once(page.locator(".row").nth(place).locator(".sign").first)
        wait_until_saved(page)
        editor.click_on("button", "Publish")
        expect(page.get_by_role("heading", name="Publish", level=1)).to_be_in_viewport()
        editor.click_on("button", "Publish report")
        editor.click(page.get_by_role("dialog").get_by_role("button", name="Publish", exact=True))
        expect(page.get_by_test_id("stMetric").filter(has_text="Read")).to_be_visible(timeout=PATIENT)
        expect(page.get_by_text("No other list to finish.")).to_be_visible()  # a new report owes no older issue
        assert fits(page)
        assert serious_problems(page) == []
        editor.click(page.get_by_test_id("stMain").get_by_role("link", name="This week"))
        expect(page.get_by_role("heading", name="This week", level=1)).to_be_in_viewport()
    ((day, published_issue),) = publications.published(store, "lab").items()
    assert (day, len(published_issue.published)) == (date(2026, 11, 16), JUDGED)
    assert editor.n_clicks == CLICKS_OF_EDITOR


def test_a_director_hears_who_is_late_what_got_worse_and_which_ranker_is_better(director, server):
    page, clicks = director.page, {}
    page.goto(server)
    director.click(page.get_by_role("radio", name="Director"))
    expect(page.get_by_role("heading", name="Overview", level=1)).to_be_in_viewport()
    expect(page.get_by_test_id("stMetric").filter(has_text="Late")).to_contain_text("2 of 12")
    clicks["who is late"] = director.n_clicks
    expect(page.get_by_text("1 of 12 reports declined: mon.")).to_be_in_viewport()
    clicks["what got worse"] = director.n_clicks
    expect(page.get_by_test_id("stDataFrame").locator("td", has_text="Samuel Adjei-Brook")).to_be_attached()  # of dev
    clicks["who edits what is late"] = director.n_clicks
    director.turn_to("Compare")
    expect(page.get_by_role("heading", name=re.compile("^Keep presort-2"))).to_be_in_viewport()
    clicks["which ranker is better"] = director.n_clicks
    expect(page.get_by_role("button", name="Download the differences as CSV")).to_be_visible()
    assert fits(page)
    assert serious_problems(page, [".stMain"]) == []
    director.turn_to("Overview")
    expect(page.get_by_role("heading", name="Overview", level=1)).to_be_in_viewport()
    assert clicks == CLICKS_OF_DIRECTOR
