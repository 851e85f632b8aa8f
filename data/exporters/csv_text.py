"""CSV without formulas, so that a spreadsheet can open it safely."""

import pandas as pd

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(table: pd.DataFrame) -> str:
    """Convert a table to CSV. Dates are in ISO format; a text that could be a formula is prefixed with an apostrophe.

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
    # pandas doesn't quote a carriage return, so it would start a new row.
    return guarded.replace("\r\n", "\n").replace("\r", " ")
