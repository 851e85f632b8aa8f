"""The page Manage: what is said before a change, what a change does, and what is refused."""

from datetime import date, timedelta

import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.criteria import criteria
from presort.data.errors import RefusedError
from presort.data.mail.editors import addresses
from presort.data.records import Editorship, Holiday, ImportSummary, Report
from presort.data.running import people, service
from presort.data.running.holidays import holidays
from presort.data.running.service import DEMO
from presort.desk import access
from presort.desk.manage import tables
from presort.desk.service import rankers, workflow
from presort.desk.ui import reranking
from presort.desk.ui.colours import BLACK, COLOURS, WHITE, contrast
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


def messages(page):
    return [shown.value.replace("\\", "") for shown in page.markdown]


def confirm(page):
    """Read what the window says will change, and let it."""
    says = messages(page)[-1]
    page.button(key="change-it").click().run()
    assert not page.exception
    assert [shown.value.replace("\\", "") for shown in page.success] == [says]
    return says


def test_a_page_without_anything_offers_to_begin(open_manage, empty_store):
    page = open_manage(empty_store, "reports")
    assert not page.exception
    assert page.info[0].value.startswith("No report yet. Add one here")
    page.text_input(key="new-code").set_value("lab")
    page.text_input(key="new-name").set_value(" Labour\n*markets* ")
    page.button(key="add-report").click().run()
    assert confirm(page) == "lab · Labour *markets* is the first report: from now on, issues are sorted for it."
    assert catalogue.reports(empty_store) == [Report("lab", "Labour *markets*")]
    assert [box.value for box in page.text_input if box.key.startswith("new-")] == ["", ""]


@pytest.mark.parametrize("part", ["reports", "editors", "holidays", "rankers", "imports"])
def test_each_part_opens_on_an_empty_and_on_a_filled_workspace(open_manage, empty_store, ranked, part):
    for store in (empty_store, ranked):
        page = open_manage(store, part)
        assert not page.exception
        assert page.query_params["part"] == part


def test_an_unknown_part_is_the_first(open_manage, store):
    page = open_manage(store, "<script>")
    assert page.query_params["part"] == "reports"


def test_nothing_changes_before_it_is_confirmed(open_manage, store):
    page = open_manage(store, "reports", report="lab")
    before = catalogue.revision(store)
    page.button(key="retire").click().run()
    assert messages(page)[-1] == (
        "Nothing is sorted for lab from now on; 11 reports stay. What its editors decided stays, its past "
        "issues still count in all figures, and it can come back."
    )
    page.button(key="leave-it").click().run()
    assert catalogue.revision(store) == before
    assert not page.success


def test_a_demo_says_that_no_file_came_in(open_manage, empty_store):
    catalogue.set_setting(empty_store, DEMO, "1")
    page = open_manage(empty_store, "imports")
    assert "made up" in page.info[0].value


def test_a_report_is_retired_and_brought_back(open_manage, store):
    page = open_manage(store, "reports", report="lab")
    page.button(key="retire").click().run()
    confirm(page)
    assert "lab" not in [report.code for report in catalogue.reports(store)]
    assert page.selectbox(key="report").value == "lab"
    assert list(page.dataframe[0].value["standing"])[-1] == "retired"
    page.button(key="bring-back").click().run()
    assert "for 12 reports in all" in confirm(page)
    assert "lab" in [report.code for report in catalogue.reports(store)]


def test_adding_a_code_that_was_retired_says_what_comes_back_before_it_does(open_manage, store):
    n_relevant = decisions.n_relevant(store)["lab"]
    catalogue.retire_report(store, "lab")
    page = open_manage(store, "reports")
    page.text_input(key="new-code").set_value("lab")
    page.text_input(key="new-name").set_value("Work")
    page.button(key="add-report").click().run()
    says = messages(page)[-1]
    assert "5 published issues" in says
    assert f"({n_relevant} relevant)" in says
    assert "0 readers" in says
    assert "lab" not in [report.code for report in catalogue.reports(store)], "nothing before the answer"
    page.button(key="leave-it").click().run()
    assert "lab" not in [report.code for report in catalogue.reports(store)]
    page.button(key="add-report").click().run()
    assert confirm(page) == says
    assert Report("lab", "Work") in catalogue.reports(store)
    assert decisions.n_relevant(store)["lab"] == n_relevant


