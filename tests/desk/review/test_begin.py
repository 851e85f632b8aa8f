"""Start of a report with too little training data."""

import pytest

from presort.data import catalogue
from presort.data.editing.hints import MAX_TEXT, add_hint, hints
from presort.data.learning import rankings
from presort.data.records import Report
from presort.desk.service import workflow
from presort.desk.service.pending import rank_pending
from presort.desk.ui import reranking
from presort.ranker.versions import DEFAULT, RECIPES


def review_page():
    from presort.desk.review import page as review

    review.show()


def light_box(page):
    """Texts of the review list on the page."""
    return "\n".join(text.value for text in page.markdown if not text.value.lstrip().startswith("<style>"))


def titles(page, n):
    """Titles of the first papers. The texts of a row are place, bar, title, authors, details."""
    texts = [text.value for text in page.text]
    return [texts[texts.index(str(place)) + 2] for place in range(1, n + 1)]


def offers_examples(page):
    return any(field.key.startswith("pasted-") for field in page.text_area)


@pytest.fixture
def young(store):
    """The small service with a new report that has no decisions."""
    catalogue.add_reports(store, [Report("new", "A new report")])
    return store


def test_a_new_report_begins_with_examples(young, newest, open_plain):
    page = open_plain(review_page, young, report="new")
    page.text_area(key="pasted-new").set_value("Minimum wages\nThey rise.")
    page.button(key="add-new").click().run()
    assert [field.value for field in page.text_area] == [""]
    page.text_input(key="find-new").set_value("wage").run()
    take = next(button for button in page.button if button.label == "Add")
    page.button(key=take.key).click().run()
    assert page.button(key=take.key).label == "Added"
    assert page.button(key=take.key).disabled
    paper = catalogue.paper(young, take.key.removeprefix("take-new-"))
    assert hints(young)["new"].seeds == ("Minimum wages\nThey rise.", f"{paper.title}\n{paper.abstract}")
    list(rank_pending(young, reports=["new"]))
    page.run()
    assert not page.exception
    assert any(f"ranked by {DEFAULT}, trained on 2 examples" in caption.value for caption in page.caption)
    ranking = rankings.newest_rankings(young, "new", newest)[DEFAULT].ranking
    assert titles(page, 1) == [catalogue.papers(young, newest)[ranking.positions[0] - 1].title]

    page.button(key="example-new-1").click().run()
    list(rank_pending(young, reports=["new"]))
    page.run()  # nobody has started the list, so its new order is shown at once
    assert any("trained on 1 example" in caption.value for caption in page.caption)


def test_a_new_report_in_list_order_may_begin_with_examples(young, newest, open_plain):
    list(workflow.rank(young, [RECIPES["arxiv-sanity"]], reports=["new"]))
    add_hint(young, "new", "seed", "Minimum wages and jobs", person="ada")
    page = open_plain(review_page, young, report="new")
    assert "too few to learn from. Add examples" in light_box(page)
    list(rank_pending(young, reports=["new"]))
    page.run()
    assert any("ranked by arxiv-sanity, trained on 1 example" in caption.value for caption in page.caption)


def test_a_viewer_is_not_asked_for_examples_and_queues_nothing(young, open_plain, monkeypatch):
    monkeypatch.setattr("presort.desk.ui.visitor.may_edit", lambda report: False)
    for report in ("new", "env"):
        assert reranking.QUEUED not in open_plain(review_page, young, report=report).session_state
    list(workflow.rank(young, [RECIPES["arxiv-sanity"]], reports=["new"]))
    page = open_plain(review_page, young, report="new")
    assert not offers_examples(page)
    assert any("too few to learn from" in info.value for info in page.info)


def test_an_example_that_is_empty_or_too_long_is_refused(young, open_plain):
    page = open_plain(review_page, young, report="new")
    page.button(key="add-new").click().run()
    assert "The hint is empty" in page.error[0].value
    page.text_area(key="pasted-new").set_value("wages " * 4_000)
    page.button(key="add-new").click().run()
    assert f"the limit is {MAX_TEXT:,}" in page.error[0].value
    assert page.text_area(key="pasted-new").value
    assert hints(young) == {}


def test_a_search_that_finds_nothing_says_so(young, open_plain):
    page = open_plain(review_page, young, report="new")
    page.text_input(key="find-new").set_value("zebra 100%").run()
    assert "No title contains all of these words." in [caption.value for caption in page.caption]


@pytest.mark.parametrize("report", [pytest.param("lab", id="sorted"), pytest.param("env", id="not-sorted")])
def test_a_report_with_enough_decisions_offers_no_examples(ranked, open_plain, report):
    page = open_plain(review_page, ranked, report=report)
    assert not offers_examples(page)


def test_a_published_list_of_a_new_report_offers_no_examples(young, newest, open_plain):
    workflow.publish_report_issue(young, "new", newest, None, person="ada")
    page = open_plain(review_page, young, report="new")
    assert not page.exception
    assert not offers_examples(page)
