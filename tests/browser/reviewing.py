"""What an editor does on Review, for tests."""

from playwright.sync_api import expect


def open_review(page, address, report, **query):
    more = "".join(f"&{name}={value}" for name, value in query.items())
    page.goto(f"{address}/?report={report}{more}")
    wait_until_drawn(page)


def wait_until_drawn(page):
    # `expect` would describe the whole page while it waits: with a thousand papers that takes seconds.
    page.locator(".row").first.wait_for()
    wait_until_saved(page)


def wait_until_saved(page):
    expect(page.locator(".status")).to_have_text("saved")


def row(page, place):
    """The paper at a place of the list, where all are shown."""
    return page.locator(".row").nth(place - 1)


def panel(page):
    return page.locator(".panel")


def press(page, keys):
    for key in keys:
        page.keyboard.press(key)


def choose(page, name):
    """Press one of the buttons above the list: a filter, or an order."""
    page.locator(".choice").get_by_role("button", name=name).click()
