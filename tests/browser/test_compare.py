"""In a real browser: rankers are compared, an issue is opened, and tables are downloaded."""

import re

from playwright.sync_api import expect

from presort.desk.compare.page import TABS
from presort.desk.service.demo import RANKERS
from tests.browser.pages import choose_in, choose_row, downloaded, look_as, scrolls_sideways, wait_until_calm

MEASURES, REPORTS, LISTS, RECALL, WEIGHTS = TABS


def open_tab(page, name, file):
    """Open a tab, and wait for its download button, its last element."""
    page.get_by_role("tab", name=name).click()
    expect(page.get_by_role("button", name=f"Download {file} as CSV")).to_be_visible()


def test_comparing_the_rankers_of_the_demo(page, looked_at):
    page.goto(f"{looked_at}/compare")
    expect(page.get_by_role("heading", level=2)).to_have_text(re.compile("^(Keep|Use) "))
    expect(page.get_by_role("button", name="Download the differences as CSV")).to_be_visible()
    wait_until_calm(page)
    steps = page.evaluate("history.length")
    choose_in(page, "Baseline", "krichel-2007")
    open_tab(page, WEIGHTS, "the curves")
    choose_in(page, "First measure", "Reliability of the first 30")
    expect(page).to_have_url(re.compile("one=reliability_at_30"))
    assert page.evaluate("history.length") == steps, "a page is one step back, whatever was chosen on it"
    rankers = set(RANKERS)
    ratios = downloaded(page, "Download the ratios as CSV")
    assert {row["ranker"] for row in ratios} == rankers
    curves = downloaded(page, "Download the curves as CSV")
    assert set(curves[0]) == {"weight_of_reliability_at_30", *rankers}

    page.goto(page.url)  # the address restores the view
    expect(page.get_by_role("tab", name=WEIGHTS)).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("combobox", name="Baseline")).to_have_value("krichel-2007")
    pair_results = downloaded(page, "Download the table as CSV")
    (ranker,) = {row["ranker"] for row in pair_results}
    assert {row["opponent"] for row in pair_results} == rankers - {ranker}
    open_tab(page, MEASURES, "the differences")
    differences = downloaded(page, "Download the differences as CSV")
    assert {row["ranker"] for row in differences} == rankers - {ranker}
    open_tab(page, RECALL, "the recall curves")
    assert set(downloaded(page, "Download the recall curves as CSV")[0]) == {"papers", *rankers}
    for width in (400, 1300):
        look_as(page, width=width)
        wait_until_calm(page)
        assert not scrolls_sideways(page), width


def test_all_candidates_are_visible_in_their_box(page, looked_at):
    page.goto(f"{looked_at}/compare")
    for width, n_rows in ((1300, 1), (1280, 1), (400, None)):
        look_as(page, width=width)
        expect(page.get_by_role("heading", level=2)).to_be_visible()
        wait_until_calm(page)
        box = page.get_by_test_id("stMultiSelectTagsContainer").first.bounding_box()
        for ranker in {*RANKERS} - {page.get_by_role("combobox", name="Baseline").input_value()}:
            tag = page.locator(".st-key-candidates").get_by_text(ranker, exact=True).bounding_box()
            assert box["x"] <= tag["x"], ranker
            assert tag["x"] + tag["width"] <= box["x"] + box["width"], ranker
            assert box["y"] <= tag["y"], ranker
            assert tag["y"] + tag["height"] <= box["y"] + box["height"], ranker
        tops = {label.bounding_box()["y"] for label in page.locator(".st-key-filters label").all()}
        assert n_rows is None or len(tops) == n_rows, "all filters are on one row"


def test_on_a_phone_the_filters_take_one_row_and_the_answer_is_on_the_first_screen(page, looked_at):
    look_as(page, width=400, height=800)
    page.goto(f"{looked_at}/compare")
    table = page.get_by_test_id("stDataFrame").first
    expect(table).to_be_visible()
    wait_until_calm(page)
    assert len({label.bounding_box()["y"] for label in page.locator(".st-key-filters label").all()}) == 1
    box = table.bounding_box()
    assert box["y"] + box["height"] < 800
    last = page.get_by_role("combobox", name="Rankings")
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()
    assert not scrolls_sideways(page), "only the filters"


def test_a_row_chooses_the_opponent_and_a_bar_opens_its_report(page, looked_at):
    page.goto(f"{looked_at}/compare?tab={REPORTS}")
    expect(page.get_by_role("button", name="Download the reports as CSV")).to_be_visible()
    wait_until_calm(page)
    # The rankers of one family may not differ in any report. Then no bar has an area to click.
    opponents = [row["opponent"] for row in downloaded(page, "Download the table as CSV")]
    choose_row(page.get_by_test_id("stDataFrame").first, opponents.index("krichel-2007") + 1)
    expect(page).to_have_url(re.compile("opponent=krichel-2007"))
    wait_until_calm(page)
    reports = downloaded(page, "Download the reports as CSV")
    assert {row["opponent"] for row in reports} == {"krichel-2007"}
    page.locator(".st-key-report-bars .mark-rect.role-mark path").first.click()
    expect(page).to_have_url(re.compile(rf"/report\?.*report={reports[0]['report']}"))
    expect(page.get_by_role("heading", name="Report", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Compare")).to_be_visible()


def test_a_point_opens_both_lists(page, looked_at):
    page.goto(f"{looked_at}/compare?measure=last_relevant_position&reports=lab&tab={LISTS}")
    plot = page.locator(".st-key-scatter .vega-embed").locator("canvas, svg.marks").first
    expect(plot).to_be_visible()
    expect(page.get_by_role("button", name="Download all lists as CSV")).to_be_visible()
    plot.scroll_into_view_if_needed()
    dot = page.locator(".st-key-scatter .mark-symbol.role-mark path").first
    dot.click(force=True)
    expect(page).to_have_url(re.compile("picked=lab"))
    expect(page.get_by_role("heading", name=re.compile(r"^lab · \d{4}-\d\d-\d\d"))).to_be_visible()
    page.get_by_role("link", name="Open the list ranked by").first.click()
    expect(page).to_have_url(re.compile(r"review\?.*ranking=\d+"))
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    expect(page.get_by_role("combobox", name="Report")).to_have_value(re.compile("^lab"))
