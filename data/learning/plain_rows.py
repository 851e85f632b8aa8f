"""Rows as SQLite gives them: a third of the time where there are hundreds of thousands of short ones."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Executable, Select

AT_ONCE = 1_000  # rows: few enough to be let go soon


def plain_parts(connection: Connection, query: Executable) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Yield the rows of a query of numbers, texts and bytes, many at once; another kind is as it is stored."""
    with closing(connection.execute(query)) as result:
        if result.cursor is None:
            raise ValueError(f"query must give rows, got {query}")
        while rows := result.cursor.fetchmany(AT_ONCE):
            yield rows


def plain_rows(connection: Connection, query: Executable) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of `plain_parts`, one by one."""
    return chain.from_iterable(plain_parts(connection, query))


def plain_columns(connection: Connection, query: Select[*tuple[int, ...]]) -> NDArray[np.int64]:
    """Read whole numbers, an array a column."""
    n_columns = len(query.selected_columns)
    numbers = np.fromiter(chain.from_iterable(plain_rows(connection, query)), np.int64)
    return np.ascontiguousarray(numbers.reshape(-1, n_columns).T)
