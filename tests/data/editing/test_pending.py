from datetime import datetime, timedelta
from itertools import count
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data import catalogue
from presort.data.editing import decisions, publications, skipping
from presort.data.editing.hints import add_hint
from presort.data.editing.pending import FEW, SortedBy, pending, rankers_of, skipped
from presort.data.editing.publications import reopen
from presort.data.editing.skipping import skip, skippings, undo_skip
from presort.data.errors import RefusedError
from presort.data.learning.rankings import add_rankings, find_replay
from presort.data.records import PendingIssue, Report
from presort.data.running.holidays import add_holiday
from presort.data.store import Store
from tests.data.workspaces import (
    FIRST,
    SECOND,
    THIRD,
    contents,
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
    """Three issues with five, three and two papers, and two reports."""
    take_in(store, make_issue(5), make_issue(3, SECOND), make_issue(2, THIRD))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    return store


def days(store: Store, report: str = "lab") -> list[object]:
    return [one.issue for one in pending(store, [report], today=TODAY)]


def test_nothing_is_pending_without_issues_or_reports(store):
    assert pending(store, [], today=TODAY) == []
    catalogue.add_reports(store, [Report("lab", "Labour")])
    assert days(store) == []


def test_a_new_report_has_the_newest_issue_pending(begun):
    assert pending(begun, ["lab"], today=TODAY) == [PendingIssue("lab", THIRD, 2, 0, is_started=False, days_old=1)]


def test_a_report_without_publications_begins_with_its_first_started_issue(begun):
    decisions.decide(begun, [say("lab", "b1", "no", SECOND)])
    assert pending(begun, ["lab"], today=TODAY) == [
        PendingIssue("lab", SECOND, 3, 1, is_started=True, days_old=8),
        PendingIssue("lab", THIRD, 2, 0, is_started=False, days_old=1),
    ]


def test_issues_after_the_newest_published_one_are_pending(begun):
    send_out(begun, "lab", FIRST)
    assert days(begun) == [SECOND, THIRD]
    send_out(begun, "lab", SECOND)
    assert days(begun) == [THIRD]
    send_out(begun, "lab", THIRD)
    assert days(begun) == []


def test_an_older_issue_stays_pending_when_a_newer_one_is_published(begun):
    send_out(begun, "lab", FIRST)
    send_out(begun, "lab", THIRD)
    assert days(begun) == [SECOND]
    send_out(begun, "lab", SECOND)
    assert days(begun) == []


def test_issues_ranked_for_a_new_report_stay_pending(begun):
    add_rankings(begun, [make_ranking("lab", SECOND, order=[1, 2, 3]), make_ranking("lab", THIRD, order=[1, 2])])
    assert days(begun) == [SECOND, THIRD]
    send_out(begun, "lab", THIRD)
    assert days(begun) == [SECOND]


def test_issues_after_an_imported_past_are_pending(store):
    take_in(store, make_issue(5, selected={"his": [1]}), make_issue(3, SECOND, selected={"lab": [1]}))
    take_in(store, make_issue(2, THIRD))
    later = [THIRD + timedelta(weeks=week) for week in (1, 2)]
    take_in(store, *([make_listed(f"later {day}", day)] for day in later))
    assert days(store) == [THIRD, *later]
    assert days(store, "his") == [SECOND, THIRD, *later]
    send_out(store, "lab", later[0])
    take_in(store, [make_listed(f"later {later[1]}", later[1], selected_by=("lab",))])  # added by an import
    assert days(store) == [THIRD]
    reopen(store, "lab", SECOND, "One is missing.", person="Ann")
    assert days(store) == [SECOND, THIRD]
    send_out(store, "lab", SECOND)
    assert days(store) == [THIRD]


def test_reopening_an_imported_issue_makes_no_other_issue_pending(store):
    take_in(
        store, make_issue(5, selected={"lab": [1]}), make_issue(3, SECOND), make_issue(2, THIRD, selected={"lab": [1]})
    )
    assert days(store) == []
    reopen(store, "lab", FIRST, "One is missing.", person="Ann")
    assert days(store) == [FIRST]
    send_out(store, "lab", FIRST)
    assert days(store) == []


def skipped_days(store: Store, report: str = "lab") -> list[object]:
    return [one.issue for one in skipped(store, [report], today=TODAY)]


def test_a_skipped_issue_is_not_pending_until_the_skip_is_undone(begun):
    send_out(begun, "lab", FIRST)
    for _ in range(2):
        skip(begun, "lab", SECOND, person="Ann")
    assert (days(begun), skipped_days(begun)) == ([THIRD], [SECOND])
    undo_skip(begun, "lab", SECOND, person="Bo")
    assert (days(begun), skipped_days(begun)) == ([SECOND, THIRD], [])
    skip(begun, "lab", SECOND, person="Ann")
    assert (days(begun), skipped_days(begun)) == ([THIRD], [SECOND])
    changes = [(one.person, one.is_taken_back) for one in skippings(begun, "lab", SECOND)]
    assert changes == [("Ann", False), ("Bo", True), ("Ann", False)]
    # no repetitions
    assert [row[5:] for row in contents(begun)["skipped_issue"]] == [(0, False), (0, True), (0, False)]


def test_skipping_one_issue_skips_no_other(begun):
    send_out(begun, "lab", FIRST)
    send_out(begun, "his", FIRST)
    undo_skip(begun, "lab", SECOND, person="Ann")  # it already is
    skip(begun, "lab", THIRD, person="Ann")
    assert days(begun) == [SECOND]
    assert days(begun, "his") == [SECOND, THIRD]


def test_a_decision_ends_the_skip_of_an_issue(begun):
    send_out(begun, "lab", FIRST)
    decisions.decide(begun, [say("lab", "b1", "no", SECOND)])
    skip(begun, "lab", SECOND, person="Ann")
    assert days(begun) == [THIRD]
    decisions.decide(begun, [say("lab", "b2", "maybe", SECOND), say("his", "c1", "yes", THIRD)])
    assert (days(begun), skipped_days(begun)) == ([SECOND, THIRD], [])


def test_a_published_issue_can_not_be_skipped_and_reopening_ends_a_skip(begun):
    skip(begun, "lab", THIRD, person="Ann")
    send_out(begun, "lab", THIRD)
    with pytest.raises(RefusedError, match="was published on"):
        skip(begun, "lab", THIRD, person="Ann")
    reopen(begun, "lab", THIRD, "One is missing.", person="Ann")
    assert days(begun) == [THIRD]


def test_a_clock_set_back_between_skip_and_publication_has_no_effect(begun, monkeypatch):
    skip(begun, "lab", THIRD, person="Ann")
    slow = SimpleNamespace(now=lambda zone: datetime.now(zone) - timedelta(seconds=2))
    with monkeypatch.context() as set_back:
        set_back.setattr(decisions, "datetime", slow)
        send_out(begun, "lab", THIRD)
    reopen(begun, "lab", THIRD, "One is missing.", person="Ann")
    assert days(begun) == [THIRD]


def test_an_older_issue_with_decisions_is_pending(begun):
    send_out(begun, "lab", SECOND)
    assert days(begun) == [THIRD]
    decisions.decide(begun, [say("lab", "a1", "maybe")])
    assert days(begun) == [FIRST, THIRD]
    decisions.decide(begun, [say("lab", "a1", "undecided")])
    assert days(begun) == [THIRD]


def test_a_reopened_issue_is_pending_even_if_nothing_is_decided_in_it(begun):
    for day in DAYS:
        send_out(begun, "lab", day)
    reopen(begun, "lab", FIRST, "One is missing.", person="Ann")
    assert pending(begun, ["lab"], today=TODAY) == [PendingIssue("lab", FIRST, 5, 0, is_started=True, days_old=15)]
    send_out(begun, "lab", FIRST)
    assert days(begun) == []


def test_decided_papers_are_counted_once_and_only_by_relevance(begun):
    entries = [say("lab", "a1", "yes"), say("lab", "a1", "no", person="Bo"), say("lab", "a2", "maybe")]
    decisions.decide(begun, [*entries, say("lab", "a3", "yes"), say("lab", "a3", "undecided")])
    decisions.decide(begun, [say("lab", "a1", "no", about="publish"), say("lab", "a4", "no", about="publish")])
    decisions.decide(begun, [say("lab", "b1", "yes", SECOND)])
    waiting = pending(begun, ["lab"], today=TODAY)
    assert [(one.n_decided, one.n_relevant) for one in waiting] == [(2, 0), (1, 1), (0, 0)]


def test_of_several_reports_the_oldest_issue_comes_first(begun):
    decisions.decide(begun, [say("lab", "b1", "yes", SECOND), say("his", "b1", "yes", SECOND)])
    found = [(one.issue, one.report) for one in pending(begun, ["lab", "his"], today=TODAY)]
    assert found == [(SECOND, "his"), (SECOND, "lab"), (THIRD, "his"), (THIRD, "lab")]


def test_an_unknown_report_is_refused(begun):
    with pytest.raises(RefusedError, match=r"There is no report 'no'\. Reports: his, lab"):
        pending(begun, ["lab", "no"], today=TODAY)


@pytest.fixture
def sorted_second(begun: Store) -> Store:
    """Rank the second issue for a report that has started it, with its decisions on the first."""
    decisions.decide(begun, [say("lab", "a1", "yes"), say("his", "a1", "yes"), say("lab", "b1", "yes", SECOND)])
    add_rankings(begun, [make_ranking("lab", SECOND, order=[3, 1, 2], decisions_up_to=2, n_past=5)])
    return begun


def by_rankers(store: Store, issue: object = SECOND, *, together: bool = False) -> dict[str, SortedBy]:
    issues = pending(store, ["lab"], today=TODAY)
    found = rankers_of(store, issues, together=["krichel-2007"] if together else [])
    assert list(found) == [(one.report, one.issue) for one in issues]
    return found["lab", issue]


def test_no_issues_have_no_rankers(store):
    assert rankers_of(store, []) == {}


def test_an_issue_without_a_ranking_for_the_editor_has_no_rankers(sorted_second):
    add_rankings(
        sorted_second, [make_ranking("lab", THIRD, order=[1, 2], replay=find_replay(sorted_second, *DAYS[:2], 1))]
    )
    assert by_rankers(sorted_second, THIRD) == {}


def test_a_ranking_from_all_known_data_is_up_to_date(sorted_second):
    assert by_rankers(sorted_second) == {"krichel-2007": SortedBy.ALL}
    assert by_rankers(sorted_second, together=True) == {"krichel-2007": SortedBy.ALL}


@pytest.mark.parametrize(
    ("happens", "alone", "together"),
    [
        pytest.param(
            lambda s: decisions.decide(s, [say("lab", "a2", "no")]),
            SortedBy.LESS,
            SortedBy.LESS,
            id="decision-on-an-earlier-issue",
        ),
        pytest.param(lambda s: send_out(s, "lab", FIRST), SortedBy.LESS, SortedBy.LESS, id="earlier-issue-published"),
        pytest.param(
            lambda s: decisions.decide(s, [say("lab", "b2", "yes", SECOND)]),
            SortedBy.ALL,
            SortedBy.ALL,
            id="decision-on-itself",
        ),
        pytest.param(
            lambda s: decisions.decide(s, [say("lab", "c1", "yes", THIRD)]),
            SortedBy.ALL,
            SortedBy.ALL,
            id="decision-on-a-later-issue",
        ),
        pytest.param(
            lambda s: decisions.decide(s, [say("his", "a2", "yes")]),
            SortedBy.ALL,
            SortedBy.ALL_BUT_OTHERS,
            id="decision-of-another-report",
        ),
        pytest.param(
            lambda s: add_hint(s, "lab", "mute", "wage", person="Ann"), SortedBy.LESS, SortedBy.LESS, id="hint"
        ),
        pytest.param(
            lambda s: add_hint(s, "his", "mute", "wage", person="Ann"),
            SortedBy.ALL,
            SortedBy.ALL,
            id="hint-of-another-report",
        ),
        pytest.param(
            lambda s: take_in(s, [make_listed("late", SECOND)]), SortedBy.LESS, SortedBy.LESS, id="paper-joined"
        ),
        pytest.param(
            lambda s: take_in(s, [make_listed("late", FIRST)]),
            SortedBy.LESS,
            SortedBy.LESS,
            id="paper-added-to-an-earlier-issue",
        ),
        pytest.param(
            lambda s: send_out(s, "his", FIRST),
            SortedBy.ALL,
            SortedBy.ALL_BUT_OTHERS,
            id="earlier-issue-of-another-report-published",
        ),
        pytest.param(
            lambda s: decisions.decide(s, [say("his", "b1", "yes", SECOND)]),
            SortedBy.ALL,
            SortedBy.ALL,
            id="decision-of-another-report-on-this-issue",
        ),
        pytest.param(
            lambda s: add_hint(s, "his", "seed", "Wars", person="Ann"),
            SortedBy.ALL,
            SortedBy.ALL_BUT_OTHERS,
            id="example-of-another-report",
        ),
        pytest.param(
            lambda s: add_hint(s, "lab", "seed", "Wages", person="Ann"), SortedBy.LESS, SortedBy.LESS, id="example"
        ),
    ],
)
def test_data_that_an_outdated_ranking_lacks(sorted_second, happens, alone, together):
    happens(sorted_second)
    assert by_rankers(sorted_second) == {"krichel-2007": alone}
    assert by_rankers(sorted_second, together=True) == {"krichel-2007": together}


def test_the_newest_ranking_of_each_ranker_counts(sorted_second):
    decisions.decide(sorted_second, [say("lab", "a2", "no")])
    add_rankings(
        sorted_second,
        [
            make_ranking("lab", SECOND, order=[1, 2, 3], decisions_up_to=4),
            make_ranking("lab", SECOND, ranker="arxiv-sanity", order=[1, 2, 3], decisions_up_to=1),
        ],
    )
    assert by_rankers(sorted_second) == {"krichel-2007": SortedBy.ALL, "arxiv-sanity": SortedBy.LESS}


events = st.one_of(
    st.tuples(st.just("decide"), st.integers(0, 2), st.sampled_from(["yes", "no", "undecided"])),
    st.tuples(st.just("issue or reopen"), st.integers(0, 2), st.none()),
)


def test_pending_issues_agree_with_a_slow_reference(begun):
    codes, mixed = (f"lab-{number}" for number in count()), []

    @given(st.lists(events, max_size=10))
    def agree(made):
        report = next(codes)  # a new report in the same workspace
        catalogue.add_reports(begun, [Report(report, "Labour")])
        reopened = set()
        for kind, number, word in made:
            is_out = DAYS[number] in publications.published(begun, report)
            if kind == "decide" and not is_out:
                decisions.decide(begun, [say(report, f"{'abc'[number]}1", word, DAYS[number])])
            elif kind != "decide" and is_out:
                reopen(begun, report, DAYS[number], "One is missing.", person="Ann")
                reopened.add(DAYS[number])
            elif kind != "decide":
                send_out(begun, report, DAYS[number])
        published_days = publications.published(begun, report)
        started = {day for day in DAYS if day in reopened or decisions.labels(begun, report, day)} - set(published_days)
        begins = min([*published_days, *started, THIRD])
        assert days(begun, report) == [day for day in DAYS if day not in published_days and day >= begins]
        mixed.append(report)

    agree()
    known = mixed[-12:]
    assert len(known) > FEW, "of many reports all is read, of one it is looked up"
    together = pending(begun, known, today=TODAY)
    assert sorted((one.report, one.issue) for one in together) == sorted(
        (report, day) for report in known for day in days(begun, report)
    )


def test_days_of_holidays_are_counted_apart(begun):
    add_holiday(begun, THIRD, THIRD + timedelta(days=2), person="Ann")
    add_holiday(begun, THIRD + timedelta(days=5), THIRD + timedelta(days=9), person="Ann")
    (one,) = pending(begun, ["lab"], today=THIRD + timedelta(days=6))
    assert (one.days_old, one.days_off) == (6, 4)  # the issue's own day does not count


@pytest.mark.parametrize("at", [skipping, publications], ids=["skipping", "publishing and reopening"])
@pytest.mark.parametrize("ahead", [-365, -1, 365])
def test_a_wrong_clock_hides_no_reopened_issue(begun, monkeypatch, at, ahead):
    for day in (SECOND, THIRD):
        with monkeypatch.context() as wrong:
            wrong.setattr(at, "datetime", SimpleNamespace(now=lambda zone: datetime.now(zone) + timedelta(days=ahead)))
            skip(begun, "lab", day, person="Ann")
            send_out(begun, "lab", day)
            reopen(begun, "lab", day, "One is missing.", person="Bo")
        assert (days(begun), skipped_days(begun)) == ([day, *DAYS[DAYS.index(day) + 1 :]], [])
        assert [one.is_taken_back for one in skippings(begun, "lab", day)] == [False, True]
        skip(begun, "lab", day, person="Ann")
        assert skipped_days(begun) == [day]
        undo_skip(begun, "lab", day, person="Ann")
        send_out(begun, "lab", day)
