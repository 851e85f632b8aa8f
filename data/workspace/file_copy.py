"""Copies of a workspace's file: there whole or not at all."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from presort.data.errors import RefusedError, WorkspaceError
from presort.data.workspace.folder import INDEX, LOG, PRIVATE_FILE, companion, make_folder
from presort.data.workspace.sqlite import explained, read_only

FOLDER = "backups"  # in the workspace
BEFORE = "before-upgrade-{}.db"  # the copy of a file, by the version of its tables


def keep_before_upgrade(path: Path, schema: str) -> Path:
    """Copy a file before its tables are brought up to date, and return where the copy is; no other such copy stays.

    Nobody may write to it meanwhile.

    Parameters
    ----------
    path : Path
    schema : str
        The version of its tables.

    Raises
    ------
    WorkspaceError
        If there is no room for it, or it can't be written.
    """
    folder = path.parent / FOLDER
    make_folder(folder)
    size = sum(file.stat().st_size for file in (path, companion(path, LOG)) if file.exists())
    if shutil.disk_usage(folder).free < size:
        raise WorkspaceError(
            f"{path} has to be brought up to date, and {folder} has no room for a copy of it as it is, {size:,} bytes; "
            "make room there. Nothing was changed."
        )
    target = folder / BEFORE.format(schema)
    target.unlink(missing_ok=True)  # of an upgrade that came to nothing
    with writing(target) as unfinished:
        copy_database(path, unfinished)
    for older in set(folder.glob(BEFORE.format("*"))) - {target}:
        older.unlink()
    return target


def copy_database(source: Path, target: Path) -> None:
    """Copy a database with its log into one file, and flush it to disk."""
    target.unlink(missing_ok=True)  # of a copy that was stopped
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
    with read_only(source) as read, closing(sqlite3.connect(target)) as written:
        read.backup(written)
    with target.open("rb+") as file:
        os.fsync(file.fileno())


@contextmanager
def writing(target: Path) -> Iterator[Path]:
    """Write a file under a temporary name in the same folder, and rename it when it is complete."""
    if target.exists():
        raise RefusedError(f"{target} is there already; choose another name.")
    unfinished = companion(target, ".unfinished")
    with leaving_nothing_unfinished(target, unfinished):
        yield unfinished
        unfinished.replace(target)
        sync(target.parent)


@contextmanager
def leaving_nothing_unfinished(path: Path, unfinished: Path) -> Iterator[None]:
    """Describe what can't be read or written, and leave nothing half-written."""
    try:
        with explained(path):
            yield
    except OSError as error:
        raise WorkspaceError(f"{error.filename or path} can't be written: {error.strerror or error}.") from error
    finally:
        with suppress(OSError):
            for ending in ("", LOG, INDEX, "-journal"):
                companion(unfinished, ending).unlink(missing_ok=True)


def sync(folder: Path) -> None:
    """Have the names of a folder's files on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
