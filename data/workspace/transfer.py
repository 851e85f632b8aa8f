"""Copy all rows of a workspace from one database to another. Either database can be SQLite or PostgreSQL."""

from collections.abc import Iterator

from sqlalchemy import Column, Connection, Table, column, delete, func, insert, select, table, text
from sqlalchemy.sql.expression import TableClause
from sqlalchemy.types import TypeDecorator, TypeEngine

from presort.data.tables import Base, RevisionRow

AT_ONCE = 1_000  # number of rows per INSERT


def transfer(source: Connection, target: Connection) -> int:
    """Copy all rows, and the highest ids ever used, to another database. Return the number of rows.

    Parameters
    ----------
    source : Connection
        Connection with an open transaction.
    target : Connection
        Connection with an open write transaction, to a database that has the same tables, all of them empty.
    """
    target.execute(delete(RevisionRow))
    n_rows = sum(_copy(source, target, plain) for plain in map(_plain, Base.metadata.sorted_tables))
    _set_highest_ids(target, _highest_ids(source))
    return n_rows


def _copy(source: Connection, target: Connection, plain: tuple[TableClause, list[str]]) -> int:
    rows, keys = plain
    # Rows are copied in key order, because triggers compare new rows with earlier rows.
    query = select(rows).order_by(*(rows.c[name] for name in keys))
    n_rows = 0
    for part in source.execute(query, execution_options={"yield_per": AT_ONCE}).mappings().partitions():
        target.execute(insert(rows), [dict(row) for row in part])
        n_rows += len(part)
    return n_rows


def _plain(made: Table) -> tuple[TableClause, list[str]]:
    """Return a copy of a table with plain column types, and the names of its key columns.

    With plain types, cells are copied without conversion.
    """
    cells = (column(one.name, _kind(one)) for one in made.columns)
    return table(made.name, *cells), [one.name for one in made.primary_key]


def _kind(one: Column[object]) -> TypeEngine[object]:
    return one.type.impl_instance if isinstance(one.type, TypeDecorator) else one.type


def _numbered_tables() -> Iterator[tuple[Table, Column[int]]]:
    for made in Base.metadata.sorted_tables:
        if (key := made.autoincrement_column) is not None:
            yield made, key


def _sequence(made: Table, key: Column[int]) -> str:
    """Return the name of the PostgreSQL sequence that generates a table's ids."""
    return f"{made.name}_{key.name}_seq"


def _highest_ids(connection: Connection) -> dict[str, int]:
    """Return the highest id ever used in each table, because ids of deleted rows must not be reused."""
    if connection.dialect.name == "sqlite":
        return dict(connection.execute(text("SELECT name, seq FROM sqlite_sequence")).all())
    query = "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = current_schema()"
    last: dict[str, int | None] = dict(connection.execute(text(query)).all())
    return {made.name: last.get(_sequence(made, key)) or 0 for made, key in _numbered_tables()}


def _set_highest_ids(connection: Connection, given: dict[str, int]) -> None:
    for made, key in _numbered_tables():
        highest = connection.execute(select(func.coalesce(func.max(key), 0))).scalar_one()
        number = max(highest, given.get(made.name, 0))
        if connection.dialect.name == "postgresql":
            if number:
                setting = text("SELECT setval(:name, :number)")
                connection.execute(setting, {"name": _sequence(made, key), "number": number})
        elif number > highest:
            connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": made.name})
            values = {"name": made.name, "number": number}
            connection.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :number)"), values)
