"""Re-ranking of an open list: read papers stay in place, other editors can switch to it, and it can be undone."""

from dataclasses import replace

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.editing import decisions, read_papers
from presort.data.editing.read_papers import read_positions
from presort.data.editing.rerankings import newest_reranking
from presort.data.learning import rankings
from presort.data.learning.rankings import add_rankings
from presort.data.records import Draw
from presort.desk.components.messages import (
    DecisionEntry,
    ReadingEntry,
    RerankRequest,
    ReviewRequest,
    ShowNewestOrder,
    SpotCheckRequest,
    UndoRerank,
)
from presort.desk.service import workflow
from presort.desk.session import list_order
from presort.desk.session.list_order import BUSY, NOTHING_LEARNED, n_new_decisions, used_labels
from presort.desk.session.progress import current_order, review_progress, shown_order
from presort.desk.session.review_session import ReviewSession
from tests.data.workspaces import make_listed, take_in
from tests.desk.session.entries import entry_id, paper_at

N_READ = 4


@pytest.fixture
def young(context):
    """List of a report that had one example when it was ranked, so that decisions have much weight."""
    ranking = replace(context.shown.ranking, n_relevant=1)
    return replace(context, shown=replace(context.shown, ranking=ranking))


@pytest.fixture
def open_list(store, young):
    return lambda person="ada": ReviewSession(store, young, person, lambda paper: None)


def decided(context, place, label="no", reranking=None):
    return DecisionEntry(entry_id(), paper_at(context, place), label, "presort", context.shown.id, reranking=reranking)


def send(session, *entries, seen=None, reranking=None):
    return session.receive(ReviewRequest(1, seen, entries, reranking=reranking))


def read_some(session, context):
    """Decide the first papers, one of them as relevant, and one paper far down on its own."""
    n = len(context.papers)
    far = DecisionEntry(entry_id(), paper_at(context, n - 1), "no", "presort", context.shown.id, is_alone=True)
    return send(
        session, *(decided(context, place, "yes" if place == 2 else "no") for place in range(1, N_READ + 1)), far
    )


def test_papers_read_and_decided_keep_their_places_and_the_others_move(store, young, open_list):
    session = open_list()
    read_some(session, young)
    response = send(session, RerankRequest(entry_id()))
    order, first = np.array(response.reranking.order), young.order
    assert response.refused == {}
    assert sorted(order) == sorted(first)
    assert order[:N_READ].tolist() == first[:N_READ].tolist()
    assert order[-2] == first[-2]
    assert order.tolist() != first.tolist()
    assert len(response.reranking.labels) == N_READ + 1
    assert response.read[0] == (1, N_READ)
    assert session.context.order.tolist() == order.tolist()


def test_a_reload_and_a_publication_use_the_new_order(store, young, open_list):
    session = open_list()
    read_some(session, young)
    order = send(session, RerankRequest(entry_id())).reranking.order
    assert current_order(store, young.shown, len(young.papers)).tolist() == order
    progress = review_progress(store, young.report, young.issue, young.shown, young.relevance_model)
    unread = set(range(1, len(order) + 1)) - set(read_positions(store, young.report, young.issue).tolist())
    assert set(progress.unread) == unread
    workflow.publish_report_issue(store, young.report, young.issue, young.shown, person="ada")
    assert newest_reranking(store, young.report, young.issue, young.shown.id).positions.tolist() == order


def test_reading_continues_in_the_new_order(store, young, open_list):
    session = open_list()
    read_some(session, young)
    number = send(session, RerankRequest(entry_id())).reranking.number
    response = send(session, decided(session.context, N_READ + 3, reranking=number), reranking=number)
    assert response.read[0] == (1, N_READ + 3)
    assert not response.reranking.order  # the browser knows it
    expected = {*session.context.order[: N_READ + 3].tolist(), int(young.order[-2])}
    assert set(read_positions(store, young.report, young.issue).tolist()) == expected


def test_another_window_keeps_its_order_until_it_requests_the_new_one(young, open_list):
    ada, bo = open_list("ada"), open_list("bo")
    send(bo)
    read_some(ada, young)
    new = send(ada, RerankRequest(entry_id())).reranking
    told = send(bo)
    assert (told.reranking, told.reranked_by) == (None, "ada")
    assert told.read[0] == (1, N_READ)
    in_old_order = send(bo, ReadingEntry(entry_id(), paper_at(young, 6), "presort", young.shown.id))
    assert in_old_order.read[0] == (1, 6)
    shown = send(bo, ShowNewestOrder(entry_id()))
    assert (shown.reranking.order, shown.reranked_by) == (new.order, "")


def test_undoing_restores_the_order_and_what_was_read_in_between_stays_read(store, young, open_list):
    session = open_list()
    read_some(session, young)
    number = send(session, RerankRequest(entry_id())).reranking.number
    far = paper_at(session.context, N_READ + 3)
    send(session, decided(session.context, N_READ + 3, reranking=number), reranking=number)
    back = send(session, UndoRerank(entry_id()), reranking=number).reranking
    assert (back.order, back.labels) == (young.order.tolist(), {})
    assert decisions.labels(store, young.report, young.issue)[far] == "no"
    assert len(read_positions(store, young.report, young.issue)) == N_READ + 4


def test_labels_of_a_re_ranking_are_those_before_it(store, young, open_list):
    session = open_list()
    read_some(session, young)
    number = send(session, RerankRequest(entry_id())).reranking.number
    send(session, decided(session.context, N_READ, "yes", number), reranking=number)
    send(session, decided(session.context, N_READ + 1, "maybe", number), reranking=number)
    used, labels = used_labels(store, session.context), decisions.labels(store, young.report, young.issue)
    assert (used[paper_at(young, N_READ)], len(used)) == ("no", N_READ + 1)
    assert n_new_decisions(used, labels) == 1
    second = send(session, RerankRequest(entry_id()), reranking=number).reranking
    assert n_new_decisions(second.labels, labels) == 0
    first = send(session, UndoRerank(entry_id()), reranking=second.number).reranking
    assert first.labels == used