def test_a_report_gets_name_colour_and_criteria(open_manage, store):
    page = open_manage(store, "reports", report="lab")
    page.text_input(key="name-lab").set_value("Work").run()
    page.button(key="rename").click().run()
    assert "lab is called 'Work' instead of" in confirm(page)
    page.color_picker(key="colour-lab").set_value("#aa3377").run()
    page.button(key="take-colour").click().run()
    assert "Charts draw lab in #aa3377 instead of" in confirm(page)
    page.text_area(key="criteria-of-lab").set_value("Wages and jobs.").run()
    page.button(key="save-criteria").click().run()
    assert "15 characters instead of 0" in confirm(page)
    assert next(report.name for report in catalogue.reports(store) if report.code == "lab") == "Work"
    assert service.colours(store) == {"lab": "#aa3377"}
    assert (criteria(store, "lab").text, criteria(store, "lab").person) == ("Wages and jobs.", access.PERSON)


def test_a_colour_that_cannot_be_seen_is_refused_in_words(open_manage, store):
    page = open_manage(store, "reports", report="lab")
    page.color_picker(key="colour-lab").set_value("#ffff00").run()
    page.button(key="take-colour").click().run()
    page.button(key="change-it").click().run()
    assert "#ffff00 can hardly be seen on a white page; choose a darker one." in page.error[0].value.replace("\\", "")
    assert service.colours(store) == {}


def test_a_code_that_is_none_or_taken_is_refused_in_words(open_manage, store):
    page = open_manage(store, "reports")
    page.text_input(key="new-code").set_value("a b")
    page.button(key="add-report").click().run()
    assert "A code has letters" in page.error[0].value
    page.text_input(key="new-code").set_value("lab")
    page.button(key="add-report").click().run()
    page.button(key="change-it").click().run()
    assert "There is a report 'lab' already" in page.error[0].value
    assert page.text_input(key="new-code").value == "lab"


def test_editors_begin_are_stood_in_for_and_end(open_manage, store):
    today, person = date.today(), access.PERSON
    page = open_manage(store, "editors", report="lab")
    assert "Nobody edits this report today." in messages(page)
    page.text_input(key="new-editor").set_value("Ann Lee")
    page.text_input(key="new-place").set_value("University of X").run()
    page.button(key="add-editor").click().run()
    assert confirm(page) == f"Ann Lee edits lab from {today} on."
    assert "Today: chosen by Ann Lee, University of X" in messages(page)
    assert "Nobody edits 11 reports today" in page.warning[0].value
    page.text_input(key="substitute").set_value("Bo").run()
    page.button(key="add-substitute").click().run()
    assert confirm(page).endswith(", 8 days, instead of Ann Lee.")
    assert "Today: chosen by Bo" in messages(page)
    page.selectbox(key="which-editorship").select_index(0).run()
    page.button(key="end-editorship").click().run()
    assert "On the day after nobody edits it." in confirm(page)
    first, second = people.editorships(store)
    assert first == Editorship("lab", "Ann Lee", today, today)
    assert second == Editorship("lab", "Bo", today, today + timedelta(weeks=1), "Ann Lee")
    page.selectbox(key="which-editorship").select_index(1).run()
    page.button(key="take-back-editorship").click().run()
    assert "is struck out" in confirm(page)
    assert people.editorships(store) == [first]
    assert person == "editor"


