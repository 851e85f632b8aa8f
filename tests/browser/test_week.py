"""A Monday in a real browser: review the demo with keys, publish, and see the score on *My report*."""

import re
from datetime import date

from playwright.sync_api import expect

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.read_papers import draws, mark_read
from presort.data.learning import rankings
from presort.ranker.stopping.spot_check import spot_check_size
from presort.ranker.versions import DEFAULT
from tests.browser.pages import downloaded, fits, look_as, serious_problems, wait_until_calm
from tests.browser.reviewing import (
    open_review,
    panel,
    press,
    row,
    wait_until_drawn,
    wait_until_saved,
)

NEWEST = date(2026, 11, 16)
HIGHEST = 240  # pixels from the top: lowest position at which the list may start
ONE_ROW = 40  # pixels of the toolbar above the list
ONE_LINE = 20  # additional pixels until a report's first publication, for a line on how unmarked papers will count


def test_rows_end_where_the_buttons_above_them_end(page, looked_at):
    look_as(page, width=1280)
    page.goto(f"{looked_at}/week")
    rows, above = page.locator(".st-key-pending-issues"), page.locator(".st-key-top-of-week")
    rows.wait_for()
    assert edges(above) == edges(rows)


def edges(element):
    box = element.bounding_box()
    return box["x"], box["x"] + box["width"]


def test_the_demo_badge_keeps_away_from_the_menu(page, looked_at):
    badge, header = page.get_by_text("Demo: papers"), page.locator(".stAppHeader")
    for width in (1280, 400):
        look_as(page, width=width)
        page.goto(f"{looked_at}/week")
        badge.wait_for()
        if width > 640:
            menu = page.get_by_test_id("stTopNav").get_by_role("link", name="My report")
            corner = page.locator(".st-key-corner")
            assert edges(menu)[1] + 16 < edges(badge)[0] < edges(badge)[1] + 16 < edges(corner)[0]
        else:
            assert badge.bounding_box()["y"] >= header.bounding_box()["height"]


def test_a_week_of_one_report(page, server, store):
    open_review(page, server, "lab")
    expect(page.get_by_text("Demo: papers")).to_be_visible()
    wait_until_calm(page)
    expect(page.get_by_text("Read papers without a mark")).to_be_visible()
    assert row(page, 1).bounding_box()["y"] <= HIGHEST + ONE_LINE
    assert page.locator(".tools").bounding_box()["height"] <= ONE_ROW
    expect(page.get_by_text(re.compile(rf"ranked by {DEFAULT}, trained on \d+ relevant papers"))).to_be_visible()
    shown = rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT]
    papers = catalogue.papers(store, NEWEST)
    in_order = [papers[p - 1] for p in shown.ranking.positions.tolist()]
    titles = zip(page.locator(".title").all_text_contents(), in_order, strict=True)
    assert all(title == paper.title for title, paper in titles if "$" not in paper.title)

    press(page, "xmxn")
    for _ in range(7):
        press(page, "j")
    press(page, "x")
    expect(panel(page)).to_contain_text(f"12 of {len(papers)} read")
    wait_until_saved(page)
    words = {0: "yes", 1: "maybe", 2: "yes", 3: "no", 11: "yes"}
    assert decisions.labels(store, "lab", NEWEST) == {in_order[n].paper_id: word for n, word in words.items()}
    press(page, "u")
    wait_until_saved(page)
    assert in_order[11].paper_id not in decisions.labels(store, "lab", NEWEST)
    press(page, "x")
    wait_until_saved(page)

    page.get_by_role("link", name="Publish").first.click()
    expect(page.get_by_text("Still maybe: 1 paper")).to_be_visible()
    expect(page.get_by_role("button", name="Publish report")).to_be_disabled()
    page.get_by_role("button", name="Not relevant").click()
    mark_read(store, "lab", NEWEST, shown.id, len(papers), person="ada")  # otherwise the list would not be evaluable
    page.get_by_role("button", name="Publish report").click()
    page.get_by_role("button", name="Publish", exact=True).click()
    last = page.get_by_test_id("stMetric").filter(has_text="Last relevant paper")
    expect(last).to_contain_text(f"12 of {len(papers)}")
    published_issue = publications.published(store, "lab")[NEWEST]
    assert published_issue.published == tuple(shown.ranking.positions[[0, 2, 11]].tolist())
    assert published_issue.ranking_id == shown.id

    page.get_by_role("link", name="Review").first.click()  # the ranking shown at publication is scored, also later
    wait_until_drawn(page)
    wait_until_calm(page)
    assert row(page, 1).bounding_box()["y"] <= HIGHEST
    page.get_by_text("Published: ranking quality").click()
    expect(last).to_contain_text(f"12 of {len(papers)}")
    row(page, 1).locator(".sign").focus()
    press(page, "x")
    expect(page.locator(".unseen:not(.news)")).to_contain_text("this issue is published")
    assert decisions.labels(store, "lab", NEWEST)[in_order[0].paper_id] == "yes"
    page.get_by_test_id("stTopNav").get_by_role("link", name="My report").click()
    expect(page.get_by_role("heading", name="My report", level=1)).to_be_visible()
    scored = downloaded(page, "Download all measures as CSV")
    rows = [row for row in scored if row["issue"] == "2026-11-16" and row["ranker"] == DEFAULT]
    assert [(row["last_relevant_position"], row["n_relevant"], row["n_papers"]) for row in rows] == [
        ("12.0", "3", str(len(papers)))
    ]


