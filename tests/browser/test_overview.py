"""Overview and My report in a real browser: all reports, one in depth, the ranking behind a point, and downloads."""

import re
from datetime import date

import pytest
from playwright.sync_api import expect

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.read_papers import mark_read
from presort.data.learning import rankings
from presort.data.store import open_store
from presort.desk.scores import table
from presort.desk.service import workflow
from presort.ranker.versions import DEFAULT
from tests.browser.pages import choose_row, downloaded, expect_usable_by_all, wait_until_calm

NEWEST = date(2026, 11, 16)


@pytest.fixture(scope="module")
def demo_store(demo):
    store = open_store(demo)
    yield store
    store.close()


def open_report(page, address, query):
    page.goto(f"{address}/report?{query}")
    expect(page.get_by_role("heading", name="My report")).to_be_visible()
    points(page).first.wait_for()


def open_overview(page, address, query=""):
    page.goto(f"{address}/overview{query}")
    expect(page.get_by_role("heading", name="Done last")).to_be_visible()


def points(page):
    return page.get_by_test_id("stVegaLiteChart").locator('[aria-roledescription="point"]')


def pictures(page):
    return page.locator(".st-key-pictures").get_by_role("link")


def test_a_picture_opens_its_report_and_there_a_small_measure_becomes_the_large_one(page, looked_at, demo_store):
    reports = [report.code for report in catalogue.reports(demo_store)]
    open_overview(page, looked_at)
    expect(pictures(page)).to_have_count(len(reports))
    assert sorted(pictures(page).all_text_contents()) == sorted(reports)
    expect(page.locator(".st-key-pictures img")).to_have_count(len(reports))
    assert page.locator(".st-key-pictures img").evaluate_all("all => all.every(one => one.naturalWidth > 0)")

    pictures(page).filter(has_text="mac").click()
    expect(page.get_by_role("heading", name="My report")).to_be_visible()
    expect(page.get_by_role("combobox", name="Report")).to_have_value(re.compile("^mac"))
    expect(page).to_have_url(re.compile("/report?.*report=mac"))

    points(page).first.wait_for()
    page.locator("summary").filter(has_text="All measures").click()
    page.get_by_role("heading", name="The other measures").scroll_into_view_if_needed()
    expect_usable_by_all(page)
    page.locator(".st-key-measures").get_by_role("button", name="Nosel", exact=True).click()
    expect(page.get_by_role("combobox", name="Measure")).to_have_value("Nosel")
    expect(page.get_by_test_id("stVegaLiteChart").get_by_text("Nosel (higher is better)")).to_be_visible()
    expect(page).to_have_url(re.compile("measure=nosel"))
    page.reload()
    expect(page.get_by_test_id("stVegaLiteChart").get_by_text("Nosel (higher is better)")).to_be_visible()


def test_the_list_behind_a_point_of_a_replay_opens_on_review(page, looked_at, demo_store):
    open_report(page, looked_at, "report=lab&measure=last_relevant_position")
    point = points(page).last
    day, ranker, last = re.fullmatch(r"(\S+), (\S+): (\d+)", point.get_attribute("aria-label")).groups()
    point.click()
    point_text = re.escape(f"{day}, sorted by {ranker}: the last relevant paper at {last} of")
    page.get_by_role("link", name=re.compile(point_text)).click()
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    assert "ranking=" in page.url


def test_the_ranking_an_editor_saw_opens_on_review(page, server, workspace):
    store = open_store(workspace)
    shown = rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT]
    papers = catalogue.papers(store, NEWEST)
    second = papers[shown.ranking.positions[1] - 1].paper_id
    decisions.decide(store, [decisions.Decision("lab", NEWEST, second, "yes", "ada", ranking_id=shown.id)])
    mark_read(store, "lab", NEWEST, shown.id, len(papers), person="ada")
    workflow.publish_report_issue(store, "lab", NEWEST, shown, person="ada")
    store.close()
    open_report(page, server, f"report=lab&ranker={DEFAULT}&measure=last_relevant_position")
    points(page).and_(page.get_by_label(f"{NEWEST}, {DEFAULT}: 2", exact=True)).click()
    link = page.get_by_role("link", name=re.compile(rf"{NEWEST}, sorted by {DEFAULT}: the last relevant paper at 2 of"))
    link.click()
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    expect(page.get_by_role("combobox", name="Issue")).to_have_value(re.compile(f"^{NEWEST}"))
    expect(page.get_by_text(f"sorted by {DEFAULT},")).to_be_visible()


def test_tables_behind_the_pictures_are_downloaded(page, looked_at, demo_store):
    open_overview(page, looked_at, f"?ranker={DEFAULT}&measure=nosel")
    reports = [report.code for report in catalogue.reports(demo_store)]
    expect(page.locator(".st-key-pictures img")).to_have_count(2 * len(reports))  # the last position above the measure
    expect_usable_by_all(page)
    page.get_by_text("As a table").click()
    rows = downloaded(page, "Download this table as CSV")
    assert [row["report"] for row in rows] == reports


def test_a_row_of_the_table_opens_its_report_and_its_measures_are_downloaded(page, looked_at, demo_store):
    open_overview(page, looked_at, f"?ranker={DEFAULT}")
    page.get_by_text("As a table").click()
    wait_until_calm(page)
    choose_row(page.get_by_test_id("stDataFrame"), 1, x=40)
    first = catalogue.reports(demo_store)[0].code
    expect(page.get_by_role("combobox", name="Report")).to_have_value(re.compile(f"^{first}"))
    rows = downloaded(page, "Download all measures as CSV")
    expected = table.scores(demo_store, report=first)
    assert len(rows) == len(expected)
    assert [float(row["nosel"]) for row in rows] == pytest.approx(expected["nosel"].tolist())
