"""Create all tables and triggers in an empty database."""

from sqlalchemy import Connection, insert

from presort.data.tables import guards, postgresql
from presort.data.tables.base import Base
from presort.data.tables.papers import RevisionRow


def make_tables(connection: Connection) -> None:
    """Create all tables and triggers, and the single row of `RevisionRow`."""
    Base.metadata.create_all(connection)
    for statement in (guards if connection.dialect.name == "sqlite" else postgresql).triggers():
        connection.exec_driver_sql(statement)
    connection.execute(insert(RevisionRow).values(id=1, number=0))
