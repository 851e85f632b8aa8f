"""Write scheduled backups when they are due, check them, and delete backups that are no longer needed.

A backup's name contains a hash of the workspace id and the time (UTC). Several workspaces can therefore share a folder,
and no other file in the folder is ever mistaken for a backup.
"""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path

from sqlalchemy import func, select

from presort.data.catalogue import WORKSPACE_ID, setting, workspace_id
from presort.data.errors import WorkspaceError
from presort.data.running.backups import back_up
from presort.data.running.health import examine_file
from presort.data.store import Store, open_store
from presort.data.tables import DecisionRow
from presort.data.workspace.folder import make_folder
from presort.data.workspace.sqlite import open_read_only

TIME = "%Y-%m-%dT%H%M%S"
HASH_LENGTH = 8  # number of characters in a name that identify the workspace
EARLY = timedelta(minutes=30)  # a backup may be made this long before it is due, because timers are inexact
ONE_DAY = timedelta(days=1)
BUSY = "Another process is writing a scheduled backup of this workspace. Try again when it has finished."
LOG_UP_TO = "SELECT count(*) FROM decision WHERE id <= ?"


@dataclass(frozen=True)
class ScheduledBackup:
    """Scheduled backup of a workspace.

    Attributes
    ----------
    path : Path
    made_at : datetime
        Time (UTC) when writing began, read from the file name.
    """

    path: Path
    made_at: datetime


@dataclass(frozen=True)
class BackupRun:
    """Result of a scheduled backup run.

    Attributes
    ----------
    newest : ScheduledBackup
        Newest backup, written by this run, or by an earlier run if no backup was due.
    is_new : bool
        True if this run wrote the newest backup.
    n_decisions : int
        Number of decisions in the log when the run began. If the run wrote a backup, it contains all of these
        decisions.
    deleted : tuple of Path
        Older backups that this run deleted.
    """

    newest: ScheduledBackup
    is_new: bool
    n_decisions: int
    deleted: tuple[Path, ...] = ()


def run_schedule(
    workspace: Path,
    folder: Path,
    *,
    every: timedelta,
    daily: int,
    weekly: int,
    url: str = "",
    now: datetime | None = None,
) -> BackupRun:
    """Write and check a backup if one is due, then delete the backups that are no longer needed.

    The workspace may be in use. If the backup can't be written or fails the check, no old backup is deleted, and no
    part of the new backup remains.

    Parameters
    ----------
    workspace, folder : Path
        Workspace folder, and folder for the backups. The backup folder is created if it does not exist.
    every : timedelta
        Time between backups, at least an hour.
    daily, weekly : int
        Number of days and number of ISO weeks for which to keep one backup each. Both must be at least 1.
    url : str
        URL of the workspace's PostgreSQL database, if it has one.
    now : datetime, optional
        Current time, with a time zone.

    Raises
    ------
    WorkspaceError
        If there is no workspace, if it is damaged, or if the backup can't be written or fails the check.
    RefusedError
        If another process is writing a backup.
    """
    now = now or datetime.now(UTC)
    with closing(open_store(workspace, url, creates=False)) as store, store.lock("backup", BUSY):
        known, start = find_backups(store, folder, now), _start(workspace_id(store))
        newest_decision, n_decisions = _log_state(store)
        if known and now - known[-1].made_at < every - EARLY:
            return BackupRun(known[-1], is_new=False, n_decisions=n_decisions)
        make_folder(folder)
        _delete(folder.glob(f"{start}*.db.unfinished*"))  # remains of killed processes
        path = folder / f"{start}{now.astimezone(UTC):{TIME}}.db"
        check = partial(_refuse_incomplete, newest_decision=newest_decision, n_decisions=n_decisions)
        back_up(workspace, path, url=url, check=check)
        new = ScheduledBackup(path, _time_of(path, start) or now)
        deleted = [one.path for one in surplus([*known, new], daily=daily, weekly=weekly)]
        _delete(deleted)
    return BackupRun(new, is_new=True, n_decisions=n_decisions, deleted=tuple(deleted))


