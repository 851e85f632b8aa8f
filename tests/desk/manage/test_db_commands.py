"""`presort db`: backup, restore and check, with a line for users or an object for scripts."""

import json
import sqlite3
from contextlib import closing

import pytest

from presort.data import catalogue
from presort.data.learning.outcomes import scored_rankings
from presort.data.revisions import newest_revision
from presort.data.store import FILE_NAME, open_store
from presort.data.workspace.file_copy import keep_before_upgrade
from tests import forked
from tests.desk.command_line import invoke

NEWEST = newest_revision()


@pytest.fixture
def workspace(tmp_path):
    store = open_store(tmp_path / "workspace")
    catalogue.set_setting(store, "place", "before")
    store.close()
    return tmp_path / "workspace"


@pytest.fixture
def presort(workspace):
    return lambda *words: invoke(["--workspace", str(workspace), "db", *map(str, words)])


def test_from_backup_to_restore(presort, workspace, tmp_path):
    done = presort("backup", tmp_path / "a.db")
    assert done.exit_code == 0
    assert done.output.startswith(f"Backed up to {tmp_path / 'a.db'}, 0.")
    store = open_store(workspace)
    catalogue.set_setting(store, "place", "after")
    refused = presort("restore", tmp_path / "a.db")
    assert (refused.exit_code, catalogue.setting(store, "place")) == (1, "after")
    assert f"presort: {workspace / FILE_NAME} is in use by the desk or a command. Stop the desk" in refused.output
    store.close()
    done = presort("restore", tmp_path / "a.db")
    assert done.exit_code == 0
    assert "The previous content is saved in " in done.output
    store = open_store(workspace)
    assert catalogue.setting(store, "place") == "before"
    store.close()


def test_restoring_a_backup_without_harvest_marks_says_what_the_next_harvest_requests(presort, workspace):
    kept = keep_before_upgrade(workspace / FILE_NAME, "0020")
    assert "harvests" not in presort("restore", kept).output
    (workspace / "harvests").mkdir()
    assert (
        "The backup has no harvest state, so the next harvest fetches all records." in presort("restore", kept).output
    )
    assert "harvests" not in presort("restore", kept).output


def test_json_output_is_objects(presort, workspace, tmp_path):
    answer = json.loads(presort("backup", "--json").output)
    assert answer["backup"].startswith(str(workspace / "backups" / "presort-"))
    assert json.loads(presort("restore", answer["backup"], "--json").output)["restored"] == answer["backup"]
    health = json.loads(presort("check", "--json").output)
    assert (health["problems"], health["path"]) == ([], str(workspace / FILE_NAME))


