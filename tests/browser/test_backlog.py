"""In a real browser: an older issue is finished late, the newer one is re-ranked, and the log shows who did what."""

import re
from datetime import date
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.publications import reopen
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.records import Decision, ListedPaper, Paper
from presort.desk.service import workflow
from presort.ranker.versions import DEFAULT
from tests.browser.pages import PATIENT, choose_row, downloaded

NEWEST = date(2026, 11, 16)
FORMULA = '=HYPERLINK("http://localhost/", "click")'
HOSTILE = [
    FORMULA,
    "<script>document.title = 'owned'</script> Wages",
    "**Bold** :red[taxes] [link](javascript:alert(1))",
]


@pytest.fixture
def older(store):
    """Date of an older issue of lab that was reopened."""
    day = catalogue.issues(store)[-4].date
    reopen(store, "lab", day, "One is missing.", person="ada")
    return day


def expect_review(page, issue):
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    expect(page.get_by_role("combobox", name="Report")).to_have_value(re.compile("^lab"))
    expect(page.get_by_role("combobox", name="Issue")).to_have_value(re.compile(f"^{issue}"))


def decide(store, day, papers):
    decisions.decide(store, [Decision("lab", day, paper.paper_id, "yes", "ada") for paper in papers])


def test_publishing_an_older_issue_reranks_the_newer_one(page, sorting_server, store, older):
    decide(store, older, catalogue.papers(store, older)[:5])
    page.goto(f"{sorting_server}/review?report=mac")
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    page.get_by_role("link", name="This week").click()
    rows = page.locator('[class*="st-key-due-lab-"]')
    expect(rows).to_have_count(2)
    to_older = rows.nth(0).get_by_role("link").get_attribute("href")
    expect(rows.nth(0)).to_contain_text(re.compile(r"\d+ read · \d+ relevant"))
    before = rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT].id

    page.goto(f"{sorting_server}/publish?report=lab&issue={older}")
    page.get_by_role("button", name="Publish report").click()
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("1 newer list re-ranked with your decisions")).to_be_visible(timeout=PATIENT)
    assert rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT].id > before

    page.goto(f"{sorting_server}/week?only=lab")
    rows.first.get_by_role("link").click()
    expect_review(page, NEWEST)
    page.goto(urljoin(f"{sorting_server}/week", to_older))  # like a link opened in a new tab
    expect_review(page, older)


def test_published_lists_are_logged(page, server, store, tmp_path):
    commit_import(
        store, [ListedPaper(Paper(f"h{n}", title), NEWEST) for n, title in enumerate(HOSTILE)], person="import"
    )
    decide(store, NEWEST, [paper for paper in catalogue.papers(store, NEWEST) if paper.paper_id.startswith("h")])
    workflow.publish_report_issue(
        store, "lab", NEWEST, rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT], person="ada"
    )

    page.goto(f"{server}/week?only=lab")
    choose_row(page.get_by_test_id("stDataFrame"), 1)
    row = page.locator(".st-key-published-row")
    expect(row).to_contain_text(f"{NEWEST} · 3 papers")
    row.get_by_role("button", name="Log").click()
    log = page.get_by_role("dialog")
    log.get_by_label("Search titles").fill("hyperlink")
    log.get_by_label("Search titles").press("Enter")
    expect(log.get_by_text("2 of 6 decisions")).to_be_visible()
    rows = downloaded(page, "Download the log as CSV")
    assert [row["title"] for row in rows] == [f"'{FORMULA}"] * 2
    assert [(row["about"], row["decision"]) for row in rows] == [("publish", "yes"), ("relevant", "yes")]
    assert page.title() != "owned"
    choose_row(log.get_by_test_id("stDataFrame"), 1)
    history = log.locator(".st-key-history-of-one")
    expect(history.get_by_text(FORMULA, exact=True)).to_be_visible()
    expect(history.get_by_text(re.compile("ada: "))).to_have_count(2)

    log.get_by_role("button", name="Close").click()
    expect(log).to_have_count(0)
    row.get_by_role("link").click()
    expect_review(page, NEWEST)
