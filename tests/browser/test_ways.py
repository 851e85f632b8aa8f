"""A new editor on a phone, from an empty desk and a file to a published report issue, with the number of taps.

`benchmarks.trials` has longer trials of an editor at both sizes and of a director.
"""

from contextlib import closing
from datetime import date

import pytest
from playwright.sync_api import expect

from presort.data.editing import publications
from presort.data.store import open_store
from presort.desk.manage.reports import ABOUT
from tests.browser.conftest import serving
from tests.browser.pages import PATIENT, fits, serious_problems, wait_until_calm
from tests.browser.reviewing import wait_until_drawn, wait_until_saved

DAYS = ("2026-11-02", "2026-11-09", "2026-11-16")
SUBJECTS = ("Minimum wages and hours of work", "Inflation and the central bank", "Schools and what pupils learn")
PAPERS = "".join(f'p{n},"{SUBJECTS[n % 3]}, part {n}",{DAYS[n // 30]}\n' for n in range(90))
JUDGED = 20  # papers
TAPS_OF_EDITOR = 10 + JUDGED  # also in docs/desk.md
MOST_TO_THE_FIRST_LIST = 8
HIGHEST = 450  # lowest allowed position of the list's top, of 800 pixels


class Editor:
    """New editor with a phone, 400 pixels wide, whose taps are counted."""

    def __init__(self, page):
        self.page = page
        self.n_taps = 0

    def tap(self, what):
        what.wait_for(timeout=PATIENT)
        wait_until_calm(self.page)
        assert fits(self.page)
        self.tap_at_once(what)

    def tap_at_once(self, what):
        what.tap()
        self.n_taps += 1

    def tap_on(self, role, name):
        self.tap(self.page.get_by_role(role, name=name, exact=True))


@pytest.fixture
def editor(phone_page):
    return Editor(phone_page)


@pytest.fixture
def store(tmp_path):
    with closing(open_store(tmp_path / "empty")) as store:
        yield store


def test_an_editor_goes_from_an_empty_desk_to_a_published_report_issue(editor, store):
    page = editor.page
    with serving(store.folder, sorts=True) as address:
        page.goto(address)
        editor.tap_on("link", "Import papers")
        file = {"name": "weeks.csv", "mimeType": "", "buffer": f"id,title,date\n{PAPERS}".encode()}
        page.locator("input[type=file]").set_input_files([file])
        page.get_by_role("button", name="Import 90 papers").wait_for(timeout=PATIENT)
        editor.tap_on("button", "Use as Issue")
        expect(page.get_by_role("button", name="Use as Issue")).to_have_count(0)
        page.get_by_role("button", name="Import 90 papers").wait_for(timeout=PATIENT)
        editor.tap_on("button", "Import 90 papers")
        editor.tap_on("button", "Add a report")

        page.get_by_role("textbox", name="Code").fill("lab")
        page.get_by_role("textbox", name="Name").fill("Labour")
        page.get_by_role("textbox", name=ABOUT).fill(SUBJECTS[0])
        editor.tap_on("button", "Add")
        editor.tap(page.get_by_role("link", name="Open the first list of lab"))
        assert editor.n_taps <= MOST_TO_THE_FIRST_LIST

        page.get_by_text("trained on").wait_for(timeout=PATIENT)
        expect(page.get_by_text("Ranking 1 list")).to_have_count(0, timeout=PATIENT)  # it stands above the list
        wait_until_drawn(page)
        first = page.locator(".row").first
        expect(first.locator(".title")).to_contain_text(SUBJECTS[0])
        assert first.bounding_box()["y"] <= HIGHEST
        for place in range(JUDGED):
            editor.tap_at_once(page.locator(".row").nth(place).locator(".sign").first)
        wait_until_saved(page)
        editor.tap_on("button", "Publish")
        expect(page.get_by_role("heading", name="Publish", level=1)).to_be_in_viewport()
        editor.tap_on("button", "Publish report")
        editor.tap(page.get_by_role("dialog").get_by_role("button", name="Publish", exact=True))
        expect(page.get_by_test_id("stMetric").filter(has_text="Found above the stop point")).to_be_visible(
            timeout=PATIENT
        )
        expect(page.get_by_text("No pending lists.")).to_be_visible()  # a new report has no older pending issues
        assert fits(page)
        assert serious_problems(page) == []
        editor.tap(page.get_by_test_id("stMain").get_by_role("link", name="This week"))
        expect(page.get_by_role("heading", name="This week", level=1)).to_be_in_viewport()
    ((day, published_issue),) = publications.published(store, "lab").items()
    assert (day, len(published_issue.published)) == (date(2026, 11, 16), JUDGED)
    assert editor.n_taps == TAPS_OF_EDITOR
