"""The *Reports* part of *Manage*: the table, changes and their undo, new reports, and colours."""

from datetime import date, timedelta

import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.criteria import criteria
from presort.data.editing.hints import hints
from presort.data.editing.pending import LATE, pending
from presort.data.mail.editors import editor_addresses
from presort.data.mail.readers import add_readers
from presort.data.records import Editorship, Report
from presort.data.running import people, service
from presort.desk import access
from presort.desk.manage import reports, tables
from presort.desk.ui import reranking
from presort.desk.ui.colours import BLACK, COLOURS, WHITE, contrast
from presort.desk.ui.mail_link import mail_link
from tests.desk.manage.managing import pick, press, refused


def codes(store, **which):
    return [report.code for report in catalogue.reports(store, **which)]


def test_the_table_of_reports_is_sorted_by_late_issues(store):
    today = catalogue.issues(store)[-1].date + timedelta(days=LATE)
    people.add_editorship(store, Editorship("lab", "Ann", date(2026, 1, 5)), person="Dee")
    reports.set_address(store, "Ann", "ann@example.org")
    add_readers(store, "lab", [("bo@example.org", ""), ("cy@example.org", "")], person="Dee")
    catalogue.retire_report(store, "mac")
    found = tables.report_table(store, today)
    assert found["code"].iloc[-1] == "mac"
    assert found["n_late"][~found["is_retired"]].is_monotonic_decreasing
    late = [one for one in pending(store, ["lab"], today=today) if one.days_counted >= LATE]
    row = found.set_index("code").loc["lab"]
    assert (row["editors"], row["n_readers"], row["n_late"]) == ("Ann", 2, len(late))
    issues = pending(store, ["lab"], today=today)
    assert row["mail"] == mail_link("lab", ["ann@example.org"], issues)
    assert str(issues[0].issue) in row["mail"]
    assert row["n_relevant"] == decisions.n_relevant(store)["lab"]
    assert row["last_issue"] == str(catalogue.issues(store)[-2].date)
    catalogue.add_reports(store, [Report("tra", "Trade")])
    assert tables.report_table(store, today).set_index("code").loc["tra", "last_issue"] == ""


def test_the_filters_count_and_choose_reports(open_manage, store):
    people.add_editorship(store, Editorship("lab", "Ann", date(2026, 1, 5)), person="Dee")
    catalogue.retire_report(store, "mac")
    page = open_manage(store, "reports")
    (pills,) = page.pills
    assert pills.options == [f"{reports.NO_EDITOR} 10", f"{reports.RETIRED} 1"]
    assert "mac" not in list(page.dataframe[0].value["code"])
    pills.select(reports.RETIRED).run()
    assert list(page.dataframe[0].value["code"]) == ["mac"]
    page.pills[0].select(reports.NO_EDITOR).run()
    shown = list(page.dataframe[0].value["code"])
    assert len(shown) == 10
    assert not {"lab", "mac"} & set(shown)


def test_a_search_finds_words_in_any_column(open_manage, store):
    page = open_manage(store, "reports")
    name = next(report.name for report in catalogue.reports(store) if report.code == "lab")
    page.text_input(key="search-reports").set_value(name.upper()).run()
    assert list(page.dataframe[0].value["code"]) == ["lab"]
    page.text_input(key="search-reports").set_value("no such report").run()
    assert not page.dataframe


def test_a_report_is_changed_in_its_window_at_once_and_the_change_is_undone(open_manage, store):
    page = open_manage(store, "reports", edit="lab")
    old = next(report.name for report in catalogue.reports(store) if report.code == "lab")
    assert page.button(key="save-report").disabled
    page.text_input(key="name-lab").set_value("Work")
    page.color_picker(key="colour-lab").set_value("#aa3377")
    page.text_area(key="criteria-of-lab").set_value("Wages and jobs.").run()
    press(page, "save-report")
    assert Report("lab", "Work") in catalogue.reports(store)
    assert service.colours(store) == {"lab": "#aa3377"}
    assert (criteria(store, "lab").text, criteria(store, "lab").person) == ("Wages and jobs.", access.PERSON)
    assert "save-report" not in [button.key for button in page.button], "the window is closed"
    press(page, "undo")
    assert Report("lab", old) in catalogue.reports(store)
    assert (service.colours(store), criteria(store, "lab").text) == ({}, "")


