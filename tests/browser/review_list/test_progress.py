"""Reading progress, stop advice and spot checks in the review list."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.review_list.lists import (
    N_PAPERS,
    announcement,
    choose,
    counts,
    expect_panel,
    log_of,
    news,
    next_reply,
    open_list,
    panel,
    press,
    row,
    wait_for_list,
    write_list,
)

PRESS_AND_LOOK = """key => {
  const root = document.querySelector("[data-testid=stBidiComponentIsolated]").shadowRoot;
  root.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }));
  return root.querySelector(".progress").innerText;
}"""


def filled(page):
    """Return the share of the chart marked as read."""
    return float(page.locator(".read").evaluate("path => path.style.getPropertyValue('--read')"))


def test_progress_changes_with_the_key_and_stop_advice_with_the_response(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    expect_panel(page, "0 of 150 read · keep reading · stop near 19")
    press(page, "jj")
    at_once = page.evaluate(PRESS_AND_LOOK, "x")
    assert "3 of 150 read" in at_once
    assert counts(page)["relevant"] == 1
    panel(page).get_by_role("button", name="keep reading").click()
    stop = page.get_by_role("dialog", name="When to stop")
    facts = "3 of 150 read · 1 relevant · 0 maybe · 8 left · time spent 1 min"
    expect(stop.locator(".facts")).to_have_text(facts)
    assert filled(page) == pytest.approx(3 / N_PAPERS)
    chart = stop.get_by_role("img")
    summary = "Scores from the first to the last paper: 3 of 150 read, stop near paper 19"
    expect(chart).to_have_attribute("aria-label", summary)
    expect(chart.locator("line")).to_have_attribute("x1", "19")
    press(page, "m")  # keys are disabled while something is open above the list
    page.keyboard.press("Escape")
    row(page, 4).locator(".sign").focus()
    press(page, "mn")
    expect_panel(page, "5 of 150 read · you can stop · every one was found")
    expect(news(page)).to_have_text("you can stop: every one was found")
    press(page, "uuu")
    expect_panel(page, "0 of 150 read · you can stop")
    next_reply(page)  # has no new content
    next_reply(page)
    expect_panel(page, "0 of 150 read · you can stop")


def test_the_target_recall_is_a_choice_that_is_stored(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    choices = page.locator(".choices button")
    panel(page).get_by_role("button", name="keep reading").click()
    names = ["1 in 10", "1 in 20", "1 in 100", "none"]
    assert choices.all_inner_texts() == [f"{one}: stop near {19 + n}" for n, one in enumerate(names)]
    expect(choices.nth(1)).to_have_attribute("aria-pressed", "true")
    choices.last.click()
    assert choices.last.get_attribute("aria-pressed") == "true"
    next_reply(page, until=lambda: log_of(folder, "miss") == [(None, "none")])
    page.reload()
    wait_for_list(page)
    expect(choices.last).to_have_attribute("aria-pressed", "true")
    expect(choices.nth(1)).to_have_attribute("aria-pressed", "false")


def test_there_is_no_stop_advice_in_list_order(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    press(page, "x")
    choose(page, "list order")
    expect_panel(page, "1 of 150 read · in list order: no stop advice")
    panel(page).get_by_role("button", name="read").click()
    stop = page.get_by_role("dialog", name="When to stop")
    expect(stop.locator(".facts")).to_have_text(re.compile("^1 of 150 read · 1 relevant · 0 maybe · time spent"))
    for part in ("9 left", "Target recall", "Spot check"):
        expect(stop.get_by_text(part)).to_be_hidden()
    expect(stop.get_by_role("img")).to_be_hidden()
    page.keyboard.press("Escape")
    choose(page, "presort")
    expect_panel(page, "keep reading · stop near 19")
    write_list(folder.parent / f"{folder.name}-unsorted", n_papers=20, order=[], rule=None)
    page.goto(f"{address}-unsorted")
    expect_panel(page, "no stop advice")
    panel(page).get_by_role("button", name="read").click()
    stop.get_by_role("button", name="90 %", exact=True).click()  # it can be chosen before there is an estimate
    next_reply(page, until=lambda: log_of(folder.parent / f"{folder.name}-unsorted", "miss") == [(None, "1 in 10")])
    page.keyboard.press("Escape")
    press(page, "jx")
    expect_panel(page, "2 of 20 read")


def test_a_decision_counts_as_progress_in_the_order_it_was_made_in(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    press(page, "jx")
    choose(page, "list order")  # in this order, the two read papers are at 6 and 7, after HOSTILE
    expect_panel(page, "2 of 150 read")
    expect(page.locator(".read-line")).to_have_count(0)
    row(page, 3).locator(".sign").click()  # at place 148 of the presorted list
    expect_panel(page, "5 of 150 read")
    expect(row(page, 3).locator(".read-line")).to_be_visible()
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder, what="list") == [("p7", "presort"), ("p3", "list")]
    for _ in range(2):  # from the data of this page and of the server
        choose(page, "presort")
        expect_panel(page, "5 of 150 read")
        assert counts(page)["relevant"] == 2
        expect(row(page, 2).locator(".read-line")).to_be_visible()
        expect(row(page, 146)).to_have_class(re.compile("read-before"))
        page.reload()
        wait_for_list(page)
    at = row(page, 148)
    expect(at.locator(".sign")).to_have_text("✓")
    at.locator(".sign").focus()
    assert "148 of 150 read" in page.evaluate(PRESS_AND_LOOK, "h")
    press(page, "m")
    expect(page.locator(".status")).to_have_text("saved")
    expect_panel(page, "148 of 150 read")
    assert (counts(page)["relevant"], counts(page)["maybe"]) == (1, 1)


def shown_rows(page):
    return page.locator(".row:not([hidden])")


def read_to_stop(page):
    """Decide three papers, after which the server allows stopping."""
    row(page, 1).locator(".sign").focus()
    press(page, "nnn")
    expect_panel(page, "you can stop")


@pytest.mark.parametrize("way", ["key", "mouse"])
def test_the_spot_check_is_opened_in_the_list_and_its_result_is_shown_there(quiet_page, drawn, way):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    line = page.locator(".check-line")
    act = line.get_by_role("button").last

    def do(key):
        press(page, key) if way == "key" else act.click()

    row(page, 1).locator(".sign").focus()
    press(page, "c")  # too early, so nothing is drawn
    expect(line).to_have_count(0)
    read_to_stop(page)
    expect(row(page, 3).locator(".check-line")).to_contain_text("Spot check: 3 papers")
    do("c")
    expect(shown_rows(page)).to_have_count(3)
    expect(shown_rows(page).locator(".number")).to_have_text(["25", "30", "35"])
    expect(shown_rows(page).first.locator(".sign")).to_be_focused()
    expect(line).to_be_in_viewport()
    expect(line).to_contain_text("3 of 3 papers left to decide")
    assert log_of(folder, "draw") == [(None, None)]
    if way == "key":
        press(page, "ynn")
    else:
        shown_rows(page).first.locator(".sign").click()
        expect(line).to_contain_text("2 of 3 papers left to decide")
        line.get_by_role("button", name="Mark these 2 as not relevant").click()
    expect(line).to_contain_text("1 of 3 relevant")
    expect_panel(page, "6 of 150 read")
    do("c")
    expect(shown_rows(page)).to_have_count(N_PAPERS)
    expect(row(page, 3).locator(".check-line")).to_contain_text("1 of 3 relevant")
    expect(row(page, 4).locator(".sign")).to_be_focused()  # the editor's place
    assert [word for _, word in log_of(folder)] == ["no", "no", "no", "yes", "no", "no"]
    press(page, "c")
    expect(shown_rows(page)).to_have_count(3)


def test_an_incomplete_spot_check_is_still_available_after_a_reload(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    read_to_stop(page)
    press(page, "c")
    expect(shown_rows(page)).to_have_count(3)
    press(page, "n")
    expect(page.locator(".status")).to_have_text("saved")
    page.reload()
    wait_for_list(page)
    expect(shown_rows(page)).to_have_count(N_PAPERS)
    expect(row(page, 3).locator(".check-line")).to_contain_text("2 of 3 papers left to decide")
    row(page, 3).locator(".sign").focus()
    press(page, "c")
    expect(shown_rows(page)).to_have_count(3)
    expect(shown_rows(page).nth(1).locator(".sign")).to_be_focused()
    press(page, "nnuu")  # after undo it is incomplete again
    expect(page.locator(".check-line")).to_contain_text("2 of 3 papers left to decide")
    press(page, "c")
    expect(shown_rows(page)).to_have_count(N_PAPERS)


def test_leaving_a_spot_check_returns_to_the_previous_search(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    read_to_stop(page)
    page.locator(".head").get_by_role("searchbox").fill("number 30.")
    page.keyboard.press("Enter")
    n_found = shown_rows(page).count()
    assert n_found < N_PAPERS
    press(page, "c")
    expect(shown_rows(page)).to_have_count(3)
    press(page, "c")
    expect(shown_rows(page)).to_have_count(n_found)
    expect(page.locator(".head").get_by_role("searchbox")).to_have_value("number 30.")


def test_when_to_stop_offers_the_spot_check_too(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    stop, progress = page.get_by_role("dialog", name="When to stop"), page.locator(".progress-button")
    offer = stop.get_by_role("button", name="Spot check: 3 papers")
    progress.press("Enter")
    expect(offer).to_be_hidden()
    page.keyboard.press("Escape")
    read_to_stop(page)
    progress.press("Enter")
    offer.press("Enter")
    expect(stop).to_be_hidden()
    expect(shown_rows(page)).to_have_count(3)
    expect(shown_rows(page).first.locator(".sign")).to_be_focused()
    progress.press("Enter")
    expect(stop).to_contain_text("3 of 3 papers left to decide")
    expect(offer).to_be_hidden()


def test_a_paper_found_by_a_search_counts_as_read_alone(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    row(page, 1).locator(".sign").focus()
    press(page, "n")
    expect_panel(page, "1 of 150 read")
    page.locator(".head").get_by_role("searchbox").fill("other wages 141")
    hit = page.locator(".row:visible")
    expect(hit).to_have_count(1)
    expect(page.locator(".rule-line, .read-line, .below")).to_have_count(0)  # a count of only some papers would mislead
    place = int(hit.locator(".number").text_content())
    hit = row(page, place)
    hit.locator(".sign").click()
    expect_panel(page, "2 of 150 read")
    page.reload()
    wait_for_list(page)
    expect_panel(page, "2 of 150 read")
    expect(row(page, 1).locator(".read-line")).to_be_visible()
    page.locator(".head").get_by_role("searchbox").fill("")
    hit.locator(".sign").click()
    hit.locator(".sign").click()  # passed again, in the whole list
    expect_panel(page, "2 of 150 read")
    expect(page.locator(".skipped-line")).to_be_visible()


def test_a_paper_far_down_counts_as_read_alone_until_the_editor_marks_more(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    at, line = row(page, 60).locator(".sign"), page.locator(".skipped-line")
    at.click()
    expect_panel(page, "1 of 150 read")
    tells = "59 papers above do not count as read: not all were in view"
    expect(announcement(page)).to_have_text(f"relevant, total relevant: 1. {tells}; press h to count them as read")
    expect(line.locator("span")).to_have_text(tells)
    expect(line).to_be_in_viewport()
    press(page, "jm")
    expect(announcement(page)).to_have_text("maybe, total relevant: 1")  # the announcement is not repeated
    expect_panel(page, "2 of 150 read")
    expect(row(page, 60).locator(".skipped-line")).to_be_visible()
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder, what="list") == [("p65", None), ("p66", None)]
    line.get_by_role("button", name="count as read").click()
    expect(line).to_have_count(0)
    expect(at).to_be_focused()
    expect_panel(page, "61 of 150 read")
    press(page, "jjn")
    expect_panel(page, "62 of 150 read")
    expect(page.locator(".status")).to_have_text("saved")
    assert log_of(folder, "read") == [("p65", "presort")]
    assert log_of(folder, what="list")[2:] == [("p67", "presort")]


def test_papers_that_were_in_view_count_as_read_after_the_list_is_redrawn(quiet_page, drawn):
    page, (folder, address) = quiet_page, drawn
    open_list(page, address)
    for place in (8, 14):
        row(page, place).scroll_into_view_if_needed()
        for _ in range(2):
            next_reply(page)  # more than a second from one to the next
    given = json.loads((folder / "papers.json").read_text(encoding="utf-8"))
    (folder / "papers.json").write_text(json.dumps(given | {"marked": ["jobs"]}), encoding="utf-8")
    page.get_by_role("button", name="Redraw the page").click()
    page.locator(".row mark", has_text=re.compile("jobs", re.IGNORECASE)).first.wait_for()
    row(page, 20).locator(".sign").click()
    expect_panel(page, "20 of 150 read")


def test_a_response_without_a_stop_point_keeps_the_requested_spot_check(quiet_page, drawn):
    page, (_, address) = quiet_page, drawn
    open_list(page, address)
    read_to_stop(page)
    button = row(page, 3).locator(".check-line").get_by_role("button")
    expect(button).to_contain_text("Spot check: 3 papers")
    page.evaluate(
        """() => {
            const { outbox, response } = window.presortChannels.list;
            outbox.add({ kind: "draw" });
            outbox.receive({ ...response, n: null, since: null, acknowledged: [], spotCheck: null });
        }"""
    )
    expect(shown_rows(page)).to_have_count(3)  # after they are drawn