def test_a_person_gets_another_name_and_place(open_manage, store):
    people.add_editorship(store, Editorship("lab", "Ann", date(2026, 1, 5)), person="Dee")
    page = open_manage(store, "editors", report="lab")
    page.text_input(key="place-Ann").set_value("University of X").run()
    page.button(key="save-affiliation").click().run()
    assert "'chosen by Ann, University of X' instead of 'chosen by Ann'" in confirm(page)
    page.text_input(key="address-Ann").set_value("ann@example.org").run()
    page.button(key="save-address").click().run()
    assert confirm(page).startswith("Ann is told by mail at ann")
    assert addresses(store) == {"Ann": "ann@example.org"}
    page.text_input(key="person-name-Ann").set_value("<b>Ann</b>").run()
    page.button(key="rename-editor").click().run()
    confirm(page)
    assert people.affiliations(store) == {"<b>Ann</b>": "University of X"}
    assert not page.exception


def test_holidays_are_added_and_taken_away(open_manage, store, newest):
    page = open_manage(store, "holidays")
    assert page.info[0].value == "No holiday yet."
    page.date_input(key="holiday-from").set_value(newest - timedelta(days=1))
    page.date_input(key="holiday-to").set_value(newest + timedelta(days=1))
    page.text_input(key="holiday-name").set_value("Fair").run()
    page.button(key="add-holiday").click().run()
    assert f"3 days, nobody is late. There is an issue of {newest} all the same." in confirm(page)
    assert holidays(store) == [Holiday(newest - timedelta(days=1), newest + timedelta(days=1), "Fair")]
    page.button(key="add-holiday").click().run()
    page.button(key="change-it").click().run()
    assert "overlaps with the holiday" in page.error[0].value
    page.button(key="take-away-holiday").click().run()
    assert "count again" in confirm(page)
    assert holidays(store) == []


def test_another_ranker_is_used_from_the_next_issue_on(open_manage, ranked, newest):
    page = open_manage(ranked, "rankers")
    assert f"**{DEFAULT} sorts for all 12 reports; nothing runs beside it.**" in messages(page)
    assert page.button(key="use-rankers").disabled
    page.selectbox(key="active-ranker").set_value("krichel-2007")
    page.multiselect(key="shadow-rankers").set_value([DEFAULT, "krichel-2007"]).run()
    page.button(key="use-rankers").click().run()
    assert confirm(page) == (
        f"From the next issue on, krichel-2007 sorts for all 12 reports; {DEFAULT} runs beside it. "
        f"Up to the issue of {newest}, which is sorted, everything stays. What a new ranker needs, it learns meanwhile."
    )
    assert reranking.queue().n_learned == 1
    assert rankers.active(ranked) == "krichel-2007"
    assert [recipe.name for recipe in rankers.in_use(ranked)] == ["krichel-2007", DEFAULT]
    assert [recipe.name for recipe in rankers.in_use(ranked, newest)] == [DEFAULT]
    assert page.button(key="use-rankers").disabled
    assert any(caption.value.startswith(f"Chosen by {access.AT_DESK} on ") for caption in page.caption)


def test_a_ranker_that_only_a_newer_presort_knows_can_be_changed_for_another(open_manage, store):
    service.set_rankers(store, "presort-9", [], person="Ann")
    with pytest.raises(RefusedError, match="presort-9"):
        rankers.in_use(store)
    page = open_manage(store, "rankers")
    assert not page.dataframe, "what was chosen before does not hold the present choice"
    assert page.caption[0].value.startswith("Chosen by Ann on ")
    page.selectbox(key="active-ranker").set_value(DEFAULT).run()
    page.button(key="use-rankers").click().run()
    confirm(page)
    assert [recipe.name for recipe in rankers.in_use(store)] == [DEFAULT]
    assert page.dataframe[0].value["active"].to_list() == ["presort-9"]


def test_a_ranker_that_reads_vectors_is_offered_where_there_are_some(open_manage, store, request):
    page = open_manage(store, "rankers")
    assert "presort-2-vectors" not in page.selectbox(key="active-ranker").options
    assert "One ranker more sorts by what papers are about" in page_texts(page)
    request.getfixturevalue("has_vectors")
    page = open_manage(store, "rankers")
    assert page.selectbox(key="active-ranker").options == list(RECIPES)
    assert "Sentence vectors by small: every paper has one." in page_texts(page)


