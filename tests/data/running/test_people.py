"""Editors of reports, and their substitutes."""

from datetime import date

import pytest
from sqlalchemy import text

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.errors import RefusedError
from presort.data.records import Editorship, Report
from presort.data.running import people
from tests.data.workspaces import contents, make_issue, say, take_in

JANUARY, JUNE, JULY, AUGUST = (date(2026, month, 1) for month in (1, 6, 7, 8))
ANN = Editorship("lab", "Ann", JANUARY)
BO = Editorship("lab", "Bo", JUNE, JULY, away="Ann")


@pytest.fixture
def begun(store):
    """Two reports, and the editors of one of them."""
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    for one in (ANN, BO):
        people.add_editorship(store, one, person="Dee")
    return store


def on(store, day, report="lab"):
    return people.editors_on(people.editorships(store), report, day)


def test_an_editor_edits_from_a_day_on_and_a_substitute_while_away(begun):
    assert people.editorships(begun) == [ANN, BO]
    days = (date(2025, 12, 31), JANUARY, JUNE, JULY, date(2026, 7, 2))
    assert [on(begun, day) for day in days] == [[], ["Ann"], ["Bo"], ["Bo"], ["Ann"]]
    assert on(begun, JUNE, "his") == []


def test_a_report_may_have_several_editors_who_substitute_for_each_other(begun):
    people.add_editorship(begun, Editorship("lab", "Bo", date(2026, 5, 1)), person="Dee")
    people.add_editorship(begun, Editorship("his", "Ann", JUNE), person="Dee")
    assert [on(begun, day) for day in (date(2026, 5, 1), JUNE, AUGUST)] == [["Ann", "Bo"], ["Bo"], ["Ann", "Bo"]]
    assert on(begun, JUNE, "his") == ["Ann"]


def test_an_editor_edits_until_the_last_day_and_may_return(begun):
    people.end_editorship(begun, ANN, JUNE, person="Dee")
    # there is no editor left to substitute for
    assert [on(begun, day) for day in (JUNE, date(2026, 6, 2))] == [["Bo"], []]
    people.add_editorship(begun, Editorship("lab", "Ann", AUGUST), person="Dee")
    assert on(begun, AUGUST) == ["Ann"]
    ended = Editorship("lab", "Ann", JANUARY, JUNE)
    with pytest.raises(RefusedError, match=r"Ann already edits lab from 2026-08-01\."):
        people.end_editorship(begun, ended, AUGUST, person="Dee")
    people.end_editorship(begun, ended, JULY, person="Dee")
    assert on(begun, JULY) == ["Bo"]


def test_a_mistaken_editorship_can_be_removed_and_added_again(begun):
    people.take_back_editorship(begun, BO, person="Dee")
    assert people.editorships(begun) == [ANN]
    assert on(begun, JUNE) == ["Ann"]
    people.add_editorship(begun, BO, person="Dee")
    assert people.editorships(begun) == [ANN, BO]
    with begun.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM editorship")).scalar() == 4


def test_names_are_plain_text_and_not_in_the_log(begun):
    new = Editorship("his", " Cy\n<b>Dee</b>\u202e ", JUNE)
    people.add_editorship(begun, new, person="Dee", affiliation=" University\nof X ")
    assert on(begun, JUNE, "his") == ["Cy <b>Dee</b>"]
    assert people.affiliations(begun) == {"Ann": "", "Bo": "", "Cy <b>Dee</b>": "University of X"}
    assert {table for table, rows in contents(begun).items() if "Cy <b>" in str(rows)} == {"person"}


