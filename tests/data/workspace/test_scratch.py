"""Temporary folders are always deleted, even those of a killed process."""

import os
import signal
import subprocess
import sys
import tempfile
import zipfile

import pytest

from presort.data.importers.archives import unpack_archive
from presort.data.workspace.scratch import scratch_folder

KILLED = """
import os, signal, sys
from pathlib import Path
from presort.data.importers.archives import unpack_archive

with unpack_archive(Path(sys.argv[1])):
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Folder for temporary files."""
    folder = tmp_path / "place"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "papers.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("papers.csv", "paper_id,title\n")
    return path


def names(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_files_of_a_killed_import_are_deleted_by_the_next(place, archive):
    environment = os.environ | {"TMPDIR": str(place)}
    killed = subprocess.run([sys.executable, "-c", KILLED, archive], env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert names(place) == ["papers.csv"]
    with unpack_archive(archive) as members:
        assert len(list(place.iterdir())) == 1
        assert members[0].path.exists()
    assert list(place.iterdir()) == []


def test_a_folder_in_use_stays(place, archive):
    with unpack_archive(archive) as members, unpack_archive(archive) as others, scratch_folder() as empty:
        assert len({members[0].path, others[0].path}) == 2
        assert all(one.path.exists() for one in (*members, *others))
        assert list(empty.iterdir()) == []
    assert list(place.iterdir()) == []


def test_only_our_own_folders_are_deleted(place, tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis").touch()
    (place / "presort-scratch-link").symlink_to(tmp_path / "precious")
    (place / "presort-scratch-file").touch()
    (place / "presort-workspace").mkdir()
    (place / "presort-scratch-left").mkdir()
    with scratch_folder():
        pass
    assert {path.name for path in place.iterdir()} == {
        "presort-scratch-link",
        "presort-scratch-file",
        "presort-workspace",
    }
    assert (tmp_path / "precious" / "thesis").exists()


def test_a_folder_is_deleted_after_an_error_in_the_block(place):
    with pytest.raises(IsADirectoryError), scratch_folder() as folder:
        folder.write_text("a folder is no file")
    assert list(place.iterdir()) == []
