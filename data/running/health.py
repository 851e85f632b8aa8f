"""Check a workspace's whole SQLite or PostgreSQL database for damage."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from sqlalchemy import Connection, inspect, text

from presort.data.errors import WorkspaceError
from presort.data.revisions import refuse_other_version
from presort.data.tables import Base
from presort.data.tables.current_decisions import ALL_LOGGED, STORED, find_mismatches
from presort.data.tables.guards import PACKED_LISTS, PackedList, misplaced_condition
from presort.data.tables.positions import SCORE, VECTOR, fault_of_scores
from presort.data.tables.postgresql import highest
from presort.data.workspace.folder import LOG, companion, demand_database
from presort.data.workspace.opening import (
    demand_here,
    find_server,
    schema_of,
)
from presort.data.workspace.postgresql import PostgresqlDatabase
from presort.data.workspace.sqlite import (
    DAMAGED,
    NO_DATABASE,
    NOT_UTF8,
    explain_errors,
    open_read_only,
    reason_of,
    refuse_other_log,
)

MOST_PROBLEMS = 20  # the check stops after finding this number of problems
INCOMPLETE = (
    "{name} can't be checked, because its tables (database revision {schema}) lack {missing}. If an older version of "
    "Presort wrote the database, open it once with this version to upgrade it. Otherwise, restore a backup."
)
SCORES = "SELECT id, scores, length(positions) / 4 FROM ranking WHERE length(scores) > 0 ORDER BY id"
VECTORS = "SELECT paper_id, numbers FROM paper_vector ORDER BY paper_id"
NAMED_MODEL = "SELECT value FROM setting WHERE name = 'vectors'"
GAPS = """SELECT issue_id FROM listing GROUP BY issue_id
HAVING min(position) <> 1 OR max(position) <> count(*) ORDER BY issue_id"""
SIZE = """SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'"""


@dataclass(frozen=True)
class Health:
    """Result of a health check.

    Attributes
    ----------
    name : str
        Database name.
    schema : str
        Database revision. Empty if it can't be read.
    n_bytes : int
        Size of the database including its log, in bytes.
    problems : tuple of str
        Descriptions of the damage. Empty if the database is intact.
    """

    name: str
    schema: str
    n_bytes: int
    problems: tuple[str, ...]


def examine(folder: Path, url: str = "") -> Health:
    """Check the whole database of a workspace for damage. The database may be in use.

    Raises
    ------
    RefusedError
        If the workspace is in a database other than the one at `url`.
    WorkspaceError
        If there is no database, if another version wrote it, or if it can't be read for a reason other than damage.
    """
    if not url:
        demand_here(folder)
        return examine_file(demand_database(folder))
    with closing(find_server(folder, url)) as database:
        return examine_server(database)


def examine_file(path: Path) -> Health:
    """Check the SQLite database of a workspace or backup for damage.

    Raises
    ------
    WorkspaceError
        If the file does not exist, its log belongs to another file, another version wrote it, or it can't be read for a
        reason other than damage.
    """
    if not path.is_file():
        raise WorkspaceError(f"{path} does not exist.")
    schema, problems = "", []
    refuse_other_log(path)
    try:
        with explain_errors(path), open_read_only(path) as connection:
            connection.execute("BEGIN")
            refuse_other_version(schema := schema_of(connection), str(path))
            _demand_columns(str(path), schema, _columns_of_file(connection))
            problems = list(islice(_problems_of_file(connection), MOST_PROBLEMS))
    except WorkspaceError as error:
        reason = reason_of(error.__cause__)
        if reason not in (DAMAGED, NO_DATABASE):
            raise
        problems.append(str(error.__cause__))
    n_bytes = sum(file.stat().st_size for file in (path, companion(path, LOG)) if file.exists())
    return Health(str(path), schema, n_bytes, tuple(problems))


def examine_server(database: PostgresqlDatabase) -> Health:
    """Check a PostgreSQL database for invalid content, and for damage that is detected only by reading all data.

    Raises
    ------
    WorkspaceError
        If the server can't be reached or reports damage, or if another version wrote the database.
    """
    with database.connect() as connection, connection.begin():
        if not inspect(connection).has_table("alembic_version"):
            raise WorkspaceError(f"There is no workspace in {database.name}. Create one with 'presort import'.")
        schema = connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or ""
        refuse_other_version(schema, database.name)
        look = inspect(connection)
        columns = {(name, one["name"]) for name in look.get_table_names() for one in look.get_columns(name)}
        _demand_columns(database.name, schema, columns)
        n_bytes = int(connection.execute(text(SIZE)).scalar_one())
        problems = tuple(islice(_problems_of_server(connection), MOST_PROBLEMS))
    return Health(database.name, schema, n_bytes, problems)


