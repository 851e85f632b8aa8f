"""The *This week* page in `AppTest`: pending issues, published issues, and the log."""

import re
from datetime import date, timedelta
from urllib.parse import urlencode

import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.log import published_issues
from presort.data.editing.pending import pending
from presort.data.editing.publications import reopen
from presort.data.editing.read_papers import mark_read
from presort.data.editing.skipping import skip, skippings, undo_skip
from presort.data.errors import WorkspaceError
from presort.data.intake.commit_import import commit_import
from presort.data.records import Decision, ListedPaper, Paper, PendingIssue, Report
from presort.data.running.holidays import add_holiday
from presort.desk import access
from presort.desk.preferences.own_reports import set_own_reports
from presort.desk.service import pending as backlog
from presort.desk.text import escape
from presort.desk.ui import empty
from presort.desk.week import log, pending_list, published_lists
from presort.desk.week.pending_list import sort_by_urgency
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


def test_nothing_pending_is_shown_as_success(behind, days, open_page):
    for day in days[-3:]:
        read_and_issue(behind, day, None)
    page = open_page(pending_page, behind, only=REPORT)
    assert len(page.success) == 1
    assert not lines(page)


def lines(page):
    """Return the text of each pending issue."""
    return [text.value for text in page.markdown if re.search(r"\d{4}-\d\d-\d\d\* :\w+-badge", text.value)]


def to_review(page):
    """Return label and target of each link that opens a pending issue."""
    return [(label, to) for label, to in links(page) if label == "Start" or label.startswith("Continue")]


def test_pending_issues_are_listed_oldest_first_with_figures_and_a_link_to_the_first_unread_paper(
    behind, days, open_page
):
    say(behind, days[-2], [1, 2], word="no")
    shown = last_ranking(behind, days[-1])
    mark_read(behind, REPORT, days[-1], shown.id, 7, person="ada")
    decide_at(behind, days[-1], shown, place=3)
    page = open_page(pending_page, behind, only=REPORT)
    assert not page.exception
    oldest, middle, newest = lines(page)
    assert [str(day) in line for day, line in zip(days[-3:], lines(page), strict=True)] == [True] * 3
    assert f"badge[{pending_list.NOT_RANKED}]" in oldest
    assert "read" not in oldest
    assert "2 read · 0 relevant" in middle
    assert "7 read · 1 relevant" in newest
    assert f"badge[{pending_list.OUTDATED}]" in newest
    assert "**3** pending" in words_of(page)
    labels, targets = zip(*to_review(page), strict=True)
    assert list(targets) == [f"report={REPORT}&issue={day}" for day in days[-3:]]
    assert (labels[0], labels[2]) == ("Start", "Continue at paper 8")


def decide_at(store, day, shown, place):
    """Mark the paper at a place of a ranked list as relevant."""
    paper = catalogue.papers(store, day)[shown.ranking.positions[place - 1] - 1].paper_id
    decisions.decide(store, [Decision(REPORT, day, paper, "yes", "ada", ranking_id=shown.id)])


def test_a_skip_can_be_undone_at_once_and_later(behind, days, open_page):
    page = open_page(pending_page, behind, only=REPORT)
    page.button(key=f"skip-{REPORT}-{days[-2]}").click().run()
    assert not page.exception
    assert len(lines(page)) == 2
    assert [box.label for box in page.expander] == ["Skipped: 1"]
    assert escape(log.skip_entry(*skippings(behind, REPORT, days[-2]))) in texts(page.caption)
    # The skipped issue is not ranked again.
    assert made(backlog.rank_pending(behind, [OTHER], reports=[REPORT]))[-1][-1] == 2
    page.button(key=f"take-up-{REPORT}-{days[-2]}").click().run()
    assert len(lines(page)) == 3
    assert not page.expander
    assert "undo-skip" not in {button.key for button in page.button}
    page.button(key=f"skip-{REPORT}-{days[-1]}").click().run()
    page.button(key="undo-skip").click().run()
    assert len(lines(page)) == 3


