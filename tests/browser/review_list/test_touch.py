"""The review list on a phone, by touch alone: no key is pressed, and there is no mouse."""

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
        for _ in range(["yes", "maybe", "no"].index(label) + 1):
            row(page, place).locator(".sign").tap()
        expect(row(page, place)).to_have_attribute("data-label", label)
    expect(page.locator(".progress")).to_contain_text("20 of 150 read")
    undo.tap()
    expect(row(page, 20)).to_have_attribute("data-label", "undecided")

    row(page, 21).locator(".opener").tap()
    row(page, 21).get_by_role("button", name="not relevant").tap()
    expect(row(page, 21)).to_have_attribute("data-label", "no")
    expect(row(page, 21).locator(".answer")).to_contain_text("Why it is here")
    row(page, 21).locator(".opener").tap()

    page.locator(".head").get_by_role("searchbox").tap()
    page.locator(".head").get_by_role("searchbox").fill("number 130")  # as a phone's own keyboard does
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
