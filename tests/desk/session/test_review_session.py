"""Entries of the review list are saved once, refused one by one, and sent to other editors."""

from concurrent.futures import Future
from dataclasses import replace

import pytest

from presort.data import catalogue
from presort.data.editing import decisions, notes
from presort.data.editing.hints import hints
from presort.data.errors import WorkspaceError
from presort.data.learning import rankings
from presort.data.learning.rankings import add_rankings
from presort.data.records import Decision, Hints, PaperNotes
from presort.data.running.audit import audit
from presort.desk.components.messages import (
    DecisionEntry,
    ExplanationRequest,
    HintEntry,
    LeaveRequest,
    NoteEntry,
    ReadingEntry,
    ReviewRequest,
    TagEntry,
    TargetRecallEntry,
    ViewEntry,
)
from presort.desk.components.response import Section
from presort.desk.service import workflow
from presort.desk.session.progress import ReviewContext, shown_order
from presort.desk.session.review_session import ReviewSession
from presort.ranker.versions import RECIPES
from tests.desk.session.entries import entry_id, paper_at


def decided(context, place, label="yes", order="presort"):
    return DecisionEntry(entry_id(), paper_at(context, place), label, order)


def send(session, *entries, seen=None):
    return session.receive(ReviewRequest(1, seen, entries))


def test_a_decision_is_stored_with_the_list_it_was_made_in(store, context, desk):
    response = send(desk(), decided(context, 1), decided(context, 2, "maybe", "list"))
    words = {paper_at(context, 1): "yes", paper_at(context, 2): "maybe"}
    assert response.labels == words == decisions.labels(store, "lab", context.issue)
    assert response.refused == {}


def test_the_same_message_twice_counts_once(store, context, desk):
    session, entry = desk(), decided(context, 3)
    first = send(session, entry)
    again = send(session, entry)
    assert again.up_to == first.up_to
    assert again.labels == first.labels
    assert again.refused == {}


def test_only_changes_since_the_last_response_are_sent(context, desk):
    session = desk()
    first = send(session, decided(context, 1))
    second = send(session, decided(context, 2), seen=first.up_to)
    assert second.labels == {paper_at(context, 2): "yes"}
    assert send(session, seen=second.up_to).labels == {}
    assert len(send(session).labels) == 2  # a newly opened page gets everything


def test_two_people_see_each_others_decisions_tags_and_notes(context, desk):
    ada, bo = desk("ada"), desk("bo")
    seen = send(bo).up_to
    paper = paper_at(context, 4)
    tags = [TagEntry(entry_id(), paper, tag, is_on=True) for tag in ("data", "theory")]
    send(ada, decided(context, 4), *tags, NoteEntry(entry_id(), paper, "Old?"))
    response = send(bo, seen=seen)
    assert response.labels == {paper: "yes"}
    assert response.tags == {paper: ("data", "theory")}
    assert response.notes == {paper: "Old?"}
    untagged = TagEntry(entry_id(), paper, "theory", is_on=False)
    send(ada, decided(context, 4, "undecided"), untagged, NoteEntry(entry_id(), paper, ""))
    later = send(bo, seen=response.up_to)
    assert later.labels == {paper: "undecided"}
    assert later.tags == {paper: ("data",)}
    assert later.notes == {paper: ""}
    assert send(bo, seen=later.up_to).tags == {}


def test_adding_a_tag_removes_none_of_somebody_else(store, context, desk):
    ada, bo = desk("ada"), desk("bo")
    paper = paper_at(context, 4)
    send(ada, TagEntry(entry_id(), paper, "data", is_on=True))
    send(bo, theory := TagEntry(entry_id(), paper, "theory", is_on=True))
    assert notes.paper_notes(store, "lab", context.issue)[paper].tags == ("data", "theory")
    send(ada, TagEntry(entry_id(), paper, "theory", is_on=False))
    send(bo, theory)  # sent again, as if no response had arrived in time
    assert notes.paper_notes(store, "lab", context.issue)[paper].tags == ("data",)


