from datetime import date, timedelta

import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.errors import RefusedError
from presort.data.learning.history import read_history
from presort.data.records import Issue, Paper, Report
from tests.data.workspaces import FIRST, SECOND, THIRD, contents, make_issue, make_listed, say, send_out, take_in

LABOUR, HISTORY = Report("lab", "Labour"), Report("his", "History")
NO_SUCH_DAY = FIRST - timedelta(days=1)


def as_lists(rows_by_report):
    return {report: rows.tolist() for report, rows in rows_by_report.items()}


def test_an_empty_workspace(store):
    assert catalogue.issues(store) == []
    assert catalogue.papers(store, FIRST) == []
    assert catalogue.reports(store, retired=True) == []
    assert catalogue.setting(store, "demo") is None
    assert catalogue.revision(store) == 0


def test_the_history_of_an_empty_workspace(store):
    history = read_history(store, date.max)
    assert (history.issues, history.starts.tolist(), list(history.papers)) == ((), [0], [])
    assert (history.relevant, history.maybe) == ({}, {})


def test_settings(store):
    catalogue.set_setting(store, "demo", "1")
    catalogue.set_setting(store, "ranker", "presort-1")
    catalogue.set_setting(store, "demo", "2")
    assert (catalogue.setting(store, "demo"), catalogue.setting(store, "ranker")) == ("2", "presort-1")


def test_issues_oldest_first(store):
    take_in(store, make_issue(2, THIRD), make_issue(3, FIRST), make_issue(1, SECOND))
    assert catalogue.issues(store) == [Issue(FIRST, 3), Issue(SECOND, 1), Issue(THIRD, 2)]


def test_papers_come_in_list_order(store):
    take_in(store, [make_listed("z"), make_listed("m", authors=("Ann", "Bo")), make_listed("a")])
    assert catalogue.papers(store, FIRST) == [
        Paper("z", "About z"),
        Paper("m", "About m", authors=("Ann", "Bo")),
        Paper("a", "About a"),
    ]
    assert catalogue.papers(store, NO_SUCH_DAY) == []


def test_a_paper_by_its_id(store):
    take_in(store, [make_listed("m", authors=("Ann", "Bo"))])
    assert catalogue.paper(store, "m") == Paper("m", "About m", authors=("Ann", "Bo"))
    with pytest.raises(RefusedError, match="There is no paper 'z'"):
        catalogue.paper(store, "z")


def test_reports_by_code_and_retired_ones_only_when_asked_for(store):
    catalogue.add_reports(store, [LABOUR, HISTORY])
    catalogue.rename_report(store, "lab", "Work")
    catalogue.retire_report(store, "his")
    assert catalogue.reports(store) == [Report("lab", "Work")]
    assert catalogue.reports(store, retired=True) == [
        Report("his", "History", is_retired=True),
        Report("lab", "Work"),
    ]


def test_a_retired_report_keeps_what_it_decided(store):
    take_in(store, make_issue(3, selected={"lab": [2]}))
    catalogue.retire_report(store, "lab")
    assert decisions.labels(store, "lab", FIRST) == {"a2": "yes"}
    assert as_lists(read_history(store, FIRST).relevant) == {"lab": [1]}


@pytest.mark.parametrize(
    "new", [pytest.param([HISTORY, LABOUR], id="in-the-workspace"), pytest.param([HISTORY, HISTORY], id="in-the-call")]
)
def test_a_code_that_is_taken_is_refused_and_no_report_is_added(store, new):
    catalogue.add_reports(store, [LABOUR])
    with pytest.raises(RefusedError, match=r"Report code '(lab|his)' is already taken\. Choose another code"):
        catalogue.add_reports(store, new)
    assert catalogue.reports(store) == [LABOUR]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda store: catalogue.rename_report(store, "no", "No"), id="rename"),
        pytest.param(lambda store: catalogue.retire_report(store, "no"), id="retire"),
    ],
)
def test_an_unknown_report_is_refused(store, change):
    with pytest.raises(RefusedError, match=r"There is no report 'no'\. Reports: none yet"):
        change(store)
    catalogue.add_reports(store, [LABOUR, HISTORY])
    before = contents(store)
    with pytest.raises(RefusedError, match=r"There is no report 'no'\. Reports: his, lab"):
        change(store)
    assert contents(store) == before


def test_ids_of_known_and_unknown_papers(store):
    with store.reading() as connection, pytest.raises(RefusedError, match="Newest issue: none, import papers first"):
        catalogue.issue_id(connection, FIRST)
    take_in(store, make_issue(1), make_issue(1, SECOND, selected={"lab": [1]}))
    with store.reading() as connection:
        assert catalogue.report_id(connection, "lab") == 1
        assert catalogue.issue_id(connection, SECOND) == 2
        with pytest.raises(RefusedError, match=f"no issue of {NO_SUCH_DAY}. Newest issue: {SECOND}"):
            catalogue.issue_id(connection, NO_SUCH_DAY)


