"""Entries of signed-in users are saved with their rights and under their name."""

from concurrent.futures import Future
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import event

from presort.data import catalogue
from presort.data.editing.log import decisions_since
from presort.data.records import Editorship, Identity, Role
from presort.data.rights import ForbiddenError, Right
from presort.data.running import accounts, people, roles
from presort.desk import access
from presort.desk.access import SignIn
from presort.desk.components.messages import (
    DecisionEntry,
    HintEntry,
    NoteEntry,
    ReadingEntry,
    ReviewRequest,
    TagEntry,
    TargetRecallEntry,
)
from presort.desk.session import review_session as receiver_module
from presort.desk.session.review_session import ReviewSession
from tests.desk.session.entries import entry_id, paper_at


@pytest.mark.parametrize(
    ("report", "says"),
    [("lab", "You don't have permission to edit lab"), ("mac", "You don't have permission to view lab")],
)
def test_a_forged_message_of_a_user_without_rights_changes_nothing(store, context, report, says):
    """A viewer's page has no buttons, and a viewer of another report has no page at all: both messages are forged."""
    roles.grant(store, Role("Vic", "viewer", report), person="manage")
    account = Identity("https://id.example.org", "vic")
    accounts.accept(store, accounts.invite(store, "Vic", person="manage"), account)
    guarded = access.guard_store(store, SignIn(account, datetime.now(UTC)))
    first = paper_at(context, 1)
    forged = [
        DecisionEntry(entry_id(), first, "yes", "presort", context.shown.id),
        TagEntry(entry_id(), first, "mine", is_on=True),
        NoteEntry(entry_id(), first, "Mine."),
        ReadingEntry(entry_id(), first, "presort", context.shown.id),
        HintEntry(entry_id(), "mute", "war"),
        TargetRecallEntry(entry_id(), "none"),
    ]
    before = store.database.path.read_bytes(), catalogue.revision(store)
    session = ReviewSession(guarded, context, "Vic", lambda paper: Future())
    if report == "lab":
        refused = session.receive(ReviewRequest(1, None, tuple(forged))).refused
        assert set(refused) == {one.entry_id for one in forged}
        assert all(says in why for why in refused.values())
    else:
        with pytest.raises(ForbiddenError, match=says):
            session.receive(ReviewRequest(1, None, tuple(forged)))
    assert (store.database.path.read_bytes(), catalogue.revision(store)) == before


def test_a_renamed_editor_decides_under_the_new_name_in_an_open_list(store, context):
    people.add_editorship(store, Editorship("lab", "Ann", date(2026, 1, 5)), person="manage")
    account = Identity("https://id.example.org", "ann")
    accounts.accept(store, accounts.invite(store, "Ann", person="manage"), account)
    session = ReviewSession(
        access.guard_store(store, SignIn(account, datetime.now(UTC))), context, "Ann", lambda paper: Future()
    )
    people.rename_editor(store, "Ann", "Ann Lee")
    entries = (
        DecisionEntry(entry_id(), paper_at(context, 1), "yes", "presort", context.shown.id),
        NoteEntry(entry_id(), paper_at(context, 1), "Mine."),
    )
    assert session.receive(ReviewRequest(1, None, entries)).refused == {}
    assert [one.person for one in decisions_since(store, "lab", context.issue, 0)][-1] == "Ann Lee"
    assert {one.name for one in roles.members(store)} == {"Ann Lee"}


def test_rights_are_read_once_in_a_transaction_and_again_in_the_next(store):
    account = Identity("https://id.example.org", "ann")
    ann = Editorship("lab", "Ann", date(2026, 1, 5))
    people.add_editorship(store, ann, person="manage")
    accounts.accept(store, accounts.invite(store, "Ann", person="manage"), account)
    guarded = access.guard_store(store, SignIn(account, datetime.now(UTC)))
    queries = []

    @event.listens_for(store.engine, "before_cursor_execute")
    def note(_connection, _cursor, query, *_):
        queries.append(query)

    with guarded.transaction(Right.EDIT, "lab") as transaction:
        for _ in range(3):
            with transaction.reading(Right.SEE, "lab"):
                pass
    assert sum("FROM identity" in query for query in queries) == 1
    people.take_back_editorship(store, ann, person="manage")
    with pytest.raises(ForbiddenError), guarded.transaction(Right.EDIT, "lab"):
        pass


def test_decisions_wait_in_the_browser_after_a_sign_in_expired(store, context, caplog):
    ended = access.guard_store(
        store, SignIn(Identity("https://id.example.org", "ann"), datetime(2026, 1, 5, tzinfo=UTC))
    )
    session = ReviewSession(ended, context, "Ann", lambda paper: Future())
    decided = DecisionEntry(entry_id(), paper_at(context, 1), "yes", "presort", context.shown.id)
    assert "You are no longer signed in" in session.receive(ReviewRequest(1, None)).trouble
    assert receiver_module.LOG.name not in {one.name for one in caplog.records}  # an open list keeps polling
    response = session.receive(ReviewRequest(1, None, (decided,)))
    assert [one.message for one in caplog.records if one.name == receiver_module.LOG.name] == [
        "Refused entries of a review list: its user is signed out or no longer registered."
    ]
    assert "You are no longer signed in" in response.trouble
    assert response.refused == {}
