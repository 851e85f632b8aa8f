"""Possible duplicates: the user's decisions, and their effect on later imports."""

from dataclasses import replace

import pytest

from presort.data.duplicates.listings import (
    PossibleDuplicate,
    decide,
    duplicates,
    possible_duplicates,
    separate,
)
from presort.data.errors import RefusedError
from presort.data.intake.commit_import import commit_import
from presort.data.running.audit import audit
from tests.data.intake.test_duplicates_in_imports import DOUBT, KNOWN, OTHER
from tests.data.workspaces import FIRST, SECOND, THIRD, contents, damage, ids, take_in


def keep_both(store, paper_ids, *, person):
    decide(store, keep=paper_ids, person=person)


def merge(store, paper_ids, *, person):
    decide(store, merge=paper_ids, person=person)


@pytest.fixture
def in_doubt(store):
    """A known paper, and a paper in the second issue that may be the same."""
    take_in(store, [KNOWN])
    take_in(store, [OTHER, DOUBT])
    return store


def test_a_pair_is_listed_until_it_is_decided(in_doubt):
    pair = PossibleDuplicate(DOUBT.paper, KNOWN.paper, "title and authors", 1.0, (SECOND,), (FIRST,))
    assert possible_duplicates(in_doubt) == [pair]
    keep_both(in_doubt, ["q1"], person="Ann")
    assert possible_duplicates(in_doubt) == []


@pytest.mark.parametrize("change", [keep_both, merge])
def test_importing_a_file_again_lists_no_pair_again(in_doubt, change):
    change(in_doubt, ["q1"], person="Ann")
    before = contents(in_doubt)
    assert commit_import(in_doubt, [OTHER, DOUBT], person="files").possible == ()
    assert contents(in_doubt) == before


def test_an_undecided_pair_is_listed_once(in_doubt):
    assert commit_import(in_doubt, [OTHER, DOUBT], person="files").possible == ()
    assert len(possible_duplicates(in_doubt)) == 1


def test_both_are_listed_in_later_issues_once_both_are_kept(in_doubt):
    keep_both(in_doubt, ["q1"], person="Ann")
    take_in(in_doubt, [replace(DOUBT, issue=THIRD)])
    assert (ids(in_doubt, SECOND), ids(in_doubt, THIRD)) == (["q2", "q1"], ["q1"])


def test_a_third_copy_of_a_kept_paper_is_no_possible_duplicate(in_doubt):
    keep_both(in_doubt, ["q1"], person="Ann")
    third = replace(DOUBT, paper=replace(DOUBT.paper, paper_id="q9"), issue=THIRD)
    report = commit_import(in_doubt, [third], person="files")
    assert (report.possible, [change.duplicate_of for change in report.matched]) == ((), ["q1"])


def test_a_merged_paper_stays_in_its_issue_and_no_later_issue_lists_it(in_doubt):
    merge(in_doubt, ["q1"], person="Ann")
    take_in(in_doubt, [replace(DOUBT, issue=THIRD)])
    assert (ids(in_doubt, SECOND), ids(in_doubt, THIRD)) == (["q2", "q1"], [])
    assert [(copy.paper.paper_id, copy.known.paper_id, copy.is_listed) for copy in duplicates(in_doubt, SECOND)] == [
        ("q1", "p1", True)
    ]
    assert damage(in_doubt) == []


def test_a_merge_can_be_undone(in_doubt):
    merge(in_doubt, ["q1"], person="Ann")
    take_in(in_doubt, [replace(DOUBT, issue=THIRD)])
    separate(in_doubt, "q1", person="Bo")
    assert (ids(in_doubt, SECOND), ids(in_doubt, THIRD)) == (["q2", "q1"], ["q1"])
    assert duplicates(in_doubt, SECOND) == duplicates(in_doubt, THIRD) == []
    assert damage(in_doubt) == []


def test_a_merged_paper_that_a_later_file_says_was_selected_is_listed_once(in_doubt):
    merge(in_doubt, ["q1"], person="Ann")
    take_in(in_doubt, [replace(DOUBT, selected_by=("lab",)), replace(DOUBT, issue=THIRD)])
    assert (ids(in_doubt, SECOND), ids(in_doubt, THIRD)) == (["q2", "q1"], ["q1"])


@pytest.mark.parametrize(("change", "said"), [(keep_both, "Both papers kept"), (merge, "Merged as a duplicate")])
def test_the_log_says_who_decided(in_doubt, change, said):
    change(in_doubt, ["q1"], person="Ann")
    (entry,) = audit(in_doubt, 10, kinds=["duplicate"])
    assert (entry.person, entry.subject, entry.action) == ("Ann", DOUBT.paper.title, said)


@pytest.mark.parametrize("change", [keep_both, merge])
@pytest.mark.parametrize("wrong", ["p1", "q2", "nothing"])
def test_deciding_on_a_paper_that_is_no_possible_duplicate_changes_nothing(in_doubt, change, wrong):
    before = contents(in_doubt)
    with pytest.raises(RefusedError, match=f"'{wrong}' is not a possible duplicate"):
        change(in_doubt, ["q1", wrong], person="Ann")
    assert contents(in_doubt) == before


def test_a_second_decision_on_a_pair_is_refused(in_doubt):
    merge(in_doubt, ["q1"], person="Ann")
    with pytest.raises(RefusedError, match="decision has already been made"):
        keep_both(in_doubt, ["q1"], person="Bo")
