"""In a real browser: keys, plain list and words to highlight, a report's criteria, and export of the shown papers."""

import csv
import re

import pytest
from playwright.sync_api import expect

from presort.data import catalogue
from presort.data.demo import make_world
from presort.data.editing import decisions
from presort.data.editing.criteria import criteria
from presort.data.intake.commit_import import commit_import
from presort.data.records import Decision
from presort.data.store import open_store
from presort.desk import access
from presort.desk.preferences.keys import highlights, preferences, set_plain
from presort.desk.service import workflow
from presort.ranker.versions import RECIPES
from tests.browser.conftest import serving
from tests.browser.pages import wait_until_calm
from tests.browser.reviewing import open_over

SAVED = "saved"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Eight small issues, the last ranked for lab."""
    folder = tmp_path_factory.mktemp("small")
    store = open_store(folder)
    commit_import(store, make_world(seed=3, n_issues=8, papers_per_issue=40).listings, person="import")
    list(workflow.rank(store, [RECIPES["presort-1"]], reports=["lab"]))
    with serving(folder) as address:
        yield store, address
    store.close()


@pytest.fixture
def store(small):
    return small[0]


@pytest.fixture
def address(small):
    return small[1]


@pytest.fixture
def newest(store):
    return catalogue.issues(store)[-1].date


def type_in(page, label, text):
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Tab")


def open_list(page, address):
    page.goto(f"{address}/review?report=lab")
    page.locator(".row").first.wait_for()
    page.locator(".row .sign").first.focus()


def words_of(page):
    return page.locator(".row").evaluate_all("rows => rows.map((row) => row.dataset.label)")


def test_custom_keys_work_in_the_list_and_can_be_reset(page, address, store, newest):
    page.goto(f"{address}/preferences")
    type_in(page, "maybe", "f5")
    expect(page.get_by_text("f5 is reserved by the browser. Choose another key.")).to_be_visible()
    type_in(page, "maybe", "5, M")
    expect(page.get_by_label("maybe", exact=True)).to_have_value("5, m")
    expect(page.get_by_text(SAVED, exact=True)).to_be_visible()
    expect(page.get_by_text("is reserved by the browser")).to_have_count(0)
    type_in(page, "not relevant", "tab")
    expect(page.get_by_text("tab moves between fields. Choose another key.")).to_be_visible()

    open_list(page, address)
    page.keyboard.press("5")
    assert words_of(page)[0] == "maybe"
    page.keyboard.press("u")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys").get_by_text("5", exact=True)).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog", name="Export")).to_have_count(0)

    page.goto(f"{address}/preferences")
    expect(page.get_by_label("not relevant", exact=True)).to_have_value("n")
    page.get_by_role("button", name="Restore default keys").click()
    expect(page.get_by_label("maybe", exact=True)).to_have_value("m")
    open_list(page, address)
    page.keyboard.press("5")
    assert set(words_of(page)) == {"undecided"}


def test_words_from_the_preferences_are_highlighted(page, address, store, newest):
    word = re.search(r"\w{6,}", catalogue.papers(store, newest)[0].title)[0].lower()
    page.goto(f"{address}/preferences?report=lab")
    page.get_by_label("Words, one per line").fill(f"{word}\n{word.upper()}\n<b>")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_label("Words, one per line")).to_have_value(f"{word}\n<b>")
    assert highlights(store, access.PERSON, "lab") == (word, "<b>")
    open_list(page, address)
    expect(page.locator(".row .title mark").get_by_text(word).first).to_be_visible()


def test_a_switch_turns_on_the_plain_list(page, address, store):
    page.goto(f"{address}/preferences")
    page.get_by_text("Plain list", exact=True).click()
    expect(page.get_by_text(SAVED, exact=True)).to_be_visible()
    assert preferences(store, access.PERSON).is_plain
    page.goto(f"{address}/review?report=lab")
    page.locator(".st-key-paper-1").wait_for()
    assert page.locator(".row").count() == 0
    set_plain(store, access.PERSON, False)  # for the following tests


def test_criteria_can_be_edited_on_review(page, address, store):
    page.goto(f"{address}/review?report=lab")
    open_over(page, "Criteria")
    page.get_by_role("textbox", name="Criteria").fill("Wages, hours.\n\n**No** <b>theory</b> alone.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("**No** <b>theory</b> alone.")).to_be_visible()  # the box stays open
    expect(page.get_by_text(re.compile(r"^this desk, 20\d\d-\d\d-\d\d \d\d:\d\d UTC$"))).to_be_visible()
    assert criteria(store, "lab").text.startswith("Wages, hours.")
    page.get_by_role("button", name="Edit", exact=True).press("Enter")
    expect(page.get_by_role("textbox", name="Criteria")).to_have_value(criteria(store, "lab").text)


def test_the_export_has_the_papers_shown_at_the_click(page, address, store, newest):
    papers = catalogue.papers(store, newest)
    page.goto(f"{address}/review?report=lab")
    page.locator(".row").first.wait_for()
    open_over(page, "Export shown papers")
    expect(page.get_by_text("Current list: all papers, presorted.")).to_be_visible()
    name, rows = downloaded(page)
    assert (name, len(rows)) == (f"lab-{newest}-all.csv", len(papers))

    decisions.decide(store, [Decision("lab", newest, rows[4]["paper_id"], "yes", "somebody else")])
    assert downloaded(page)[1][4]["relevant"] == "yes"

    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog", name="Export")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^relevant \\d")).click()
    open_over(page, "Export shown papers")
    expect(page.get_by_text("Current list: relevant papers, presorted.")).to_be_visible()
    name, rows = downloaded(page)
    assert name == f"lab-{newest}-relevant.csv"
    assert [(row["place"], row["relevant"]) for row in rows] == [("5", "yes")]

    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog", name="Export")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^all")).click()
    page.get_by_role("button", name="list order").click()
    page.get_by_role("searchbox").fill("wage")
    open_over(page, "Export shown papers")
    expect(page.get_by_text("Current list: all papers with 'wage', in list order.")).to_be_visible()
    papers_by_place = [paper.title for paper in papers]
    shown = [papers_by_place[int(place) - 1] for place in page.locator(".row:visible .number").all_inner_texts()]
    name, rows = downloaded(page)
    assert name == f"lab-{newest}-all-found.csv"
    assert [row["title"] for row in rows] == shown
    assert 0 < len(shown) < len(papers)


def test_the_export_of_a_list_that_was_left_and_opened_again_has_all_papers(page, address):
    page.goto(f"{address}/review?report=lab")
    page.locator(".row").first.wait_for()
    page.get_by_role("button", name=re.compile("^relevant \\d")).click()
    open_over(page, "Export shown papers")
    expect(page.get_by_text("Current list: relevant papers, presorted.")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog", name="Export")).to_have_count(0)
    page.get_by_role("link", name="Preferences").click()
    expect(page.get_by_role("heading", name="Preferences")).to_be_visible()
    page.go_back()
    page.locator(".row").first.wait_for()
    open_over(page, "Export shown papers")
    expect(page.get_by_text("Current list: all papers, presorted.")).to_be_visible()


def downloaded(page):
    wait_until_calm(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    with download.value.path().open(encoding="utf-8-sig", newline="") as file:
        return download.value.suggested_filename, list(csv.DictReader(file))
