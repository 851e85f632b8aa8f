"""The folder of a workspace: who holds it open, and that nobody else on the machine reads its database."""

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from presort.data.errors import WorkspaceError
from presort.data.workspace import locks

FILE_NAME = "presort.db"
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600  # readers' addresses stand in the database
LOG, INDEX = "-wal", "-shm"  # behind the name of the database: what is not in it yet, and where


class FolderLock:
    """The lock of a workspace: held together by all that have it open, or alone by what puts another database there.

    It is the folder itself that is locked, which works where nothing may be written; the system takes the lock back
    even from a process that was killed.
    """

    def __init__(self, folder: Path) -> None:
        locks.check_shareable()
        try:
            self._descriptor = os.open(folder, os.O_RDONLY)
        except OSError as error:
            raise WorkspaceError(f"{folder} can't be opened: {error.strerror}.") from error
        self._close = weakref.finalize(self, os.close, self._descriptor)

    def share(self) -> None:
        """Hold it with others; wait for one that holds it alone."""
        locks.share(self._descriptor)

    def take_alone(self) -> bool:
        """Hold it alone, or tell that others hold it; then it is not held at all."""
        return locks.take(self._descriptor)

    def give_back(self) -> None:
        """Hold it no more."""
        self._close()


def beside(path: Path, ending: str) -> Path:
    """Return the file that SQLite keeps beside a database.

    Examples
    --------
    >>> beside(Path("presort.db"), LOG).name
    'presort.db-wal'
    """
    return path.with_name(path.name + ending)


def has_log(path: Path) -> bool:
    """Return whether there are changes beside a database that are not in it yet."""
    log = beside(path, LOG)
    return log.exists() and log.stat().st_size > 0


def demand_database(folder: Path) -> Path:
    """Return the database of a workspace folder; where there is none it is refused, and nothing is made."""
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
    """Return whether a database and the files beside it can be changed."""
    effective = os.access in os.supports_effective_ids
    places = [place for place in (path.parent, path) if place.exists()]
    return all(os.access(place, os.W_OK, effective_ids=effective) for place in places)


def make_private(path: Path) -> None:
    """Take from others what they may do with a database, if it is ours; SQLite makes files beside it alike."""
    for file in (path, beside(path, LOG), beside(path, INDEX)):
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
        locks.wait_for(descriptor)
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
        yield
        lock.unlink(missing_ok=True)  # who waits for it by now finds the database made
    finally:
        os.close(descriptor)
