"""The *Imports* and *Log* parts of *Manage*."""

from presort.data import catalogue
from presort.data.records import ImportSummary
from presort.data.running import service
from presort.data.running.service import DEMO
from presort.desk.manage import log


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
