"""Importer for pandas DataFrames. Columns are recognised, values cleaned and errors reported as in table files."""

import datetime
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import partial
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from presort.data.importers.problems import STRICT, Problems
from presort.data.importers.tables import NOTHING_CHOSEN, Row, Table, entries
from presort.data.records import Entry
from presort.data.text.cleaning import clean

PLAIN = (str, Number, Decimal, datetime.date, np.generic)  # types of cells that can be converted to text


def read_data_frame(name: str, frame: pd.DataFrame) -> Iterator[Entry]:
    """Yield the papers in a DataFrame, in row order.

    Parameters
    ----------
    name : str
        Name that identifies the table in error messages.
    frame : DataFrame, a row per paper
        Table whose columns are recognised by name, as in table files. Values may be missing, and fields with several
        values, such as authors, may be lists.

    Raises
    ------
    UnreadableFileError
        If there is no title column, a column can't be used, or a row has no title. The message names the
        1-based row number and the column.
    """
    columns = [clean(str(column)) for column in frame.columns]
    held = [_describe_content(frame.iloc[:, place]) for place in range(len(columns))]
    odd = {column: kind for column, kind in zip(columns, held, strict=True) if kind not in ("", "lists")}
    lists = {column: kind for column, kind in zip(columns, held, strict=True) if kind == "lists"}
    table = Table(Path(name), columns, partial(_rows, frame, columns), odd, lists, is_in_memory=True)
    yield from entries(table, NOTHING_CHOSEN, STRICT)


def _rows(frame: pd.DataFrame, columns: Sequence[str], asked: Sequence[str], _: Problems) -> Iterator[Row]:
    cells = [map(_cell, frame.iloc[:, columns.index(name)]) for name in asked]
    yield from enumerate(zip(*cells, strict=True), start=1)


def _cell(value: Any) -> object:
    """Convert a cell as in table files: a missing value becomes None, and a tuple or an array becomes a list."""
    if isinstance(value, tuple | np.ndarray):
        return list(value)
    return value if isinstance(value, list) or not pd.isna(value) else None


def _describe_content(column: "pd.Series[Any]") -> str:
    """Return the name of an unreadable type in a column, or else "lists" if the column contains lists, or else ""."""
    kinds = {type(cell) for cell in map(_cell, column) if not isinstance(cell, PLAIN) and cell is not None}
    others = sorted(kind.__name__ for kind in kinds if kind is not list)
    return others[0] if others else "lists" if kinds else ""
