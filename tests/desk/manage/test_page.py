"""The *Manage* page: its parts, and downloads of their tables."""

from datetime import date

import pytest

from presort.data import catalogue
from presort.data.exporters.csv_text import csv_text
from presort.data.records import Editorship, ImportSummary
from presort.data.running import people, service
from presort.desk.manage import tables


@pytest.mark.parametrize("part", ["reports", "editors", "people", "readers", "holidays", "rankers", "imports", "log"])
def test_each_part_opens_on_an_empty_and_on_a_filled_workspace(open_manage, empty_store, ranked, part):
    for store in (empty_store, ranked):
        page = open_manage(store, part)
        assert not page.exception
        assert page.query_params["part"] == part


def test_an_unknown_part_is_the_first(open_manage, store):
    page = open_manage(store, "<script>")
    assert page.query_params["part"] == "reports"


def test_table_downloads_contain_no_formulas(store):
    catalogue.rename_report(store, "lab", "=HYPERLINK(1)")
    people.add_editorship(store, Editorship("lab", "@Ann", date(2026, 1, 5)), person="Dee", affiliation="+1")
    with store.writing() as connection:
        service.log_import(connection, "=2+3.csv", ImportSummary(0, 0, 0, 0, 0, 0, 0, 0), person="-Dee")
    assert "lab,'=HYPERLINK(1),'@Ann," in csv_text(tables.report_table(store, date.today()))
    assert "lab,'@Ann,'+1,,2026-01-05," in csv_text(tables.editor_table(store))
    assert ",'-Dee,'=2+3.csv,0" in csv_text(tables.import_table(store))
