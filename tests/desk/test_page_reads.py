"""How often pages and messages use the database: budgets of transactions and queries, which may shrink but not grow."""

from concurrent.futures import Future
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from presort.data import catalogue
from presort.data.learning import rankings
from presort.desk import settings
from presort.desk.components.messages import (
    Decided,
    ExplanationRequest,
    Hinted,
    Leave,
    Looked,
    MissChosen,
    Noted,
    ReadTo,
    ReviewRequest,
    SpotCheckRequest,
    Tagged,
)
from presort.desk.session.progress import ReviewContext, relevance_model_of, shown_order
from presort.desk.session.review_session import ReviewSession
from presort.desk.ui import visitor

# By page: queries of the first drawing, when nothing is cached, and of the next one.
BUDGET = {
    "overview": (65, 44),
    "compare": (18, 5),
    # It opens on the report that is most late, and names its late issues (pending issues: 8 queries). The first drawing
    # also reads how far editors of all reports read (8), which is then kept for all pages.
    "report": (38, 21),
    "natural_order": (16, 10),
    "systems_topics": (12, 6),
    "measures": (12, 6),
}


def overview():
    from presort.desk.overview import page

    page.show()


def compare():
    from presort.desk.compare import page

    page.show()


def report():
    from presort.desk.report import page

    page.show()


def natural_order():
    from presort.desk.natural_order import page

    page.show()


def systems_topics():
    from presort.desk.systems_topics import page

    page.show()


def measures():
    from presort.desk.measures import page

    page.show()


PAGES = (overview, compare, report, natural_order, systems_topics, measures)


@contextmanager
def counted(engine):
    """Count what a database is asked for, by kind."""
    found = {"begin": 0, "before_cursor_execute": 0}

    def counter(kind):
        def count(*_):
            found[kind] += 1

        return count

    counters = {kind: counter(kind) for kind in found}
    for kind, count in counters.items():
        event.listen(engine, kind, count)
    yield found
    for kind, count in counters.items():
        event.remove(engine, kind, count)


@pytest.mark.parametrize("show", PAGES, ids=lambda show: show.__name__)
def test_a_page_reads_in_one_transaction_and_within_its_budget(show, replayed, open_page, monkeypatch):
    monkeypatch.setenv(settings.WORKSPACE, str(replayed.folder))
    n_queries = []
    for drawing in ("first", "next"):
        with counted(visitor.whole_store().engine) as found:
            drawn = open_page(show, replayed)
        assert not drawn.exception
        assert not drawn.error
        assert found["begin"] == 1, f"{drawing} drawing: {found['begin']} transactions"
        n_queries.append(found["before_cursor_execute"])
    assert n_queries[1] <= n_queries[0]
    for drawing, n, most in zip(("first", "next"), n_queries, BUDGET[show.__name__], strict=True):
        assert n <= most, f"{drawing} drawing"


def test_settings_are_resolved_once_a_page(replayed, open_page, monkeypatch):
    resolved, resolve = [], settings.from_environment

    def counting():
        resolved.append(1)
        return resolve()

    monkeypatch.setattr(settings, "from_environment", counting)
    open_page(overview, replayed)
    assert len(resolved) == 1


@pytest.fixture
def session(finished):
    """Session of a sorted list that was drawn."""
    issue = catalogue.issues(finished)[-1].date
    shown = rankings.newest_rankings(finished, "lab", issue)["krichel-2007"]
    papers = catalogue.papers(finished, issue)
    order, model = shown_order(shown, len(papers)), relevance_model_of(finished, shown)
    context = ReviewContext("lab", issue, papers, shown, order, model)
    session = ReviewSession(finished, context, "ada", lambda _: Future())
    session.receive(ReviewRequest())
    return session


def paper(session, place):
    return session.context.papers[session.context.order[place - 1] - 1].paper_id


def decision(session, place):
    return Decided(f"decision-{place}", paper(session, place), "yes", "presort", session.context.shown.id)


# By message: what is sent, and the budget of queries.
MESSAGES = {
    "poll": (lambda _: [], 4),
    "decision": (lambda of: [decision(of, 1)], 35),
    "20 decisions": (lambda of: [decision(of, place) for place in range(1, 21)], 35),
    "undo": (lambda of: [Decided("undo", paper(of, 1), "undecided", "presort", of.context.shown.id)], 35),
    "note": (lambda of: [Noted("note", paper(of, 2), "Old?")], 37),
    "tag": (lambda of: [Tagged("tag", paper(of, 2), "data", is_on=True)], 37),
    "read to": (lambda of: [ReadTo("read", paper(of, 5), "presort")], 30),
    "target recall": (lambda of: [MissChosen("miss", "1 in 10")], 27),
    "hint": (lambda of: [Hinted("hint", "mute", "war")], 25),
    "draw": (lambda of: [ReadTo("all", paper(of, of.advice.stop_at), "presort"), SpotCheckRequest("draw")], 51),
    "explanation": (lambda of: [ExplanationRequest("why", paper(of, 3))], 4),
    "filter": (lambda _: [Looked("looked", "presort", "yes", "wage")], 4),
    "all": (
        lambda of: [decision(of, 1), Noted("n", paper(of, 1), "Old?"), Hinted("h", "mute", "war"), Leave("leave")],
        54,
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_takes_one_transaction_and_stays_within_its_budget(name, session):
    entries, most = MESSAGES[name]
    request = ReviewRequest(1, session.receive(ReviewRequest()).up_to, tuple(entries(session)))
    with counted(session.store.engine) as found:
        response = session.receive(request)
    assert not response.trouble
    assert not response.refused
    assert found["begin"] == 1
    assert found["before_cursor_execute"] <= most
