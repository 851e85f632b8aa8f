"""Duplicates: listed below the review list, and added to it if they are not duplicates."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from presort.data import catalogue
from presort.data.duplicates.listings import duplicates, separate
from presort.data.editing import decisions
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.records import Decision, ListedPaper
from presort.desk.review import duplicates as duplicates_box
from presort.desk.service import workflow


def review_page():
    from presort.desk.review import page as review

    review.show()


def copy_of(listed: ListedPaper, day: date, **texts) -> ListedPaper:
    return ListedPaper(replace(listed.paper, paper_id=f"copy:{listed.paper.paper_id}", **texts), day)


@pytest.fixture
def with_duplicates(ranked, listings, newest):
    """Return the ranked service with duplicates of a selected, an unselected and a new paper."""
    past = [listed for listed in listings if listed.issue == newest - timedelta(days=7)]
    chosen = next(listed for listed in past if "lab" in listed.selected_by)
    passed = next(listed for listed in past if "lab" not in listed.selected_by)
    new = next(listed for listed in listings if listed.issue == newest)
    rows = [
        copy_of(chosen, newest, series="Another series"),
        copy_of(passed, newest, title=f"{passed.paper.title}: <b>[new](http://x.y)</b>", series=passed.paper.series),
        copy_of(new, newest),
    ]
    assert commit_import(ranked, rows, person="import").summary.matched == 3
    return ranked


def captions(page):
    return [caption.value.replace("\\", "").replace("\N{WORD JOINER}", "") for caption in page.caption]


def test_duplicates_are_shown_with_the_decision_on_the_original(with_duplicates, newest, open_plain):
    page = open_plain(review_page, with_duplicates, report="lab")
    assert not page.exception
    (box,) = [box for box in page.expander if box.label == "3 papers you have seen before"]
    first, second, third = duplicates(with_duplicates, newest)
    week_before = newest - timedelta(days=7)
    notes = [caption for caption in captions(page) if caption.startswith("also published as")]
    assert notes == [
        f"also published as {first.known.series}, seen in issue {week_before}: relevant",
        f"also published as {second.known.paper_id}, “{second.known.title}”, seen in issue {week_before}: not relevant",
        f"also published as {third.known.paper_id}, listed in this issue",
    ]
    assert [text.value for text in box.text] == [copy.paper.title for copy in (first, second, third)]
    assert "<b>" in box.text[1].value


def test_a_list_without_duplicates_has_no_box(ranked, open_plain):
    page = open_plain(review_page, ranked, report="lab")
    assert not any("seen before" in box.label for box in page.expander)


def test_a_paper_that_is_no_duplicate_is_appended_to_a_ranked_list(with_duplicates, newest, open_plain):
    separated = duplicates(with_duplicates, newest)[1].paper
    page = open_plain(review_page, with_duplicates, report="lab")
    page.button(key=f"separate-{separated.paper_id}").click().run(timeout=30)
    assert not page.exception
    assert [box.label for box in page.expander if "seen before" in box.label] == ["2 papers you have seen before"]
    papers = catalogue.papers(with_duplicates, newest)
    assert papers[-1] == separated
    shown = rankings.newest_rankings(with_duplicates, "lab", newest)["krichel-2007"]
    assert len(shown.ranking.positions) == len(papers) - 1
    texts = [text.value for text in page.text]
    assert separated.title in texts[texts.index(str(len(papers))) :][:2]
    assert decisions.decide(with_duplicates, [Decision("lab", newest, separated.paper_id, "yes", "ada")]) == 1


def test_a_separation_that_comes_too_late_is_reported(with_duplicates, newest, open_plain, monkeypatch):
    separated = duplicates(with_duplicates, newest)[0].paper.paper_id
    page = open_plain(review_page, with_duplicates, report="lab")

    def somebody_else_first(store, paper_id, *, person):
        separate(store, paper_id, person="bo")
        separate(store, paper_id, person=person)

    monkeypatch.setattr(duplicates_box, "separate", somebody_else_first)
    page.button(key=f"separate-{separated}").click().run(timeout=30)
    assert not page.exception
    assert "is not marked as a duplicate" in page.error[0].value


def test_many_duplicates_are_drawn_in_parts(with_duplicates, newest, open_plain, monkeypatch):
    monkeypatch.setattr(duplicates_box, "AT_ONCE", 2)
    page = open_plain(review_page, with_duplicates, report="lab")
    assert n_offered(page) == 2
    page.button(key=f"more-n-duplicates-{newest}").click().run()
    assert n_offered(page) == 3


def test_a_published_list_shows_duplicates_but_does_not_change(with_duplicates, newest, open_plain):
    workflow.publish_report_issue(with_duplicates, "lab", newest, None, person="ada")
    page = open_plain(review_page, with_duplicates, report="lab")
    assert not page.exception
    assert sum(caption.startswith("also published as") for caption in captions(page)) == 3
    assert n_offered(page) == 0


def n_offered(page):
    return sum(button.key.startswith("separate-") for button in page.button)