def test_links_to_import_and_to_add_a_report_are_always_there(behind, days, open_page):
    ways = [("Import papers", ""), ("Add a report", urlencode(empty.TO_REPORTS.query))]
    page = open_page(pending_page, behind, only=REPORT)
    assert links(page)[:2] == ways
    for day in days[-3:]:
        read_and_issue(behind, day, None)
    assert links(page.run())[:2] == ways


def test_all_reports_are_listed_unless_one_is_selected_or_some_are_mine(behind, open_page):
    page = open_page(pending_page, behind)
    n_pending = len(pending(behind, [one.code for one in catalogue.reports(behind)], today=date.today()))
    assert len(lines(page)) == min(n_pending, pending_list.SHOWN_AT_ONCE) > 3
    page.selectbox(key="only").set_value(REPORT).run()
    assert len(lines(page)) == 3

    set_own_reports(behind, access.PERSON, [REPORT, "gone"])
    page = open_page(pending_page, behind)
    assert len(lines(page)) == 3
    assert "My reports" in page.selectbox(key="only").options
    page.selectbox(key="only").set_value("*").run()
    assert len(lines(page)) > 3


def test_a_long_list_is_collapsed(behind, days, open_page, monkeypatch):
    monkeypatch.setattr(pending_list, "SHOWN_AT_ONCE", 2)
    page = open_page(pending_page, behind, only=REPORT)
    assert len(lines(page)) == 2
    page.button(key="more-pending").click().run()
    assert len(lines(page)) == 3


@pytest.mark.parametrize(
    ("days_old", "chip"),
    [
        pytest.param(13, "New", id="under-two-weeks"),
        pytest.param(14, "Late", id="two-weeks"),
        pytest.param(27, "Late", id="under-four-weeks"),
        pytest.param(28, "Very late", id="four-weeks"),
    ],
)
def test_a_late_issue_has_a_chip(empty_store, open_page, days_old, chip):
    catalogue.add_reports(empty_store, [Report("new", "A *new* report")])
    day = date.today() - timedelta(days=days_old)
    commit_import(empty_store, [ListedPaper(Paper("p", "Wages"), day)], person="import")
    page = open_page(pending_page, empty_store)
    (line,) = lines(page)
    assert rf"**new · A \*new\* report** · *{day}*" in line
    assert f"badge[{chip}]" in line
    assert f"**{int(chip != 'New')}** late" in words_of(page)


def test_late_issues_come_first_then_the_oldest():
    first = date(2026, 11, 2)

    def issue(report, days_old, **more):
        return PendingIssue(report, first - timedelta(days=days_old), 9, 0, is_started=False, days_old=days_old, **more)

    not_late = [issue("a", 70, can_be_late=False), issue("b", 15, days_off=7), issue("c", 2)]
    late = [issue("d", 50), issue("e", 14)]
    assert sort_by_urgency([*reversed(late), *reversed(not_late)]) == [*late, *not_late]


def test_holidays_make_nobody_late(empty_store, open_page):
    today = date.today()
    catalogue.add_reports(empty_store, [Report("new", "New")])
    commit_import(empty_store, [ListedPaper(Paper("p", "Wages"), today - timedelta(days=15))], person="import")
    add_holiday(empty_store, today - timedelta(days=9), today - timedelta(days=3), person="Ann")
    page = open_page(pending_page, empty_store)
    assert "2 weeks old" in words_of(page)
    assert "badge[New]" in words_of(page)


def test_outdated_lists_are_re_ranked_automatically_with_progress(behind, days, open_page, asked):
    finish_oldest(behind, days)
    page = open_page(pending_page, behind, only=REPORT)
    ((reports, ended),) = asked
    assert reports == []  # all reports that need it
    assert len(page.info) == 1
    list(backlog.rank_pending(behind, reports=[REPORT]))
    ended.set_result(None)
    page.run()
    assert not page.info
    assert len(asked) == 1


def test_a_failed_ranking_is_retried_only_on_request(behind, days, open_page, asked):
    finish_oldest(behind, days)
    page = open_page(pending_page, behind, only=REPORT)
    asked[0][1].set_exception(WorkspaceError("the disk is full"))
    page.run()
    assert texts(page.error) == ["the disk is full"]
    assert len(asked) == 1
    page.button(key="rank-again-").click().run()
    assert len(asked) == 2


