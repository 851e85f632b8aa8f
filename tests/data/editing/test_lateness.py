"""Lateness: reports can be late from the time when they were added or restored and had an editor."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data import catalogue
from presort.data.editing.hints import add_report_with_examples
from presort.data.editing.pending import first_late_issues, pending
from presort.data.records import Editorship, Report
from presort.data.running import people, service
from presort.data.running.people import editor_since, editors_with_start
from tests.clock import Clock
from tests.data.workspaces import FIRST, SECOND, THIRD, make_issue, make_listed, send_out, take_in

LATER = THIRD + timedelta(weeks=1)
TODAY = THIRD + timedelta(weeks=312)  # six years later
LAB = Report("lab", "Labour")


@pytest.fixture
def begun(store):
    """Three issues, and a report that was added with the first."""
    take_in(store, make_issue(5, selected={"mac": [1]}))
    take_in(store, make_issue(3, SECOND), make_issue(2, THIRD))
    return store


def late(store, report="lab", today=TODAY):
    return [one.issue for one in pending(store, [report], today=today) if one.days_counted >= 14]


def waiting(store, report="lab"):
    return [one.issue for one in pending(store, [report], today=TODAY)]


@pytest.mark.parametrize(
    "add",
    [
        pytest.param(lambda store: catalogue.add_reports(store, [LAB]), id="by-name"),
        pytest.param(lambda store: add_report_with_examples(store, LAB, ["Wages"], person="Ann"), id="with-examples"),
    ],
)
def test_a_report_added_today_has_the_newest_issue_pending_but_not_late(begun, add):
    add(begun)
    assert (waiting(begun), late(begun)) == ([THIRD], [])
    take_in(begun, [make_listed("d1", LATER)])
    assert (waiting(begun), late(begun)) == ([LATER], [LATER])


def test_a_report_added_by_an_import_is_late_only_with_later_issues(begun):
    assert late(begun, "mac") == [SECOND, THIRD]
    take_in(begun, make_issue(4, selected={"mac": [1], "new": [2]}))
    assert waiting(begun, "new") == [SECOND, THIRD]
    assert (late(begun, "mac"), late(begun, "new")) == ([SECOND, THIRD], [])
    take_in(begun, [make_listed("d1", LATER)])
    assert (late(begun, "mac"), late(begun, "new")) == ([SECOND, THIRD, LATER], [LATER])


def test_a_restored_report_is_not_late_with_issues_from_its_retirement(begun):
    send_out(begun, "mac", SECOND)
    for back in (
        lambda: service.restore_report(begun, "mac"),
        lambda: catalogue.add_reports(begun, [Report("mac", "Macro")]),
    ):
        catalogue.retire_report(begun, "mac")
        back()
        assert (waiting(begun, "mac"), late(begun, "mac")) == ([THIRD], [])
    take_in(begun, [make_listed("d1", LATER)])
    assert late(begun, "mac") == [LATER]
    service.restore_report(begun, "mac")  # the report already exists, so nothing changes
    assert late(begun, "mac") == [LATER]


def test_importing_an_archive_after_a_report_was_added_makes_nobody_late(store):
    catalogue.add_reports(store, [LAB])
    today = date.today()
    take_in(store, [make_listed("old", today - timedelta(days=2200))])
    assert late(store, today=today) == []
    take_in(store, [make_listed("new", today - timedelta(days=20))])
    assert late(store, today=today) == [today - timedelta(days=20)]


def test_issues_before_the_first_editor_are_not_late_and_a_change_of_editors_does_not_matter(begun):
    assert late(begun, "mac") == [SECOND, THIRD]
    ann = Editorship("mac", "Ann", THIRD, THIRD + timedelta(days=30))
    people.add_editorship(begun, ann, person="Dee")
    assert late(begun, "mac") == [THIRD]
    people.add_editorship(begun, Editorship("mac", "Bo", THIRD + timedelta(days=31)), person="Dee")
    assert late(begun, "mac") == [THIRD], "readers still wait for it"
    people.take_back_editorship(begun, ann, person="Dee")
    assert late(begun, "mac") == []


def test_a_substitute_does_not_change_lateness(begun):
    people.add_editorship(begun, Editorship("mac", "Ann", FIRST), person="Dee")
    before = late(begun, "mac")
    away = Editorship("mac", "Bo", TODAY - timedelta(days=2), TODAY + timedelta(days=5), away="Ann")
    people.add_editorship(begun, away, person="Dee")
    assert late(begun, "mac") == before == [SECOND, THIRD]
    known = people.editorships(begun)
    assert editor_since(known, "mac", "Bo", TODAY) == away.first
    assert editors_with_start(known, "mac", SECOND, TODAY) == [f"Bo since {away.first}"]
    assert editors_with_start(known, "mac", SECOND, away.last + timedelta(days=1)) == ["Ann"]


days = st.integers(0, 60).map(lambda n: FIRST + timedelta(days=n))


@given(st.lists(st.tuples(days, days | st.none()), min_size=1, max_size=5), days)
def test_an_editor_counts_from_the_end_of_the_last_break(spans, today):
    """Compared with a loop back day by day."""
    known = [Editorship("lab", "Ann", first, last) for first, last in spans if last is None or last >= first]

    def edits(day):
        return any(one.holds_on(day) for one in known)

    expected = today
    while edits(today) and edits(expected - timedelta(days=1)):
        expected -= timedelta(days=1)
    assert editor_since(known, "lab", "Ann", today) == expected


@pytest.mark.parametrize("ahead", [-400, -1, 0, 1, 400])
def test_a_wrong_clock_when_a_report_is_added_has_no_effect(begun, monkeypatch, ahead):
    clock = Clock(datetime(2026, 11, 18, 9, tzinfo=UTC) + timedelta(days=ahead)).install(monkeypatch)
    catalogue.add_reports(begun, [LAB])
    catalogue.retire_report(begun, "mac")
    clock.move(days=-2 * ahead)
    service.restore_report(begun, "mac")
    take_in(begun, [make_listed("d1", LATER)])
    assert first_late_issues(begun, ["lab", "mac"]) == dict.fromkeys(["lab", "mac"], THIRD + timedelta(days=1))
    assert late(begun) == late(begun, "mac") == [LATER]
