"""Pending issues that are re-ranked in the background."""

import json
from datetime import timedelta

import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.pending import pending
from presort.data.errors import WorkspaceError
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.records import ListedPaper, Paper, Report
from presort.desk.service import pending as backlog
from presort.desk.service import workflow
from presort.desk.ui import reranking
from presort.ranker.versions import DEFAULT
from tests.desk.command_line import invoke
from tests.desk.week.backlogs import (
    FAST,
    OTHER,
    REPORT,
    finish_oldest,
    last_ranking,
    made,
    read_and_issue,
    say,
    texts,
)

pytestmark = pytest.mark.whole


def test_publishing_an_older_issue_outdates_the_newer_lists(behind, days):
    assert backlog.outdated_issues_after(behind, REPORT, days[-3]) == []
    finish_oldest(behind, days)
    assert [one.issue for one in backlog.outdated_issues_after(behind, REPORT, days[-3])] == days[-2:]
    assert [one.issue for one in backlog.outdated_issues_after(behind, REPORT, days[-2])] == days[-1:]


def test_an_issue_without_a_ranking_is_not_outdated(store, days):
    catalogue.add_reports(store, [Report(REPORT, "Own")])
    read_and_issue(store, days[-4], None)
    finish_oldest(store, days)
    assert backlog.outdated_issues_after(store, REPORT, days[-3]) == []


def test_publishing_an_empty_issue_outdates_no_newer_list(behind, days):
    read_and_issue(behind, days[-3], None)
    assert backlog.outdated_issues_after(behind, REPORT, days[-3]) == []


def test_re_ranking_uses_the_decisions_and_keeps_them(behind, days):
    say(behind, days[-1], [7], word="maybe")
    before = {day: last_ranking(behind, day) for day in days[-2:]}
    finish_oldest(behind, days)
    assert made(backlog.rank_pending(behind, reports=[REPORT])) == [
        (REPORT, FAST.name, 1, 2),
        (REPORT, FAST.name, 2, 2),
    ]
    for day, old in before.items():
        new = last_ranking(behind, day)
        assert new.id > old.id
        assert new.ranking.n_relevant == old.ranking.n_relevant + 2
        assert new.ranking.scores.tolist() != old.ranking.scores.tolist()
    assert list(decisions.labels(behind, REPORT, days[-1]).values()) == ["maybe"]
    assert made(backlog.rank_pending(behind, reports=[REPORT])) == []


def test_each_issue_is_re_ranked_by_its_own_rankers(behind, days):
    list(workflow.rank(behind, [OTHER], issue=days[-1], reports=[REPORT]))
    finish_oldest(behind, days)
    list(backlog.rank_pending(behind, reports=[REPORT]))
    by_ranker = [set(rankings.newest_rankings(behind, REPORT, day)) for day in days[-2:]]
    assert by_ranker == [{FAST.name}, {FAST.name, OTHER.name}]


def test_an_unranked_issue_is_ranked_by_the_default_or_the_named_rankers(behind, days):
    assert made(backlog.rank_pending(behind, [OTHER], reports=[REPORT])) == [
        (REPORT, OTHER.name, 1, 3),
        (REPORT, OTHER.name, 2, 3),
        (REPORT, OTHER.name, 3, 3),
    ]
    workflow.publish_report_issue(behind, "lab", days[-1], None, person="ada")
    commit_import(behind, [ListedPaper(Paper("late", "Late wages"), days[-1] + timedelta(days=7))], person="import")
    assert made(backlog.rank_pending(behind, reports=["lab"])) == [("lab", DEFAULT, 1, 1)]


@pytest.mark.parametrize("event", ["decision", "gone-out", "reopened-issue", "late-paper", "late-earlier-paper"])
def test_outdated_lists_are_those_that_rank_would_re_rank(behind, days, event):
    match event:
        case "decision":
            say(behind, days[-3], [9], word="no")
        case "gone-out":
            finish_oldest(behind, days)
        case "reopened-issue":
            read_and_issue(behind, days[-3], None)
        case "late-paper":
            commit_import(behind, [ListedPaper(Paper("late", "Late wages"), days[-1])], person="import")
        case "late-earlier-paper":
            commit_import(behind, [ListedPaper(Paper("late", "Late wages"), days[0])], person="import")
    issues = [one for one in pending(behind, [REPORT], today=days[-1]) if one.issue > days[-3]]
    outdated = [one.issue for one in backlog.outdated_issues(behind, issues)]
    assert outdated == [day for day in days[-2:] if list(workflow.rank(behind, [FAST], issue=day, reports=[REPORT]))]
    assert backlog.outdated_issues(behind, issues) == []


def test_the_command_line_ranks_what_is_pending(behind, days):
    def rank(*words):
        return invoke(["--workspace", str(behind.folder), "rank", *words])

    only = ["--pending", "--report", REPORT, "--jobs", "1"]
    finish_oldest(behind, days)
    assert json.loads(rank(*only, "--json").stdout) == {"rankings": 2, "notes": {}}
    assert rank(*only).stdout == "All rankings are up to date.\n"
    assert "--issue or --pending" in rank("--pending", "--issue", str(days[-1])).output
    assert "There is no report xyz" in rank("--pending", "--report", "xyz").stderr


def again_page():
    from datetime import date

    import streamlit as st

    from presort.desk.ui import reranking

    issue = date.fromisoformat(st.query_params["issue"])
    st.button("Issued", on_click=reranking.rerank_newer, args=("own", issue))
    reranking.show("own")


def test_newer_issues_are_re_ranked_in_the_background(behind, days, open_page, asked):
    page = open_page(again_page, behind, issue=days[-3])
    finish_oldest(behind, days)
    page.button[0].click().run()
    ((reports, ended),) = asked
    assert reports == [REPORT]
    assert texts(page.info) == [reranking.describe_progress(2, days[-3], 0)]
    ended.set_result(None)
    assert len(page.run().success) == 1
    assert not page.run().success  # shown once


def test_no_message_if_no_newer_issue_is_re_ranked(behind, days, open_page, asked):
    page = open_page(again_page, behind, issue=days[-3])
    page.button[0].click().run()
    assert asked == []
    assert not page.info


def test_an_error_of_re_ranking_is_shown_once(behind, days, open_page, asked):
    page = open_page(again_page, behind, issue=days[-3])
    finish_oldest(behind, days)
    page.button[0].click().run()
    asked[0][1].set_exception(WorkspaceError("the disk is full"))
    assert texts(page.run().error) == ["the disk is full"]
    page.button[0].click().run()
    asked[1][1].set_exception(RuntimeError("a bug"))
    assert page.run().exception[0].value == "a bug"
    assert not page.run().exception
