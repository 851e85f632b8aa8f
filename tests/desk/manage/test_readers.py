"""Readers on the *Manage* page: added, removed and erased."""

import csv
import io

import pytest

from presort.data import catalogue
from presort.data.exporters.csv_text import csv_text
from presort.data.mail.readers import add_readers, readers, remove_reader
from presort.data.records import Report
from presort.desk.manage.readers import reader_table
from tests.desk.manage.managing import pick, press

ANN, BO, EVE = "ann@example.org", "bo@example.org", "eve@example.org"


@pytest.fixture
def service(empty_store):
    catalogue.add_reports(empty_store, [Report("lab", "Labour")])
    return empty_store


@pytest.fixture
def open_readers(open_manage):
    return lambda store: open_manage(store, "readers", report="lab")


def join(store, *addresses):
    add_readers(store, "lab", [(address, "") for address in addresses], person="Dee")


def join_on_page(page, text):
    press(page, "open-add-readers")
    page.selectbox(key="new-readers-report").set_value("lab")
    page.text_area(key="new-readers").set_value(text)
    page.button(key="add-readers").click().run()
    assert not page.exception
    return page


def test_readers_are_listed_added_removed_and_erased(service, open_readers):
    page = open_readers(service)
    assert not page.dataframe
    join_on_page(page, f"{ANN}, Ann *Lee*\n\n{BO}\n{BO}\n")
    rows = page.dataframe[0].value[["address", "name", "report"]].values.tolist()
    assert rows == [[ANN, "Ann *Lee*", "lab"], [BO, "", "lab"]]
    join_on_page(page, f"{ANN.upper()}\n{EVE}")
    assert [one.address for one in readers(service, "lab")] == [ANN, BO, EVE]
    press(page, "undo")
    assert [one.address for one in readers(service, "lab")] == [ANN, BO], "who was there before stays"
    press(pick(page, "readers", 1), "remove-reader")
    assert [one.address for one in readers(service, "lab")] == [ANN]
    press(page, "undo")
    assert [one.address for one in readers(service, "lab")] == [ANN, BO]
    press(pick(page, "readers", 1), "erase-reader")
    press(page, "change-it")
    assert [one.address for one in readers(service)] == [ANN]
    assert "undo" not in {button.key for button in page.button}


def test_a_former_reader_can_be_erased(service, open_readers):
    join(service, ANN)
    remove_reader(service, "lab", ANN, person="Dee")
    page = open_readers(service)
    page.pills[0].select("Former").run()
    press(pick(page, "readers", 0), "erase-reader")
    press(page, "change-it")
    assert readers(service, left=True) == []


def test_no_reader_is_added_if_a_line_is_invalid(service, open_readers):
    page = join_on_page(open_readers(service), f"{ANN}\nBo Chen\n{EVE}")
    assert "line 2: 'Bo Chen' is not an email address" in page.error[0].value.replace("\u2060", "")
    assert readers(service) == []


def test_erasing_a_reader_requires_confirmation(service, open_readers):
    join(service, ANN)
    page = pick(open_readers(service), "readers", 0)
    press(page, "erase-reader")
    press(page, "leave-it")
    assert [one.address for one in readers(service)] == [ANN]


def test_readers_of_a_retired_report_can_be_erased(service, open_readers):
    join(service, ANN)
    catalogue.retire_report(service, "lab")
    page = open_readers(service)
    press(pick(page, "readers", 0), "erase-reader")
    press(page, "change-it")
    assert readers(service) == []


def test_the_table_of_readers_contains_no_formulas(service):
    add_readers(service, "lab", [("=cmd@example.org", "@SUM(1+1)"), ("+1@example.org", "Bo")], person="Dee")
    rows = list(csv.DictReader(io.StringIO(csv_text(reader_table(readers(service, "lab"))))))
    assert [(row["address"], row["name"]) for row in rows] == [
        ("'+1@example.org", "Bo"),
        ("'=cmd@example.org", "'@SUM(1+1)"),
    ]


def test_readers_without_any_report(empty_store, open_readers):
    page = open_readers(empty_store)
    assert not page.exception
    assert not page.dataframe
    assert "open-add-readers" not in {button.key for button in page.button}