def test_the_cursor_never_decreases_and_shows_when_nothing_has_changed(context, desk):
    session = desk()
    numbers = [send(session).up_to]
    for place in (1, 2, 3):
        numbers.append(send(session, decided(context, place)).up_to)
        numbers.append(send(session, NoteEntry(entry_id(), paper_at(context, place), "x")).up_to)
    assert numbers == sorted(set(numbers))


def test_a_refused_entry_blocks_no_other(store, context, desk):
    stranger = DecisionEntry(entry_id(), "no such paper", "yes", "presort")
    response = send(
        desk(), decided(context, 1), stranger, decided(context, 2), ExplanationRequest(entry_id(), "nor this")
    )
    assert decisions.labels(store, "lab", context.issue) == {paper_at(context, 1): "yes", paper_at(context, 2): "yes"}
    assert len(response.refused) == 2
    assert "no paper 'no such paper'" in response.refused[stranger.entry_id]


def test_after_publication_in_another_window_only_notes_are_accepted(store, context, desk):
    session = desk()
    send(session, decided(context, 1))
    workflow.publish_report_issue(store, "lab", context.issue, context.shown, person="bo")
    late = decided(context, 2)
    response = send(session, late, NoteEntry(entry_id(), paper_at(context, 2), "Next time."))
    assert response.is_outdated  # redraws the page
    assert "was published on" in response.refused[late.entry_id]
    assert decisions.labels(store, "lab", context.issue) == {paper_at(context, 1): "yes"}
    assert notes.paper_notes(store, "lab", context.issue) == {paper_at(context, 2): PaperNotes((), "Next time.")}


def read(response):
    """Return the places that a response marks as read."""
    return [place for first, last in response.read for place in range(first, last + 1)]


def list_places(context, last):
    """Return the places in the shown order of the first papers in list order."""
    return {context.order.tolist().index(position) + 1 for position in range(1, last + 1)}


def test_reading_progress_follows_decisions_in_this_list_and_read_marks(store, context, desk):
    session = desk()
    assert read(send(session, decided(context, 5))) == [1, 2, 3, 4, 5]
    assert session.advice.read_up_to == 5
    assert read(send(session, ReadingEntry(entry_id(), paper_at(context, 7), "presort"))) == [1, 2, 3, 4, 5, 6, 7]
    decisions.decide(
        store, [Decision("lab", context.issue, paper_at(context, 11), "no", "bo", ranking_id=context.shown.id)]
    )
    send(session)
    assert session.advice.n_read == session.advice.read_up_to == 11


def test_a_repeated_message_does_not_undo_later_decisions(context, desk):
    session = desk()
    too_far = ReadingEntry(entry_id(), paper_at(context, 9), "presort"), TargetRecallEntry(entry_id(), "none")
    send(session, *too_far)
    send(session, ReadingEntry(entry_id(), paper_at(context, 3), "presort"), TargetRecallEntry(entry_id(), "1 in 10"))
    response = send(session, *too_far)  # as if a message was sent again, and the first one arrived late
    assert read(response) == [1, 2, 3]
    assert response.stop_advice.target_recall == "1 in 10"
    assert response.refused == {}


def test_papers_read_in_list_order_are_read_in_any_order(context, desk):
    session = desk()
    third = context.papers[2].paper_id
    assert set(read(send(session, DecisionEntry(entry_id(), third, "no", "list")))) == list_places(context, 3)
    ninth = context.papers[8].paper_id
    assert set(read(send(session, ReadingEntry(entry_id(), ninth, "list")))) == list_places(context, 9)
    assert session.advice.n_read == 9


@pytest.fixture
def sorted_again(store, context):
    """The same issue in reverse order."""
    old = context.shown.ranking
    add_rankings(store, [replace(old, positions=old.positions[::-1].copy(), scores=old.scores)])
    shown = rankings.newest_rankings(store, "lab", context.issue)["krichel-2007"]
    return replace(context, shown=shown, order=shown_order(shown, len(context.papers)))


def test_read_papers_stay_read_after_a_re_ranking(store, context, sorted_again, desk):
    send(desk(), decided(context, 12), ReadingEntry(entry_id(), paper_at(context, 15), "presort"))
    n = len(context.papers)
    session = ReviewSession(store, sorted_again, "ada", Future)
    assert read(send(session)) == list(range(n - 14, n + 1))
    assert (session.advice.n_read, session.advice.read_up_to) == (15, 0)
    assert read(send(session, decided(sorted_again, 2))) == [1, 2, *range(n - 14, n + 1)]


