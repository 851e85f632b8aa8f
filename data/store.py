"""The store: connections, transactions and migrations of one workspace.

What is kept there is read and written by the functions of `data.catalogue`, `data.reviews`, `data.rankings` and
`data.publish`, which take a `Store` and speak in records.
"""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import alembic.command
import alembic.config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, update
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from data.errors import WorkspaceError
from data.tables import RevisionRow

BUSY_TIMEOUT_MS = 10_000
FILE_NAME = "presort.db"

# Conditions of the world, not bugs: each gets one line a person can act on.
WORLD = {
    sqlite3.SQLITE_BUSY: "is being written to by another process for more than 10 s; try again in a moment",
    sqlite3.SQLITE_READONLY: "can't be written to; check the permissions of the folder and its files",
    sqlite3.SQLITE_FULL: "can't grow: the disk is full; nothing of the last change was kept",
    sqlite3.SQLITE_IOERR: "can't be read or written: the disk reports an error",
    sqlite3.SQLITE_CORRUPT: "is damaged; put back a backup",
    sqlite3.SQLITE_NOTADB: "is not a Presort database; choose another workspace folder",
    sqlite3.SQLITE_CANTOPEN: "can't be opened; check that the folder exists and may be read",
}


class Store:
    """Connections to one workspace; every change happens inside `writing`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.engine = _engine(path)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one state of the workspace from its first query to its end."""
        with self.connection() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection that alone may write; all is kept at the end, or nothing after an error."""
        with self.connection() as connection, self.locked(connection):
            yield connection

    @contextmanager
    def locked(self, connection: Connection) -> Iterator[None]:
        """Write on a connection at hand: alone, and all or nothing."""
        connection.execution_options(immediate=True)
        with connection.begin():
            yield
            connection.execute(update(RevisionRow).values(number=RevisionRow.number + 1))

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Give a connection without a transaction; conditions of the world become a `WorkspaceError`."""
        with self._explained(), self.engine.connect() as connection:
            yield connection

    def close(self) -> None:
        """Give the files back."""
        self.engine.dispose()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn a condition of the world into a `WorkspaceError`; anything else is a bug and stays one."""
        try:
            yield
        except DBAPIError as error:
            code = getattr(error.orig, "sqlite_errorcode", None)
            reason = WORLD.get(code & 0xFF) if code is not None else None  # the low byte is the primary code
            if reason is None:
                raise
            raise WorkspaceError(f"{self.path} {reason}.") from error


def open_store(workspace: Path) -> Store:
    """Open the workspace folder, make it if there is none, and bring its tables to this version's.

    Raises
    ------
    WorkspaceError
        If the file can't be used, is not Presort's, or was written by a newer Presort.
    """
    try:
        workspace.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(f"{workspace} can't be made into a workspace folder: {error.strerror}.") from error
    store = Store(workspace / FILE_NAME)
    try:
        with _alone(workspace):
            migrate(store)
    except BaseException:
        store.close()
        raise
    return store


@contextmanager
def _alone(workspace: Path) -> Iterator[None]:
    """Let one process at a time open: of several that turn a new file to write-ahead, SQLite lets some fail at once."""
    try:
        folder = os.open(workspace, os.O_RDONLY)
    except OSError as error:
        raise WorkspaceError(f"{workspace} can't be opened: {error.strerror}.") from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def migrate(store: Store) -> None:
    """Run the migrations that are missing, all of them or none."""
    config = migration_config()
    newest = ScriptDirectory.from_config(config).get_current_head()
    with store.reading() as connection:
        current = MigrationContext.configure(connection).get_current_revision()
        is_foreign = current is None and inspect(connection).get_table_names()
    if is_foreign:
        raise WorkspaceError(f"{store.path} {WORLD[sqlite3.SQLITE_NOTADB]}.")
    if current == newest:
        return
    with store.connection() as connection:
        connection.execution_options(immediate=True)
        with connection.begin():  # by now another process may have done it: upgrade looks again, under the lock
            config.attributes["connection"] = connection
            try:
                alembic.command.upgrade(config, "head")
            except CommandError as error:
                raise WorkspaceError(
                    f"{store.path} was written by a newer Presort (its tables are at {current}); upgrade Presort."
                ) from error


def migration_config() -> alembic.config.Config:
    """Give Alembic's settings for our migrations, wherever the package is installed."""
    config = alembic.config.Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _engine(path: Path) -> Engine:
    engine = create_engine(URL.create("sqlite", database=str(path)))  # not as text: a folder may have a "?" in its name

    @event.listens_for(engine, "connect")
    def set_up(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        connection.isolation_level = None  # transactions begin where `begin` below says, not where the driver guesses
        cursor = connection.cursor()
        for pragma in (
            f"busy_timeout={BUSY_TIMEOUT_MS}",
            "page_size=8192",  # abstracts: a third less time to write than with 4096
            "journal_mode=WAL",
            "foreign_keys=ON",
            "synchronous=FULL",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        immediate = connection.get_execution_options().get("immediate", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine
