"""Write CSV without formulas, so that it is safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(table: pd.DataFrame) -> str:
    """Convert a table to CSV, with dates in ISO format. Strings that could be formulas get a leading apostrophe.

    Examples
    --------
    >>> import pandas as pd
    >>> print(csv_text(pd.DataFrame({"title": ["=1+1", "Wages"], "score": [-0.5, 1.0]})), end="")
    title,score
    '=1+1,-0.5
    Wages,1.0
    """
    safe = table.rename(columns=_disarm_formula).map(_disarm_formula)
    return safe.to_csv(index=False, date_format="%Y-%m-%d", lineterminator="\n")


def csv_of_rows(rows: Iterable[Iterable[object]]) -> str:
    """Convert rows to CSV without pandas, in the same format as `csv_text`. NaN becomes an empty cell.

    Examples
    --------
    >>> print(csv_of_rows([["topic", "AP"], ["-1", 0.5], ["2", float("nan")]]), end="")
    topic,AP
    '-1,0.5
    2,
    """
    text = io.StringIO()
    # NaN is the only value that differs from itself.
    cells = ([_disarm_formula(cell) if cell == cell else "" for cell in row] for row in rows)
    csv.writer(text, lineterminator="\n").writerows(cells)
    return text.getvalue()


def _disarm_formula(cell: object) -> object:
    if not isinstance(cell, str):
        return cell
    guarded = f"'{cell}" if cell.startswith(STARTS_A_FORMULA) else cell
    # pandas doesn't quote a value that contains a carriage return, which would then start a new row.
    return guarded.replace("\r\n", "\n").replace("\r", " ")
