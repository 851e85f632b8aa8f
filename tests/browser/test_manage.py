"""In a real browser: dialogs of *Manage* open, apply changes at once, undo them, and close."""

from datetime import date

from playwright.sync_api import expect

from presort.data import catalogue
from presort.data.editing.criteria import criteria
from presort.data.records import Editorship, Report
from presort.data.running import people
from tests.browser.pages import choose_row, fits, look_as, serious_problems, wait_until_idle


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def test_a_report_is_added_in_three_clicks_from_the_page_of_the_week(page, server, store):
    page.goto(f"{server}/week")
    page.get_by_role("link", name="Add a report").click()
    window = page.get_by_role("dialog")
    window.get_by_role("textbox", name="Code").fill("mac")
    press(page, "Add")
    expect(window.get_by_role("alert")).to_contain_text("Report code 'mac' is already taken")
    window.get_by_role("textbox", name="Code").fill("new")
    window.get_by_role("textbox", name="Criteria").fill("Wages, jobs and trade unions.")
    press(page, "Add")
    expect(window).to_have_count(0)
    expect(page.get_by_text("new added")).to_be_visible()
    assert Report("new", "new") in catalogue.reports(store)
    assert criteria(store, "new").text == "Wages, jobs and trade unions."
    page.get_by_role("link", name="Open the first list of new").click()
    page.wait_for_url("**report=new**")


def test_a_report_is_retired_at_once_and_undone(page, server, store):
    page.goto(f"{server}/manage?part=reports&edit=lab")
    window = page.get_by_role("dialog")
    window.get_by_role("button", name="Retire").click()
    expect(window).to_have_count(0)
    expect(page.get_by_text("lab retired")).to_be_visible()
    assert len(catalogue.reports(store)) == 11
    press(page, "Undo")
    expect(page.get_by_text("Undone: lab retired")).to_be_visible()
    assert len(catalogue.reports(store)) == 12


def test_a_click_on_a_row_opens_its_window_again_and_again(page, server, store):
    people.add_editorship(store, Editorship("big", "Ann Lee", date(2020, 1, 6)), person="manage")
    page.goto(f"{server}/manage?part=editors")
    window = page.get_by_role("dialog")
    for _ in range(2):
        wait_until_idle(page)
        choose_row(page.get_by_test_id("stDataFrame").first, 1, x=150)
        expect(window).to_contain_text("Ann Lee")
        page.keyboard.press("Escape")
        expect(window).to_have_count(0)


def test_every_part_is_accessible_and_fits_a_phone(page, looked_at):
    look_as(page, width=400)
    page.goto(f"{looked_at}/manage?report=lab")
    for part in ("Reports", "Editors", "People", "Readers", "Holidays", "Rankers", "Imports", "Log"):
        page.get_by_role("radio", name=part).click()
        expect(page.get_by_role("radio", name=part)).to_be_checked()
        page.wait_for_url(f"**part={part.lower()}**")
        wait_until_idle(page)
        assert fits(page), part
        assert serious_problems(page) == [], part
