"""Every page, loaded once: at its address, accessible, and without requests to other hosts."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.pages import PAGES, fits, look_as, serious_problems, wait_until_calm
from tests.browser.reviewing import row, wait_until_drawn

# Headless browsers don't fetch them.
ICONS = "Array.from(document.querySelectorAll('link[rel~=icon]'), link => link.href)"
# Rows are similar, and axe checks each of them.
FEW = "grid => [...grid.children].slice(20).forEach(row => row.remove())"
HEIGHT = "box => box.offsetHeight"
CLICKED = """async box => {
    box.querySelector("summary").click();
    const frame = () => new Promise(requestAnimationFrame);
    for (let n = 0; n < 3; n++) await frame();
    const during = box.offsetHeight;
    for (const animation of box.getAnimations()) animation.finish();
    await frame();
    return [during, box.offsetHeight];
}"""
INLINE = ("data", "blob")
LOOKS = [
    {"scheme": "light", "width": 1280, "height": 860},
    {"scheme": "dark", "width": 400, "height": 800},
]
ZOOMED = {"width": 640, "height": 400}  # a screen at 200 % zoom
# collects [time in ms, score, moved elements] of each layout shift
SHIFTS = """
window.shifts = [];
const key = (node) => node?.parentElement?.closest("[class*=st-key-]")?.className ?? node?.nodeName;
new PerformanceObserver((list) => {
    for (const { startTime, value, sources } of list.getEntries())
        window.shifts.push([startTime, value, sources.map(({ node }) => key(node))]);
}).observe({ type: "layout-shift", buffered: true });
"""
MOST_SHIFT = 0.05  # a good page has less than 0.1
GAP, LONGEST = 1000, 5000  # milliseconds: shifts with a smaller gap are summed, up to the second limit


def layout_shift(page):
    """Return the cumulative layout shift of a page (the largest sum of consecutive shifts) and these shifts."""
    worst, window = 0, []
    for shift in page.evaluate("window.shifts"):
        if window and (shift[0] - window[-1][0] > GAP or shift[0] - window[0][0] > LONGEST):
            window = []
        window = [*window, shift]
        worst = max(worst, sum(value for _, value, _ in window))
    return worst


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_accessible_and_contacts_no_other_host(page, looked_at, path):
    """No other host learns what users read, and no network is needed."""
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.add_init_script(SHIFTS)
    for look in LOOKS:
        look_as(page, **look)
        page.goto(f"{looked_at}/{path}")
        expect(page.get_by_role("heading", name=PAGES[path], level=1)).to_be_visible()
        expect(page.locator(".stApp")).to_have_css("color-scheme", look["scheme"])
        if path == "review":
            wait_until_drawn(page)
        wait_until_calm(page)
        assert layout_shift(page) < MOST_SHIFT, (look, page.evaluate("window.shifts"))
        if path == "review":
            row(page, 1).locator(".opener").click()
            page.locator(".grid").evaluate(FEW)
        assert fits(page), look
        problems = serious_problems(page)
        assert problems == [], (look, problems)
    look_as(page, **ZOOMED)
    wait_until_calm(page)
    assert fits(page)

    expect(page.get_by_text("Page not found")).to_have_count(0)
    icons = page.evaluate(ICONS)
    assert icons
    assert "favicon" not in icons[-1], "the icon is Streamlit's, not ours"
    hosts = {urlsplit(url).netloc for url in [*asked, *icons] if urlsplit(url).scheme not in INLINE}
    assert hosts == {urlsplit(looked_at).netloc}


def test_a_box_opens_and_closes_at_once(page, looked_at):
    """When it grew for half a second, its content moved away from the pointer, and clicks were lost."""
    page.goto(f"{looked_at}/systems-topics")
    box = page.locator(".st-key-advanced details")
    wait_until_calm(page)
    closed = box.evaluate(HEIGHT)
    during, opened = box.evaluate(CLICKED)
    assert during == opened > closed
    during, after = box.evaluate(CLICKED)
    assert during == after == closed
