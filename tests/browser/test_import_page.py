"""In a real browser: files are dropped, previewed, and imported once, and nothing in them is more than text."""

from datetime import date
from time import monotonic

import pytest
from playwright.sync_api import expect

from presort.data import catalogue
from presort.data.records import Issue
from presort.data.running import service
from presort.data.store import open_store
from tests.browser.conftest import serving
from tests.browser.pages import (
    PATIENT,
    act_at_once,
    choose_in,
    downloaded,
    expect_usable_by_all,
    wait_until_idle,
)

HOSTILE = "<img src=x onerror=document.title='owned'> :red[taxes] [link](javascript:alert(1))"
N_MANY = 4000  # papers: enough to leave the page before they are imported
WEEK = f'Nr,Überschrift,issue\n=x1,"{HOSTILE}",2030-01-07\nx2,Money,2030-01-07\nx3,Money,soon\n'


@pytest.fixture
def store(tmp_path):
    store = open_store(tmp_path / "empty")
    yield store
    store.close()


@pytest.fixture
def address(store):
    with serving(store.folder) as address:
        yield address


def drop(page, address, name, content):
    page.goto(f"{address}/import")
    files = page.locator("input[type=file]")
    files.set_input_files([{"name": name, "mimeType": "", "buffer": content.encode()}])


def figure(page, label):
    return page.get_by_test_id("stMetric").filter(has_text=label)


def test_a_spreadsheet_with_unusual_headings_is_imported_once(page, address, store):
    drop(page, address, f"{HOSTILE}.csv", WEEK)
    # in the column headings, and below
    expect(page.get_by_text("No column for Title")).to_have_count(2, timeout=PATIENT)
    wait_until_idle(page)
    choose_in(page, "Id", "Nr")
    choose_in(page, "Title", "Überschrift")
    expect(page.get_by_role("alert")).to_contain_text("row 4, column issue", timeout=PATIENT)
    page.get_by_test_id("stCheckbox").get_by_text("Skip invalid records", exact=True).click()
    expect(page.get_by_role("button", name="Import 2 papers")).to_be_visible(timeout=PATIENT)
    expect(figure(page, "Skipped")).to_contain_text("1")
    wait_until_idle(page)
    rows = downloaded(page, "Download the table as CSV")
    assert [(row["paper_id"], row["title"], row["where"]) for row in rows] == [
        ("'=x1", HOSTILE.split("> ")[1], "row 2"),
        ("x2", "Money", "row 3"),
    ]
    page.get_by_text("Skipped 1").click()
    expect_usable_by_all(page)
    assert catalogue.issues(store) == []
    page.get_by_role("button", name="Import 2 papers").dblclick()
    expect(page.get_by_role("heading", name="Imported")).to_be_visible(timeout=PATIENT)
    expect(page.get_by_role("button", name="Add a report")).to_be_visible()
    expect_usable_by_all(page)
    assert catalogue.issues(store) == [Issue(date(2030, 1, 7), 2)]
    assert len(service.imports(store)) == 1
    assert page.title() != "owned"
    page.get_by_role("link", name="All imports").click()
    expect(page.get_by_role("radio", name="Imports")).to_be_checked()


def test_the_page_may_be_left_while_it_imports(page, address, store):
    drop(
        page, address, "week.csv", "paper_id,title,issue\n" + "".join(f"x{n},T {n},2030-01-07\n" for n in range(N_MANY))
    )
    start = page.get_by_role("button", name=f"Import {N_MANY:,} papers")
    start.wait_for(timeout=PATIENT)
    act_at_once(page)
    start.click()
    expect(page.get_by_text("continues if you leave")).to_be_visible()
    page.goto(address)
    wait_until_idle(page)  # Streamlit reports an error in a page that is left before it is connected
    last = monotonic() + PATIENT / 1000
    while not service.imports(store) and monotonic() < last:
        page.wait_for_timeout(100)
    assert catalogue.issues(store) == [Issue(date(2030, 1, 7), N_MANY)]
