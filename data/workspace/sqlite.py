"""SQLite database of a workspace: connections, locks and error messages."""

import os
import shutil
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from presort.data.errors import DamagedCellError, WorkspaceError
from presort.data.workspace import folder as workspace_folder
from presort.data.workspace.folder import INDEX, LOG, FolderLock, companion, has_log, lock_file, may_write

DAMAGED = "is damaged. 'presort db check' shows where, and 'presort db restore' restores a backup"
READ_ONLY = "can't be written to. Check the permissions of the folder and its files"
NO_DATABASE = "is not a Presort database; choose another workspace folder"
UNREADABLE = "can't be opened. Check that the folder exists and is readable"
FULL = "can't grow because the disk is full. The last change was not saved"
OTHER_LOG = (
    "and its log {log} don't belong together because the database file was replaced. Nothing "
    "was changed. Move both files away and restore a backup with 'presort db restore'"
)

# Messages for errors with external causes, by primary error code. Other errors are bugs.
WORLD = {
    sqlite3.SQLITE_BUSY: "has been locked by another process for more than 10 s. Try again in a moment",
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_IOERR: "can't be read or written: the disk reports an error",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: NO_DATABASE,
    sqlite3.SQLITE_CANTOPEN: UNREADABLE,
}
NOT_UTF8 = "Could not decode to UTF-8"  # start of the driver's error message, which has no error code
TEMPORARY = ("SQLITE_TMPDIR", "TMPDIR")  # environment variables that SQLite checks first to find a temporary folder
PLACES = ("/var/tmp", "/usr/tmp", "/tmp")  # noqa: S108  (only named in a message, nothing is written there)
WRITING = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR})

PAGE_SIZE = "page_size=8192"  # writing abstracts takes a third less time than with a page size of 4096
SAFE = (
    *("journal_mode=WAL", "foreign_keys=ON", "synchronous=FULL"),
    "secure_delete=ON",  # overwrites erased data in the file; only some builds of SQLite do so by default
    "recursive_triggers=ON",  # otherwise, INSERT OR REPLACE would delete log rows despite their triggers
)
QUICKLY = 128 * 2**20  # larger databases, in bytes, aren't checked when opened, because this would take over 0.2 s
LOG_HEADER, FRAME_HEADER = 32, 24  # sizes in bytes


class SqliteDatabase:
    """SQLite database file. While it is open, a lock prevents other Presort processes from replacing it.

    Attributes
    ----------
    folder, path : Path
    name : str
        Path as a string, used in messages and as a cache key.
    engine : Engine
        SQLAlchemy engine. Each transaction sees the database as it was at the transaction's first query. Transactions
        that write to the database need the `immediate` option, and run one at a time.
    is_read_only : bool
        True if the file or its folder is not writable.
    """

    def __init__(self, path: Path) -> None:
        self.folder, self.path, self.name = path.parent, path, str(path)
        self.is_read_only = path.exists() and not may_write(path)
        self._lock = FolderLock(path.parent)
        self._lock.share()
        self.engine = engine_of(path, is_read_only=self.is_read_only)
        self._file: tuple[int, int] | None = None  # device and inode of the open file

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Yield a connection without a transaction. Errors with external causes are converted to a `WorkspaceError`."""
        if self._file is not None:
            self.demand_same()  # otherwise, SQLite would create an empty file if the database file was deleted
        with explain_errors(self.path), self.engine.connect() as connection:
            self._file = self._file or _identity(self.path)
            yield connection

    def demand_same(self) -> None:
        """Raise WorkspaceError if the file was deleted or replaced, because writes to it would be lost."""
        if _identity(self.path) != self._file:
            raise WorkspaceError(
                f"{self.path} was deleted or replaced while it was open, so nothing can be saved. Restart presort."
            )

    def refuse_damaged(self, connection: Connection) -> None:
        """Raise WorkspaceError if a quick check finds damage.

        Large files are not checked, because this would take too long. Damage to them is found when the damaged part is
        read.
        """
        if self.path.stat().st_size <= QUICKLY:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
            if found != "ok":
                raise WorkspaceError(f"{self.path} {DAMAGED}.")

    @contextmanager
    def try_sole_use(self) -> Iterator[bool]:
        """Try to lock the database for sole use, and yield True if this succeeds.

        It fails if any process, or this object, has the database open. If it succeeds, no process can open the database
        during the block.
        """
        try:
            yield self._file is None and self._lock.try_exclusive()
        finally:
            self._lock.share()

    def lock(self, name: str, busy: str) -> AbstractContextManager[None]:
        """Hold a lock on a file in the folder. If it is already locked, raise RefusedError with the message `busy`."""
        return lock_file(self.folder / f"{name}.lock", busy)

    def close(self) -> None:
        """Close all connections.

        When the last process closes its connections, SQLite merges the log into the database file and deletes the log.
        """
        self.engine.dispose()
        self._lock.release()


def engine_of(path: Path, *, is_read_only: bool) -> Engine:
    """Create an engine for a file. It begins transactions explicitly instead of leaving this to the driver."""
    # Uses a URL object instead of a string, because folder names may contain "?". Parameters are hidden to keep
    # personal data out of errors, which may be logged.
    engine = create_engine(URL.create("sqlite", database=str(path)), hide_parameters=True)
    pragmas = ("query_only=ON",) if is_read_only else (PAGE_SIZE, *SAFE)

    @event.listens_for(engine, "connect")
    def set_up(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (f"busy_timeout={workspace_folder.BUSY_TIMEOUT_MS}", *pragmas):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    if is_read_only:

        @event.listens_for(engine, "do_connect")
        def connect(*_: object) -> sqlite3.Connection:
            return sqlite3.connect(reading_address(path), uri=True, check_same_thread=False)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        is_writing = connection.get_execution_options().get("immediate", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")

    @event.listens_for(engine, "handle_error")
    def name_the_temporary_folder(context: ExceptionContext) -> None:
        options = context.connection.get_execution_options() if context.connection is not None else {}
        is_writing = bool(options.get("immediate", False))
        if problem := temporary_problem(context.original_exception, path, is_writing=is_writing):
            raise WorkspaceError(problem) from context.original_exception

    return engine


@contextmanager
def open_read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a read-only connection. Other processes may write at the same time.

    Afterwards, no new files remain next to the database.

    Raises
    ------
    WorkspaceError
        If the `-wal` file has changes that can't be read because the folder is read-only.
    """
    had_log = companion(path, LOG).exists()
    try:
        with closing(sqlite3.connect(reading_address(path), uri=True)) as connection:
            yield connection
    finally:
        if not had_log and may_write(path):
            # A read-only connection creates a log but can't delete it. Closing a writable connection deletes the log.
            address = f"{path.resolve().as_uri()}?mode=rw"
            with suppress(sqlite3.Error), closing(sqlite3.connect(address, uri=True)) as writer:
                writer.execute("PRAGMA schema_version").fetchone()


