"""The page of the week as `AppTest` sees it: what waits, what has gone out, and the log."""

import re
from datetime import date, timedelta

import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.pending import pending
from presort.data.editing.publications import reopen
from presort.data.editing.read_papers import mark_read
from presort.data.editing.skipping import skip, skippings, take_up
from presort.data.errors import WorkspaceError
from presort.data.intake.commit_import import commit_import
from presort.data.records import Decision, ListedPaper, Paper, Report
from presort.data.running.holidays import add_holiday
from presort.desk import access
from presort.desk.preferences.own_reports import set_own_reports
from presort.desk.service import pending as backlog
from presort.desk.text import plain
from presort.desk.week import pending_list, words
from tests.desk.week.backlogs import (
    OTHER,
    REPORT,
    finish_oldest,
    last_ranking,
    links,
    made,
    read_and_issue,
    say,
    texts,
)


def pending_page():
    from presort.desk.week import page as pending

    pending.show()


def log_page():
    from datetime import date

    import streamlit as st

    from presort.desk.week import log

    log.show("own", date.fromisoformat(st.query_params["issue"]))


def words_of(page):
    return " ".join(text.value for text in page.markdown)


def test_nothing_pending_is_said_kindly(behind, days, open_page):
    for day in days[-3:]:
        read_and_issue(behind, day, None)
    page = open_page(pending_page, behind, only=REPORT)
    assert texts(page.success) == ["Nothing waits: every issue has gone out, or was skipped. Enjoy the quiet week."]


def lines(page):
    """What each line says that waits, in plain words."""
    return [text.value for text in page.markdown if re.search(r"\*\*\d{4}-\d\d-\d\d\*\*", text.value)]


def to_review(page):
    """What each button says that opens what waits, and where it leads."""
    return [(label, to) for label, to in links(page) if label == "Begin" or label.startswith("Go on")]


def test_what_waits_stands_oldest_first_with_a_button_that_opens_it_where_reading_goes_on(behind, days, open_page):
    say(behind, days[-2], [1, 2], word="no")
    shown = last_ranking(behind, days[-1])
    mark_read(behind, REPORT, days[-1], shown.id, 7, person="ada")
    decide_at(behind, days[-1], shown, place=3)
    page = open_page(pending_page, behind, only=REPORT)
    assert not page.exception
    oldest, middle, newest = lines(page)
    assert [str(day) in line for day, line in zip(days[-3:], lines(page), strict=True)] == [True] * 3
    assert "not begun, not sorted yet" in oldest
    assert "2 read, 0 relevant" in middle
    assert "7 read, 1 relevant, out of date" in newest
    assert "3 issues to finish, the oldest" in words_of(page)
    labels, targets = zip(*to_review(page), strict=True)
    assert list(targets) == [f"report={REPORT}&issue={day}" for day in days[-3:]]
    assert (labels[0], labels[2]) == ("Begin", "Go on at paper 8")


def decide_at(store, day, shown, place):
    """Mark the paper relevant that stands at a place of a sorted list."""
    paper = catalogue.papers(store, day)[shown.ranking.positions[place - 1] - 1].paper_id
    decisions.decide(store, [Decision(REPORT, day, paper, "yes", "ada", ranking_id=shown.id)])


def test_an_issue_is_skipped_and_taken_up_again(behind, days, open_page):
    page = open_page(pending_page, behind, only=REPORT)
    page.button(key=f"skip-{REPORT}-{days[-2]}").click().run()
    assert not page.exception
    assert len(lines(page)) == 2
    assert [box.label for box in page.expander] == ["1 issue skipped"]
    assert plain(words.was_skipped(REPORT, days[-2])) in texts(page.markdown)
    assert plain(words.skipped(*skippings(behind, REPORT, days[-2]))) in texts(page.caption)
    assert made(backlog.rank_pending(behind, [OTHER], reports=[REPORT]))[-1][-1] == 2  # it is sorted no more
    page.button(key=f"take-up-{REPORT}-{days[-2]}").click().run()
    assert len(lines(page)) == 3
    assert not page.expander
    assert "undo-skip" not in {button.key for button in page.button}
    page.button(key=f"skip-{REPORT}-{days[-1]}").click().run()
    page.button(key="undo-skip").click().run()
    assert len(lines(page)) == 3


