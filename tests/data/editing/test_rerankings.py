"""Re-ranked orders of a list: the newest is current, undo adds a row, and reading follows the displayed order."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.publications import publish_report_issue
from presort.data.editing.read_papers import mark_read, read_positions
from presort.data.editing.rerankings import add_reranking, newest_reranking, reranking_of, undo_reranking
from presort.data.errors import RefusedError
from presort.data.learning.rankings import add_rankings, newest_rankings, scores_of_others
from presort.data.learning.sorted_lists import sorted_lists
from presort.data.records import Report, ReviewProgress
from presort.desk.service.workflow import score
from tests.data.workspaces import FIRST, contents, make_issue, make_ranking, say, take_in

SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
RANKED, FIRST_TRY, SECOND_TRY = [5, 3, 1, 2, 4, 6], [5, 6, 1, 2, 4, 3], [5, 6, 4, 3, 1, 2]


@pytest.fixture
def listed(store):
    take_in(store, make_issue(6))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    add_rankings(
        store, [make_ranking(order=RANKED, scores=SCORES), make_ranking("his", order=RANKED[::-1], scores=SCORES)]
    )
    return store


def give_order(store, order, n_decisions=1, **more):
    add_reranking(store, "lab", FIRST, 1, np.array(order), n_decisions=n_decisions, person="Ann", **more)


def in_new_order(paper, label):
    return replace(say("lab", paper, label, shown=1), reranking_id=1)


def newest(store, ranking=1):
    return newest_reranking(store, "lab", FIRST, ranking)


def test_the_newest_order_is_current_and_names_its_data(listed):
    assert newest(listed) is None
    decisions.decide(listed, [say("lab", "a5", "yes", shown=1)])
    give_order(listed, FIRST_TRY)
    give_order(listed, SECOND_TRY, n_decisions=3)
    found = newest(listed)
    assert (found.positions.tolist(), found.n_decisions, found.person) == (SECOND_TRY, 3, "Ann")
    assert (found.before, found.decisions_up_to) == (1, decisions.newest_decision(listed))
    assert newest(listed, ranking=2) is None


def test_a_repeated_request_creates_one_order(listed):
    for _ in range(2):
        give_order(listed, FIRST_TRY, client_id="once")
    assert newest(listed).number == 1


def test_a_request_repeated_after_publication_has_no_effect(listed):
    give_order(listed, FIRST_TRY, client_id="once")
    seen = newest(listed)
    undo = partial(undo_reranking, listed, "lab", FIRST, seen, np.array(RANKED), person="Bo")
    undo(client_id="back")
    publish_report_issue(listed, "lab", FIRST, RANKED, ranking_id=1, person="Ann")
    before = contents(listed)
    give_order(listed, FIRST_TRY, client_id="once")
    undo(client_id="back")
    assert contents(listed) == before
    with pytest.raises(RefusedError, match="was published on"):
        give_order(listed, FIRST_TRY, client_id="new")


def test_undoing_goes_one_order_back_until_the_first(listed):
    give_order(listed, FIRST_TRY)
    give_order(listed, SECOND_TRY, n_decisions=3)
    orders = []
    for number in range(2):
        last = newest(listed)
        undo_reranking(listed, "lab", FIRST, last, np.array(RANKED), person="Bo", client_id=str(number))
        orders.append((newest(listed).positions.tolist(), newest(listed).n_decisions))
    assert orders == [(FIRST_TRY, 1), (RANKED, 0)]


def test_an_order_replaced_by_somebody_else_is_not_undone(listed):
    give_order(listed, FIRST_TRY)
    seen = newest(listed)
    give_order(listed, SECOND_TRY)
    with pytest.raises(RefusedError):
        undo_reranking(listed, "lab", FIRST, seen, np.array(RANKED), person="Ann", client_id="late")
    assert newest(listed).positions.tolist() == SECOND_TRY


def test_an_order_of_another_report_is_not_found(listed):
    give_order(listed, FIRST_TRY)
    with pytest.raises(RefusedError):
        reranking_of(listed, "his", FIRST, 1)


def test_a_decision_in_a_new_order_implies_reading_down_to_it_in_that_order(listed):
    give_order(listed, SECOND_TRY)
    decisions.decide(listed, [in_new_order("a4", "no")])
    assert read_positions(listed, "lab", FIRST).tolist() == [4, 5, 6]
    decisions.decide(listed, [say("lab", "a1", "no", shown=1)])  # from a window that shows the first order
    assert read_positions(listed, "lab", FIRST).tolist() == [1, 3, 4, 5, 6]


def test_a_read_mark_belongs_to_its_order(listed):
    give_order(listed, SECOND_TRY)
    mark_read(listed, "lab", FIRST, 1, 2, person="Ann", reranking=1)
    assert read_positions(listed, "lab", FIRST).tolist() == [5, 6]


def test_forecasts_learn_from_the_order_that_was_read_and_figures_from_the_first(listed):
    give_order(listed, SECOND_TRY)
    decisions.decide(listed, [in_new_order("a6", "yes")])
    part = ReviewProgress((1, 2, 3, 4), "advised", 2)
    publish_report_issue(listed, "lab", FIRST, SECOND_TRY, ranking_id=1, person="Ann", review_progress=lambda _: part)
    score(listed)
    (one,) = sorted_lists(listed, "krichel-2007")["lab"]
    assert one.is_read.tolist() == [True, True, False, False, False, False]
    assert one.is_relevant.tolist() == [False, True, False, False, False, False]
    assert newest_rankings(listed, "lab", FIRST)["krichel-2007"].ranking.positions.tolist() == RANKED


def test_scores_of_other_reports_are_in_list_order(listed):
    (scores,) = scores_of_others(listed, "lab", FIRST, "krichel-2007", 7)
    assert np.argsort(-scores[:6]).tolist() == [position - 1 for position in RANKED[::-1]]
    assert scores[6] == scores.min()