def test_what_is_sorted_now_is_sorted_by_the_rankers_in_use(store):
    service.set_rankers(store, "krichel-2007", ["arxiv-sanity"], person="Ann")
    steps = list(workflow.rank(store, reports=["lab"]))
    assert [step.ranker for step in steps] == ["krichel-2007", "arxiv-sanity"]


def page_texts(page):
    return " ".join(caption.value for caption in page.caption)


def test_review_begins_with_the_ranker_that_sorted_the_issue(open_page, ranked, newest):
    service.set_rankers(ranked, "arxiv-sanity", [], person="Ann")
    list(workflow.rank(ranked, [RECIPES[DEFAULT]], reports=["lab"]))
    page = open_page(APP, ranked, report="lab", issue=newest)
    assert f"sorted by {DEFAULT}," in page_texts(page)  # when that was active


def test_review_begins_with_the_active_ranker(open_page, store, newest):
    service.set_rankers(store, "arxiv-sanity", ["krichel-2007"], person="Ann")
    list(workflow.rank(store, reports=["lab"]))
    page = open_page(APP, store, report="lab", issue=newest)
    assert "sorted by arxiv-sanity," in page_texts(page)


def test_the_log_of_imports_is_shown_newest_first(open_manage, store):
    for n, file in enumerate(("week.csv", "=2+3.csv")):
        with store.writing() as connection:
            service.log_import(connection, file, ImportSummary(n, 0, 0, 0, 0, 0, 0, 0), person="Ann")
    page = open_manage(store, "imports")
    assert list(page.dataframe[0].value["file"]) == ["=2+3.csv", "week.csv"]
    assert list(page.dataframe[0].value["listings"]) == [1, 0]


def test_the_files_of_the_tables_run_nothing_in_a_spreadsheet(store):
    from presort.data.exporters.csv_text import csv_text

    catalogue.rename_report(store, "lab", "=HYPERLINK(1)")
    people.add_editorship(store, Editorship("lab", "@Ann", date(2026, 1, 5)), person="Dee", affiliation="+1")
    with store.writing() as connection:
        service.log_import(connection, "=2+3.csv", ImportSummary(0, 0, 0, 0, 0, 0, 0, 0), person="-Dee")
    assert "lab,'=HYPERLINK(1),'@Ann," in csv_text(tables.report_table(store, date.today()))
    assert "lab,'@Ann,'+1,,2026-01-05," in csv_text(tables.editor_table(store))
    assert ",'-Dee,'=2+3.csv,0" in csv_text(tables.import_table(store))


def test_every_report_has_a_colour_and_keeps_it_when_another_retires_or_comes(store):
    before = tables.report_colours(store)
    assert sorted(before) == [report.code for report in catalogue.reports(store)]
    assert set(before.values()) == {colour.lower() for colour in COLOURS}
    catalogue.retire_report(store, min(before))
    assert tables.report_colours(store) == before
    tables.set_colour(store, "lab", "#aa3377")
    assert tables.report_colours(store) == before | {"lab": "#aa3377"}
    catalogue.add_reports(store, [Report("a-first", "A First")])
    assert before.items() - {("lab", before["lab"])} <= tables.report_colours(store).items()


def test_the_colours_that_charts_use_could_all_be_chosen():
    for ground in (WHITE, BLACK):
        assert all(contrast(colour, ground) >= tables.LEAST_CONTRAST for colour in COLOURS)


def test_a_service_that_names_no_editors_misses_none(store):
    today = date.today()
    assert tables.without_editor(store, today) == []
    people.add_editorship(store, Editorship("lab", "Ann", today), person="Dee")
    missing = [report.code for report in tables.without_editor(store, today)]
    assert sorted([*missing, "lab"]) == [report.code for report in catalogue.reports(store)]
