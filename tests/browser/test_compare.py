"""In a real browser: rankers are compared, an issue is opened, and tables are taken along."""

import re

from playwright.sync_api import expect

from presort.ranker.versions import RECIPES
from tests.browser.pages import choose_in, downloaded, look_as, scrolls_sideways, wait_until_calm


def open_details(page, name, key, holds):
    """Open a box, and wait for its download, which stands last in it."""
    page.get_by_test_id("stExpander").get_by_text(name, exact=True).click()
    expect(page.get_by_role("button", name=f"Download {holds} as CSV")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"\b{key}=true"))


def test_comparing_the_rankers_of_the_demo(page, looked_at):
    page.goto(f"{looked_at}/compare")
    verdict = page.get_by_role("heading", name=re.compile("was earlier in .* of .* lists"))
    expect(verdict).to_be_visible()
    expect(page.get_by_text(re.compile("by Nosel and Average precision at once"))).to_be_visible()
    expect(page.get_by_text("How far apart are they?")).to_be_visible()
    wait_until_calm(page)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= 1800  # two screens
    steps = page.evaluate("history.length")
    choose_in(page, "Compared with", "krichel-2007")
    expect(page.get_by_role("heading", name=re.compile(r"krichel-2007|later in"))).to_be_visible()
    open_details(page, "By two measures at once", "ratios", "the ratios")
    choose_in(page, "One measure", "Reliability of the first 30")
    expect(page.get_by_text(re.compile("by Reliability of the first 30 and Average precision"))).to_be_visible()
    verdict_text = verdict.inner_text()
    assert page.evaluate("history.length") == steps, "a page is one step back, whatever was chosen on it"

    page.goto(f"{page.url}&each=true&weights=true&lists=true&at=how-sure")  # the address brings back what was seen
    expect(page.get_by_role("heading", name=verdict_text)).to_be_attached()
    expect(page.get_by_role("heading", name="How sure?")).to_be_in_viewport()
    ratios = downloaded(page, "Download the ratios as CSV")
    rankers = {row["ranker"] for row in ratios}
    assert rankers == {name for name, recipe in RECIPES.items() if not recipe.method.reads_vectors}
    assert len(ratios) == len(rankers)
    for file in ("the differences", "the ratios", "the curves", "all lists"):
        expect(page.get_by_role("button", name=f"Download {file} as CSV")).to_be_visible()
    for width in (400, 1300):
        look_as(page, width=width)
        wait_until_calm(page)
        assert not scrolls_sideways(page), width
    differences = downloaded(page, "Download the differences as CSV")
    assert {row["ranker"] for row in differences} == rankers - {"krichel-2007"}
    points = downloaded(page, "Download all lists as CSV")
    assert f"{len(points):,} lists are compared" in page.get_by_text("lists are compared").inner_text()
    curves = downloaded(page, "Download the curves as CSV")
    assert set(curves[0]) == {"weight_of_reliability_at_30", *rankers}


def test_a_point_opens_both_lists(page, looked_at):
    page.goto(f"{looked_at}/compare?measure=last_relevant_position&reports=lab&lists=true")
    plot = page.locator(".st-key-scatter .vega-embed").locator("canvas, svg.marks").first
    expect(plot).to_be_visible()
    expect(page.get_by_role("button", name="Download all lists as CSV")).to_be_visible()
    plot.scroll_into_view_if_needed()
    dot = page.locator(".st-key-scatter .mark-symbol.role-mark path").first
    dot.click(force=True)
    expect(page).to_have_url(re.compile("picked=lab"))
    expect(page.get_by_text(re.compile(r"^lab · \d{4}-\d\d-\d\d · \d+ papers"))).to_be_visible()
    page.get_by_role("link", name="Open the list by").first.click()
    expect(page).to_have_url(re.compile(r"review\?.*ranking=\d+"))
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    expect(page.get_by_role("combobox", name="Report")).to_have_value(re.compile("^lab"))
