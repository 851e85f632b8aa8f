"""In a real browser: what the director changes is said first, and done once it is confirmed."""

from datetime import date

from playwright.sync_api import expect

from presort.data import catalogue
from presort.data.records import Editorship
from presort.data.running import people
from tests.browser.pages import fits, look_as, serious_problems, wait_until_idle


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def test_a_change_is_said_left_and_made_and_what_is_refused_can_be_put_right(page, server, store):
    page.goto(f"{server}/manage?part=reports&report=lab")
    press(page, "Retire")
    window = page.get_by_role("dialog")
    expect(window).to_contain_text("Nothing is sorted for lab from now on; 11 reports stay.")
    press(page, "Leave it")
    expect(window).to_have_count(0)
    assert len(catalogue.reports(store)) == 12
    press(page, "Retire")
    press(page, "Change it")
    expect(window).to_have_count(0)
    expect(page.get_by_role("status")).to_contain_text("Nothing is sorted for lab")
    assert len(catalogue.reports(store)) == 11
    expect(page.get_by_role("button", name="Bring back")).to_be_visible()

    page.get_by_text("Add a report").click()
    page.get_by_role("textbox", name="Code").fill("mac")
    press(page, "Add")
    expect(window).to_contain_text("Add report mac?")
    press(page, "Add it")
    expect(window.get_by_role("alert")).to_contain_text("There is a report 'mac' already; choose another code.")
    press(page, "Leave it")
    expect(window).to_have_count(0)  # it covers the field, and keeps what is typed
    page.get_by_role("textbox", name="Code").fill("new")
    press(page, "Add")
    press(page, "Add it")
    expect(page.get_by_role("status")).to_contain_text("new · new joins")
    expect(page.get_by_role("textbox", name="Code")).to_have_value("")
    assert "new" in [report.code for report in catalogue.reports(store)]
    page.get_by_role("link", name="Begin the first list of new").click()
    page.wait_for_url("**report=new**")


def test_an_editor_goes_away_and_a_link_brings_the_part_back(page, server, store):
    people.add_editorship(store, Editorship("lab", "Ann Lee", date(2026, 1, 5)), person="manage")
    page.goto(f"{server}/manage?report=lab")
    page.get_by_role("radio", name="Editors").click()
    expect(page.get_by_text("Today: chosen by Ann Lee")).to_be_visible()
    page.wait_for_url("**part=editors**")
    page.reload()
    page.get_by_text("A substitute during an absence").click()
    page.get_by_label("Substitute").fill("Bo <b>Chen</b>")
    page.get_by_label("Substitute").press("Tab")
    page.get_by_test_id("stExpander").filter(has_text="Who is away").get_by_role("button", name="Add").click()
    expect(page.get_by_role("dialog")).to_contain_text("Bo <b>Chen</b> edits lab from")
    press(page, "Change it")
    expect(page.get_by_text("Today: chosen by Bo <b>Chen</b>")).to_be_visible()


def test_every_part_can_be_used_by_all_and_on_a_phone(page, looked_at):
    look_as(page, width=400)
    page.goto(f"{looked_at}/manage?report=lab")
    for part in ("Reports", "Editors", "Holidays", "Rankers", "Imports"):
        page.get_by_role("radio", name=part).click()
        expect(page.get_by_role("radio", name=part)).to_be_checked()
        page.wait_for_url(f"**part={part.lower()}**")
        wait_until_idle(page)
        assert fits(page), part
        assert serious_problems(page) == [], part
