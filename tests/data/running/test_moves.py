"""A workspace moves from a file to PostgreSQL and back, is backed up and restored there, and loses nothing."""

import shutil
import sqlite3
import stat
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from threading import Thread

import pytest
from sqlalchemy import event, text

import presort.data.running.moves
from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.errors import DataError, RefusedError, WorkspaceError
from presort.data.learning.rankings import add_rankings
from presort.data.records import Report
from presort.data.running.backups import back_up, restore
from presort.data.running.health import examine
from presort.data.running.moves import move_to_file, move_to_server
from presort.data.running.scheduled_backups import run_schedule
from presort.data.running.trials import temporary_copy
from presort.data.store import FILE_NAME, find_store, open_store
from presort.data.workspace.folder import LOG, companion, has_log
from presort.data.workspace.postgresql import MEANWHILE
from presort.data.workspace.transfer import transfer
from tests.data.running.opened_workspaces import opened, rows
from tests.data.workspaces import FIRST, contents, make_issue, make_ranking, say, take_in
from tests.postgresql_server import serving

pytestmark = pytest.mark.whole

NOW = datetime(2026, 11, 2, 8, tzinfo=UTC)


def given_out(folder):
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return dict(connection.execute("SELECT name, seq FROM sqlite_sequence WHERE seq > 0"))


