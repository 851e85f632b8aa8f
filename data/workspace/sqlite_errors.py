"""What SQLite says when something is wrong outside the program, as one line a person can act on."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from presort.data.errors import DamagedCellError, WorkspaceError

DAMAGED = "is damaged; 'presort db check' says where, and 'presort db restore' puts back a backup"
READ_ONLY = "can't be written to; check the permissions of the folder and its files"
NO_DATABASE = "is not a Presort database; choose another workspace folder"
UNREADABLE = "can't be opened; check that the folder exists and may be read"
FULL = "can't grow: the disk is full; nothing of the last change was kept"

# Conditions of the world, not bugs.
WORLD = {
    sqlite3.SQLITE_BUSY: "is being written to by another process for more than 10 s; try again in a moment",
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_IOERR: "can't be read or written: the disk reports an error",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: NO_DATABASE,
    sqlite3.SQLITE_CANTOPEN: UNREADABLE,
}
NOT_UTF8 = "Could not decode to UTF-8"  # begins what the driver says of such a text; it has no code for that
TEMPORARY = ("SQLITE_TMPDIR", "TMPDIR")  # as SQLite looks for a folder, before these
PLACES = ("/var/tmp", "/usr/tmp", "/tmp")  # noqa: S108  (named to a person, nothing is written there)
WRITING = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR})


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn a condition of the world into a `WorkspaceError`; anything else is a bug and stays one."""
    try:
        yield
    except DamagedCellError as error:
        raise WorkspaceError(f"{path} {DAMAGED} ({error}).") from error
    except (DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        reason = reason_of(cause)
        if reason is None:
            raise
        raise WorkspaceError(f"{path} {reason}.") from error


def reason_of(error: BaseException | None) -> str | None:
    """Return what is wrong with a database, to stand behind its name; None if it is a bug.

    Examples
    --------
    >>> reason_of(sqlite3.OperationalError("no such table: papr"))
    """
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return DAMAGED if str(error).startswith(NOT_UTF8) else None
    return WORLD.get(code & 0xFF)  # the low byte is the primary code


def temporary_problem(error: BaseException, path: Path, *, is_writing: bool) -> str | None:
    """Return what to say if it is not the database that can't grow, but what SQLite puts aside meanwhile.

    Parameters
    ----------
    is_writing : bool
        Whether the transaction could change the database at all; if not, only the temporary folder can be full.
    """
    if getattr(error, "sqlite_errorcode", None) not in WRITING:
        return None
    folder = temporary_folder()
    if is_writing and shutil.disk_usage(folder).free >= shutil.disk_usage(path.parent).free:
        return None
    return (
        f"The temporary folder {folder} is full or can't be written to: make room there, or set TMPDIR to another "
        "folder. Nothing of the last change was kept."
    )


def temporary_folder() -> Path:
    """Return where SQLite puts what does not fit into memory."""
    told = (os.environ.get(name) for name in TEMPORARY)
    for place in (*filter(None, told), *PLACES):
        if Path(place).is_dir() and os.access(place, os.W_OK | os.X_OK):
            return Path(place)
    return Path()
