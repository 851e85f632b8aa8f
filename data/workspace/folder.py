"""Workspace folder: locks, permissions, and names of the database files.

Locks are held on open descriptors of files or folders. Locking writes nothing, and the operating system releases a lock
even if its process is killed. Two descriptors in the same process exclude each other, just like descriptors in two
processes. On Windows, folders can't be locked, and there are no shared locks.
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
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600  # owner only, because the database contains readers' email addresses
LOG, INDEX = "-wal", "-shm"  # file suffixes of SQLite's write-ahead log and its index
BUSY_TIMEOUT_MS = 10_000  # how long a write waits for concurrent writes, in milliseconds


class FolderLock:
    """Lock on a workspace, which is shared while the workspace is open and exclusive while its database is replaced.

    The folder itself is locked, because this also works on a read-only disk.
    """

    def __init__(self, folder: Path) -> None:
        if not HAS_SHARED_LOCKS:
            raise WorkspaceError("Windows can't lock folders, so the workspace can't be opened. Use WSL on Windows.")
        try:
            self._descriptor = os.open(folder, os.O_RDONLY)
        except OSError as error:
            raise WorkspaceError(f"{folder} can't be opened: {error.strerror}.") from error
        self.release = weakref.finalize(self, os.close, self._descriptor)

    def share(self) -> None:
        """Acquire the lock in shared mode. Wait while another process holds it exclusively."""
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def try_exclusive(self) -> bool:
        """Try to acquire the lock exclusively. If it is held elsewhere, release any shared lock and return False."""
        return try_lock(self._descriptor)


def try_lock(descriptor: int) -> bool:
    """Try to lock a descriptor exclusively, and return True if this succeeds.

    If the file or folder is locked elsewhere, any shared lock on this descriptor is released and False is returned.
    """
    return lock_descriptor(descriptor, blocking=False)


def wait_for_lock(descriptor: int) -> None:
    """Lock a descriptor exclusively. Wait while its file or folder is locked elsewhere."""
    lock_descriptor(descriptor)


@contextmanager
def lock_file(path: Path, busy: str) -> Iterator[None]:
    """Hold an exclusive lock on a file. Create the file if it doesn't exist.

    Raises
    ------
    RefusedError
        If the file is locked elsewhere. The error message is `busy`.
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
    """Return the path of a companion file that SQLite stores next to a database.

    Examples
    --------
    >>> companion(Path("presort.db"), LOG).name
    'presort.db-wal'
    """
    return path.with_name(path.name + ending)


def has_log(path: Path) -> bool:
    """Return True if a database's log contains changes that are not in the database file yet."""
    log = companion(path, LOG)
    return log.exists() and log.stat().st_size > 0


def demand_database(folder: Path) -> Path:
    """Return the database file in a workspace folder. Raises WorkspaceError if it doesn't exist."""
    path = folder / FILE_NAME
    if not path.is_file():
        raise WorkspaceError(
            f"There is no workspace in {folder}. Check the folder name, or create a workspace with 'presort import' "
            "or 'presort demo'."
        )
    return path


def make_folder(folder: Path) -> None:
    """Create a folder that only its owner can access. An existing folder is left unchanged."""
    try:
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(f"The folder {folder} can't be created: {error.strerror}.") from error


def may_write(path: Path) -> bool:
    """Return True if a database and its companion files are writable."""
    effective = os.access in os.supports_effective_ids
    places = [place for place in (path.parent, path) if place.exists()]
    return all(os.access(place, os.W_OK, effective_ids=effective) for place in places)


def make_private(path: Path) -> None:
    """Remove other users' permissions on a database and its companion files, if the current user owns them."""
    for file in (path, companion(path, LOG), companion(path, INDEX)):
        try:
            found = file.stat()
            if found.st_uid == os.geteuid() and found.st_mode & 0o077:
                file.chmod(found.st_mode & 0o700)
        except FileNotFoundError:
            continue


@contextmanager
def create_exclusively(path: Path) -> Iterator[None]:
    """Hold a lock so that only one process at a time creates a database. The file is private from the start.

    Without this lock, concurrent attempts would fail immediately in SQLite instead of waiting.
    """
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
        lock.unlink(missing_ok=True)  # from now on, waiting processes find the finished database
    finally:
        os.close(descriptor)
