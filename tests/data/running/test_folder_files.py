"""Templates, harvest positions and models in a backup are restored unchanged. Other files are not touched."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest

import presort.data.running.backups
from presort.data.errors import UnreadableFileError
from presort.data.running import folder_files
from presort.data.running.backups import back_up, restore
from presort.data.store import FILE_NAME, open_store
from presort.data.workspace.file_copy import keep_before_upgrade
from tests.data.workspaces import contents, make_issue, take_in

NOW = datetime(2026, 11, 16, 8, 30, tzinfo=UTC)
FILES = {
    "templates/mail.txt.j2": b"{{ name }}\r\n",
    "templates/style.css.j2": b"",
    "harvests/oai-1a.json": b'{"day": "2026-11-16", "known": {}}',
    "harvests/oai-1a.jsonl": b'{"until": "2026-11-16"}\n',
    "models/presort-2-2026-11-02.npz": bytes(range(256)) * 9,
}


@pytest.fixture
def workspace(tmp_path, empty_workspace):
    """Workspace with papers, such files, and files that no backup contains."""
    folder = tmp_path / "workspace"
    with closing(open_store(folder)) as store:
        take_in(store, make_issue(5))
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "models" / ".unfinished").write_bytes(b"cut off")
    (folder / "templates" / "passwords").symlink_to("/etc/passwd")
    (folder / "templates" / "old").mkdir()
    (folder / "desk-token").write_text("a secret")
    return folder


def found_in(folder):
    return {
        f"{path.parent.name}/{path.name}": path.read_bytes()
        for name in folder_files.FOLDERS
        for path in (folder / name).glob("*")
        if path.is_file()
    }


def tables_of(path):
    with closing(sqlite3.connect(path)) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


@pytest.mark.parametrize("part", [7, folder_files.PART])
def test_a_backup_restored_elsewhere_has_the_files_too(workspace, tmp_path, monkeypatch, part):
    monkeypatch.setattr(folder_files, "PART", part)
    with closing(open_store(workspace)) as store:
        backup, expected = back_up(workspace, tmp_path / "a.db"), contents(store)
    other = tmp_path / "other"
    restore(other, backup)
    assert found_in(other) == FILES
    assert {path.stat().st_mode & 0o777 for path in (other / "templates").iterdir()} == {0o600}
    assert tables_of(other / FILE_NAME) == tables_of(workspace / FILE_NAME)
    with closing(open_store(other)) as store:
        assert contents(store) == expected
    assert not (other / "desk-token").exists()


def test_existing_files_except_models_are_moved_aside(workspace, tmp_path):
    backup = back_up(workspace, tmp_path / "a.db")
    (workspace / "templates" / "mail.txt.j2").write_text("newer")
    (workspace / "harvests" / "other.jsonl").write_text("later")
    kept = restore(workspace, backup, now=NOW)
    assert found_in(workspace) == FILES
    aside = {name: kept.with_name(f"{kept.stem}-{name}") for name in folder_files.FOLDERS}
    assert (aside["templates"] / "mail.txt.j2").read_text() == "newer"
    assert (aside["harvests"] / "other.jsonl").read_text() == "later"
    assert not aside["models"].exists()


@pytest.mark.parametrize("is_of_upgrade", [False, True])
def test_a_backup_without_files_leaves_all_files_except_harvest_marks(workspace, tmp_path, is_of_upgrade):
    """The harvest positions are ahead of the backup: papers harvested in between would never be requested again."""
    if is_of_upgrade:
        backup = keep_before_upgrade(workspace / FILE_NAME, "0020")
    else:
        folder_files.drop_files(backup := back_up(workspace, tmp_path / "a.db"))
    (workspace / "templates" / "mail.txt.j2").write_text("newer")
    before = found_in(workspace)
    kept = restore(workspace, backup, now=NOW)
    harvests = {name for name in before if name.startswith("harvests/")}
    assert found_in(workspace) == {name: content for name, content in before.items() if name not in harvests}
    aside = kept.with_name(f"{kept.stem}-harvests")
    assert {f"harvests/{path.name}": path.read_bytes() for path in aside.iterdir()} == {
        name: before[name] for name in harvests
    }


def test_marks_in_a_backup_are_not_ahead_of_its_database(workspace, tmp_path, monkeypatch):
    """A harvest ends right after the database was copied, so its papers are not in the copy."""
    copied = presort.data.running.backups.copy_database

    def harvested(path, target):
        copied(path, target)
        for name in ("oai-1a.json", "first.json"):
            (workspace / "harvests" / name).write_text("later")

    monkeypatch.setattr(presort.data.running.backups, "copy_database", harvested)
    backup = back_up(workspace, tmp_path / "a.db")
    monkeypatch.undo()
    restore(workspace, backup)
    assert found_in(workspace) == FILES


def test_a_model_replaced_during_a_backup_does_not_stop_it(workspace, tmp_path, monkeypatch):
    parts = folder_files._parts

    def replaced(folder, path):
        if folder == "models":
            path.unlink()
        return parts(folder, path)

    monkeypatch.setattr(folder_files, "_parts", replaced)
    backup = back_up(workspace, tmp_path / "a.db")
    restore(tmp_path / "other", backup)
    assert found_in(tmp_path / "other") == {name: FILES[name] for name in FILES if not name.startswith("models/")}


def test_a_linked_folder_is_moved_aside_or_unlinked_without_its_content(workspace, tmp_path):
    backup = back_up(workspace, tmp_path / "a.db")
    for folder in ("templates", "models"):
        (workspace / folder).rename(tmp_path / folder)
        (workspace / folder).symlink_to(tmp_path / folder)
    restore(workspace, backup, now=NOW)
    assert found_in(workspace) == FILES
    assert (tmp_path / "models" / "presort-2-2026-11-02.npz").exists()


@pytest.mark.parametrize("row", ["('models', 5, 0, x'41')", "('models', 'a', 0, 'text')", "('models', 'a', 0, NULL)"])
def test_a_backup_with_invalid_files_is_refused_and_nothing_changes(workspace, tmp_path, row):
    backup = back_up(workspace, tmp_path / "a.db")
    with closing(sqlite3.connect(backup)) as connection, connection:
        connection.executescript(
            "ALTER TABLE folder_file RENAME TO other; CREATE TABLE folder_file (folder, name, part, content);"
            f"INSERT INTO folder_file SELECT * FROM other; DROP TABLE other; INSERT INTO folder_file VALUES {row}"
        )
    before, files = (workspace / FILE_NAME).read_bytes(), found_in(workspace)
    with pytest.raises(UnreadableFileError, match=r"a\.db: contains an invalid file: models/"):
        restore(workspace, backup)
    assert (workspace / FILE_NAME).read_bytes() == before
    assert found_in(workspace) == files


def test_a_workspace_without_files_is_restored_without(workspace, tmp_path, empty_workspace):
    backup = back_up(empty_workspace, tmp_path / "a.db")
    restore(workspace, backup, now=NOW)
    assert found_in(workspace) == {}


@pytest.mark.parametrize(
    ("folder", "name"),
    [("templates", "../../out"), ("..", "out"), ("templates", "/etc/out"), ("templates", ".hidden"), ("jobs", "out")],
)
def test_a_backup_with_paths_outside_the_workspace_is_refused_and_nothing_changes(workspace, tmp_path, folder, name):
    backup = back_up(workspace, tmp_path / "a.db")
    with closing(sqlite3.connect(backup)) as connection, connection:
        connection.execute("INSERT INTO folder_file VALUES (?, ?, 0, x'41')", (folder, name))
    before, files = (workspace / FILE_NAME).read_bytes(), found_in(workspace)
    with pytest.raises(UnreadableFileError, match=r"a\.db: contains an invalid file: "):
        restore(workspace, backup)
    assert (workspace / FILE_NAME).read_bytes() == before
    assert found_in(workspace) == files
    assert not list(tmp_path.rglob("out"))


def test_a_backup_of_postgresql_has_the_files_too(workspace, tmp_path, schemas):
    backup = back_up(workspace, tmp_path / "a.db")
    other, third = tmp_path / "other", tmp_path / "third"
    address = schemas.of(other)
    try:
        restore(other, backup, url=address)
        assert found_in(other) == FILES
        restore(third, back_up(other, tmp_path / "b.db", url=address))
        assert found_in(third) == FILES
        with closing(open_store(workspace)) as first, closing(open_store(third)) as last:
            assert contents(first) == contents(last)
    finally:
        schemas.clear()
