from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data import catalogue, reviews
from data.backlog import pending, rankers_of
from data.errors import RefusedError
from data.hints import add_hint
from data.holidays import add_holiday
from data.rankings import add_rankings, find_replay
from data.records import Pending, Report
from data.reopening import reopen
from data.store import Store, open_store
from tests.data.workspaces import (
    FIRST,
    FIXED,
    SECOND,
    THIRD,
    make_issue,
    make_listed,
    make_ranking,
    say,
    send_out,
    take_in,
)

TODAY = THIRD + timedelta(days=1)
DAYS = (FIRST, SECOND, THIRD)


@pytest.fixture
def begun(store: Store) -> Store:
    """Three issues of five, three and two papers, and two reports."""
    take_in(store, make_issue(5), make_issue(3, SECOND), make_issue(2, THIRD))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    return store


def days(store: Store, report: str = "lab") -> list[object]:
    return [one.issue for one in pending(store, [report], today=TODAY)]


def test_nothing_is_pending_without_issues_or_reports(store):
    assert pending(store, [], today=TODAY) == []
    catalogue.add_reports(store, [Report("lab", "Labour")])
    assert days(store) == []


def test_who_begins_has_the_newest_issue_to_do(begun):
    assert pending(begun, ["lab"], today=TODAY) == [Pending("lab", THIRD, 2, 0, is_started=False, days_old=1)]


def test_a_report_that_issued_nothing_begins_where_it_started(begun):
    reviews.decide(begun, [say("lab", "b1", "no", SECOND)])
    assert pending(begun, ["lab"], today=TODAY) == [
        Pending("lab", SECOND, 3, 1, is_started=True, days_old=8),
        Pending("lab", THIRD, 2, 0, is_started=False, days_old=1),
    ]


def test_what_is_newer_than_the_newest_issued_is_pending(begun):
    send_out(begun, "lab", FIRST)
    assert days(begun) == [SECOND, THIRD]
    send_out(begun, "lab", SECOND)
    assert days(begun) == [THIRD]
    send_out(begun, "lab", THIRD)
    assert days(begun) == []


def test_an_older_issue_is_pending_while_something_is_decided_in_it(begun):
    send_out(begun, "lab", SECOND)
    assert days(begun) == [THIRD]
    reviews.decide(begun, [say("lab", "a1", "maybe")])
    assert days(begun) == [FIRST, THIRD]
    reviews.decide(begun, [say("lab", "a1", "undecided")])
    assert days(begun) == [THIRD]


def test_a_reopened_issue_is_pending_even_if_nothing_is_decided_in_it(begun):
    for day in DAYS:
        send_out(begun, "lab", day)
    reopen(begun, "lab", FIRST, "One is missing.", person="Ann")
    assert pending(begun, ["lab"], today=TODAY) == [Pending("lab", FIRST, 5, 0, is_started=True, days_old=15)]
    send_out(begun, "lab", FIRST)
    assert days(begun) == []


def test_decided_papers_are_counted_once_and_only_by_relevance(begun):
    said = [say("lab", "a1", "yes"), say("lab", "a1", "no", person="Bo"), say("lab", "a2", "maybe")]
    reviews.decide(begun, [*said, say("lab", "a3", "yes"), say("lab", "a3", "undecided")])
    reviews.decide(begun, [say("lab", "a1", "no", about="publish"), say("lab", "a4", "no", about="publish")])
    assert [one.n_decided for one in pending(begun, ["lab"], today=TODAY)] == [2, 0, 0]


def test_of_several_reports_the_oldest_issue_comes_first(begun):
    reviews.decide(begun, [say("lab", "b1", "yes", SECOND), say("his", "b1", "yes", SECOND)])
    found = [(one.issue, one.report) for one in pending(begun, ["lab", "his"], today=TODAY)]
    assert found == [(SECOND, "his"), (SECOND, "lab"), (THIRD, "his"), (THIRD, "lab")]


def test_an_unknown_report_is_refused(begun):
    with pytest.raises(RefusedError, match="There is no report 'no'; the reports are: his, lab"):
        pending(begun, ["lab", "no"], today=TODAY)


@pytest.fixture
def sorted_second(begun: Store) -> Store:
    """The second issue begun by lab, and sorted by what it had decided on the first."""
    reviews.decide(begun, [say("lab", "a1", "yes"), say("his", "a1", "yes"), say("lab", "b1", "yes", SECOND)])
    add_rankings(begun, [make_ranking("lab", SECOND, order=[3, 1, 2], decisions_up_to=1)])
    return begun


