"""Copy, restore and move workspaces between PostgreSQL databases and SQLite files.

Like any other backup, the backup of a PostgreSQL database is an SQLite file, so it can be checked, opened and restored
anywhere.
"""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, inspect

from presort.data import catalogue
from presort.data.errors import OtherVersionError, RefusedError
from presort.data.revisions import demand_known_revision, demand_newest_revision, make_database
from presort.data.store import Store, migrate, open_store
from presort.data.tables import Base
from presort.data.workspace.file_copy import FOLDER, copy_database, write_atomically
from presort.data.workspace.folder import FILE_NAME, INDEX, LOG, PRIVATE_FILE, companion, demand_database, make_folder
from presort.data.workspace.opening import ELSEWHERE, Database, find_server, note_elsewhere
from presort.data.workspace.postgresql import PostgresqlDatabase
from presort.data.workspace.scratch import scratch_folder
from presort.data.workspace.sqlite import SqliteDatabase, refuse_other_log
from presort.data.workspace.transfer import transfer

IN_USE = "{name} is in use by the desk or a command. Stop the desk or the command first. Nothing was changed."


def copy_to_file(database: Database, path: Path) -> None:
    """Copy a database to a new SQLite file that only its owner can read. The database may be in use."""
    with Store(database).reading() as source:
        _copy(source, database.name, path)


def restore_to_server(database: PostgresqlDatabase, backup: Path, kept: Path) -> bool:
    """Replace the content of a PostgreSQL database with that of a backup, either completely or not at all.

    The old content is copied to the new file `kept` in the same transaction, so that no change is lost in between.

    Returns
    -------
    bool
        True if the database was not empty, so that `kept` was written.

    Raises
    ------
    RefusedError
        If the database is in use.
    OtherVersionError
        If a development version or a newer version of Presort wrote the database.
    """
    with scratch_folder() as scratch:
        folder = scratch / "workspace"
        folder.mkdir()
        copy_database(backup, folder / FILE_NAME)  # also copies the log, in case the file is a database in use
        with closing(open_store(folder)) as source, _exclusive_transaction(database) as connection:
            is_kept = bool(inspect(connection).get_table_names())
            if is_kept:
                _demand_known(connection, database.name)
                with write_atomically(kept) as unfinished:
                    _copy(connection, database.name, unfinished)
            _fill(connection, source)
    return is_kept


def move_to_server(workspace: Path, url: str, *, now: datetime | None = None) -> Path:
    """Move a workspace from its SQLite file to an empty PostgreSQL database.

    The file is then moved to the backup folder.

    Returns
    -------
    Path
        New path of the SQLite file.

    Raises
    ------
    RefusedError
        If the workspace is in use, or the PostgreSQL database is not empty.
    WorkspaceError
        If there is no workspace, or if either database can't be used.
    """
    path = demand_database(workspace)
    refuse_other_log(path)
    with (
        closing(PostgresqlDatabase(workspace, url)) as target,
        closing(SqliteDatabase(path)) as file,
        file.try_sole_use() as is_alone,
    ):
        if not is_alone:
            raise RefusedError(IN_USE.format(name=file.name))
        source = Store(file)
        migrate(source)
        catalogue.workspace_id(source)  # creates the id if the workspace doesn't have one yet
        with target.connect() as connection:
            target.refuse_damaged(connection)
        if not _is_moved(source, Store(target)):
            with _exclusive_transaction(target) as connection:
                _fill(connection, source)
        make_folder(workspace / FOLDER)
        aside = workspace / FOLDER / f"moved-{now or datetime.now(UTC):%Y-%m-%dT%H%M%S}.db"
        # Must be done before the file is renamed, so that a command without the URL can't create a new workspace.
        note_elsewhere(workspace, target)
        source.engine.dispose()  # merges the log into the file
        path.rename(aside)
    return aside


def move_to_file(workspace: Path, url: str) -> Path:
    """Move a workspace from a PostgreSQL database to a file in its folder, leaving the PostgreSQL database unchanged.

    Raises
    ------
    RefusedError
        If the database is in use.
    WorkspaceError
        If the database contains no workspace, or the file can't be written.
    """
    path = workspace / FILE_NAME
    unfinished = companion(path, ".moved")
    with closing(find_server(workspace, url)) as database:
        try:
            with _exclusive_transaction(database) as connection:
                _copy(connection, database.name, unfinished)
                (workspace / ELSEWHERE).unlink(missing_ok=True)
                unfinished.replace(path)
        finally:
            for ending in ("", LOG, INDEX):
                companion(unfinished, ending).unlink(missing_ok=True)
    return path


def _copy(source: Connection, name: str, path: Path) -> None:
    demand_newest_revision(source, name)
    path.unlink(missing_ok=True)  # remains of an interrupted copy
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
    with closing(Store(SqliteDatabase(path))) as copy:
        migrate(copy)
        with copy.connection() as target, _write_transaction(target):
            transfer(source, target)


def _demand_known(connection: Connection, name: str) -> None:
    """Check that this version can copy the database, before a backup replaces its content.

    If a newer version wrote the database, the error message explains how to restore the backup anyway.
    """
    try:
        demand_known_revision(connection, name)
    except OtherVersionError as error:
        how = (
            "To return to this version of Presort, first make a backup with the newer version, because the old backup "
            "lacks the newest changes. Then drop the database, create an empty one, and restore the old backup."
        )
        raise OtherVersionError(f"{error} {how}") from error


def _fill(connection: Connection, source: Store) -> None:
    """Recreate the tables of a PostgreSQL database and fill them from another database."""
    Base.metadata.drop_all(connection)
    make_database(connection)
    with source.reading() as read:
        transfer(read, connection)
    # The server also collects statistics automatically, but only after a minute. Until then, saving a decision takes
    # 0.1 s.
    connection.exec_driver_sql(f"ANALYZE {', '.join(Base.metadata.tables)}")


@contextmanager
def _exclusive_transaction(database: PostgresqlDatabase) -> Iterator[Connection]:
    """Begin a write transaction and check that no other process is connected to the database.

    Processes that connect later can't write until the transaction ends. Raises WorkspaceError if the database is
    damaged, because Presort couldn't open it after the move.
    """
    with database.connect() as connection:
        database.refuse_damaged(connection)
        connection.rollback()  # end the transaction that `refuse_damaged` began by reading
        with _write_transaction(connection):
            database.demand_sole_use(connection)
            yield connection


@contextmanager
def _write_transaction(connection: Connection) -> Iterator[None]:
    """Begin a write transaction that does not increase the revision of the workspace."""
    connection.execution_options(immediate=True)
    with connection.begin():
        yield


def _is_moved(source: Store, target: Store) -> bool:
    """Return True if an interrupted move has already copied everything.

    Raises RefusedError if the target has different content, which must not be overwritten.
    """
    if target.has_no_tables():
        return False
    if catalogue.setting(target, catalogue.WORKSPACE_ID) != catalogue.workspace_id(source):
        raise RefusedError(f"{target.name} is not empty. Specify an empty database, or delete its content first.")
    return catalogue.revision(source) == catalogue.revision(target)
