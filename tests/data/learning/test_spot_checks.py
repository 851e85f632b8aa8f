"""Complete spot checks of published lists."""

import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.read_papers import add_draw
from presort.data.learning import outcomes, rankings
from presort.data.learning.stop_audits import spot_checked_lists
from presort.data.records import Draw, Report, ReviewProgress, SpotCheckedList
from tests.data.learning.test_what_was_known import places_of
from tests.data.workspaces import FIRST, make_issue, make_ranking, say, take_in

RANKER = "krichel-2007"


@pytest.fixture
def sorted_issue(store):
    """Issue of six papers, ranked as 3, 1, 4, 2, 6, 5, of which two were read."""
    take_in(store, make_issue(6))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    scores = [2.0, 1.0, 0.5, 0.0, -1.0, -2.0]
    rankings.add_rankings(store, [make_ranking("lab", FIRST, order=(3, 1, 4, 2, 6, 5), scores=scores)])
    return store


def check(store, *positions, n_read=2, n_rest=4):
    add_draw(store, "lab", FIRST, Draw(1, n_read, n_rest, positions), person="Ann")


def publish(store, *unread):
    publications.publish_report_issue(
        store,
        "lab",
        FIRST,
        [],
        ranking_id=1,
        person="Ann",
        review_progress=ReviewProgress(unread, "advised" if unread else "all"),
    )
    outcomes.score_published_issues(store, places_of)


def test_a_complete_check_has_the_numbers_of_eligible_drawn_and_found_papers(sorted_issue):
    decisions.decide(sorted_issue, [say("lab", "a3", "yes"), say("lab", "a2", "yes"), say("lab", "a5", "no")])
    check(sorted_issue, 2, 5)
    assert spot_checked_lists(sorted_issue) == []  # not published yet
    publish(sorted_issue, 4, 6)
    (one,) = spot_checked_lists(sorted_issue)
    assert one == SpotCheckedList("lab", FIRST, RANKER, n_eligible=4, n_checked=2, n_found=1, n_found_above=1)


def test_reading_on_after_a_check_does_not_change_it(sorted_issue):
    check(sorted_issue, 2)
    check(sorted_issue, 5, n_read=3, n_rest=2)  # a second spot check, because the first found a relevant paper
    decisions.decide(sorted_issue, [say("lab", f"a{n}", "yes") for n in (2, 4, 5)])
    publish(sorted_issue)
    (one,) = spot_checked_lists(sorted_issue)
    assert (one.n_eligible, one.n_checked, one.n_found, one.n_found_above) == (4, 1, 1, 0)


def test_an_incomplete_check_is_left_out(sorted_issue):
    check(sorted_issue, 2, 5)
    decisions.decide(sorted_issue, [say("lab", "a2", "yes")])
    publish(sorted_issue, 4, 5, 6)
    assert spot_checked_lists(sorted_issue) == []
