"""Read large tables quickly: rows without type conversion, and the paper lists of all issues as arrays.

The arrays are in `IssueLists`. Other training data refers to papers by their row in these arrays.
"""

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

AT_ONCE = 1_000  # number of rows fetched at a time, to limit memory use


def plain_parts(connection: Connection, query: Executable) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Yield a query's rows in batches, with the values as returned by the database driver.

    This is suitable for numbers, strings and bytes. Other types, such as dates, are not converted.
    """
    with closing(connection.execute(query)) as result:
        if result.cursor is None:
            raise ValueError(f"query must return rows, got {query}")
        while rows := result.cursor.fetchmany(AT_ONCE):
            yield rows


def plain_rows(connection: Connection, query: Executable) -> Iterator[tuple[Any, ...]]:
    """Yield the same rows as `plain_parts`, one by one."""
    return chain.from_iterable(plain_parts(connection, query))


def plain_columns(connection: Connection, query: Select[*tuple[int, ...]]) -> NDArray[np.int64]:
    """Read integer columns into an array of shape (n_columns, n_rows)."""
    n_columns = len(query.selected_columns)
    numbers = np.fromiter(chain.from_iterable(plain_rows(connection, query)), np.int64)
    return np.ascontiguousarray(numbers.reshape(-1, n_columns).T)


class IssueLists(NamedTuple):
    """Papers of all issues: one row per listed paper, oldest issue first, in list order.

    Attributes
    ----------
    days : list of date, length n_issues
        Dates of the issues that list papers.
    issues : array of shape (n_issues,)
        Issue numbers (database ids).
    starts : array of shape (n_issues + 1,)
        Row of each issue's first paper.
    papers : array of shape (n_rows,)
        Paper number (database id) of each row.
    """

    days: list[datetime.date]
    issues: NDArray[np.int64]
    starts: Rows
    papers: NDArray[np.int64]

    @property
    def issue_of(self) -> NDArray[np.int64]:
        """Issue number of each row."""
        return np.repeat(self.issues, np.diff(self.starts))


def read_issue_lists(connection: Connection, through: datetime.date) -> IssueLists:
    """Read the lists of all issues up to and including a date."""
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
    return IssueLists([days[number] for number in issues.tolist()], issues, starts, papers)


def rows_of(wanted: NDArray[np.int64], numbers: NDArray[np.int64]) -> Rows | None:
    """Return the index of each wanted number in an array of distinct numbers. Returns None if any is missing.

    Examples
    --------
    >>> rows_of(np.array([7, 5, 7]), np.array([5, 6, 7])).tolist(), rows_of(np.array([8]), np.array([7]))
    ([2, 0, 2], None)
    """
    # Shortcut for the usual case in which each issue lists only new papers. A lookup takes a hundred times as long.
    if np.array_equal(wanted, numbers):
        return np.arange(len(wanted))
    order = np.argsort(numbers)
    at = np.searchsorted(numbers, wanted, sorter=order)
    if (at == len(numbers)).any():
        return None
    rows: Rows = order[at]
    return rows if np.array_equal(numbers[rows], wanted) else None