def test_a_repeated_request_creates_one_order(store, young, open_list):
    session, asked = open_list(), RerankRequest(entry_id())
    read_some(session, young)
    numbers = [send(session, asked).reranking.number for _ in range(2)]
    assert numbers[0] == numbers[1]


@pytest.fixture
def ranked_again(store, young):
    """The same issue after it was ranked again with the same result."""
    add_rankings(store, [young.shown.ranking])
    return replace(young, shown=rankings.newest_rankings(store, "lab", young.issue)["krichel-2007"])


@pytest.mark.parametrize("kind", ["decided", "read"])
def test_an_order_of_an_earlier_ranking_blocks_no_other_entry(store, young, open_list, ranked_again, kind):
    first = open_list()
    read_some(first, young)
    number = send(first, RerankRequest(entry_id())).reranking.number
    of_list = ("presort", ranked_again.shown.id)
    wrong = (
        DecisionEntry(entry_id(), paper_at(young, 8), "no", *of_list, reranking=number)
        if kind == "decided"
        else ReadingEntry(entry_id(), paper_at(young, 8), *of_list, reranking=number)
    )
    right = DecisionEntry(entry_id(), paper_at(young, N_READ + 1), "no", *of_list)
    session = ReviewSession(store, ranked_again, "ada", lambda paper: None)
    response = send(session, wrong, right, reranking=number)
    assert set(response.refused) == {wrong.entry_id}
    assert response.read[0] == (1, N_READ + 1)
    assert decisions.labels(store, young.report, young.issue)[right.paper_id] == "no"


def test_nothing_is_reranked_before_a_paper_is_relevant(young, open_list):
    session, asked = open_list(), RerankRequest(entry_id())
    send(session, decided(young, 1))
    response = send(session, asked)
    assert response.refused == {asked.entry_id: NOTHING_LEARNED}
    assert response.reranking is None


def test_a_decision_made_during_re_ranking_is_included(store, young, open_list, monkeypatch):
    session, other = open_list(), open_list("bo")
    read_some(session, young)
    ranked = []

    def rank(*args, **more):
        if not ranked:
            send(other, decided(young, N_READ + 1))
        ranked.append(1)
        return rerank(*args, **more)

    rerank = list_order.rerank
    monkeypatch.setattr(list_order, "rerank", rank)
    response = send(session, RerankRequest(entry_id()))
    assert len(ranked) == 2
    assert response.reranking.order[N_READ] == young.order[N_READ]
    assert len(response.reranking.labels) == N_READ + 2


def test_a_list_that_others_keep_changing_is_not_re_ranked(young, open_list, monkeypatch):
    session, other, asked = open_list(), open_list("bo"), RerankRequest(entry_id())
    read_some(session, young)
    rerank, places = list_order.rerank, iter(range(N_READ + 1, 99))

    def rank(*args, **more):
        send(other, decided(young, next(places)))
        return rerank(*args, **more)

    monkeypatch.setattr(list_order, "rerank", rank)
    assert send(session, asked).refused == {asked.entry_id: BUSY}


def test_a_published_list_keeps_its_order(store, young, open_list):
    session, asked = open_list(), RerankRequest(entry_id())
    read_some(session, young)
    workflow.publish_report_issue(store, young.report, young.issue, young.shown, person="ada")
    response = send(session, asked)
    assert set(response.refused) == {asked.entry_id}
    assert response.reranking is None


def test_stop_advice_and_spot_checks_are_about_places_of_the_new_order(young, open_list):
    session = open_list()
    read_some(session, young)
    before = session.advice
    number = send(session, RerankRequest(entry_id())).reranking.number
    after = session.advice
    assert after.stops == before.stops  # the same places count as equally likely to be relevant
    response = send(
        session,
        ReadingEntry(entry_id(), paper_at(session.context, after.stop_at), "presort", young.shown.id, number),
        SpotCheckRequest(entry_id()),
        reranking=number,
    )
    below = {paper_at(session.context, place) for place in range(after.stop_at + 1, len(young.papers) + 1)}
    assert set(response.drawn) <= below


@pytest.fixture
def with_late_paper(store, young):
    """The same list, opened after another paper was imported into its issue."""
    take_in(store, [make_listed("late", young.issue)])
    papers = catalogue.papers(store, young.issue)
    return replace(young, papers=papers, order=shown_order(young.shown, len(papers)))


def test_a_list_is_re_ranked_although_a_paper_that_it_does_not_have_was_read(store, young, open_list, with_late_paper):
    session, other = open_list(), ReviewSession(store, with_late_paper, "bo", lambda paper: None)
    read_some(session, young)
    send(other, DecisionEntry(entry_id(), "late", "no", "presort", young.shown.id, is_alone=True))
    response = send(session, RerankRequest(entry_id()))
    assert response.refused == {}
    assert sorted(response.reranking.order) == sorted(young.order)
    newest = current_order(store, young.shown, len(with_late_paper.papers)).tolist()
    assert newest == [*response.reranking.order, len(with_late_paper.papers)]


def test_a_list_shows_only_its_own_papers_of_a_spot_check(store, young, open_list, with_late_paper):
    session = open_list()
    send(session)
    n_papers = len(with_late_paper.papers)
    read_papers.add_draw(store, "lab", young.issue, Draw(young.shown.id, 0, n_papers, (n_papers, 3)), person="bo")
    assert send(session).drawn == [young.papers[2].paper_id]
