"""An editor's actions on *Review*, for tests."""

from playwright.sync_api import expect


def open_review(page, address, report, **query):
    more = "".join(f"&{name}={value}" for name, value in query.items())
    page.goto(f"{address}/review?report={report}{more}")
    wait_until_drawn(page)


def wait_until_drawn(page):
    # `expect` would describe the whole page while it waits: with a thousand papers that takes seconds.
    page.locator(".row").first.wait_for()
    wait_until_written(page)
    wait_until_saved(page)


def wait_until_written(page):
    """Wait until all rows have their texts. Rows out of sight get them last."""
    page.locator(".row .title:empty").first.wait_for(state="detached")


def wait_until_saved(page):
    expect(page.locator(".status")).to_have_text("saved")


def row(page, place):
    """Paper at a place of the list, if all papers are shown."""
    return page.locator(".row").nth(place - 1)


def panel(page):
    return page.locator(".progress")


def open_over(page, name):
    """Open an item of the menu ⋯ over the list."""
    page.get_by_role("button", name="⋯").click()
    page.get_by_role("menuitem", name=name).click()
    page.get_by_role("dialog").wait_for()


def press(page, keys):
    for key in keys:
        page.keyboard.press(key)


def choose(page, name):
    """Press one of the buttons above the list: a filter or an order."""
    page.locator(".choice").get_by_role("button", name=name).click()
