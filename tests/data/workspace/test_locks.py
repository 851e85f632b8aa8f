"""Locks: which processes they exclude, and which files remain."""

import os
import subprocess
import sys
from contextlib import contextmanager
from threading import Thread

import pytest

from presort.data.errors import WorkspaceError
from presort.data.workspace import folder as workspace_folder
from presort.data.workspace.folder import FolderLock, create_exclusively, try_lock, wait_for_lock

HOLD_AND_WAIT = """
import os, sys
from pathlib import Path
from presort.data.workspace.folder import FolderLock, try_lock
lock, place = FolderLock(Path(sys.argv[1])), os.open(sys.argv[1], os.O_RDONLY)
lock.share() if sys.argv[2] == "share" else try_lock(place)
print("held", flush=True)
sys.stdin.read()
"""
WITHOUT_FCNTL = """
import sys
sys.modules["fcntl"] = None  # as on Windows
import presort.data.harvest.stored_harvest, presort.data.intake.commit_import, presort.data.learning.models
import presort.data.mail.mailings, presort.data.workspace.scratch
"""


@contextmanager
def held(place, how):
    """Hold a lock in another process, which is killed at the end."""
    command = [sys.executable, "-c", HOLD_AND_WAIT, str(place), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield
        process.kill()


@pytest.fixture(params=["folder", "file"])
def place(request, tmp_path):
    path = tmp_path / "held"
    path.mkdir() if request.param == "folder" else path.touch()
    path.chmod(0o500)  # no write is needed
    return path


@pytest.fixture
def descriptor(place):
    found = os.open(place, os.O_RDONLY)
    yield found
    os.close(found)


def test_one_of_two_processes_holds_the_lock_until_it_is_killed(place, descriptor):
    with held(place, "exclusive"):
        assert not try_lock(descriptor)
    assert try_lock(descriptor)
    assert [path.name for path in place.parent.iterdir()] == ["held"]


def test_two_descriptors_of_one_process_exclude_each_other(place, descriptor):
    other = os.open(place, os.O_RDONLY)
    assert try_lock(other)
    assert not try_lock(descriptor)
    os.close(other)
    assert try_lock(descriptor)


def test_a_shared_lock_excludes_an_exclusive_one(place, descriptor):
    with held(place, "share"):
        lock = FolderLock(place)
        lock.share()
        assert not lock.try_exclusive()
        assert not try_lock(descriptor)
        lock.release()
    assert try_lock(descriptor)


@pytest.mark.parametrize("how", ["wait_for", "share"])
def test_a_waiting_process_gets_the_lock_when_it_is_released(place, descriptor, how):
    wait = FolderLock(place).share if how == "share" else lambda: wait_for_lock(descriptor)
    waiting = Thread(target=wait)
    with held(place, "exclusive"):
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
    waiting.join(30)
    assert not waiting.is_alive()


def test_without_shared_locks_an_error_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(workspace_folder, "HAS_SHARED_LOCKS", False)
    with pytest.raises(WorkspaceError, match=r"can't be opened.*Use WSL on Windows"):
        FolderLock(tmp_path)


def test_no_module_needs_locks_at_import():
    subprocess.run([sys.executable, "-c", WITHOUT_FCNTL], check=True)


def test_a_missing_folder_can_not_be_locked(tmp_path):
    with pytest.raises(WorkspaceError, match="can't be opened: No such file or directory"):
        FolderLock(tmp_path / "gone")


def test_no_database_is_created_where_locks_are_unavailable(tmp_path):
    path = tmp_path / "presort.db"
    path.with_suffix(".making").mkdir()
    with pytest.raises(WorkspaceError, match="making can't be written: Is a directory"), create_exclusively(path):
        pytest.fail("two could make it at once")
    assert not path.exists()
