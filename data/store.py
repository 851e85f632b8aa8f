"""Store: connections and transactions of one workspace.

The functions in `presort.data.catalogue` and in the packages `editing`, `learning`, `running`, `mail`, `duplicates` and
`intake` read and write the workspace's content. They take a `Store` and use the classes in `presort.data.records`.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from copy import copy
from pathlib import Path
from threading import RLock, get_ident
from typing import Any, TypeVar

import alembic.command
from sqlalchemy import Connection, inspect, update

from presort.data.errors import WorkspaceError
from presort.data.revisions import demand_known_revision, make_database, migration_config, newest_revision
from presort.data.rights import Guard, Right
from presort.data.tables import RevisionRow
from presort.data.workspace import folder as workspace_folder
from presort.data.workspace.file_copy import keep_before_upgrade
from presort.data.workspace.folder import FILE_NAME
from presort.data.workspace.opening import Database, find_database, prepare_database
from presort.data.workspace.sqlite import READ_ONLY, SqliteDatabase

LOG = logging.getLogger(__name__)
NEXT_REVISION = update(RevisionRow).values(number=RevisionRow.number + 1)
# Exports `Connection`, because the desk passes connections to functions in `data` but must not import SQLAlchemy.
__all__ = ["FILE_NAME", "Connection", "Store", "find_store", "migrate", "open_store"]


T = TypeVar("T")


class _Snapshot:
    """Read transaction shared by all reads within a `Store.snapshot` in the thread that opened it.

    Pages also pass their store to other threads, which send mail or save decisions. Those threads use separate
    transactions, because a connection can only be used by one thread.
    """

    def __init__(self, transaction: Callable[[], AbstractContextManager[Connection]]) -> None:
        self.values: dict[str, Any] = {}  # cached results of `Store.read_once`
        self._transaction, self._exit_stack = transaction, ExitStack()
        self._connection: Connection | None = None
        self._thread: int | None = get_ident()

    @property
    def is_open(self) -> bool:
        """True if reads in the current thread share the transaction."""
        return self._thread == get_ident()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield the connection, after beginning the transaction if there is none."""
        if self._connection is None:
            self._connection = self._exit_stack.enter_context(self._transaction())
        try:
            yield self._connection
        except BaseException as error:
            # End the transaction, because PostgreSQL refuses further reads after an error. The error is propagated, so
            # that the connection can convert a database error to a `WorkspaceError`.
            self._connection = None
            self.values.clear()
            self._exit_stack.__exit__(type(error), error, error.__traceback__)
            raise

    def end(self) -> None:
        """End the transaction. The next read begins a new one."""
        self.values.clear()
        self._connection = None
        self._exit_stack.close()

    def close(self) -> None:
        """End the transaction. Later reads use separate transactions."""
        self._thread = None
        self.end()


