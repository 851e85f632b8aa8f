"""Spot checks: drawn at random at the stop point, complete or incomplete, and their result."""

import math
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.editing import publications, read_papers
from presort.data.learning import rankings
from presort.data.learning.sorted_lists import sorted_lists
from presort.data.records import Draw, Ranking, StoredRanking
from presort.desk.components.messages import (
    DecisionEntry,
    ReadingEntry,
    ReviewRequest,
    SpotCheckRequest,
    TargetRecallEntry,
)
from presort.desk.components.response import SpotCheckView
from presort.desk.service import workflow
from presort.desk.session import spot_check, stop_advice
from presort.desk.session.progress import ReviewContext, relevance_models_before
from presort.desk.session.review_session import ReviewSession
from presort.desk.session.stop_advice import Stop, StopAdvice
from presort.ranker.stopping.spot_check import spot_check_size
from tests.desk.session.entries import entry_id, paper_at
from tests.metrics.strategies import BRIEF

N_PAPERS = 120
DAY = date(2026, 1, 5)


def ranked(number, n_papers=N_PAPERS):
    order = np.random.default_rng(number).permutation(n_papers).astype(np.int32) + 1
    ranking = Ranking("lab", DAY, "presort-1", DAY, 0, 9, order, np.linspace(2, -1, n_papers))
    return StoredRanking(number, datetime(2026, 1, 5, tzinfo=UTC), ranking)


def reading(read_up_to=60, *, stop_at=50, left=1.4, between=(0.0, 3.0), is_awaited=False):
    stop = Stop(stop_at, left, 3)
    return StopAdvice(N_PAPERS, read_up_to, read_up_to, 9, left, between, 0.2, "1 in 20", {"1 in 20": stop}, is_awaited)


# ---- drawing


@BRIEF
@given(st.integers(0, 99), st.integers(0, N_PAPERS), st.sets(st.integers(1, N_PAPERS), max_size=9))
def test_the_same_call_draws_the_same_unread_papers(number, read_up_to, alone):
    shown = ranked(number)
    order = shown.ranking.positions
    read = np.union1d(order[:read_up_to], np.array(sorted(alone), dtype=np.int32))
    drawn = spot_check.draw(shown, order, read, [])
    assert drawn == spot_check.draw(shown, order, read, [])
    assert not set(drawn.positions) & set(read.tolist())
    assert (drawn.ranking, drawn.n_read, drawn.n_rest) == (number, len(read), N_PAPERS - len(read))
    assert len(set(drawn.positions)) == len(drawn.positions) == spot_check_size(drawn.n_rest)
    places = [order.tolist().index(position) for position in drawn.positions]
    assert places == sorted(places)


def test_no_paper_is_drawn_twice():
    shown, draws = ranked(7), []
    order = shown.ranking.positions
    for read_up_to in (20, 60, 100, 105, 119):
        draws.append(spot_check.draw(shown, order, order[:read_up_to], draws))
    positions = spot_check.drawn_positions(draws)
    assert len(positions) == len(set(positions))
    drawn_below = set(order[100:].tolist()) & set(spot_check.drawn_positions(draws[:2]))
    assert draws[2].n_rest == 20 - len(drawn_below)


def test_after_re_ranking_no_read_or_drawn_paper_is_drawn_again():
    old, new = ranked(7), ranked(8)
    read = old.ranking.positions[:60]
    first = spot_check.draw(old, old.ranking.positions, read, [])
    second = spot_check.draw(new, new.ranking.positions, read, [first])
    assert not set(second.positions) & {*read.tolist(), *first.positions}
    assert second.n_rest == N_PAPERS - 60 - len(first.positions)


def test_each_unread_paper_is_drawn_equally_often():
    counts = np.zeros(N_PAPERS + 1)
    order = np.arange(1, N_PAPERS + 1, dtype=np.int32)
    for number in range(2000):
        counts[list(spot_check.draw(ranked(number), order, order[:60], []).positions)] += 1
    expected = 2000 * spot_check_size(60) / 60
    assert counts[:61].sum() == 0
    assert (abs(counts[61:] - expected) < 5 * math.sqrt(expected)).all()


# ---- when a spot check can be drawn

ORDER = np.arange(1, N_PAPERS + 1, dtype=np.int32)


