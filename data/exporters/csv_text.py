"""Tables as CSV that a spreadsheet opens without running anything."""

import pandas as pd

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(table: pd.DataFrame) -> str:
    """Write a table as CSV, dates as ISO, text that would start a formula with an apostrophe in front.

    Examples
    --------
    >>> print(csv_text(pd.DataFrame({"title": ["=1+1", "Wages"], "score": [-0.5, 1.0]})), end="")
    title,score
    '=1+1,-0.5
    Wages,1.0
    """
    safe = table.rename(columns=_harmless).map(_harmless)
    return safe.to_csv(index=False, date_format="%Y-%m-%d", lineterminator="\n")


def _harmless(cell: object) -> object:
    if not isinstance(cell, str):
        return cell
    guarded = f"'{cell}" if cell.startswith(STARTS_A_FORMULA) else cell
    return guarded.replace("\r\n", "\n").replace("\r", " ")  # the writer does not quote it: a new row would begin there
