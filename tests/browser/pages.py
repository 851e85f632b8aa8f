"""What every page has, for tests: a script that ends, boxes to choose in, tables to take along."""

import csv

from playwright.sync_api import expect

IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'
SETTLED = """() => {
    const height = document.querySelector("[data-testid=stMain]").scrollHeight;
    window.calm = height === window.height ? window.calm + 1 : 0;
    window.height = height;
    return window.calm > 60;  // frames
}"""


def wait_until_idle(page):
    """Wait until the page's script has ended: what it draws anew may miss a click."""
    expect(page.locator(IDLE)).to_be_visible()


def choose_in(page, label, option):
    """Choose in a box once the page stands still: what grows above an open list closes it."""
    page.evaluate("window.calm = 0")
    wait_until_idle(page)
    page.wait_for_function(SETTLED)
    box = page.get_by_role("combobox", name=label, exact=True)
    box.click()
    box.press_sequentially(option)
    page.get_by_role("option", name=option, exact=True).click()
    wait_until_idle(page)


def downloaded(page, name):
    """Press the button of that name; give the rows of the table that comes."""
    wait_until_idle(page)
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    with download.value.path().open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))