class Store:
    """Connections to one workspace. All changes are made within `writing` or `transaction`.

    The `guard` checks the rights of a signed-in user. It is None for commands, and for users of a desk without sign-in.
    """

    guard: Guard | None = None
    default_author: str = "manage"  # author in logs if no user is signed in
    _snapshot: "_Snapshot | None" = None
    _connection: Connection | None = None  # connection of a `transaction`, shared by all reads and writes

    def __init__(self, database: Database) -> None:
        self.database, self.folder, self.name = database, database.folder, database.name
        self.engine, self.is_read_only = database.engine, database.is_read_only
        self._turn = RLock()

    def with_guard(self, guard: Guard) -> "Store":
        """Return a copy of this store with a guard. Both share their connections, so closing one store closes both."""
        other = copy(self)
        other.guard = guard
        return other

    def without_guard(self, right: Right = Right.MANAGE, *of: str) -> "Store":
        """Check a right, and return a copy of the store without a guard.

        This is used for work that a user may start even though it needs rights that they lack. For example, ranking a
        list reads the decisions on all reports.

        Raises
        ------
        ForbiddenError
            If the user lacks the right.
        """
        if self.guard is None:
            return self
        with self.reading(right, *of) as connection:
            other = copy(self)
            other.default_author = self.author(connection)
        other.guard = None
        return other

    def author(self, connection: Connection) -> str:
        """Return the author for log entries."""
        return self.default_author if self.guard is None else self.guard.name(connection)

    @contextmanager
    def reading(self, right: Right = Right.MANAGE, *of: str) -> Iterator[Connection]:
        """Yield a connection whose queries all see the state of the workspace at the first query.

        Within a `snapshot` or a `transaction`, this is the connection of that snapshot or transaction.
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
        """Yield a copy of the store whose reads share a transaction and therefore see the same state of the workspace.

        The transaction begins with the first read. A write through the yielded store ends it, so that the next read
        sees the change. After the block, and in other threads, the yielded store behaves like this one. Within a
        snapshot or a `transaction`, this store itself is yielded.
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

    def read_once(self, name: str, read: Callable[["Store"], T]) -> T:
        """Call `read` with this store and return the result, which is cached within a `snapshot`.

        This avoids repeating queries whose result can't change within a transaction. The result must not depend on
        rights.
        """
        if self._snapshot is None or not self._snapshot.is_open:
            return read(self)
        values = self._snapshot.values
        if name not in values:
            values[name] = read(self)
        value: T = values[name]
        return value

    def end_snapshot(self) -> None:
        """End the read transaction of a `snapshot`, so that the next read begins a new one.

        Outside a snapshot, this does nothing. It is called before long work, to avoid holding the transaction open, and
        after a change, to make the change visible.
        """
        if self._snapshot is not None and self._snapshot.is_open:
            self._snapshot.end()

    @contextmanager
    def writing(self, right: Right = Right.MANAGE, *of: str) -> Iterator[Connection]:
        """Yield a connection that holds the write lock. Commit after the block, or roll back after an error.

        Within a `transaction`, the block runs in a savepoint, so that an error undoes only the changes made in the
        block.
        """
        if self._connection is not None:
            with self._connection.begin_nested():
                self.demand(self._connection, right, *of)
                yield self._connection
            return
        self.end_snapshot()  # a thread that holds a connection must not wait for a second connection
        with self._take_turn(), self.connection() as connection, self.write_transaction(connection, right, *of):
            yield connection

    @contextmanager
    def transaction(self, right: Right = Right.MANAGE, *of: str) -> Iterator["Store"]:
        """Yield a copy of the store whose reads and writes share one write transaction.

        All changes are committed after the block, or rolled back after an error. No other thread or process can write
        during the block, so data read in the block is still valid at the commit. After the block, the yielded store
        behaves like this one.
        """
        with self.writing(right, *of) as connection:
            other = copy(self)
            other._connection = connection
            try:
                yield other
            finally:
                other._connection = None

    def demand(self, connection: Connection, right: Right, *of: str) -> None:
        """Check that the user has a right on the given reports or person.

        Raises
        ------
        ForbiddenError
            If the user lacks the right.
        """
        if self.guard is not None:
            self.guard.demand(connection, right, of)

    def has_right(self, connection: Connection, right: Right, reports: Sequence[str]) -> list[bool]:
        """Return one boolean per report, which is True if the user has the right on that report."""
        return [True] * len(reports) if self.guard is None else self.guard.has(connection, right, reports)

    @contextmanager
    def write_transaction(self, connection: Connection, right: Right = Right.MANAGE, *of: str) -> Iterator[None]:
        """Run a write transaction on an open connection under the write lock."""
        if self.is_read_only:
            raise WorkspaceError(f"{self.name} {READ_ONLY}.")
        connection.execution_options(immediate=True)
        with self._take_turn(), connection.begin():
            self.demand(connection, right, *of)
            yield
            self.database.demand_same()
            connection.execute(NEXT_REVISION)
        self.end_snapshot()

    def connection(self) -> AbstractContextManager[Connection]:
        """Yield a connection without a transaction. Errors with external causes are converted to a `WorkspaceError`."""
        return self.database.connect()

    def lock(self, name: str, busy: str) -> AbstractContextManager[None]:
        """Hold a named lock. No other process or thread that uses this workspace can hold it at the same time.

        Raises
        ------
        RefusedError
            If the lock is already held. The error message is `busy`.
        """
        return self.database.lock(name, busy)

    @contextmanager
    def _take_turn(self) -> Iterator[None]:
        """Run the block when no other thread of this process is writing.

        Without this queue, each waiting thread would hold a connection. After the timeout, the thread continues anyway
        and the database reports that it is busy.
        """
        is_held = self._turn.acquire(timeout=workspace_folder.BUSY_TIMEOUT_MS / 1000)
        try:
            yield
        finally:
            if is_held:
                self._turn.release()

    def has_no_tables(self) -> bool:
        """Return True if the database has no tables."""
        with self.reading() as connection:
            return not inspect(connection).get_table_names()

    def close(self) -> None:
        """Close all connections."""
        self.database.close()


def open_store(workspace: Path, url: str = "", *, creates: bool = True) -> Store:
    """Open a workspace and upgrade its tables to the current version.

    Parameters
    ----------
    workspace : Path
        Workspace folder.
    url : str
        URL of the workspace's PostgreSQL database. Defaults to a database file in the folder.
    creates : bool
        Create the folder and the file if they don't exist.

    Raises
    ------
    WorkspaceError
        If the database does not exist, can't be used, is damaged, is not a Presort database, or was written by a
        development version or a newer version.
    """
    with prepare_database(workspace, url, creates=creates) as database:
        store = Store(database)
        try:
            migrate(store)
        except BaseException:
            store.close()
            raise
    return store


def find_store(workspace: Path, url: str = "") -> Store:
    """Return the store of an existing workspace without upgrading its tables.

    Raises
    ------
    WorkspaceError
        If there is no workspace.
    """
    return Store(find_database(workspace, url))


def refuse_other_tables(workspace: Path, url: str = "") -> None:
    """Check that this version can read or upgrade a workspace, without changing the workspace.

    Raises
    ------
    OtherVersionError
        If the workspace was written by a development version or a newer version.
    WorkspaceError
        If there is no workspace, or if it can't be read.
    """
    with closing(find_store(workspace, url)) as store, store.reading() as connection:
        demand_known_revision(connection, store.name)


def migrate(store: Store) -> None:
    """Create the tables of an empty database, or run all missing migrations in one transaction.

    A database file is copied before it is migrated.

    Raises
    ------
    WorkspaceError
        If the database is damaged, is not a Presort database, or was written by a development version or a newer
        version.
    """
    with store.reading() as connection:
        store.database.refuse_damaged(connection)
        current = demand_known_revision(connection, store.name)
    if current == newest_revision():
        return
    if store.is_read_only:
        raise WorkspaceError(f"{store.name} {READ_ONLY}. It was written by an older version and must be upgraded.")
    with store.connection() as connection:
        connection.execution_options(immediate=True)
        with connection.begin():
            # Check again under the lock, because another process may have migrated the database in the meantime.
            current = demand_known_revision(connection, store.name)
            if not current:
                make_database(connection)
            elif current != newest_revision():
                LOG.info("Upgrading the database from revision %s to %s.", current, newest_revision())
                if isinstance(store.database, SqliteDatabase):  # PostgreSQL administrators make their own backups
                    keep_before_upgrade(store.database.path, current)
                alembic.command.upgrade(migration_config(connection), "head")
