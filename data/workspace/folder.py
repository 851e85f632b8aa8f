"""The folder of a workspace: locks, permissions, names of the database's files.

Locks are held on what a process has open, a file or a folder. They belong to the descriptor: nothing is written, no
lock is left behind, and the system releases them even if the process is killed. Two descriptors of one process exclude
each other like those of two processes. On Windows only files can be opened, and shared locks don't exist.
"""

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import lock_descriptor

from presort.data.errors import RefusedError, WorkspaceError

try:
    import fcntl
except ImportError:  # on Windows
    HAS_SHARED_LOCKS = False
else:
    HAS_SHARED_LOCKS = True

FILE_NAME = "presort.db"
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600  # readers' addresses are in the database
LOG, INDEX = "-wal", "-shm"  # suffixes of SQLite's write-ahead log and of the index of the log
BUSY_TIMEOUT_MS = 10_000  # wait of a write for concurrent writes, in milliseconds


class FolderLock:
    """Lock of a workspace: shared by all that have it open, exclusive while another database is put there.

    The folder itself is locked, because that works on a read-only disk.
    """

    def __init__(self, folder: Path) -> None:
        if not HAS_SHARED_LOCKS:
            raise WorkspaceError(
                "A workspace can't be opened on Windows itself, where its folder can't be locked; use WSL there."
            )
        try:
            self._descriptor = os.open(folder, os.O_RDONLY)
        except OSError as error:
            raise WorkspaceError(f"{folder} can't be opened: {error.strerror}.") from error
        self.release = weakref.finalize(self, os.close, self._descriptor)

    def share(self) -> None:
        """Take the lock together with others; wait while it is held exclusively."""
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def try_exclusive(self) -> bool:
        """Try to take the lock exclusively. If others hold it, return False and hold it no more."""
        return try_lock(self._descriptor)


def try_lock(descriptor: int) -> bool:
    """Try to lock a descriptor exclusively. If it is locked elsewhere, return False and hold no lock on it."""
    return lock_descriptor(descriptor, blocking=False)


def wait_for_lock(descriptor: int) -> None:
    """Lock a descriptor exclusively as soon as nobody else has it locked."""
    lock_descriptor(descriptor)


@contextmanager
def lock_file(path: Path, busy: str) -> Iterator[None]:
    """Hold an exclusive lock on a file, which is created if it doesn't exist.

    Raises
    ------
    RefusedError
        If it is locked elsewhere, with `busy` as the message.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    except OSError as error:
        raise WorkspaceError(f"{path} can't be opened: {error.strerror}.") from error
    try:
        if not try_lock(descriptor):
            raise RefusedError(busy)
        yield
    finally:
        os.close(descriptor)


def companion(path: Path, ending: str) -> Path:
    """Return the path of a companion file that SQLite keeps next to a database.

    Examples
    --------
    >>> companion(Path("presort.db"), LOG).name
    'presort.db-wal'
    """
    return path.with_name(path.name + ending)


def has_log(path: Path) -> bool:
    """Return whether the log of a database holds changes that are not in the database file yet."""
    log = companion(path, LOG)
    return log.exists() and log.stat().st_size > 0


def demand_database(folder: Path) -> Path:
    """Return the database of a workspace folder. Refuses a folder without one, and creates nothing."""
    path = folder / FILE_NAME
    if not path.is_file():
        raise WorkspaceError(
            f"There is no workspace in {folder}; check the name of the folder, or begin one there by 'presort import' "
            "or 'presort demo'."
        )
    return path


def make_folder(folder: Path) -> None:
    """Make the folder if there is none, for its owner alone; one that was there stays as it is."""
    try:
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(f"{folder} can't be made into a workspace folder: {error.strerror}.") from error


def may_write(path: Path) -> bool:
    """Return whether a database and its companion files can be written."""
    effective = os.access in os.supports_effective_ids
    places = [place for place in (path.parent, path) if place.exists()]
    return all(os.access(place, os.W_OK, effective_ids=effective) for place in places)


def make_private(path: Path) -> None:
    """Remove other users' permissions on a database if we own it. SQLite copies the permissions to companion files."""
    for file in (path, companion(path, LOG), companion(path, INDEX)):
        try:
            found = file.stat()
            if found.st_uid == os.geteuid() and found.st_mode & 0o077:
                file.chmod(found.st_mode & 0o700)
        except FileNotFoundError:
            continue


@contextmanager
def making(path: Path) -> Iterator[None]:
    """Let one process at a time make a database, private from the start; of several, SQLite lets some fail at once."""
    if (path.exists() and path.stat().st_size) or not may_write(path):
        yield
        return
    lock = path.with_suffix(".making")
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    except OSError as error:
        raise WorkspaceError(f"{lock} can't be written: {error.strerror}.") from error
    try:
        wait_for_lock(descriptor)
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
        yield
        lock.unlink(missing_ok=True)  # waiting processes then find the finished database
    finally:
        os.close(descriptor)
