"""Messages from the review list are validated, and its arguments are those that were passed."""

import gzip
import json
import logging

import pytest
from streamlit.testing.v1 import AppTest

from presort.data.records import Paper
from presort.desk.components import messages
from presort.desk.components.messages import (
    DecisionEntry,
    ExplanationRequest,
    LeaveRequest,
    NoteEntry,
    ReadingEntry,
    ReviewRequest,
    SpotCheckRequest,
    TagEntry,
    TargetRecallEntry,
    ViewEntry,
)
from presort.desk.components.response import ReviewResponse, Rule, Section, SpotCheckView, StopAdviceView
from presort.desk.components.review_list import KEYS, review_list
from presort.desk.web import review_channel
from presort.desk.web.review_channel import CHANNELS

FIRST = "0b8e4bd5-2d0a-4bb8-9f6b-6a2f4b0f9c11"
SECOND = "0b8e4bd5-2d0a-4bb8-9f6b-6a2f4b0f9c12"
PAPERS = [Paper("a", "Wages", "About wages.", ("A. Author",), ("J31",)), Paper("b", "<b>Prices</b>")]


def entry(kind, entry_id=FIRST, **values):
    return {"id": entry_id, "kind": kind, "paper": "a", **values}


def looked(**changes):
    return entry("looked", **{"order": "presort", "filter": "all", "query": "", **changes})


def message(*entries, **values):
    return {"n": 3, "seen": 7, "entries": list(entries), **values}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (entry("decided", label="maybe", order="list"), DecisionEntry(FIRST, "a", "maybe", "list")),
        (entry("decided", label="no", order="presort", ranking=7), DecisionEntry(FIRST, "a", "no", "presort", 7)),
        (
            entry("decided", label="no", order="presort", alone=True),
            DecisionEntry(FIRST, "a", "no", "presort", is_alone=True),
        ),
        (entry("read", order="presort"), ReadingEntry(FIRST, "a", "presort")),
        (entry("read", order="presort", ranking=7), ReadingEntry(FIRST, "a", "presort", 7)),
        (entry("tagged", tag="theory", on=False), TagEntry(FIRST, "a", "theory", is_on=False)),
        (entry("noted", text=""), NoteEntry(FIRST, "a", "")),
        (entry("explain"), ExplanationRequest(FIRST, "a")),
        ({"id": FIRST, "kind": "miss", "targetRecall": "none"}, TargetRecallEntry(FIRST, "none")),
        ({"id": FIRST, "kind": "draw"}, SpotCheckRequest(FIRST)),
        ({"id": FIRST, "kind": "leave"}, LeaveRequest(FIRST)),
        (
            {"id": FIRST, "kind": "looked", "order": "presort", "filter": "drawn", "query": ""},
            ViewEntry(FIRST, "presort", "drawn", ""),
        ),
        (looked(tag="data"), ViewEntry(FIRST, "presort", "all", "", "data")),
    ],
)
def test_each_kind_of_entry_is_read(given, expected):
    assert messages.parse_request(message(given)) == ReviewRequest(3, 7, (expected,))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        pytest.param(entry("decided", label="perhaps"), "label must be one of yes, no, maybe, undecided", id="label"),
        pytest.param(entry("decided", label=["yes"]), "label must be one of", id="label-of-another-type"),
        pytest.param(
            entry("decided", label="yes", order="presort", ranking="7"), "ranking must be a whole number", id="ranking"
        ),
        pytest.param(entry("decided", label="yes", order="presort", alone=1), "alone must be true", id="alone"),
        pytest.param(entry("decided", label="yes"), "order must be one of presort, list", id="no-order"),
        pytest.param(entry("decided", label="yes", paper=7), "paper must be a string", id="paper-of-another-type"),
        pytest.param({"id": FIRST, "kind": "explain"}, "paper must be a string", id="paper-missing"),
        pytest.param(entry("decided", label="yes", paper=""), "paper must be a string", id="no-paper"),
        pytest.param(entry("decided", label="yes", paper="a" * 501), "at most 500 characters", id="long-paper"),
        pytest.param(entry("decided", label="yes", paper="a\0"), "invalid characters", id="null-character"),
        pytest.param(entry("noted", text="\ud800"), "invalid characters", id="half-a-character"),
        pytest.param(entry("noted", text="x" * 10_001), "at most 10000 characters", id="long-note"),
        pytest.param(entry("tagged", tags=["x"]), "tag must be a string", id="all-tags-as-sent-by-older-lists"),
        pytest.param(entry("tagged", tag=["x"], on=True), "tag must be a string", id="tag-of-another-type"),
        pytest.param(entry("tagged", tag="x" * 101, on=True), "at most 100 characters", id="long-tag"),
        pytest.param(entry("tagged", tag="x"), "on must be true or false", id="tag-without-state"),
        pytest.param(entry("read", order="random"), "order must be one of presort, list", id="order"),
        pytest.param(entry("dropped"), "kind must be one of decided, read, tagged, noted, explain", id="unknown-kind"),
        pytest.param(
            entry("miss", targetRecall="1 in 5"), "targetRecall must be one of 1 in 10, 1 in 20", id="other-miss"
        ),
        pytest.param(entry("miss", targetRecall=20), "targetRecall must be one of", id="target-recall-of-another-type"),
        pytest.param(entry("miss"), "targetRecall must be one of", id="no-miss"),
        pytest.param(
            looked(filter="hidden"), "filter must be one of all, undecided, yes, maybe, no, drawn", id="filter"
        ),
        pytest.param(looked(order="best"), "order must be one of presort, list", id="shown-list-without-order"),
        pytest.param(looked(query="x" * 501), "query must be a string of at most 500 characters", id="long-query"),
        pytest.param(looked(query=None), "query must be a string", id="no-query"),
        pytest.param(entry(["decided"]), "kind must be one of", id="kind-of-another-type"),
    ],
)
def test_an_invalid_entry_is_refused_and_the_others_are_read(given, why):
    request = messages.parse_request(message(given, entry("explain", SECOND)))
    assert request.entries == (ExplanationRequest(SECOND, "a"),)
    assert list(request.refused) == [FIRST]
    assert why in request.refused[FIRST]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(None, id="nothing"),
        pytest.param([1], id="list"),
        pytest.param({"n": 1, "seen": None}, id="no-entries"),
        pytest.param(message(n=-1), id="negative-number"),
        pytest.param(message(seen=2**53), id="number-too-large"),
        pytest.param(message(n=True), id="truth-value"),
        pytest.param(message(seen=1.5), id="fraction"),
        pytest.param(message("decided"), id="entry-of-another-type"),
        pytest.param(message(entry("explain", "../../a")), id="no-uuid"),
        pytest.param(message(*[entry("explain")] * 501), id="too-many"),
    ],
)
def test_an_invalid_message_is_refused_as_a_whole(given):
    with pytest.raises(ValueError, match=r"must be|expected a mapping"):
        messages.parse_request(given)