@pytest.mark.parametrize(
    ("new", "message"),
    [
        pytest.param(Editorship("xyz", "Ann", JUNE), "no report 'xyz'", id="no-report"),
        pytest.param(Editorship("lab", " \n ", JUNE), "name is empty", id="no-name"),
        pytest.param(Editorship("lab", "x" * 201, JUNE), "201 characters", id="long-name"),
        pytest.param(Editorship("lab", "Import", JUNE), "reserved for log entries", id="reserved-name"),
        pytest.param(Editorship("lab", "harvest", JUNE), "reserved for log entries", id="name-of-harvests"),
        pytest.param(Editorship("lab", "Cy", JUNE, JANUARY), "before the first", id="backwards"),
        pytest.param(Editorship("lab", "Ann", AUGUST), "Ann already edits lab from 2026-01-01.", id="again"),
        pytest.param(
            Editorship("lab", "Ann", date(2025, 1, 1), JANUARY),
            "Ann already edits lab from 2026-01-01",
            id="overlap-before",
        ),
        pytest.param(Editorship("lab", "Cy", JUNE, away="Ann"), "last day on which Cy substitutes", id="no-end"),
        pytest.param(
            Editorship("lab", "Cy", JULY, AUGUST, away="Ann"),
            "Bo already substitutes for Ann at lab from",
            id="two-stand-in",
        ),
        pytest.param(
            Editorship("lab", "Ann", AUGUST, AUGUST, away="Ann"), "can't substitute for Ann", id="for-oneself"
        ),
        pytest.param(
            Editorship("lab", "Cy", AUGUST, AUGUST, away="Bo"), "nobody can substitute", id="for-a-substitute"
        ),
        pytest.param(Editorship("his", "Cy", AUGUST, AUGUST, away="Ann"), "doesn't edit his", id="of-another-report"),
    ],
)
def test_a_conflicting_editorship_is_refused_and_nothing_is_stored(begun, new, message):
    before = contents(begun)
    with pytest.raises(RefusedError, match=message):
        people.add_editorship(begun, new, person="Dee")
    assert contents(begun) == before


def test_a_long_affiliation_keeps_the_editor_out_too(begun):
    with pytest.raises(RefusedError, match="The affiliation has 201 characters; the limit is 200"):
        people.add_editorship(begun, Editorship("his", "Cy", JUNE), person="Dee", affiliation="x" * 201)
    assert on(begun, JUNE, "his") == []


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda store: people.end_editorship(store, ANN, AUGUST, person="Dee"), id="end"),
        pytest.param(lambda store: people.take_back_editorship(store, ANN, person="Dee"), id="take-back"),
    ],
)
def test_an_editorship_changed_meanwhile_is_not_changed_again(begun, change):
    people.end_editorship(begun, ANN, JULY, person="Dee")
    with pytest.raises(RefusedError, match="The editorship of Ann for lab from 2026-01-01 has been changed"):
        change(begun)


def test_an_end_before_the_beginning_is_refused(begun):
    with pytest.raises(RefusedError, match="The last day, 2025-12-31, is before the first"):
        people.end_editorship(begun, ANN, date(2025, 12, 31), person="Dee")


def test_an_affiliation_is_set_and_removed(begun):
    people.set_affiliation(begun, "Ann", "University of X")
    assert people.affiliations(begun)["Ann"] == "University of X"
    people.add_editorship(begun, Editorship("his", "Ann", JUNE), person="Dee")
    assert people.affiliations(begun)["Ann"] == "University of X"
    people.set_affiliation(begun, "Ann", " ")
    assert people.affiliations(begun)["Ann"] == ""


def test_renaming_an_editor_also_renames_the_author_of_decisions(begun):
    take_in(begun, make_issue(2))
    decisions.decide(begun, [say("lab", "a1", "yes", person="Ann")])
    people.rename_editor(begun, "Ann", "Ann Smith")
    assert on(begun, JANUARY) == ["Ann Smith"]
    assert people.editorships(begun)[1].away == "Ann Smith"
    assert "'Ann'" not in str(contents(begun))


@pytest.mark.parametrize(
    ("name", "new", "message"),
    [
        pytest.param("Dee", "Eve", "There is no editor 'Dee'. Editors: Ann, Bo", id="no-editor"),
        pytest.param("Ann", "Bo", "'Bo' is already taken", id="taken"),
        pytest.param("Ann", "Dee", "'Dee' is already taken", id="name-without-an-editor"),
        pytest.param("Ann", "", "name is empty", id="empty"),
        pytest.param("Ann", "editor", "reserved for log entries", id="reserved-name"),
    ],
)
def test_an_invalid_name_is_refused(begun, name, new, message):
    with pytest.raises(RefusedError, match=message):
        people.rename_editor(begun, name, new)
    assert [one.editor for one in people.editorships(begun)] == ["Ann", "Bo"]


def test_only_editors_have_affiliations(begun):
    with pytest.raises(RefusedError, match="There is no editor 'Dee'"):
        people.set_affiliation(begun, "Dee", "University of X")
