"""Scheduled backups: written when due, checked, and deleted by a rule that never removes the last good one."""

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import presort.data.running.backups
import presort.data.running.scheduled_backups as scheduled
from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.errors import RefusedError, WorkspaceError
from presort.data.running.backups import back_up, restore
from presort.data.running.health import examine_file
from presort.data.running.scheduled_backups import ScheduledBackup, find_backups, run_schedule, surplus
from presort.data.store import open_store
from tests.data.forks import run
from tests.data.workspaces import address_of, contents, make_issue, say, take_in

MONDAY = datetime(2026, 11, 16, 2, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
KILLED = """
import os, signal, sys
from datetime import timedelta
from pathlib import Path
import presort.data.running.backups as backups
from presort.data.running.scheduled_backups import run_schedule

backups.folder_files.add_files = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
folders = (Path(sys.argv[1]), Path(sys.argv[2]))
run_schedule(*folders, every=timedelta(days=1), daily=7, weekly=4, url=sys.argv[3])
"""


@pytest.fixture
def workspace(workspace):
    """Closed workspace with three decisions."""
    with closing(open_store(workspace)) as store:
        take_in(store, make_issue(9))
        catalogue.add_reports(store, [catalogue.Report("lab", "Labour")])
        decisions.decide(store, [say("lab", f"a{n}", "yes") for n in (1, 2, 3)])
    return workspace


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "scheduled"


def back_up_at(workspace, folder, now, *, every=DAY, daily=7, weekly=4):
    return run_schedule(workspace, folder, every=every, daily=daily, weekly=weekly, url=address_of(workspace), now=now)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def id_of(workspace):
    with closing(open_store(workspace)) as store:
        return sha256(catalogue.workspace_id(store).encode()).hexdigest()[: scheduled.HASH_LENGTH]


def test_the_first_run_writes_a_private_complete_backup(workspace, folder):
    made = back_up_at(workspace, folder, MONDAY)
    assert (made.is_new, made.n_decisions, made.deleted) == (True, 3, ())
    assert names(folder) == [f"scheduled-{id_of(workspace)}-2026-11-16T020000.db"] == [made.newest.path.name]
    assert (folder.stat().st_mode & 0o777, made.newest.path.stat().st_mode & 0o777) == (0o700, 0o600)
    assert examine_file(made.newest.path).problems == ()


@pytest.mark.of_file
def test_a_scheduled_backup_is_restored_like_any_other(workspace, folder, tmp_path):
    made = back_up_at(workspace, folder, MONDAY)
    restore(tmp_path / "other", made.newest.path)
    with closing(open_store(workspace)) as store, closing(open_store(tmp_path / "other")) as other:
        assert contents(other) == contents(store)


def test_a_backup_is_due_after_its_interval_with_tolerance_for_an_early_timer(workspace, folder):
    first = back_up_at(workspace, folder, MONDAY).newest
    for later, is_new in ((23 * HOUR, False), (DAY - scheduled.EARLY, True), (DAY, False)):
        made = back_up_at(workspace, folder, MONDAY + later)
        assert made.is_new == is_new
    assert [one.made_at for one in (first, made.newest)] == [MONDAY, MONDAY + DAY - scheduled.EARLY]
    assert len(names(folder)) == 2


def test_backups_of_seven_days_and_four_weeks_are_kept_and_files_of_others_never_deleted(workspace, folder):
    start = f"scheduled-{id_of(workspace)}-"
    folder.mkdir()
    others = [
        "scheduled-00000000-2026-01-05T020000.db",  # a backup of another workspace
        f"{start}2026-01-05T020000.db.gz",
        f"{start}before-the-move.db",
        f"{start}2026-13-05T020000.db",
        "presort-2026-01-05T020000.db",
    ]
    for name in others:
        (folder / name).write_text("precious")
    (folder / f"{start}2026-01-05T020000.db").symlink_to(folder / others[0])
    (folder / f"{start}2026-01-06T020000.db").mkdir()
    before = names(folder)
    first = back_up_at(workspace, folder, MONDAY).newest.path
    for day in range(1, 40):  # simulates runs, because copying the first backup is faster
        shutil.copy(first, folder / f"{start}{MONDAY + day * DAY:{scheduled.TIME}}.db")
    made = back_up_at(workspace, folder, MONDAY + 40 * DAY)
    own = [name for name in names(folder) if name not in before]
    kept = [40, 39, 38, 37, 36, 35, 34, 27, 20]  # 40 is a Saturday; 34, 27 and 20 are Sundays
    assert own == sorted(f"{start}{MONDAY + day * DAY:{scheduled.TIME}}.db" for day in kept)
    assert len(made.deleted) == 41 - len(kept)
    assert [name for name in names(folder) if name not in own] == before
    assert (folder / others[0]).read_text() == "precious"


def test_nothing_is_deleted_after_a_pause_and_a_fast_clock_stops_nothing(workspace, folder):
    ahead = back_up_at(workspace, folder, MONDAY + 900 * DAY).newest.path
    for day in range(3):
        back_up_at(workspace, folder, MONDAY + day * DAY)
    made = back_up_at(workspace, folder, MONDAY + 90 * DAY, daily=9)
    assert (made.is_new, made.deleted) == (True, ())
    assert len(names(folder)) == 5
    with closing(open_store(workspace)) as store:
        assert ahead not in [one.path for one in find_backups(store, folder, MONDAY + 90 * DAY)]


def test_decisions_made_meanwhile_do_no_harm(workspace, folder, monkeypatch):
    def while_deciding(*arguments, **options):
        with closing(open_store(workspace)) as store:
            decisions.decide(store, [say("lab", "a4", "no")])
        return back_up(*arguments, **options)

    monkeypatch.setattr(scheduled, "back_up", while_deciding)
    with closing(open_store(workspace)):
        assert back_up_at(workspace, folder, MONDAY).n_decisions == 3
    assert len(names(folder)) == 1


LOSING = """
DROP TRIGGER decision_delete; DELETE FROM decision WHERE id = (SELECT max(id) FROM decision);
"""


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        pytest.param(LOSING, "failed its check and was deleted: the current decisions of", id="inconsistent"),
        pytest.param(f"{LOSING} UPDATE current_decisions SET relevant = x'0100000002000000', newest = 2",
                     "has 2 of 3 decisions", id="incomplete"),
    ],
)  # fmt: skip
def test_an_incomplete_backup_is_deleted_and_older_ones_stay(workspace, folder, monkeypatch, harm, says):
    old = back_up_at(workspace, folder, MONDAY).newest.path

    def put_in(unfinished, *_):
        with closing(sqlite3.connect(unfinished)) as connection:
            connection.executescript(harm)

    monkeypatch.setattr(presort.data.running.backups.folder_files, "add_files", put_in)
    with pytest.raises(WorkspaceError, match=says):
        back_up_at(workspace, folder, MONDAY + DAY, daily=1, weekly=1)
    assert names(folder) == [old.name]


