"""Output of commands: consoles for stdout and stderr, tables, and import summaries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from presort.desk.text import count_text

if TYPE_CHECKING:
    import pandas as pd

out = Console(markup=False, highlight=False, emoji=False)
err = Console(stderr=True, markup=False, highlight=False, emoji=False)
ANY_WIDTH = 10_000_000  # characters; wider than any table, so that Rich measures the table's full width
LONG_TEXT = 20  # characters; columns wider than this are shortened first
MIN_WIDTH = 5  # minimum width of a shortened column in characters
GAP = 2  # spaces between columns
FIXED_HEADINGS = ("made at", "person")  # headings of columns that are never shortened
LARGE = 10_000  # figures of at least this size are printed without decimals

SHORT = {  # short headings that keep the table within 80 columns
    "report_issues": "issues",
    "nothing_relevant": "none",
    "list_order": "as is",
    "mean_relative_last_position": "last",
    "median_relative_last_position": "median",
    "mean_aselt": "Aselt",
    "mean_nosel": "Nosel",
    "mean_copnori": "Copnori",
    "mean_average_precision": "AP",
}


def import_text(path: Path, counts: dict[str, int]) -> str:
    """Format the summary of an import.

    Parameters
    ----------
    path : Path
        Imported file.
    counts : dict
        Fields of an `ImportSummary`.
    """
    apart = ("listings", "selections_left", "matched")
    changes = {name: n for name, n in counts.items() if n and name not in apart}
    named = ", ".join(count_text(n, name.replace("_", " ").removesuffix("s")) for name, n in changes.items())
    note = ""
    if copies := counts["matched"]:
        note += f" Duplicates of known papers, not listed again: {count_text(copies, 'paper')}."
    if left := counts["selections_left"]:
        note += f" Skipped, because editors have already begun these report issues: {count_text(left, 'selection')}."
    papers = count_text(counts["listings"], "paper")
    nothing = "no changes, all papers were already imported" if counts["listings"] else "no changes"
    return f"{path.name}: {papers} read; {named or nothing}.{note}"


def table_of(
    df: pd.DataFrame, *, heads: Sequence[str] | None = None, decimals: int = 3, figures: Collection[str] = ()
) -> Table:
    """Convert a data frame to a Rich table for `print_table`.

    Parameters
    ----------
    df : DataFrame
    heads : sequence of str, optional
        Headings. Defaults to the column names, shortened by `SHORT`.
    decimals : int
        Number of decimals of floats.
    figures : collection of str
        Columns that contain numbers formatted as strings. They are right-aligned like numeric columns.
    """
    shown = heads or [SHORT.get(str(name), str(name).replace("_", " ")) for name in df.columns]
    is_right = [name in figures or dtype.kind in "biuf" for name, dtype in df.dtypes.items()]
    return table_of_rows(shown, df.itertuples(index=False), is_right, decimals=decimals)


def table_of_rows(
    heads: Sequence[str], rows: Iterable[Iterable[object]], is_right: Sequence[bool], *, decimals: int
) -> Table:
    """Return a Rich table for `print_table`. `is_right` has one flag per column: True to right-align it."""
    table = Table(box=None, pad_edge=False)
    for head, right in zip(heads, is_right, strict=True):
        table.add_column(head, justify="right" if right else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(_figure(cell, decimals) if isinstance(cell, float) else str(cell) for cell in row))
    return table


def print_table(table: Table) -> None:
    """Print a table to stdout. Columns are shortened only if stdout is a terminal that is too narrow for the table."""
    is_terminal = out.file.isatty()  # `out.is_terminal` is also true in a pipe if colours are forced
    if is_terminal:
        widths = _column_widths(table, out.width)
        for column, width in zip(table.columns, widths, strict=True):
            column.width = width
        table.width = sum(widths) + GAP * (len(widths) - 1)  # if the table is still too wide, its right end is cut off
    else:  # stdout is a pipe or a file, so lines can have any width
        table.width = out.measure(table, options=out.options.update(width=ANY_WIDTH)).maximum
    out.print(table, crop=is_terminal)


def _column_widths(table: Table, most: int) -> list[int]:
    """Return the column widths, reduced if necessary to fit the table into `most` characters.

    Columns wider than `LONG_TEXT` are shortened first, then the other columns. The first column and columns with
    `FIXED_HEADINGS` are never shortened.
    """
    heads = [str(column.header) for column in table.columns]
    widths = [_width([head, *map(str, column.cells)]) for head, column in zip(heads, table.columns, strict=True)]
    room = most - GAP * (len(widths) - 1)
    others = {at for at, head in enumerate(heads) if at > 0 and head not in FIXED_HEADINGS}
    long = {at for at in others if widths[at] > LONG_TEXT}
    for group in (long, others):
        level = max((widths[at] for at in group), default=0)
        while sum(widths) > room and level > MIN_WIDTH:
            level -= 1
            widths = [min(width, level) if at in group else width for at, width in enumerate(widths)]
    return widths


def _width(cells: Iterable[str]) -> int:
    return max(cell_len(line) for cell in cells for line in (cell.splitlines() or [""]))


def _figure(value: float, decimals: int) -> str:
    return f"{value:,.0f}" if abs(value) >= LARGE else f"{value:z.{decimals}f}"
