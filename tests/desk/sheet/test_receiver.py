"""What the list sends is saved once, refused by itself, and told to others."""

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
    Decided,
    ExplanationRequest,
    Hinted,
    Leave,
    Looked,
    MissChosen,
    Noted,
    ReadTo,
    ReviewRequest,
    Tagged,
)
from presort.desk.components.response import Section
from presort.desk.service import workflow
from presort.desk.sheet.progress import Sheet, shown_order
from presort.desk.sheet.receiver import Receiver
from presort.ranker.versions import RECIPES
from tests.desk.sheet.entries import entry_id, paper_at


def decided(sheet, place, word="yes", order="presort"):
    return Decided(entry_id(), paper_at(sheet, place), word, order)


def send(receiver, *entries, seen=None):
    return receiver.receive(ReviewRequest(1, seen, entries))


def test_a_decision_is_saved_and_told_with_the_list_it_was_made_in(store, sheet, desk):
    response = send(desk(), decided(sheet, 1), decided(sheet, 2, "maybe", "received"))
    words = {paper_at(sheet, 1): "yes", paper_at(sheet, 2): "maybe"}
    assert response.words == words == decisions.words(store, "lab", sheet.issue)
    assert response.refused == {}


def test_the_same_message_twice_counts_once(store, sheet, desk):
    receiver, entry = desk(), decided(sheet, 3)
    first = send(receiver, entry)
    again = send(receiver, entry)
    assert again.up_to == first.up_to
    assert again.words == first.words
    assert again.refused == {}


def test_only_what_is_new_since_the_last_reply_is_told(sheet, desk):
    receiver = desk()
    first = send(receiver, decided(sheet, 1))
    second = send(receiver, decided(sheet, 2), seen=first.up_to)
    assert second.words == {paper_at(sheet, 2): "yes"}
    assert send(receiver, seen=second.up_to).words == {}
    assert len(send(receiver).words) == 2  # all of it to a page that is opened anew


def test_two_people_see_each_others_words_tags_and_notes(sheet, desk):
    ada, bo = desk("ada"), desk("bo")
    seen = send(bo).up_to
    paper = paper_at(sheet, 4)
    tags = [Tagged(entry_id(), paper, tag, is_on=True) for tag in ("data", "theory")]
    send(ada, decided(sheet, 4), *tags, Noted(entry_id(), paper, "Old?"))
    told = send(bo, seen=seen)
    assert told.words == {paper: "yes"}
    assert told.tags == {paper: ("data", "theory")}
    assert told.notes == {paper: "Old?"}
    untagged = Tagged(entry_id(), paper, "theory", is_on=False)
    send(ada, decided(sheet, 4, "undecided"), untagged, Noted(entry_id(), paper, ""))
    later = send(bo, seen=told.up_to)
    assert later.words == {paper: "undecided"}
    assert later.tags == {paper: ("data",)}
    assert later.notes == {paper: ""}
    assert send(bo, seen=later.up_to).tags == {}


def test_a_tag_takes_off_none_that_somebody_else_put_on(store, sheet, desk):
    ada, bo = desk("ada"), desk("bo")
    paper = paper_at(sheet, 4)
    send(ada, Tagged(entry_id(), paper, "data", is_on=True))
    send(bo, theory := Tagged(entry_id(), paper, "theory", is_on=True))
    assert notes.paper_notes(store, "lab", sheet.issue)[paper].tags == ("data", "theory")
    send(ada, Tagged(entry_id(), paper, "theory", is_on=False))
    send(bo, theory)  # once more, as when no answer came in time
    assert notes.paper_notes(store, "lab", sheet.issue)[paper].tags == ("data",)


def test_a_number_told_never_falls_and_says_when_nothing_is_new(sheet, desk):
    receiver = desk()
    numbers = [send(receiver).up_to]
    for place in (1, 2, 3):
        numbers.append(send(receiver, decided(sheet, place)).up_to)
        numbers.append(send(receiver, Noted(entry_id(), paper_at(sheet, place), "x")).up_to)
    assert numbers == sorted(set(numbers))


def test_one_refused_entry_keeps_no_other_from_being_saved(store, sheet, desk):
    stranger = Decided(entry_id(), "no such paper", "yes", "presort")
    response = send(desk(), decided(sheet, 1), stranger, decided(sheet, 2), ExplanationRequest(entry_id(), "nor this"))
    assert decisions.words(store, "lab", sheet.issue) == {paper_at(sheet, 1): "yes", paper_at(sheet, 2): "yes"}
    assert len(response.refused) == 2
    assert "no paper 'no such paper'" in response.refused[stranger.entry_id]


