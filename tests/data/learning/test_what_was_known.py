"""Scores and training use only papers that the editor could know: in the issue at the time, and read."""

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.duplicates.listings import separate
from presort.data.editing import decisions, publications
from presort.data.learning import outcomes, rankings
from presort.data.learning.history import read_history
from presort.data.records import Report, ReportIssue, ReviewProgress
from presort.data.store import Store
from tests.data.workspaces import FIRST, make_issue, make_listed, make_ranking, say, send_out, take_in


@pytest.fixture
def begun(store: Store) -> Store:
    """An issue of five papers, and a report that found the second paper relevant."""
    take_in(store, make_issue(5))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    decisions.decide(store, [say("lab", "a2", "yes"), say("lab", "a4", "maybe")])
    return store


def places_of(order, relevant):
    return np.flatnonzero(np.isin(order, relevant)).astype(np.int32) + 1


def stop_early(store: Store, *unread: int) -> None:
    review_progress = ReviewProgress(unread, "early")
    publications.publish_report_issue(
        store, "lab", FIRST, [], ranking_id=None, person="Ann", review_progress=review_progress
    )


def no_word(store: Store) -> list[int]:
    """Return the list positions without a label in the only issue."""
    return (read_history(store, FIRST).maybe["lab"] + 1).tolist()


def made(store: Store) -> dict[str, tuple[int, list[int], str]]:
    outcomes.score_published_issues(store, places_of)
    scored = outcomes.scored_rankings(store)
    return {one.ranker: (one.n_papers, one.places.tolist(), one.ended) for one in scored}


def test_unread_papers_have_no_label(begun):
    stop_early(begun, 3, 5)
    assert publications.published(begun, "lab") == {
        FIRST: ReportIssue("lab", FIRST, (2,), "Ann", n_papers=5, review_progress=ReviewProgress((3, 5), "early"))
    }
    assert no_word(begun) == [3, 4, 5]


def test_a_decided_paper_counts_as_read(begun):
    decisions.decide(begun, [say("lab", "a1", "no"), say("lab", "a3", "no"), say("lab", "a3", "undecided")])
    stop_early(begun, 1, 2, 3, 4, 5)
    assert publications.published(begun, "lab")[FIRST].review_progress.unread == (3, 5)
    assert no_word(begun) == [3, 4, 5]


def test_outcomes_say_that_reading_stopped_early(begun):
    rankings.add_rankings(begun, [make_ranking(order=[2, 1, 3, 4, 5])])
    stop_early(begun, 3, 5)
    assert made(begun) == {"krichel-2007": (5, [1], "early")}


def test_papers_added_later_have_no_label(begun):
    send_out(begun, "lab")
    assert no_word(begun) == [4]
    take_in(begun, make_issue(7))
    assert no_word(begun) == [4, 6, 7]


def test_a_separated_paper_has_no_label(begun):
    take_in(begun, [make_listed("arXiv:1701.1v1"), make_listed("arXiv:1701.1v2")])
    send_out(begun, "lab")
    separate(begun, "arXiv:1701.1v2", person="Ann")
    assert len(catalogue.papers(begun, FIRST)) == 7
    assert no_word(begun) == [4, 7]


def test_later_outcomes_cover_the_papers_at_publication(begun):
    """Otherwise the report issue would drop out of comparisons, because its rankers ranked different lists."""
    rankings.add_rankings(begun, [make_ranking(ranker="before", order=[3, 2, 1])])
    send_out(begun, "lab")
    assert made(begun) == {"before": (5, [2], "all")}
    take_in(begun, make_issue(7))
    rankings.add_rankings(begun, [make_ranking(ranker="after", order=[7, 4, 6, 2, 5, 1, 3])])
    assert made(begun) == {"before": (5, [2], "all"), "after": (5, [2], "all")}


def test_an_import_covers_all_papers_of_its_issue_from_several_files(store):
    take_in(store, make_issue(2, selected={"lab": [1], "his": [2]}))
    rankings.add_rankings(store, [make_ranking(order=[2, 1]), make_ranking("his", order=[2, 1])])
    assert made(store)["krichel-2007"][0] == 2
    take_in(store, make_issue(4, selected={"lab": [1]}))  # no new selection
    known = {code: publications.published(store, code)[FIRST].n_papers for code in ("lab", "his")}
    assert known == {"lab": 4, "his": 4}
    outcomes.score_published_issues(store, places_of)
    assert [(one.report, one.n_papers) for one in outcomes.scored_rankings(store)] == [("his", 4), ("lab", 4)]
    history = read_history(store, FIRST)
    assert {code: rows.tolist() for code, rows in history.maybe.items()} == {"lab": [], "his": []}


def test_a_separated_duplicate_joins_an_imported_issue(store):
    take_in(store, [make_listed("arXiv:1701.1v1", selected_by=("lab",))])
    take_in(store, [make_listed("arXiv:1701.1v2")])
    separate(store, "arXiv:1701.1v2", person="Ann")
    assert publications.published(store, "lab")[FIRST].n_papers == 2
    assert no_word(store) == []


def test_an_import_does_not_change_an_editors_reading_progress(begun):
    send_out(begun, "lab")
    take_in(begun, make_issue(7, selected={"lab": [2]}))
    assert publications.published(begun, "lab")[FIRST].n_papers == 5
