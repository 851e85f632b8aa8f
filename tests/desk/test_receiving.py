"""What the list sends is saved once, refused by itself, and told to others."""

from concurrent.futures import Future
from uuid import uuid4

import pytest

from data import catalogue, desk_notes, rankings, reviews
from data.errors import WorkspaceError
from data.hints import hints
from data.records import Decision, Hints, PaperNotes
from desk import workflow
from desk.components.messages import (
    Asked,
    Decided,
    DrawAsked,
    Hinted,
    LevelChosen,
    Looked,
    Noted,
    ReadTo,
    Sent,
    Tagged,
)
from desk.components.sync import Section
from desk.reading import Sheet
from desk.receiving import Receiver
from ranker.light import fit_lights
from ranker.versions import RECIPES


@pytest.fixture
def sheet(store, newest):
    list(workflow.rank(store, [RECIPES["krichel-2007"]], reports=["lab"]))
    shown = rankings.newest_rankings(store, "lab", newest)["krichel-2007"]
    papers = catalogue.papers(store, newest)
    light = fit_lights({"lab": []})["lab"]
    return Sheet("lab", newest, papers, shown, workflow.shown_order(shown, len(papers)), light)


@pytest.fixture
def desk(store, sheet):
    """A list of one person, whose questions are never answered."""

    def open_list(person="ada", ask=lambda paper: Future()):
        return Receiver(store, sheet, person, ask)

    return open_list


def entry_id():
    return str(uuid4())


def paper_at(sheet, place):
    return sheet.papers[sheet.order[place - 1] - 1].paper_id


def decided(sheet, place, word="yes", order="presort"):
    return Decided(entry_id(), paper_at(sheet, place), word, order)


def send(receiver, *entries, seen=None):
    return receiver.receive(Sent(1, seen, entries))


def test_a_decision_is_saved_and_told_with_the_list_it_was_made_in(store, sheet, desk):
    reply = send(desk(), decided(sheet, 1), decided(sheet, 2, "maybe", "received"))
    words = {paper_at(sheet, 1): "yes", paper_at(sheet, 2): "maybe"}
    assert reply.words == words == reviews.words(store, "lab", sheet.issue)
    assert reply.refused == {}
    assert reply.apart == [paper_at(sheet, 2)]  # what was decided in list order tells nothing of the presorted list


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
    send(ada, decided(sheet, 4), Tagged(entry_id(), paper, ("data", "theory")), Noted(entry_id(), paper, "Old?"))
    told = send(bo, seen=seen)
    assert told.words == {paper: "yes"}
    assert told.tags == {paper: ("data", "theory")}
    assert told.notes == {paper: "Old?"}
    send(ada, decided(sheet, 4, "undecided"), Tagged(entry_id(), paper, ("data",)), Noted(entry_id(), paper, ""))
    later = send(bo, seen=told.up_to)
    assert later.words == {paper: "undecided"}
    assert later.tags == {paper: ("data",)}
    assert later.notes == {paper: ""}
    assert send(bo, seen=later.up_to).tags == {}


def test_a_number_told_never_falls_and_says_when_nothing_is_new(sheet, desk):
    receiver = desk()
    numbers = [send(receiver).up_to]
    for place in (1, 2, 3):
        numbers.append(send(receiver, decided(sheet, place)).up_to)
        numbers.append(send(receiver, Noted(entry_id(), paper_at(sheet, place), "x")).up_to)
    assert numbers == sorted(set(numbers))


def test_one_refused_entry_keeps_no_other_from_being_saved(store, sheet, desk):
    stranger = Decided(entry_id(), "no such paper", "yes", "presort")
    reply = send(desk(), decided(sheet, 1), stranger, decided(sheet, 2), Asked(entry_id(), "nor this"))
    assert reviews.words(store, "lab", sheet.issue) == {paper_at(sheet, 1): "yes", paper_at(sheet, 2): "yes"}
    assert len(reply.refused) == 2
    assert "no paper 'no such paper'" in reply.refused[stranger.entry_id]


def test_after_issuing_in_another_window_decisions_are_refused_and_notes_are_not(store, sheet, desk):
    receiver = desk()
    send(receiver, decided(sheet, 1))
    workflow.issue_report(store, "lab", sheet.issue, sheet.shown, person="bo")
    late = decided(sheet, 2)
    reply = send(receiver, late, Noted(entry_id(), paper_at(sheet, 2), "Next time."))
    assert "was issued on" in reply.refused[late.entry_id]
    assert reviews.words(store, "lab", sheet.issue) == {paper_at(sheet, 1): "yes"}
    assert desk_notes.paper_notes(store, "lab", sheet.issue) == {paper_at(sheet, 2): PaperNotes((), "Next time.")}


