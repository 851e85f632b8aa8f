"""The review list alone: lists to open, and helpers to press keys, choose and read the list."""

import json
import random
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import free_port
from tests.browser.pages import wait_until_true
from tests.browser.reviewing import wait_until_written
from tests.browser.servers import Server

PAGE = Path(__file__).parent / "list_page.py"
N_PAPERS = 150
WORDS = ["wages", "jobs", "prices", "trade", "taxes", "models", "firms", "growth", "data", "banks", "schools"]
SENTENCE = "From here the chance of a missed paper is below 5 %."
HOSTILE = [
    "<script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\"> Wages",
    '=HYPERLINK("http://localhost/", "click")',
    "الأجور والبطالة في الاقتصاد \u202e txet",
    "Bounds of order $O(n^{2})$ and costs of $5 & more < less > \\LaTeX{}",
    ("A very long title " * 170)[:3000],
]


def paper(n, dice):
    return {
        "paper_id": f"p{n}",
        "title": f"Paper {n} on {dice.choice(WORDS)} and {dice.choice(WORDS)}",
        "abstract": " ".join(dice.choices(WORDS, k=150)).capitalize() + f". Number {n}.",
        "authors": [f"Author {n}", "B. Other"],
        "codes": ["J31"],
        "series": "Series 12",
        "date": "2026-11-16",
    }


def write_list(folder, n_papers=N_PAPERS, **changes):
    dice = random.Random(7)
    papers = [paper(n, dice) for n in range(1, n_papers + 1)]
    for one, title in zip(papers, HOSTILE, strict=False):
        one["title"] = title
    order = [*range(6, n_papers + 1), *range(1, 6)]
    given = {
        "papers": papers,
        "order": order,
        "ranking": 1,
        "links": {"p6": ["javascript:alert(1)", "doi:10.1000/182", "https://example.org/p6"]},
        "marked": ["wages"],
        "rule": [20, SENTENCE],
        "locked": f"p{n_papers}",
        "drawn": ["p30", "p35", "p40"],
        "is_locked": False,
        **changes,
    }
    folder.mkdir()
    (folder / "papers.json").write_text(json.dumps(given), encoding="utf-8")
    return folder


@contextmanager
def serving_list(folder, port=None):
    port = port or free_port()
    server = Server(folder, port, script=str(PAGE))
    try:
        assert any("URL:" in line for line in server.stdout)
        yield server, port
    finally:
        server.kill()
        server.communicate()


def open_list(page, address):
    page.goto(address)
    wait_for_list(page)


def wait_for_list(page):
    # `expect` would describe the whole page while it waits, which takes seconds.
    page.locator(".row:not([hidden])").first.wait_for()
    wait_until_true(page, "() => window.presortChannels?.list?.response")
    wait_until_written(page)
    expect(page.locator(".status")).to_have_text("saved")


def row(page, place):
    return page.locator(".row").nth(place - 1)


def press(page, keys):
    for key in keys:
        page.keyboard.press(key)


def log_of(folder, kind="label", what="value"):
    with closing(sqlite3.connect(folder / "log.db", timeout=10)) as log:
        return log.execute(f"select paper, {what} from log where kind = ? order by n", [kind]).fetchall()


def next_reply(page, until=lambda: True):
    """Wait for the next response, and for as many more as it takes until a condition is true."""
    for _ in range(20):
        n = page.evaluate("window.presortChannels.list.response.n")
        wait_until_true(page, "n => window.presortChannels.list.response.n > n", n)
        if until():
            return
    raise AssertionError("It did not come true.")


def announcement(page):
    """Text that is read aloud for the last key."""
    return page.locator(".unseen:not(.news)")


def news(page):
    """Text that is read aloud for changes by others."""
    return page.locator(".unseen.news")


def counts(page):
    buttons = page.get_by_role("group", name="show").get_by_role("button").all()
    texts = [button.get_attribute("aria-label") for button in buttons]
    return {name: int(n) for name, n in (text.rsplit(" ", 1) for text in texts)}


def choose(page, name):
    page.locator(".choice").get_by_role("button", name=name).click()


def panel(page):
    return page.get_by_role("region", name="Reading progress")


def expect_panel(page, text):
    expect(panel(page)).to_contain_text(text, use_inner_text=True)
