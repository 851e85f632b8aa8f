"""Read-only workspaces, access permissions, and a full folder of SQLite's temporary files."""

import os
import shutil
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

import presort.data.workspace.sqlite
from presort.data import catalogue
from presort.data.errors import WorkspaceError
from presort.data.intake.commit_import import commit_import
from presort.data.running.backups import back_up
from presort.data.running.health import examine_file
from presort.data.running.trials import temporary_copy
from presort.data.store import FILE_NAME, find_store, open_store
from presort.data.workspace.sqlite import temporary_folder
from tests.data.workspaces import FIRST, contents, make_issue, take_in

pytestmark = pytest.mark.of_file

NOBODY = 65534


@pytest.fixture
def locked(empty_workspace):
    """Closed workspace that this process can read but not change, even if the tests run as root."""
    outer = Path(tempfile.mkdtemp(prefix="presort-test-"))
    folder = shutil.copytree(empty_workspace, outer / "workspace")
    with closing(open_store(folder)) as store:
        take_in(store, make_issue(3, selected={"lab": [1]}))
    is_root = os.geteuid() == 0
    outer.chmod(0o755)
    folder.chmod(0o555)
    (folder / FILE_NAME).chmod(0o444)
    if is_root:
        os.seteuid(NOBODY)
    yield folder
    if is_root:
        os.seteuid(0)
    folder.chmod(0o700)
    shutil.rmtree(outer)


def test_a_read_only_workspace_can_be_read(locked):
    with closing(open_store(locked)) as store:
        assert len(catalogue.papers(store, FIRST)) == 3
        assert contents(store)["decision"]
    assert examine_file(locked / FILE_NAME).problems == ()
    assert sorted(path.suffix for path in locked.iterdir()) == [".db", ".lock"]


def test_a_write_to_a_read_only_workspace_is_refused(locked):
    message = r"workspace/presort\.db can't be written to\. Check the permissions of the folder and its files"
    with closing(open_store(locked)) as store, pytest.raises(WorkspaceError, match=message):
        catalogue.set_setting(store, "a", "b")


def test_a_read_only_workspace_can_be_backed_up_elsewhere(locked, tmp_path_factory):
    place = Path(tempfile.mkdtemp(prefix="presort-test-"))
    assert back_up(locked, place / "a.db").exists()
    shutil.rmtree(place)


def test_an_import_into_a_read_only_workspace_can_be_previewed(locked):
    with closing(find_store(locked)) as store, temporary_copy(store) as copy:
        assert commit_import(copy, make_issue(5), person="ada").summary.new_papers == 2
    assert sorted(path.suffix for path in locked.iterdir()) == [".db", ".lock"]


def test_unreadable_changes_in_the_log_are_an_error(locked):
    effective = os.geteuid()
    os.seteuid(os.getuid())
    (locked / f"{FILE_NAME}-wal").write_bytes(b"\x37\x7f\x06\x82" * 100)
    (locked / f"{FILE_NAME}-wal").chmod(0o444)
    os.seteuid(effective)
    with pytest.raises(WorkspaceError, match=r"has changes in presort\.db-wal that SQLite can only read"):
        open_store(locked)


def mode(path):
    return path.stat().st_mode & 0o777


def test_nobody_else_may_read_a_workspace(tmp_path):
    old = os.umask(0o022)
    try:
        with closing(open_store(tmp_path / "new" / "workspace")) as store:
            catalogue.set_setting(store, "a", "b")
            assert mode(tmp_path / "new" / "workspace") == 0o700
            assert {mode(path) for path in store.folder.iterdir()} == {0o600}
            assert store.database.path.with_name(f"{FILE_NAME}-wal").exists()
    finally:
        os.umask(old)


def test_a_world_readable_database_is_made_private_and_its_folder_unchanged(tmp_path):
    (tmp_path / "workspace").mkdir(mode=0o755)
    open_store(tmp_path / "workspace").close()
    (tmp_path / "workspace" / FILE_NAME).chmod(0o664)
    with closing(open_store(tmp_path / "workspace")) as store:
        catalogue.set_setting(store, "a", "b")
        assert {mode(path) for path in store.folder.iterdir()} == {0o600}
    assert mode(tmp_path / "workspace") == 0o755


def test_a_full_temporary_folder_is_named_and_not_the_database(store):
    def fill():
        with store.connection() as connection, connection.begin():
            connection.exec_driver_sql("PRAGMA temp.max_page_count=2")
            connection.exec_driver_sql("CREATE TEMPORARY TABLE staged AS SELECT hex(zeroblob(1000000)) AS text")

    with pytest.raises(WorkspaceError, match=f"^The temporary folder {temporary_folder()} is full or can't be written"):
        fill()


def test_the_temporary_folder_is_found_as_sqlite_finds_it(tmp_path, monkeypatch):
    monkeypatch.delenv("SQLITE_TMPDIR", raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert temporary_folder() == tmp_path
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path / "missing"))
    assert temporary_folder() == tmp_path
    monkeypatch.setenv("TMPDIR", "")
    assert str(temporary_folder()) in presort.data.workspace.sqlite.PLACES
