"""The backlog: which pending issues are sorted again, in a process beside the server, and how the page shows it all."""

import json
from concurrent.futures import Future
from datetime import date, timedelta

import pytest
from typer.testing import CliRunner

from data import catalogue, rankings, reviews
from data.backlog import pending
from data.errors import WorkspaceError
from data.holidays import add_holiday
from data.publish import publish
from data.records import Decision, ListedPaper, Paper, Report
from desk import backlog, workflow
from desk.boxes import again_box
from desk.cli import app
from desk.sorting_again import Queue
from ranker.versions import DEFAULT, RECIPES

FAST, OTHER = RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]
REPORT = "own"  # has issued all but the three newest issues


def pending_page():
    from desk.pages import pending

    pending.show()


def again_page():
    from datetime import date

    import streamlit as st

    from desk.boxes import again_box

    issue = date.fromisoformat(st.query_params["issue"])
    st.button("Issued", on_click=again_box.begin_after, args=("own", issue))
    again_box.show("own")


def log_page():
    from datetime import date

    import streamlit as st

    from desk.boxes import log_box

    log_box.show("own", date.fromisoformat(st.query_params["issue"]))


@pytest.fixture
def days(listings):
    return sorted({listed.issue for listed in listings})


@pytest.fixture
def behind(store, days):
    """A report that has the three newest issues pending, and something to learn from; the two newest are sorted."""
    catalogue.add_reports(store, [Report(REPORT, "Own")])
    for day in days[:-3]:
        say(store, day, [1, 2, 3])
        workflow.issue_report(store, REPORT, day, None, person="ada")
    for day in days[-2:]:
        list(workflow.rank(store, [FAST], issue=day, reports=[REPORT]))
    return store


def say(store, day, positions, word="yes", person="ada"):
    papers = catalogue.papers(store, day)
    reviews.decide(store, [Decision(REPORT, day, papers[p - 1].paper_id, word, person) for p in positions])


def finish_oldest(store, days):
    """Decide on the oldest pending issue, and issue it."""
    say(store, days[-3], [4, 5])
    workflow.issue_report(store, REPORT, days[-3], None, person="ada")


def made(work):
    return [(step.report, step.ranker, step.done, step.total) for step in work]


def last_ranking(store, day, ranker=FAST.name):
    return rankings.newest_rankings(store, REPORT, day)[ranker]


def test_finishing_an_older_issue_leaves_the_newer_ones_to_sort_again(behind, days):
    assert backlog.outdated_after(behind, REPORT, days[-3]) == []
    finish_oldest(behind, days)
    assert [one.issue for one in backlog.outdated_after(behind, REPORT, days[-3])] == days[-2:]
    assert [one.issue for one in backlog.outdated_after(behind, REPORT, days[-2])] == days[-1:]


def test_an_issue_without_a_ranking_is_not_to_be_sorted_again(store, days):
    catalogue.add_reports(store, [Report(REPORT, "Own")])
    workflow.issue_report(store, REPORT, days[-4], None, person="ada")
    finish_oldest(store, days)
    assert backlog.outdated_after(store, REPORT, days[-3]) == []


def test_issuing_with_nothing_relevant_leaves_the_newer_ones_as_they_are(behind, days):
    workflow.issue_report(behind, REPORT, days[-3], None, person="ada")
    assert backlog.outdated_after(behind, REPORT, days[-3]) == []


def test_sorting_again_learns_what_was_decided_and_keeps_decisions(behind, days):
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
    assert list(reviews.words(behind, REPORT, days[-1]).values()) == ["maybe"]
    assert made(backlog.rank_pending(behind, reports=[REPORT])) == []


def test_each_issue_is_sorted_again_by_the_rankers_that_sorted_it(behind, days):
    list(workflow.rank(behind, [OTHER], issue=days[-1], reports=[REPORT]))
    finish_oldest(behind, days)
    list(backlog.rank_pending(behind, reports=[REPORT]))
    by_ranker = [set(rankings.newest_rankings(behind, REPORT, day)) for day in days[-2:]]
    assert by_ranker == [{FAST.name}, {FAST.name, OTHER.name}]


def test_an_issue_that_was_never_sorted_is_by_the_default_or_those_named(behind, days):
    assert made(backlog.rank_pending(behind, [OTHER], reports=[REPORT])) == [
        (REPORT, OTHER.name, 1, 3),
        (REPORT, OTHER.name, 2, 3),
        (REPORT, OTHER.name, 3, 3),
    ]
    workflow.issue_report(behind, "lab", days[-1], None, person="ada")
    publish(behind, [ListedPaper(Paper("late", "Late wages"), days[-1] + timedelta(days=7))], person="import")
    assert made(backlog.rank_pending(behind, reports=["lab"])) == [("lab", DEFAULT, 1, 1)]


