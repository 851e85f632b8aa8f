"""In a real browser: files are dropped, looked at, and come in once; nothing in them is more than text."""

from datetime import date

import pytest
from playwright.sync_api import expect

from data import catalogue, service
from data.records import Issue
from data.store import open_store
from tests.browser.conftest import serving
from tests.browser.pages import choose_in, downloaded, wait_until_idle
from tests.browser.test_review import serious_problems

HOSTILE = "<img src=x onerror=document.title='owned'> :red[taxes] [link](javascript:alert(1))"
WEEK = f'Nr,Überschrift,issue\n=x1,"{HOSTILE}",2030-01-07\nx2,Money,2030-01-07\nx3,Money,soon\n'
LOOKS = [
    pytest.param({}, id="light"),
    pytest.param({"color_scheme": "dark"}, id="dark"),
    pytest.param({"viewport": {"width": 400, "height": 900}}, id="narrow"),
]


@pytest.fixture
def store(tmp_path):
    store = open_store(tmp_path / "empty")
    yield store
    store.close()


@pytest.fixture
def address(store):
    with serving(store.path.parent) as address:
        yield address


def drop(page, address, name, content):
    page.goto(f"{address}/import")
    files = page.locator("input[type=file]")
    files.set_input_files([{"name": name, "mimeType": "", "buffer": content.encode()}])
    expect(page.get_by_role("button", name="See what would change")).to_be_visible()
    wait_until_idle(page)


def look(page):
    page.get_by_role("button", name="See what would change").click()
    expect(page.get_by_role("heading", name="What would change")).to_be_visible()
    wait_until_idle(page)


def test_a_spreadsheet_with_odd_headings_comes_in_once(page, address, store):
    drop(page, address, f"{HOSTILE}.csv", WEEK)
    expect(page.get_by_text("Choose the column of: Id, Title.")).to_be_visible()
    choose_in(page, "Id", "Nr")
    choose_in(page, "Title", "Überschrift")
    expect(page.get_by_text("Choose the column of")).to_have_count(0)
    look(page)
    expect(page.get_by_role("alert")).to_contain_text("row 3, column issue")
    page.get_by_text("Keep going", exact=True).click()
    expect(page.get_by_text("see anew what would change")).to_be_visible()
    look(page)
    expect(page.get_by_text("2 papers read, 1 more left out: 1 new issue, 2 new papers.")).to_be_visible()
    page.get_by_text("new 2").click()
    rows = downloaded(page, "Download the table as CSV")
    assert [(row["paper_id"], row["title"], row["where"]) for row in rows] == [
        ("'=x1", HOSTILE, "row 1"),
        ("x2", "Money", "row 2"),
    ]
    assert catalogue.issues(store) == []
    page.get_by_role("button", name="Import", exact=True).click()
    window = page.get_by_role("dialog")
    expect(window).to_contain_text("1 new issue, 2 new papers.")
    window.get_by_role("button", name="Import", exact=True).dblclick()
    expect(page.get_by_role("heading", name="Imported")).to_be_visible()
    expect(window).to_have_count(0)
    wait_until_idle(page)
    assert page.get_by_role("button", name="See what would change").count() == 0  # an empty place for the next files
    assert catalogue.issues(store) == [Issue(date(2030, 1, 7), 2)]
    assert len(service.imports(store)) == 1
    assert page.title() != "owned"
    page.get_by_role("link", name="All that came in").click()
    expect(page.get_by_role("radio", name="Imports")).to_be_checked()


def test_the_page_may_be_left_while_it_imports(page, address, store):
    drop(
        page, address, "week.csv", "paper_id,title,issue\n" + "".join(f"x{n},T {n},2030-01-07\n" for n in range(20000))
    )
    look(page)
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("Importing; it goes on if you leave")).to_be_visible()
    for _ in range(200):
        page.goto(address)
        if service.imports(store):
            break
    assert catalogue.issues(store) == [Issue(date(2030, 1, 7), 20000)]


@pytest.mark.parametrize("how", LOOKS)
def test_it_can_be_used_by_all(chromium, address, how):
    context = chromium.new_context(**how)
    page = context.new_page()
    drop(page, address, "week.csv", WEEK.replace("Nr", "id").replace("Überschrift", "title").replace("soon", ""))
    page.get_by_text("Columns of week.csv").click()
    page.get_by_text("Keep going", exact=True).click()
    look(page)
    page.get_by_text("left out 1").click()
    expect(page.get_by_role("button", name="Download the table as CSV")).to_be_visible()
    for step in ("look", "window"):
        if step == "window":
            page.get_by_role("button", name="Import", exact=True).click()
            expect(page.get_by_role("dialog")).to_be_visible()
        wait_until_idle(page)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        tries = [serious_problems(page)]
        while tries[-1] and len(tries) < 4:  # what is just being drawn is pale for a moment
            tries.append(serious_problems(page))
        assert tries[-1] == []
    context.close()
