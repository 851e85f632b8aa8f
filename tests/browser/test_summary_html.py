"""In a real browser: the summary file, in light and dark, on a phone and in print."""

import re

import pytest

from presort.desk.scores.effort import READING_EFFORT
from tests.browser.pages import LOOKS, violations
from tests.desk.command_line import invoke


@pytest.fixture(scope="module")
def written(demo, tmp_path_factory):
    """Summary file of the demo, outside its workspace."""
    path = tmp_path_factory.mktemp("mailed") / "summary.html"
    result = invoke(["--workspace", str(demo), "summary", "--html", str(path)])
    assert result.exit_code == 0, result.stderr
    return path


@pytest.fixture
def opened(chromium, written):
    """Open the file and record its requests and errors."""
    contexts = []

    def open_it(**options):
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        asked, complaints = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(written.as_uri())
        assert asked == [written.as_uri()]
        assert complaints == []
        return page

    yield open_it
    for context in contexts:
        context.close()


def test_the_summary_needs_no_network_and_no_script(opened):
    page = opened(offline=True, java_script_enabled=False, viewport={"width": 1400, "height": 900})
    assert page.get_by_role("heading", name="Ranking quality").is_visible()
    assert page.get_by_role("term").filter(has_text=READING_EFFORT).first.is_visible()
    assert page.locator(".drawing").count() == 2
    assert page.get_by_role("table").count() == 2
    for drawing in page.locator(".drawing svg").all():
        assert drawing.bounding_box()["width"] > 400


@pytest.mark.parametrize("look", LOOKS, ids=["light-wide", "dark-narrow"])
def test_the_summary_is_accessible(opened, look):
    scheme = look["scheme"]
    page = opened(color_scheme=scheme, viewport={"width": look["width"], "height": look["height"]})
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    ink, paper = page.evaluate("(style => [style.color, style.backgroundColor])(getComputedStyle(document.body))")
    lightness = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (ink, paper)]
    assert (lightness[0] > lightness[1]) == (scheme == "dark")
    drawn = page.locator(".drawing svg text").first.evaluate("text => getComputedStyle(text).fill")
    assert drawn == ink


def test_the_summary_prints_on_white_without_clipping(opened):
    page = opened(color_scheme="dark", viewport={"width": 700, "height": 900})
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("[...document.querySelectorAll('.wide')].every(one => one.scrollWidth <= one.clientWidth)")
    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") <= 3
