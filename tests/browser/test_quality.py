"""Quality in a real browser: all reports, one in depth, the ranking behind a point, and what is downloaded."""

import re
from datetime import date

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from data import catalogue, rankings, reviews
from data.store import open_store
from desk import evaluation, workflow
from ranker.versions import DEFAULT
from tests.browser.pages import downloaded

NEWEST = date(2026, 11, 16)


@pytest.fixture(scope="module")
def demo_store(demo):
    store = open_store(demo)
    yield store
    store.close()


def open_quality(page, address, query):
    page.goto(f"{address}/quality?{query}")
    expect(page.get_by_role("heading", name="Quality")).to_be_visible()
    points(page).first.wait_for()


def points(page):
    return page.get_by_test_id("stVegaLiteChart").locator('[aria-roledescription="point"]')


def pictures(page):
    return page.locator(".st-key-pictures").get_by_role("button")


def test_every_report_has_a_picture_and_a_click_opens_it(page, looked_at, demo_store):
    reports = [report.code for report in catalogue.reports(demo_store)]
    open_quality(page, looked_at, "report=lab")
    assert sorted(pictures(page).all_text_contents()) == sorted(reports)
    expect(page.locator(".st-key-pictures img")).to_have_count(len(reports))
    assert page.locator(".st-key-pictures img").evaluate_all("all => all.every(one => one.naturalWidth > 0)")

    pictures(page).filter(has_text="mac").click()
    expect(page.get_by_role("combobox", name="Report")).to_have_value(re.compile("^mac"))
    expect(page).to_have_url(re.compile("report=mac"))
    expect(page.get_by_role("heading", name="One report")).to_be_in_viewport()


def test_a_small_measure_becomes_the_large_one_and_the_address_brings_it_back(page, looked_at, demo_store):
    open_quality(page, looked_at, "report=lab")
    n_reports = len(catalogue.reports(demo_store))
    page.locator(".st-key-measures").get_by_role("button", name="Nosel", exact=True).click()
    expect(page.get_by_role("combobox", name="Measure")).to_have_value("Nosel")
    expect(page.get_by_test_id("stVegaLiteChart").get_by_text("Nosel (higher is better)")).to_be_visible()
    expect(page.locator(".st-key-pictures img")).to_have_count(2 * n_reports)  # and the last position above it
    expect(page).to_have_url(re.compile("measure=nosel"))
    page.reload()
    expect(page.get_by_test_id("stVegaLiteChart").get_by_text("Nosel (higher is better)")).to_be_visible()


def test_the_list_behind_a_point_of_a_replay_opens_beneath(page, looked_at, demo_store):
    open_quality(page, looked_at, "report=lab&measure=last_relevant_position")
    point = points(page).last
    day, ranker, last = re.fullmatch(r"(\S+), (\S+): (\d+)", point.get_attribute("aria-label")).groups()
    point.click()
    expect(page.get_by_text(f"{day}, sorted by {ranker}: the last relevant paper at {last} of")).to_be_visible()
    expect(page.get_by_text("As the replay sorted it")).to_be_visible()


def test_the_ranking_an_editor_saw_opens_on_review(page, server, workspace):
    store = open_store(workspace)
    shown = rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT]
    papers = catalogue.papers(store, NEWEST)
    second = papers[shown.ranking.positions[1] - 1].paper_id
    reviews.decide(store, [reviews.Decision("lab", NEWEST, second, "yes", "ada", ranking_id=shown.id)])
    workflow.issue_report(store, "lab", NEWEST, shown, person="ada")
    store.close()
    open_quality(page, server, f"report=lab&ranker={DEFAULT}&measure=last_relevant_position")
    points(page).and_(page.get_by_label(f"{NEWEST}, {DEFAULT}: 2", exact=True)).click()
    link = page.get_by_role("link", name=re.compile(rf"{NEWEST}, sorted by {DEFAULT}: the last relevant paper at 2 of"))
    link.click()
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    expect(page.get_by_role("combobox", name="Issue")).to_have_value(re.compile(f"^{NEWEST}"))
    expect(page.get_by_role("combobox", name="Ranker")).to_have_value(DEFAULT)


def test_tables_behind_the_pictures_are_downloaded(page, looked_at, demo_store):
    open_quality(page, looked_at, f"report=lab&ranker={DEFAULT}")
    page.get_by_text("As a table").click()
    rows = downloaded(page, "Download this table as CSV")
    assert [row["report"] for row in rows] == [report.code for report in catalogue.reports(demo_store)]
    rows = downloaded(page, "Download all measures as CSV")
    expected = evaluation.scores(demo_store, report="lab")
    assert len(rows) == len(expected)
    assert [float(row["nosel"]) for row in rows] == pytest.approx(expected["nosel"].tolist())


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (400, "dark")])
def test_quality_fits_and_is_accessible(chromium, looked_at, width, scheme):
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    open_quality(page, looked_at, "report=lab&measure=copnori")
    page.get_by_role("heading", name="The other measures").scroll_into_view_if_needed()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page).response["violations"]
    context.close()
    assert [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")] == []
