"""The review list on a phone, with touch only: no keys and no mouse."""

from playwright.sync_api import expect

from tests.browser.pages import fits
from tests.browser.review_list.lists import log_of, next_reply, open_list, row


def test_twenty_papers_are_judged_by_touch(phone_page, drawn):
    page, (folder, address) = phone_page, drawn
    open_list(page, address)
    undo = page.get_by_role("button", name="undo")
    expect(undo).to_be_disabled()
    words = ["yes", "maybe", "no", "yes"] * 5
    for place, label in enumerate(words, start=1):
        button = row(page, place).locator(".decision button").nth(["yes", "maybe", "no"].index(label))
        assert button.bounding_box()["height"] >= 44
        button.tap()
        expect(row(page, place)).to_have_attribute("data-label", label)
    expect(page.locator(".progress")).to_contain_text("20 of 150 read")
    undo.tap()
    expect(row(page, 20)).to_have_attribute("data-label", "undecided")

    assert page.locator(".progress").bounding_box()["y"] + page.locator(".progress").bounding_box()["height"] <= 120
    row(page, 21).locator(".opener").tap()
    row(page, 21).locator(".details").get_by_role("button", name="not relevant").tap()
    expect(row(page, 21)).to_have_attribute("data-label", "no")
    expect(row(page, 21).locator(".answer")).to_contain_text("Why this rank")
    row(page, 21).locator(".opener").tap()

    page.get_by_role("button", name="search").tap()  # in the bar at the bottom
    expect(page.locator(".head").get_by_role("searchbox")).to_be_focused()
    page.locator(".head").get_by_role("searchbox").fill("number 130")  # like a phone's on-screen keyboard
    expect(page.locator(".row:not([hidden])")).to_have_count(1)
    hit = page.locator(".row:not([hidden]) .line .hit").first
    assert hit.bounding_box()["x"] + hit.bounding_box()["width"] < 400
    page.locator(".head").get_by_role("searchbox").fill("")
    assert fits(page)

    expect(page.locator(".status")).to_have_text("saved")
    logged = dict(log_of(folder))
    assert [logged[f"p{n}"] for n in range(6, 27)] == [*words[:-1], "undecided", "no"]
    page.locator(".progress").get_by_role("button", name="Publish").tap()
    next_reply(page, until=lambda: log_of(folder, "leave") == [(None, None)])