@pytest.mark.parametrize(
    ("so_far", "is_offered"),
    [
        pytest.param(reading(49), False, id="above-the-stop"),
        pytest.param(reading(50), True, id="at-the-stop"),
        pytest.param(reading(59, stop_at=N_PAPERS, left=math.nan), False, id="nothing-known"),
        pytest.param(reading(90, stop_at=N_PAPERS, left=math.nan, is_awaited=True), False, id="being-prepared"),
        pytest.param(reading(N_PAPERS), False, id="all-read"),
    ],
)
def test_a_check_is_offered_from_the_stop_point_on(so_far, is_offered):
    read = ORDER[: so_far.read_up_to]
    assert spot_check.may_draw(so_far, ORDER, read, []) == is_offered
    shown = spot_check.spot_check_for_browser(so_far, ORDER, read, [], {})
    assert bool(shown.offer) == is_offered
    assert not shown.says


def test_another_check_needs_the_first_to_be_complete_and_more_to_be_read():
    first = Draw(7, 60, 60, (70, 95))
    complete = np.array([*ORDER[:60], 70, 95])
    assert not spot_check.may_draw(reading(), ORDER, ORDER[:60], [first])
    assert not spot_check.may_draw(reading(61), ORDER, np.array([*ORDER[:61], 70]), [first])
    assert not spot_check.may_draw(reading(), ORDER, complete, [first])
    assert spot_check.may_draw(reading(61), ORDER, np.union1d(complete, [61]), [first])


# ---- the result


def test_a_check_is_complete_once_all_its_papers_were_read():
    draws = [Draw(7, 60, 60, (70, 95))]
    half = spot_check.spot_check_for_browser(reading(), ORDER, np.array([*ORDER[:60], 70]), draws, {70: "yes"})
    assert (half.n_left, half.detail) == (1, "")
    passed = spot_check.spot_check_for_browser(
        reading(100), ORDER, ORDER[:100], draws, {70: "yes"}
    )  # 95 without a decision
    assert passed.n_left == 0
    assert "1 of 2 relevant" in passed.says


def says_after(so_far, label):
    """Return the result of a check of two papers: one is not relevant, the other has the given label."""
    read = np.array([*ORDER[:60], 70, 95])
    return spot_check.spot_check_for_browser(
        so_far, ORDER, read, [Draw(7, 60, 60, (70, 95))], {70: label, 95: "no"}
    ).says


@pytest.mark.parametrize(
    ("so_far", "says"),
    [
        pytest.param(reading(), "Probably 0 to 3 relevant papers left", id="interval"),
        pytest.param(reading(between=(0.0, 1.0)), "Probably 0 to 1 relevant papers left", id="one-at-most"),
        pytest.param(reading(between=(1.0, 1.0)), "Probably 1 relevant paper left", id="one"),
        pytest.param(reading(between=(0.0, 0.0)), "Probably no relevant papers left", id="none"),
    ],
)
def test_the_result_names_the_sample_and_what_is_probably_left(so_far, says):
    assert says_after(so_far, "no") == f"Spot check: 0 of 2 relevant. {says}"


def test_without_a_forecast_the_result_is_that_of_the_sample():
    assert says_after(reading(left=math.nan), "yes") == "Spot check: 1 of 2 relevant"


# ---- in a review session


@pytest.fixture
def known(finished, newest, sheet_of):
    """List with a known stop point."""
    return sheet_of(finished, newest)


def send(session, *entries):
    return session.receive(ReviewRequest(1, None, entries))


def read_to_stop(session, context):
    """Read down to the stop point, which moves while no relevant paper is found."""
    send(session)
    while not session.advice.may_stop:
        response = send(session, ReadingEntry(entry_id(), paper_at(context, session.advice.stop_at), "presort"))
    return response


def decide(response, label="no"):
    return [DecisionEntry(entry_id(), paper, label, "presort", is_alone=True) for paper in response.drawn]


def test_a_check_is_offered_drawn_and_reported(finished, known):
    session = ReviewSession(finished, known, "ada", ask=None)
    assert send(session, ReadingEntry(entry_id(), paper_at(known, 2), "presort")).spot_check == SpotCheckView("")
    assert read_to_stop(session, known).spot_check.offer
    before = session.advice
    response = send(session, SpotCheckRequest(entry_id()))
    assert (response.spot_check.n_left, response.spot_check.offer) == (len(response.drawn), "")
    assert min(session.places[paper] for paper in response.drawn) > before.read_up_to
    assert session.advice == before  # a draw alone changes no figure
    response = send(session, *decide(response))
    assert "0 of 1 relevant" in response.spot_check.says
    assert session.advice.n_read == before.n_read + len(response.drawn)
    assert session.advice.left < before.left