@pytest.mark.parametrize("event", ["decision", "gone-out", "reopened-issue", "late-paper"])
def test_what_is_outdated_is_what_rank_would_rank_again(behind, days, event):
    match event:
        case "decision":
            say(behind, days[-3], [9], word="no")
        case "gone-out":
            finish_oldest(behind, days)
        case "reopened-issue":
            workflow.issue_report(behind, REPORT, days[-3], None, person="ada")
        case "late-paper":
            publish(behind, [ListedPaper(Paper("late", "Late wages"), days[-1])], person="import")
    issues = [one for one in pending(behind, [REPORT], today=days[-1]) if one.issue > days[-3]]
    outdated = [one.issue for one in backlog.outdated(behind, issues)]
    assert outdated == [day for day in days[-2:] if list(workflow.rank(behind, [FAST], issue=day, reports=[REPORT]))]
    assert backlog.outdated(behind, issues) == []


def test_the_command_line_ranks_what_is_pending(behind, days):
    def rank(*words):
        return CliRunner().invoke(app, ["--workspace", str(behind.path.parent), "rank", *words])

    only = ["--pending", "--report", REPORT, "--jobs", "1"]
    finish_oldest(behind, days)
    assert json.loads(rank(*only, "--json").stdout) == {"rankings": 2, "notes": {}}
    assert rank(*only).stdout == "Everything was ranked already.\n"
    assert "--issue and --pending" in rank("--pending", "--issue", str(days[-1])).output
    assert "There is no report xyz" in rank("--pending", "--report", "xyz").stderr


def test_the_queue_sorts_in_a_process_of_its_own(behind, days):
    finish_oldest(behind, days)
    Queue(behind.path.parent).add([REPORT]).result(timeout=120)
    assert backlog.outdated_after(behind, REPORT, days[-3]) == []


def test_the_queue_tells_what_is_wrong_outside_the_program_from_a_bug(behind, monkeypatch, tmp_path, capfd):
    with pytest.raises(WorkspaceError, match=r"^There is no report xyz; the reports are: .*own"):
        Queue(behind.path.parent).add(["xyz"]).result(timeout=120)
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho Traceback >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(broken))
    with pytest.raises(RuntimeError, match="ended with 1\nTraceback"):
        Queue(behind.path.parent).add([REPORT]).result(timeout=120)
    assert capfd.readouterr().err == "Traceback\n"  # also in the server's log


@pytest.fixture
def asked(monkeypatch):
    """What the queue was asked for: reports, and the future to settle."""
    calls = []

    class Fake:
        def add(self, reports):
            calls.append((list(reports), Future()))
            return calls[-1][1]

    monkeypatch.setattr(again_box, "_queue", lambda workspace: Fake())
    return calls


def texts(elements):
    return [element.value for element in elements]


def test_newer_issues_are_sorted_again_while_the_editor_goes_on(behind, days, open_page, asked):
    page = open_page(again_page, behind, issue=days[-3])
    finish_oldest(behind, days)
    page.button[0].click().run()
    ((reports, ended),) = asked
    assert reports == [REPORT]
    assert texts(page.info) == [
        "2 newer issues are being sorted again with what you just decided. You can go on meanwhile."
    ]
    ended.set_result(None)
    assert texts(page.run().success) == [
        "2 newer issues were sorted again with what you just decided; so they stand when you open them next."
    ]
    assert not page.run().success  # said once


def test_nothing_is_said_where_no_newer_issue_is_to_be_sorted_again(behind, days, open_page, asked):
    page = open_page(again_page, behind, issue=days[-3])
    page.button[0].click().run()
    assert asked == []
    assert not page.info


def test_what_went_wrong_in_sorting_again_is_seen_once(behind, days, open_page, asked):
    page = open_page(again_page, behind, issue=days[-3])
    finish_oldest(behind, days)
    page.button[0].click().run()
    asked[0][1].set_exception(WorkspaceError("the disk is full"))
    assert texts(page.run().error) == ["the disk is full"]
    page.button[0].click().run()
    asked[1][1].set_exception(RuntimeError("a bug"))
    assert page.run().exception[0].value == "a bug"
    assert not page.run().exception


def links(page):
    """What each link says, and where it leads."""
    return [(link.proto.label, link.proto.query_string) for link in page.get("page_link")]


def words_of(page):
    return " ".join(text.value for text in page.markdown)


def test_pending_without_reports_or_issues_says_what_to_do(empty_store, open_page):
    assert "presort reports add" in open_page(pending_page, empty_store).info[0].value
    catalogue.add_reports(empty_store, [Report("new", "New")])
    assert "presort import" in open_page(pending_page, empty_store).info[0].value


def test_nothing_pending_is_said_kindly(behind, days, open_page):
    for day in days[-3:]:
        workflow.issue_report(behind, REPORT, day, None, person="ada")
    page = open_page(pending_page, behind, only=REPORT)
    assert texts(page.success) == ["Nothing is pending: every issue has gone out. Enjoy the quiet week."]


