"""Review around its list: empty, normal, issued."""

from dataclasses import replace
from datetime import date

from data import catalogue, rankings
from data.publish import publish
from data.records import ListedPaper, Paper, Report
from desk import workflow
from ranker.versions import DEFAULT, RECIPES


def review_page():
    from desk.pages import review

    review.show()


def test_review_without_issues_says_what_to_do(empty_store, open_page):
    assert "presort import" in open_page(review_page, empty_store).info[0].value


def test_review_without_reports_says_what_to_do(empty_store, open_page):
    publish(empty_store, [ListedPaper(Paper("a", "A title"), date(2026, 1, 5))], person="import")
    assert "presort reports add" in open_page(review_page, empty_store).info[0].value


def test_review_offers_to_sort_an_issue_that_is_not(store, newest, open_page):
    page = open_page(review_page, store, report="env")
    assert "not sorted" in page.info[0].value
    page.button(key="sort-it").click().run(timeout=60)
    assert not page.exception
    assert list(rankings.newest_rankings(store, "env", newest)) == [DEFAULT]


def test_review_says_when_there_was_too_little_to_learn_from(store, newest, open_page):
    catalogue.add_reports(store, [Report("new", "A new report")])
    list(workflow.rank(store, [RECIPES["arxiv-sanity"]], reports=["new"]))
    assert "too few to learn from" in open_page(review_page, store, report="new").info[0].value


def test_an_open_list_keeps_its_order_until_its_reader_asks_for_the_new_one(ranked, newest, open_plain):
    page = open_plain(review_page, ranked, report="lab")
    before = first_title(page)
    shown = rankings.newest_rankings(ranked, "lab", newest)[page.selectbox(key="ranker").value].ranking
    rankings.add_rankings(ranked, [replace(shown, positions=shown.positions[::-1])])
    page.run()
    assert first_title(page) == before
    page.button(key="show-new").click().run()
    assert first_title(page) == catalogue.papers(ranked, newest)[shown.positions[-1] - 1].title
    assert "show-new" not in {button.key for button in page.button}


def first_title(page):
    texts = [text.value for text in page.text]
    return texts[texts.index("1") + 2]