def test_all_entries_except_refused_ones_are_acknowledged(monkeypatch, caplog):
    answer = exchange(
        monkeypatch,
        message(entry("decided", label="yes", order="presort"), entry("noted", SECOND, text=1)),
        lambda request: ReviewResponse(
            8, labels={"a": "yes"}, answers={"a": [Section("Why", ["wages"])]}, rule=Rule(2, "Stop.")
        ),
    )
    assert answer["acknowledged"] == [FIRST]
    assert list(answer["refused"]) == [SECOND]
    assert "entry 0b8e4bd5" in caplog.text
    assert (answer["n"], answer["since"], answer["upTo"], answer["labels"]) == (3, 7, 8, {"a": "yes"})
    assert answer["rule"] == {"place": 2, "sentence": "Stop."}
    assert answer["answers"] == {"a": [{"heading": "Why", "lines": ["wages"], "terms": (), "detail": ()}]}
    json.dumps(answer, allow_nan=False)


def test_the_response_has_stop_advice_and_spot_check(monkeypatch):
    advice = StopAdviceView(
        False, "keep reading", "stop near 130", "3 left", 130, "1 in 20", [("none", "stop near 600")], "Basis."
    )
    check = SpotCheckView("Spot check: 6 papers", "1 left", 1, "at most 131")
    response = ReviewResponse(8, stop_advice=advice, minutes="6 min", drawn={"b"}, spot_check=check)
    answer = exchange(monkeypatch, message(entry("explain")), lambda request: response)
    assert answer["stopAdvice"] == {
        "mayStop": False,
        "verdict": "keep reading",
        "says": "stop near 130",
        "left": "3 left",
        "stopAt": 130,
        "targetRecall": "1 in 20",
        "basis": "Basis.",
        "stops": [{"targetRecall": "none", "says": "stop near 600"}],
    }
    shown = {"offer": "Spot check: 6 papers", "says": "1 left", "left": 1, "detail": "at most 131"}
    assert answer["spotCheck"] == shown
    assert (answer["minutes"], answer["drawn"]) == ("6 min", ["b"])
    json.dumps(answer, allow_nan=False)
    nothing = exchange(monkeypatch, message(), lambda request: ReviewResponse(8))
    assert [nothing[name] for name in ("stopAdvice", "minutes", "drawn", "spotCheck")] == [None, None, [], None]


