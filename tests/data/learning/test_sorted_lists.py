"""Published lists of a ranker, from which forecasts learn."""

import math
from dataclasses import replace
from datetime import date

import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.publications import reopen
from presort.data.editing.read_papers import add_draw
from presort.data.errors import WorkspaceError
from presort.data.learning import outcomes, rankings
from presort.data.learning.sorted_lists import lists_state, sorted_lists
from presort.data.learning.stop_audits import (
    add_stop_audits,
    rankings_without_audit,
    read_stop_audits,
    stop_audits_state,
)
from presort.data.records import AuditedRanking, Draw, Report, ReviewProgress, StopAudit
from presort.data.running.health import examine_file
from tests.data.learning.test_what_was_known import places_of
from tests.data.workspaces import FIRST, SECOND, THIRD, make_issue, make_listed, make_ranking, say, take_in

RANKER = "krichel-2007"
SCORES = [2.0, 1.0, 0.5, -1.0]


@pytest.fixture
def begun(store):
    take_in(store, make_issue(4), make_issue(4, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("mac", "Macro")])
    return store


def sort(store, report="lab", issue=FIRST, order=(3, 1, 4, 2), **more):
    rankings.add_rankings(store, [make_ranking(report, issue, order=order, **{"scores": SCORES} | more)])


def finish(store, report="lab", issue=FIRST, unread=(), shown=None):
    review_progress = ReviewProgress(unread, "advised" if unread else "all")
    publications.publish_report_issue(
        store, report, issue, [], ranking_id=shown, person="Ann", review_progress=review_progress
    )
    outcomes.score_published_issues(store, places_of)


def read(store, **more):
    return {
        report: [(one.issue, one.scores.tolist(), one.is_read.tolist(), one.is_relevant.tolist()) for one in lists]
        for report, lists in sorted_lists(store, RANKER, **more).items()
    }


def test_a_list_has_the_read_and_relevant_papers_in_its_order(begun):
    sort(begun)
    decisions.decide(begun, [say("lab", "a1", "yes"), say("lab", "a3", "no")])
    finish(begun, unread=(2, 4))
    assert read(begun) == {"lab": [(FIRST, SCORES, [True, True, False, False], [False, True, False, False])]}


def test_the_state_of_the_lists_changes_if_a_reopened_list_gets_as_many_other_relevant_papers(begun):
    sort(begun)
    decisions.decide(begun, [say("lab", "a1", "yes"), say("lab", "a3", "no")])
    finish(begun)
    sort(begun, issue=SECOND)
    before, lists = lists_state(begun, RANKER, SECOND, 2), read(begun)
    assert lists_state(begun, RANKER, SECOND, 2) == before
    reopen(begun, "lab", FIRST, "Two papers were mixed up.", person="Ann")
    decisions.decide(begun, [say("lab", "a1", "no"), say("lab", "a3", "yes")])
    finish(begun)
    assert read(begun) != lists
    assert lists_state(begun, RANKER, SECOND, 2) != before


def test_papers_below_the_read_part_that_a_search_found_count_as_unread(begun):
    sort(begun)  # 3, 1, 4, 2
    found = {"a3": "no", "a2": "yes"}
    decisions.decide(begun, [replace(say("lab", paper, word), is_alone=True) for paper, word in found.items()])
    decisions.decide(begun, [say("lab", "a1", "yes")])
    finish(begun, unread=(2, 4))
    assert read(begun) == {"lab": [(FIRST, SCORES, [True, True, False, False], [False, True, False, False])]}
    sort(begun, issue=SECOND)
    decisions.decide(begun, [replace(say("lab", "b2", "yes", SECOND), is_alone=True)])
    decisions.decide(begun, [say("lab", "b2", "yes", SECOND)])  # again, at its current position
    finish(begun, issue=SECOND, unread=(2, 4))
    assert read(begun)["lab"][1][2:] == ([True, True, False, True], [False, False, False, True])


def check(store, *positions):
    """Draw a spot check of these papers from the last two."""
    add_draw(store, "lab", FIRST, Draw(1, 2, 2, positions), person="Ann")