@pytest.mark.parametrize("saying", ["decided", "read"])
def test_entries_stored_under_an_older_order_count_for_that_order(store, context, sorted_again, saying):
    paper, older = paper_at(context, 4), context.shown.id
    late = (
        DecisionEntry(entry_id(), paper, "yes", "presort", older)
        if saying == "decided"
        else ReadingEntry(entry_id(), paper, "presort", older)
    )
    n = len(context.papers)
    assert read(send(ReviewSession(store, sorted_again, "ada", Future), late)) == list(range(n - 3, n + 1))


def test_a_message_without_a_ranking_applies_to_the_shown_one(store, sorted_again):
    session = ReviewSession(store, sorted_again, "ada", Future)
    assert read(send(session, decided(sorted_again, 3))) == [1, 2, 3]


def test_only_entries_for_another_issue_or_report_are_refused(store, context, newest, desk):
    other = catalogue.issues(store)[-2].date
    list(workflow.rank(store, [RECIPES["krichel-2007"]], reports=["lab"], issue=other))
    list(workflow.rank(store, [RECIPES["krichel-2007"]], reports=["pub"]))
    foreign = [
        rankings.newest_rankings(store, *of_issue)["krichel-2007"].id for of_issue in (("lab", other), ("pub", newest))
    ]
    for number in (*foreign, 2**53 - 1):
        wrong = DecisionEntry(entry_id(), paper_at(context, 1), "yes", "presort", number)
        wrong_mark = ReadingEntry(entry_id(), paper_at(context, 1), "presort", number)
        response = send(desk(), wrong, wrong_mark, decided(context, 2))
        assert [response.refused[one.entry_id] for one in (wrong, wrong_mark)] == [
            f"Report 'lab' has no ranking {number} for the issue of {newest}."
        ] * 2
    assert decisions.labels(store, "lab", newest) == {paper_at(context, 2): "yes"}
    assert read(response) == [1, 2]


def test_two_people_see_what_the_other_marked_as_read(context, desk):
    ada, bo = desk("ada"), desk("bo")
    seen = send(bo).up_to
    send(ada, ReadingEntry(entry_id(), paper_at(context, 3), "presort"))
    assert read(send(bo, seen=seen)) == [1, 2, 3]


def test_reading_progress_is_unchanged_after_publication(store, context, desk):
    before = send(desk(), decided(context, 7), decided(context, 30, order="list"))
    workflow.publish_report_issue(store, "lab", context.issue, context.shown, person="bo")
    published_issue = ReviewSession(store, replace(context, relevance_model=None, is_published=True), "ada", Future)
    late = ReadingEntry(entry_id(), paper_at(context, 33), "presort")
    response = send(published_issue, late)
    assert response.read == before.read
    assert "was published on" in response.refused[late.entry_id]


def test_the_target_recall_is_stored_for_the_report_and_logged(store, context, desk):
    session = desk()
    assert send(session).stop_advice.target_recall == "1 in 20"
    assert send(session, TargetRecallEntry(entry_id(), "none")).stop_advice.target_recall == "none"
    assert send(desk("bo")).stop_advice.target_recall == "none"
    (logged,) = audit(store, 9, words="target recall")
    assert (logged.action, logged.report) == ("Target recall: all, in 95 % of lists", "lab")


def test_another_window_shows_a_new_target_recall(context, desk):
    ada, bo = desk("ada"), desk("bo")
    seen = send(bo).up_to
    send(ada, TargetRecallEntry(entry_id(), "none"))
    response = send(bo, seen=seen)
    assert (response.target_recall, response.stop_advice.target_recall) == ("none", "none")
    assert bo.advice.target_recall == "none"


def test_a_list_without_stop_advice_has_none(store, context):
    session = ReviewSession(
        store, ReviewContext("lab", context.issue, context.papers, None, context.order, None), "ada", Future
    )
    response = send(session, decided(context, 3, order="list"))
    assert response.stop_advice is None
    assert response.rule is None
    assert session.advice is None


