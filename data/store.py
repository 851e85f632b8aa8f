"""The store: connections, transactions and migrations of one workspace.

What is kept there is read and written by the functions of `data.catalogue` and of the folders `editing`, `learning`,
`running`, `mail`, `copies` and `intake`, which take a `Store` and speak in records.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cache
from pathlib import Path
from threading import RLock

import alembic.command
import alembic.config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Connection, inspect, update

from data.errors import WorkspaceError
from data.rights import Guard, Right
from data.tables import RevisionRow
from data.workspace.damage import refuse_damaged, refuse_other_log
from data.workspace.folder import FILE_NAME, FolderLock, make_folder, make_private, making, may_write
from data.workspace.sqlite_errors import NO_DATABASE, READ_ONLY, explained
from data.workspace.sqlite_file import engine_of

BUSY_TIMEOUT_MS = 10_000

__all__ = ["FILE_NAME", "Store", "explained", "migrate", "migration_config", "open_store"]


class Store:
    """Connections to one workspace; every change happens inside `writing`.

    As long as one is open, no other database is put in its place. A `guard` refuses what somebody has no right to; none
    is there for whoever runs commands, or sits at the computer itself.
    """

    guard: Guard | None = None
    named: str = "manage"  # whom logs name where nobody signed in

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_read_only = path.exists() and not may_write(path)
        self._lock = FolderLock(path.parent)
        self._lock.share()
        self.engine = engine_of(path, busy_timeout_ms=BUSY_TIMEOUT_MS, is_read_only=self.is_read_only)
        self._file: tuple[int, int] | None = None  # device and inode of what was opened
        self._turn = RLock()

    def guarded(self, guard: Guard) -> "Store":
        """Return the same store for somebody whose rights are looked at; it is closed with this one."""
        other = copy(self)
        other.guard = guard
        return other

    def cleared(self, right: Right = Right.MANAGE, *of: str) -> "Store":
        """Return the same store without a guard, once it has granted a right.

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
            other.named = self.author(connection)
        other.guard = None
        return other

    def author(self, connection: Connection) -> str:
        """Return whom a log names as who changes something."""
        return self.named if self.guard is None else self.guard.name(connection)

    @contextmanager
    def reading(self, right: Right = Right.MANAGE, *of: str) -> Iterator[Connection]:
        """Yield a connection that sees one state of the workspace from its first query to its end."""
        with self.connection() as connection, connection.begin():
            self.demand(connection, right, *of)
            yield connection

    @contextmanager
    def writing(self, right: Right = Right.MANAGE, *of: str) -> Iterator[Connection]:
        """Yield a connection that alone may write; all is kept at the end, or nothing after an error."""
        with self._in_turn(), self.connection() as connection, self.locked(connection, right, *of):
            yield connection

    def demand(self, connection: Connection, right: Right, *of: str) -> None:
        """Refuse to go on without a right, of reports or of a person.

        Raises
        ------
        ForbiddenError
            If the guard refuses.
        """
        if self.guard is not None:
            self.guard.demand(connection, right, of)

    def granted(self, connection: Connection, right: Right, reports: Sequence[str]) -> list[bool]:
        """Return for each of some reports whether a right to it is granted."""
        return [True] * len(reports) if self.guard is None else self.guard.has(connection, right, reports)

    @contextmanager
    def locked(self, connection: Connection, right: Right = Right.MANAGE, *of: str) -> Iterator[None]:
        """Write on a connection at hand: alone, and all or nothing."""
        if self.is_read_only:
            raise WorkspaceError(f"{self.path} {READ_ONLY}.")
        connection.execution_options(immediate=True)
        with self._in_turn(), connection.begin():
            self.demand(connection, right, *of)
            yield
            self._demand_same_file()
            connection.execute(update(RevisionRow).values(number=RevisionRow.number + 1))

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Yield a connection without a transaction; conditions of the world become a `WorkspaceError`."""
        if self._file is not None:
            self._demand_same_file()  # before SQLite would make an empty one
        with explained(self.path), self.engine.connect() as connection:
            self._file = self._file or _identity(self.path)
            yield connection

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Yield whether nobody has the database open, this store included, and nobody opens it meanwhile."""
        try:
            yield self._file is None and self._lock.take_alone()
        finally:
            self._lock.share()

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Wait for those of this process who write: SQLite would have each sleep and try again, for ever longer.

        Whoever waits too long tries all the same, and SQLite says that the database is busy.
        """
        is_held = self._turn.acquire(timeout=BUSY_TIMEOUT_MS / 1000)
        try:
            yield
        finally:
            if is_held:
                self._turn.release()

    def close(self) -> None:
        """Release the files; the last that does puts all changes into the database and leaves no log beside it."""
        self.engine.dispose()
        self._lock.give_back()

    def _demand_same_file(self) -> None:
        """Refuse to go on in a file that the path no longer leads to: what is written there is lost."""
        if _identity(self.path) != self._file:
            raise WorkspaceError(
                f"{self.path} was deleted or replaced while it was open: nothing can be saved. Start presort again."
            )


def open_store(workspace: Path) -> Store:
    """Open the workspace folder, make it if there is none, and bring its tables to this version's.

    Raises
    ------
    WorkspaceError
        If the file can't be used, is damaged, is not Presort's, or was written by a newer Presort.
    """
    make_folder(workspace)
    path = workspace / FILE_NAME
    refuse_other_log(path)
    with making(path):
        if path.is_file():
            make_private(path)
        store = Store(path)
        try:
            migrate(store)
        except BaseException:
            store.close()
            raise
    return store


def migrate(store: Store) -> None:
    """Run the migrations that are missing, all of them or none."""
    with store.reading() as connection:
        refuse_damaged(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one(), store.path)
        current = MigrationContext.configure(connection).get_current_revision()
        is_foreign = current is None and inspect(connection).get_table_names()
    if is_foreign:
        raise WorkspaceError(f"{store.path} {NO_DATABASE}.")
    if current == _newest_revision():
        return
    if store.is_read_only:
        raise WorkspaceError(f"{store.path} {READ_ONLY}. It is of an older Presort, and has to be brought up to date.")
    config = migration_config()
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
    """Return Alembic's settings for our migrations, wherever the package is installed."""
    config = alembic.config.Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


@cache
def _newest_revision() -> str | None:
    """Return the newest migration's name; to find it, all of them are loaded."""
    return ScriptDirectory.from_config(migration_config()).get_current_head()


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one of the same name; None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
