"""The store: connections, transactions and migrations of one workspace.

What is kept there is read and written by the functions of `presort.data.catalogue` and of the folders `editing`,
`learning`, `running`, `mail`, `copies` and `intake`, which take a `Store` and speak in records.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from copy import copy
from functools import cache
from pathlib import Path
from threading import RLock, get_ident
from typing import Any, TypeVar

import alembic.command
import alembic.config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, update

from presort.data.errors import OtherVersionError, WorkspaceError
from presort.data.rights import Guard, Right
from presort.data.tables import RevisionRow
from presort.data.tables.making import make_tables
from presort.data.workspace import folder as workspace_folder
from presort.data.workspace.file_copy import keep_before_upgrade
from presort.data.workspace.folder import FILE_NAME
from presort.data.workspace.opening import Database, find_database, preparing, refuse_development_version
from presort.data.workspace.sqlite import NO_DATABASE, READ_ONLY, SqliteDatabase

LOG = logging.getLogger(__name__)
MIGRATIONS = Path(__file__).parent / "migrations"
# The application passes connections down, but it alone speaks no SQL: so it gets their type from here.
__all__ = ["FILE_NAME", "Connection", "Store", "find_store", "migrate", "migration_config", "open_store"]


T = TypeVar("T")


class _Snapshot:
    """The read transaction that all reads of a `Store.snapshot` share, in the thread that opened the snapshot.

    A page also gives its store to other threads, which send mail or save decisions. They read in transactions of their
    own, because a connection serves one thread at a time.
    """

    def __init__(self, transaction: Callable[[], AbstractContextManager[Connection]]) -> None:
        self.values: dict[str, Any] = {}  # of `Store.once`
        self._transaction, self._begun = transaction, ExitStack()
        self._connection: Connection | None = None
        self._thread: int | None = get_ident()

    @property
    def is_open(self) -> bool:
        """True if reads of this thread share the transaction."""
        return self._thread == get_ident()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield the connection; begins the transaction if there is none."""
        if self._connection is None:
            self._connection = self._begun.enter_context(self._transaction())
        try:
            yield self._connection
        except BaseException as error:
            # After an error PostgreSQL refuses further reads in the transaction; errors of the database become ours.
            self._connection = None
            self.values.clear()
            self._begun.__exit__(type(error), error, error.__traceback__)
            raise

    def end(self) -> None:
        """End the transaction; the next read begins another one."""
        self.values.clear()
        self._connection = None
        self._begun.close()

    def close(self) -> None:
        """End the transaction; later reads begin transactions of their own."""
        self._thread = None
        self.end()


