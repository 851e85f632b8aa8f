"""Every page, loaded once: at its address, for everybody, and served from here alone."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.pages import PAGES, expect_usable_by_all, fits, look_as, wait_until_calm, wait_until_idle
from tests.browser.reviewing import row, wait_until_drawn

ICONS = (
    "Array.from(document.querySelectorAll('link[rel~=icon]'), link => link.href)"  # no headless browser fetches them
)
FEW = "grid => [...grid.children].slice(20).forEach(row => row.remove())"  # rows are alike, and axe looks at each
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
ZOOMED = {"width": 640, "height": 400}  # a screen at 200 percent


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_open_to_everybody_and_asks_no_foreign_host(page, looked_at, path):
    """Nobody else learns who reads what, and no network is needed."""
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.goto(f"{looked_at}/{path}")
    expect(page.get_by_role("heading", name=PAGES[path], level=1)).to_be_visible()
    expect(page.get_by_text("Page not found")).to_have_count(0)
    wait_until_idle(page)
    icons = page.evaluate(ICONS)
    assert icons
    assert "favicon" not in icons[-1], "the icon is Streamlit's, not ours"
    hosts = {urlsplit(url).netloc for url in [*asked, *icons] if urlsplit(url).scheme not in INLINE}
    assert hosts == {urlsplit(looked_at).netloc}

    if path == "review":
        wait_until_drawn(page)
        row(page, 1).locator(".opener").click()
        page.locator(".grid").evaluate(FEW)
    expect_usable_by_all(page)
    look_as(page, **ZOOMED)
    wait_until_calm(page)
    assert fits(page)


def test_a_box_opens_and_closes_at_once(page, looked_at):
    """While it grew for half a second, what was inside moved away from the pointer, and a click was lost."""
    page.goto(f"{looked_at}/systems-topics")
    box = page.locator(".st-key-advanced details")
    wait_until_calm(page)
    closed = box.evaluate(HEIGHT)
    during, opened = box.evaluate(CLICKED)
    assert during == opened > closed
    during, after = box.evaluate(CLICKED)
    assert during == after == closed
