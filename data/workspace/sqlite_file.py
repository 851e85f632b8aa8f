"""How a workspace's database is connected to: for writing, or where nothing may be written, for reading alone."""

import sqlite3
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from presort.data.errors import WorkspaceError
from presort.data.workspace.folder import INDEX, LOG, beside, has_log, may_write
from presort.data.workspace.sqlite_errors import temporary_problem

PAGE_SIZE = "page_size=8192"  # abstracts: a third less time to write than with 4096
SAFE = (
    *("journal_mode=WAL", "foreign_keys=ON", "synchronous=FULL"),
    "secure_delete=ON",  # what is erased is gone from the file, too; some builds of SQLite have it so anyway
    "recursive_triggers=ON",  # or INSERT OR REPLACE would delete what a trigger keeps
)


def engine_of(path: Path, *, busy_timeout_ms: int, is_read_only: bool) -> Engine:
    """Return the engine of one database; its transactions begin where they say so, not where the driver guesses."""
    # Not as text: a folder may have a "?" in its name. An error quotes no row: it may come into a log.
    engine = create_engine(URL.create("sqlite", database=str(path)), hide_parameters=True)
    pragmas = ("query_only=ON",) if is_read_only else (PAGE_SIZE, *SAFE)

    @event.listens_for(engine, "connect")
    def set_up(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (f"busy_timeout={busy_timeout_ms}", *pragmas):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    if is_read_only:

        @event.listens_for(engine, "do_connect")
        def connect(*_: object) -> sqlite3.Connection:
            return sqlite3.connect(reading_address(path), uri=True, check_same_thread=False)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if _is_writing(connection) else "BEGIN")

    @event.listens_for(engine, "handle_error")
    def name_the_temporary_folder(context: ExceptionContext) -> None:
        is_writing = context.connection is not None and _is_writing(context.connection)
        if problem := temporary_problem(context.original_exception, path, is_writing=is_writing):
            raise WorkspaceError(problem) from context.original_exception

    return engine


def reading_address(path: Path) -> str:
    """Return the address by which SQLite opens a database for reading alone.

    Raises
    ------
    WorkspaceError
        If there are changes beside it that can't be read where nothing may be written.
    """
    how = "mode=ro"
    if not may_write(path) and not beside(path, INDEX).exists():
        if has_log(path):
            raise WorkspaceError(
                f"{path} can't be read: it has changes beside it, in {beside(path, LOG).name}, that are taken in only "
                "where the folder may be written to. Open the workspace there once."
            )
        how += "&immutable=1"  # nobody has it open, or there would be such files; without them SQLite wants to write
    return f"{path.resolve().as_uri()}?{how}"


def _is_writing(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get("immediate", False))
