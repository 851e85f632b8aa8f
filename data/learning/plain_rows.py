"""Rows as SQLite gives them: a third of the time where there are hundreds of thousands of short ones."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from sqlalchemy import Connection, Executable

AT_ONCE = 1_000  # rows: few enough to be let go soon


def plain_rows(connection: Connection, query: Executable) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query of numbers, texts and bytes; a column of any other kind is as it is stored."""
    with closing(connection.execute(query)) as result:
        if result.cursor is None:
            raise ValueError(f"query must give rows, got {query}")
        while rows := result.cursor.fetchmany(AT_ONCE):
            yield from rows
