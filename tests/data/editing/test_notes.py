from collections import Counter
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError

from presort.data import catalogue
from presort.data.editing.notes import add_notes, paper_notes, tags_of
from presort.data.errors import RefusedError
from presort.data.records import Note, PaperNotes, Report
from presort.data.store import Store
from tests.data.workspaces import FIRST, SECOND, THIRD, contents, make_issue, send_out, take_in


@pytest.fixture
def begun(store: Store) -> Store:
    """Two issues of three papers, and two reports."""
    take_in(store, make_issue(3), make_issue(3, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    return store


def about(paper_id, kind, text, issue=FIRST, *, report="lab", person="Ann", client_id=None) -> Note:
    return Note(report, issue, paper_id, kind, text, person, client_id)


def test_nothing_is_noted_yet(begun):
    assert paper_notes(begun, "lab", FIRST) == {}
    assert tags_of(begun, "lab") == []
    assert add_notes(begun, []) == 0


def test_tags_and_notes_of_a_paper_and_only_there(begun):
    decisions = [about("a1", "tag", "survey"), about("a1", "tag", "theory"), about("a1", "note", "Two lines:\nhere.")]
    assert add_notes(begun, [*decisions, about("a2", "note", "Weak.")]) == 4
    assert paper_notes(begun, "lab", FIRST) == {
        "a1": PaperNotes(("survey", "theory"), "Two lines:\nhere."),
        "a2": PaperNotes((), "Weak."),
    }
    assert paper_notes(begun, "lab", SECOND) == paper_notes(begun, "his", FIRST) == {}


def test_the_newest_note_is_current_and_the_log_keeps_all(begun):
    add_notes(begun, [about("a1", "tag", "survey"), about("a1", "tag", "theory"), about("a1", "note", "Weak.")])
    add_notes(begun, [about("a1", "untag", "survey", person="Bo"), about("a1", "note", "Fine.", person="Bo")])
    assert paper_notes(begun, "lab", FIRST) == {"a1": PaperNotes(("theory",), "Fine.")}
    add_notes(begun, [about("a1", "tag", "survey"), about("a1", "tag", "theory")])
    assert paper_notes(begun, "lab", FIRST)["a1"].tags == ("theory", "survey")
    assert len(contents(begun)["paper_note"]) == 7


def test_an_empty_note_removes_the_note(begun):
    add_notes(begun, [about("a1", "note", "Weak."), about("a1", "note", " \n ")])
    assert paper_notes(begun, "lab", FIRST) == {}


def test_removing_a_missing_tag_changes_nothing(begun):
    add_notes(begun, [about("a1", "untag", "survey")])
    assert paper_notes(begun, "lab", FIRST) == {}


def test_a_tag_is_one_line_of_plain_text(begun):
    add_notes(begun, [about("a1", "tag", " Wages \t and\N{ZERO WIDTH SPACE}\n jobs\x00 "), about("a2", "tag", "wages")])
    assert tags_of(begun, "lab") == ["Wages and jobs", "wages"]


def test_a_repeated_message_is_harmless(begun):
    message = [about("a1", "tag", "survey", client_id="m1"), about("a1", "note", "Weak.", client_id="m2")]
    assert add_notes(begun, [*message, message[0]]) == 2
    add_notes(begun, [about("a1", "untag", "survey")])
    before = contents(begun)
    assert add_notes(begun, message) == 0
    assert contents(begun) == before


def test_notes_can_be_added_after_publication(begun):
    send_out(begun, "lab")
    assert add_notes(begun, [about("a1", "tag", "survey")]) == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        pytest.param(about("a1", "tag", " \n"), "The tag is empty. Enter a word or two", id="empty-tag"),
        pytest.param(about("a1", "tag", "x" * 101), "The tag has 101 characters; the limit is 100", id="long-tag"),
        pytest.param(about("a1", "note", "x" * 10_001), "A note can have at most 10,000 characters", id="long-note"),
        pytest.param(about("b1", "tag", "x"), f"The issue of {FIRST} has no paper 'b1'", id="paper"),
        pytest.param(about("", "tag", "x"), f"The issue of {FIRST} has no paper ''", id="no-paper"),
        pytest.param(about("a1", "tag", "x", THIRD), f"There is no issue of {THIRD}", id="issue"),
        pytest.param(about("a1", "tag", "x", report="no"), "There is no report 'no'", id="report"),
    ],
)
def test_all_or_none(begun, wrong, message):
    before = contents(begun)
    with pytest.raises(RefusedError, match=message):
        add_notes(begun, [about("a2", "tag", "survey", person="New"), wrong])
    assert contents(begun) == before


def test_an_unknown_kind_is_a_bug(begun):
    with pytest.raises(IntegrityError, match="ck_paper_note_kind"):
        add_notes(begun, [about("a1", "reason", "survey")])


changes = st.builds(
    about,
    paper_id=st.sampled_from(["a1", "a2"]) | st.just("b1"),
    kind=st.sampled_from(["tag", "tag", "untag", "note"]),
    text=st.sampled_from(["x", "y", "z"]),
    report=st.sampled_from(["lab", "his"]),
)


def test_known_tags_are_sorted_by_number_of_papers(begun):
    numbers = count()

    @given(st.lists(changes, max_size=20))
    def agree(made):
        codes = {name: f"{name}-{next(numbers)}" for name in ("lab", "his")}  # new reports in the same workspace
        catalogue.add_reports(begun, [Report(code, code) for code in codes.values()])
        issues = {"a1": FIRST, "a2": FIRST, "b1": SECOND}
        made = [replace(note, report=codes[note.report], issue=issues[note.paper_id]) for note in made]
        add_notes(begun, made)
        for report in codes.values():
            shown = paper_notes(begun, report, FIRST) | paper_notes(begun, report, SECOND)
            counts: Counter[str] = Counter()
            for paper in issues:
                of_paper = [note for note in made if (note.report, note.paper_id) == (report, paper)]
                last = {note.text: note.kind for note in of_paper if note.kind != "note"}
                tags = {text for text, kind in last.items() if kind == "tag"}
                assert set(shown.get(paper, PaperNotes()).tags) == tags
                counts.update(tags)
            assert tags_of(begun, report) == sorted(counts, key=lambda tag: (-counts[tag], tag))

    agree()