def test_a_row_opens_the_window_of_its_report(open_manage, store):
    page = open_manage(store, "reports")
    code = page.dataframe[0].value["code"].iloc[2]
    pick(page, "reports", 2)
    assert page.text_input(key=f"name-{code}").value


def test_the_editors_of_a_report_are_chosen_in_its_window(open_manage, store):
    today = date.today()
    people.add_editorship(store, Editorship("lab", "Ann", date(2026, 1, 5)), person="Dee")
    people.add_editorship(store, Editorship("mac", "Bo", date(2026, 1, 5)), person="Dee")
    page = open_manage(store, "reports", edit="lab")
    page.multiselect(key="editors-of-lab").set_value(["Bo"]).run()
    page.text_input(key="mail-of-Bo").set_value("bo@example.org").run()
    press(page, "save-report")
    known = people.editorships(store)
    assert people.editors_on(known, "lab", today) == ["Bo"]
    assert people.editors_on(known, "lab", today - timedelta(days=1)) == ["Ann"]
    assert editor_addresses(store)["Bo"] == "bo@example.org"
    press(page, "undo")
    assert people.editors_on(people.editorships(store), "lab", today) == ["Ann"]
    assert [one.first for one in people.editorships(store) if one.report == "lab"] == [date(2026, 1, 5)]


def test_all_values_of_a_report_are_saved_or_none(open_manage, store):
    page = open_manage(store, "reports", edit="lab")
    page.text_input(key="name-lab").set_value("Work")
    page.color_picker(key="colour-lab").set_value("#ffff00").run()
    assert "has too little contrast on a white page" in refused(page, "save-report")
    assert service.colours(store) == {}
    assert "Work" not in [report.name for report in catalogue.reports(store)]


def test_retiring_is_immediate_and_undo_keeps_late_issues_late(open_manage, store):
    today = catalogue.issues(store)[-1].date + timedelta(days=LATE)
    before = tables.report_table(store, today)
    page = open_manage(store, "reports", edit="lab")
    press(page, "retire")
    assert "lab" not in codes(store)
    press(page, "undo")
    pd.testing.assert_frame_equal(tables.report_table(store, today), before)


def test_a_retired_report_is_restored_in_its_dialog(open_manage, store):
    catalogue.retire_report(store, "lab")
    page = open_manage(store, "reports", edit="lab")
    n_relevant = decisions.n_relevant(store)["lab"]
    assert page.table[0].value.loc["Decisions"].item().endswith(f"({n_relevant} relevant)")
    press(page, "bring-back")
    assert "lab" in codes(store)


def add(page, **values):
    """Fill in the *Add report* dialog and press *Add*."""
    page.text_input(key="new-code").set_value(values.get("code", "new"))
    page.text_input(key="new-name").set_value(values.get("name", ""))
    page.text_area(key="new-about").set_value(values.get("about", ""))
    if "editor" in values:
        page.selectbox(key="new-report-editor").set_value(values["editor"])
    page.text_input(key="new-mail").set_value(values.get("mail", ""))
    if "first" in values:
        page.selectbox(key="new-first-issue").set_value(values["first"])
    page.button(key="add-report").click().run()
    assert not page.exception
    return page


def test_a_report_is_added_with_everything_its_first_list_needs(open_manage, store, newest):
    people.add_editorship(store, Editorship("lab", "Ann", date(2026, 1, 5)), person="Dee")
    page = open_manage(store, "reports", add="report")
    about = "Wages, jobs and trade unions."
    add(page, name=" Labour\n*markets* ", about=about, editor="Ann", mail="ann@example.org")
    assert not page.error
    assert Report("new", "Labour *markets*") in catalogue.reports(store)
    assert criteria(store, "new").text == about
    assert hints(store)["new"].seeds == (about,)
    assert people.editors_on(people.editorships(store), "new", date.today()) == ["Ann"]
    assert editor_addresses(store)["Ann"] == "ann@example.org"
    assert [one.issue for one in pending(store, ["new"], today=newest)] == [newest]
    assert "new-code" not in [box.key for box in page.text_input], "the window is closed"


