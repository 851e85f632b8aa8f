"""The way back from tables of this version to those of an earlier one, by its migrations, with a backup before."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import alembic.command
from alembic.runtime.migration import MigrationContext
from alembic.script import Script, ScriptDirectory
from sqlalchemy import Connection

from presort.data.errors import RefusedError, WorkspaceError
from presort.data.running.moves import IN_USE, copy_to_file
from presort.data.store import Store, migration_config
from presort.data.tables.postgresql import FIRST_REVISION
from presort.data.workspace.damage import refuse_other_log
from presort.data.workspace.database import Database
from presort.data.workspace.file_copy import FOLDER, copy_database, writing
from presort.data.workspace.folder import demand_database, make_folder
from presort.data.workspace.opening import find_database
from presort.data.workspace.postgresql_database import PostgresqlDatabase
from presort.data.workspace.sqlite_database import SqliteDatabase

BEFORE = "before-downgrade-{}-{:%Y-%m-%dT%H%M%S}.db"  # the backup, by the version of its tables and the time


@dataclass(frozen=True)
class WayDown:
    """What a way back leads through.

    Attributes
    ----------
    begins_at : str
        The version of the tables now.
    revisions : tuple of str
        Those that are taken back, newest first.
    lost : mapping
        What the tables have then no room for, to how much of it there is; nothing of which there is none.
    """

    begins_at: str
    revisions: tuple[str, ...]
    lost: Mapping[str, int]


def way_down(workspace: Path, target: str, *, url: str = "") -> WayDown:
    """Find out what going back to the tables of a version takes; nothing is changed.

    Parameters
    ----------
    target : str
        The number of the tables, such as 0017.
    url : str
        Of the PostgreSQL database that keeps the workspace.

    Raises
    ------
    RefusedError
        If there are no such tables, or none before those that are there, or PostgreSQL never had them.
    WorkspaceError
        If there is no workspace, or it is of a newer Presort.
    """
    with closing(find_database(workspace, url)) as database, Store(database).reading() as connection:
        return _way(connection, database, target)


def go_down(workspace: Path, target: str, *, url: str = "", now: datetime | None = None) -> Path:
    """Bring the tables back to those of a version, all or nothing, and return where the backup from before is.

    Those of earlier ways back stay: what was lost then is nowhere else.

    Raises
    ------
    RefusedError, WorkspaceError
        As by `way_down`; or something has the workspace open, or the backup can't be written.
    """
    if not url:
        refuse_other_log(demand_database(workspace))
    with closing(find_database(workspace, url)) as database, _alone(database):
        with Store(database).reading() as connection:
            way = _way(connection, database, target)
        make_folder(workspace / FOLDER)
        kept = workspace / FOLDER / BEFORE.format(way.begins_at, now or datetime.now(UTC))
        with writing(kept) as unfinished:
            if isinstance(database, SqliteDatabase):
                copy_database(database.path, unfinished)
            else:
                copy_to_file(database, unfinished)
        with database.connected() as connection:
            connection.execution_options(immediate=True)
            with connection.begin():
                if isinstance(database, PostgresqlDatabase):
                    database.demand_alone(connection)
                _take_back(connection, target)
    return kept


def _take_back(connection: Connection, target: str) -> None:
    is_file = connection.dialect.name == "sqlite"
    if is_file:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys=ON")  # tables that others point to are built anew
    config = migration_config()
    config.attributes["connection"] = connection
    alembic.command.downgrade(config, target)
    if is_file and (found := connection.exec_driver_sql("PRAGMA foreign_key_check").first()):
        raise RuntimeError(f"a row of {found[0]} points to nothing at {target}")


def _way(connection: Connection, database: Database, target: str) -> WayDown:
    known = ScriptDirectory.from_config(migration_config())
    scripts = {script.revision: script for script in known.walk_revisions()}  # newest first
    current = MigrationContext.configure(connection).get_current_revision()
    if current not in scripts:
        raise WorkspaceError(f"{database.name} was written by a newer Presort, or by none; go back by that one.")
    oldest = FIRST_REVISION if isinstance(database, PostgresqlDatabase) else min(scripts)
    if not oldest <= target < current or target not in scripts:
        there = [revision for revision in scripts if oldest <= revision < current]
        if not there:
            raise RefusedError(f"{database.name} has the oldest tables there are, {current}; there is no way back.")
        raise RefusedError(f"{target!r} is no earlier version of the tables; they can go back to {', '.join(there)}.")
    taken = [scripts[revision] for revision in scripts if target < revision <= current]
    return WayDown(current, tuple(one.revision for one in taken), dict(_lost(connection, taken)))


def _lost(connection: Connection, scripts: list[Script]) -> Iterator[tuple[str, int]]:
    for script in scripts:
        for what, query in getattr(script.module, "LOST", {}).items():
            if n := connection.exec_driver_sql(query).scalar_one():
                yield what, n


@contextmanager
def _alone(database: Database) -> Iterator[None]:
    """Have the workspace to ourselves; of a PostgreSQL database, that is looked at in the transaction that writes."""
    if not isinstance(database, SqliteDatabase):
        yield
        return
    with database.alone() as is_alone:
        if not is_alone:
            raise RefusedError(IN_USE.format(name=database.name))
        yield