def published(page):
    return page.dataframe[-1].value


def test_published_lists_are_in_a_table_newest_first(behind, days, open_page):
    say(behind, days[-2], [2, 3])
    shown = last_ranking(behind, days[-2])
    read_and_issue(behind, days[-2], shown)
    page = open_page(pending_page, behind, only=REPORT)
    first, second = published(page).head(2).to_dict("records")
    order = shown.ranking.positions.tolist()
    assert first["issue"] == str(days[-2])
    assert (first["n_published"], first["n_papers"]) == (2, len(order))
    assert first["last_place"] == max(order.index(2), order.index(3)) + 1
    assert second["n_published"] == 3
    assert pd.isna(second["last_place"])  # not ranked
    row = published_issues(behind, [REPORT], 1)[0]
    assert published_lists.address(row) == {"report": REPORT, "issue": str(days[-2]), "ranking": str(shown.id)}


def select_row(page, row):
    """Select a row of the last table through the session state, because `AppTest` can't click rows."""
    _, _, key = page.dataframe[-1].proto.id.split("-", 2)  # the id is $$ID-HASH-KEY
    page.session_state[key] = {"selection": {"rows": [row], "columns": [], "cells": []}}
    page.run()
    assert not page.exception


def test_a_list_published_in_another_window_never_takes_the_place_of_the_selected_one(behind, days, open_page):
    read_and_issue(behind, days[-1], None)
    page = open_page(pending_page, behind, only=REPORT)
    select_row(page, 1)
    assert f"**{REPORT} · {days[-4]}**" in words_of(page)
    read_and_issue(behind, days[-2], None)
    page.run()
    assert f"**{REPORT} · {days[-2]}**" not in words_of(page)


def test_more_published_lists_are_read_on_request(behind, open_page):
    page = open_page(pending_page, behind)
    n_all = sum(len(publications.published(behind, one.code)) for one in catalogue.reports(behind))
    assert len(published(page)) == published_lists.SHOWN_AT_ONCE < n_all
    while "more-published" in {button.key for button in page.button}:
        page.button(key="more-published").click().run()
    assert len(published(page)) == n_all


def test_without_a_published_list_there_is_no_table(store, open_page):
    catalogue.add_reports(store, [Report("new", "New")])
    assert not open_page(pending_page, store, only="new").dataframe


def test_the_log_is_searched_and_shows_who_decided(behind, days, open_page):
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
    page.text_input[0].set_value("zebra crossing").run()
    assert not page.dataframe


def test_a_new_decision_never_takes_the_place_of_the_selected_one(behind, days, open_page):
    first, second = (paper.title for paper in catalogue.papers(behind, days[-1])[:2])
    say(behind, days[-1], [1])
    page = open_page(log_page, behind, issue=days[-1])
    select_row(page, 0)
    assert first in texts(page.text)
    say(behind, days[-1], [2], person="bob")
    assert second not in texts(page.run().text)


def test_the_log_of_an_untouched_issue_is_empty(behind, days, open_page):
    page = open_page(log_page, behind, issue=days[-1])
    assert len(page.info) == 1
    assert not page.dataframe


def test_the_log_names_who_skipped_an_issue_and_who_undid_it(behind, days, open_page):
    skip(behind, REPORT, days[-1], person="ada")
    undo_skip(behind, REPORT, days[-1], person="bob")
    captions = texts(open_page(log_page, behind, issue=days[-1]).caption)
    assert captions == [escape(log.skip_entry(one)) for one in skippings(behind, REPORT, days[-1])]
    assert ["ada" in captions[0], "bob" in captions[1]] == [True, True]


def test_the_log_gives_the_reason_of_a_reopening(behind, days, open_page):
    read_and_issue(behind, days[-1], None)
    reopen(behind, REPORT, days[-1], "One is missing.", person="Ann")
    captions = texts(open_page(log_page, behind, issue=days[-1]).caption)
    assert any("Ann" in text and "One is missing." in text for text in captions)