def test_a_new_report_is_ranked_automatically(open_manage, store):
    page = add(open_manage(store, "reports", add="report"), about="Wages, jobs and trade unions.")
    assert "new" in page.session_state[reranking.NAME]


def test_the_header_and_links_of_other_pages_open_the_window(open_manage, empty_store):
    from presort.desk.ui import empty

    page = open_manage(empty_store, "reports")
    press(page, "open-add-report")
    assert page.text_input(key="new-code")
    assert open_manage(empty_store, **empty.TO_REPORTS.query).text_input(key="new-code")
    add(page, code="lab")
    assert catalogue.reports(empty_store) == [Report("lab", "lab")]


def test_a_first_issue_that_is_older_than_the_report_is_pending_but_never_late(open_manage, store):
    days = [issue.date for issue in catalogue.issues(store)]
    page = open_manage(store, "reports", add="report")
    add(page, first=days[-3])
    found = pending(store, ["new"], today=days[-1] + timedelta(days=300))
    assert [one.issue for one in found] == days[-3:]
    assert [one.days_counted for one in found] == [0, 0, 0]


def test_a_report_can_begin_with_the_next_issue(open_manage, store, newest):
    add(open_manage(store, "reports", add="report"), first=newest + timedelta(days=1))
    assert pending(store, ["new"], today=newest) == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param({"code": "a b"}, "letters, digits", id="no-code"),
        pytest.param({"code": "lab"}, "Report code 'lab' is already taken", id="taken"),
        pytest.param({"mail": "ann@example.org"}, "Enter the editor's name", id="mail-of-nobody"),
    ],
)
def test_an_error_is_shown_in_the_dialog_and_nothing_is_added(open_manage, store, values, message):
    page = open_manage(store, "reports", add="report")
    before = catalogue.reports(store), people.editorships(store), hints(store)
    add(page, **values)
    assert message in page.error[0].value.replace("\\", "")
    assert (catalogue.reports(store), people.editorships(store), hints(store)) == before
    assert page.text_input(key="new-code").value == values.get("code", "new")


def test_adding_a_retired_code_says_what_is_restored_and_asks(open_manage, store):
    n_relevant = decisions.n_relevant(store)["lab"]
    catalogue.retire_report(store, "lab")
    page = add(open_manage(store, "reports", add="report"), code="lab", name="Work")
    figures = page.table[0].value[""]
    assert figures["Decisions"].endswith(f"({n_relevant} relevant)")
    assert "lab" not in codes(store), "nothing before the answer"
    press(page, "leave-it")
    assert "lab" not in codes(store)
    assert not page.table
    page.button(key="add-report").click().run()
    press(page, "bring-back")
    assert Report("lab", "Work") in catalogue.reports(store)
    assert decisions.n_relevant(store)["lab"] == n_relevant


def test_every_report_keeps_its_colour_when_others_are_added_or_retired(store):
    before = tables.report_colours(store)
    assert sorted(before) == [report.code for report in catalogue.reports(store)]
    assert set(before.values()) == {colour.lower() for colour in COLOURS}
    catalogue.retire_report(store, min(before))
    assert tables.report_colours(store) == before
    tables.set_colour(store, "lab", "#aa3377")
    assert tables.report_colours(store) == before | {"lab": "#aa3377"}
    catalogue.add_reports(store, [Report("a-first", "A First")])
    assert before.items() - {("lab", before["lab"])} <= tables.report_colours(store).items()


def test_every_default_colour_is_valid_as_a_choice():
    for ground in (WHITE, BLACK):
        assert all(contrast(colour, ground) >= tables.LEAST_CONTRAST for colour in COLOURS)
