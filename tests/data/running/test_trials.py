"""A trial on a copy shows what would change, and doesn't change any file of the workspace."""

import hashlib
import shutil
from collections import namedtuple
from contextlib import closing
from dataclasses import replace

import pytest

from presort.data import catalogue
from presort.data.errors import WorkspaceError
from presort.data.intake.commit_import import commit_import
from presort.data.records import Origin
from presort.data.running import trials
from presort.data.running.trials import temporary_copy
from presort.data.store import FILE_NAME, find_store, open_store
from presort.data.workspace.folder import FolderLock
from tests.data.intake.test_duplicates_in_imports import COPY, KNOWN, OTHER
from tests.data.workspace.test_damage import damage_page_of_papers
from tests.data.workspaces import SECOND, THIRD, contents, kill_after, make_issue, make_listed, take_in

pytestmark = pytest.mark.of_file

ROWS = [
    COPY,
    replace(OTHER, selected_by=("lab", "new"), origin=Origin("week.csv", 2)),
    *make_issue(7, SECOND, selected={"lab": [2]}),
    replace(KNOWN, issue=SECOND, paper=replace(KNOWN.paper, doi="10.1257/aer.1")),
    make_listed("s1", THIRD, title="Another paper on jobs"),
]


def files(folder):
    """Return the name, size, time and content of each file."""
    return {
        path.name: (path.stat().st_size, path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in folder.rglob("*")
        if path.is_file()
    }


def files_in_use(folder):
    """Return `files` without those that SQLite shares among the users of an open database."""
    return {name: file for name, file in files(folder).items() if name != f"{FILE_NAME}-shm"}


def tried(workspace, **options):
    with closing(find_store(workspace)) as store, temporary_copy(store) as copy:
        return commit_import(copy, ROWS, person="somebody new", file="week.csv", **options)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("is_matched", [True, False])
def test_a_preview_reports_the_changes_and_changes_no_file(workspace, is_matched):
    with closing(open_store(workspace)) as store:
        take_in(store, [KNOWN, *make_issue(3, selected={"lab": [1]})])
    before, names = files(workspace), sorted(workspace.iterdir())
    trial = tried(workspace, is_matched=is_matched)
    assert (files(workspace), sorted(workspace.iterdir())) == (before, names)
    with closing(open_store(workspace)) as store:
        assert trial == commit_import(store, ROWS, person="somebody new", is_matched=is_matched)
    assert (trial.summary.matched, len(trial.new)) == ((1, 9) if is_matched else (0, 10))


def test_a_preview_changes_no_file_while_the_desk_is_open(store):
    take_in(store, [KNOWN])
    with store.reading() as connection:
        catalogue.set_setting(store, "a", "b")
        before = files_in_use(store.folder)
        assert before[f"{FILE_NAME}-wal"][0] > 0, "all of it is in the file already"
        revision = connection.exec_driver_sql("SELECT number FROM revision").scalar_one()
        assert tried(store.folder).summary.new_papers
        assert files_in_use(store.folder) == before
    assert catalogue.revision(store) == revision


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_preview_changes_no_file_of_a_killed_process(workspace, is_indexed):
    code = (
        "from presort.data import catalogue\ncatalogue.set_setting(store, 'a', 'b')\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    kill_after(workspace, "never", 1, code)
    if not is_indexed:
        (workspace / f"{FILE_NAME}-shm").unlink()
    before = files(workspace)
    assert before[f"{FILE_NAME}-wal"][0] > 0
    assert (f"{FILE_NAME}-shm" in before) == is_indexed
    with closing(find_store(workspace)) as store, temporary_copy(store) as copy:
        assert catalogue.setting(copy, "a") == "b"
    assert files(workspace) == before
    with closing(open_store(workspace)) as store:
        assert catalogue.setting(store, "a") == "b"


def test_a_folder_without_a_workspace_is_named_and_not_created(tmp_path):
    with pytest.raises(WorkspaceError, match=r"There is no workspace in .*mistyped\. Check the folder name"):
        find_store(tmp_path / "mistyped")
    assert list(tmp_path.iterdir()) == []


def test_an_error_names_the_folder_without_space(store, monkeypatch):
    usage = namedtuple("usage", ["free"])
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage(free=1_000))
    with (
        pytest.raises(WorkspaceError, match=r"^/.* has no space for a copy of .*presort\.db \([\d,]+ bytes\)"),
        temporary_copy(store),
    ):
        pass


def test_an_error_in_a_preview_propagates_and_the_copy_is_deleted(store, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()

    def broken():
        yield from ROWS
        raise ValueError("broken")

    before = contents(store)
    with pytest.raises(ValueError, match="broken"), temporary_copy(store) as copy:
        commit_import(copy, broken(), person="files")
    assert list((tmp_path / "scratch").iterdir()) == []
    assert contents(store) == before


def test_a_damaged_workspace_is_named(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b"SQLite format 3\0" + b"garbage" * 2_000)
    with (
        closing(find_store(tmp_path)) as store,
        pytest.raises(WorkspaceError, match=f"{tmp_path}/presort.db "),
        temporary_copy(store),
    ):
        pass


def test_an_error_names_the_workspace_and_not_its_copy(workspace):
    with closing(open_store(workspace)) as store:
        take_in(store, make_issue(200))
    damage_page_of_papers(workspace / FILE_NAME)
    before = files(workspace)
    with (
        closing(find_store(workspace)) as store,
        pytest.raises(WorkspaceError, match=f"^{workspace}/presort.db is damaged"),
        temporary_copy(store),
    ):
        pass
    assert files(workspace) == before


def test_a_closed_database_is_locked_while_it_is_copied(workspace):
    """The copy locks a closed database. An open database isn't copied this way, because others may be writing to it."""
    with closing(find_store(workspace)) as store, closing(find_store(workspace)) as other:
        with store.database.try_sole_use() as is_alone:
            assert not is_alone
        other.close()
        with store.database.try_sole_use() as is_alone:
            assert is_alone
            assert not FolderLock(workspace).try_exclusive()
        with store.reading(), store.database.try_sole_use() as is_alone:
            assert not is_alone


@pytest.mark.parametrize(
    ("error", "message"),
    [(PermissionError(13, "no"), "can't be opened"), (OSError(28, "No space left on device"), "No space left")],
)
def test_a_failed_copy_is_one_line(workspace, error, message, monkeypatch):
    def fail(*_):
        raise error

    monkeypatch.setattr(trials.shutil, "copyfile", fail)
    with (
        closing(find_store(workspace)) as store,
        pytest.raises(WorkspaceError, match=message),
        temporary_copy(store),
    ):
        pytest.fail("there is no copy")
