"""*Overview* and *My report* in a real browser: all reports, one in detail, the ranking of a point, and downloads."""

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
    expect(page.get_by_text("Undelivered mail")).to_be_visible()


def points(page):
    return page.get_by_test_id("stVegaLiteChart").locator('[aria-roledescription="point"]')


def table_of_reports(page):
    return page.get_by_test_id("stDataFrame").first


def test_the_list_behind_a_point_of_a_replay_opens_on_review(page, looked_at, demo_store):
    open_report(page, looked_at, "report=lab&measure=last_relevant_position")
    point = points(page).last
    day = point.get_attribute("aria-label").split(",")[0]
    point.click()
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    expect(page.get_by_role("combobox", name="Issue")).to_have_value(re.compile(f"^{day}"))
    assert "ranking=" in page.url


def test_a_click_on_an_issue_opens_its_ranking(page, looked_at, demo_store):
    open_report(page, looked_at, f"report=lab&ranker={DEFAULT}")
    expect_usable_by_all(page)
    newest = table.scores(demo_store, report="lab").query("ranker == @DEFAULT")["issue"].max()
    choose_row(table_of_reports(page), 1, x=120)
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    expect(page.get_by_role("combobox", name="Issue")).to_have_value(re.compile(f"^{newest:%Y-%m-%d}"))


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
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    expect(page.get_by_role("combobox", name="Issue")).to_have_value(re.compile(f"^{NEWEST}"))
    expect(page.get_by_text(f"ranked by {DEFAULT},")).to_be_visible()


def test_a_click_on_a_row_opens_its_report_and_back_returns_to_the_same_view(page, looked_at, demo_store):
    open_overview(page, looked_at, f"?ranker={DEFAULT}&show=no-editor")
    expect_usable_by_all(page)
    wait_until_calm(page)
    cards = page.get_by_test_id("stMetric").all()
    assert len({round(card.bounding_box()["y"]) for card in cards}) == 1, "all cards are in one row"
    rows = downloaded(page, "Download table as CSV")
    assert {row["report"] for row in rows} == {report.code for report in catalogue.reports(demo_store)}
    without_editor = [row["report"] for row in rows if not row["editor"]]
    wait_until_calm(page)
    choose_row(table_of_reports(page), 2, x=120)
    expect(page.get_by_role("combobox", name="Report")).to_have_value(re.compile(f"^{without_editor[1]}"))
    expect(page).to_have_url(re.compile(f"ranker={DEFAULT}"))
    page.go_back()
    expect(page.get_by_role("radio", name="No editor")).to_be_checked()


def test_measures_of_a_report_are_downloaded(page, looked_at, demo_store):
    first = catalogue.reports(demo_store)[0].code
    open_report(page, looked_at, f"report={first}")
    rows = downloaded(page, "Download all measures as CSV")
    expected = table.scores(demo_store, report=first)
    assert len(rows) == len(expected)
    assert [float(row["nosel"]) for row in rows] == pytest.approx(expected["nosel"].tolist())