@pytest.mark.parametrize("is_alone", [True, False])  # in the browser's list, and in plain widgets
def test_a_complete_spot_check_is_read_and_marked(begun, is_alone):
    sort(begun)  # 3, 1, 4, 2
    check(begun, 2)
    decisions.decide(begun, [say("lab", "a1", "yes"), replace(say("lab", "a2", "yes"), is_alone=is_alone)])
    finish(begun, unread=(4,))
    (one,) = sorted_lists(begun, RANKER)["lab"]
    assert one.is_read.tolist() == [True, True, False, True]
    assert one.is_relevant.tolist() == [False, True, False, True]
    assert one.is_spot_check.tolist() == [False, False, False, True]


@pytest.mark.parametrize("is_alone", [True, False])
def test_an_incomplete_spot_check_is_not_used(begun, is_alone):
    sort(begun)
    check(begun, 4, 2)
    decisions.decide(begun, [say("lab", "a1", "yes"), replace(say("lab", "a2", "yes"), is_alone=is_alone)])
    finish(begun, unread=(4,))
    (one,) = sorted_lists(begun, RANKER)["lab"]
    assert one.is_read.tolist() == [True, True, False, False]
    assert one.is_relevant.tolist() == [False, True, False, False]
    assert not one.is_spot_check.any()


def test_spot_check_papers_that_reading_reached_later_count_as_read(begun):
    sort(begun)
    check(begun, 4)
    decisions.decide(begun, [say("lab", "a1", "yes"), replace(say("lab", "a4", "no"), is_alone=True)])
    finish(begun, unread=(2,))
    (one,) = sorted_lists(begun, RANKER)["lab"]
    assert one.is_read.tolist() == [True, True, True, False]
    assert not one.is_spot_check.any()


def test_a_list_without_a_spot_check_has_none(begun):
    sort(begun)
    finish(begun, unread=(2,))
    (one,) = sorted_lists(begun, RANKER)["lab"]
    assert one.is_spot_check is None


def test_unranked_papers_and_papers_added_after_publication_are_left_out(begun):
    sort(begun)
    take_in(begun, [make_listed("a5")])
    decisions.decide(begun, [say("lab", "a5", "yes"), say("lab", "a2", "yes")])
    finish(begun)
    take_in(begun, [make_listed("a6")])
    replay = rankings.find_replay(begun, FIRST, FIRST, 1)
    sort(begun, order=(6, 3, 1, 4, 2, 5), replay=replay, scores=[3.0, *SCORES, -2.0])
    outcomes.score_published_issues(begun, places_of)
    assert read(begun) == {"lab": [(FIRST, SCORES, [True] * 4, [False, False, False, True])]}
    later = (FIRST, [*SCORES, -2.0], [True] * 5, [False, False, False, True, True])
    assert read(begun, replay=replay) == {"lab": [later]}


def test_lists_are_sorted_by_report_and_date_and_limited(begun):
    for report in ("mac", "lab"):
        for issue in (SECOND, FIRST):
            sort(begun, report, issue)
            finish(begun, report, issue)
    named = {report: [one[0] for one in lists] for report, lists in read(begun).items()}
    assert named == {"lab": [FIRST, SECOND], "mac": [FIRST, SECOND]}
    assert [one[0] for one in read(begun, newest=1)["mac"]] == [SECOND]
    assert [one[0] for one in read(begun, before=SECOND)["mac"]] == [FIRST]
    assert sorted_lists(begun, "arxiv-sanity") == {}


@pytest.mark.parametrize(
    ("newest", "since", "found"),
    [
        pytest.param(1, THIRD, [SECOND, THIRD], id="one-before"),
        pytest.param(0, SECOND, [SECOND, THIRD], id="none-before"),
        pytest.param(9, SECOND, [FIRST, SECOND, THIRD], id="fewer-than-requested"),
        pytest.param(1, date(2030, 1, 1), [THIRD], id="all-before"),
        pytest.param(None, THIRD, [FIRST, SECOND, THIRD], id="all-wanted"),
    ],
)
def test_only_the_newest_lists_before_an_issue_are_read(begun, newest, since, found):
    take_in(begun, make_issue(4, THIRD))
    for issue in (FIRST, SECOND, THIRD):
        sort(begun, issue=issue)
        finish(begun, issue=issue)
    assert [one[0] for one in read(begun, newest=newest, since=since)["lab"]] == found