def test_a_workspace_is_moved_and_moved_back_unchanged(full, url):
    before, numbers = rows(full), given_out(full)
    with opened(full) as store:
        revision = catalogue.revision(store)
    assert all(rows for table, rows in before.items())
    with closing(sqlite3.connect(full / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE sqlite_sequence SET seq = 900 WHERE name = 'reader'")
    aside = move_to_server(full, url)
    assert (aside.parent.name, (full / FILE_NAME).exists()) == ("backups", False)
    with opened(full, url) as store:
        assert (contents(store), catalogue.revision(store)) == (before, revision)
        assert examine(full, url).problems == ()
    path = move_to_file(full, url)
    assert examine(full).problems == ()
    assert (path, rows(full)) == (full / FILE_NAME, before)
    assert given_out(full) == numbers | {"reader": 900}


def test_a_scheduled_backup_of_a_server_is_complete_and_restorable_to_a_file(full, url, tmp_path):
    before = rows(full)
    move_to_server(full, url)
    with opened(full, url):  # as the desk opens it
        made = run_schedule(full, tmp_path / "to", every=timedelta(days=1), daily=7, weekly=4, url=url)
    assert made.n_decisions == len(before["decision"])
    restore(tmp_path / "other", made.newest.path)
    assert rows(tmp_path / "other") == before


def test_a_moved_workspace_has_statistics(full, url):
    """Without them, the server would plan slow queries until it collects its own."""
    move_to_server(full, url)
    with opened(full, url) as store, store.reading() as connection:
        n_rows = connection.execute(
            text("SELECT reltuples FROM pg_class WHERE oid = to_regclass('decision')")
        ).scalar_one()
    assert n_rows == len(rows(full, url)["decision"])


def test_ids_continue_after_a_move(full, url):
    move_to_server(full, url)
    with opened(full, url) as store:
        newest = max(row[0] for row in contents(store)["decision"])
        catalogue.add_reports(store, [Report("new", "New")])
        take_in(store, make_issue(2, FIRST))
        assert decisions.decide(store, [say("new", "a1", "yes")]) == 1
        assert max(row[0] for row in contents(store)["decision"]) > newest


def test_a_command_without_the_address_creates_no_second_database(full, url):
    move_to_server(full, url)
    backup = back_up(full, url=url)
    for do in (open_store, find_store, examine, back_up, lambda folder: restore(folder, backup)):
        with pytest.raises(RefusedError, match=r"is stored in the PostgreSQL database .*PRESORT_DATABASE_URL"):
            do(full)
    assert not (full / FILE_NAME).exists()


def test_an_address_is_refused_if_the_workspace_is_a_file(full, url):
    for do in (open_store, find_store):
        with pytest.raises(RefusedError, match=r"has its own database, presort\.db.*presort db move"):
            do(full, url)


def test_an_interrupted_move_is_finished(full, url):
    whole = (full / FILE_NAME).read_bytes()
    before = rows(full)
    move_to_server(full, url).unlink()
    (full / FILE_NAME).write_bytes(whole)  # as if it had stopped before the file was moved aside
    assert move_to_server(full, url).is_file()
    assert rows(full, url) == before


def test_a_move_overwrites_nothing(full, url, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    with opened(other, url) as store:
        catalogue.workspace_id(store)
        before = contents(store)
    with pytest.raises(RefusedError, match=r"is not empty. Specify an empty database"):
        move_to_server(full, url)
    assert (full / FILE_NAME).is_file()
    assert rows(other, url) == before


def test_an_open_workspace_is_not_moved(full, url):
    with opened(full), pytest.raises(RefusedError, match="is in use"):
        move_to_server(full, url)
    move_to_server(full, url)
    with opened(full, url), pytest.raises(RefusedError, match="is in use"):
        move_to_file(full, url)
    assert not (full / FILE_NAME).exists()


def test_a_process_that_opens_the_workspace_during_a_move_loses_no_write(full, url, monkeypatch):
    """Another process that has opened the workspace waits for the lock, and is then refused."""
    move_to_server(full, url)
    late = []

    def transferred(source, target):
        late.append(open_store(full, url))
        return transfer(source, target)

    monkeypatch.setattr(presort.data.running.moves, "transfer", transferred)
    move_to_file(full, url)
    (store,) = late
    before = contents(store)
    with pytest.raises(WorkspaceError, match=r"was moved to presort\.db, so nothing can be saved"):
        catalogue.set_setting(store, "place", "lost")
    assert contents(store) == before
    store.close()


def test_a_backup_of_a_server_is_like_any_other(full, url, tmp_path_factory):
    elsewhere, before = tmp_path_factory.mktemp("elsewhere"), rows(full)
    move_to_server(full, url)
    backup = back_up(full, url=url)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    with opened(full, url) as store:
        catalogue.set_setting(store, "place", "after")
        after = contents(store)
        with pytest.raises(RefusedError, match="is in use"):
            restore(full, backup, url=url, now=NOW)
    kept = restore(full, backup, url=url, now=NOW)
    assert kept.stem == f"replaced-{NOW:%Y-%m-%dT%H%M%S}", "what was refused left nothing"
    assert rows(full, url) == before
    restore(elsewhere, kept)
    assert rows(elsewhere) == after
    restore(full, kept, url=url)
    assert rows(full, url) == after


def test_writes_during_a_restore_wait_and_are_kept(full, url, monkeypatch):
    """Another process opens the workspace once its rows were copied, waits, and sees the restored data."""
    backup = back_up(full)
    move_to_server(full, url)
    others = []

    def write():
        with opened(full, url) as store:
            catalogue.set_setting(store, "place", "meanwhile")

    def transferred(source, target):
        transfer(source, target)
        if not others:
            others.append(Thread(target=write))
            others[0].start()
            others[0].join(timeout=1)

    monkeypatch.setattr(presort.data.running.moves, "transfer", transferred)
    restore(full, backup, url=url)
    others[0].join()
    with opened(full, url) as store:
        assert catalogue.setting(store, "place") == "meanwhile"


def test_a_backup_is_restored_into_an_empty_database(full, schemas, tmp_path_factory):
    backup, new = back_up(full), tmp_path_factory.mktemp("new")
    url = schemas.lasting()
    assert restore(new, backup, url=url) is None
    assert rows(new, url) == rows(full)


def test_a_restore_to_a_server_includes_the_log_of_the_backup(full, url, tmp_path_factory):
    backup = tmp_path_factory.mktemp("killed") / FILE_NAME
    with opened(full) as store:
        catalogue.set_setting(store, "newest", "in the log")  # the log is merged when the workspace is closed
        expected = contents(store)
        for ending in ("", LOG):
            shutil.copyfile(companion(full / FILE_NAME, ending), companion(backup, ending))
    assert has_log(backup)
    other = tmp_path_factory.mktemp("other")
    restore(other, backup, url=url)
    assert rows(other, url) == expected


def test_a_backup_under_load_has_all_that_was_acknowledged_before(full, url):
    move_to_server(full, url)
    with opened(full, url) as store:
        saved = []

        def write():
            for number in range(60):
                catalogue.set_setting(store, f"n{number}", "1")
                saved.append(number)

        writer = Thread(target=write)
        writer.start()
        before = list(saved)
        backup = back_up(full, url=url)
        writer.join()
    with closing(sqlite3.connect(backup)) as connection:
        found = {name for (name,) in connection.execute("SELECT name FROM setting WHERE name LIKE 'n%'")}
    assert {f"n{number}" for number in before} <= found
    assert examine(full, url).problems == ()


def test_a_trial_changes_nothing(full, url):
    move_to_server(full, url)
    with closing(find_store(full, url)) as store:
        before = contents(store)
        with temporary_copy(store) as copy:
            assert contents(copy) == before
            catalogue.set_setting(copy, "place", "there")
        assert contents(store) == before


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE ranking SET positions = '\\x0900000002000000' WHERE id = 1", "positions in row 1 of ranking:"),
        ("UPDATE ranking SET scores = '\\x00' WHERE id = 1", "scores in row 1 of ranking: an incomplete number"),
        ("DELETE FROM listing WHERE position = 1", "the list of issue 1 has a gap"),
        (
            "UPDATE current_decisions SET maybe = relevant, relevant = maybe",
            "the current decisions of report 1 on",
        ),
    ],
)
def test_check_finds_damage_that_the_server_does_not_report(full, url, statement, found):
    move_to_server(full, url)
    with opened(full, url) as store, store.writing() as connection:
        connection.exec_driver_sql("SET LOCAL session_replication_role = replica")  # as if nothing were refused
        connection.exec_driver_sql(statement)
    assert any(problem.startswith(found) for problem in examine(full, url).problems)


def test_two_processes_create_the_tables_of_an_empty_database_once(url, tmp_path):
    found, wrong = [], []

    def make():
        try:
            with opened(tmp_path, url) as store:
                found.append(catalogue.workspace_id(store))
        except DataError as error:
            wrong.append(error)

    makers = [Thread(target=make) for _ in range(4)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert (wrong, len(found), len(set(found))) == ([], 4, 1)


def test_a_lock_applies_to_one_workspace_in_all_processes(schemas, url, tmp_path):
    with opened(tmp_path, url) as one, opened(tmp_path, url) as same, opened(tmp_path, schemas.lasting()) as other:
        with one.lock("weekly", "It runs."):
            with pytest.raises(RefusedError, match="It runs"), same.lock("weekly", "It runs."):
                pass
            with other.lock("weekly", "It runs."), same.lock("sending", "It runs."):
                pass
        with same.lock("weekly", "It runs."):
            pass


def test_a_killed_server_keeps_acknowledged_writes_and_is_reconnected(tmp_path):
    with serving(is_safe=True) as server, opened(tmp_path, server.url) as store:
        catalogue.add_reports(store, [Report("lab", "Labour")])
        take_in(store, make_issue(9))
        add_rankings(store, [make_ranking(order=range(1, 10))])
        for paper in range(1, 5):
            decisions.decide(store, [say("lab", f"a{paper}", "yes")])
        before = contents(store)
        server.kill()
        with pytest.raises(
            WorkspaceError, match=r"can't be reached \(.*Check that its server is running, and try again"
        ):
            decisions.decide(store, [say("lab", "a5", "yes")])
        server.start()
        assert contents(store) == before
        assert decisions.decide(store, [say("lab", "a5", "yes")]) == 1


def test_a_lock_is_retried_because_a_server_notices_a_killed_holder_late(url, tmp_path):
    with opened(tmp_path, url) as one, opened(tmp_path, url) as same, ExitStack() as held:
        held.enter_context(one.lock("import", "It runs."))

        @event.listens_for(same.engine, "before_cursor_execute")
        def give_back(_connection, _cursor, statement, *_):
            if statement == MEANWHILE:
                held.close()

        with same.lock("import", "It runs."):
            pass
