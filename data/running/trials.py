"""Try something on a workspace without changing any file of it."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from data.errors import WorkspaceError
from data.store import FILE_NAME, Store, open_store
from data.workspace.damage import refuse_other_log
from data.workspace.folder import demand_database, may_write
from data.workspace.scratch import scratch_folder
from data.workspace.sqlite_errors import explained
from data.workspace.sqlite_file import reading_address


def find_store(workspace: Path) -> Store:
    """Return the store of a workspace that is there, neither opened nor brought to this version's tables.

    Raises
    ------
    WorkspaceError
        If there is none, or the changes beside its database are another's.
    """
    path = demand_database(workspace)
    refuse_other_log(path)
    return Store(path)


@contextmanager
def on_a_copy(store: Store) -> Iterator[Store]:
    """Yield the store of a copy, with this version's tables; it goes at the end, and the workspace is as it was.

    Editors are not kept waiting: they may write meanwhile.

    Raises
    ------
    WorkspaceError
        If the workspace can't be read, or the folder for temporary files has no room for a copy.
    """
    with scratch_folder() as scratch:
        folder = scratch / "workspace"  # one of its own: the scratch folder is locked as long as it is in use
        folder.mkdir()
        _copy(store.path, folder)
        with closing(open_store(folder)) as copy:
            yield copy


def _copy(path: Path, folder: Path) -> None:
    log = path.with_name(f"{path.name}-wal")
    size = sum(one.stat().st_size for one in (path, log) if one.exists())
    if shutil.disk_usage(folder).free < size:
        raise WorkspaceError(f"{folder.parent} has no room for a copy of {path}, {size:,} bytes; make room there.")
    # Who opens a file for writing removes an empty log at the end, but takes up one that a killed process left; who
    # opens it for reading does neither.
    is_to_read = log.exists() or not may_write(path)
    address = reading_address(path) if is_to_read else f"{path.resolve().as_uri()}?mode=rw"
    with (
        explained(path),
        closing(sqlite3.connect(address, uri=True)) as source,
        closing(sqlite3.connect(folder / FILE_NAME)) as copy,
    ):
        source.backup(copy)