def reading_address(path: Path) -> str:
    """Return the URI that opens a database read-only.

    Raises
    ------
    WorkspaceError
        If the database's `-wal` file has changes that can't be read because the folder is read-only.
    """
    how = "mode=ro"
    if not may_write(path) and not companion(path, INDEX).exists():
        if has_log(path):
            raise WorkspaceError(
                f"{path} can't be read. It has changes in {companion(path, LOG).name} that SQLite can only read "
                "if the folder is writable. Open the workspace once with write access."
            )
        # If there are no companion files, no process has the database open. Without this option, SQLite would try to
        # create these files.
        how += "&immutable=1"
    return f"{path.resolve().as_uri()}?{how}"


def refuse_other_log(path: Path) -> None:
    """Check that a log left by a crash belongs to its database file.

    Every change increases the revision by one, so the revision in the file is behind the newest revision by at most the
    number of changes in the log. An open database is not checked, because it was checked when it was opened.

    Raises
    ------
    WorkspaceError
        If the log does not belong to the file, for example because another file was copied over it.
    """
    if not has_log(path):
        return
    lock = FolderLock(path.parent)
    try:
        lock.share()  # waits while another process is checking
        if lock.try_exclusive():
            demand_own_log(path)
    finally:
        lock.release()


def demand_own_log(path: Path) -> None:
    """Check that a log belongs to its database file, like `refuse_other_log`.

    No process may have the database open.
    """
    if not has_log(path):
        return
    with suppress(sqlite3.Error):  # unreadable files are reported when they are opened
        own, newest = _revision(path, "mode=ro&immutable=1"), _revision(path, "mode=ro")
        if not newest - _n_changes(companion(path, LOG)) <= own <= newest:
            raise WorkspaceError(f"{path} {OTHER_LOG.format(log=companion(path, LOG).name)}.")


def _revision(path: Path, how: str) -> int:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?{how}", uri=True)) as connection:
        return int(connection.execute("SELECT number FROM revision").fetchone()[0])


def _n_changes(log: Path) -> int:
    """Count the valid transactions of a write-ahead log (https://sqlite.org/fileformat.html#walformat)."""
    n_changes = 0
    with log.open("rb") as file:
        if len(header := file.read(LOG_HEADER)) < LOG_HEADER:  # the file was truncated before the first change
            return 0
        _, _, page_size, _, *salts = struct.unpack(">6I", header[:24])
        while len(header := file.read(FRAME_HEADER)) == FRAME_HEADER:
            _, size_after, *frame_salts = struct.unpack(">4I", header[:16])
            if frame_salts != salts:
                break
            n_changes += size_after > 0
            file.seek(page_size, 1)
    return n_changes


@contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Convert errors with external causes to `WorkspaceError`. Other errors are bugs and are propagated unchanged."""
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
    """Describe an error in words that follow the database name in a message. Returns None if the error is a bug.

    Examples
    --------
    >>> reason_of(sqlite3.OperationalError("no such table: papr"))
    """
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return DAMAGED if str(error).startswith(NOT_UTF8) else None
    return WORLD.get(code & 0xFF)  # the low byte contains the primary code


def is_full(error: WorkspaceError) -> bool:
    """Return True if an error was raised because the database's disk is full."""
    cause = error.__cause__
    return reason_of(cause.orig if isinstance(cause, DBAPIError) else cause) == FULL


def temporary_problem(error: BaseException, path: Path, *, is_writing: bool) -> str | None:
    """Return an error message if SQLite's temporary files can't grow. Returns None if the error has another cause.

    Parameters
    ----------
    is_writing : bool
        True for a write transaction. In a read transaction, only the temporary folder can be full.
    """
    if getattr(error, "sqlite_errorcode", None) not in WRITING:
        return None
    place = temporary_folder()
    if is_writing and shutil.disk_usage(place).free >= shutil.disk_usage(path.parent).free:
        return None
    return (
        f"The temporary folder {place} is full or can't be written to. Free some space, or set TMPDIR to another "
        "folder. The last change was not saved."
    )


def temporary_folder() -> Path:
    """Return the folder where SQLite stores temporary files."""
    named = (os.environ.get(name) for name in TEMPORARY)
    for place in (*filter(None, named), *PLACES):
        if Path(place).is_dir() and os.access(place, os.W_OK | os.X_OK):
            return Path(place)
    return Path()


def _identity(path: Path) -> tuple[int, int] | None:
    """Return a file's device and inode, which change if the file is replaced. Returns None if there is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
