"""Back up and restore a workspace: its database and other files.

A workspace can be backed up while it is in use. It can be restored only while no other process uses it.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from presort.data.errors import RefusedError, UnreadableFileError, WorkspaceError
from presort.data.revisions import known_revisions
from presort.data.running import folder_files
from presort.data.running.moves import copy_to_file, restore_to_server
from presort.data.store import refuse_other_tables
from presort.data.workspace.file_copy import FOLDER, clean_up_unfinished, copy_database, sync, write_atomically
from presort.data.workspace.folder import (
    FILE_NAME,
    INDEX,
    LOG,
    FolderLock,
    companion,
    demand_database,
    has_log,
    make_folder,
)
from presort.data.workspace.opening import (
    demand_here,
    find_database,
    find_server,
    note_elsewhere,
    refuse_development_version,
    schema_of,
)
from presort.data.workspace.sqlite import (
    DAMAGED,
    NO_DATABASE,
    demand_own_log,
    explain_errors,
    open_read_only,
    reason_of,
    refuse_other_log,
)

IN_USE = (
    "{path} is in use by the desk or a command. Stop the desk or wait for the command to end, then restore again. "
    "Nothing was changed."
)


def back_up(
    workspace: Path,
    target: Path | None = None,
    *,
    url: str = "",
    now: datetime | None = None,
    check: Callable[[Path], object] = lambda _: None,
) -> Path:
    """Write a workspace to a single backup file, either completely or not at all.

    The workspace may be in use. The backup includes templates, harvest positions and models.

    Parameters
    ----------
    target : Path, optional
        New file. Defaults to a file in the workspace's backup folder, named after the time.
    url : str
        URL of the workspace's PostgreSQL database, if it has one. The backup is an SQLite database in any case.
    now : datetime, optional
        Current time, with a time zone.
    check : callable
        Called with the path of the finished file before the file gets its final name. If the function raises an error,
        the file is deleted.

    Returns
    -------
    Path
        Path of the backup, which only its owner can read.

    Raises
    ------
    WorkspaceError
        If there is no database, if it is damaged, or if the backup can't be written.
    RefusedError
        If the file already exists.
    """
    if not url:
        demand_here(workspace)
        refuse_other_log(demand_database(workspace))
    refuse_other_tables(workspace, url)
    if target is None:
        make_folder(workspace / FOLDER)
        target = workspace / FOLDER / f"presort-{now or datetime.now(UTC):%Y-%m-%dT%H%M%S}.db"
    marks = folder_files.read_harvest_positions(workspace)
    with write_atomically(target) as unfinished:
        if url:
            with closing(find_database(workspace, url)) as database:
                copy_to_file(database, unfinished)
        else:
            path = workspace / FILE_NAME
            with _explain_damage(path):
                copy_database(path, unfinished)
                _refuse_damaged(path, unfinished)
        folder_files.add_files(unfinished, workspace, marks)
        check(unfinished)
    return target


def restore(workspace: Path, backup: Path, *, url: str = "", now: datetime | None = None) -> Path | None:
    """Replace the database and the other files with those in a backup.

    The replaced files are moved to the backup folder. The workspace is locked during the restore. If the restore is
    interrupted, the workspace has either its complete old database or the complete database from the backup.

    Parameters
    ----------
    workspace, backup : Path
        Workspace folder, and backup file.
    url : str
        URL of the workspace's PostgreSQL database, if it has one.
    now : datetime, optional
        Current time, with a time zone.

    Returns
    -------
    Path or None
        Path of the replaced database, with its log next to it if there is a log. None if there was no database.

    Raises
    ------
    UnreadableFileError
        If the backup is not a Presort database, is damaged, or is from a newer version.
    RefusedError
        If the workspace is in use.
    WorkspaceError
        If the folder is not writable.
    """
    path = workspace / FILE_NAME
    demand_restorable(backup)
    make_folder(workspace)
    if url:
        return _restore_to_server(workspace, backup, url, _unused_path(path, now or datetime.now(UTC)))
    demand_here(workspace)
    lock = FolderLock(workspace)
    try:
        if not lock.try_exclusive():
            raise RefusedError(IN_USE.format(path=path))
        replaced = _unused_path(path, now or datetime.now(UTC))
        kept = replaced if path.exists() else None
        unfinished = companion(path, ".restored")
        with clean_up_unfinished(path, unfinished):
            copy_database(backup, unfinished)
            folder_files.drop_files(unfinished)
            if kept:
                _put_aside(path, kept)
            for leftover in (LOG, INDEX):  # both files belong to the replaced database
                companion(path, leftover).unlink(missing_ok=True)
            unfinished.replace(path)
            folder_files.restore_files(backup, workspace, replaced.with_suffix(""))
            sync(workspace)
    finally:
        lock.release()
    return kept


def _restore_to_server(workspace: Path, backup: Path, url: str, kept: Path) -> Path | None:
    with closing(find_server(workspace, url)) as database:
        is_kept = restore_to_server(database, backup, kept)
        note_elsewhere(workspace, database)
        folder_files.restore_files(backup, workspace, kept.with_suffix(""))
    return kept if is_kept else None


def demand_restorable(backup: Path) -> None:
    """Check that a file is an intact backup written by this version or an earlier version.

    Raises
    ------
    UnreadableFileError
        If the file can't be restored.
    """
    if not backup.is_file():
        raise UnreadableFileError(backup, "does not exist")
    try:
        with explain_errors(backup), open_read_only(backup) as connection:
            schema = schema_of(connection)
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except WorkspaceError as error:
        raise UnreadableFileError(backup, f"can't be restored: {error.__cause__ or error}") from error
    if not schema:
        raise UnreadableFileError(backup, NO_DATABASE.partition(";")[0])
    if found != "ok":
        raise UnreadableFileError(backup, f"is damaged: {found}")
    refuse_development_version(schema, str(backup))
    if schema not in known_revisions():
        raise UnreadableFileError(
            backup, f"was written by a newer version (database revision {schema}). Upgrade Presort"
        )
    folder_files.refuse_invalid_files(backup)


def _unused_path(path: Path, now: datetime) -> Path:
    """Return an unused path for the replaced database. The file name contains the time."""
    folder, name = path.parent / FOLDER, f"replaced-{now:%Y-%m-%dT%H%M%S}"
    make_folder(folder)
    names = (f"{name}.db" if n == 1 else f"{name}-{n}.db" for n in count(1))
    return next(folder / one for one in names if not (folder / one).exists())


def _put_aside(path: Path, kept: Path) -> None:
    """Hard-link the old database to another path, after merging its log into it. If merging fails, link the log too."""
    with suppress(WorkspaceError, sqlite3.Error):  # if the database is damaged, its log stays separate
        demand_own_log(path)
        with closing(sqlite3.connect(path)) as connection:  # closing the last connection merges the log
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    os.link(path, kept)
    if has_log(path):
        os.link(companion(path, LOG), companion(kept, LOG))
    sync(kept.parent)


@contextmanager
def _explain_damage(path: Path) -> Iterator[None]:
    """Convert SQLite errors about damage to errors that name the original database, even if they concern its copy."""
    try:
        yield
    except sqlite3.Error as error:
        if (reason := reason_of(error)) in (DAMAGED, NO_DATABASE):
            raise WorkspaceError(f"{path} {reason}.") from error
        raise


def _refuse_damaged(path: Path, copy: Path) -> None:
    """Raise WorkspaceError if the copy of a database is damaged, because a damaged copy is useless as a backup."""
    with closing(sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise WorkspaceError(f"{path} {DAMAGED}. It was not backed up.")