def test_reading_goes_by_decisions_in_this_list_and_by_what_the_reader_says(store, sheet, desk):
    receiver = desk()
    send(receiver, decided(sheet, 5), decided(sheet, 9, order="received"))
    assert receiver.reading.read_to == 5
    reply = send(receiver, ReadTo(entry_id(), paper_at(sheet, 7), "presort"))
    assert receiver.reading.read_to == 7
    assert reply.read_to["presort"] == paper_at(sheet, 7)
    send(receiver, ReadTo(entry_id(), paper_at(sheet, 12), "received"))
    assert receiver.reading.read_to == 7  # that is another list
    reviews.decide(store, [Decision("lab", sheet.issue, paper_at(sheet, 11), "no", "bo", ranking_id=sheet.shown.id)])
    send(receiver)
    assert receiver.reading.read_to == 11


def test_the_level_is_kept_for_the_report_and_others_are_refused(sheet, desk):
    receiver = desk()
    assert send(receiver).light.level == 95
    assert send(receiver, LevelChosen(entry_id(), 80)).light.level == 80
    assert send(desk("bo")).light.level == 80
    wrong = LevelChosen(entry_id(), 81)
    reply = send(receiver, wrong)
    assert "not 81" in reply.refused[wrong.entry_id]
    assert reply.light.level == 80


def test_ten_are_drawn_once_from_below_the_place_read_to_and_tell_when_decided(sheet, desk):
    receiver = desk()
    reply = send(receiver, decided(sheet, 5))
    assert reply.draw.may_draw
    assert reply.drawn == []
    reply = send(receiver, DrawAsked(entry_id()), DrawAsked(entry_id()))
    drawn = [receiver.places[paper] for paper in reply.drawn]
    assert len(drawn) == 10
    assert drawn == sorted(drawn)
    assert min(drawn) > 5
    assert reply.draw == (f"drawn from the {len(sheet.papers) - 5} papers below 5: 10 left to decide", False)
    reply = send(receiver, *(decided(sheet, place, "no") for place in drawn))
    assert reply.draw.says.startswith("0 of 10 relevant")
    assert not reply.draw.may_draw  # once from below a place
    assert receiver.reading.read_to == 5
    assert set(reply.drawn) <= set(reply.apart)


def test_a_list_without_a_light_has_none(store, sheet):
    receiver = Receiver(store, Sheet("lab", sheet.issue, sheet.papers, None, sheet.order, None), "ada", Future)
    reply = send(receiver, decided(sheet, 3, order="received"), DrawAsked(entry_id()))
    assert reply.light is None
    assert reply.draw is None
    assert reply.rule is None
    assert receiver.reading is None


def test_an_answer_is_told_once_it_is_known_and_only_once(sheet, desk):
    answer = Future()
    receiver = desk(ask=lambda paper: answer)
    asked = Asked(entry_id(), paper_at(sheet, 2))
    assert send(receiver, asked).answers == {}
    answer.set_result([Section("Why", ["up: wage"])])
    assert send(receiver).answers == {paper_at(sheet, 2): [Section("Why", ["up: wage"])]}
    assert send(receiver).answers == {}


def test_a_bug_in_an_answer_looks_like_a_bug(sheet, desk):
    answer = Future()
    answer.set_exception(ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        send(desk(ask=lambda paper: answer), Asked(entry_id(), paper_at(sheet, 2)))


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
    send(receiver, Hinted(entry_id(), "mute", "Minimum wage"), Hinted(entry_id(), "boost", "tariff"))
    assert hints(store)["lab"] == Hints(muted=("minimum wage",), boosted=("tariff",), up_to=2)
    assert receiver.has_hinted


def test_what_the_workspace_cannot_save_now_is_to_be_sent_again(store, sheet, desk, monkeypatch):
    receiver, entry = desk(), decided(sheet, 1)

    def busy(*_):
        raise WorkspaceError("presort.db is in use by another program.")

    with monkeypatch.context() as patch:
        patch.setattr(reviews, "decide", busy)
        assert send(receiver, entry).trouble == "presort.db is in use by another program."
    reply = send(receiver, entry)
    assert reply.trouble == ""
    assert reply.words == {paper_at(sheet, 1): "yes"}


def test_decisions_in_list_order_tell_how_far_that_was_read(sheet, desk):
    receiver = desk()
    papers = [paper.paper_id for paper in sheet.papers]
    entries = [
        Decided(entry_id(), papers[n], word, "received") for n, word in ((2, "yes"), (8, "no"), (11, "undecided"))
    ]
    assert send(receiver, *entries).read_to == {"received": papers[8]}
    assert send(receiver, ReadTo(entry_id(), papers[20], "received")).read_to == {"received": papers[20]}
