"""Output of commands: consoles for stdout and stderr, tables, and import summaries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from presort.desk.text import counted

if TYPE_CHECKING:
    import pandas as pd

out = Console(markup=False, highlight=False, emoji=False)
err = Console(stderr=True, markup=False, highlight=False, emoji=False)
LARGE = 10_000  # larger figures are printed without decimals

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


def imported(path: Path, counts: dict[str, int]) -> str:
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
    named = ", ".join(counted(n, name.replace("_", " ").removesuffix("s")) for name, n in changes.items())
    note = ""
    if copies := counts["matched"]:
        note += f" Duplicates of known papers, not listed again: {counted(copies, 'paper')}."
    if left := counts["selections_left"]:
        note += f" Skipped, because editors have already decided in Presort: {counted(left, 'selection')}."
    papers = counted(counts["listings"], "paper")
    nothing = "no changes, all papers were already imported" if counts["listings"] else "no changes"
    return f"{path.name}: {papers} read; {named or nothing}.{note}"


def table_of(
    df: pd.DataFrame, *, heads: Sequence[str] | None = None, decimals: int = 3, figures: Collection[str] = ()
) -> Table:
    """Convert a data frame to a Rich table that fits in 80 columns.

    Parameters
    ----------
    df : DataFrame
    heads : sequence of str, optional
        Headings. Defaults to the column names, shortened by `SHORT`.
    decimals : int
        Decimals of floats.
    figures : collection of str
        Columns of numbers formatted as text. They are right-aligned like numeric columns.
    """
    shown = heads or [SHORT.get(str(name), str(name).replace("_", " ")) for name in df.columns]
    is_right = [name in figures or dtype.kind in "biuf" for name, dtype in df.dtypes.items()]
    return table_of_rows(shown, df.itertuples(index=False), is_right, decimals=decimals)


def table_of_rows(
    heads: Sequence[str], rows: Iterable[Iterable[object]], is_right: Sequence[bool], *, decimals: int
) -> Table:
    """Return a Rich table that fits in 80 columns. `is_right` are the right-aligned columns."""
    table = Table(box=None, pad_edge=False)
    for head, right in zip(heads, is_right, strict=True):
        table.add_column(head, justify="right" if right else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(_figure(cell, decimals) if isinstance(cell, float) else str(cell) for cell in row))
    return table


def _figure(value: float, decimals: int) -> str:
    return f"{value:,.0f}" if abs(value) >= LARGE else f"{value:z.{decimals}f}"
