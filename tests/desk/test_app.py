"""The app in `AppTest`: its start page, and external failures."""

import sqlite3
from contextlib import closing
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from presort.data import catalogue
from presort.data.store import open_store
from presort.desk import access, pages, settings
from tests.desk.conftest import APP


def test_an_editor_starts_at_pending_issues_and_a_director_at_all_reports(ranked, open_page):
    page = open_page(APP, ranked)
    assert not page.exception
    assert [title.value for title in page.title] == ["This week"]
    page.button_group(key="role").set_value("director").run()
    assert [title.value for title in page.title] == ["Overview"]
    assert access.role_of(ranked, access.PERSON) == "director"
    assert [title.value for title in open_page(APP, ranked).title] == ["Overview"]


@pytest.mark.parametrize("role", access.ROLES)
def test_every_page_is_open_to_every_role_and_listed_once(role):
    listed = [address for heading in pages.MENUS[role].values() for address in heading]
    assert len(listed) == len(set(listed))
    assert set(listed) < set(pages.BY_ADDRESS)
    in_any_menu = {address for menu in pages.MENUS.values() for heading in menu.values() for address in heading}
    # next to the menu, and on *Manage*
    assert set(pages.BY_ADDRESS) - in_any_menu == {"preferences", "import", "topic"}


def test_an_address_of_a_list_without_a_page_opens_review(ranked, open_page):
    assert [title.value for title in open_page(APP, ranked, report="lab").title] == ["Review"]


def test_the_app_says_demo_only_on_the_demo(ranked, open_page):
    assert not any("made up" in mark.value for mark in open_page(APP, ranked).markdown)
    catalogue.set_setting(ranked, "demo", "3")
    assert any("made up" in mark.value for mark in open_page(APP, ranked).markdown)


def of_another_program(path):
    path.write_bytes(b"not a database, not a database, not a database" * 99)


def of_version(path, revision):
    open_store(path.parent).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (of_another_program, "is not a Presort database"),
        (partial(of_version, revision="9999"), "was written by a newer version"),
        (partial(of_version, revision="0028"), "was written by a development version before 0.1.0"),
    ],
)
def test_a_workspace_that_cannot_be_opened_is_one_line(monkeypatch, tmp_path, spoil, message):
    spoil(tmp_path / "presort.db")
    monkeypatch.setenv(settings.WORKSPACE, str(tmp_path))
    page = AppTest.from_file(APP).run(timeout=30)
    assert not page.exception
    assert message in page.error[0].value
