"""Database use of pages and messages: budgets of transactions and queries, which may shrink but not grow."""

from concurrent.futures import Future
from contextlib import contextmanager

import pytest
from sqlalchemy import event
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.preferences import set_preference
from presort.data.learning import rankings
from presort.data.records import Decision
from presort.desk import access, pages, settings
from presort.desk.components.messages import (
    DecisionEntry,
    ExplanationRequest,
    HintEntry,
    LeaveRequest,
    NoteEntry,
    ReadingEntry,
    ReviewRequest,
    SpotCheckRequest,
    TagEntry,
    TargetRecallEntry,
    ViewEntry,
)
from presort.desk.session.progress import ReviewContext, relevance_model_of, shown_order
from presort.desk.session.review_session import ReviewSession
from presort.desk.ui import visitor
from tests.desk.conftest import APP

# By address of a page: queries of the first drawing in a window, when nothing is cached, and of the next one. Both
# include what the app draws around the page.
DIRECTOR_BUDGET = {
    "overview": (54, 35),
    "compare": (20, 6),
    "manage": (20, 19),
    "import": (4, 3),
    "topic": (5, 4),
    "natural-order": (16, 10),
    "systems-topics": (10, 4),
    "measures": (10, 4),
    "preferences": (12, 11),
}
EDITOR_BUDGET = {
    "week": (33, 32),
    "review": (68, 62),  # 3 of them for a re-ranked list
    "publish": (60, 59),
    # It opens on the report that is most late, and names its late issues (pending issues: 8 queries). The first drawing
    # also reads how far editors of all reports read (8) and the rankers in use, which are then kept for all pages.
    "report": (41, 22),
}


@contextmanager
def counted(engine):
    """Count the transactions and queries of a database, by kind."""
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


def page_in_app(address, store, monkeypatch):
    """Return a page with the frame of the app, not drawn yet."""
    monkeypatch.setenv(settings.WORKSPACE, str(store.folder))
    page = AppTest.from_file(APP, default_timeout=30)
    page._page_hash = calc_hash(address)  # AppTest opens only pages in files by their name
    page.query_params["report"] = "lab"
    return page


def demand_one_transaction_within(budget, address, store, monkeypatch):
    page = page_in_app(address, store, monkeypatch)
    engine = visitor.whole_store().engine
    for drawing, most in zip(("first", "next"), budget, strict=True):
        with counted(engine) as found:
            page.run()
        assert not page.exception
        assert not page.error
        assert [title.value for title in page.title] == [pages.BY_ADDRESS[address].title]
        assert found["begin"] == 1, f"{drawing} drawing"
        assert found["before_cursor_execute"] <= most, f"{drawing} drawing"
        assert engine.pool.checkedout() == 0


def test_every_page_has_a_budget():
    assert DIRECTOR_BUDGET.keys() | EDITOR_BUDGET.keys() == pages.BY_ADDRESS.keys()


@pytest.mark.parametrize("address", DIRECTOR_BUDGET)
@pytest.mark.usefixtures("no_cache")
def test_a_page_of_a_director_reads_in_one_transaction_and_within_its_budget(address, replayed, monkeypatch):
    demand_one_transaction_within(DIRECTOR_BUDGET[address], address, replayed, monkeypatch)


@pytest.mark.parametrize("address", EDITOR_BUDGET)
@pytest.mark.usefixtures("no_cache")
def test_a_page_of_an_editor_reads_in_one_transaction_and_within_its_budget(address, finished, monkeypatch):
    demand_one_transaction_within(EDITOR_BUDGET[address], address, finished, monkeypatch)


@pytest.mark.parametrize("address", pages.BY_ADDRESS)
def test_a_page_without_the_app_reads_in_one_transaction(address, finished, open_page, tmp_path, monkeypatch):
    monkeypatch.setenv(settings.WORKSPACE, str(finished.folder))
    script = tmp_path / "page.py"
    script.write_text(f"from {pages.BY_ADDRESS[address].module} import show\nshow()\n")
    with counted(visitor.whole_store().engine) as found:
        assert not open_page(script, finished, report="lab").exception
    assert found["begin"] == 1


@pytest.fixture
def decided(finished):
    """A user of plain widgets has marked five papers of the newest issue as relevant."""
    set_preference(finished, access.PERSON, "plain", "true")
    issue = catalogue.issues(finished)[-1].date
    papers = catalogue.papers(finished, issue)[:5]
    decisions.decide(finished, [Decision("lab", issue, one.paper_id, "yes", access.PERSON) for one in papers])
    return finished


def button(page, start):
    return next(one for one in page.button if one.key.startswith(start))


