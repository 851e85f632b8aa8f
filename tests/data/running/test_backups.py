"""Backups: written during other writes, restored while nobody writes, and never incomplete."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime

import pytest

import presort.data.running.backups
from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.errors import RefusedError, UnreadableFileError, WorkspaceError
from presort.data.running.backups import back_up, restore
from presort.data.running.health import examine_file
from presort.data.store import FILE_NAME, open_store
from tests.data.forks import run
from tests.data.workspaces import ROOT, SECOND, contents, make_issue, say, take_in

pytestmark = pytest.mark.of_file

NOW = datetime(2026, 11, 16, 8, 30, tzinfo=UTC)

OPEN_ELSEWHERE = """
import sys
from pathlib import Path
from presort.data.store import open_store
store = open_store(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.readline()
store.close()
"""


@pytest.fixture
def workspace(workspace):
    """Closed workspace with a selected paper."""
    with closing(open_store(workspace)) as store:
        take_in(store, make_issue(20), make_issue(2, SECOND, selected={"lab": [1]}))
    return workspace


def contents_of(workspace):
    with closing(open_store(workspace)) as store:
        return contents(store)


def files(folder):
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


def test_a_backup_holds_the_newest_decisions_while_the_database_is_open(workspace, tmp_path):
    with closing(open_store(workspace)) as store:
        decisions.decide(store, [say("lab", "a2", "yes")])
        expected = contents(store)
        with store.writing():  # another process is in the middle of a change
            path = back_up(workspace, tmp_path / "monday.db")
    assert path.stat().st_mode & 0o777 == 0o600
    assert files(tmp_path) == ["monday.db", "workspace"]
    restore(tmp_path / "other", path)
    assert contents_of(tmp_path / "other") == expected


def test_a_backup_without_a_name_is_written_to_the_workspace(workspace):
    path = back_up(workspace, now=NOW)
    assert path == workspace / "backups" / "presort-2026-11-16T083000.db"
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_backup_is_never_overwritten(workspace, tmp_path):
    (tmp_path / "mine.db").write_text("precious")
    with pytest.raises(RefusedError, match=r"mine\.db already exists\. Choose another name"):
        back_up(workspace, tmp_path / "mine.db")
    assert (tmp_path / "mine.db").read_text() == "precious"


def test_a_failed_backup_leaves_no_file(workspace, tmp_path, monkeypatch):
    with pytest.raises(WorkspaceError, match=r"missing/a\.db\.unfinished can't be written: No such file"):
        back_up(workspace, tmp_path / "missing" / "a.db")

    def full(_):
        raise OSError(28, "No space left on device", str(tmp_path / "a.db.unfinished"))

    monkeypatch.setattr(presort.data.running.backups.os, "fsync", full)
    with pytest.raises(WorkspaceError, match=r"a\.db\.unfinished can't be written: No space left"):
        back_up(workspace, tmp_path / "a.db")
    assert files(tmp_path) == ["workspace"]


def test_a_missing_workspace_can_not_be_backed_up(tmp_path):
    with pytest.raises(WorkspaceError, match="There is no workspace in"):
        back_up(tmp_path / "nowhere")
    assert files(tmp_path) == []


def test_restore_replaces_the_content_and_keeps_the_old_one(workspace):
    before = contents_of(workspace)
    backup = back_up(workspace, now=NOW)
    with closing(open_store(workspace)) as store:
        decisions.decide(store, [say("lab", "a2", "yes")])
        later = contents(store)
    kept = restore(workspace, backup, now=NOW)
    assert contents_of(workspace) == before
    assert files(workspace) == ["backups", FILE_NAME]
    restore(workspace, kept)
    assert contents_of(workspace) == later


def test_restoring_again_in_the_same_second_keeps_both(workspace):
    backup = back_up(workspace)
    kept = [restore(workspace, backup, now=NOW) for _ in range(3)]
    assert [path.name for path in kept] == [f"replaced-2026-11-16T083000{more}.db" for more in ("", "-2", "-3")]
    assert all(path.is_file() for path in kept)


@pytest.mark.parametrize("who", ["this-process", "another"])
def test_restore_is_refused_while_the_workspace_is_open(workspace, who):
    backup = back_up(workspace, now=NOW)
    before = contents_of(workspace)
    if who == "this-process":
        with (
            closing(open_store(workspace)),
            pytest.raises(RefusedError, match="is in use by the desk or a command"),
        ):
            restore(workspace, backup)
    else:
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", OPEN_ELSEWHERE, str(workspace)]
        with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as other:
            assert other.stdout.readline() == "open\n"
            with pytest.raises(RefusedError, match="is in use"):
                restore(workspace, backup)
            other.stdin.write("go\n")
    assert contents_of(workspace) == before
    restore(workspace, backup)


def test_a_leftover_log_is_not_read_by_a_restored_database(workspace):
    backup = back_up(workspace, now=NOW)
    before = contents_of(workspace)
    crash(workspace)
    kept = restore(workspace, backup, now=NOW)
    assert contents_of(workspace) == before
    restore(workspace, kept)  # data that only the SQLite log contains is not lost
    with closing(open_store(workspace)) as store:
        assert catalogue.setting(store, "after") == "the backup"


def crash(workspace):
    """Make a change, and crash before it is written to the database file."""
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom presort.data import catalogue\n"
        "from presort.data.store import open_store\n"
        "store = open_store(Path(sys.argv[1]))\ncatalogue.set_setting(store, 'after', 'the backup')\nos._exit(9)\n"
    )
    assert run(code, workspace).code == 9
    assert (workspace / "presort.db-wal").stat().st_size


def test_a_failed_restore_leaves_the_old_database(workspace, monkeypatch):
    backup = back_up(workspace, now=NOW)
    before = contents_of(workspace)

    def fail(*_):
        raise OSError(5, "Input/output error", "presort.db")

    with monkeypatch.context() as patched:
        patched.setattr(presort.data.running.backups.Path, "replace", fail)
        with pytest.raises(WorkspaceError, match=r"presort\.db can't be written: Input/output error"):
            restore(workspace, backup, now=NOW)
    assert contents_of(workspace) == before
    assert files(workspace) == ["backups", FILE_NAME]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        pytest.param(lambda path: None, "does not exist", id="missing"),
        pytest.param(lambda path: path.write_text("paper_id,title\n" * 99), "file is not a database", id="a-table"),
        pytest.param(
            lambda path: sqlite3.connect(path).execute("CREATE TABLE a (b)"), "no Presort|not a P", id="other"
        ),
        pytest.param(lambda path: path.write_bytes(path.with_name("good.db").read_bytes()[:-8192]), ".", id="cut"),
    ],
)
@pytest.mark.filterwarnings("ignore:unclosed database")
def test_only_an_intact_presort_database_is_restored(workspace, tmp_path, make, reason):
    back_up(workspace, tmp_path / "good.db")
    before = contents_of(workspace)
    make(tmp_path / "bad.db")
    with pytest.raises(UnreadableFileError, match=rf"^bad\.db: .*({reason})"):
        restore(workspace, tmp_path / "bad.db")
    assert contents_of(workspace) == before


def test_a_backup_of_a_newer_version_is_refused(workspace, tmp_path):
    path = back_up(workspace, tmp_path / "new.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(UnreadableFileError, match=r"by a newer version \(database revision 9999\)\. Upgrade Presort"):
        restore(workspace, path)


def test_a_damaged_database_is_not_backed_up(workspace, tmp_path):
    path = workspace / FILE_NAME
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + os.urandom(8192) + whole[len(whole) // 2 + 8192 :])
    assert examine_file(path).problems
    with pytest.raises(
        WorkspaceError,
        match=r"presort\.db is damaged.*It was not backed up|presort\.db is damaged\. 'presort db check'",
    ):
        back_up(workspace, tmp_path / "a.db")
    assert files(tmp_path) == ["workspace"]


def test_an_error_names_the_damaged_database_and_not_the_backup(workspace, tmp_path):
    path = workspace / FILE_NAME
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + bytes(len(whole) - 100))
    with pytest.raises(WorkspaceError, match=rf"{path} is damaged\. 'presort db check'"):
        back_up(workspace, tmp_path / "a.db")
    assert files(tmp_path) == ["workspace"]


def test_a_closed_workspace_can_be_copied_as_one_file(workspace, tmp_path):
    assert files(workspace) == [FILE_NAME]
    (tmp_path / "copy").mkdir()
    shutil.copy(workspace / FILE_NAME, tmp_path / "copy")
    assert contents_of(tmp_path / "copy") == contents_of(workspace)
