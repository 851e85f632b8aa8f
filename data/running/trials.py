"""Work on a temporary copy of a workspace, so that the original is not changed."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from presort.data.errors import WorkspaceError
from presort.data.running.moves import copy_to_file
from presort.data.store import FILE_NAME, Store, open_store
from presort.data.workspace.folder import LOG, companion
from presort.data.workspace.scratch import scratch_folder, temporary_folder_error
from presort.data.workspace.sqlite import UNREADABLE, SqliteDatabase, explain_errors, open_read_only


@contextmanager
def temporary_copy(store: Store) -> Iterator[Store]:
    """Yield a temporary copy of a store, migrated to this version. The original is not changed.

    Editors can write to the original at the same time.

    Raises
    ------
    WorkspaceError
        If the workspace can't be read or is damaged, its log does not belong to the database, or the folder for
        temporary files has no space for a copy.
    """
    with scratch_folder() as scratch:
        folder = scratch / "workspace"  # use a subfolder, because the scratch folder itself is locked
        folder.mkdir()
        if isinstance(store.database, SqliteDatabase):
            with store.database.try_sole_use() as is_alone:
                (_copy_files if is_alone else _copy_in_use)(store.database.path, folder)
        else:
            copy_to_file(store.database, folder / FILE_NAME)
        with closing(_open_copy(folder, store.name)) as copy:
            yield copy


def _copy_files(path: Path, folder: Path) -> None:
    """Copy the files of a database that is not in use, including any log left by a crash.

    SQLite's backup function isn't used, because it would merge the log and thus change the files.
    """
    _demand_room(path, folder)
    try:
        for file in (path, companion(path, LOG)):
            if file.exists():
                shutil.copyfile(file, folder / file.name)
    except PermissionError as error:
        raise WorkspaceError(f"{path} {UNREADABLE}.") from error
    except OSError as error:
        raise temporary_folder_error(error) from error


def _copy_in_use(path: Path, folder: Path) -> None:
    """Copy a database to which other processes may be writing."""
    _demand_room(path, folder)
    with explain_errors(path), open_read_only(path) as source, closing(sqlite3.connect(folder / FILE_NAME)) as copy:
        source.backup(copy)


def _demand_room(path: Path, folder: Path) -> None:
    size = sum(one.stat().st_size for one in (path, companion(path, LOG)) if one.exists())
    if shutil.disk_usage(folder).free < size:
        raise WorkspaceError(f"{folder.parent} has no space for a copy of {path} ({size:,} bytes). Free some space.")


def _open_copy(folder: Path, name: str) -> Store:
    """Open a copy of a database. Error messages name the original."""
    try:
        return open_store(folder)
    except WorkspaceError as error:
        raise WorkspaceError(str(error).replace(str(folder / FILE_NAME), name)) from error