def test_review_shows_the_stop_point_and_offers_a_spot_check_there(page, server, store):
    n_papers = len(catalogue.papers(store, NEWEST))
    open_review(page, server, "lab")
    press(page, "xx")
    row(page, 40).locator(".sign").click()
    press(page, "hn")
    expect(panel(page)).to_contain_text(f"40 of {n_papers} read")
    progress, stop = page.locator(".progress-button"), page.get_by_role("dialog", name="When to stop")
    expect(panel(page)).to_contain_text("you can stop")  # after the default choice; the response is on this page
    progress.click()
    stop.get_by_role("button", name=re.compile(r"^99 %: stop near \d+")).click()
    page.keyboard.press("Escape")
    expect(page.locator(".rule-line")).to_have_text(re.compile(r"^You can stop here: .+ missed\.$"))
    expect(panel(page)).to_contain_text(re.compile(r"keep reading · .+ left · stop near \d+"))
    check = page.locator(".check-line")
    expect(check).to_have_count(0)
    first_below = int(re.search(r"near (\d+)", panel(page).inner_text())[1]) + 1
    top, top_below = (found.bounding_box()["y"] for found in (page.locator(".rule-line"), row(page, first_below)))
    assert 0 <= top - top_below < 60
    row(page, first_below).locator(".sign").click()
    press(page, "hn")
    expect(panel(page)).to_contain_text("you can stop · ")

    size = spot_check_size(n_papers - first_below)
    expect(check).to_contain_text(f"Spot check: {size} papers from below the stop point")
    assert not serious_problems(page)
    press(page, "c")
    shown = page.locator(".row:not([hidden])")
    expect(shown).to_have_count(size)
    places = [int(place) for place in shown.locator(".number").all_inner_texts()]
    assert min(places) > first_below
    assert not serious_problems(page)
    look_as(page, "dark", 400, 800)
    expect(check).to_be_in_viewport()
    assert fits(page)
    assert not serious_problems(page)
    look_as(page)
    press(page, "x")
    check.get_by_role("button", name="as not relevant").click()
    expect(check).to_contain_text(re.compile(rf"Spot check: 1 of {size} relevant\. Probably .+ left"))
    expect(panel(page)).to_contain_text(f"{first_below + size} of {n_papers} read")
    press(page, "c")
    expect(shown).to_have_count(n_papers)
    expect(row(page, first_below).locator(".check-line")).to_contain_text(f"1 of {size} relevant")
    expect(check).to_be_in_viewport()
    wait_until_saved(page)
    (draw,) = draws(store, "lab", NEWEST)
    words = decisions.labels(store, "lab", NEWEST)
    papers = catalogue.papers(store, NEWEST)
    assert [words[papers[position - 1].paper_id] for position in draw.positions] == ["yes"] + ["no"] * (size - 1)


def test_an_address_restores_its_view(page, looked_at):
    page.goto(f"{looked_at}/report?report=mac&measure=nosel&replay=1")
    expect(page.get_by_role("combobox", name="Rankings")).to_have_value(re.compile("Replay 1: 2026-03-23"))
    expect(page.get_by_role("combobox", name="Measure")).to_have_value("Nosel")
    page.get_by_test_id("stTopNav").get_by_role("link", name="Review").click()
    expect(page.get_by_role("combobox", name="Report")).to_have_value(re.compile("mac"))
    page.wait_for_url(re.compile("report=mac"))

    page.goto(f"{looked_at}/import?report=env")  # left before the select box of reports was drawn
    page.get_by_test_id("stTopNav").get_by_role("link", name="Review").click()
    expect(page.get_by_role("combobox", name="Report")).to_have_value(re.compile("env"))
