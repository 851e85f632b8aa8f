"""Data of a report issue that the desk polls every two seconds."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.catalogue import papers
from presort.data.editing import decisions, notes
from presort.data.editing.decisions import CurrentDecision, LogCursor
from presort.data.errors import RefusedError
from presort.data.intake.commit_import import commit_import
from presort.data.records import Decision, ListedPaper, Note, Paper

DAY, NEXT = date(2026, 11, 9), date(2026, 11, 16)


@pytest.fixture
def store(store):
    listed = [ListedPaper(Paper(f"p{n}", f"Title {n}"), day) for day in (DAY, NEXT) for n in range(1, 5)]
    commit_import(store, [ListedPaper(Paper("p0", "Old"), date(2026, 11, 2), ("lab", "mac")), *listed], person="import")
    return store


def decide(store, paper, label, *, report="lab", issue=DAY, about="relevant"):
    decisions.decide(store, [Decision(report, issue, paper, label, "ada", about=about)])


def test_the_cursor_is_empty_before_the_first_decision(store):
    assert decisions.log_cursor(store, "lab", DAY) == LogCursor(0, 0)
    assert decisions.current_decisions(store, "lab", DAY) == {}
    assert decisions.newest_notes(store, "lab", DAY) == {}


def test_the_newest_decision_on_each_paper_is_returned_with_its_number(store):
    decide(store, "p1", "yes")
    first = decisions.log_cursor(store, "lab", DAY).decision
    decide(store, "p2", "no")
    decide(store, "p1", "undecided")
    assert decisions.current_decisions(store, "lab", DAY) == {
        "p1": CurrentDecision(first + 2, "undecided", None),
        "p2": CurrentDecision(first + 1, "no", None),
    }
    assert decisions.log_cursor(store, "lab", DAY) == LogCursor(first + 2, 0)


def test_other_reports_and_issues_do_not_change_the_cursor(store):
    decide(store, "p1", "yes")
    before = decisions.log_cursor(store, "lab", DAY)
    decide(store, "p1", "no", report="mac", issue=NEXT)
    decide(store, "p1", "no", issue=NEXT)
    assert decisions.log_cursor(store, "lab", DAY) == before
    assert decisions.current_decisions(store, "lab", DAY)["p1"].label == "yes"


def test_decisions_on_publishing_change_the_cursor_but_not_the_labels(store):
    decide(store, "p1", "yes")
    before = decisions.log_cursor(store, "lab", DAY)
    decide(store, "p1", "no", about="publish")
    assert decisions.log_cursor(store, "lab", DAY).decision > before.decision
    assert decisions.current_decisions(store, "lab", DAY)["p1"].label == "yes"


def test_a_deleted_note_still_changes_the_cursor(store):
    notes.add_notes(store, [Note("lab", DAY, "p3", "note", "Read again.", "ada")])
    first = decisions.log_cursor(store, "lab", DAY).note
    notes.add_notes(store, [Note("lab", DAY, "p3", "note", "", "ada")])
    assert decisions.newest_notes(store, "lab", DAY) == {"p3": first + 1}
    assert notes.paper_notes(store, "lab", DAY) == {}


def test_only_papers_of_the_issue_count_as_decided(store):
    for paper in papers(store, DAY):
        decide(store, paper.paper_id, "maybe")
    assert set(decisions.current_decisions(store, "lab", DAY)) == {"p1", "p2", "p3", "p4"}


@pytest.mark.parametrize("ask", [decisions.log_cursor, decisions.current_decisions, decisions.newest_notes])
def test_a_report_that_is_not_there_is_refused(store, ask):
    with pytest.raises(RefusedError, match="no report 'xyz'"):
        ask(store, "xyz", DAY)


numbers = st.integers(0, 2**26 - 1)


@given(numbers, numbers, numbers, numbers)
def test_the_combined_number_can_be_split_and_never_decreases(decision, note, more_decisions, more_notes):
    now = LogCursor(decision, note)
    later = LogCursor(min(decision + more_decisions, 2**26 - 1), min(note + more_notes, 2**26 - 1))
    assert LogCursor.of_number(now.number) == now
    assert later.number >= now.number
    assert later.number < 2**53