def _columns_of_file(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    query = "SELECT t.name, c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'"
    return {(table, column) for table, column in connection.execute(query)}


def _demand_columns(name: str, schema: str, columns: Collection[tuple[str, str]]) -> None:
    """Check that a database has all the tables and columns that the health check reads.

    Raises
    ------
    WorkspaceError
        If a table or column is missing. The database is then incomplete, or another version wrote it.
    """
    tables = {table for table, _ in columns}
    missing = [
        table.name if table.name not in tables else f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if (table.name, column.name) not in columns
    ]
    if missing:
        distinct = list(dict.fromkeys(missing))
        more = f" and {len(distinct) - 1:,} more" if len(distinct) > 1 else ""
        raise WorkspaceError(INCOMPLETE.format(name=name, schema=schema or "unknown", missing=distinct[0] + more))


def _problems_of_file(connection: sqlite3.Connection) -> Iterator[str]:
    for (line,) in connection.execute(f"PRAGMA integrity_check({MOST_PROBLEMS})"):
        if line != "ok":
            yield line
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        yield f"row {row} of {table} refers to a missing row of {parent}"
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    for (table,) in tables:
        yield from _unreadable_text(connection, table)
    for packed in PACKED_LISTS:
        yield from _find_misplaced_in_file(connection, packed)
    yield from wrong_scores(connection.execute(SCORES))
    yield from find_mismatches(connection.execute(STORED), connection.execute(ALL_LOGGED))
    if named := connection.execute(NAMED_MODEL).fetchone():
        yield from wrong_vectors(named[0], connection.execute(VECTORS))


def _unreadable_text(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    try:
        for _ in connection.execute(f'SELECT * FROM "{table}"'):
            pass
    except sqlite3.OperationalError as error:
        if not str(error).startswith(NOT_UTF8):
            raise
        yield f"a text in {table} is not UTF-8"


def _find_misplaced_in_file(connection: sqlite3.Connection, packed: PackedList) -> Iterator[str]:
    table, column = packed.table, packed.column
    for (row,) in connection.execute(f"SELECT rowid FROM {table} AS NEW WHERE {misplaced_condition(packed)}"):
        yield f"{column} in row {row} of {table}: positions outside the issue or repeated"


def _problems_of_server(connection: Connection) -> Iterator[str]:
    for table in Base.metadata.sorted_tables:  # casting to text forces the server to read every cell
        connection.exec_driver_sql(f"SELECT sum(length(t::text)) FROM {table.name} t").scalar()
    for (issue,) in connection.execute(text(GAPS)):
        yield f"the list of issue {issue} has a gap"
    for packed in PACKED_LISTS:
        yield from _find_misplaced_in_server(connection, packed)
    yield from wrong_scores(connection.execute(text(SCORES)))
    stored, logged = (connection.execute(text(query)) for query in (STORED, ALL_LOGGED))
    yield from find_mismatches(stored, logged)
    named = connection.execute(text(NAMED_MODEL)).scalar()
    if named is not None:
        yield from wrong_vectors(named, connection.execute(text(VECTORS)))


def _find_misplaced_in_server(connection: Connection, packed: PackedList) -> Iterator[str]:
    key = ", ".join(f'NEW."{one.name}"' for one in Base.metadata.tables[packed.table].primary_key)
    query = f"SELECT {key} FROM {packed.table} AS NEW WHERE NOT is_placed(NEW.{packed.column}, {highest(packed)})"
    for row in connection.exec_driver_sql(query):
        number = ", ".join(map(str, row))
        yield f"{packed.column} in row {number} of {packed.table}: positions outside the issue or repeated"


def wrong_scores(rows: Iterable[tuple[int, bytes, int]]) -> Iterator[str]:
    """Yield messages about invalid scores. Each row contains a ranking number, its scores and its number of papers."""
    for row, cell, n in rows:
        fault = fault_of_scores(np.frombuffer(cell, SCORE), n) if len(cell) % 8 == 0 else "an incomplete number"
        if fault:
            yield f"scores in row {row} of ranking: {fault}"


def wrong_vectors(named: str, rows: Iterable[tuple[int, bytes]]) -> Iterator[str]:
    """Yield messages about invalid vectors.

    Each row contains a paper number and the paper's vector. `named` is the setting for the sentence model, in JSON.
    """
    try:
        length = VECTOR.itemsize * int(json.loads(named)["n_numbers"])
    except (ValueError, TypeError, KeyError):
        yield "the setting for the sentence model is invalid"
        return
    for row, cell in rows:
        if len(cell) != length or not np.isfinite(np.frombuffer(cell, VECTOR)).all():
            yield f"the vector of paper {row} has a wrong length or invalid numbers"
