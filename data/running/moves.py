"""A workspace that PostgreSQL keeps: copied into a file, put back from one, and moved from a file and back.

What a backup of it holds is a database file as every other backup: it can be checked, opened and put back anywhere.
"""

import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import alembic.command

from data import catalogue
from data.errors import RefusedError
from data.store import Store, demand_newest, find_store, migrate, migration_config, open_store
from data.tables import Base
from data.tables.postgresql import make_tables
from data.workspace.damage import refuse_other_log
from data.workspace.database import Database
from data.workspace.folder import FILE_NAME, INDEX, LOG, PRIVATE_FILE, beside, demand_database, make_folder
from data.workspace.opening import ELSEWHERE, note_elsewhere
from data.workspace.postgresql_database import PostgresqlDatabase
from data.workspace.scratch import scratch_folder
from data.workspace.sqlite_database import SqliteDatabase
from data.workspace.transfer import transfer

FOLDER = "backups"  # in the workspace
IN_USE = "{name} is in use, by the desk or by a command; stop it first. Nothing was changed."


def copy_to_file(database: Database, path: Path) -> None:
    """Write all that a database holds by now into a new file, for its owner alone; others go on meanwhile."""
    path.unlink(missing_ok=True)  # of a copy that was stopped
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
    with closing(Store(SqliteDatabase(path))) as copy:
        migrate(copy)
        with Store(database).reading() as source, copy.connection() as target:
            demand_newest(source, database.name)
            target.execution_options(immediate=True)
            with target.begin():
                transfer(source, target)


def put_back(database: Database, backup: Path) -> None:
    """Put all that a database file holds in the place of what a PostgreSQL database holds, at once or not at all.

    Raises
    ------
    RefusedError
        If something else has the database open.
    """
    with scratch_folder() as scratch:
        folder = scratch / "workspace"
        folder.mkdir()
        (folder / FILE_NAME).write_bytes(backup.read_bytes())
        with closing(open_store(folder)) as source, database.alone() as is_alone:
            if not is_alone:
                raise RefusedError(IN_USE.format(name=database.name))
            _fill(Store(database), source)


def move_to_server(workspace: Path, url: str, *, now: datetime | None = None) -> Path:
    """Move a workspace from its file into a PostgreSQL database that is empty; the file is put aside.

    Returns
    -------
    Path
        Where the file is now.

    Raises
    ------
    RefusedError
        If something has the workspace open, or there is something in the database.
    WorkspaceError
        If there is no workspace, or one of the two can't be used.
    """
    path = demand_database(workspace)
    refuse_other_log(path)
    with (
        closing(Store(PostgresqlDatabase(workspace, url))) as target,
        closing(Store(SqliteDatabase(path))) as source,
        source.alone() as is_alone,
    ):
        if not is_alone:
            raise RefusedError(IN_USE.format(name=source.name))
        migrate(source)
        catalogue.workspace_id(source)  # made now, if nothing asked for it before
        if not _is_moved(source, target):
            _fill(target, source)
        make_folder(workspace / FOLDER)
        aside = workspace / FOLDER / f"moved-{now or datetime.now(UTC):%Y-%m-%dT%H%M%S}.db"
        note_elsewhere(workspace, target.database)  # first: a command without the address begins no other one
        source.engine.dispose()  # puts the last changes into the file
        path.rename(aside)
    return aside


def move_to_file(workspace: Path, url: str) -> Path:
    """Move a workspace from a PostgreSQL database into a file of its folder; the database stays as it is.

    Raises
    ------
    RefusedError
        If something else has the database open.
    WorkspaceError
        If there is no workspace in it, or the file can't be written.
    """
    path = workspace / FILE_NAME
    unfinished = beside(path, ".moved")
    with closing(find_store(workspace, url)) as source, source.alone() as is_alone:
        if not is_alone:
            raise RefusedError(IN_USE.format(name=source.name))
        try:
            copy_to_file(source.database, unfinished)
            (workspace / ELSEWHERE).unlink(missing_ok=True)
            unfinished.replace(path)
        finally:
            for ending in ("", LOG, INDEX):
                beside(unfinished, ending).unlink(missing_ok=True)
    return path


def _fill(store: Store, source: Store) -> None:
    """Make the tables of a PostgreSQL database anew, with what another database holds."""
    config = migration_config()
    with source.reading() as read, store.connection() as connection:
        connection.execution_options(immediate=True)
        with connection.begin():
            config.attributes["connection"] = connection
            Base.metadata.drop_all(connection)
            make_tables(connection)
            alembic.command.stamp(config, "head", purge=True)
            transfer(read, connection)


def _is_moved(source: Store, target: Store) -> bool:
    """Return whether all was copied before, by a move that was cut off; what else is there, is not written over."""
    if target.has_no_tables():
        return False
    if catalogue.setting(target, catalogue.WORKSPACE_ID) != catalogue.workspace_id(source):
        raise RefusedError(f"There is something in {target.name} already; name an empty database, or empty it.")
    return catalogue.revision(source) == catalogue.revision(target)
