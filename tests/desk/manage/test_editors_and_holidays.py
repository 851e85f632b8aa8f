"""The *Editors* and *Holidays* parts of *Manage*: changes and their undo."""

from datetime import date, timedelta

import pytest

from presort.data.mail.editors import editor_addresses
from presort.data.records import Editorship, Holiday
from presort.data.running import people
from presort.data.running.holidays import holidays
from presort.desk.manage import editors
from tests.desk.manage.managing import pick, press, refused


def test_adding_an_editor_can_be_undone(open_manage, store):
    today = date.today()
    people.add_editorship(store, Editorship("mac", "Ann Lee", date(2026, 1, 5)), person="Dee")
    page = open_manage(store, "editors")
    press(page, "open-add-editor")
    page.selectbox(key="new-editor-report").set_value("lab")
    page.selectbox(key="new-editor").set_value("Ann Lee")
    page.text_input(key="new-place").set_value("University of X")
    page.text_input(key="new-editor-mail").set_value("ann@example.org")
    press(page, "add-editor")
    assert Editorship("lab", "Ann Lee", today) in people.editorships(store)
    assert people.affiliations(store) == {"Ann Lee": "University of X"}
    assert editor_addresses(store) == {"Ann Lee": "ann@example.org"}
    press(page, "undo")
    assert [one.report for one in people.editorships(store)] == ["mac"]


@pytest.fixture
def ann(store):
    """Name of the editor of lab."""
    one = Editorship("lab", "Ann", date(2026, 1, 5))
    people.add_editorship(store, one, person="Dee")
    return one


def test_an_editorship_can_be_ended_or_removed_and_both_can_be_undone(open_manage, store, ann):
    page = pick(open_manage(store, "editors"), "editors", 0)
    page.date_input(key="last-day").set_value(date(2026, 6, 30)).run()
    press(page, "end-editorship")
    assert people.editorships(store) == [Editorship("lab", "Ann", ann.first, date(2026, 6, 30))]
    press(page, "undo")
    assert people.editorships(store) == [ann]
    pick(page, "editors", 0)
    press(page, "take-back-editorship")
    assert people.editorships(store) == []
    press(page, "undo")
    assert people.editorships(store) == [ann]


def test_an_editor_gets_a_substitute(open_manage, store, ann):
    today = date.today()
    page = pick(open_manage(store, "editors"), "editors", 0)
    page.text_input(key="substitute").set_value("Bo")
    press(page, "add-substitute")
    assert Editorship("lab", "Bo", today, today + timedelta(weeks=1), "Ann") in people.editorships(store)
    assert people.editors_on(people.editorships(store), "lab", today) == ["Bo"]
    press(page, "undo")
    assert people.editorships(store) == [ann]


def test_name_affiliation_and_address_are_changed_and_undone(open_manage, store, ann):
    page = pick(open_manage(store, "editors"), "editors", 0)
    page.text_input(key="person-name").set_value("<b>Ann</b>")
    page.text_input(key="person-place").set_value("University of X")
    page.text_input(key="person-mail").set_value("ann@example.org").run()
    press(page, "save-person")
    assert people.affiliations(store) == {"<b>Ann</b>": "University of X"}
    assert editor_addresses(store) == {"<b>Ann</b>": "ann@example.org"}
    press(page, "undo")
    assert (people.affiliations(store), editor_addresses(store)) == ({"Ann": ""}, {"Ann": ""})


def test_an_open_dialog_works_although_another_window_changed_its_editor(open_manage, store, ann):
    page = pick(open_manage(store, "editors"), "editors", 0)
    people.rename_editor(store, "Ann", "Anna")
    page.run()
    assert not page.exception
    assert editors.CHANGED_MEANWHILE in [shown.value for shown in page.info]


def test_past_editors_are_listed_separately(open_manage, store, ann):
    people.end_editorship(store, ann, date(2026, 1, 6), person="Dee")
    page = open_manage(store, "editors")
    assert not page.dataframe
    page.pills[0].select("Past").run()
    assert list(page.dataframe[0].value["editor"]) == ["Ann"]


def test_adding_and_deleting_holidays_can_be_undone(open_manage, store, newest):
    fair = Holiday(newest - timedelta(days=1), newest + timedelta(days=1), "Fair")

    def fill_in(page):
        press(page, "open-add-holiday")
        page.date_input(key="holiday-from").set_value(fair.first)
        page.date_input(key="holiday-to").set_value(fair.last)
        page.text_input(key="holiday-name").set_value(fair.name)
        return page

    page = press(fill_in(open_manage(store, "holidays")), "add-holiday")
    assert holidays(store) == [fair]
    press(page, "undo")
    assert holidays(store) == []
    press(fill_in(page), "add-holiday")
    assert "overlaps" in refused(fill_in(page), "add-holiday")
    page = pick(open_manage(store, "holidays"), "holidays", 0)
    press(page, "take-away-holiday")
    assert holidays(store) == []
    press(page, "undo")
    assert holidays(store) == [fair]