def test_after_issuing_in_another_window_decisions_are_refused_and_notes_are_not(store, sheet, desk):
    receiver = desk()
    send(receiver, decided(sheet, 1))
    workflow.issue_report(store, "lab", sheet.issue, sheet.shown, person="bo")
    late = decided(sheet, 2)
    response = send(receiver, late, Noted(entry_id(), paper_at(sheet, 2), "Next time."))
    assert "was issued on" in response.refused[late.entry_id]
    assert decisions.words(store, "lab", sheet.issue) == {paper_at(sheet, 1): "yes"}
    assert notes.paper_notes(store, "lab", sheet.issue) == {paper_at(sheet, 2): PaperNotes((), "Next time.")}


def read(response):
    """Return the places that a response says were read."""
    return [place for first, last in response.read for place in range(first, last + 1)]


def list_places(sheet, last):
    """Return the places at which the first papers of the order received stand in the order shown."""
    return {sheet.order.tolist().index(position) + 1 for position in range(1, last + 1)}


def test_reading_goes_by_decisions_in_this_list_and_by_what_the_reader_says(store, sheet, desk):
    receiver = desk()
    assert read(send(receiver, decided(sheet, 5))) == [1, 2, 3, 4, 5]
    assert receiver.reading.read_to == 5
    assert read(send(receiver, ReadTo(entry_id(), paper_at(sheet, 7), "presort"))) == [1, 2, 3, 4, 5, 6, 7]
    decisions.decide(store, [Decision("lab", sheet.issue, paper_at(sheet, 11), "no", "bo", ranking_id=sheet.shown.id)])
    send(receiver)
    assert receiver.reading.n_read == receiver.reading.read_to == 11


def test_what_comes_once_more_undoes_nothing_that_was_said_since(sheet, desk):
    receiver = desk()
    too_far = ReadTo(entry_id(), paper_at(sheet, 9), "presort"), MissChosen(entry_id(), "none")
    send(receiver, *too_far)
    send(receiver, ReadTo(entry_id(), paper_at(sheet, 3), "presort"), MissChosen(entry_id(), "1 in 10"))
    response = send(receiver, *too_far)  # as where a message was sent again, and the first came late
    assert read(response) == [1, 2, 3]
    assert response.light.may_miss == "1 in 10"
    assert response.refused == {}


def test_what_was_read_as_received_is_read_wherever_it_stands(sheet, desk):
    receiver = desk()
    third = sheet.papers[2].paper_id
    assert set(read(send(receiver, Decided(entry_id(), third, "no", "received")))) == list_places(sheet, 3)
    ninth = sheet.papers[8].paper_id
    assert set(read(send(receiver, ReadTo(entry_id(), ninth, "received")))) == list_places(sheet, 9)
    assert receiver.reading.n_read == 9


@pytest.fixture
def sorted_again(store, sheet):
    """The same issue in the opposite order."""
    old = sheet.shown.ranking
    add_rankings(store, [replace(old, positions=old.positions[::-1].copy(), scores=old.scores)])
    shown = rankings.newest_rankings(store, "lab", sheet.issue)["krichel-2007"]
    return replace(sheet, shown=shown, order=shown_order(shown, len(sheet.papers)))


def test_what_was_read_stays_read_when_the_issue_is_sorted_again(store, sheet, sorted_again, desk):
    send(desk(), decided(sheet, 12), ReadTo(entry_id(), paper_at(sheet, 15), "presort"))
    n = len(sheet.papers)
    receiver = Receiver(store, sorted_again, "ada", Future)
    assert read(send(receiver)) == list(range(n - 14, n + 1))
    assert (receiver.reading.n_read, receiver.reading.read_to) == (15, 0)
    assert read(send(receiver, decided(sorted_again, 2))) == [1, 2, *range(n - 14, n + 1)]


@pytest.mark.parametrize("saying", ["decided", "read"])
def test_what_was_kept_under_an_older_order_counts_for_that_order(store, sheet, sorted_again, saying):
    paper, older = paper_at(sheet, 4), sheet.shown.id
    late = (
        Decided(entry_id(), paper, "yes", "presort", older)
        if saying == "decided"
        else ReadTo(entry_id(), paper, "presort", older)
    )
    n = len(sheet.papers)
    assert read(send(Receiver(store, sorted_again, "ada", Future), late)) == list(range(n - 3, n + 1))


def test_a_message_that_names_no_ranking_counts_for_the_one_shown(store, sorted_again):
    receiver = Receiver(store, sorted_again, "ada", Future)
    assert read(send(receiver, decided(sorted_again, 3))) == [1, 2, 3]


