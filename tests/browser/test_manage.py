"""In a real browser: what the director changes is said first, done once it is confirmed, and holds on other pages."""

from datetime import date

import pytest
from playwright.sync_api import expect

from data import catalogue
from data.records import Editorship
from data.running import people, service
from desk.importing.importer import import_path
from desk.service import workflow
from ranker.versions import DEFAULT
from tests.browser.pages import downloaded, fits, serious_problems


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def test_a_change_is_said_left_and_then_made(page, server, store):
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


def test_what_is_refused_is_said_in_the_window_and_can_be_put_right(page, server, store):
    page.goto(f"{server}/manage?part=reports")
    page.get_by_text("Add a report").click()
    page.get_by_role("textbox", name="Code").fill("lab")
    press(page, "Add")
    window = page.get_by_role("dialog")
    expect(window).to_contain_text("Add report lab?")
    press(page, "Add it")
    expect(window.get_by_role("alert")).to_contain_text("There is a report 'lab' already; choose another code.")
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


def test_another_ranker_sorts_the_next_issue_and_review_shows_it_first(page, server, store, tmp_path):
    page.goto(f"{server}/manage?part=rankers")
    page.get_by_label("Sorts for the editors").click()
    page.get_by_role("option", name="krichel-2007").click()
    press(page, "Use from the next issue on")
    newest = catalogue.issues(store)[-1].date
    said = f"krichel-2007 sorts for all 12 reports; nothing runs beside it. Up to the issue of {newest}"
    expect(page.get_by_role("dialog")).to_contain_text(said)
    press(page, "Change it")
    expect(page.get_by_role("status")).to_contain_text(said)
    assert service.active_ranker(store) == "krichel-2007"

    path = tmp_path / "week.csv"
    path.write_text("paper_id,title,issue\nx1,Wages and jobs,2030-01-07\nx2,Money,2030-01-07\n", encoding="utf-8")
    with store.writing() as connection:  # an import is for no demo
        connection.exec_driver_sql("DELETE FROM setting WHERE name = 'demo'")
    import_path(store, path, person="import")
    list(workflow.rank(store, reports=["lab"]))
    page.goto(f"{server}/review?report=lab&issue=2030-01-07")
    expect(page.get_by_text("krichel-2007").first).to_be_visible()
    page.goto(f"{server}/review?report=lab&issue={newest}")
    expect(page.get_by_text(DEFAULT).first).to_be_visible()

    page.goto(f"{server}/manage?part=imports")
    (row,) = downloaded(page, "Download the table as CSV")
    assert (row["file"], row["new_papers"], row["person"]) == ("week.csv", "2", "import")


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


@pytest.mark.parametrize("part", ["reports", "editors", "holidays", "rankers", "imports"])
def test_it_can_be_used_by_all_and_on_a_phone(page, looked_at, part):
    page.set_viewport_size({"width": 400, "height": 900})
    page.goto(f"{looked_at}/manage?part={part}&report=lab")
    page.get_by_role("heading", name="Manage").wait_for()
    page.get_by_role("radio", name=part.capitalize()).and_(page.locator("[aria-checked=true]")).wait_for()
    assert fits(page)
    assert serious_problems(page) == []