def test_papers_come_in_and_reports_are_added_from_here_whatever_waits(behind, days, open_page):
    ways = [("Import papers", ""), ("Add a report", "part=reports")]
    page = open_page(pending_page, behind, only=REPORT)
    assert links(page)[:2] == ways
    for day in days[-3:]:
        read_and_issue(behind, day, None)
    assert links(page.run())[:2] == ways


def test_all_reports_wait_unless_one_is_asked_for_or_some_are_mine(behind, open_page):
    page = open_page(pending_page, behind)
    n_pending = len(pending(behind, [one.code for one in catalogue.reports(behind)], today=date.today()))
    assert len(lines(page)) == min(n_pending, pending_list.SHOWN_AT_ONCE) > 3
    page.selectbox(key="only").set_value(REPORT).run()
    assert len(lines(page)) == 3

    set_own_reports(behind, access.PERSON, [REPORT, "gone"])
    page = open_page(pending_page, behind)
    assert len(lines(page)) == 3
    assert "my reports" in page.selectbox(key="only").options
    page.selectbox(key="only").set_value("*").run()
    assert len(lines(page)) > 3


def test_many_that_wait_are_folded(behind, days, open_page, monkeypatch):
    monkeypatch.setattr(pending_list, "SHOWN_AT_ONCE", 2)
    page = open_page(pending_page, behind, only=REPORT)
    assert len(lines(page)) == 2
    page.button(key="more-pending").click().run()
    assert len(lines(page)) == 3


@pytest.mark.parametrize(
    ("days_old", "message"),
    [
        pytest.param(13, None, id="under-two-weeks"),
        pytest.param(14, "Late: readers expect it within two weeks.", id="two-weeks"),
        pytest.param(42, "Very late: after six weeks, publish it", id="six-weeks"),
    ],
)
def test_a_late_issue_is_said_to_be_late(empty_store, open_page, days_old, message):
    catalogue.add_reports(empty_store, [Report("new", "A *new* report")])
    day = date.today() - timedelta(days=days_old)
    commit_import(empty_store, [ListedPaper(Paper("p", "Wages"), day)], person="import")
    page = open_page(pending_page, empty_store)
    (line,) = lines(page)
    assert rf"**{day}** · new · A \*new\* report · 1 paper · not begun, not sorted yet" in line
    assert line.endswith("late") == (message is not None)
    assert (message or "") in " ".join(texts(page.caption))


def test_holidays_make_nobody_late(empty_store, open_page):
    today = date.today()
    catalogue.add_reports(empty_store, [Report("new", "New")])
    commit_import(empty_store, [ListedPaper(Paper("p", "Wages"), today - timedelta(days=15))], person="import")
    add_holiday(empty_store, today - timedelta(days=9), today - timedelta(days=3), person="Ann")
    page = open_page(pending_page, empty_store)
    assert "2 weeks old" in words_of(page)
    assert "late" not in words_of(page)


def test_outdated_lists_are_ranked_unasked_and_the_page_shows_how_it_goes(behind, days, open_page, asked):
    finish_oldest(behind, days)
    page = open_page(pending_page, behind, only=REPORT)
    ((reports, ended),) = asked
    assert reports == []  # whatever needs it
    assert len(page.info) == 1
    list(backlog.rank_pending(behind, reports=[REPORT]))
    ended.set_result(None)
    page.run()
    assert not page.info
    assert len(asked) == 1


def test_a_ranking_that_failed_is_tried_again_only_if_asked(behind, days, open_page, asked):
    finish_oldest(behind, days)
    page = open_page(pending_page, behind, only=REPORT)
    asked[0][1].set_exception(WorkspaceError("the disk is full"))
    page.run()
    assert texts(page.error) == ["the disk is full"]
    assert len(asked) == 1
    page.button(key="rank-again").click().run()
    assert len(asked) == 2


