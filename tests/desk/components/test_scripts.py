"""Scripts are bundled into one module each, and the types of their messages match Python's records."""

import gzip
import json
import re
import subprocess
from pathlib import Path
from typing import get_args

import deno
import pytest

from presort.data.records import Label, Paper
from presort.desk.components import messages, order_list, review_list
from presort.desk.components.response import (
    RerankingView,
    ReviewResponse,
    Rule,
    Section,
    SpotCheckView,
    StopAdviceView,
)
from presort.desk.components.scripts import script
from presort.desk.web.review_channel import ReviewChannel

ROOT = Path(__file__).parents[3]
BROWSER = ROOT / "desk" / "components" / "browser"
MESSAGES = BROWSER / "messages.js"
COMPONENTS = sorted(path.stem for path in BROWSER.glob("*.js") if "\nexport default " in path.read_text("utf-8"))
ID = "0b8e4bd5-2d0a-4bb8-9f6b-6a2f4b0f9c11"
ADVICE = StopAdviceView(True, "you can stop", "all found", "0 left", 3, "1 in 20", [("none", "near 5")], "3 lists")
RESPONSE = ReviewResponse(
    9,
    labels={"p1": "yes"},
    tags={"p1": ["theory"]},
    notes={"p1": "Weak."},
    refused={ID: "unknown paper"},
    rule=Rule(3, "Below, papers fit less."),
    read=[(1, 2)],
    answers={"p1": [Section("Why", ["up: wages"], ["wages"], ["0.4"])]},
    stop_advice=ADVICE,
    minutes="6 min",
    drawn=["p2"],
    spot_check=SpotCheckView("Spot check: 3 papers", "left", 1, "detail"),
    reranking=RerankingView(4, [2, 1], {"p1": "yes"}, "Ann"),
)
ENTRIES = [
    {
        "kind": "decided",
        "paper": "p1",
        "label": "yes",
        "order": "presort",
        "ranking": 7,
        "reranking": 4,
        "alone": False,
    },
    {"kind": "read", "paper": "p1", "order": "list", "ranking": None, "reranking": None},
    {"kind": "tagged", "paper": "p1", "tag": "theory", "on": True},
    {"kind": "noted", "paper": "p1", "text": "Weak."},
    {"kind": "explain", "paper": "p1"},
    {"kind": "miss", "targetRecall": "none"},
    {"kind": "draw"},
    {"kind": "rerank"},
    {"kind": "undoRerank"},
    {"kind": "showNewestOrder"},
    {"kind": "hinted", "effect": "mute", "term": "wages"},
    {"kind": "looked", "order": "presort", "filter": "all", "query": "", "tag": ""},
    {"kind": "leave"},
]


def deno_check(scripts, *options):
    """Return the type checker's messages on scripts. Empty if they pass."""
    command = [deno.find_deno_bin(), "check", "--quiet", *options, *scripts]
    folder = scripts[0].parent
    environment = {"DENO_DIR": str(folder / "cache"), "NO_COLOR": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder).stderr


def script_of(path, declared, value):
    """Write a script with a value of a declared type, and return its path."""
    path.write_text(
        f"/** @import * as messages from {json.dumps(str(MESSAGES))} */\n"
        f"/** @type {{{declared}}} */\nexport const value = {json.dumps(value)};\n"
    )
    return path


def test_modules_are_joined_after_their_imports():
    joined = script("mount")
    places = [joined.index(text) for text in ("function make(", "class Row ", "class ReviewList ", "export default ")]
    assert places == sorted(places)
    assert joined.count("function make(") == 1


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_joined_script_imports_nothing_and_declares_no_name_twice(name):
    assert not re.search(r"^import\b", script(name), re.MULTILINE)
    declared = re.findall(r"^(?:async )?(?:class|function|const|let) (\w+)", script(name), re.MULTILINE)
    assert len(declared) == len(set(declared)), sorted(declared)


@pytest.fixture
def exchanged(monkeypatch):
    """Objects that Python and the browser exchange, by the name of their type."""
    given = {}
    monkeypatch.setattr(review_list, "LIST", lambda *, key, data: given.update(list=json.loads(gzip.decompress(data))))
    monkeypatch.setattr(order_list, "LIST", lambda *, key, data, on_moved_change: given.update(order=data))
    papers = [Paper("p1", "Wages of $k$", "About $k$.", ("A. Author",), ("J31",), "Series 1", "2026-01-05")]
    review_list.review_list(
        papers, order=[1], key="a-list", ranking=7, scores={1: 0.5}, links={"p1": ["10.1/2"]}, tags=["theory"],
        choices=["none"],
    )  # fmt: skip
    order_list.order_list({1: papers[0]}, key="an-order", on_order=lambda order: None)
    request = {"n": 1, "seen": 3, "reranking": 4, "entries": [{"id": ID, **entry} for entry in ENTRIES]}
    nothing = ReviewChannel(lambda _: ReviewResponse(0)).respond(None)
    response = ReviewChannel(lambda _: RESPONSE).respond(request)
    assert not response["refused"].keys() - {ID}
    return {
        "ReviewRequest": request,
        "ReviewResponse": response,
        "SyncData": {"list": "a-list", "address": "/channels/a-channel", **nothing},
        "ListData": given["list"],
        "OrderListData": given["order"],
    }


def choices():
    """Return the values that Python accepts for a text, by the name of its type."""
    names = {
        "Order": messages.Order,
        "Effect": messages.Effect,
        "Filter": messages.Filter,
        "TargetRecall": messages.TargetRecall,
    }
    return {
        "Kind": list(messages.READERS),
        "Label": get_args(Label),
        **{name: get_args(literal) for name, literal in names.items()},
        "ActionName": list(review_list.KEYS),
    }


@pytest.mark.whole
def test_message_types_equal_those_of_python(exchanged, tmp_path):
    scripts = [script_of(tmp_path / f"{name}.js", f"messages.{name}", value) for name, value in exchanged.items()]
    for name, values in choices().items():
        given = dict.fromkeys(values, True)
        scripts.append(script_of(tmp_path / f"{name}.js", f"Record<messages.{name}, true>", given))
    assert deno_check(scripts, "--config", str(ROOT / "deno.json")) == ""


@pytest.mark.whole
def test_a_type_that_differs_from_python_is_found(exchanged, tmp_path):
    response = exchanged["ReviewResponse"]
    missing = {name: value for name, value in response.items() if name != "upTo"}
    scripts = [
        script_of(tmp_path / "missing.js", "messages.ReviewResponse", missing),
        script_of(tmp_path / "surplus.js", "messages.ReviewResponse", {**response, "added": 1}),
        script_of(tmp_path / "label.js", "Record<messages.Label, true>", {"yes": True}),
    ]
    found = deno_check(scripts, "--config", str(ROOT / "deno.json"))
    assert all(name in found for name in ("missing.js", "surplus.js", "label.js"))