def test_an_explanation_is_sent_once_when_it_is_ready(context, desk):
    answer = Future()
    session = desk(ask=lambda paper: answer)
    asked = ExplanationRequest(entry_id(), paper_at(context, 2))
    assert send(session, asked).answers == {}
    answer.set_result([Section("Why", ["up: wage"])])
    assert send(session).answers == {paper_at(context, 2): [Section("Why", ["up: wage"])]}
    assert send(session).answers == {}


def test_a_bug_in_an_explanation_has_a_traceback(context, desk):
    answer = Future()
    answer.set_exception(ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        send(desk(ask=lambda paper: answer), ExplanationRequest(entry_id(), paper_at(context, 2)))


def test_the_shown_filters_are_stored(desk):
    session = desk()
    looked = ViewEntry(entry_id(), "list", "yes", "wage")
    assert send(session).looked is None
    assert send(session, looked).looked == looked
    assert session.looked == looked


def test_a_list_learns_which_filters_the_server_has_of_the_list_before(context, desk):
    looked = ViewEntry(entry_id(), "presort", "yes", "")
    send(before := desk(), looked)
    after = ReviewSession(before.store, context, "ada", Future, before.looked)
    assert after.receive(ReviewRequest()).looked == looked


def test_time_spent_is_sent_after_a_decision(context, desk):
    session = desk()
    first = send(session, decided(context, 1))
    assert first.minutes == "under a minute"
    assert send(session, seen=first.up_to).minutes is None


def test_a_term_muted_in_an_explanation_applies_to_the_next_ranking(store, desk):
    session = desk()
    assert not session.has_hinted
    muted = HintEntry(entry_id(), "mute", "Minimum wage")
    send(session, muted, HintEntry(entry_id(), "boost", "tariff"))
    send(session, muted)  # sent again, as if no response had arrived in time
    assert hints(store)["lab"] == Hints(muted=("minimum wage",), boosted=("tariff",), up_to=2)
    assert session.has_hinted


def test_entries_that_cannot_be_saved_can_be_resent(store, context, desk, monkeypatch):
    session, entry = desk(), decided(context, 1)

    def busy(*_):
        raise WorkspaceError("presort.db is in use by another program.")

    with monkeypatch.context() as patch:
        patch.setattr(decisions, "decide", busy)
        assert send(session, entry).trouble == "presort.db is in use by another program."
    response = send(session, entry)
    assert response.trouble == ""
    assert response.labels == {paper_at(context, 1): "yes"}


def test_after_a_failed_commit_nothing_counts_as_saved_until_it_is_sent_again(store, context, desk, monkeypatch):
    session, first = desk(), decided(context, 1)
    seen = send(session, first).up_to
    entries = (
        decided(context, 2),
        NoteEntry(entry_id(), paper_at(context, 2), "Old?"),
        HintEntry(entry_id(), "mute", "war"),
        ReadingEntry(entry_id(), paper_at(context, 9), "presort"),
        LeaveRequest(entry_id()),
    )

    calls = []

    def replaced():
        calls.append(len(calls))
        if len(calls) == 2:  # before the commit; the first call is before the transaction
            raise WorkspaceError("presort.db was replaced.")

    with monkeypatch.context() as patch:
        patch.setattr(store.database, "demand_same", replaced)
        assert send(session, *entries, seen=seen).trouble == "presort.db was replaced."
    assert not session.is_leaving
    assert not session.has_hinted
    assert session.advice.read_up_to == 1
    assert decisions.labels(store, "lab", context.issue) == {paper_at(context, 1): "yes"}
    send(desk("bo"), decided(context, 3, "no"))  # takes the log number that was rolled back
    response = send(session, *entries, seen=seen)
    assert response.labels == {paper_at(context, 2): "yes", paper_at(context, 3): "no"}
    assert response.notes == {paper_at(context, 2): "Old?"}
    assert read(response) == list(range(1, 10))
    assert session.is_leaving
    assert session.has_hinted


def test_everything_is_saved_before_publish_opens(store, context, desk):
    session = desk()
    send(session, decided(context, 2), LeaveRequest(entry_id()))
    assert session.is_leaving
    assert decisions.labels(store, "lab", context.issue) == {paper_at(context, 2): "yes"}
