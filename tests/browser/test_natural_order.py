"""In a real browser: cases in which a measure misleads, one opened case, its downloads, and all orders in theory."""

import re

import pytest
from playwright.sync_api import expect

from presort.data.store import open_store
from presort.desk.scores import natural_order
from presort.desk.scores.table import MEASURED, scores
from presort.metrics import MEASURES
from tests.browser.pages import choose_row, downloaded, wait_until_calm

NAME = "average_precision"


@pytest.fixture(scope="module")
def cases(demo):
    """Cases in which average precision misleads in the demo, worst first."""
    store = open_store(demo)
    table = scores(store)
    store.close()
    judged = natural_order.judge(table)
    return natural_order.cases(judged, table, NAME, (judged.pairs["report"] != "").to_numpy())


def open_page(page, address):
    page.goto(address)
    expect(page.get_by_role("heading", name="Natural order")).to_be_visible()


def expect_opened(page, case):
    expect(page.get_by_role("heading", name=f"{case.report} · {case.issue.date()}")).to_be_visible()
    expect(page.get_by_test_id("stTable").get_by_role("cell", name=case.better, exact=True)).to_be_visible()
    expect(page.get_by_test_id("stTable").get_by_role("cell", name=case.worse, exact=True)).to_be_visible()


def test_a_case_is_opened_downloaded_and_brought_back_by_its_link(page, looked_at, cases):
    open_page(page, f"{looked_at}/natural-order?measure={NAME}")
    expect(page.get_by_test_id("stMetric").first).to_contain_text(f"{len(cases):,} pairs")
    expect_opened(page, cases.iloc[0])
    wait_until_calm(page)
    counts = page.locator(".vega-embed").first.bounding_box()
    table = page.get_by_test_id("stDataFrame").first.bounding_box()
    assert counts["x"] + counts["width"] <= table["x"]
    assert table["y"] <= counts["y"] + counts["height"]  # the chart is to the left of the table, at the same height
    second = cases.iloc[1]
    choose_row(page.get_by_test_id("stDataFrame").first, 2)
    expect_opened(page, second)
    expect(page.locator(".vega-embed :is(svg, canvas).marks")).to_have_count(2)
    listed = downloaded(page, "Download these cases as CSV")
    assert [int(row["papers_more"]) for row in listed] == cases["papers_more"].tolist()
    assert len(downloaded(page, "Download the counts as CSV")) == len(MEASURED)

    page.get_by_test_id("stExpander").get_by_text("Both lists").click()
    expect(page.get_by_role("button", name="Download both lists as CSV")).to_be_visible()
    own = page.get_by_test_id("stElementToolbar").get_by_role("button", name="Download as CSV", include_hidden=True)
    assert own.count() >= 3  # Streamlit's error message, which shows formulas in titles unchanged
    for each in own.all():
        expect(each).to_be_hidden()
    lists = downloaded(page, "Download both lists as CSV")
    assert {row["ranker"] for row in lists} == {second.better, second.worse}
    last = {
        name: max(int(row["place"]) for row in lists if row["ranker"] == name and row["is_relevant"] == "True")
        for name in (second.better, second.worse)
    }
    assert last == {second.better: second.better_last, second.worse: second.worse_last}

    open_page(page, page.url)
    expect_opened(page, second)
    expect(page.get_by_role("button", name="Download both lists as CSV")).to_be_visible()


def test_a_click_on_a_bar_selects_its_measure(page, looked_at):
    open_page(page, f"{looked_at}/natural-order?measure=nosel_copnori")
    expect(page.get_by_test_id("stMetric").first).to_contain_text("0 pairs")
    wait_until_calm(page)
    most = downloaded(page, "Download the counts as CSV")[0]
    page.locator(".st-key-measure-bars .mark-rect.role-mark path").first.click()
    expect(page).to_have_url(re.compile(f"measure={most['measure']}"))
    expect(page.get_by_role("combobox", name="Measure")).to_have_value(MEASURES[most["measure"]].label)
    expect(page.get_by_test_id("stMetric").first).to_contain_text(f"{int(most['misleads']):,} pairs")


def test_all_orders_are_drawn_for_any_size(page, looked_at):
    open_page(page, f"{looked_at}/natural-order")
    page.get_by_role("tab", name="In theory").click()
    expect(page.get_by_text("All 20 orders.")).to_be_visible()
    page.get_by_role("slider", name="n, papers in the list").press("End")
    expect(page.get_by_text("Too many to draw: 101 of 2,024 orders")).to_be_visible()
    page.get_by_role("slider", name="r, relevant papers").press("ArrowLeft")
    expect(page.get_by_text("Too many to draw: 101 of 276 orders")).to_be_visible()
    assert len(downloaded(page, "Download the rows as CSV")) == 101
    rates = downloaded(page, "Download the rates as CSV")
    assert {row["prefers_worse"] for row in rates if row["r"] == "1"} == {"0.0"}

    expect(page).to_have_url(re.compile(r"\bn=24&.*\br=2\b"))
    open_page(page, page.url)
    expect(page.get_by_text("2 relevant of 24 papers")).to_be_visible()
    expect(page.locator(".vega-embed :is(svg, canvas).marks")).to_have_count(2)
