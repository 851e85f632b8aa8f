"""The page *Manage*: content of each part, changes and their undo, and refused changes."""

from datetime import date, timedelta

import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.criteria import criteria
from presort.data.editing.hints import hints
from presort.data.editing.pending import LATE, pending
from presort.data.errors import RefusedError
from presort.data.exporters.csv_text import csv_text
from presort.data.mail.editors import addresses
from presort.data.mail.readers import add_readers
from presort.data.records import Editorship, Holiday, ImportSummary, Report
from presort.data.running import people, service
from presort.data.running.holidays import holidays
from presort.data.running.service import DEMO
from presort.desk import access
from presort.desk.manage import log, reports, tables
from presort.desk.service import rankers, workflow
from presort.desk.ui import reranking
from presort.desk.ui.colours import BLACK, COLOURS, WHITE, contrast
from presort.desk.ui.mail_link import mail_link
from presort.ranker.versions import DEFAULT, RECIPES
from tests.desk.conftest import APP


def page_of_manage():
    from presort.desk.manage import page

    page.show()


@pytest.fixture
def open_manage(open_page):
    def run(store, part, **query):
        return open_page(page_of_manage, store, part=part, **query)

    return run


def press(page, key):
    """Press a button of the page or its dialog. Fails if the page shows an error."""
    page.button(key=key).click().run()
    assert not page.exception
    assert not page.error
    return page


def refused(page, key):
    """Press a button and return the error that the dialog shows."""
    page.button(key=key).click().run()
    assert not page.exception
    return page.error[0].value.replace("\\", "")


def codes(store, **which):
    return [report.code for report in catalogue.reports(store, **which)]


def pick(page, name, row):
    """Select a row of a table through the session state, because `AppTest` can't click rows."""
    times = page.session_state[f"picked-{name}"]
    selection = {"rows": [row], "columns": [], "cells": []}
    page.session_state[f"frame-{name}-{times}"] = {"selection": selection}
    page.run()
    assert not page.exception
    return page


@pytest.mark.parametrize("part", ["reports", "editors", "people", "readers", "holidays", "rankers", "imports", "log"])
def test_each_part_opens_on_an_empty_and_on_a_filled_workspace(open_manage, empty_store, ranked, part):
    for store in (empty_store, ranked):
        page = open_manage(store, part)
        assert not page.exception
        assert page.query_params["part"] == part


def test_an_unknown_part_is_the_first(open_manage, store):
    page = open_manage(store, "<script>")
    assert page.query_params["part"] == "reports"


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
    assert addresses(store)["Bo"] == "bo@example.org"
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
    """Fill in the dialog *Add report* and press *Add*."""
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
    assert addresses(store)["Ann"] == "ann@example.org"
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
    assert addresses(store) == {"Ann Lee": "ann@example.org"}
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
    assert addresses(store) == {"<b>Ann</b>": "ann@example.org"}
    press(page, "undo")
    assert (people.affiliations(store), addresses(store)) == ({"Ann": ""}, {"Ann": ""})


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


def in_use(page):
    return {metric.label: metric.value for metric in page.metric}


def test_a_choice_of_rankers_applies_from_the_next_issue_and_can_be_undone(open_manage, ranked, newest):
    page = open_manage(ranked, "rankers")
    assert (in_use(page)["In use"], in_use(page)["Shadows"], in_use(page)["By"]) == (DEFAULT, "none", "default")
    assert page.button(key="use-rankers").disabled
    page.selectbox(key="active-ranker").set_value("krichel-2007")
    page.multiselect(key="shadow-rankers").set_value([DEFAULT, "krichel-2007"]).run()
    press(page, "use-rankers")
    assert in_use(page)["In use"] == "krichel-2007"
    assert in_use(page)["Shadows"] == DEFAULT
    assert in_use(page)["Since"].endswith(str(newest))
    assert in_use(page)["By"].startswith(access.AT_DESK)
    assert reranking.queue().n_learned == 1
    assert [recipe.name for recipe in rankers.in_use(ranked)] == ["krichel-2007", DEFAULT]
    assert [recipe.name for recipe in rankers.in_use(ranked, newest)] == [DEFAULT]
    assert page.button(key="use-rankers").disabled
    press(page, "undo")
    assert [recipe.name for recipe in rankers.in_use(ranked)] == [DEFAULT]
    assert list(page.dataframe[0].value["active"]) == [DEFAULT, "krichel-2007"], "the history has both"