def test_a_killed_run_leaves_no_half_backup_for_long(workspace, folder):
    ended = run(KILLED, workspace, folder, address_of(workspace))
    assert ended.code == -9, ended.errors
    assert [name for name in names(folder) if name.endswith(".db")] == []
    assert [name for name in names(folder) if ".db.unfinished" in name]
    made = back_up_at(workspace, folder, datetime.now(UTC))
    assert names(folder) == [made.newest.path.name]


def test_two_runs_at_once_write_one(workspace, folder):
    with (
        closing(open_store(workspace)) as store,
        store.lock("backup", ""),
        pytest.raises(RefusedError, match="Another process is writing a scheduled backup"),
    ):
        back_up_at(workspace, folder, MONDAY)
    assert not folder.exists()


@pytest.mark.of_file
def test_no_workspace_and_no_place_for_backups_are_named(workspace, tmp_path):
    with pytest.raises(WorkspaceError, match="There is no workspace in"):
        run_schedule(tmp_path / "none", tmp_path / "to", every=DAY, daily=1, weekly=1)
    assert not (tmp_path / "to").exists()
    (tmp_path / "file").touch()
    with pytest.raises(WorkspaceError, match=r"/file can't be created: File exists\."):
        back_up_at(workspace, tmp_path / "file", MONDAY)


@given(
    hours=st.lists(st.integers(0, 3_000), min_size=1, max_size=60, unique=True),
    daily=st.integers(1, 9),
    weekly=st.integers(1, 6),
)
def test_surplus_backups_by_day_and_week(hours, daily, weekly):
    backups = [ScheduledBackup(Path(f"{hour}.db"), MONDAY + hour * HOUR) for hour in hours]
    gone = surplus(backups, daily=daily, weekly=weekly)
    left = [one for one in backups if one not in gone]
    newest = max(backups, key=lambda one: one.made_at)
    assert newest in left
    assert surplus(left, daily=daily, weekly=weekly) == []
    days = {one.made_at.date() for one in backups}
    assert len({one.made_at.date() for one in left} & set(sorted(days)[-daily:])) == min(daily, len(days))
    last_day = [one for one in left if newest.made_at - one.made_at < DAY]
    assert len(left) <= len(last_day) + daily + weekly
