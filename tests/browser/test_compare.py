"""In a real browser: rankers are compared, an issue is opened, tables are taken along, and a ranker is used."""

import re
from contextlib import closing

from playwright.sync_api import expect

from data.running import service
from data.store import open_store
from ranker.versions import RECIPES
from tests.browser.pages import choose_in, downloaded, look_as, wait_until_calm


def open_details(page, name, key, holds):
    """Open a box, and wait for its download, which stands last in it."""
    page.get_by_test_id("stExpander").get_by_text(name, exact=True).click()
    expect(page.get_by_role("button", name=f"Download {holds} as CSV")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"\b{key}=true"))


def test_comparing_the_rankers_of_the_demo(page, looked_at):
    page.goto(f"{looked_at}/compare")
    verdict = page.get_by_role("heading", name=re.compile("was earlier in .* of .* lists"))
    expect(verdict).to_be_visible()
    expect(page.get_by_text(re.compile("by Nosel and Copnori at once"))).to_be_visible()
    expect(page.get_by_text("How far apart are they?")).to_be_visible()
    wait_until_calm(page)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= 1800  # two screens
    steps = page.evaluate("history.length")
    choose_in(page, "Compared with", "krichel-2007")
    expect(page.get_by_role("heading", name=re.compile(r"krichel-2007|later in"))).to_be_visible()
    open_details(page, "By two measures at once", "ratios", "the ratios")
    choose_in(page, "One measure", "Reliability of the first 30")
    choose_in(page, "The other", "Sensitivity of the first 30")
    expect(page.get_by_text(re.compile("by Reliability of the first 30 and Sensitivity"))).to_be_visible()
    expect(page.get_by_text("so their UIR is the lead in natural order")).to_have_count(0)
    open_details(page, "By each measure", "each", "the differences")
    open_details(page, "Whatever the weight of the two", "weights", "the curves")
    open_details(page, "List by list", "lists", "all lists")
    choose_in(page, "Measure", "Copnori")
    expect(page.get_by_text(re.compile("A point a report issue, lower is better"))).to_be_visible()
    told = verdict.inner_text()
    assert page.evaluate("history.length") == steps, "a page is one step back, whatever was chosen on it"

    page.goto(f"{page.url}&at=how-sure")  # the address brings back what was seen
    expect(page.get_by_role("heading", name=told)).to_be_attached()
    expect(page.get_by_role("heading", name="How sure?")).to_be_in_viewport()
    ratios = downloaded(page, "Download the ratios as CSV")
    rankers = {row["ranker"] for row in ratios}
    assert rankers == {name for name, recipe in RECIPES.items() if not recipe.method.reads_vectors}
    assert len(ratios) == len(rankers)
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
    page.get_by_role("link", name="Open in Review").click()
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    expect(page.get_by_role("combobox", name="Report")).to_have_value(re.compile("^lab"))


def test_nothing_stands_beside_the_page(page, looked_at):
    page.goto(f"{looked_at}/compare?each=true&ratios=true&weights=true&lists=true")
    for file in ("the differences", "the ratios", "the curves", "all lists"):
        expect(page.get_by_role("button", name=f"Download {file} as CSV")).to_be_visible()
    for width in (1300, 400):
        look_as(page, width=width)
        wait_until_calm(page)
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width


def test_using_the_clear_winner(page, server, workspace):
    with closing(open_store(workspace)) as store:
        service.set_active_ranker(store, "krichel-2007", person="Dee")
    page.goto(f"{server}/compare?rankers=krichel-2007&rankers=presort-2")
    expect(page.get_by_role("heading", name=re.compile(r"presort-2 was earlier .* Use it\."))).to_be_visible()
    use = page.get_by_role("button", name="Use presort-2 from the next issue")
    use.click()
    window = page.get_by_role("dialog")
    expect(window.get_by_text(re.compile("From the next issue on, presort-2 sorts for all"))).to_be_visible()
    window.get_by_role("button", name="Leave it").click()
    expect(window).to_have_count(0)
    expect(page.get_by_text("krichel-2007 sorts for the editors from the next issue on.")).to_be_visible()
    use.click()
    window.get_by_role("button", name="Change it").click()
    expect(page.get_by_text("presort-2 sorts for the editors.")).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile(r"Keep it\."))).to_be_visible()
    expect(use).to_have_count(0)
    with closing(open_store(workspace)) as store:
        assert service.active_ranker(store) == "presort-2"
