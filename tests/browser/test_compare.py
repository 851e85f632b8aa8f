"""In a real browser: rankers are compared, an issue is opened, tables are taken along, and a ranker is used."""

import re

import pytest
from playwright.sync_api import expect

from data import service
from data.store import open_store
from tests.browser.pages import choose_in, downloaded


def test_comparing_the_rankers_of_the_demo(page, looked_at):
    page.goto(f"{looked_at}/compare")
    verdict = page.get_by_text(re.compile(r"put the last relevant paper earlier than .* in .* report issues"))
    expect(verdict).to_be_visible()
    expect(page.get_by_text(re.compile("UIR -?0.* by Nosel and Copnori"))).to_be_visible()
    choose_in(page, "Held against", "krichel-2007")
    expect(page.get_by_text(re.compile("earlier than krichel-2007 in|krichel-2007 put the last"))).to_be_visible()
    choose_in(page, "One measure", "Reliability of the first 30")
    choose_in(page, "The other", "Sensitivity of the first 30")
    expect(page.get_by_text(re.compile("by Reliability of the first 30 and Sensitivity"))).to_be_visible()
    expect(page.get_by_text("so their UIR is the lead in natural order")).to_have_count(0)
    choose_in(page, "Measure", "Copnori")
    expect(page.get_by_text(re.compile("A point a report issue, lower is better"))).to_be_visible()
    told = verdict.inner_text()

    page.goto(page.url)  # the address brings back what was seen
    expect(page.get_by_text(told)).to_be_visible()
    ratios = downloaded(page, "Download the ratios as CSV")
    rankers = {row["ranker"] for row in ratios}
    assert len(rankers) == len(ratios) == 4
    differences = downloaded(page, "Download the differences as CSV")
    assert {row["ranker"] for row in differences} == rankers - {"krichel-2007"}
    points = downloaded(page, "Download all report issues as CSV")
    assert f"{len(points):,} report issues are compared" in page.get_by_text("report issues are compared").inner_text()
    curves = downloaded(page, "Download the curves as CSV")
    assert set(curves[0]) == {"weight_of_reliability_at_30", *rankers}


def test_a_point_opens_both_lists(page, looked_at):
    page.goto(f"{looked_at}/compare?measure=last_relevant_position&reports=lab")
    plot = page.locator(".st-key-scatter .vega-embed").locator("canvas, svg.marks").first
    expect(plot).to_be_visible()
    expect(page.get_by_role("button", name="Download the curves as CSV")).to_be_visible()
    plot.scroll_into_view_if_needed()
    dot = page.locator(".st-key-scatter .mark-symbol.role-mark path").first
    dot.click(force=True)
    expect(page).to_have_url(re.compile("picked=lab"))
    expect(page.get_by_text(re.compile(r"^lab · \d{4}-\d\d-\d\d · \d+ papers"))).to_be_visible()
    page.get_by_role("link", name="Open in Review").click()
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    expect(page.get_by_role("combobox", name="Report")).to_have_value(re.compile("^lab"))


@pytest.mark.parametrize("width", [1300, 400], ids=["wide", "phone"])
def test_nothing_stands_beside_the_page(page, looked_at, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{looked_at}/compare")
    expect(page.get_by_role("button", name="Download the curves as CSV")).to_be_visible()
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width


def test_using_the_better_ranker(page, server, workspace):
    page.goto(f"{server}/compare")
    expect(page.get_by_role("button", name="Download the curves as CSV")).to_be_visible()
    choose_in(page, "Let it sort for the editors", "asreview-u4")
    page.get_by_role("button", name="Use from the next issue").click()
    window = page.get_by_role("dialog")
    expect(window.get_by_text(re.compile("From the next issue on, asreview-u4 sorts for all"))).to_be_visible()
    window.get_by_role("button", name="Leave it").click()
    expect(window).to_have_count(0)
    expect(page.get_by_text("presort-1 sorts for the editors from the next issue on.")).to_be_visible()
    page.get_by_role("button", name="Use from the next issue").click()
    window.get_by_role("button", name="Change it").click()
    expect(page.get_by_text("asreview-u4 sorts for the editors from the next issue on.")).to_be_visible()
    store = open_store(workspace)
    assert service.active_ranker(store) == "asreview-u4"
    store.close()
