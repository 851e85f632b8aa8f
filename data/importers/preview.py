"""Preview a table before importing it: column names, the field assigned to each column, and the first rows."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date
from itertools import islice, pairwise
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers.formats import format_of
from presort.data.importers.problems import SILENT
from presort.data.importers.rows import BadCellError, issue_of, text_of
from presort.data.importers.tables import NOTHING_CHOSEN, Table, fields_of

SHOWN_ROWS = 3
SHOWN_LETTERS = 200  # maximum number of characters to show per cell
MOST_ROWS = 50_000  # maximum number of rows to search for issue dates
# A column contains issue dates if it meets these conditions:
LEAST_PAPERS = 20  # minimum average number of papers per date; publication dates are shared by fewer papers
LEAST_DATED = 0.98  # minimum share of rows with a date
LEAST_DAYS, MOST_DAYS = 4, 31  # range in days for the shortest interval between two issues


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Mapping from fields to table columns.

    Attributes
    ----------
    columns : tuple of str
        Names of all columns in the table.
    fields : mapping from str to str
        Chosen or guessed column for each field. Empty if the columns can't be mapped.
    problem : str
        Reason why the table can't be imported with this mapping, or an empty string if it can.
    rows : tuple of tuple of str
        First rows of the table, with one cell per column. Long cells are truncated.
    like_issues : mapping from str to int
        Mapping from columns that appear to contain issue dates to their numbers of distinct dates. Empty if `fields`
        contains the issue.
    """

    columns: tuple[str, ...]
    fields: Mapping[str, str]
    problem: str
    rows: tuple[tuple[str, ...], ...]
    like_issues: Mapping[str, int]

    def as_json(self) -> str:
        """Serialise the mapping to JSON, so that another process can parse it with `from_json`."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "ColumnMapping":
        """Parse the output of `as_json`."""
        found = json.loads(text)
        rows = tuple(tuple(row) for row in found.pop("rows"))
        return cls(tuple(found.pop("columns")), rows=rows, **found)


def preview(path: Path, chosen_columns: Mapping[str, str] = NOTHING_CHOSEN) -> ColumnMapping:
    """Return the column mapping and the first rows of a table.

    Parameters
    ----------
    path : Path
        Path of a file in a table format.
    chosen_columns : mapping from str to str
        Mapping from fields to columns, as chosen by the user. The columns for all other fields are guessed.

    Raises
    ------
    UnreadableFileError
        If the file is not a readable table.
    """
    open_table = format_of(path).open_table
    if open_table is None:
        raise UnreadableFileError(path, "is not a table, so it has no columns to choose")
    with open_table(path) as table:
        fields, problem = {}, ""
        try:
            fields = fields_of(table, chosen_columns)
        except UnreadableFileError as error:
            problem = str(error)
        first = _first_cells(table)
        rows = tuple(tuple(_shorten_cell(cells.get(column)) for column in table.columns) for cells in first)
        like_issues = {} if "issue" in fields else _like_issues(table, first)
        return ColumnMapping(tuple(table.columns), fields, problem, rows, like_issues)


def _first_cells(table: Table) -> list[Mapping[str, object]]:
    """Return the first rows, each as a mapping from columns to cells.

    An invalid row contains only the faulty column, with the error message as its cell.
    """
    asked = [column for column in table.columns if column not in table.odd and table.columns.count(column) == 1]
    return [
        {str(cells.column): cells.reason}
        if isinstance(cells, UnreadableFileError)
        else dict(zip(asked, cells, strict=True))
        for _, cells in (islice(table.rows(asked, SILENT), SHOWN_ROWS) if asked else ())
    ]


def _shorten_cell(cell: object) -> str:
    text = "; ".join(map(text_of, cell)) if isinstance(cell, list) else text_of(cell)
    return text if len(text) <= SHOWN_LETTERS else f"{text[:SHOWN_LETTERS]}…"


def _like_issues(table: Table, first: Sequence[Mapping[str, object]]) -> dict[str, int]:
    """Return the columns that appear to contain issue dates, and the number of distinct dates in each.

    A column of issue dates contains few distinct full dates, each shared by many papers. The two closest dates are 4 to
    31 days apart.
    """
    asked = [column for column in table.columns if column and any(_day(row.get(column)) for row in first)]
    days: dict[str, Counter[date | None]] = {column: Counter() for column in asked}
    n_rows = 0
    with suppress(UnreadableFileError):  # the import reports this error when it reads the whole file
        for _, cells in islice(table.rows(asked, SILENT), MOST_ROWS) if asked else ():
            n_rows += 1
            if not isinstance(cells, UnreadableFileError):
                for column, cell in zip(asked, cells, strict=True):
                    days[column][_day(cell)] += 1
    return {column: len(found.keys() - {None}) for column, found in days.items() if _are_issues(found, n_rows)}


def _day(cell: object) -> date | None:
    """Return the date in a cell, or None if it isn't a full date."""
    try:
        return None if isinstance(cell, list) else issue_of(cell)
    except BadCellError:
        return None


def _are_issues(days: Counter[date | None], n_papers: int) -> bool:
    known = sorted(day for day in days if day)
    is_dated = sum(days[day] for day in known) >= LEAST_DATED * n_papers
    gaps = [(after - before).days for before, after in pairwise(known)]
    is_week_or_so = not gaps or LEAST_DAYS <= min(gaps) <= MOST_DAYS
    return is_dated and is_week_or_so and n_papers >= LEAST_PAPERS * len(known) > 0
