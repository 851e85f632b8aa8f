"""`presort hints`: lists, adds, removes and refuses hints."""

import json

import pytest

from presort.data import catalogue
from presort.data.editing.hints import hints
from presort.data.records import Hints, Report
from tests.desk.command_line import invoke


@pytest.fixture
def presort(store):
    """Run a command on the small service."""

    def call(*words):
        return invoke(["--workspace", str(store.folder), *map(str, words)])

    return call


def output(result):
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_terms_are_muted_boosted_and_reset(presort, store):
    assert output(presort("hints", "mute", "lab", " Trade  War")) == ("lab: The next ranking mutes 'trade war'.\n")
    assert output(presort("hints", "boost", "lab", "c++")) == ("lab: The next ranking boosts 'c++'.\n")
    assert output(presort("hints", "mute", "mac", "c++")).startswith("mac: ")
    assert hints(store)["lab"] == Hints(muted=("trade war",), boosted=("c++",), up_to=2)
    assert output(presort("hints", "forget", "lab", "Trade war")) == (
        "lab: The next ranking no longer mutes or boosts 'trade war'.\n"
    )
    assert hints(store) == {"lab": Hints(boosted=("c++",), up_to=4), "mac": Hints(muted=("c++",), up_to=3)}


def test_a_term_that_was_muted_before_changes_nothing(presort):
    presort("hints", "mute", "lab", "tariff")
    assert output(presort("hints", "mute", "lab", "TARIFF")) == "lab: No change: this hint already exists.\n"


def test_examples_come_from_a_text_a_file_or_a_paper(presort, store, newest, tmp_path):
    paper = catalogue.papers(store, newest)[0]
    file = tmp_path / "example.txt"
    file.write_text("\ufeffTrust in\tmoney\r\nWe ask why.\r\n", encoding="utf-8")
    for given in (["--text", "A paragraph on wages"], ["--file", file], ["--paper", paper.paper_id]):
        assert "trains on" in output(presort("hints", "example", "lab", *given))
    seeds = ("A paragraph on wages", "Trust in money\nWe ask why.", f"{paper.title}\n{paper.abstract}")
    assert hints(store)["lab"] == Hints(seeds=seeds, up_to=3)
    assert output(presort("hints", "forget", "lab", "Trust  in money")) == (
        "lab: The next ranking trains on 2 examples.\n"
    )
    assert hints(store)["lab"].seeds == (seeds[0], seeds[2])


def test_all_hints_are_listed(presort):
    assert output(presort("hints")) == "No hints: no report has muted terms, boosted terms or examples.\n"
    assert json.loads(output(presort("hints", "--json"))) == []
    presort("hints", "boost", "mac", "[red]rates[/red]")
    presort("hints", "mute", "lab", "tariff")
    presort("hints", "example", "lab", "--text", f"{'A long title ' * 9}\nAn abstract.")
    table = output(presort("hints"))
    assert [line.split()[:3] for line in table.splitlines()] == [
        ["report", "kind", "text"],
        ["lab", "muted", "tariff"],
        ["lab", "example", "A"],
        ["mac", "boosted", "[red]rates[/red]"],
    ]
    assert "An abstract" not in table
    assert json.loads(output(presort("hints", "--json"))) == [
        {"report": "lab", "kind": "muted", "text": "tariff"},
        {"report": "lab", "kind": "example", "text": f"{('A long title ' * 9).strip()}\nAn abstract."},
        {"report": "mac", "kind": "boosted", "text": "[red]rates[/red]"},
    ]


def test_a_report_begins_with_an_example(presort, store, newest):
    catalogue.add_reports(store, [Report("new", "A new report")])
    presort("hints", "example", "new", "--text", "Minimum wages and jobs")
    presort("rank", "--report", "new", "--ranker", "arxiv-sanity", "--jobs", 1)
    assert output(presort("hints", "mute", "new", "jobs"))
    again = json.loads(output(presort("rank", "--report", "new", "--ranker", "arxiv-sanity", "--jobs", 1, "--json")))
    assert again == {"rankings": 1, "notes": {}}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["mute", "xyz", "tariff"], "There is no report 'xyz'. Reports: ", id="unknown-report"),
        pytest.param(["mute", "lab", "  "], "The hint is empty", id="empty"),
        pytest.param(["boost", "lab", "a" * 101], "The term has 101 characters", id="long-term"),
        pytest.param(["forget", "lab", "tariff"], "lab has no hint 'tariff'. 'presort hints' lists", id="not-given"),
        pytest.param(["forget", "xyz", "tariff"], "xyz has no hint 'tariff'", id="no-hints-of-that-report"),
        pytest.param(["example", "lab", "--text", ""], "The hint is empty", id="empty-example"),
        pytest.param(["example", "lab", "--paper", "nope"], "There is no paper 'nope'", id="unknown-paper"),
        pytest.param(["example", "lab", "--file", "gone.txt"], "gone.txt: can't be read: No such file", id="no-file"),
        pytest.param(["example", "lab", "--file", "."], ".: can't be read: Is a directory", id="folder"),
    ],
)
def test_an_error_exits_1_with_one_line_and_stores_nothing(presort, store, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    result = presort("hints", *words)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert hints(store) == {}


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["example", "lab"], id="no-example"),
        pytest.param(["example", "lab", "--text", "a", "--paper", "b"], id="two-examples"),
        pytest.param(["mute", "lab"], id="no-term"),
        pytest.param(["silence", "lab", "tariff"], id="unknown-command"),
    ],
)
def test_a_wrong_call_exits_2(presort, words):
    assert presort("hints", *words).exit_code == 2