def test_the_newest_ranking_for_the_editor_counts_and_list_order_does_not(begun):
    replay = rankings.find_replay(begun, FIRST, SECOND, 1)
    sort(begun, order=(1, 2, 3, 4))
    sort(begun, order=(2, 1, 3, 4))
    sort(begun, order=(4, 3, 2, 1), replay=replay)
    sort(begun, issue=SECOND, order=(4, 3, 2, 1), replay=replay)
    rankings.add_rankings(begun, [make_ranking("mac")])
    decisions.decide(begun, [say("lab", "a2", "yes"), say("lab", "b4", "yes", SECOND)])
    for report, issue in (("lab", FIRST), ("lab", SECOND), ("mac", FIRST)):
        finish(begun, report, issue)
    first, second = read(begun)["lab"]
    assert first[3] == second[3] == [True, False, False, False]
    assert "mac" not in read(begun)


def test_the_shown_ranking_takes_precedence_over_later_ones(begun):
    decisions.decide(begun, [say("lab", "a2", "yes"), say("lab", "b2", "yes", SECOND)])
    for issue, shown in ((FIRST, 1), (SECOND, None)):
        sort(begun, issue=issue, order=(2, 1, 3, 4))
        finish(begun, issue=issue, shown=shown)
    sort(begun, order=(1, 2, 3, 4))
    sort(begun, issue=SECOND, order=(1, 3, 2, 4))
    outcomes.score_published_issues(begun, places_of)
    first, second = read(begun)["lab"]
    assert first[3] == second[3] == [True, False, False, False], "shown, or at least made before it went out"


@pytest.mark.parametrize(
    ("scores", "fault"),
    [
        pytest.param(SCORES[:3], "3 scores for 4 positions", id="too-few"),
        pytest.param([1.0, math.nan, 0.5, 0.1], "a score is not a finite number", id="nan"),
        pytest.param(SCORES[::-1], "scores rise", id="rising"),
    ],
)
def test_invalid_scores_are_reported(begun, kept_in, scores, fault):
    sort(begun, scores=scores)
    finish(begun)
    with pytest.raises(WorkspaceError, match=rf"is damaged.* \(row 1 of ranking: {fault}\)"):
        sorted_lists(begun, RANKER)
    if kept_in == "file":
        assert examine_file(begun.database.path).problems == (f"scores in row 1 of ranking: {fault}",)


# ---- stop audits


def test_stop_audits_are_stored_once_and_deleted_with_the_outcome(begun):
    sort(begun)
    sort(begun, "mac", ranker="arxiv-sanity")
    finish(begun)
    finish(begun, "mac")
    assert rankings_without_audit(begun) == {("krichel-2007", None): {1}, ("arxiv-sanity", None): {2}}
    before = stop_audits_state(begun)
    first = StopAudit(1, 1, 0.25, 1, 2)
    add_stop_audits(begun, [first])
    add_stop_audits(begun, [StopAudit(1, 0, 0.0, 0, 0), StopAudit(99, 0, 0.0, 0, 0)])
    assert rankings_without_audit(begun) == {("arxiv-sanity", None): {2}}
    assert read_stop_audits(begun) == [AuditedRanking("lab", FIRST, RANKER, None, first)]
    assert stop_audits_state(begun) != before
    state = stop_audits_state(begun)
    reopen(begun, "lab", FIRST, "One is missing.", person="Ann")
    assert read_stop_audits(begun) == []
    finish(begun)
    add_stop_audits(begun, [first])
    assert stop_audits_state(begun) != state, "it is of another outcome"


def test_an_audit_of_a_deleted_list_is_not_stored(begun):
    """Audits are computed for seconds without a lock. Meanwhile the report issue was reopened and published again."""
    sort(begun)
    finish(begun)
    as_of = catalogue.revision(begun)
    made_of_before = StopAudit(1, 1, 0.25, 1, 2)
    reopen(begun, "lab", FIRST, "One is missing.", person="Ann")
    finish(begun)
    add_stop_audits(begun, [made_of_before], as_of=as_of)
    assert read_stop_audits(begun) == []
    add_stop_audits(begun, [made_of_before], as_of=catalogue.revision(begun))
    assert len(read_stop_audits(begun)) == 1