def published_page(open_page, store, **query):
    page = open_page(pending_page, store, **query)
    page.button_group(key="part-of-backlog").set_value("gone out").run()
    assert not page.exception
    return page


def out(page):
    """The links to what has gone out."""
    return [link for link in links(page) if "issue=" in link[1]]


def test_what_has_gone_out_newest_first(behind, days, open_page):
    say(behind, days[-2], [2, 3])
    shown = last_ranking(behind, days[-2])
    read_and_issue(behind, days[-2], shown)
    page = published_page(open_page, behind, only=REPORT)
    (first, target), (second, _) = out(page)[:2]
    order = shown.ranking.positions.tolist()
    last = max(order.index(2), order.index(3)) + 1
    n_papers = len(order)
    assert f"{days[-2]}" in first
    assert f"2 of {n_papers} papers · the last relevant one at {last} · ada" in first
    assert "3 of " in second
    assert "in the order received" in second
    assert target == f"report={REPORT}&issue={days[-2]}&ranking={shown.id}"


def test_what_has_gone_out_of_all_reports_a_part_at_a_time(behind, open_page):
    page = published_page(open_page, behind)
    n_all = sum(len(publications.published(behind, one.code)) for one in catalogue.reports(behind))
    assert len(out(page)) == 50 < n_all
    while "more-gone-out" in {button.key for button in page.button}:
        page.button(key="more-gone-out").click().run()
    assert len(out(page)) == n_all


def test_nothing_gone_out_is_said(store, open_page):
    catalogue.add_reports(store, [Report("new", "New")])
    assert "Nothing has gone out yet" in published_page(open_page, store, only="new").info[0].value


def test_a_log_opens_from_what_has_gone_out(behind, days, open_page):
    page = published_page(open_page, behind, only=REPORT)
    page.button(key=f"log-{REPORT}-{days[-4]}").click().run()
    assert not page.exception
    assert len(page.dataframe[0].value) == 6


def test_the_log_is_searched_and_shows_who_said_what(behind, days, open_page):
    day = days[-1]
    say(behind, day, [1, 2])
    say(behind, day, [1], word="undecided", person="bob")
    page = open_page(log_page, behind, issue=day)
    table = page.dataframe[0].value
    assert table["decision_text"].tolist() == ["undecided again", "relevant", "relevant"]
    assert table["person"].tolist() == ["bob", "ada", "ada"]
    title = catalogue.papers(behind, day)[0].title
    page.text_input[0].set_value(" ".join(reversed(title.upper().split()))).run()
    assert page.dataframe[0].value["title"].tolist() == [title, title]
    assert any("2 of 3 entries" in caption.value for caption in page.caption)
    page.text_input[0].set_value("zebra crossing").run()
    assert not page.dataframe
    assert "No title in this log has all of these words." in texts(page.caption)


def test_the_log_of_an_issue_nobody_touched_says_so(behind, days, open_page):
    assert texts(open_page(log_page, behind, issue=days[-1]).info) == ["Nothing was decided on this issue."]


def test_the_log_says_who_skipped_an_issue_and_who_took_it_up_again(behind, days, open_page):
    skip(behind, REPORT, days[-1], person="ada")
    take_up(behind, REPORT, days[-1], person="bob")
    entries = [text.partition(" · ")[2] for text in texts(open_page(log_page, behind, issue=days[-1]).caption)]
    assert entries == ["ada: skipped", "bob: taken up again"]


def test_the_log_says_when_and_why_an_issue_was_reopened(behind, days, open_page):
    read_and_issue(behind, days[-1], None)
    reopen(behind, REPORT, days[-1], "One is missing.", person="Ann")
    captions = texts(open_page(log_page, behind, issue=days[-1]).caption)
    assert [text.partition(" · ")[2] for text in captions if "reopened" in text] == [
        "Ann: reopened, as: One is missing."
    ]