def test_a_ranking_of_another_issue_or_report_is_refused_by_itself(store, sheet, newest, desk):
    other = catalogue.issues(store)[-2].date
    list(workflow.rank(store, [RECIPES["krichel-2007"]], reports=["lab"], issue=other))
    list(workflow.rank(store, [RECIPES["krichel-2007"]], reports=["pub"]))
    foreign = [
        rankings.newest_rankings(store, *of_issue)["krichel-2007"].id for of_issue in (("lab", other), ("pub", newest))
    ]
    for number in (*foreign, 2**53 - 1):
        wrong = Decided(entry_id(), paper_at(sheet, 1), "yes", "presort", number)
        wrong_mark = ReadTo(entry_id(), paper_at(sheet, 1), "presort", number)
        response = send(desk(), wrong, wrong_mark, decided(sheet, 2))
        assert [response.refused[one.entry_id] for one in (wrong, wrong_mark)] == [
            f"There is no ranking {number} of the issue of {newest} for 'lab'."
        ] * 2
    assert decisions.words(store, "lab", newest) == {paper_at(sheet, 2): "yes"}
    assert read(response) == [1, 2]


def test_two_people_see_what_the_other_marked_as_read(sheet, desk):
    ada, bo = desk("ada"), desk("bo")
    seen = send(bo).up_to
    send(ada, ReadTo(entry_id(), paper_at(sheet, 3), "presort"))
    assert read(send(bo, seen=seen)) == [1, 2, 3]


def test_what_was_read_is_told_as_before_once_it_has_gone_out(store, sheet, desk):
    before = send(desk(), decided(sheet, 7), decided(sheet, 30, order="received"))
    workflow.issue_report(store, "lab", sheet.issue, sheet.shown, person="bo")
    gone_out = Receiver(store, replace(sheet, relevance_model=None, is_issued=True), "ada", Future)
    late = ReadTo(entry_id(), paper_at(sheet, 33), "presort")
    response = send(gone_out, late)
    assert response.read == before.read
    assert "was issued on" in response.refused[late.entry_id]


def test_what_may_be_missed_is_kept_for_the_report_and_logged(store, sheet, desk):
    receiver = desk()
    assert send(receiver).light.may_miss == "1 in 20"
    assert send(receiver, MissChosen(entry_id(), "none")).light.may_miss == "none"
    assert send(desk("bo")).light.may_miss == "none"
    (logged,) = audit(store, 9, words="may miss")
    assert (logged.said, logged.report) == ("May miss of the relevant papers: none", "lab")


def test_a_list_without_a_light_has_none(store, sheet):
    receiver = Receiver(store, Sheet("lab", sheet.issue, sheet.papers, None, sheet.order, None), "ada", Future)
    response = send(receiver, decided(sheet, 3, order="received"))
    assert response.light is None
    assert response.rule is None
    assert receiver.reading is None


def test_an_answer_is_told_once_it_is_known_and_only_once(sheet, desk):
    answer = Future()
    receiver = desk(ask=lambda paper: answer)
    asked = ExplanationRequest(entry_id(), paper_at(sheet, 2))
    assert send(receiver, asked).answers == {}
    answer.set_result([Section("Why", ["up: wage"])])
    assert send(receiver).answers == {paper_at(sheet, 2): [Section("Why", ["up: wage"])]}
    assert send(receiver).answers == {}


def test_a_bug_in_an_answer_looks_like_a_bug(sheet, desk):
    answer = Future()
    answer.set_exception(ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        send(desk(ask=lambda paper: answer), ExplanationRequest(entry_id(), paper_at(sheet, 2)))


def test_what_the_list_shows_is_remembered(desk):
    receiver = desk()
    looked = Looked(entry_id(), "received", "yes", "wage")
    send(receiver, looked)
    assert receiver.looked == looked


def test_time_spent_is_told_when_something_was_decided(sheet, desk):
    receiver = desk()
    first = send(receiver, decided(sheet, 1))
    assert first.minutes == "under a minute"
    assert send(receiver, seen=first.up_to).minutes is None


def test_a_term_muted_in_an_answer_is_kept_for_the_next_ranking(store, desk):
    receiver = desk()
    assert not receiver.has_hinted
    muted = Hinted(entry_id(), "mute", "Minimum wage")
    send(receiver, muted, Hinted(entry_id(), "boost", "tariff"))
    send(receiver, muted)  # once more, as when no answer came in time
    assert hints(store)["lab"] == Hints(muted=("minimum wage",), boosted=("tariff",), up_to=2)
    assert receiver.has_hinted


def test_what_the_workspace_cannot_save_now_is_to_be_sent_again(store, sheet, desk, monkeypatch):
    receiver, entry = desk(), decided(sheet, 1)

    def busy(*_):
        raise WorkspaceError("presort.db is in use by another program.")

    with monkeypatch.context() as patch:
        patch.setattr(decisions, "decide", busy)
        assert send(receiver, entry).trouble == "presort.db is in use by another program."
    response = send(receiver, entry)
    assert response.trouble == ""
    assert response.words == {paper_at(sheet, 1): "yes"}


def test_who_goes_on_to_publish_has_all_saved_before(store, sheet, desk):
    receiver = desk()
    send(receiver, decided(sheet, 2), Leave(entry_id()))
    assert receiver.is_leaving
    assert decisions.words(store, "lab", sheet.issue) == {paper_at(sheet, 2): "yes"}
