"""What every page has, for tests: a script that ends, boxes to choose in, tables to take along."""

import csv

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

MOMENT = 20_000  # milliseconds before a wait counts as failed; a busy machine needs some
PATIENT = 120_000  # as many for a process that starts, learns, sorts or imports
ROW = 35  # pixels of a table's row
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
PAGES = {  # by address: the heading of each
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
    """Have all that is clicked or expected wait while the page's script runs: a click may be lost meanwhile."""
    page.add_locator_handler(page.locator(BUSY), lambda: None)


def act_at_once(page):
    """Have nothing wait for the page's script, to see what is shown while it runs."""
    page.remove_locator_handler(page.locator(BUSY))


def wait_until_idle(page):
    """Wait until the page's script has ended: what it draws anew may miss a click."""
    expect(page.locator(IDLE)).to_be_visible()


def wait_until_true(page, condition, arg=None):
    """Wait until a function of JavaScript gives true; Playwright's own way would need `eval`, which no page allows."""
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
    """See a page as on another screen: of another size in pixels, light or dark."""
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)


def fits(page):
    """Return whether nothing is wider than the window, nor than the page in it, which scrolls by itself."""
    return page.evaluate(
        """[document.documentElement, document.querySelector("[data-testid=stMain]")].every(
            (part) => part === null || part.scrollWidth <= window.innerWidth
        )"""
    )


def scrolls_sideways(page):
    """Return whether something in the page is wider than the window, though the page itself is not."""
    return page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth > window.innerWidth")


def serious_problems(page, within=None):
    """Return what keeps somebody from using the page, by axe; what is just being drawn is pale for a moment."""
    for _ in range(4):
        page.evaluate("window.still = 0")
        wait_until_true(page, STILL)
        serious = [(name, html) for name, impact, html in violations(page, within) if impact in SERIOUS]
        if not serious:
            break
    return serious


def violations(page, within=None):
    """Return the rules of axe that a page breaks: the name and the impact of each, and the first place."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)  # half a megabyte
    return page.evaluate(
        """within => axe.run(within ?? document, { resultTypes: ["violations"] }).then(
            (found) => found.violations.map(({ id, impact, nodes }) => [id, impact, nodes[0].html.slice(0, 200)])
        )""",
        within,
    )


def wait_until_calm(page):
    """Wait until nothing moves: a click on what is moved or drawn anew meanwhile is lost."""
    page.evaluate("window.calm = 0")
    wait_until_true(page, CALM, IDLE)


def expect_usable_by_all(page, within=None):
    """Look at a page wide and light, and narrow and dark: nothing is too wide, nothing keeps anybody from using it."""
    for look in LOOKS:
        look_as(page, **look)
        expect(page.locator(".stApp")).to_have_css("color-scheme", look["scheme"])
        wait_until_calm(page)
        assert fits(page), look
        problems = serious_problems(page, within)
        assert problems == [], (look, problems)
    look_as(page)


def wait_until_drawn_again(page):
    """Wait until the browser has drawn twice: what follows from a movement of the pointer is drawn then."""
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def choose_in(page, label, option):
    """Choose in a box; what grows above an open list would close it."""
    wait_until_calm(page)
    box = page.get_by_role("combobox", name=label, exact=True)
    box.click()
    box.press_sequentially(option)
    page.get_by_role("option", name=option, exact=True).click()
    wait_until_idle(page)


def choose_row(table, number, *, x=20):
    """Click in a row of a table, from 1, at so many pixels from its left; it is drawn, so nothing else finds it.

    The pointer is over the row before it is pressed, as a person's is: the table selects the cell that it knows to be
    below the pointer, and a pointer that jumps there from another widget is noticed a frame later.
    """
    place = {"x": x, "y": (number + 0.5) * ROW}
    cells = table.locator(".dvn-scroller")
    cells.hover(position=place)
    wait_until_drawn_again(table.page)
    cells.click(position=place)


def downloaded(page, name):
    """Press the button of that name; return the rows of the table that comes."""
    wait_until_calm(page)
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    with download.value.path().open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))