def by_rankers(store: Store, issue: object = SECOND) -> dict[str, bool]:
    issues = pending(store, ["lab"], today=TODAY)
    found = rankers_of(store, issues)
    assert list(found) == [(one.report, one.issue) for one in issues]
    return found["lab", issue]


def test_rankers_of_nothing(store):
    assert rankers_of(store, []) == {}


def test_an_issue_that_no_ranker_sorted_for_the_editor(sorted_second):
    add_rankings(
        sorted_second, [make_ranking("lab", THIRD, order=[1, 2], replay=find_replay(sorted_second, *DAYS[:2], 1))]
    )
    assert by_rankers(sorted_second, THIRD) == {}


def test_an_issue_that_is_sorted_by_all_that_is_known(sorted_second):
    assert by_rankers(sorted_second) == {"krichel-2007": True}


@pytest.mark.parametrize(
    ("happens", "is_up_to_date"),
    [
        pytest.param(lambda s: reviews.decide(s, [say("lab", "a2", "no")]), False, id="decision-on-an-earlier-issue"),
        pytest.param(lambda s: send_out(s, "lab", FIRST), False, id="earlier-issue-gone-out"),
        pytest.param(lambda s: reviews.decide(s, [say("lab", "b2", "yes", SECOND)]), True, id="decision-on-itself"),
        pytest.param(lambda s: reviews.decide(s, [say("lab", "c1", "yes", THIRD)]), True, id="decision-on-a-later-one"),
        pytest.param(lambda s: reviews.decide(s, [say("his", "a2", "yes")]), True, id="decision-of-another-report"),
        pytest.param(lambda s: add_hint(s, "lab", "mute", "wage", person="Ann"), False, id="hint"),
        pytest.param(lambda s: add_hint(s, "his", "mute", "wage", person="Ann"), True, id="hint-of-another-report"),
        pytest.param(lambda s: take_in(s, [make_listed("late", SECOND)]), False, id="paper-joined"),
        pytest.param(lambda s: take_in(s, [make_listed("late", FIRST)]), True, id="paper-joined-an-earlier-one"),
    ],
)
def test_what_an_issue_is_sorted_without(sorted_second, happens, is_up_to_date):
    happens(sorted_second)
    assert by_rankers(sorted_second) == {"krichel-2007": is_up_to_date}


def test_the_newest_ranking_of_each_ranker_counts(sorted_second):
    reviews.decide(sorted_second, [say("lab", "a2", "no")])
    add_rankings(
        sorted_second,
        [
            make_ranking("lab", SECOND, order=[1, 2, 3], decisions_up_to=4),
            make_ranking("lab", SECOND, ranker="arxiv-sanity", order=[1, 2, 3], decisions_up_to=1),
        ],
    )
    assert by_rankers(sorted_second) == {"krichel-2007": True, "arxiv-sanity": False}


events = st.one_of(
    st.tuples(st.just("decide"), st.integers(0, 2), st.sampled_from(["yes", "no", "undecided"])),
    st.tuples(st.just("issue or reopen"), st.integers(0, 2), st.none()),
)


@given(st.lists(events, max_size=10))
@settings(FIXED, max_examples=40)
def test_the_backlog_agrees_with_a_plain_one(made):
    with TemporaryDirectory() as folder:
        store = open_store(Path(folder))
        take_in(store, make_issue(1), make_issue(1, SECOND), make_issue(1, THIRD))
        catalogue.add_reports(store, [Report("lab", "Labour")])
        reopened = set()
        for kind, number, word in made:
            is_out = DAYS[number] in reviews.issued(store, "lab")
            if kind == "decide" and not is_out:
                reviews.decide(store, [say("lab", f"{'abc'[number]}1", word, DAYS[number])])
            elif kind != "decide" and is_out:
                reopen(store, "lab", DAYS[number], "One is missing.", person="Ann")
                reopened.add(DAYS[number])
            elif kind != "decide":
                send_out(store, "lab", DAYS[number])
        found = days(store)
        issued = reviews.issued(store, "lab")
        started = {day for day in DAYS if day in reopened or reviews.words(store, "lab", day)} - set(issued)
        store.close()
    if issued:
        assert found == [day for day in DAYS if day not in issued and (day in started or day > max(issued))]
    else:
        assert found == [day for day in DAYS if day >= min(started, default=THIRD)]


def test_days_of_holidays_are_counted_apart(begun):
    add_holiday(begun, THIRD, THIRD + timedelta(days=2), person="Ann")
    add_holiday(begun, THIRD + timedelta(days=5), THIRD + timedelta(days=9), person="Ann")
    (one,) = pending(begun, ["lab"], today=THIRD + timedelta(days=6))
    assert (one.days_old, one.days_off) == (6, 4)  # the issue's own day is none of them