class Store:
    """Connections to one workspace; every change happens inside `writing`.

    A `guard` refuses what a signed-in visitor has no right to. It is None for commands and for users of the computer
    itself.
    """

    guard: Guard | None = None
    default_author: str = "manage"  # in logs, if nobody signed in
    _snapshot: "_Snapshot | None" = None
    _connection: Connection | None = None  # of the `transaction` that all reads and writes share

    def __init__(self, database: Database) -> None:
        self.database, self.folder, self.name = database, database.folder, database.name
        self.engine, self.is_read_only = database.engine, database.is_read_only
        self._turn = RLock()

    def guarded(self, guard: Guard) -> "Store":
        """Return the same store with a guard. It is closed with this one."""
        other = copy(self)
        other.guard = guard
        return other

    def cleared(self, right: Right = Right.MANAGE, *of: str) -> "Store":
        """Return the same store without a guard, after checking a right.

        For work of the service itself, as to sort a list by what all reports decided, which somebody may ask for.

        Raises
        ------
        ForbiddenError
            If the guard refuses.
        """
        if self.guard is None:
            return self
        with self.reading(right, *of) as connection:
            other = copy(self)
            other.default_author = self.author(connection)
        other.guard = None
        return other

    def author(self, connection: Connection) -> str:
        """Return the author that logs record for a change."""
        return self.default_author if self.guard is None else self.guard.name(connection)

    @contextmanager
    def reading(self, right: Right = Right.MANAGE, *of: str) -> Iterator[Connection]:
        """Yield a connection that sees one state of the workspace from its first query to its end.

        Within a `snapshot` or a `transaction` it is the connection of that.
        """
        with self._read_connection() as connection:
            self.demand(connection, right, *of)
            yield connection

    def _read_connection(self) -> AbstractContextManager[Connection]:
        if self._connection is not None:
            return nullcontext(self._connection)
        if self._snapshot is not None and self._snapshot.is_open:
            return self._snapshot.reading()
        return self._transaction()

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with self.connection() as connection, connection.begin():
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator["Store"]:
        """Yield this store such that all its reads share one transaction, which sees one state of the workspace.

        The transaction begins with the first read. A write through the yielded store ends it, so that the next read
        sees the change. After the block the yielded store behaves like this one, and so it does in other threads.
        Within a snapshot or a `transaction`, it is that one.
        """
        if self._connection is not None or (self._snapshot is not None and self._snapshot.is_open):
            yield self
            return
        other = copy(self)
        other._snapshot = _Snapshot(self._transaction)
        try:
            yield other
        finally:
            other._snapshot.close()

    def once(self, name: str, read: Callable[["Store"], T]) -> T:
        """Call `read` with this store and return its result; within a `snapshot`, call it only once.

        Saves queries whose result can't change within a transaction. The value must not depend on rights.
        """
        if self._snapshot is None or not self._snapshot.is_open:
            return read(self)
        values = self._snapshot.values
        if name not in values:
            values[name] = read(self)
        value: T = values[name]
        return value

    def end_snapshot(self) -> None:
        """End the read transaction of a `snapshot`, if there is one: before long work, and after a change.

        The next read begins another transaction.
        """
        if self._snapshot is not None and self._snapshot.is_open:
            self._snapshot.end()

    @contextmanager
    def writing(self, right: Right = Right.MANAGE, *of: str) -> Iterator[Connection]:
        """Yield a connection under the write lock. Commits at the end, rolls back after an error.

        Within a `transaction` it is a savepoint of that: an error undoes this part alone.
        """
        if self._connection is not None:
            with self._connection.begin_nested():
                self.demand(self._connection, right, *of)
                yield self._connection
            return
        self.end_snapshot()  # first, because a thread that holds one connection must not wait for a second
        with self._in_turn(), self.connection() as connection, self.locked(connection, right, *of):
            yield connection

    @contextmanager
    def transaction(self, right: Right = Right.MANAGE, *of: str) -> Iterator["Store"]:
        """Yield this store such that all its reads and writes share one write transaction.

        Everything is committed after the block, or nothing after an error. Nobody else writes meanwhile, so what was
        read in the block still holds when it is committed. After the block the yielded store behaves like this one.
        """
        with self.writing(right, *of) as connection:
            other = copy(self)
            other._connection = connection
            try:
                yield other
            finally:
                other._connection = None

    def demand(self, connection: Connection, right: Right, *of: str) -> None:
        """Refuse to continue without a right on reports or on a person.

        Raises
        ------
        ForbiddenError
            If the guard refuses.
        """
        if self.guard is not None:
            self.guard.demand(connection, right, of)

    def granted(self, connection: Connection, right: Right, reports: Sequence[str]) -> list[bool]:
        """Return for each report whether a right on it is granted."""
        return [True] * len(reports) if self.guard is None else self.guard.has(connection, right, reports)

    @contextmanager
    def locked(self, connection: Connection, right: Right = Right.MANAGE, *of: str) -> Iterator[None]:
        """Write on an open connection under the write lock, all or nothing."""
        if self.is_read_only:
            raise WorkspaceError(f"{self.name} {READ_ONLY}.")
        connection.execution_options(immediate=True)
        with self._in_turn(), connection.begin():
            self.demand(connection, right, *of)
            yield
            self.database.demand_same()
            connection.execute(update(RevisionRow).values(number=RevisionRow.number + 1))
        self.end_snapshot()

    def connection(self) -> AbstractContextManager[Connection]:
        """Yield a connection without a transaction; conditions of the world become a `WorkspaceError`."""
        return self.database.connected()

    def lock(self, name: str, busy: str) -> AbstractContextManager[None]:
        """Hold a lock among all processes that use this workspace.

        Raises
        ------
        RefusedError
            If another does it, in the words of `busy`.
        """
        return self.database.lock(name, busy)

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Queue the writers of this process. Otherwise each would hold a connection while it retries.

        After the timeout the writer tries without its turn, and the database reports that it is busy.
        """
        is_held = self._turn.acquire(timeout=workspace_folder.BUSY_TIMEOUT_MS / 1000)
        try:
            yield
        finally:
            if is_held:
                self._turn.release()

    def has_no_tables(self) -> bool:
        """Return whether nothing at all is in the database."""
        with self.reading() as connection:
            return not inspect(connection).get_table_names()

    def close(self) -> None:
        """Close all connections."""
        self.database.close()


def open_store(workspace: Path, url: str = "", *, creates: bool = True) -> Store:
    """Open a workspace and upgrade its tables to this version's.

    Parameters
    ----------
    workspace : Path
    url : str
        Of the PostgreSQL database that keeps it. Defaults to a file of the folder.
    creates : bool
        Create the folder and its file if they don't exist.

    Raises
    ------
    WorkspaceError
        If the database can't be used, is damaged, is not Presort's, or was written by a development version or by a
        newer Presort; or if it doesn't exist.
    """
    with preparing(workspace, url, creates=creates) as database:
        store = Store(database)
        try:
            migrate(store)
        except BaseException:
            store.close()
            raise
    return store


def find_store(workspace: Path, url: str = "") -> Store:
    """Return the store of a workspace that is there, neither opened nor brought to this version's tables.

    Raises
    ------
    WorkspaceError
        If there is none.
    """
    return Store(find_database(workspace, url))


def refuse_other_tables(workspace: Path, url: str = "") -> None:
    """Refuse a workspace whose tables this version can neither read nor upgrade; nothing of it is changed.

    Raises
    ------
    OtherVersionError
        If it was written by a development version or by a newer Presort.
    WorkspaceError
        If there is none, or it can't be read.
    """
    with closing(find_store(workspace, url)) as store, store.reading() as connection:
        demand_known(connection, store.name)


def migrate(store: Store) -> None:
    """Create the tables of an empty database, or run the migrations that are missing: all of them or none.

    A file is copied before its tables change.

    Raises
    ------
    WorkspaceError
        If the database is damaged, is not Presort's, or was written by a development version or by a newer Presort.
    """
    with store.reading() as connection:
        store.database.refuse_damaged(connection)
        current = demand_known(connection, store.name)
    if current == newest_revision():
        return
    if store.is_read_only:
        raise WorkspaceError(f"{store.name} {READ_ONLY}. It is of an older Presort, and has to be brought up to date.")
    with store.connection() as connection:
        connection.execution_options(immediate=True)
        with connection.begin():
            # Another process may have done it meanwhile: look again under the lock.
            current = demand_known(connection, store.name)
            if not current:
                make_database(connection)
            elif current != newest_revision():
                LOG.info("The tables are brought from %s to %s.", current, newest_revision())
                if isinstance(store.database, SqliteDatabase):  # PostgreSQL's administrators make backups themselves
                    keep_before_upgrade(store.database.path, current)
                alembic.command.upgrade(migration_config(connection), "head")


def make_database(connection: Connection) -> None:
    """Create all tables of this version in an empty database, without running the migrations that led to them."""
    make_tables(connection)
    alembic.command.stamp(migration_config(connection), "head", purge=True)


def demand_known(connection: Connection, name: str) -> str:
    """Return the revision of the tables, which this Presort can read or upgrade; empty if the database is empty.

    Raises
    ------
    WorkspaceError
        If the database is not Presort's, or was written by a development version or by a newer Presort.
    """
    current = MigrationContext.configure(connection).get_current_revision() or ""
    if not current and inspect(connection).get_table_names():
        raise WorkspaceError(f"{name} {NO_DATABASE}.")
    refuse_development_version(current, name)
    if current and current not in known_revisions():
        raise OtherVersionError(
            f"{name} was written by a newer version (database revision {current}). Upgrade Presort."
        )
    return current


def demand_newest(connection: Connection, name: str) -> None:
    """Refuse tables that are not this version's.

    Raises
    ------
    WorkspaceError
        If the database is of another Presort.
    """
    current = demand_known(connection, name)
    if current != newest_revision():
        known = f"its tables are at {current}" if current else "it has no tables"
        raise WorkspaceError(f"{name} is not up to date: {known}. Open it by this Presort once, or upgrade Presort.")


def migration_config(connection: Connection | None = None) -> alembic.config.Config:
    """Return Alembic's settings for our migrations, wherever the package is installed.

    Parameters
    ----------
    connection : Connection, optional
        In a transaction; the migrations run in it.
    """
    config = alembic.config.Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


@cache
def known_revisions() -> tuple[str, ...]:
    """Return the revisions of tables that this Presort can read or upgrade, newest first; all migrations are loaded."""
    return tuple(one.revision for one in ScriptDirectory.from_config(migration_config()).walk_revisions())


def newest_revision() -> str:
    """Return the revision of the tables of this version."""
    return known_revisions()[0]
