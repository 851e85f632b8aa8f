"""Revisions of the database tables: this version's migrations, and the databases that it can read or upgrade."""

from functools import cache
from pathlib import Path

import alembic.command
import alembic.config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from presort.data.errors import OtherVersionError, WorkspaceError
from presort.data.tables.making import make_tables
from presort.data.workspace.opening import refuse_development_version
from presort.data.workspace.sqlite import NO_DATABASE

MIGRATIONS = Path(__file__).parent / "migrations"


def make_database(connection: Connection) -> None:
    """Create all tables of this version in an empty database, without running migrations."""
    make_tables(connection)
    alembic.command.stamp(migration_config(connection), "head", purge=True)


def demand_known_revision(connection: Connection, name: str) -> str:
    """Check that this version can read or upgrade a database, and return its revision.

    The revision of an empty database is an empty string.

    Raises
    ------
    WorkspaceError
        If this is not a Presort database, or if a development version or a newer version wrote it.
    """
    current = MigrationContext.configure(connection).get_current_revision() or ""
    if not current and inspect(connection).get_table_names():
        raise WorkspaceError(f"{name} {NO_DATABASE}.")
    refuse_other_version(current, name)
    return current


def refuse_other_version(schema: str, name: str) -> None:
    """Check that a database was written by this version or an earlier version since 0.1.0, or is empty.

    Raises
    ------
    OtherVersionError
        If a development version or a newer version wrote the database.
    """
    refuse_development_version(schema, name)
    if schema and schema not in known_revisions():
        raise OtherVersionError(f"{name} was written by a newer version (database revision {schema}). Upgrade Presort.")


def demand_newest_revision(connection: Connection, name: str) -> None:
    """Check that a database has the newest revision.

    Raises
    ------
    WorkspaceError
        If the database has another revision or no tables.
    """
    current = demand_known_revision(connection, name)
    if current != newest_revision():
        known = f"it has revision {current}" if current else "it has no tables"
        raise WorkspaceError(f"{name} is not up to date: {known}. Open it once with this version of Presort.")


def migration_config(connection: Connection | None = None) -> alembic.config.Config:
    """Return the Alembic configuration for Presort's migrations. It works wherever Presort is installed.

    Parameters
    ----------
    connection : Connection, optional
        Connection with an open transaction, in which the migrations run.
    """
    config = alembic.config.Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


@cache
def known_revisions() -> tuple[str, ...]:
    """Return the revisions that this version can read or upgrade, newest first.

    The result is cached, because reading the revisions loads all migrations.
    """
    return tuple(one.revision for one in ScriptDirectory.from_config(migration_config()).walk_revisions())


def newest_revision() -> str:
    """Return the database revision that this version of Presort uses."""
    return known_revisions()[0]
