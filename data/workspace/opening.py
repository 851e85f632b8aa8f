"""Find the database of a workspace: a file in its folder, or PostgreSQL.

If the database is elsewhere, a file in the folder records that. So a command without the address can't create a second
database there, and no decision is stored where nobody looks.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from presort.data.errors import OtherVersionError, RefusedError, WorkspaceError
from presort.data.workspace.folder import FILE_NAME, demand_database, make_folder, make_private, making
from presort.data.workspace.postgresql import PostgresqlDatabase
from presort.data.workspace.sqlite import SqliteDatabase, refuse_other_log

Database = SqliteDatabase | PostgresqlDatabase

ELSEWHERE = "database"  # the file; a line that names the database
SET = "PRESORT_DATABASE_URL, or database.url in presort.toml"
BASELINE = "0100"  # oldest revision of tables; development versions before 0.1.0 had 0001 to 0028
DEVELOPMENT_VERSION = (
    "{name} was written by a development version before 0.1.0 (its tables are at {schema}). Nothing was changed. The "
    "last commit that can export it is 3713d1a; how: docs/running.md, 'Workspaces of development versions'."
)


@contextmanager
def preparing(folder: Path, url: str, *, creates: bool) -> Iterator[Database]:
    """Yield the database of a workspace, while no other process creates one there.

    Parameters
    ----------
    creates : bool
        Create a database in a folder without one. A PostgreSQL database must exist anyway.

    Raises
    ------
    RefusedError
        If the workspace is kept elsewhere.
    WorkspaceError
        If it can't be used, or doesn't exist.
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
    with making(path):
        make_private(path)
        yield SqliteDatabase(path)


def find_database(folder: Path, url: str) -> Database:
    """Return the database of a workspace. Refuses a workspace without one, and creates nothing.

    Raises
    ------
    RefusedError
        If the workspace is kept elsewhere.
    WorkspaceError
        If there is none.
    """
    if url:
        return find_server(folder, url)
    demand_here(folder)
    return SqliteDatabase(demand_database(folder))


def note_elsewhere(folder: Path, database: Database) -> None:
    """Note in a folder which database keeps the workspace."""
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
        If the workspace is kept in a file, or the address is none.
    """
    if (folder / FILE_NAME).exists():
        raise RefusedError(
            f"{folder} has a database of its own, {FILE_NAME}, but {SET} names another one. 'presort db move' takes it "
            "there; or set no other."
        )
    return PostgresqlDatabase(folder, url)


def demand_here(folder: Path) -> None:
    """Refuse a workspace that PostgreSQL keeps, where no address was given.

    Raises
    ------
    RefusedError
        If it does.
    """
    path = folder / ELSEWHERE
    if path.is_file():
        named = path.read_text(encoding="utf-8", errors="replace").strip()
        raise RefusedError(f"{folder} is kept in the PostgreSQL database {named}; set its address by {SET}.")


def schema_of(connection: sqlite3.Connection) -> str:
    """Return the revision of a database's tables; empty if it is none of Presort's."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
    return connection.execute("SELECT version_num FROM alembic_version").fetchone()[0] if found else ""


def refuse_development_version(schema: str, name: str) -> None:
    """Refuse tables from before the baseline.

    Raises
    ------
    OtherVersionError
        If a development version wrote them.
    """
    if schema and schema < BASELINE:
        raise OtherVersionError(DEVELOPMENT_VERSION.format(name=name, schema=schema))
