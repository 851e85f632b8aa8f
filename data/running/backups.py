"""Backups of a workspace: its database and other files. Made while in use, restored while not in use."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from presort.data.errors import RefusedError, UnreadableFileError, WorkspaceError
from presort.data.running import folder_files
from presort.data.running.moves import copy_to_file, put_back
from presort.data.store import known_revisions, refuse_other_tables
from presort.data.workspace.file_copy import FOLDER, copy_database, leaving_nothing_unfinished, sync, writing
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
    explained,
    read_only,
    reason_of,
    refuse_other_log,
)

IN_USE = (
    "{path} is in use, by the desk or by a command; stop the desk, or wait for the command to end, and restore again. "
    "Nothing was changed."
)


def back_up(workspace: Path, target: Path | None = None, *, url: str = "", now: datetime | None = None) -> Path:
    """Write the content of a workspace into one file, completely or not at all, while it may be in use.

    Templates, marks of harvests and models are in it, too.

    Parameters
    ----------
    target : Path, optional
        A new file; without one it goes into the workspace's own folder of backups, named after the time.
    url : str
        Of the PostgreSQL database that keeps the workspace; the backup is a file of the same kind.
    now : datetime, optional
        With time zone.

    Returns
    -------
    Path
        Of the backup, which its owner alone may read.

    Raises
    ------
    WorkspaceError
        If there is no database, it is damaged, or the backup can't be written.
    RefusedError
        If there is such a file already.
    """
    if not url:
        demand_here(workspace)
        refuse_other_log(demand_database(workspace))
    refuse_other_tables(workspace, url)
    if target is None:
        make_folder(workspace / FOLDER)
        target = workspace / FOLDER / f"presort-{now or datetime.now(UTC):%Y-%m-%dT%H%M%S}.db"
    marks = folder_files.marks_of(workspace)
    with writing(target) as unfinished:
        if url:
            with closing(find_database(workspace, url)) as database:
                copy_to_file(database, unfinished)
        else:
            path = workspace / FILE_NAME
            with _as_damage_of(path):
                copy_database(path, unfinished)
                _refuse_damaged(path, unfinished)
        folder_files.put_in(unfinished, workspace, marks)
    return target


def restore(workspace: Path, backup: Path, *, url: str = "", now: datetime | None = None) -> Path | None:
    """Replace the database and the other files by a backup. The replaced files are kept in the folder of backups.

    Nothing is in use meanwhile, and at every moment the one or the other is there whole.

    Returns
    -------
    Path or None
        Copy of the replaced database with its log. None if there was no database.

    Raises
    ------
    UnreadableFileError
        If the backup is no database of Presort, is damaged, or is of a newer Presort.
    RefusedError
        If something has the workspace open.
    WorkspaceError
        If the folder can't be written.
    """
    path = workspace / FILE_NAME
    _check(backup)
    make_folder(workspace)
    if url:
        return _restore_to_server(workspace, backup, url, _kept(path, now or datetime.now(UTC)))
    demand_here(workspace)
    lock = FolderLock(workspace)
    try:
        if not lock.try_exclusive():
            raise RefusedError(IN_USE.format(path=path))
        replaced = _kept(path, now or datetime.now(UTC))
        kept = replaced if path.exists() else None
        unfinished = companion(path, ".restored")
        with leaving_nothing_unfinished(path, unfinished):
            copy_database(backup, unfinished)
            folder_files.drop_from(unfinished)
            if kept:
                _put_aside(path, kept)
            for leftover in (LOG, INDEX):  # of another database than the one that comes
                companion(path, leftover).unlink(missing_ok=True)
            unfinished.replace(path)
            folder_files.take_out(backup, workspace, replaced.with_suffix(""))
            sync(workspace)
    finally:
        lock.release()
    return kept


def _restore_to_server(workspace: Path, backup: Path, url: str, kept: Path) -> Path | None:
    with closing(find_server(workspace, url)) as database:
        is_kept = put_back(database, backup, kept)
        note_elsewhere(workspace, database)
        folder_files.take_out(backup, workspace, kept.with_suffix(""))
    return kept if is_kept else None


def _check(backup: Path) -> None:
    """Refuse a file that is not a complete database of this Presort or an earlier one."""
    if not backup.is_file():
        raise UnreadableFileError(backup, "is not there")
    try:
        with explained(backup), read_only(backup) as connection:
            schema = schema_of(connection)
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except WorkspaceError as error:
        raise UnreadableFileError(backup, f"can't be put back: {error.__cause__ or error}") from error
    if not schema:
        raise UnreadableFileError(backup, NO_DATABASE.partition(";")[0])
    if found != "ok":
        raise UnreadableFileError(backup, f"is damaged: {found}")
    refuse_development_version(schema, str(backup))
    if schema not in known_revisions():
        raise UnreadableFileError(
            backup, f"was written by a newer Presort (its tables are at {schema}); upgrade Presort"
        )
    folder_files.refuse_strange(backup)


def _kept(path: Path, now: datetime) -> Path:
    """Return the path for the replaced database: named by the time, with a number if that name is taken."""
    folder, name = path.parent / FOLDER, f"replaced-{now:%Y-%m-%dT%H%M%S}"
    make_folder(folder)
    names = (f"{name}.db" if n == 1 else f"{name}-{n}.db" for n in count(1))
    return next(folder / one for one in names if not (folder / one).exists())


def _put_aside(path: Path, kept: Path) -> None:
    """Store a database that is to be replaced under another name, with its log if that can't be merged into it."""
    with suppress(WorkspaceError, sqlite3.Error):  # a damaged one is kept as it is
        demand_own_log(path)
        with closing(sqlite3.connect(path)) as connection:  # the last to close it takes in the log
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    os.link(path, kept)
    if has_log(path):
        os.link(companion(path, LOG), companion(kept, LOG))
    sync(kept.parent)


@contextmanager
def _as_damage_of(path: Path) -> Iterator[None]:
    """Name the database in errors that it, or its copy, is damaged."""
    try:
        yield
    except sqlite3.Error as error:
        if (reason := reason_of(error)) in (DAMAGED, NO_DATABASE):
            raise WorkspaceError(f"{path} {reason}.") from error
        raise


def _refuse_damaged(path: Path, copy: Path) -> None:
    """Refuse to store a copy of a damaged database as a backup."""
    with closing(sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise WorkspaceError(f"{path} {DAMAGED}. It was not backed up.")
