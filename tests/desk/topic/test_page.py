"""The *Try a topic* page."""

from dataclasses import replace

import pytest

from presort.data import catalogue
from presort.data.editing.hints import hints
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.learning.models import model_store
from presort.data.records import ListedPaper, Paper, Report
from presort.data.text.formulas import formulas_to_unicode
from presort.desk.topic.past_issues import learn_past, sort_past
from presort.ranker.versions import DEFAULT, RECIPES

RECIPE = RECIPES[DEFAULT]
WAGES = "Minimum wages and the employment of young workers\nHow do minimum wages change hours and hourly wages?"
SCRIPT = '<script>alert(1)</script> **wages** [x](http://a.b) $x$\n=HYPERLINK("x") :red[y]'
ARABIC = "دراسة حول الحد الأدنى للأجور"


def topic_page():
    from presort.desk.topic import page as topic

    topic.show()


def issue_days(store):
    return [issue.date for issue in catalogue.issues(store)]


def rows(page):
    """Title of each paper of the open issue. The texts of a row are place, bar, title, authors, abstract."""
    texts = [text.value for text in page.text]
    places = [where for where, text in enumerate(texts) if text.startswith("▮")]
    return [texts[where + 1] for where in places]


def add(page, text):
    page.text_area[0].set_value(text)
    return page.button(key="topic-add").click().run(timeout=60)


def test_without_issues_the_page_says_what_to_do(empty_store, open_page):
    page = open_page(topic_page, empty_store)
    assert page.info[0].value.startswith("No papers yet")
    assert not page.text_area


def test_without_examples_nothing_is_ranked(store, open_page):
    page = open_page(topic_page, store)
    assert page.info[0].value == "Add an example to rank the newest issues."
    assert rows(page) == []


def test_the_newest_issue_is_ranked_by_a_pasted_example(store, open_page):
    page = add(open_page(topic_page, store), WAGES)
    assert not page.exception
    [newest, *_] = sort_past(learn_past(store, RECIPE, 4), [WAGES])
    assert rows(page) == [formulas_to_unicode(paper.title) for paper in newest.papers[:20]]
    assert [field.value for field in page.text_area] == [""]
    assert any(f"Ranked by your example and by {DEFAULT}" in caption.value for caption in page.caption)
    page.button(key=f"more-{newest.date}").click().run()
    assert len(rows(page)) == min(40, len(newest.papers))
    assert not page.query_params


def test_found_and_ranked_papers_become_examples_and_can_be_removed(store, open_page):
    page = open_page(topic_page, store)
    page.text_input(key="topic-find").set_value("wage").run()
    take = next(button for button in page.button if button.label == "Add")
    page.button(key=take.key).click().run(timeout=60)
    assert page.button(key=take.key).disabled
    best = rows(page)
    take = next(button for button in page.button if button.key.startswith("take-") and not button.disabled)
    page.button(key=take.key).click().run()
    assert any(text.value == "**Your 2 examples**" for text in page.markdown)
    page.button(key="back-2").click().run()
    assert rows(page) == best
    page.button(key="back-1").click().run()
    assert page.info[0].value == "Add an example to rank the newest issues."


def test_the_number_of_ranked_issues_can_be_chosen(store, open_page):
    page = add(open_page(topic_page, store), WAGES)
    assert [box.label[:10] for box in page.expander if "papers" in box.label] == days_shown(store, 4)
    assert page.slider(key="topic-issues").max == 7
    page.slider(key="topic-issues").set_value(7).run(timeout=60)
    assert [box.label[:10] for box in page.expander if "papers" in box.label] == days_shown(store, 7)


def days_shown(store, n):
    return [str(day) for day in issue_days(store)[: -n - 1 : -1]]


def test_hostile_examples_are_text(store, open_page):
    page = add(open_page(topic_page, store), SCRIPT)
    assert not page.exception
    assert SCRIPT.partition("\n")[0] in [text.value for text in page.text]
    assert len(rows(page)) == 20
    add(page, ARABIC)
    assert f"the example '{ARABIC}'. Remove the example" in page.error[0].value
    page.button(key="back-2").click().run()
    assert not page.error


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "The example is empty", id="empty"),
        pytest.param("wages " * 4_000, "An example can have at most 20,000 characters", id="too-long"),
    ],
)
def test_a_refused_example_stays_in_the_field(store, open_page, text, message):
    page = add(open_page(topic_page, store), text)
    assert message in page.error[0].value
    assert page.text_area(key="topic-text").value == text
    assert page.info[0].value == "Add an example to rank the newest issues."


def test_a_report_is_created_once(store, open_page):
    page = add(open_page(topic_page, store), WAGES)
    for code, message in {"no code!": "is not a valid report code", "lab": "is already taken"}.items():
        page.text_input(key="topic-code").set_value(code)
        page.button(key="topic-begin").click().run()
        assert message in page.error[0].value
    page.text_input(key="topic-code").set_value("new")
    page.text_input(key="topic-name").set_value("A new report")
    page.button(key="topic-begin").click().run()
    assert page.success[0].value == "Report new created with 1 example."
    assert hints(store)["new"].seeds == (WAGES,)
    assert [field.value for field in page.text_input if field.label.startswith("Code")] == [""]
    assert Report("new", "A new report") in catalogue.reports(store)
    newest = catalogue.issues(store)[-1].date
    (made,) = rankings.newest_rankings(store, "new", newest).values()
    assert made.ranking.is_sorted
    page.run()
    assert [one.id for one in rankings.newest_rankings(store, "new", newest).values()] == [made.id]
    assert page.success
    next(field for field in page.text_input if field.label.startswith("Code")).set_value("new")
    page.button(key="topic-begin").click().run()
    assert "is already taken" in page.error[0].value
    assert not page.success


def test_an_unreadable_model_is_retrained(store, open_page):
    folder = model_store(store).path
    folder.mkdir()
    (folder / f"{DEFAULT}-{issue_days(store)[4]}.npz").write_bytes(b"no model")
    page = add(open_page(topic_page, store), WAGES)
    assert not page.exception
    assert not page.error


def test_a_paper_without_abstract_is_drawn(empty_store, listings, open_page):
    bare = [ListedPaper(Paper(one.paper.paper_id, one.paper.title), one.issue) for one in listings]
    commit_import(empty_store, bare, person="import")
    page = add(open_page(topic_page, empty_store), WAGES)
    assert not page.exception
    assert "no author given" in [text.value for text in page.text]


def test_a_paper_links_to_its_addresses(empty_store, listings, open_page):
    some = [replace(one, paper=replace(one.paper, doi="10.1257/aer.1", url="https://a.example/1")) for one in listings]
    commit_import(empty_store, some, person="import")
    page = add(open_page(topic_page, empty_store), WAGES)
    assert not page.exception
    linked = [text.value for text in page.caption if "https://doi.org/10.1257/aer.1" in text.value]
    assert len(linked) == len(rows(page))
    assert all("(https://a.example/1)" in text for text in linked)
