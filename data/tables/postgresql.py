"""Triggers for PostgreSQL databases, which enforce the same rules as the SQLite triggers in `guards`."""

from collections.abc import Iterator

from presort.data.tables.guards import LOGS, MISPLACED, PACKED_LISTS, PackedList

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
        RAISE EXCEPTION 'listing: the position of a new paper must be the highest position of its issue plus 1'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$"""

LISTING_DENSE = "CREATE TRIGGER listing_dense BEFORE INSERT ON listing FOR EACH ROW EXECUTE FUNCTION refuse_gap()"

# Numbers are little-endian. A list is valid if the number of distinct values between 1 and `highest` equals the number
# of entries, because then no value is repeated or out of range.
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
        RAISE EXCEPTION '{misplaced}'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$"""

PLACED = """CREATE TRIGGER {table}_{column} BEFORE INSERT OR UPDATE OF {column} ON {table}
FOR EACH ROW EXECUTE FUNCTION refuse_{table}_{column}()"""


def triggers() -> Iterator[str]:
    """Yield the SQL statements that create all triggers and their functions."""
    yield from (REFUSE_CHANGE, DENSE_POSITIONS, LISTING_DENSE, IS_PLACED)
    for log in LOGS:
        yield from append_only_triggers(log)
    for packed in PACKED_LISTS:
        yield from position_triggers(packed)


def append_only_triggers(log: str) -> list[str]:
    """Return SQL statements that make a table append-only."""
    return [APPEND_ONLY.format(log=log, change=change, each=each) for change, each in CHANGES.items()]


def position_triggers(packed: PackedList) -> list[str]:
    """Return the SQL statements for a trigger that rejects lists with invalid or repeated positions."""
    values = packed._asdict() | {"highest": highest(packed), "misplaced": MISPLACED.format(**packed._asdict())}
    return [statement.format(**values) for statement in (PLACED_IN_ISSUE, PLACED)]


def highest(packed: PackedList) -> str:
    """Return an SQL expression for the highest valid position in a list. It is 0 for an issue without papers."""
    return f"coalesce({packed.highest.replace('NEW.issue_id', packed.issue)}, 0)"