def test_history_concatenates_all_issues(store):
    take_in(
        store,
        make_issue(2, THIRD, selected={"lab": [2]}),
        make_issue(3, FIRST, selected={"lab": [1, 3], "his": [2]}),
        make_issue(4, SECOND, selected={"his": [4, 1]}),
    )
    history = read_history(store, date.max)
    assert history.issues == (FIRST, SECOND, THIRD)
    assert history.starts.tolist() == [0, 3, 7, 9]
    assert [paper.paper_id for paper in history.papers] == ["a1", "a2", "a3", "b1", "b2", "b3", "b4", "c1", "c2"]
    assert as_lists(history.relevant) == {"his": [1, 3, 6], "lab": [0, 2, 8]}
    assert as_lists(history.maybe) == {"his": [], "lab": []}


@pytest.mark.parametrize(
    ("through", "n_issues", "n_papers", "relevant"),
    [
        pytest.param(NO_SUCH_DAY, 0, 0, {}, id="before-all"),
        pytest.param(FIRST, 1, 3, {"lab": [0]}, id="first"),
        pytest.param(SECOND - timedelta(days=1), 1, 3, {"lab": [0]}, id="between"),
        pytest.param(SECOND, 2, 5, {"his": [3], "lab": [0]}, id="all"),
    ],
)
def test_history_ends_with_the_requested_issue(store, through, n_issues, n_papers, relevant):
    take_in(store, make_issue(3, selected={"lab": [1]}), make_issue(2, SECOND, selected={"his": [1]}))
    history = read_history(store, through)
    assert (len(history.issues), len(history.papers), history.starts[-1]) == (n_issues, n_papers, n_papers)
    assert as_lists(history.relevant) == relevant


def test_a_paper_in_two_issues_has_two_rows_and_labels_in_history(store):
    take_in(store, [make_listed("p", selected_by=("lab",)), make_listed("p", SECOND), make_listed("q", SECOND)])
    history = read_history(store, SECOND)
    assert [paper.paper_id for paper in history.papers] == ["p", "p", "q"]
    assert as_lists(history.relevant) == {"lab": [0]}


def test_a_later_paper_of_an_older_issue_moves_the_rows_after_it(store):
    take_in(store, make_issue(2, selected={"lab": [2]}), make_issue(2, SECOND, selected={"lab": [1]}))
    take_in(store, [make_listed("late", selected_by=("lab",))])
    history = read_history(store, SECOND)
    assert [paper.paper_id for paper in history.papers] == ["a1", "a2", "late", "b1", "b2"]
    assert as_lists(history.relevant) == {"lab": [1, 2, 3]}


REVIEWED = [("a1", "yes"), ("a2", "no"), ("a3", "maybe"), ("a4", "no"), ("a4", "undecided")]


@pytest.mark.parametrize(
    ("decided", "is_published", "relevant", "maybe"),
    [
        pytest.param(REVIEWED, False, [0], [2, 3, 4], id="begun: what is undecided teaches nothing"),
        pytest.param(REVIEWED, True, [0], [2], id="issued: what is undecided was not wanted"),
        pytest.param([("a1", "no"), ("a2", "maybe")], False, [], [], id="started-without-relevant-papers"),
        pytest.param([("a2", "maybe")], True, [], [1], id="published-without-relevant-papers"),
        pytest.param([("a1", "yes"), ("a1", "no")], False, [], [], id="taken-back"),
    ],
)
def test_training_labels_of_an_issue_under_review(store, decided, is_published, relevant, maybe):
    take_in(store, make_issue(5))
    catalogue.add_reports(store, [LABOUR, HISTORY])
    decisions.decide(store, [say("lab", paper, word) for paper, word in decided])
    if is_published:
        send_out(store, "lab")
    history = read_history(store, FIRST)
    assert as_lists(history.relevant) == {"lab": relevant}
    assert as_lists(history.maybe) == {"lab": maybe}


def test_a_finished_issue_before_one_under_review(store):
    take_in(store, make_issue(3, selected={"lab": [1]}), make_issue(3, SECOND))
    decisions.decide(store, [say("lab", "b2", "yes", SECOND)])
    history = read_history(store, SECOND)
    assert as_lists(history.relevant) == {"lab": [0, 4]}
    assert as_lists(history.maybe) == {"lab": [3, 5]}


def test_rows_are_ascending_whatever_the_order_of_the_decisions(store):
    take_in(store, make_issue(5), make_issue(3, SECOND))
    catalogue.add_reports(store, [LABOUR])
    decisions.decide(store, [say("lab", f"b{n}", "yes", SECOND) for n in (3, 1)])
    decisions.decide(store, [say("lab", f"a{n}", "yes") for n in (4, 2, 5)])
    assert as_lists(read_history(store, SECOND).relevant) == {"lab": [1, 3, 4, 5, 7]}
