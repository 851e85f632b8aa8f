"""Lists of issues as numbers, and other large tables as SQLite gives them; read once, other data is laid out by it."""

import datetime
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Executable, Select, select

from presort.data.records import Rows
from presort.data.tables import IssueRow, ListingRow

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


class Listed(NamedTuple):
    """All that issues list, oldest issue first, each in list order.

    Attributes
    ----------
    days : list of date, length n_issues
        Of the issues that list anything.
    issues : array of shape (n_issues,)
        Their numbers.
    starts : array of shape (n_issues + 1,)
        Rows of their first papers.
    papers : array of shape (n_rows,)
        The number of the paper in each row.
    """

    days: list[datetime.date]
    issues: NDArray[np.int64]
    starts: Rows
    papers: NDArray[np.int64]

    @property
    def issue_of(self) -> NDArray[np.int64]:
        """The number of the issue of each row."""
        return np.repeat(self.issues, np.diff(self.starts))


def read_listed(connection: Connection, through: datetime.date) -> Listed:
    """Read the lists of the issues up to and including that of a date."""
    issue_of, papers = plain_columns(
        connection,
        select(ListingRow.issue_id, ListingRow.paper_id)
        .join(IssueRow, IssueRow.id == ListingRow.issue_id)
        .where(IssueRow.date <= through)
        .order_by(IssueRow.date, ListingRow.position),
    )
    firsts = np.flatnonzero(np.diff(issue_of, prepend=-1))
    issues = issue_of[firsts]
    days = dict(connection.execute(select(IssueRow.id, IssueRow.date).order_by(IssueRow.id)).all())
    starts = np.append(firsts, len(papers)).astype(np.intp)
    return Listed([days[number] for number in issues.tolist()], issues, starts, papers)


def rows_of(wanted: NDArray[np.int64], numbers: NDArray[np.int64]) -> Rows | None:
    """Return the places of the wanted numbers among distinct numbers. None if any is missing.

    Examples
    --------
    >>> rows_of(np.array([7, 5, 7]), np.array([5, 6, 7])).tolist(), rows_of(np.array([8]), np.array([7]))
    ([2, 0, 2], None)
    """
    if np.array_equal(
        wanted, numbers
    ):  # as where each issue brought new papers: looking up takes a hundred times as long
        return np.arange(len(wanted))
    order = np.argsort(numbers)
    at = np.searchsorted(numbers, wanted, sorter=order)
    if (at == len(numbers)).any():
        return None
    rows: Rows = order[at]
    return rows if np.array_equal(numbers[rows], wanted) else None