def test_a_relevant_paper_in_the_check_raises_the_forecast_at_once(finished, known):
    session = ReviewSession(finished, known, "ada", ask=None)
    read_to_stop(session, known)
    drawn = send(session, SpotCheckRequest(entry_id()))
    send(session, *decide(drawn, "no"))
    nothing_found = session.advice
    assert "1 of 1 relevant" in send(session, *decide(drawn, "yes")).spot_check.says
    assert session.advice.left > nothing_found.left
    assert session.advice.stop_at >= nothing_found.stop_at


@pytest.mark.parametrize("label", ["yes", "no"])
def test_a_check_of_a_published_list_counts_as_read_and_is_used_later(finished, known, label):
    session = ReviewSession(finished, known, "ada", ask=None)
    read_to_stop(session, known)
    checked = send(session, *decide(send(session, SpotCheckRequest(entry_id())), label)).drawn
    places = [session.places[paper] for paper in checked]
    workflow.publish_report_issue(finished, "lab", known.issue, known.shown, person="ada")
    workflow.score(finished)
    unread = publications.published(finished, "lab")[known.issue].review_progress.unread
    assert len(unread) == len(known.papers) - session.advice.n_read
    assert not set(unread) & set(known.order[np.array(places) - 1].tolist())
    one = sorted_lists(finished, "krichel-2007")["lab"][-1]
    assert (np.flatnonzero(one.is_spot_check) + 1).tolist() == places
    assert one.is_read[one.is_spot_check].all()
    assert (one.is_relevant[one.is_spot_check] == (label == "yes")).all()
    later = relevance_models_before(finished, "krichel-2007", known.issue + timedelta(days=7))["lab"]
    assert later.basis.n_spot_checked == len(checked)


def test_the_advice_names_the_lists_it_is_based_on(finished, known):
    basis = known.relevance_model.basis
    assert basis.n_lists == basis.n_whole > 0  # imported: their editors decided all papers
    response = send(ReviewSession(finished, known, "ada", ask=None))
    assert response.stop_advice.basis == stop_advice.basis_text(basis)


def test_above_the_stop_point_a_request_draws_nothing(finished, known):
    session = ReviewSession(finished, known, "ada", ask=None)
    assert not send(
        session, ReadingEntry(entry_id(), paper_at(known, 2), "presort"), SpotCheckRequest(entry_id())
    ).drawn
    assert read_papers.draws(finished, "lab", known.issue) == []


def test_a_repeated_request_draws_once(finished, known):
    session, request = ReviewSession(finished, known, "ada", ask=None), SpotCheckRequest(entry_id())
    read_to_stop(session, known)
    first = send(session, request, request)
    assert send(session, request).drawn == first.drawn
    response = send(session, *decide(first))
    assert send(session, request).drawn == response.drawn  # late, from a page that got no response
    last = paper_at(known, len(known.papers) - 1)
    assert send(session, ReadingEntry(entry_id(), last, "presort"), request).drawn == response.drawn
    assert len(read_papers.draws(finished, "lab", known.issue)) == 1


def test_two_people_share_one_check(finished, known):
    ada, bo = (ReviewSession(finished, known, person, ask=None) for person in ("ada", "bo"))
    read_to_stop(ada, known)
    drawn = send(ada, SpotCheckRequest(entry_id())).drawn
    assert send(bo, SpotCheckRequest(entry_id())).drawn == drawn


def test_a_choice_in_the_same_message_applies_to_the_offer(finished, known):
    session = ReviewSession(finished, known, "ada", ask=None)
    read_to_stop(session, known)
    choice = TargetRecallEntry(entry_id(), "none")
    assert not send(session, choice, SpotCheckRequest(entry_id())).drawn


def test_a_list_in_the_order_received_has_no_check(finished, known):
    received = ReviewContext("lab", known.issue, known.papers, None, known.order, None)
    response = send(ReviewSession(finished, received, "ada", ask=None), SpotCheckRequest(entry_id()))
    assert (response.drawn, response.spot_check) == ([], None)


def test_the_papers_of_a_check_stay_when_the_issue_is_re_ranked(finished, known, newest, sheet_of):
    session = ReviewSession(finished, known, "ada", ask=None)
    read_to_stop(session, known)
    before = send(session, SpotCheckRequest(entry_id()))
    old = known.shown.ranking
    rankings.add_rankings(finished, [replace(old, positions=old.positions[::-1].copy())])
    response = send(ReviewSession(finished, sheet_of(finished, newest), "ada", ask=None))
    assert response.drawn == before.drawn
    assert response.spot_check.says == before.spot_check.says