def test_pending_lists_the_oldest_first_and_each_opens_in_review(behind, days, open_page):
    say(behind, days[-2], [1, 2], word="no")
    page = open_page(pending_page, behind, only=REPORT)
    assert not page.exception
    assert texts(page.subheader) == [str(day) for day in days[-3:]]
    (oldest, middle, newest), targets = zip(*links(page), strict=True)
    assert list(targets) == [f"report={REPORT}&issue={day}" for day in days[-3:]]
    assert oldest.endswith("not begun, not sorted yet")
    assert middle.endswith("2 decided")
    assert newest.endswith("not begun, to be sorted again")
    assert "3 issues to finish, the oldest" in words_of(page)


def test_pending_shows_all_reports_unless_told(behind, open_page):
    page = open_page(pending_page, behind)
    n_pending = len(pending(behind, [one.code for one in catalogue.reports(behind)], today=date.today()))
    assert len(links(page)) == n_pending > 3
    page.selectbox(key="only").set_value(REPORT).run()
    assert len(links(page)) == 3


@pytest.mark.parametrize(
    ("days_old", "said"),
    [
        pytest.param(13, None, id="under-two-weeks"),
        pytest.param(14, "late: readers expect it within two weeks", id="two-weeks"),
        pytest.param(42, "very late: six weeks and more", id="six-weeks"),
    ],
)
def test_a_late_issue_is_said_to_be_late(empty_store, open_page, days_old, said):
    catalogue.add_reports(empty_store, [Report("new", "A *new* report")])
    day = date.today() - timedelta(days=days_old)
    publish(empty_store, [ListedPaper(Paper("p", "Wages"), day)], person="import")
    page = open_page(pending_page, empty_store)
    ((label, _),) = links(page)
    assert label == r":primary[**new · A \*new\* report**]  not begun, not sorted yet"
    assert ("late:" in words_of(page)) == (said is not None)
    assert (said or "") in words_of(page)


def test_holidays_make_nobody_late(empty_store, open_page):
    today = date.today()
    catalogue.add_reports(empty_store, [Report("new", "New")])
    publish(empty_store, [ListedPaper(Paper("p", "Wages"), today - timedelta(days=15))], person="import")
    add_holiday(empty_store, today - timedelta(days=9), today - timedelta(days=3), person="Ann")
    page = open_page(pending_page, empty_store)
    assert "2 weeks old" in words_of(page)
    assert "late" not in words_of(page)


def test_what_is_not_sorted_is_sorted_if_asked(behind, days, open_page, asked):
    finish_oldest(behind, days)
    page = open_page(pending_page, behind, only=REPORT)
    assert "2 issues are to be sorted again: they were" in words_of(page)
    page.button(key="sort-pending").click().run()
    ((reports, ended),) = asked
    assert reports == [REPORT]
    assert texts(page.info) == ["2 issues are being sorted. You can go on meanwhile."]
    assert page.button(key="sort-pending").disabled
    list(backlog.rank_pending(behind, reports=[REPORT]))
    ended.set_result(None)
    page.run()
    assert texts(page.success) == ["2 issues were sorted."]
    assert "sort-pending" not in {button.key for button in page.button}


def gone_out_page(open_page, store, **query):
    page = open_page(pending_page, store, **query)
    page.button_group(key="part-of-backlog").set_value("gone out").run()
    assert not page.exception
    return page


def test_what_has_gone_out_newest_first(behind, days, open_page):
    say(behind, days[-2], [2, 3])
    shown = last_ranking(behind, days[-2])
    workflow.issue_report(behind, REPORT, days[-2], shown, person="ada")
    page = gone_out_page(open_page, behind, only=REPORT)
    (first, target), (second, _) = links(page)[:2]
    order = shown.ranking.positions.tolist()
    last = max(order.index(2), order.index(3)) + 1
    n_papers = len(order)
    assert f"{days[-2]}" in first
    assert f"2 of {n_papers} papers · the last relevant one at {last} · ada" in first
    assert "3 of " in second
    assert "in the order received" in second
    assert target == f"report={REPORT}&issue={days[-2]}"


def test_what_has_gone_out_of_all_reports_a_part_at_a_time(behind, open_page):
    page = gone_out_page(open_page, behind)
    n_all = sum(len(reviews.issued(behind, one.code)) for one in catalogue.reports(behind))
    assert len(links(page)) == 50 < n_all
    while "more-gone-out" in {button.key for button in page.button}:
        page.button(key="more-gone-out").click().run()
    assert len(links(page)) == n_all


def test_nothing_gone_out_is_said(store, open_page):
    catalogue.add_reports(store, [Report("new", "New")])
    assert texts(gone_out_page(open_page, store, only="new").info) == ["Nothing has gone out yet."]


def test_a_log_opens_from_what_has_gone_out(behind, days, open_page):
    page = gone_out_page(open_page, behind, only=REPORT)
    page.button(key=f"log-{REPORT}-{days[-4]}").click().run()
    assert not page.exception
    assert len(page.dataframe[0].value) == 6


def test_the_log_is_searched_and_shows_who_said_what(behind, days, open_page):
    day = days[-1]
    say(behind, day, [1, 2])
    say(behind, day, [1], word="undecided", person="bob")
    page = open_page(log_page, behind, issue=day)
    table = page.dataframe[0].value
    assert table["said"].tolist() == ["undecided again", "relevant", "relevant"]
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