def find_backups(store: Store, folder: Path, now: datetime) -> list[ScheduledBackup]:
    """Return the scheduled backups of a workspace in a folder, oldest first.

    Backups dated in the future are left out, because they were written while the clock was wrong.
    """
    known = setting(store, WORKSPACE_ID)
    if known is None:  # if there is no id, there are no backups, because the first run creates the id
        return []
    start = _start(known)
    paths = (path for path in folder.glob(f"{start}*.db") if path.is_file() and not path.is_symlink())
    times = {path: _time_of(path, start) for path in paths}
    found = [ScheduledBackup(path, time) for path, time in times.items() if time is not None and time <= now]
    return sorted(found, key=lambda one: one.made_at)


def surplus(backups: Sequence[ScheduledBackup], *, daily: int, weekly: int) -> list[ScheduledBackup]:
    """Return the backups that are no longer needed.

    The following backups are needed: all backups from the 24 hours before the newest backup, the newest backup of each
    of the last `daily` days, and the newest backup of each of the last `weekly` ISO weeks. Only days and weeks with
    backups are counted, so a pause in the schedule doesn't cause any backup to be deleted.

    Examples
    --------
    >>> monday = datetime(2026, 11, 16, 2, tzinfo=UTC)
    >>> backups = [ScheduledBackup(Path(f"{day}.db"), monday + day * ONE_DAY) for day in range(10)]
    >>> [str(one.path) for one in surplus(backups, daily=3, weekly=2)]
    ['0.db', '1.db', '2.db', '3.db', '4.db', '5.db']
    """
    ordered = sorted(backups, key=lambda one: one.made_at)
    if not ordered:
        return []
    of_day: dict[date, ScheduledBackup] = {one.made_at.date(): one for one in ordered}
    of_week: dict[tuple[int, int], ScheduledBackup] = {one.made_at.isocalendar()[:2]: one for one in ordered}
    kept = {one for one in ordered if ordered[-1].made_at - one.made_at < ONE_DAY}
    kept |= {*list(of_day.values())[-daily:], *list(of_week.values())[-weekly:]}
    return [one for one in ordered if one not in kept]


def _start(workspace: str) -> str:
    """Return the prefix of a workspace's backup names. The id is hashed because it may come from a crafted file."""
    return f"scheduled-{sha256(workspace.encode()).hexdigest()[:HASH_LENGTH]}-"


def _time_of(path: Path, start: str) -> datetime | None:
    """Parse the time in a backup's file name. Returns None if the file is not named like a backup."""
    try:
        return datetime.strptime(path.stem.removeprefix(start), TIME).replace(tzinfo=UTC)
    except ValueError:
        return None


def _log_state(store: Store) -> tuple[int, int]:
    """Return the id of the newest decision and the number of decisions."""
    with store.reading() as connection:
        query = select(func.coalesce(func.max(DecisionRow.id), 0), func.count(DecisionRow.id))
        newest, n_decisions = connection.execute(query).one()
    return newest, n_decisions


def _refuse_incomplete(copy: Path, *, newest_decision: int, n_decisions: int) -> None:
    """Check a new backup. Decisions made after the run began are ignored, because the backup may lack them.

    Raises
    ------
    WorkspaceError
        If the backup is damaged, or lacks decisions.
    """
    health = examine_file(copy)
    if health.problems:
        raise WorkspaceError(
            f"The new backup failed its check and was deleted: {health.problems[0]}. Older backups are kept. Run "
            "'presort db check' to see whether the database is damaged."
        )
    with open_read_only(copy) as connection:
        (found,) = connection.execute(LOG_UP_TO, (newest_decision,)).fetchone()
    if found != n_decisions:
        raise WorkspaceError(
            f"The new backup was deleted, because it has {found:,} of {n_decisions:,} decisions. Older backups are "
            "kept. Run 'presort db check' to see whether the database is damaged."
        )


def _delete(paths: Iterable[Path]) -> None:
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise WorkspaceError(f"The old backup {path} can't be deleted: {error.strerror or error}.") from error