@pytest.mark.parametrize("words", [["check"], ["backup", "a.db"], ["restore", "a.db"]], ids=" ".join)
def test_a_read_only_command_leaves_no_log_file(presort, workspace, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    with closing(open_store(workspace)) as store:
        catalogue.set_setting(store, "place", "here")
        presort("check")  # while another process has the database open, the log file remains
        assert (workspace / f"{FILE_NAME}-wal").exists()
    if words[0] == "restore":
        presort("backup", "a.db")
    assert presort(*words).exit_code == 0
    assert [path.name for path in tmp_path.rglob("*.db-*")] == []


def test_a_timer_writes_due_backups(presort, tmp_path, monkeypatch):
    refused = presort("backup", "--scheduled")
    assert (refused.exit_code, "Set backup.folder" in refused.stderr) == (1, True)
    monkeypatch.setenv("PRESORT_BACKUP_FOLDER", str(tmp_path / "scheduled"))
    assert presort("backup", "--scheduled", tmp_path / "mine.db").exit_code == 2
    answer = json.loads(presort("backup", "--scheduled", "--json").stdout)
    (path,) = (tmp_path / "scheduled").iterdir()
    assert (answer["backup"], answer["bytes"]) == (str(path), path.stat().st_size)
    assert (answer["is_new"], answer["deleted"]) == (True, [])
    done = presort("backup", "--scheduled")
    assert (done.exit_code, str(path) in done.stdout) == (0, True)
    assert not json.loads(presort("backup", "--scheduled", "--json").stdout)["is_new"]
    assert list((tmp_path / "scheduled").iterdir()) == [path]
    path.unlink()
    assert "checked: 0 decisions" in presort("backup", "--scheduled").stdout


@pytest.mark.whole
def test_a_timers_log_is_json_and_that_of_a_person_is_not(workspace, tmp_path):
    program, words = "from presort.desk.cli import app; app()", ["--workspace", workspace, "db", "backup"]

    def run(*more, **variables):
        return forked.run(program, *words, *more, folder=tmp_path, PRESORT_LOG_FORMAT="json", **variables)

    def lines(*more, **variables):
        code, written = run(*more, **variables)
        found = [json.loads(line) for line in written.splitlines()]
        return code, [(line["level"], line.get("step"), line.get("state")) for line in found]

    folder = {"PRESORT_BACKUP_FOLDER": str(tmp_path / "scheduled")}
    assert lines("--scheduled", **folder) == (0, [("info", "backup", "done")])
    assert lines("--scheduled", **folder) == (0, [("info", "backup", "passed over")])
    assert lines("--scheduled") == (1, [("error", None, None)])  # no folder is set
    assert run(tmp_path / "no" / "folder" / "a.db")[1].startswith("presort: ")
    assert run(tmp_path / "a.db")[1].startswith("Backed up to ")


@pytest.mark.parametrize("kept_in", ["file", "postgresql"])
def test_a_trial_restore_as_in_the_guide_changes_nothing(presort, workspace, tmp_path, monkeypatch, request, kept_in):
    url = request.getfixturevalue("schemas").lasting() if kept_in == "postgresql" else ""
    (tmp_path / "presort.toml").write_text(f"[database]\nurl = '{url}'\n[backup]\nfolder = '{tmp_path}/to'\n")
    monkeypatch.setenv("PRESORT_CONFIG", str(tmp_path / "presort.toml"))
    if url:
        assert presort("move").exit_code == 0
    path = json.loads(presort("backup", "--scheduled", "--json").stdout)["backup"]
    with closing(open_store(workspace, url)) as store:
        catalogue.set_setting(store, "place", "after")
    monkeypatch.setenv("PRESORT_DATABASE_URL", "")
    for words in (["restore", path], ["check"]):
        assert invoke(["--workspace", str(tmp_path / "restore-test"), "db", *words]).exit_code == 0
    with closing(open_store(workspace, url)) as store, closing(open_store(tmp_path / "restore-test")) as restored:
        assert (catalogue.setting(store, "place"), catalogue.setting(restored, "place")) == ("after", "before")


def test_check_distinguishes_intact_and_damaged_databases(presort, workspace):
    done = presort("check")
    assert (done.exit_code, "presort.db is not damaged: 0." in done.output) == (0, True)
    path = workspace / FILE_NAME
    whole = path.read_bytes()
    path.write_bytes(whole[:-40_000] + b"\xee" * 40_000)
    done = presort("check")
    assert done.exit_code == 1
    assert f"presort: {path} is damaged (" in done.output
    assert "Restore a backup with 'presort db restore FILE'" in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)


@pytest.mark.parametrize("change", ["SELECT 1", "DROP TABLE draft"])
def test_check_names_a_newer_version(presort, workspace, change):
    with closing(sqlite3.connect(workspace / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.execute(change)
    done = presort("check")
    assert done.exit_code == 1
    assert "presort.db was written by a newer version (database revision 9999). Upgrade Presort." in done.output
    assert "damaged" not in done.output


def test_check_finds_an_outcome_with_places_beyond_its_papers(finished):
    def check():
        return invoke(["--workspace", str(finished.folder), "db", "check"])

    assert check().exit_code == 0
    number = max(one.ranking_id for one in scored_rankings(finished) if one.places.any())
    with finished.writing() as connection:
        connection.exec_driver_sql("UPDATE outcome SET n_papers = 1 WHERE ranking_id = ?", (number,))
    done = check()
    assert done.exit_code == 1
    assert f"(1 problem): places in row {number} of outcome: positions outside the issue" in done.output


def test_a_workspace_moves_into_postgresql_and_back(presort, workspace, schemas, monkeypatch):
    refused = presort("move")
    assert (refused.exit_code, "No PostgreSQL database is configured. Set PRESORT_DATABASE_URL" in refused.output) == (
        1,
        True,
    )
    url = schemas.lasting()
    monkeypatch.setenv("PRESORT_DATABASE_URL", url)
    done = presort("move")
    assert (done.exit_code, "The old database file was renamed to" in done.output) == (0, True)
    assert "postgres on this computer" in presort("check").output
    answer = json.loads(presort("backup", "--json").output)
    assert json.loads(presort("restore", answer["backup"], "--json").output)["kept"]
    with closing(open_store(workspace, url)) as store:
        assert catalogue.setting(store, "place") == "before"
    assert "Moved to" in presort("move", "--to-file").output
    monkeypatch.delenv("PRESORT_DATABASE_URL")
    with closing(open_store(workspace)) as store:
        assert catalogue.setting(store, "place") == "before"