def test_a_ranker_of_a_newer_version_can_be_replaced(open_manage, store):
    service.set_rankers(store, "presort-9", [], person="Ann")
    with pytest.raises(RefusedError, match="presort-9"):
        rankers.in_use(store)
    page = open_manage(store, "rankers")
    assert in_use(page)["By"].startswith("Ann")
    page.selectbox(key="active-ranker").set_value(DEFAULT).run()
    press(page, "use-rankers")
    assert [recipe.name for recipe in rankers.in_use(store)] == [DEFAULT]
    assert page.dataframe[0].value["active"].to_list() == [DEFAULT, "presort-9"]


def test_a_ranker_that_reads_vectors_is_offered_if_any_are_stored(open_manage, store, request):
    page = open_manage(store, "rankers")
    assert "presort-2-vectors" not in page.selectbox(key="active-ranker").options
    request.getfixturevalue("has_vectors")
    page = open_manage(store, "rankers")
    assert page.selectbox(key="active-ranker").options == list(RECIPES)


def test_issues_are_ranked_by_the_rankers_in_use(store):
    service.set_rankers(store, "krichel-2007", ["arxiv-sanity"], person="Ann")
    steps = list(workflow.rank(store, reports=["lab"]))
    assert [step.ranker for step in steps] == ["krichel-2007", "arxiv-sanity"]


def captions(page):
    return " ".join(caption.value for caption in page.caption)


def test_review_opens_with_the_ranker_of_the_issue(open_page, ranked, newest):
    service.set_rankers(ranked, "arxiv-sanity", [], person="Ann")
    list(workflow.rank(ranked, [RECIPES[DEFAULT]], reports=["lab"]))
    page = open_page(APP, ranked, report="lab", issue=newest)
    assert f"ranked by {DEFAULT}," in captions(page)  # when that ranker was active


def test_review_begins_with_the_active_ranker(open_page, store, newest):
    service.set_rankers(store, "arxiv-sanity", ["krichel-2007"], person="Ann")
    list(workflow.rank(store, reports=["lab"]))
    page = open_page(APP, store, report="lab", issue=newest)
    assert "ranked by arxiv-sanity," in captions(page)


def test_a_demo_says_that_nothing_was_imported(open_manage, empty_store):
    catalogue.set_setting(empty_store, DEMO, "1")
    assert [info.value for info in open_manage(empty_store, "imports").info] == [log.OF_DEMO]


def test_the_log_of_imports_is_shown_newest_first(open_manage, store):
    for n, file in enumerate(("week.csv", "=2+3.csv")):
        with store.writing() as connection:
            service.log_import(connection, file, ImportSummary(n, 0, 0, 0, 0, 0, 0, 0), person="Ann")
    page = open_manage(store, "imports")
    assert list(page.dataframe[0].value["file"]) == ["=2+3.csv", "week.csv"]
    assert list(page.dataframe[0].value["listings"]) == [1, 0]


def test_the_log_opens_on_changes_with_the_values_before_and_after(open_manage, store):
    catalogue.rename_report(store, "lab", "Work")
    catalogue.rename_report(store, "lab", "Jobs")
    page = open_manage(store, "log")
    newest = page.dataframe[0].value.iloc[0]
    assert newest[["object", "before", "after"]].to_list() == ["lab", "Work", "Jobs"]
    assert list(log.COLUMNS[log.CHANGES])[:6] == ["made_at", "person", "action", "object", "before", "after"]


def test_decisions_are_in_a_tab_of_their_own(open_manage, store):
    page = open_manage(store, "log")
    assert "Relevant" not in set(page.dataframe[0].value["action"])
    page.session_state["log-tab"] = log.DECISIONS
    page.run()
    assert not page.exception
    assert set(page.dataframe[0].value["action"]) == {"Relevant"}


def test_table_downloads_contain_no_formulas(store):
    catalogue.rename_report(store, "lab", "=HYPERLINK(1)")
    people.add_editorship(store, Editorship("lab", "@Ann", date(2026, 1, 5)), person="Dee", affiliation="+1")
    with store.writing() as connection:
        service.log_import(connection, "=2+3.csv", ImportSummary(0, 0, 0, 0, 0, 0, 0, 0), person="-Dee")
    assert "lab,'=HYPERLINK(1),'@Ann," in csv_text(tables.report_table(store, date.today()))
    assert "lab,'@Ann,'+1,,2026-01-05," in csv_text(tables.editor_table(store))
    assert ",'-Dee,'=2+3.csv,0" in csv_text(tables.import_table(store))


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