def test_entries_refused_by_the_page_are_not_acknowledged(monkeypatch):
    answer = exchange(
        monkeypatch,
        message(entry("explain"), entry("decided", SECOND, label="no", order="presort")),
        lambda request: ReviewResponse(8, refused={SECOND: "lab was issued"}),
    )
    assert answer["acknowledged"] == [FIRST]
    assert answer["refused"] == {SECOND: "lab was issued"}


def test_nothing_is_acknowledged_when_saving_fails(monkeypatch):
    def fail(request):
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="disk"):
        exchange(monkeypatch, message(entry("decided", label="yes", order="presort")), fail)


def test_an_invalid_message_is_ignored_and_logged(monkeypatch, caplog):
    seen = []
    exchange(monkeypatch, ["rm -rf"], lambda request: seen.append(request) or ReviewResponse(0))
    assert seen == [ReviewRequest()]
    assert caplog.records[0].levelno == logging.WARNING


def exchange(monkeypatch, value, receive):
    payload = {}
    monkeypatch.setattr(review_channel, "SYNC", lambda **given: payload.update(given["data"]))
    monkeypatch.setattr(review_channel.st, "session_state", {"list-sync": {"request": value}})
    review_channel.sync(receive, key="list")
    return payload


@pytest.fixture
def drawn(monkeypatch):
    """Arguments of the list, unpacked."""
    calls = []
    monkeypatch.setattr("presort.desk.components.review_list.LIST", lambda **given: calls.append(given["data"]))
    return lambda: json.loads(gzip.decompress(calls[-1]))


def test_the_list_gets_papers_order_and_scores(drawn):
    review_list(PAPERS, order=[2, 1], scores={1: -0.5, 2: 1.25}, links={"a": ["https://example.org"]}, key="list")
    given = drawn()
    assert [paper["title"] for paper in given["papers"]] == ["Wages", "<b>Prices</b>"]
    assert [paper["links"] for paper in given["papers"]] == [["https://example.org"], []]
    assert given["order"] == [2, 1]
    assert given["scores"] == {"1": -0.5, "2": 1.25}
    assert given["choices"] == []


def test_target_recalls_are_passed_as_choices(drawn):
    review_list(PAPERS, order=[2, 1], choices=("1 in 20", "none"), key="list")
    assert drawn()["choices"] == ["1 in 20", "none"]


def test_the_same_papers_give_the_same_bytes(monkeypatch):
    calls = []
    monkeypatch.setattr("presort.desk.components.review_list.LIST", lambda **given: calls.append(given["data"]))
    for _ in range(2):
        review_list(PAPERS, order=[1, 2], key="list")
    assert calls[0] == calls[1]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        pytest.param({"order": [1, 1]}, "positions 1 to 2 once", id="a-paper-twice"),
        pytest.param({"order": [1]}, "positions 1 to 2 once", id="a-paper-missing"),
        pytest.param({"scores": {1: float("nan")}}, "JSON", id="no-score"),
        pytest.param({"keys": {**KEYS, "fly": ("f",)}}, "keys must contain a key for each of", id="unknown-action"),
        pytest.param({"keys": {**KEYS, "undo": ()}}, "keys must contain a key for each of", id="action-without-key"),
        pytest.param({"keys": {**KEYS, "undo": ("X",)}}, "got x twice", id="one-key-for-two-actions"),
    ],
)
def test_a_wrong_call_is_refused(drawn, changes, why):
    with pytest.raises(ValueError, match=why):
        review_list(PAPERS, **{"order": [1, 2], "key": "list", **changes})


def test_a_page_draws_the_list_and_its_line():
    def page():
        import streamlit as st

        from presort.data.records import Paper
        from presort.desk.components.response import ReviewResponse
        from presort.desk.components.review_list import review_list
        from presort.desk.web.review_channel import sync

        review_list([Paper("a", "Wages")], order=[], key="list")
        st.fragment(sync)(lambda request: ReviewResponse(0, labels={"a": "yes"}), key="list")

    app = AppTest.from_function(page, default_timeout=30).run()
    assert not app.exception
    channel = app.session_state["list-channel"]
    assert CHANNELS[channel.name] is channel
    assert channel.respond({"n": 1, "seen": None, "entries": []})["labels"] == {"a": "yes"}
