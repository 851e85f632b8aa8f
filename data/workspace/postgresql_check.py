"""What is wrong with a PostgreSQL database that its server can't know, or finds only where all is read."""

from collections.abc import Iterator
from itertools import islice

from sqlalchemy import Connection, inspect, text

from presort.data.errors import WorkspaceError
from presort.data.tables import Base
from presort.data.tables.guards import PACKED_LISTS, PackedList
from presort.data.tables.judged import ALL_LOGGED, KEPT, wrongly_judged
from presort.data.tables.postgresql import highest
from presort.data.workspace.damage import MOST_PROBLEMS, Health, refuse_development_version, wrong_scores, wrong_vectors
from presort.data.workspace.database import Database

GAPS = """SELECT issue_id FROM listing GROUP BY issue_id
HAVING min(position) <> 1 OR max(position) <> count(*) ORDER BY issue_id"""
SCORES = "SELECT id, scores, length(positions) / 4 FROM ranking WHERE length(scores) > 0 ORDER BY id"
SIZE = """SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'"""


def examine_server(database: Database) -> Health:
    """Read all of a PostgreSQL database, which may be in use, and tell what is wrong with it.

    Raises
    ------
    WorkspaceError
        If it can't be reached, or its server finds damage.
    """
    with database.connected() as connection, connection.begin():
        if not inspect(connection).has_table("alembic_version"):
            raise WorkspaceError(f"There is no workspace in {database.name}; begin one there by 'presort import'.")
        schema = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
        refuse_development_version(schema, database.name)
        n_bytes = int(connection.execute(text(SIZE)).scalar_one())
        problems = tuple(islice(_problems(connection), MOST_PROBLEMS))
    return Health(database.name, schema, n_bytes, problems)


def _problems(connection: Connection) -> Iterator[str]:
    for table in Base.metadata.sorted_tables:  # as text, so that every cell is read
        connection.exec_driver_sql(f"SELECT sum(length(t::text)) FROM {table.name} t").scalar()  # noqa: S608
    for (issue,) in connection.execute(text(GAPS)):
        yield f"the list of issue {issue} has a gap"
    for packed in PACKED_LISTS:
        yield from _misplaced(connection, packed)
    yield from wrong_scores(connection.execute(text(SCORES)))
    judged, logged = (connection.execute(text(query)) for query in (KEPT, ALL_LOGGED))
    yield from wrongly_judged(judged, logged)
    named = connection.execute(text("SELECT value FROM setting WHERE name = 'vectors'")).scalar()
    if named is not None:
        rows = connection.execute(text("SELECT paper_id, numbers FROM paper_vector ORDER BY paper_id"))
        yield from wrong_vectors(named, rows)


def _misplaced(connection: Connection, packed: PackedList) -> Iterator[str]:
    key = ", ".join(f'NEW."{one.name}"' for one in Base.metadata.tables[packed.table].primary_key)
    query = f"SELECT {key} FROM {packed.table} AS NEW WHERE NOT is_placed(NEW.{packed.column}, {highest(packed)})"  # noqa: S608
    for row in connection.exec_driver_sql(query):
        number = ", ".join(map(str, row))
        yield f"{packed.column} in row {number} of {packed.table} are not papers of its issue, each once"
