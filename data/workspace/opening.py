"""Find a workspace's database, which is a file in its folder or a PostgreSQL database.

A file in the folder records the name of the PostgreSQL database. It prevents a command that is run without the URL from
creating a second database, in which decisions would be lost.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from presort.data.errors import OtherVersionError, RefusedError, WorkspaceError
from presort.data.workspace.folder import FILE_NAME, create_exclusively, demand_database, make_folder, make_private
from presort.data.workspace.postgresql import PostgresqlDatabase
from presort.data.workspace.sqlite import SqliteDatabase, refuse_other_log

Database = SqliteDatabase | PostgresqlDatabase

ELSEWHERE = "database"  # file that contains the name of the PostgreSQL database
SET = "PRESORT_DATABASE_URL, or database.url in presort.toml"
BASELINE = "0100"  # oldest supported revision; development versions before 0.1.0 used 0001 to 0028
DEVELOPMENT_VERSION = (
    "{name} was written by a development version before 0.1.0 (database revision {schema}). Nothing was changed. The "
    "last commit that can export it is 3713d1a. See docs/running.md, 'Workspaces of development versions'."
)


@contextmanager
def prepare_database(folder: Path, url: str, *, creates: bool) -> Iterator[Database]:
    """Yield a workspace's database. If its file doesn't exist yet, processes that try to create it wait for each other.

    Parameters
    ----------
    folder : Path
        Workspace folder.
    url : str
        URL of the workspace's PostgreSQL database. Empty if the database is a file in the folder.
    creates : bool
        Create the database file if it doesn't exist. A PostgreSQL database must always exist already.

    Raises
    ------
    RefusedError
        If the workspace is in a database other than the one at `url`.
    WorkspaceError
        If the database can't be used or does not exist.
    """
    if url:
        make_folder(folder)
        database = find_server(folder, url)
        yield database
        note_elsewhere(folder, database)
        return
    demand_here(folder)
    if creates:
        make_folder(folder)
    else:
        demand_database(folder)
    path = folder / FILE_NAME
    refuse_other_log(path)
    with create_exclusively(path):
        make_private(path)
        yield SqliteDatabase(path)


def find_database(folder: Path, url: str) -> Database:
    """Return the existing database of a workspace.

    Raises
    ------
    RefusedError
        If the workspace is in a database other than the one at `url`.
    WorkspaceError
        If there is no database.
    """
    if url:
        return find_server(folder, url)
    demand_here(folder)
    return SqliteDatabase(demand_database(folder))


def note_elsewhere(folder: Path, database: Database) -> None:
    """Record the name of the workspace's PostgreSQL database in a file in the folder."""
    path, line = folder / ELSEWHERE, f"{database.name}\n"
    try:
        if not path.is_file() or path.read_text(encoding="utf-8") != line:
            path.write_text(line, encoding="utf-8")
    except OSError as error:
        raise WorkspaceError(f"{path} can't be written: {error.strerror}.") from error


def find_server(folder: Path, url: str) -> PostgresqlDatabase:
    """Return the PostgreSQL database of a workspace, which may be empty.

    Raises
    ------
    RefusedError
        If the folder has a database file, or the URL is invalid.
    """
    if (folder / FILE_NAME).exists():
        raise RefusedError(
            f"{folder} has its own database, {FILE_NAME}, but {SET} names another database. Move the workspace to that "
            "database with 'presort db move', or remove the setting."
        )
    return PostgresqlDatabase(folder, url)


def demand_here(folder: Path) -> None:
    """Check that the workspace is not in a PostgreSQL database. This function is called if no URL was given.

    Raises
    ------
    RefusedError
        If the workspace is stored in a PostgreSQL database.
    """
    path = folder / ELSEWHERE
    if path.is_file():
        named = path.read_text(encoding="utf-8", errors="replace").strip()
        raise RefusedError(f"{folder} is stored in the PostgreSQL database {named}. Set its URL in {SET}.")


def schema_of(connection: sqlite3.Connection) -> str:
    """Return the revision of a database, or an empty string if it is not a Presort database."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone() if found else None
    return str(row[0]) if row else ""


def refuse_development_version(schema: str, name: str) -> None:
    """Check that a database was not written by a development version.

    Raises
    ------
    OtherVersionError
        If the database revision is older than the baseline.
    """
    if schema and schema < BASELINE:
        raise OtherVersionError(DEVELOPMENT_VERSION.format(name=name, schema=schema))
