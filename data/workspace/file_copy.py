"""Write files, such as database copies, atomically: a file is either complete or does not exist."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from presort.data.errors import RefusedError, WorkspaceError
from presort.data.workspace.folder import INDEX, LOG, PRIVATE_FILE, companion, make_folder
from presort.data.workspace.sqlite import explain_errors, is_full, open_read_only

FOLDER = "backups"  # workspace subfolder
BEFORE = "before-upgrade-{}.db"  # file name of the copy, with the database revision


def keep_before_upgrade(path: Path, schema: str) -> Path:
    """Copy a database file before it is upgraded, delete older copies, and return the path of the new copy.

    No process may write to the database while it is being copied.

    Parameters
    ----------
    path : Path
        Database file.
    schema : str
        Revision of the database.

    Raises
    ------
    WorkspaceError
        If there is not enough space for the copy, or it can't be written.
    """
    folder = path.parent / FOLDER
    make_folder(folder)
    size = sum(file.stat().st_size for file in (path, companion(path, LOG)) if file.exists())
    if shutil.disk_usage(folder).free < size:
        raise WorkspaceError(
            f"{path} must be upgraded, but {folder} has no space for a copy ({size:,} bytes). Free some space. "
            "Nothing was changed."
        )
    target = folder / BEFORE.format(schema)
    target.unlink(missing_ok=True)  # remains of a failed upgrade
    with write_atomically(target) as unfinished:
        copy_database(path, unfinished)
    for older in set(folder.glob(BEFORE.format("*"))) - {target}:
        older.unlink()
    return target


def copy_database(source: Path, target: Path) -> None:
    """Copy a database, including its log, to a single file and flush the file to disk."""
    target.unlink(missing_ok=True)  # remains of an interrupted copy
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
    with open_read_only(source) as read, closing(sqlite3.connect(target)) as written:
        read.backup(written)
    with target.open("rb+") as file:
        os.fsync(file.fileno())


@contextmanager
def write_atomically(target: Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder as `target`. When the file is complete, rename it to `target`."""
    if target.exists():
        raise RefusedError(f"{target} already exists. Choose another name.")
    unfinished = companion(target, ".unfinished")
    with clean_up_unfinished(target, unfinished):
        yield unfinished
        unfinished.replace(target)
        sync(target.parent)


def write_private(target: Path, make: Callable[[], str]) -> None:
    """Write text to a new file that only its owner can read.

    `make` returns the text. It is called only after the file has been created.
    """
    with write_atomically(target) as unfinished:
        unfinished.unlink(missing_ok=True)  # remains of a killed process
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "wb") as file:
            file.write(make().encode())
            file.flush()
            os.fsync(file.fileno())


@contextmanager
def clean_up_unfinished(path: Path, unfinished: Path) -> Iterator[None]:
    """Convert file and database errors to `WorkspaceError`, and delete the unfinished file."""
    try:
        with explain_errors(path):
            yield
    except WorkspaceError as error:
        if is_full(error):  # the usual message says that a change was not saved, but here a file is written
            raise WorkspaceError(f"{path} can't be written: the disk is full.") from error
        raise
    except OSError as error:
        raise WorkspaceError(f"{error.filename or path} can't be written: {error.strerror or error}.") from error
    finally:
        with suppress(OSError):
            for ending in ("", LOG, INDEX, "-journal"):
                companion(unfinished, ending).unlink(missing_ok=True)


def sync(folder: Path) -> None:
    """Flush a folder to disk, so that new and renamed files survive a crash."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
