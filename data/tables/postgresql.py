"""All tables in a PostgreSQL database that has none, with what it refuses there: triggers, as `guards` has for SQLite.

A database that has tables is brought to newer ones by the migrations, as every other.
"""

from sqlalchemy import Connection, insert

from presort.data.tables.base import Base
from presort.data.tables.guards import LOGS, PACKED_LISTS, PackedList
from presort.data.tables.papers import RevisionRow

FIRST_REVISION = "0018"  # no PostgreSQL database has older tables

REFUSE_CHANGE = """CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'integrity_constraint_violation',
        MESSAGE = TG_TABLE_NAME || ' is a log: rows are only ever added';
END $$"""

APPEND_ONLY = "CREATE TRIGGER {log}_{change} BEFORE {change} ON {log} FOR EACH {each} EXECUTE FUNCTION refuse_change()"
CHANGES = {"update": "ROW", "delete": "ROW", "truncate": "STATEMENT"}

DENSE_POSITIONS = """CREATE OR REPLACE FUNCTION refuse_gap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.position <> 1 + (SELECT coalesce(max(position), 0) FROM listing WHERE issue_id = NEW.issue_id) THEN
        RAISE EXCEPTION 'listing: a paper comes right after the last one of its issue'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$"""

LISTING_DENSE = "CREATE TRIGGER listing_dense BEFORE INSERT ON listing FOR EACH ROW EXECUTE FUNCTION refuse_gap()"

# Numbers are little-endian; where the different ones between 1 and the highest are as many as the list is long, each
# stands there once.
IS_PLACED = """CREATE OR REPLACE FUNCTION is_placed(cell bytea, highest bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
SELECT mod(length(cell), 4) = 0 AND length(cell) / 4 = count(DISTINCT number) FROM (
    SELECT get_byte(cell, at) + (get_byte(cell, at + 1) << 8) + (get_byte(cell, at + 2) << 16)
        + (get_byte(cell, at + 3)::bigint << 24) AS number
    FROM generate_series(0, length(cell) - 4, 4) AS at) AS numbers
WHERE number BETWEEN 1 AND highest
$$"""

PLACED_IN_ISSUE = """CREATE OR REPLACE FUNCTION refuse_{table}_{column}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT is_placed(NEW.{column}, {highest}) THEN
        RAISE EXCEPTION '{table}: {column} name papers of their issue, each once'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$"""

PLACED = """CREATE TRIGGER {table}_{column} BEFORE INSERT OR UPDATE OF {column} ON {table}
FOR EACH ROW EXECUTE FUNCTION refuse_{table}_{column}()"""


def make_tables(connection: Connection) -> None:
    """Make every table, what it refuses, and the one row that counts changes."""
    Base.metadata.create_all(connection)
    for statement in (REFUSE_CHANGE, DENSE_POSITIONS, LISTING_DENSE, IS_PLACED):
        connection.exec_driver_sql(statement)
    for log in LOGS:
        for statement in append_only(log):
            connection.exec_driver_sql(statement)
    for packed in PACKED_LISTS:
        for statement in placed_in_issue(packed):
            connection.exec_driver_sql(statement)
    connection.execute(insert(RevisionRow).values(id=1, number=0))


def append_only(log: str) -> list[str]:
    """Return the statements after which rows of a table can only be added."""
    return [APPEND_ONLY.format(log=log, change=change, each=each) for change, each in CHANGES.items()]


def placed_in_issue(packed: PackedList) -> list[str]:
    """Return the statements after which a list can only name papers of its issue, each once."""
    values = packed._asdict() | {"highest": highest(packed)}
    return [statement.format(**values) for statement in (PLACED_IN_ISSUE, PLACED)]


def highest(packed: PackedList) -> str:
    """Return SQL for the highest number that a list may hold; of an issue without papers, none."""
    return f"coalesce({packed.highest.replace('NEW.issue_id', packed.issue)}, 0)"
