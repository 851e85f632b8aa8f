"""Preview of a table before it is imported: its columns, their fields, and its first rows."""

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
SHOWN_LETTERS = 200  # of a cell
MOST_ROWS = 50_000  # looked at for dates of issues
LEAST_PAPERS = 20  # of an issue, on average; dates of the papers themselves are shared by fewer
LEAST_DATED = 0.98  # of all papers, have a date
LEAST_DAYS, MOST_DAYS = 4, 31  # between issues


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Mapping of the columns of a table to our fields.

    Attributes
    ----------
    columns : tuple of str
        All columns of the table.
    fields : mapping from str to str
        Field to column, chosen or guessed; empty if that failed.
    problem : str
        Why the table can't be imported like this; empty if it can.
    rows : tuple of tuple of str
        The first rows, a cell a column, long ones cut.
    like_issues : mapping from str to int
        If no column holds the issue: columns whose dates look like dates of issues, with their numbers of dates.
    """

    columns: tuple[str, ...]
    fields: Mapping[str, str]
    problem: str
    rows: tuple[tuple[str, ...], ...]
    like_issues: Mapping[str, int]

    def as_json(self) -> str:
        """Serialise to JSON, to be read by `from_json` in another process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "ColumnMapping":
        """Read the output of `as_json`."""
        found = json.loads(text)
        rows = tuple(tuple(row) for row in found.pop("rows"))
        return cls(tuple(found.pop("columns")), rows=rows, **found)


def preview(path: Path, chosen_columns: Mapping[str, str] = NOTHING_CHOSEN) -> ColumnMapping:
    """Show how the columns of a table would be taken.

    Parameters
    ----------
    path : Path
        A table.
    chosen_columns : mapping from str to str
        Field to column, as the person says it; others are guessed.

    Raises
    ------
    UnreadableFileError
        If the file is no table that can be read.
    """
    open_table = format_of(path).open_table
    if open_table is None:
        raise UnreadableFileError(path, "is no table, so it has no columns")
    with open_table(path) as table:
        fields, problem = {}, ""
        try:
            fields = fields_of(table, chosen_columns)
        except UnreadableFileError as error:
            problem = str(error)
        first = _first_cells(table)
        rows = tuple(tuple(_shown(cells.get(column)) for column in table.columns) for cells in first)
        like_issues = {} if "issue" in fields else _like_issues(table, first)
        return ColumnMapping(tuple(table.columns), fields, problem, rows, like_issues)


def _first_cells(table: Table) -> list[Mapping[str, object]]:
    """Return the cells of the first rows by column. Invalid cells are replaced by their fault."""
    asked = [column for column in table.columns if column not in table.odd and table.columns.count(column) == 1]
    return [
        {str(cells.column): cells.reason}
        if isinstance(cells, UnreadableFileError)
        else dict(zip(asked, cells, strict=True))
        for _, cells in (islice(table.rows(asked, SILENT), SHOWN_ROWS) if asked else ())
    ]


def _shown(cell: object) -> str:
    text = "; ".join(map(text_of, cell)) if isinstance(cell, list) else text_of(cell)
    return text if len(text) <= SHOWN_LETTERS else f"{text[:SHOWN_LETTERS]}…"


def _like_issues(table: Table, first: Sequence[Mapping[str, object]]) -> dict[str, int]:
    """Find columns of few whole dates, a week or so apart, each of many papers; a few bad rows may have none."""
    asked = [column for column in table.columns if column and any(_day(row.get(column)) for row in first)]
    days: dict[str, Counter[date | None]] = {column: Counter() for column in asked}
    n_rows = 0
    with suppress(UnreadableFileError):  # reported when the whole file is read
        for _, cells in islice(table.rows(asked, SILENT), MOST_ROWS) if asked else ():
            n_rows += 1
            if not isinstance(cells, UnreadableFileError):
                for column, cell in zip(asked, cells, strict=True):
                    days[column][_day(cell)] += 1
    return {column: len(found.keys() - {None}) for column, found in days.items() if _are_issues(found, n_rows)}


def _day(cell: object) -> date | None:
    """Return the date that a cell holds, if it is a whole one."""
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
