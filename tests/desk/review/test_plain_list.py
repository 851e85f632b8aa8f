"""The review list in plain widgets."""

from dataclasses import replace
from datetime import timedelta

import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.rerankings import newest_reranking
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.records import Decision, ListedPaper, Paper
from presort.desk.service import workflow
from presort.ranker.versions import DEFAULT, RECIPES


def review_page():
    from presort.desk.review import page as review

    review.show()


def titles(page, n):
    """Titles of the first papers. The texts of a row are place, bar, title, authors, details."""
    texts = [text.value for text in page.text]
    return [texts[texts.index(str(place)) + 2] for place in range(1, n + 1)]


def light_box(page):
    """Texts of the review list on the page."""
    return "\n".join(text.value for text in page.markdown if not text.value.lstrip().startswith("<style>"))


def word_boxes(page):
    return [box for box in page.button_group if box.key.startswith("label-")]


def test_review_shows_the_list_as_ranked(ranked, newest, open_plain):
    list(workflow.rank(ranked, [RECIPES[DEFAULT]], reports=["mac"]))
    page = open_plain(review_page, ranked, report="mac")
    assert not page.exception
    shown = rankings.newest_rankings(ranked, "mac", newest)[DEFAULT].ranking
    papers = catalogue.papers(ranked, newest)
    assert titles(page, 5) == [papers[p - 1].title for p in shown.positions[:5].tolist()]


def test_review_shows_the_original_order_after_one_click(ranked, newest, open_plain):
    page = open_plain(review_page, ranked, report="lab")
    (order,) = [box for box in page.button_group if box.key.startswith("order-")]
    order.set_value("list order").run()
    texts = [text.value for text in page.text]
    papers = catalogue.papers(ranked, newest)
    assert [texts[texts.index(str(place)) + 1] for place in range(1, 6)] == [paper.title for paper in papers[:5]]


def test_review_saves_a_decision_at_once_and_can_undo_it(ranked, newest, open_plain):
    page = open_plain(review_page, ranked, report="lab")
    box = word_boxes(page)[2]
    paper_id = box.key.removeprefix(f"label-lab-{newest}-")
    for label in ("yes", "maybe", "no"):
        box.set_value(label).run()
        assert decisions.labels(ranked, "lab", newest) == {paper_id: label}
    box.set_value(None).run()
    assert decisions.labels(ranked, "lab", newest) == {}
    assert not page.exception


def test_the_rest_is_reranked_with_decisions_and_back(ranked, newest, open_plain):
    list(workflow.rank(ranked, [RECIPES[DEFAULT]], reports=["lab"]))
    shown = rankings.newest_rankings(ranked, "lab", newest)[DEFAULT].ranking
    rankings.add_rankings(ranked, [replace(shown, n_relevant=1)])  # as if the report had started with one example
    page = open_plain(review_page, ranked, report="lab")
    first = titles(page, 30)
    assert page.button("rerank").disabled
    word_boxes(page)[2].set_value("yes").run()
    page.button("rerank").click().run()
    assert page.button("rerank").disabled  # no decision since
    new = titles(page, 30)
    assert (new[:3], new == first) == (first[:3], False)
    stored = newest_reranking(ranked, "lab", newest, rankings.newest_rankings(ranked, "lab", newest)[DEFAULT].id)
    papers = catalogue.papers(ranked, newest)
    assert new == [papers[position - 1].title for position in stored.positions[:30].tolist()]
    page.button("undo-rerank").click().run()
    assert titles(page, 30) == first
    assert not page.exception


def test_review_shows_decisions_of_others(ranked, newest, open_plain):
    page = open_plain(review_page, ranked, report="lab")
    papers = catalogue.papers(ranked, newest)
    decisions.decide(ranked, [by_somebody_else("lab", newest, papers[0].paper_id)])
    page.run()
    assert "1 relevant · 0 maybe" in light_box(page)


def by_somebody_else(report, issue, paper_id):
    return Decision(report, issue, paper_id, "yes", "somebody else")


def test_review_reports_an_unsaved_decision(ranked, newest, open_plain):
    page = open_plain(review_page, ranked, report="lab")
    workflow.publish_report_issue(ranked, "lab", newest, None, person="somebody else")
    word_boxes(page)[0].set_value("yes").run()
    assert "Not saved: lab" in page.error[0].value
    assert decisions.labels(ranked, "lab", newest) == {}
    assert all(box.disabled for box in word_boxes(page))
    publications.reopen(ranked, "lab", newest, "one was missing", person="somebody else")
    page.run()
    assert not any(box.disabled for box in word_boxes(page))


@pytest.fixture
def long_issue(store, newest):
    """Issue with more papers than a page shows."""
    day = newest + timedelta(days=7)
    commit_import(store, [ListedPaper(Paper(f"long-{n}", f"Long {n}"), day) for n in range(1, 121)], person="import")
    return day


def test_the_list_opens_at_the_page_of_the_first_unread_paper(store, long_issue, open_plain):
    page = open_plain(review_page, store, report="lab", issue=long_issue)
    assert len(word_boxes(page)) == 50
    assert word_boxes(page)[0].key.endswith("long-1")
    decisions.decide(store, [Decision("lab", long_issue, "long-60", "no", "editor", client_id="60")])
    page = open_plain(review_page, store, report="lab", issue=long_issue)
    assert word_boxes(page)[0].key.endswith("long-51")
    decisions.decide(store, [Decision("lab", long_issue, "long-100", "no", "editor", client_id="100")])
    page.run()
    assert word_boxes(page)[0].key.endswith("long-51")  # nothing moves while the editor reads


def test_the_details_of_a_paper_link_to_its_addresses(store, newest, open_plain):
    day = newest + timedelta(days=7)
    commit_import(store, [ListedPaper(Paper("p1", "T", doi="10.1257/aer.1"), day)], person="import")
    page = open_plain(review_page, store, report="lab", issue=day)
    assert any("(https://doi.org/10.1257/aer.1)" in text.value for text in page.caption)
