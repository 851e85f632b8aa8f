"""Helpers for all pages: waiting for scripts, select boxes, and downloads of tables."""

import csv

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

MOMENT = 20_000  # milliseconds until a wait fails; a busy machine needs some
PATIENT = 120_000  # the same for a process that starts, trains, ranks or imports
ROW = 35  # pixels of a table row
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'
BUSY = '[data-testid="stApp"][data-test-script-state="running"]'
SERIOUS = ("serious", "critical")
CALM = """idle => {
    const height = document.querySelector("[data-testid=stMain]").scrollHeight;
    window.calm = document.querySelector(idle) && height === window.height ? window.calm + 1 : 0;
    window.height = height;
    return window.calm > 30;  // frames
}"""
LOOKS = [{"scheme": "light", "width": 1300, "height": 900}, {"scheme": "dark", "width": 400, "height": 800}]
STILL = "() => (window.still += 1) > 10"  # frames
PAGES = {  # heading of each page, by address
    "": "This week",
    "review": "Review",
    "publish": "Publish",
    "report": "My report",
    "overview": "Overview",
    "topic": "Try a topic",
    "compare": "Compare",
    "measures": "Measures",
    "systems-topics": "Systems and topics",
    "natural-order": "Natural order",
    "import": "Import",
    "manage": "Manage",
    "preferences": "Preferences",
}


def act_when_idle(page):
    """Make all clicks and expectations wait while the page's script runs, because clicks may be lost meanwhile."""
    page.add_locator_handler(page.locator(BUSY), lambda: None)


def act_at_once(page):
    """Disable waiting for the page's script, to see the page while it runs."""
    page.remove_locator_handler(page.locator(BUSY))


def wait_until_idle(page):
    """Wait until the page's script has ended, because elements that it redraws may miss a click."""
    expect(page.locator(IDLE)).to_be_visible()


def wait_until_true(page, condition, arg=None):
    """Wait until a JavaScript function returns true. Playwright's own method needs `eval`, which all pages forbid."""
    page.evaluate(
        f"""([arg, patience]) => new Promise((done, fail) => {{
            const last = performance.now() + patience;
            const look = () => {{
                if (({condition})(arg)) done();
                else if (performance.now() > last) fail(new Error("It did not come true."));
                else requestAnimationFrame(look);
            }};
            look();
        }})""",
        [arg, MOMENT],
    )


def look_as(page, scheme="light", width=1300, height=900):
    """Emulate another screen: size in pixels, light or dark."""
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)


def fits(page):
    """Return True if nothing is wider than the window, or than its container unless that scrolls."""
    return page.evaluate(
        """[document.documentElement, document.querySelector("[data-testid=stMain]")].every(
            (part) => part === null || part.scrollWidth <= window.innerWidth
        )"""
    )


def scrolls_sideways(page):
    """Return True if an element is wider than the window, although the page itself isn't."""
    return page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth > window.innerWidth")


def serious_problems(page, within=None):
    """Return the accessibility problems that axe finds.

    Elements being drawn are pale for a moment, so these are checked again.
    """
    for _ in range(4):
        page.evaluate("window.still = 0")
        wait_until_true(page, STILL)
        serious = [(name, html) for name, impact, html in violations(page, within) if impact in SERIOUS]
        if not serious:
            break
    return serious


def violations(page, within=None):
    """Return the rules of axe that a page violates: name, impact and first place of each."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)  # half a megabyte
    return page.evaluate(
        """within => axe.run(within ?? document, { resultTypes: ["violations"] }).then(
            (found) => found.violations.map(({ id, impact, nodes }) => [id, impact, nodes[0].html.slice(0, 200)])
        )""",
        within,
    )


def wait_until_calm(page):
    """Wait until nothing moves, because clicks on moving or redrawn elements are lost."""
    page.evaluate("window.calm = 0")
    wait_until_true(page, CALM, IDLE)


def expect_usable_by_all(page, within=None):
    """Check a page wide and light, and narrow and dark: nothing is too wide, and axe finds no problems."""
    for look in LOOKS:
        look_as(page, **look)
        expect(page.locator(".stApp")).to_have_css("color-scheme", look["scheme"])
        wait_until_calm(page)
        assert fits(page), look
        problems = serious_problems(page, within)
        assert problems == [], (look, problems)
    look_as(page)


def wait_until_drawn_again(page):
    """Wait until the browser has painted twice. Effects of a pointer movement are painted then."""
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def choose_in(page, label, option):
    """Choose an option of a select box. Waits first, because content that grows above an open list would close it."""
    wait_until_calm(page)
    box = page.get_by_role("combobox", name=label, exact=True)
    box.click()
    box.press_sequentially(option)
    page.get_by_role("option", name=option, exact=True).click()
    wait_until_idle(page)


def choose_row(table, number, *, x=20):
    """Click a row of a table, from 1, at this many pixels from its left. Rows are not elements, because it is a canvas.

    The pointer is moved over the row before it is pressed, like a user's: the table selects the cell below the pointer,
    and notices a pointer that jumps there from another widget one frame later.
    """
    place = {"x": x, "y": (number + 0.5) * ROW}
    cells = table.locator(".dvn-scroller")
    cells.hover(position=place)
    wait_until_drawn_again(table.page)
    cells.click(position=place)


def downloaded(page, name):
    """Press the button with this name, and return the rows of the downloaded table."""
    wait_until_calm(page)
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    with download.value.path().open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))
