"""A workspace whose database is one file in its folder."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from sqlalchemy import Connection

from presort.data.errors import WorkspaceError
from presort.data.workspace import database, locks
from presort.data.workspace.damage import refuse_damaged
from presort.data.workspace.file_copy import keep_before_upgrade
from presort.data.workspace.folder import FolderLock, may_write
from presort.data.workspace.sqlite_errors import explained
from presort.data.workspace.sqlite_file import engine_of

QUICKLY = 128 * 2**20  # bytes that are read in a fifth of a second


class SqliteDatabase:
    """A database file; as long as it is open, no other one is put in its place."""

    def __init__(self, path: Path) -> None:
        self.folder, self.path, self.name = path.parent, path, str(path)
        self.is_read_only = path.exists() and not may_write(path)
        self._lock = FolderLock(path.parent)
        self._lock.share()
        self.engine = engine_of(path, busy_timeout_ms=database.BUSY_TIMEOUT_MS, is_read_only=self.is_read_only)
        self._file: tuple[int, int] | None = None  # device and inode of what was opened

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Yield a connection without a transaction."""
        if self._file is not None:
            self.demand_same()  # before SQLite would make an empty one
        with explained(self.path), self.engine.connect() as connection:
            self._file = self._file or _identity(self.path)
            yield connection

    def demand_same(self) -> None:
        """Refuse to go on in a file that the path no longer leads to: what is written there is lost."""
        if _identity(self.path) != self._file:
            raise WorkspaceError(
                f"{self.path} was deleted or replaced while it was open: nothing can be saved. Start presort again."
            )

    def refuse_damaged(self, connection: Connection) -> None:
        """Refuse a file that a look finds damaged; a large one takes long, and shows damage where it is read."""
        if self.path.stat().st_size > QUICKLY:
            return
        refuse_damaged(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one(), self.path)

    def keep_before_upgrade(self, schema: str) -> None:
        """Keep a copy of the file, beside its backups."""
        keep_before_upgrade(self.path, schema)

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Yield whether nobody has the database open, this one included, and nobody opens it meanwhile."""
        try:
            yield self._file is None and self._lock.take_alone()
        finally:
            self._lock.share()

    def lock(self, name: str, busy: str) -> AbstractContextManager[None]:
        """Hold a lock file in the folder; it is empty."""
        return locks.alone(self.folder / f"{name}.lock", busy)

    def close(self) -> None:
        """Release the files; the last that does puts all changes into the database and leaves no log beside it."""
        self.engine.dispose()
        self._lock.give_back()


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one of the same name; None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