# By action: the page, the click, and the budgets of transactions and queries until the page is redrawn.
CLICKS = {
    "tick": ("publish", lambda page: page.checkbox[0].uncheck(), 2, 93),
    "tick none": ("publish", lambda page: page.button(key="publish-none").click(), 2, 91),
    "move": ("publish", lambda page: button(page, "Down-").click(), 2, 90),
    "note": ("publish", lambda page: page.text_area[0].set_value("Read this first."), 2, 90),
    # Writes: notes, the report issue, scores. Reads: pending issues to re-rank before each of them, and the page.
    "publish": ("publish", lambda page: page.button(key="publish-now").click(), 8, 133),
    "decide": ("review", lambda page: button_group(page, "label-").set_value("maybe"), 2, 83),
    "skip": ("week", lambda page: button(page, "skip-").click(), 2, 53),
    "role": ("week", lambda page: page.button_group(key="role").set_value("director"), 2, 59),
}


def button_group(page, start):
    return next(one for one in page.button_group if one.key.startswith(start))


@pytest.mark.parametrize("name", CLICKS)
@pytest.mark.usefixtures("no_cache")
def test_a_click_that_changes_something_takes_a_write_and_a_read(name, decided, monkeypatch):
    address, click, n_transactions, n_queries = CLICKS[name]
    page = page_in_app(address, decided, monkeypatch).run()
    if name == "publish":
        page.button(key="publish-it").click().run()  # opens the dialog
    engine, before = visitor.whole_store().engine, catalogue.revision(decided)
    with counted(engine) as found:
        click(page).run()
    assert not page.exception
    assert not page.error
    assert catalogue.revision(decided) > before
    assert found["begin"] <= n_transactions
    assert found["before_cursor_execute"] <= n_queries
    assert engine.pool.checkedout() == 0


def reads_and_ends(how):
    import streamlit as st

    from presort.data import catalogue
    from presort.desk.ui import visitor

    with visitor.one_snapshot():
        catalogue.reports(visitor.store())
        if how == "stop":
            st.stop()
        if how == "rerun" and st.session_state.setdefault("n", 0) < 1:
            st.session_state["n"] += 1
            st.rerun()
        if how == "error":
            raise ZeroDivisionError


@pytest.mark.parametrize("how", ["stop", "rerun", "error"])
@pytest.mark.usefixtures("no_cache")
def test_no_page_keeps_a_connection(how, store, monkeypatch):
    monkeypatch.setenv(settings.WORKSPACE, str(store.folder))
    engine = visitor.whole_store().engine
    with counted(engine) as found:
        page = AppTest.from_function(reads_and_ends, args=(how,), default_timeout=30).run()
    assert bool(page.exception) == (how == "error")
    assert found["begin"] == (2 if how == "rerun" else 1)
    assert engine.pool.checkedout() == 0


@pytest.mark.usefixtures("no_cache")
def test_settings_are_resolved_once_a_page(replayed, monkeypatch):
    resolved, resolve = [], settings.from_environment

    def counting():
        resolved.append(1)
        return resolve()

    monkeypatch.setattr(settings, "from_environment", counting)
    page_in_app("overview", replayed, monkeypatch).run()
    assert len(resolved) == 1


@pytest.fixture
def session(finished):
    """Review session of a ranked list that was drawn."""
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
    return DecisionEntry(f"decision-{place}", paper(session, place), "yes", "presort", session.context.shown.id)


# By message: its content, and the budget of queries.
MESSAGES = {
    "poll": (lambda _: [], 4),  # one of them for the target recall, which another editor may have changed
    "decision": (lambda of: [decision(of, 1)], 25),
    "20 decisions": (lambda of: [decision(of, place) for place in range(1, 21)], 25),
    "undo": (lambda of: [DecisionEntry("undo", paper(of, 1), "undecided", "presort", of.context.shown.id)], 25),
    "note": (lambda of: [NoteEntry("note", paper(of, 2), "Old?")], 27),
    "tag": (lambda of: [TagEntry("tag", paper(of, 2), "data", is_on=True)], 27),
    "read to": (lambda of: [ReadingEntry("read", paper(of, 5), "presort")], 22),
    "target recall": (lambda of: [TargetRecallEntry("miss", "1 in 10")], 21),
    "hint": (lambda of: [HintEntry("hint", "mute", "war")], 19),
    "draw": (lambda of: [ReadingEntry("all", paper(of, of.advice.stop_at), "presort"), SpotCheckRequest("draw")], 37),
    "explanation": (lambda of: [ExplanationRequest("why", paper(of, 3))], 4),
    "filter": (lambda _: [ViewEntry("looked", "presort", "yes", "wage")], 4),
    "all": (
        lambda of: [
            decision(of, 1),
            NoteEntry("n", paper(of, 1), "Old?"),
            HintEntry("h", "mute", "war"),
            LeaveRequest("leave"),
        ],
        42,
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
