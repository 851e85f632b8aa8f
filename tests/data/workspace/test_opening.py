"""Opening a workspace: created, found, or refused and left unchanged."""

import os
import sqlite3
from contextlib import closing

import pytest

from presort.data import catalogue
from presort.data.errors import WorkspaceError
from presort.data.store import FILE_NAME, open_store
from tests.data.forks import Ended, run_together
from tests.data.workspaces import contents, make_issue, take_in

pytestmark = pytest.mark.of_file


def test_opening_twice_changes_nothing(store):
    take_in(store, make_issue(2, selected={"lab": [1]}))
    other = open_store(store.folder)
    assert contents(store) == contents(other)
    assert catalogue.revision(store) == catalogue.revision(other)
    other.close()


def test_many_processes_open_a_new_workspace_at_once(tmp_path):
    code = """
import sys
from pathlib import Path
from presort.data.store import open_store
open_store(Path(sys.argv[1])).close()
"""
    assert run_together(*[[code, tmp_path / "workspace"]] * 4) == [Ended(0, "", "")] * 4
    store = open_store(tmp_path / "workspace")
    assert catalogue.revision(store) == 0
    store.close()


def test_a_workspace_of_a_newer_version_is_refused_and_unchanged(store):
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    before = contents(store)
    with pytest.raises(WorkspaceError, match=r"newer version \(database revision 9999\)\. Upgrade"):
        open_store(store.folder)
    assert contents(store) == before


@pytest.mark.parametrize("table", ["setting", "customer"])
def test_a_database_of_another_program_is_refused_and_unchanged(tmp_path, table):
    path = tmp_path / FILE_NAME
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {table} (id INTEGER)")
    with pytest.raises(WorkspaceError, match="is not a Presort database; choose another workspace folder"):
        open_store(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [(table,)]


def test_a_file_that_is_no_database_is_refused_and_unchanged(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b"paper_id,title,issue\n" * 100)
    with pytest.raises(WorkspaceError, match=r"presort\.db is not a Presort database"):
        open_store(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == b"paper_id,title,issue\n" * 100


def test_an_empty_file_becomes_a_workspace(tmp_path):
    (tmp_path / FILE_NAME).touch()
    store = open_store(tmp_path)
    assert catalogue.issues(store) == []
    store.close()


def test_a_damaged_file_is_refused(store):
    take_in(store, make_issue(200))
    store.close()
    path = store.database.path
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    with pytest.raises(
        WorkspaceError,
        match=r"presort\.db is damaged. .presort db check. shows where, and .presort db restore. restores",
    ):
        open_store(path.parent)


def test_a_folder_in_place_of_the_file_is_refused(tmp_path):
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(WorkspaceError, match=r"presort\.db can't be opened"):
        open_store(tmp_path)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "workspace").touch()
    with pytest.raises(WorkspaceError, match="workspace can't be created: File exists"):
        open_store(tmp_path / "workspace")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_write_permission_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(WorkspaceError):
            open_store(tmp_path)
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("name", ["what?mode=memory", "100%25", "a#b", "später", "with space", "'quoted\""])
def test_a_folder_may_have_any_name(tmp_path, name):
    store = open_store(tmp_path / name)
    catalogue.set_setting(store, "demo", "1")
    store.close()
    assert [path.name for path in (tmp_path / name).iterdir()] == [FILE_NAME]
    assert [path.name for path in tmp_path.iterdir()] == [name]
    again = open_store(tmp_path / name)
    assert catalogue.setting(again, "demo") == "1"
    again.close()
